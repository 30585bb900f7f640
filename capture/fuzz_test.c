/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_test - ten thousand damaged captures: none may crash, leak, hang or give a duration
 * below zero. The seed is printed. Starts from the shared captures where they are, else from one
 * that is built here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "capture/report.h"
#include "capture/timeline.h"
#include "lib/path.h"
#include "lib/testing.h"

#define ROUNDS      10000
#define SEEDS_MAX   64
#define SEED_BYTES  16384 /* larger captures would make the rounds long, not better */
#define CHANGES_MAX 12

struct corpus {
	struct buf seed[SEEDS_MAX];
	int count;
};

struct seen {
	uint64_t connections;
	FILE *out;
};

/* One SYN and one ClientHello record of a few bytes over raw IPv4, as pcap. */
static void build_seed(struct buf *b)
{
	static const uint8_t file_header[24] = { 0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0,  0,
						 0,    0,    0,    0,    0, 0, 0, 4, 0, 101 };
	static const uint8_t record[16] = { 1, 0, 0, 0, 2, 0, 0, 0, 54, 0, 0, 0, 54, 0, 0, 0 };
	static const uint8_t packet[54] = { 0x45, 0,    0, 54, 0, 0,  0, 0,  64, 6,    0,
					    0,    10,   0, 0,  1, 10, 0, 0,  2,  0x80, 0,
					    1,    0xbb, 0, 0,  0, 1,  0, 0,  0,  0,    0x50,
					    0x18, 0,    0, 0,  0, 0,  0, 22, 3,  1,    0,
					    9,    1,    0, 0,  5, 3,  3, 1,  2,  3 };

	buf_put(b, file_header, sizeof(file_header));
	for (int i = 0; i < 4; i++) {
		buf_put(b, record, sizeof(record));
		buf_put(b, packet, sizeof(packet));
	}
}

static void load_corpus(struct corpus *c)
{
	const char *shared = getenv("CIPHERWATT_SHARED");
	char pattern[PATH_BYTES];
	struct fail f = { 0 };
	glob_t found;

	build_seed(&c->seed[c->count++]);
	snprintf(pattern, sizeof(pattern), "%s/data/pcap/*.pcap*", shared ? shared : "../shared");
	if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc && c->count < SEEDS_MAX; i++)
			if (!path_read(found.gl_pathv[i], SEED_BYTES, &c->seed[c->count], &f))
				c->count++;
		globfree(&found);
	}
	printf("%d captures to begin with\n", c->count);
}

static void closed(void *data, const struct connection *c)
{
	struct seen *s = data;
	struct report r = { .out = s->out, .coap = s->out, .file = "-" };
	struct shares shares = connection_shares(c);

	s->connections++;
	assert_true(connection_handshake_ns(c) >= TIME_NONE);
	if (connection_handshake_ns(c) != TIME_NONE)
		assert_true(shares.client_ns >= 0 && shares.server_ns >= 0);
	assert_true(c->message_count <= MESSAGES_MAX);
	report_text.connection(&r, c);
	report_csv.connection(&r, c);
	if (!(s->connections % 16))
		report_json.connection(&r, c);
}

static void mutate(struct rng *rng, struct buf *b)
{
	static const uint8_t telling[] = { 0, 1, 0x7f, 0x80, 0xff, 20, 22, 23 };
	int changes = 1 + (int)rng_below(rng, CHANGES_MAX);

	for (int i = 0; i < changes; i++) {
		size_t at = rng_below(rng, b->len);
		uint8_t *p = (uint8_t *)b->data + at;
		size_t len = rng_below(rng, b->len - at) % 128;

		switch (rng_below(rng, 5)) {
		case 0:
			*p ^= (uint8_t)(1u << rng_below(rng, 8));
			break;
		case 1:
			*p = telling[rng_below(rng, sizeof(telling))];
			break;
		case 2:
			memmove(b->data + rng_below(rng, b->len - len), p, len);
			break;
		case 3:
			*p = (uint8_t)rng_next(rng);
			break;
		default:
			if (!rng_below(rng, 4) && at)
				b->len = at;
			break;
		}
	}
}

/* A copy of its exact size, so that a read beyond it is seen. */
static void read_mutant(struct timeline *t, const struct buf *b, struct seen *seen)
{
	void *copy = malloc(b->len);
	struct capture_file file;
	FILE *in;

	assert_non_null(copy);
	memcpy(copy, b->data, b->len);
	in = fmemopen(copy, b->len, "r");
	assert_non_null(in);
	timeline_init(t, closed, seen);
	if (!capture_file_init(&file, in))
		timeline_read(t, &file);
	else
		assert_true(file.fail.text[0] != '\0');
	capture_file_release(&file);
	fclose(in);
	free(copy);
	assert_int_equal(t->table.count, 0);
	assert_int_equal(t->table.waiting_bytes, 0);
}

static void test_damaged_captures(void **state)
{
	struct rng rng = testing_rng("fuzz_test");
	struct timeline *t = calloc(1, sizeof(*t));
	struct corpus *corpus = calloc(1, sizeof(*corpus));
	struct seen seen = { .out = fopen("/dev/null", "w") };

	(void)state;
	assert_non_null(t);
	assert_non_null(corpus);
	assert_non_null(seen.out);
	load_corpus(corpus);
	for (int i = 0; i < ROUNDS; i++) {
		const struct buf *from = &corpus->seed[rng_below(&rng, (uint64_t)corpus->count)];
		struct buf b = { 0 };

		buf_put(&b, from->data, from->len);
		mutate(&rng, &b);
		read_mutant(t, &b, &seen);
		buf_release(&b);
	}
	assert_true(seen.connections > ROUNDS / 8);
	for (int i = 0; i < corpus->count; i++)
		buf_release(&corpus->seed[i]);
	fclose(seen.out);
	free(corpus);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_damaged_captures) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
