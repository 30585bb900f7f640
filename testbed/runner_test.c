/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_test - campaigns of hours in milliseconds: what is stored is compared with what the
 * simulated nodes did, and every way to lose a trial is taken once.
 */
#include "testbed/runner_bench.h"

static void assert_near(double got, double want, double share)
{
	if (got < want * (1 - share) || got > want * (1 + share))
		fail_msg("%g instead of %g", got, want);
}

/* The truth of runner_fake.h: 3 W under load, 1 W idle, clocks 5077 s apart. */
static void compare(struct bench *b, const struct trial *t)
{
	const struct side *s = &t->server;

	(void)b;
	assert_int_equal(t->window_ns, 600 * S);
	assert_int_equal(t->requests_succeeded, 600 * FAKE_RATE);
	assert_int_equal(t->requests_completed, 600 * FAKE_RATE - 3);
	assert_int_equal(t->reconnects, 4);
	assert_int_equal(t->handshakes_full, 600 * FAKE_RATE);
	assert_int_equal(t->server_handshakes_full, 600 * FAKE_RATE + 50);
	assert_int_equal(s->cpu_ns, 300 * S);
	assert_int_equal(s->rss_peak_kib, 8192);
	assert_int_equal(t->client.rss_peak_kib, 4096);
	assert_near(t->client_busy, 0.25, 1e-9);
	assert_int_equal(t->lateness_max_ns, 12500);
	assert_int_equal(t->response.count, 600 * FAKE_RATE);
	assert_near((double)hist_quantile(&t->service, 0.5), 1e6, 0.001);
	assert_string_equal(s->energy_source, "synthetic");
	assert_string_equal(s->energy_basis, "two levels");
	assert_near((double)s->gross_nj, 3.0 * 600 * 1e9, 1e-3);
	/* The last busy sample holds for up to 100 ms of the idle behind the window, uncounted. */
	assert_near((double)s->idle_before_nw, 1e9, 1e-6);
	assert_near((double)s->idle_after_nw, 1e9, 1e-6);
	assert_near((double)s->idle_nj, 1.0 * 600 * 1e9, 1e-6);
	assert_near((double)s->net_nj, 2.0 * 600 * 1e9, 1e-6 + 1e-4);
	assert_near((double)t->client.gross_nj, 3.0 * 600 * 1e9, 1e-3);
	assert_true(s->coverage > 0.999);
}

/* The exchange is lopsided by 200 us, so the estimate is off by 100: inside what it says. */
static void compare_clocks(struct bench *b, const struct trial *t)
{
	int64_t truth_ns = b->fake.offset_ns[RUNNER_SERVER] - b->fake.offset_ns[RUNNER_CLIENT];

	assert_true(llabs(t->clock_offset_ns - truth_ns) <= t->clock_uncertainty_ns);
	assert_in_range(t->clock_uncertainty_ns, 1, NS_PER_MS);
	/* 2 x 0.4 ms x 2 W / sqrt(3) is the most that it adds to 1800 J. */
	assert_true(t->server.instrument_pct > 0 && t->server.instrument_pct < 1e-4);
}

static void test_whole_campaign(void **state)
{
	struct bench *b = *state;

	run_to_end(b);
	expect_stored(b, CELLS * BLOCKS, CELLS * BLOCKS, "");
	tally(b, compare);
	tally(b, compare_clocks);
	assert_int_equal(b->runner.valid, CELLS * BLOCKS);
	assert_int_equal(b->fake.loads, CELLS * BLOCKS);
	assert_true(b->fake.now_ns - CLOCK_0 > CELLS * BLOCKS * 770 * S); /* hours */
}

static void compare_local(struct bench *b, const struct trial *t)
{
	(void)b;
	assert_int_equal(t->clock_offset_ns, 0);
	assert_int_equal(t->clock_uncertainty_ns, 0);
}

static void test_local_nodes_share_a_clock(void **state)
{
	struct bench *b = *state;
	struct fail f = { 0 };

	b->fake.local = true;
	b->fake.offset_ns[RUNNER_SERVER] = b->fake.offset_ns[RUNNER_CLIENT] = 0;
	assert_int_equal(runner_greet(&b->runner, &f), 0);
	run_to_end(b);
	tally(b, compare_local);
	tally(b, compare);
}

