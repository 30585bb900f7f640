/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_table - what a bench of messages found, as tables and as JSON, with the study's
 * own figures: WSS4J on an Athlon64 3000, Java 1.4.2, RSA with SHA-1 and 3DES, its
 * scenario 3. What its milliseconds are of is another machine; the shares can be compared.
 */
#include "workloads/message_bench.h"

#include "lib/clock.h"
#include "lib/table.h"

#define CELL_BYTES 32

const struct message_study message_study[MESSAGE_GROUPS] = {
	[MESSAGE_GROUP_SIGN] = { "sign", 27, 28 },
	[MESSAGE_GROUP_ENCRYPT] = { "encrypt", 5, 6 },
	[MESSAGE_GROUP_SEND_REST] = { "rest of sending", 1, 3 },
	[MESSAGE_GROUP_VERIFY] = { "verify", 5, 6 },
	[MESSAGE_GROUP_DECRYPT] = { "decrypt", 24, 26 },
	[MESSAGE_GROUP_TRUST] = { "trust, timestamp, header", 4, 5 },
	[MESSAGE_GROUP_READ_REST] = { "rest of reading", 6, 10 },
};

static const bool group_crypto[MESSAGE_GROUPS] = { [MESSAGE_GROUP_SIGN] = true,
						   [MESSAGE_GROUP_ENCRYPT] = true,
						   [MESSAGE_GROUP_VERIFY] = true,
						   [MESSAGE_GROUP_DECRYPT] = true };

static double us(int64_t ns)
{
	return (double)ns / NS_PER_US;
}

static double middle_ms(int group)
{
	return (message_study[group].low_ms + message_study[group].high_ms) / 2;
}

static double study_share(int group)
{
	double all_ms = 0;

	for (int i = 0; i < MESSAGE_GROUPS; i++)
		all_ms += middle_ms(i);
	return middle_ms(group) / all_ms;
}

static double share(const struct message_direction *d, const struct hist *h)
{
	double all_ns = d->send.sum_ns + d->read.sum_ns;

	return all_ns > 0 ? h->sum_ns / all_ns : 0;
}

/* --- text ----------------------------------------------------------------------------- */

static void add_row(struct table *t, const char *name, const struct message_direction *d,
		    const struct hist *h, const char *mark)
{
	char median[CELL_BYTES], spread[CELL_BYTES], part[CELL_BYTES];

	snprintf(median, sizeof median, "%.1f", us(hist_quantile(h, 0.5)));
	snprintf(spread, sizeof spread, "%.1f-%.1f", us(hist_quantile(h, 0.05)),
		 us(hist_quantile(h, 0.95)));
	snprintf(part, sizeof part, "%.1f", 100 * share(d, h));
	table_row(t, (const char *const[]){ name, median, spread, part, mark, NULL });
}

static void print_stages(const struct message_direction *d, const char *sends, const char *reads,
			 FILE *out)
{
	struct table t;

	if (table_init(&t, (const char *const[]){ "stage", ">median us", ">p5-p95 us", ">share %",
						  "", NULL }))
		return;
	add_row(&t, sends, d, &d->send, "");
	for (int i = 0; i < MESSAGE_STAGES; i++) {
		const struct message_stage_row *row = &message_stage_rows[i];
		char label[64];

		if (i == MESSAGE_SEND_REST + 1)
			add_row(&t, reads, d, &d->read, "");
		snprintf(label, sizeof label, "  %s", row->label);
		if (d->sum.ns[i])
			add_row(&t, label, d, &d->stage[i], row->crypto ? "cryptography" : "");
	}
	table_print(&t, out);
	table_release(&t);
}

