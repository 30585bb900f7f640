/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed_mix - the parts of the handshake-mix score, and the sum. Pure but for the book.
 */
#include "ciphers/speed_mix.h"

#include <errno.h>

#define SCALE 1000.0

const struct mix_part mix_parts[MIX_PARTS + 1] = {
	{ OP_ENCRYPT, "aes-128-ecb", 144, 1 },
	{ OP_ENCRYPT, "aes-128-ecb", 224, 1 },
	{ OP_ENCRYPT, "aes-128-ecb", 320, 1 },
	{ OP_SEAL, "aes-128-ccm", 52, 1 },
	{ OP_OPEN, "aes-128-ccm", 168, 1 },
	{ OP_AGREE, "p256", 0, 1 },
	{ OP_SIGN, "p256", 0, 1 },
	{ OP_VERIFY, "p256", 0, 2 },
	{ OP_HASH, "sha256", 23, 3 },
	{ OP_HASH, "sha256", 57, 1 },
	{ OP_HASH, "sha256", 384, 1 },
	{ OP_TRANSCRIPT, "sha256-aes-128", TRANSCRIPT_BYTES, 3 },
	{ OP_HASH, "sha256", 4224, 4 },
	{ OP_ENCRYPT, "aes-128-ecb", 2048, 10 },
	{ 0 },
};

struct operation mix_operation(const struct mix_part *part)
{
	return (struct operation){ .op = part->op,
				   .algorithm = algorithm_by_name(part->algorithm),
				   .bytes = part->bytes };
}

double mix_sum_s(const double ops_per_s[MIX_PARTS])
{
	double sum = 0;

	for (int i = 0; i < MIX_PARTS; i++)
		sum += mix_parts[i].weight / ops_per_s[i];
	return sum;
}

double mix_score(double sum_s)
{
	return SCALE / sum_s;
}

int mix_want(struct speed_book *b, const struct engine_ops *engine)
{
	for (const struct mix_part *part = mix_parts; part->algorithm; part++) {
		struct operation what = mix_operation(part);

		if (speed_book_want(b, engine, &what))
			return -1;
	}
	return 0;
}

int mix_of(const struct speed_book *b, const struct engine_ops *engine, struct mix *m,
	   struct fail *f)
{
	double ops_per_s[MIX_PARTS], ops_per_cpu_s[MIX_PARTS];

	for (int i = 0; i < MIX_PARTS; i++) {
		struct operation what = mix_operation(&mix_parts[i]);
		const struct speed_figure *figure = speed_book_find(b, engine, &what);
		char text[OPERATION_TEXT_BYTES];

		if (!figure || !figure->measured)
			return fail_set(f, ENOTSUP, "%s: no handshake-mix score without %s",
					engine->name, operation_format(&what, text));
		ops_per_s[i] = speed_ops_per_s(figure);
		ops_per_cpu_s[i] = 1e6 / speed_cpu_us_per_op(figure);
		m->part_s[i] = mix_parts[i].weight / ops_per_s[i];
	}
	m->sum_s = mix_sum_s(ops_per_s);
	m->score = mix_score(m->sum_s);
	m->cpu_score = mix_score(mix_sum_s(ops_per_cpu_s));
	return 0;
}
