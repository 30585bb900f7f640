/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_test - campaigns of hours in milliseconds: what is stored is compared with what the
 * simulated nodes did, and every way to lose a trial or a node is taken once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "testbed/runner_fake.h"

#define S       NS_PER_S
#define CELLS   3
#define BLOCKS  4
#define CLOCK_0 INT64_C(1000000000000)

struct bench {
	char directory[64], path[80];
	struct plan plan;
	struct fake fake;
	struct runner runner;
	int64_t campaign;
};

static void make_plan(struct plan *p)
{
	static const char *const name[CELLS] = { "a", "b", "c" };
	struct fail f = { 0 };

	*p = (struct plan){ .name = "made-up", .seed = 7, .blocks = BLOCKS, .cells = CELLS };
	p->times = (struct phase_times){ 10 * S, 60 * S, 30 * S, 600 * S, 10 * S, 0, 60 * S };
	p->timeout_ns = S;
	p->record_bytes = 16384;
	p->records_per_send = 1;
	snprintf(p->server.meter, sizeof(p->server.meter), "fake:");
	snprintf(p->client.meter, sizeof(p->client.meter), "fake:");
	buf_puts(&p->text, "campaign: made-up\n");
	p->cell = calloc(CELLS, sizeof(*p->cell));
	for (int i = 0; i < CELLS; i++) {
		struct cell *c = &p->cell[i].cell;

		snprintf(c->suite, sizeof(c->suite), "tls");
		snprintf(c->name, sizeof(c->name), "%s", name[i]);
		snprintf(c->connection, sizeof(c->connection), "full");
		assert_int_equal(suite_parse("tls1.3:AES128-GCM-SHA256:x25519:p256",
					     &p->cell[i].suite, &f),
				 0);
	}
	assert_int_equal(plan_draw(p, &f), 0);
}

static void attach(struct bench *b)
{
	struct fail f = { 0 };

	b->runner = (struct runner){ .plan = &b->plan, .signals = &b->fake.signals };
	b->runner.world =
		(struct runner_world){ &b->fake, fake_now_ns, fake_call, fake_wait, fake_restart };
	b->runner.store = store_open(b->path, STORE_WRITE, &f);
	assert_non_null(b->runner.store);
	progress_start(&b->runner.progress, PROGRESS_NONE, CELLS * BLOCKS, 0, S, 0);
}

static int enter(void **state)
{
	static struct bench b;
	struct fail f = { 0 };

	memset(&b, 0, sizeof(b));
	make_plan(&b.plan);
	b.fake = (struct fake){ .now_ns = CLOCK_0,
				.version = cipherwatt_version,
				.plan = &b.plan,
				.fault_times = 1,
				.signal_at_trial = -1 };
	b.fake.offset_ns[RUNNER_SERVER] = 5000 * S;
	b.fake.offset_ns[RUNNER_CLIENT] = -77 * S;
	snprintf(b.directory, sizeof(b.directory), "/tmp/cipherwatt-runner-XXXXXX");
	if (!mkdtemp(b.directory))
		return -1;
	snprintf(b.path, sizeof(b.path), "%s/a.db", b.directory);
	attach(&b);
	*state = &b;
	if (runner_greet(&b.runner, &f))
		return -1;
	b.campaign = runner_begin(&b.runner, "{}", &f);
	return b.campaign > 0 ? 0 : -1;
}

static void detach(struct bench *b)
{
	store_close(b->runner.store);
	free(b->runner.cell_id);
	b->runner.store = NULL;
	b->runner.cell_id = NULL;
}

static int leave(void **state)
{
	struct bench *b = *state;

	detach(b);
	plan_release(&b->plan);
	unlink(b->path); /* its log went when it was closed */
	return rmdir(b->directory);
}

/* --- what is stored --------------------------------------------------------- */

struct tally {
	struct bench *bench;
	int cell, trials, valid;
	char reason[256]; /* the last one */
	void (*look)(struct bench *b, const struct trial *t);
};

static int count_trial(int64_t id, const struct trial *t, void *data)
{
	struct tally *x = data;
	int place = (int)t->block * CELLS + (int)t->position;

	(void)id;
	assert_int_equal(x->bench->plan.order[place], x->cell); /* where the plan had it */
	x->trials++;
	x->valid += t->valid;
	if (!t->valid)
		snprintf(x->reason, sizeof(x->reason), "%s", t->reason);
	else if (t->reason[0])
		fail_msg("a valid trial has the reason %s", t->reason);
	if (x->look && t->valid)
		x->look(x->bench, t);
	return 0;
}

static struct tally tally(struct bench *b, void (*look)(struct bench *, const struct trial *))
{
	struct tally x = { .bench = b, .look = look };
	struct fail f = { 0 };

	for (x.cell = 0; x.cell < CELLS; x.cell++)
		assert_int_equal(store_each_trial(b->runner.store, b->runner.cell_id[x.cell],
						  count_trial, &x, &f),
				 0);
	return x;
}

static void expect_stored(struct bench *b, int trials, int valid, const char *reason)
{
	struct tally x = tally(b, NULL);

	assert_int_equal(x.trials, trials);
	assert_int_equal(x.valid, valid);
	if (!strstr(x.reason, reason))
		fail_msg("\"%s\" does not say \"%s\"", x.reason, reason);
}

static void run_to_end(struct bench *b)
{
	struct fail f = { 0 };

	if (runner_run(&b->runner, &f))
		fail_msg("%s", f.text);
}

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

/* --- lost nodes, signals, resuming --------------------------------------------- */

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

#define BENCH(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH(test_whole_campaign),   BENCH(test_local_nodes_share_a_clock),
		BENCH(test_unavailable_cell), BENCH(test_refusal),
		BENCH(test_load_fails),       BENCH(test_server_ends),
		BENCH(test_never_closes),     BENCH(test_resumed_handshake),
		BENCH(test_no_result),        BENCH(test_bad_trace),
		BENCH(test_lost_server),      BENCH(test_lost_client),
		BENCH(test_lost_twice),       BENCH(test_one_signal),
		BENCH(test_two_signals),      BENCH(test_resume_needs_the_same),
		BENCH(test_version_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