static void test_unavailable_cell(void **state)
{
	struct bench *b = *state;

	b->plan.cell[1].unavailable = strdup("not built in");
	run_to_end(b);
	expect_stored(b, (CELLS - 1) * BLOCKS, (CELLS - 1) * BLOCKS, "");
}

/* --- one bad trial, and the campaign goes on ---------------------------------- */

static void expect_one_bad(struct bench *b, enum fake_fault fault, const char *reason)
{
	b->fake.fault = fault;
	b->fake.fault_at = 5;
	run_to_end(b);
	expect_stored(b, CELLS * BLOCKS, CELLS * BLOCKS - 1, reason);
	assert_int_equal(b->fake.restarts, 0);
	assert_int_equal(b->fake.stops, 2 * CELLS * BLOCKS);
}

static void test_refusal(void **state)
{
	expect_one_bad(*state, FAKE_REFUSES, "the port is taken");
}

static void test_load_fails(void **state)
{
	expect_one_bad(*state, FAKE_LOAD_FAILS, "connection refused");
}

static void test_server_ends(void **state)
{
	expect_one_bad(*state, FAKE_SERVER_ENDS, "the server ended (exit status 9)");
}

static void test_never_closes(void **state)
{
	expect_one_bad(*state, FAKE_NEVER_CLOSES, "did not end its window in time");
}

static void test_resumed_handshake(void **state)
{
	expect_one_bad(*state, FAKE_RESUMES, "resumed");
}

static void test_no_result(void **state)
{
	expect_one_bad(*state, FAKE_NO_RESULT, "no result");
}

static void test_bad_trace(void **state)
{
	expect_one_bad(*state, FAKE_BAD_TRACE, "energy");
}

static int check_limit(int64_t id, const struct trial *t, void *data)
{
	const double *expected = data;

	(void)id;
	assert_true(isnan(*expected) ? isnan(t->server.limit_us) : t->server.limit_us == *expected);
	return 0;
}

static void check_limits(struct bench *b)
{
	double expected[CELLS] = { 77, NAN, NAN };
	struct fail f = { 0 };

	for (int i = 0; i < CELLS; i++)
		assert_int_equal(store_each_trial(b->runner.store, b->runner.cell_id[i],
						  check_limit, &expected[i], &f),
				 0);
}

/* Cell a is of one suite, b of another, c makes no handshake of its own for each request. */
static void test_limits(void **state)
{
	struct bench *b = *state;
	struct plan_cell *cell = b->plan.cell;
	struct fail f = { 0 };

	for (int i = 0; i < CELLS; i++) {
		snprintf(cell[i].cell.engine, sizeof(cell[i].cell.engine), "openssl");
		snprintf(cell[i].cell.client_engine, sizeof(cell[i].cell.client_engine), "openssl");
	}
	snprintf(cell[1].cell.suite, sizeof(cell[1].cell.suite), "other");
	cell[2].mode = CONNECTION_KEEPALIVE;
	snprintf(b->plan.limits, sizeof(b->plan.limits), "off");
	assert_int_equal(runner_limits(&b->runner, &f), 0);
	assert_true(isnan(cell[0].limit_us[RUNNER_SERVER]));
	snprintf(b->plan.limits, sizeof(b->plan.limits), "on");
	assert_int_equal(runner_limits(&b->runner, &f), 0);
	assert_true(cell[0].limit_us[RUNNER_SERVER] == 77 && cell[0].limit_us[RUNNER_CLIENT] == 33);
	assert_true(isnan(cell[1].limit_us[RUNNER_SERVER]));
	assert_true(isnan(cell[2].limit_us[RUNNER_SERVER]));
	run_to_end(b);
	check_limits(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH(test_limits),
		BENCH(test_whole_campaign),
		BENCH(test_local_nodes_share_a_clock),
		BENCH(test_unavailable_cell),
		BENCH(test_refusal),
		BENCH(test_load_fails),
		BENCH(test_server_ends),
		BENCH(test_never_closes),
		BENCH(test_resumed_handshake),
		BENCH(test_no_result),
		BENCH(test_bad_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