static void print_study(const struct message_bench *b, FILE *out)
{
	struct table t;
	double ours = 0, theirs = 0;

	if (table_init(&t,
		       (const char *const[]){ "request, in the study's parts", ">median ms",
					      ">share %", ">study ms", ">study share %", NULL }))
		return;
	for (int i = 0; i < MESSAGE_GROUPS; i++) {
		const struct hist *h = &b->request.group[i];
		char median[CELL_BYTES], part[CELL_BYTES], ms[CELL_BYTES], study[CELL_BYTES];

		snprintf(median, sizeof median, "%.3f", us(hist_quantile(h, 0.5)) / 1000);
		snprintf(part, sizeof part, "%.1f", 100 * share(&b->request, h));
		snprintf(ms, sizeof ms, "%.0f-%.0f", message_study[i].low_ms,
			 message_study[i].high_ms);
		snprintf(study, sizeof study, "%.1f", 100 * study_share(i));
		table_row(&t, (const char *const[]){ message_study[i].name, median, part, ms, study,
						     NULL });
		ours += group_crypto[i] ? share(&b->request, h) : 0;
		theirs += group_crypto[i] ? study_share(i) : 0;
	}
	table_print(&t, out);
	table_release(&t);
	fprintf(out, "sign, encrypt, verify and decrypt: %.1f %%; in the study %.1f %%\n",
		100 * ours, 100 * theirs);
}

/* The study: 60 to 65 % of decrypting was the private key. */
static void print_private_key(const struct message_bench *b, FILE *out)
{
	const struct message_stages *s = &b->request.sum;
	int64_t all_ns = s->ns[MESSAGE_DECRYPT_KEY] + s->ns[MESSAGE_DECRYPT_DATA];

	if (s->ns[MESSAGE_DECRYPT_KEY])
		fprintf(out,
			"the private key's share of decrypting: %.1f %%; in the study 60-65 %%\n",
			100.0 * (double)s->ns[MESSAGE_DECRYPT_KEY] / (double)all_ns);
}

void message_bench_print(const struct message_bench *b, FILE *out)
{
	fprintf(out,
		"profile %s, text of %lld bytes, %lld pairs behind one to warm up\n"
		"a request has %lld bytes, an answer %lld\n\n",
		b->profile, (long long)b->payload_bytes, (long long)b->pairs,
		(long long)b->request.bytes, (long long)b->response.bytes);
	fputs("request\n", out);
	print_stages(&b->request, "client secures", "server reads", out);
	fputs("\nanswer\n", out);
	print_stages(&b->response, "server secures", "client reads", out);
	fputs("\n", out);
	print_study(b, out);
	print_private_key(b, out);
	fprintf(out, "cryptography alone: %.1f %% of a request, %.1f %% of an answer\n",
		100 * message_stages_crypto(&b->request.sum),
		100 * message_stages_crypto(&b->response.sum));
	fprintf(out, "a pair: %.3f ms (median); the first %.3f ms\n",
		us(hist_quantile(&b->pair, 0.5)) / 1000, us(b->warm_up_ns) / 1000);
}

void message_bench_print_ratio(const struct message_bench *b, const struct message_bench *token,
			       FILE *out)
{
	fprintf(out,
		"that is %.1f times a pair with a username token; in the study, with HTTP and Axis "
		"in both, 8.2-9.5 times\n",
		(double)hist_quantile(&b->pair, 0.5) / (double)hist_quantile(&token->pair, 0.5));
}

/* --- JSON ----------------------------------------------------------------------------- */

static json_t *figures(const struct hist *h)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:I}", "median", us(hist_quantile(h, 0.5)), "p5",
			 us(hist_quantile(h, 0.05)), "p95", us(hist_quantile(h, 0.95)), "mean",
			 hist_mean(h) / NS_PER_US, "n", (json_int_t)h->count);
}

static json_t *direction_json(const struct message_direction *d)
{
	json_t *stages = json_object();

	for (int i = 0; i < MESSAGE_STAGES; i++)
		json_object_set_new(stages, message_stage_rows[i].name, figures(&d->stage[i]));
	return json_pack("{s:I, s:o, s:o, s:o, s:f}", "bytes", (json_int_t)d->bytes, "send_us",
			 figures(&d->send), "read_us", figures(&d->read), "stages_us", stages,
			 "crypto_share", message_stages_crypto(&d->sum));
}

json_t *message_bench_json(const struct message_bench *b)
{
	return json_pack("{s:s, s:s, s:I, s:I, s:f, s:o, s:o, s:o}", "schema", "cipherwatt/1",
			 "profile", b->profile, "payload_bytes", (json_int_t)b->payload_bytes,
			 "pairs", (json_int_t)b->pairs, "warm_up_us", us(b->warm_up_ns), "pair_us",
			 figures(&b->pair), "request", direction_json(&b->request), "response",
			 direction_json(&b->response));
}
