/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_lost_test - lost nodes, signals, and campaigns that are taken up again.
 */
#include "testbed/runner_bench.h"

static void expect_one_lost(struct bench *b, enum fake_fault fault)
{
	b->fake.fault = fault;
	b->fake.fault_at = 5;
	run_to_end(b);
	expect_stored(b, CELLS * BLOCKS, CELLS * BLOCKS, "");
	assert_int_equal(b->fake.restarts, 1);
	assert_int_equal(b->fake.trials, CELLS * BLOCKS + 1);
}

static void test_lost_server(void **state)
{
	expect_one_lost(*state, FAKE_LOSES_SERVER);
}

static void test_lost_client(void **state)
{
	expect_one_lost(*state, FAKE_LOSES_CLIENT);
}

/* Take up what an earlier runner left, as another process would. */
static void resume(struct bench *b)
{
	struct fail f = { 0 };
	int64_t id;

	detach(b);
	b->fake.signals = 0;
	b->fake.fault = FAKE_NONE;
	b->fake.signal_at_trial = -1;
	attach(b);
	id = store_unfinished_campaign(b->runner.store, buf_text(&b->plan.text), &f);
	assert_int_equal(id, b->campaign);
	assert_int_equal(runner_greet(&b->runner, &f), 0);
	assert_int_equal(runner_resume(&b->runner, id, &f), 0);
	run_to_end(b);
}

static void test_lost_twice(void **state)
{
	struct bench *b = *state;
	struct fail f = { 0 };

	b->fake.fault = FAKE_LOSES_CLIENT;
	b->fake.fault_at = 5;
	b->fake.fault_times = 2;
	assert_int_equal(runner_run(&b->runner, &f), -1);
	assert_non_null(strstr(f.text, "lost twice in one trial"));
	expect_stored(b, 5, 5, "");
	resume(b);
	expect_stored(b, CELLS * BLOCKS, CELLS * BLOCKS, "");
	assert_int_equal(b->runner.valid, CELLS * BLOCKS - 5);
}

static void test_one_signal(void **state)
{
	struct bench *b = *state;

	b->fake.signal_at_trial = 4;
	b->fake.signal_count = 1;
	run_to_end(b);
	assert_true(b->runner.interrupted);
	expect_stored(b, 5, 5, ""); /* the one in flight was finished */
	resume(b);
	assert_false(b->runner.interrupted);
	expect_stored(b, CELLS * BLOCKS, CELLS * BLOCKS, "");
	assert_int_equal(b->fake.trials, CELLS * BLOCKS);
}

static void test_two_signals(void **state)
{
	struct bench *b = *state;
	struct fail f = { 0 };

	b->fake.signal_at_trial = 4;
	b->fake.signal_count = 2;
	assert_int_equal(runner_run(&b->runner, &f), -1);
	assert_int_equal(f.code, EINTR);
	expect_stored(b, 4, 4, "");
	resume(b);
	expect_stored(b, CELLS * BLOCKS, CELLS * BLOCKS, "");
}

/* A signal came, and the load does not end: it is not waited for as long as it might be. */
static void test_signal_while_the_load_hangs(void **state)
{
	struct bench *b = *state;
	struct fail f = { 0 };
	int64_t from_ns = b->fake.now_ns;

	b->plan.times.overtime_ns = 3600 * S;
	b->fake.fault = FAKE_NEVER_CLOSES;
	b->fake.fault_at = 0;
	b->fake.signal_at_trial = 0;
	b->fake.signal_count = 1;
	assert_int_equal(runner_run(&b->runner, &f), -1);
	assert_int_equal(f.code, EINTR);
	assert_non_null(strstr(f.text, "did not end in time"));
	assert_true(b->fake.now_ns - from_ns < (10 + 60 + 30 + 600 + 60) * S);
	expect_stored(b, 0, 0, "");
}

/* No other trial begins, on no new node. */
static void test_signal_and_a_lost_node(void **state)
{
	struct bench *b = *state;

	b->fake.fault = FAKE_LOSES_SERVER;
	b->fake.fault_at = 4;
	b->fake.signal_at_trial = 4;
	b->fake.signal_count = 1;
	run_to_end(b);
	assert_true(b->runner.interrupted);
	assert_int_equal(b->fake.restarts, 0);
	expect_stored(b, 4, 4, "");
}

static void compare_silence(struct bench *b, int64_t overtime_ns, int64_t count, int64_t want_ns)
{
	struct fail f = { 0 };

	b->plan.times.overtime_ns = overtime_ns;
	b->plan.times.count = count;
	b->fake.signal_at_trial = b->fake.trials;
	b->fake.signal_count = 1;
	b->fake.signals = 0;
	runner_run(&b->runner, &f); /* one trial, however it ends */
	assert_int_equal(b->fake.silence_ns, want_ns);
}

/* What a node may be silent for follows the overtime, and that of a count only so far. */
static void test_silence_follows_the_overtime(void **state)
{
	struct bench *b = *state;

	compare_silence(b, 2 * S, 0, 7 * S);
	compare_silence(b, 100 * S, 0, 105 * S);
	compare_silence(b, 600 * S, 1000, 35 * S);
	compare_silence(b, 3 * S, 1000, 8 * S);
}

/* A server's node makes the client's key, however short the overtime is. */
static void test_a_key_may_take_its_time(void **state)
{
	struct bench *b = *state;

	compare_silence(b, 2 * S, 0, 7 * S);
	assert_true(b->fake.longest_silence_ns < 70 * S);
	for (int i = 0; i < b->plan.cells; i++)
		b->plan.cell[i].setting[setting_index("mutual")] = "true";
	compare_silence(b, 2 * S, 0, 7 * S);
	assert_int_equal(b->fake.longest_silence_ns, 70 * S);
}

static void test_resume_needs_the_same(void **state)
{
	struct bench *b = *state;
	struct fail f = { 0 };
	json_t *now = runner_options(&b->plan, "a,b");
	char *stored = json_dumps(now, 0);

	assert_int_equal(runner_same_options(stored, now, &f), 0);
	json_object_set_new(now, "measure_ns", json_integer(1));
	assert_int_equal(runner_same_options(stored, now, &f), -1);
	assert_non_null(strstr(f.text, "measure_ns"));
	free(stored);
	json_decref(now);
	f = (struct fail){ 0 };
	snprintf(b->runner.node[RUNNER_SERVER].engines, 32, "{\"null\":\"newer\"}");
	free(b->runner.cell_id);
	assert_int_equal(runner_resume(&b->runner, b->campaign, &f), -1);
	assert_non_null(strstr(f.text, "the server node is not what it was"));
}

static void test_version_mismatch(void **state)
{
	struct bench *b = *state;
	struct fail f = { 0 };

	b->fake.version = "0.0.9";
	assert_int_equal(runner_greet(&b->runner, &f), -1);
	assert_non_null(strstr(f.text, "0.0.9"));
	assert_non_null(strstr(f.text, cipherwatt_version));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH(test_lost_server),
		BENCH(test_lost_client),
		BENCH(test_lost_twice),
		BENCH(test_one_signal),
		BENCH(test_two_signals),
		BENCH(test_signal_while_the_load_hangs),
		BENCH(test_signal_and_a_lost_node),
		BENCH(test_silence_follows_the_overtime),
		BENCH(test_a_key_may_take_its_time),
		BENCH(test_resume_needs_the_same),
		BENCH(test_version_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
