/* SPDX-License-Identifier: Apache-2.0 */
/* Associations over real sockets: much data, many in a row, batches of records, a full socket. */
#include "ciphers/assoc_test.h"

static uint8_t bulk[BULK_BYTES];

static void check_bulk(const struct engine_ops *c, const struct engine_ops *s,
		       const struct suite *suite)
{
	static const struct {
		size_t record_bytes;
		int records;
	} sizes[] = { { 0, 1 }, { 0, 4 }, { 1400, 1 }, { 1400, 12 }, { 100, 3 } };
	struct pair p;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t len = sizes[i].record_bytes == 100 ? BULK_BYTES / 20 : BULK_BYTES;

		pair_open(&p, c, s, suite, sizes[i].record_bytes, sizes[i].records);
		pair_shake(&p);
		pair_send(&p, CLIENT, bulk, 100);
		pair_send(&p, SERVER, bulk, len);
		assert_true(p.end[SERVER].bytes_sent >= (int64_t)len);
		assert_int_equal(p.end[SERVER].bytes_sent, p.end[CLIENT].bytes_received);
		assert_int_equal(p.end[CLIENT].bytes_sent, p.end[SERVER].bytes_received);
		pair_close(&p);
	}
}

static void test_bulk(void **state)
{
	(void)state;
	each_kind(check_bulk);
}

/* The wires are used again and again. */
static void check_many(const struct engine_ops *c, const struct engine_ops *s,
		       const struct suite *suite)
{
	struct pair p;

	pair_open(&p, c, s, suite, 0, 1);
	for (int i = 0; i < 20; i++) {
		pair_shake(&p);
		pair_send(&p, i & 1, bulk, 1000);
		pair_disconnect(&p);
		pair_connect(&p);
	}
	pair_close(&p);
}

static void test_many_associations_in_one_struct(void **state)
{
	(void)state;
	each_kind(check_many);
}

/* A batch leaves when its last record is followed by another, or when flushed. */
static void check_batches(const struct engine_ops *c, const struct engine_ops *s,
			  const struct suite *suite)
{
	struct pair p;
	int64_t before;
	size_t n;

	pair_open(&p, c, s, suite, 1000, 4);
	pair_shake(&p);
	before = p.end[SERVER].bytes_sent;
	assert_int_equal(assoc_socket_write(&p.end[SERVER], bulk, 4000, &n), STEP_DONE);
	assert_int_equal(n, 4000);
	assert_int_equal(p.end[SERVER].bytes_sent, before);
	assert_int_equal(assoc_socket_write(&p.end[SERVER], bulk, 1, &n), STEP_DONE);
	assert_in_range(p.end[SERVER].bytes_sent - before, 4000, 4400);
	assert_int_equal(assoc_socket_flush(&p.end[SERVER]), STEP_DONE);
	assert_in_range(p.end[SERVER].bytes_sent - before, 4001, 4500);
	pair_close(&p);
}

static void test_batches_of_records(void **state)
{
	(void)state;
	each_kind(check_batches);
}

/* A socket that takes nothing more: wait for it, lose nothing. */
static void check_full_socket(const struct engine_ops *c, const struct engine_ops *s,
			      const struct suite *suite)
{
	struct pair p;
	size_t put = 0, have = 0, n;
	uint8_t got[30000];

	pair_open(&p, c, s, suite, 0, 2);
	pair_shake(&p);
	for (int i = 0; i < IDLE_MAX && !p.end[SERVER].stuck; i++) {
		assoc_socket_write(&p.end[SERVER], bulk + put, BULK_BYTES - put, &n);
		put += n;
	}
	assert_true(p.end[SERVER].stuck);
	assert_int_equal(assoc_socket_write(&p.end[SERVER], bulk + put, BULK_BYTES - put, &n),
			 STEP_OUT);
	assert_int_equal(assoc_socket_flush(&p.end[SERVER]), STEP_OUT);
	while (have < put) {
		while (assoc_socket_read(&p.end[CLIENT], got, sizeof(got), &n) == STEP_DONE) {
			assert_memory_equal(got, bulk + have, n);
			have += n;
		}
		assert_int_not_equal(assoc_socket_flush(&p.end[SERVER]), STEP_FAILED);
	}
	assert_false(p.end[SERVER].stuck);
	pair_close(&p);
}

static void test_a_full_socket(void **state)
{
	(void)state;
	each_kind(check_full_socket);
}

/* One pair of wires for all: each end has them while it works, and only then. */
static void check_lent(const struct engine_ops *c, const struct engine_ops *s,
		       const struct suite *suite)
{
	struct assoc_wires spare, one;
	struct pair p;
	size_t n;

	pair_open(&p, c, s, suite, 1000, 4);
	pair_shake(&p);
	pair_send(&p, CLIENT, bulk, 100);
	assert_true(assoc_socket_return(&p.end[SERVER], &spare));
	assert_null(p.end[SERVER].assoc.in.base);
	assert_int_equal(assoc_wires_init(&one, 1000, 4), 0);
	assert_int_equal(one.in.cap, spare.in.cap);
	assert_int_equal(one.out.cap, spare.out.cap);
	assoc_wires_release(&spare);
	assoc_socket_lend(&p.end[SERVER], &one);
	assert_null(one.in.base);
	pair_send(&p, CLIENT, bulk, 3000);
	pair_send(&p, SERVER, bulk, 3000);
	/* What was sealed and not sent is not taken away. */
	assert_int_equal(assoc_socket_write(&p.end[SERVER], bulk, 1000, &n), STEP_DONE);
	assert_false(assoc_socket_return(&p.end[SERVER], &one));
	assert_int_equal(assoc_socket_flush(&p.end[SERVER]), STEP_DONE);
	assert_true(assoc_socket_return(&p.end[SERVER], &one));
	assoc_wires_release(&one);
	/* Closing needs none. */
	pair_close(&p);
}

static void test_lent_wires(void **state)
{
	(void)state;
	each_kind(check_lent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bulk),
		cmocka_unit_test(test_many_associations_in_one_struct),
		cmocka_unit_test(test_batches_of_records),
		cmocka_unit_test(test_a_full_socket),
		cmocka_unit_test(test_lent_wires),
	};

	for (size_t i = 0; i < sizeof(bulk); i++)
		bulk[i] = (uint8_t)(i * 2654435761u >> 16);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
