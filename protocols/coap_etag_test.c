/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_etag_test - the name of a body that goes in blocks: another body has another one, and
 * finding it does not cost the whole body again for each block.
 */
#include <time.h>

#include "protocols/coap_layer.h"
#include "protocols/coap_one.h"

#define LONG_BYTES (1 << 20)

static uint8_t long_body[LONG_BYTES];
static int64_t spent_ns; /* by the endpoint, on answers */

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* With bodies that are kept, or are too long for it. */
static void begin(struct one *o, bool kept)
{
	for (size_t i = 0; i < sizeof long_body; i++)
		long_body[i] = (uint8_t)(i * 7 + i / 1000);
	one_params(o);
	o->params.answer_bytes = kept ? LONG_BYTES : LONG_BYTES - 1;
	one_open(o, APP_SERVER);
	o->answer.body = long_body;
	o->answer.body_bytes = sizeof long_body;
}

/* The block is what it should be; its ETag. */
static uint64_t fetch(struct one *o, uint16_t id, uint32_t number)
{
	struct coap_block b = { .present = true, .szx = 6, .number = number };
	uint8_t bytes[64];
	struct coap_writer w = { .dst = bytes, .cap = sizeof bytes };
	struct coap_fields f;
	uint64_t etag;

	coap_write_head(&w, COAP_CON, COAP_GET, id, NULL, 0);
	coap_write_uint(&w, COAP_BLOCK2, coap_block_value(&b));
	spent_ns -= cpu_ns();
	one_feed_bytes(o, bytes, w.len);
	spent_ns += cpu_ns();
	one_check(o, NULL, NULL);
	f = one_fields(o);
	assert_int_equal(o->last.code, COAP_CONTENT);
	assert_int_equal(f.block2.number, number);
	assert_int_equal(o->last.payload_bytes, 1024);
	assert_memory_equal(o->last.payload, long_body + (size_t)number * 1024, 1024);
	assert_int_equal(f.etag_bytes, sizeof etag);
	memcpy(&etag, f.etag, sizeof etag);
	return etag;
}

/* Against the work of reading it 1,024 times. */
static void a_block_costs_no_whole_body(void **state)
{
	(void)state;
	for (int kept = 0; kept < 2; kept++) {
		struct one o;
		uint64_t etag, sum = 0;
		int64_t hashed_ns;

		begin(&o, kept);
		spent_ns = 0;
		etag = fetch(&o, 0, 0);
		for (uint16_t i = 1; i < LONG_BYTES / 1024; i++)
			assert_int_equal(fetch(&o, i, i), etag);
		hashed_ns = -cpu_ns();
		for (int i = 0; i < 256; i++)
			sum += coap_hash(long_body + i, sizeof long_body - 256);
		hashed_ns += cpu_ns();
		assert_true(sum != 0);
		if (spent_ns > hashed_ns)
			fail_msg("%d ms for 1,024 blocks; %d ms to read all of it 256 times",
				 (int)(spent_ns / 1000000), (int)(hashed_ns / 1000000));
		one_close(&o);
	}
}

/* Of a body that is not kept: what comes under one name is of one body. */
static void another_body_has_another_name(void **state)
{
	struct one o;
	uint64_t etag, other;

	(void)state;
	begin(&o, false);
	etag = fetch(&o, 1, 0);
	assert_int_equal(fetch(&o, 2, 1), etag);
	long_body[3 * 1024 + 1023] ^= 1;
	assert_int_equal(fetch(&o, 3, 2), etag);
	other = fetch(&o, 4, 3);
	assert_true(other != etag);
	assert_int_equal(fetch(&o, 5, 4), other);
	/* The first block has the name of the body as it is. */
	long_body[LONG_BYTES - 1] ^= 1;
	assert_int_equal(fetch(&o, 6, 5), other);
	etag = fetch(&o, 7, 0);
	assert_true(etag != other);
	assert_int_equal(fetch(&o, 8, 5), etag);
	/* Another length, and the same pieces. */
	o.answer.body_bytes -= 1024;
	o.e.params.answer_bytes = 1024;
	assert_true(fetch(&o, 9, 5) != etag);
	one_close(&o);
}

/* Kept or not, in the middle or from the beginning: one body, one name. */
static void one_body_has_one_name(void **state)
{
	uint64_t etag = 0;

	(void)state;
	for (int kept = 0; kept < 2; kept++) {
		struct one o;

		begin(&o, kept);
		for (uint16_t i = 0; i < 4; i++) {
			uint64_t now = fetch(&o, i, i ^ 2);

			etag = etag ? etag : now;
			assert_int_equal(now, etag);
		}
		one_close(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_costs_no_whole_body),
		cmocka_unit_test(another_body_has_another_name),
		cmocka_unit_test(one_body_has_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
