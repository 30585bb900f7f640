/* SPDX-License-Identifier: Apache-2.0 */
/* runner_judge_test - one good trial, spoilt in each way that matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "testbed/runner_trial.h"

struct bench {
	struct plan plan;
	struct plan_cell cell;
	struct runner_trial t;
};

static int enter(void **state)
{
	static struct bench b;
	struct fail f = { 0 };
	struct trial *r = &b.t.record;

	memset(&b, 0, sizeof(b));
	b.plan.times.measure_ns = 10 * NS_PER_S;
	snprintf(b.plan.server.meter, sizeof(b.plan.server.meter), "wave:");
	snprintf(b.cell.cell.connection, sizeof(b.cell.cell.connection), "full");
	b.cell.cell.clients = 8;
	b.t.cell = &b.cell;
	if (suite_parse("tls1.3:AES128-GCM-SHA256:x25519:p256", &b.cell.suite, &f))
		return -1;
	r->window_ns = 10 * NS_PER_S;
	r->requests_started = 1008;
	r->requests_succeeded = 1000;
	r->requests_in_flight = 8;
	r->requests_completed = 1000;
	r->client_handshakes_full = r->server_handshakes_full = 1100;
	b.t.client_succeeded = b.t.server_requests = 1100;
	r->client_busy = 0.5;
	r->server.coverage = 1;
	r->client.coverage = NAN; /* it has no meter, and that is no fault */
	r->server.cpu_ns = r->client.cpu_ns = NS_PER_S;
	*state = &b;
	return hist_init(&r->response);
}

static int leave(void **state)
{
	struct bench *b = *state;

	hist_release(&b->t.record.response);
	for (int i = 0; i < RUNNER_NODES; i++) {
		json_decref(b->t.collected[i]);
		json_decref(b->t.environment[i]);
	}
	return 0;
}

static void expect_note(struct bench *b, const char *words)
{
	runner_judge(&b->plan, &b->t);
	assert_true(b->t.record.valid);
	assert_string_equal(b->t.record.reason, "");
	if (words ? !strstr(b->t.record.notes, words) : b->t.record.notes[0])
		fail_msg("the notes \"%s\" do not say \"%s\"", b->t.record.notes,
			 words ? words : "");
}

static void expect(struct bench *b, bool valid, const char *words)
{
	runner_judge(&b->plan, &b->t);
	assert_int_equal(b->t.record.valid, valid);
	if (words ? !strstr(b->t.record.reason, words) : b->t.record.reason[0])
		fail_msg("\"%s\" does not say \"%s\"", b->t.record.reason, words ? words : "");
}

static void test_good(void **state)
{
	expect(*state, true, NULL);
	expect_note(*state, NULL);
}

/* What a closed loop with a latency near the window measures is mostly its edges. */
static void test_latency(void **state)
{
	struct bench *b = *state;
	struct trial *r = &b->t.record;

	hist_add(&r->response, 3300 * NS_PER_MS);
	expect(b, true, NULL);
	r->requests_completed = 16; /* eight clients, two each */
	expect(b, true, NULL);
	r->requests_completed = 15;
	expect(b, false,
	       "the window is too short for the latency: 8 clients completed 15 requests in 10 s; "
	       "measure longer or use fewer clients");
	r->requests_completed = 1000;
	hist_clear(&r->response);
	hist_add(&r->response, 3400 * NS_PER_MS);
	expect(b, false, "the median response of 3.4 s is over a third of 10 s; measure longer");
	b->plan.times.count = 1000; /* by count it is no better */
	expect(b, false, "too short for the latency");
}

static void test_reuse(void **state)
{
	struct bench *b = *state;

	b->t.record.reconnects = 11;
	expect(b, true, NULL); /* of a mode that keeps nothing */
	snprintf(b->cell.cell.connection, sizeof(b->cell.cell.connection), "keepalive");
	expect(b, false, "nothing was kept alive: 11 of 1008 requests needed a new connection");
	b->t.record.reconnects = 10;
	expect(b, true, NULL);
}

static void test_requests(void **state)
{
	struct bench *b = *state;
	struct trial *r = &b->t.record;

	r->requests_failed = 10;
	r->requests_succeeded = 990;
	b->t.client_unfinished = 10;
	expect(b, true, NULL); /* 10 of 1008 is within 1 % */
	r->requests_timed_out = 1;
	r->requests_succeeded = 989;
	snprintf(b->t.first_failure, sizeof(b->t.first_failure), "reset by peer");
	expect(b, false, "11 of 1008 requests failed, first: reset by peer");
	r->requests_in_flight = 9;
	expect(b, false, "do not add up");
	r->requests_started = r->requests_succeeded = r->requests_failed = 0;
	r->requests_timed_out = r->requests_in_flight = r->requests_completed = 0;
	expect(b, false, "no request succeeded: reset by peer");
}

static void test_window(void **state)
{
	struct bench *b = *state;

	b->t.record.window_ns = 9900 * NS_PER_MS;
	expect(b, true, NULL);
	b->t.record.window_ns = 9899 * NS_PER_MS;
	expect(b, false, "the window was 9.899 s of 10.000 s");
	b->plan.times.count = 1000;
	expect(b, true, NULL);
}

static void test_handshakes(void **state)
{
	struct bench *b = *state;
	struct trial *r = &b->t.record;

	r->server_handshakes_full = 1092;
	expect(b, true, NULL); /* eight were cut */
	r->server_handshakes_full = 1091;
	expect(b, false, "the server counted 1091 full handshakes, the client 1100");
	r->server_handshakes_full = 1109;
	expect(b, false, "counted 1109");
	r->server_handshakes_full = 1100;
	b->t.server_requests = 1109;
	expect(b, false, "answered 1109 requests, the client saw 1100");
	b->t.client_unfinished = 1;
	expect(b, true, NULL);
	r->server_handshakes_resumed = 1;
	expect(b, false, "resumed");
	snprintf(b->cell.cell.connection, sizeof(b->cell.cell.connection), "keepalive");
	expect(b, true, NULL);
}

/* A server of somebody else's says nothing about handshakes; the client still does. */
static void test_server_that_does_not_count(void **state)
{
	struct bench *b = *state;
	struct trial *r = &b->t.record;

	b->t.server_requests = -1;
	r->server_handshakes_full = r->server_handshakes_resumed = FIELD_UNKNOWN_INT;
	expect(b, true, NULL);
	r->client_handshakes_resumed = 1;
	expect(b, false, "resumed");
}

static void test_plain_has_no_handshakes(void **state)
{
	struct bench *b = *state;
	struct fail f = { 0 };

	b->t.record.server_handshakes_full = 0;
	expect(b, false, "full handshakes");
	assert_int_equal(suite_parse("plain", &b->cell.suite, &f), 0);
	expect(b, true, NULL);
}

static void test_meter(void **state)
{
	struct bench *b = *state;

	b->t.record.server.coverage = 0.989;
	expect(b, false, "the server's meter covered 98.9 % of the window: its reader had to wait");
	b->t.real_time[RUNNER_SERVER] = true;
	expect(b, false, "the server's meter covered 98.9 % of the window");
	assert_null(strstr(b->t.record.reason, "wait"));
	b->t.record.server.coverage = NAN;
	b->t.collected[RUNNER_SERVER] = json_pack("{s:s}", "meter_error", "the bus is stuck");
	expect(b, false, "covered 0.0 % of the window: the bus is stuck");
	b->plan.server.meter[0] = '\0';
	expect(b, true, NULL);
	b->t.record.server.cpu_ns = FIELD_UNKNOWN_INT;
	expect(b, false, "CPU time of the server in the window was not seen");
}

static void test_board(void **state)
{
	struct bench *b = *state;

	b->t.environment[RUNNER_CLIENT] =
		json_pack("{s:i, s:i}", "throttled", 0x50000, "cpu_khz", 1500000);
	b->t.collected[RUNNER_CLIENT] = json_pack("{s:{s:i, s:i}}", "environment", "throttled",
						  0x50000, "cpu_khz", 1490000);
	expect(b, true, NULL);
	json_object_set_new(b->t.environment[RUNNER_CLIENT], "cpu_khz", json_integer(600000));
	expect_note(b, "the client's CPU changed its frequency: from 600 to 1490 MHz");
	json_object_set_new(b->t.environment[RUNNER_CLIENT], "throttled", json_integer(4));
	expect(b, false, "the client's board was throttled");
}

static void test_others_on_the_machine(void **state)
{
	struct bench *b = *state;

	b->t.environment[RUNNER_SERVER] = json_pack("{s:i, s:f, s:i, s:i}", "cpus", 2, "load_1m",
						    3.9, "ticks", 1000, "ticks_stolen", 10);
	b->t.collected[RUNNER_SERVER] =
		json_pack("{s:{s:i, s:i}}", "environment", "ticks", 2000, "ticks_stolen", 30);
	expect(b, true, NULL);
	expect_note(b, NULL);
	json_object_set_new(b->t.environment[RUNNER_SERVER], "load_1m", json_real(10.44));
	expect_note(b, "the server's machine: a load average of 10.4 on 2 CPUs before the trial");
	json_object_set_new(b->t.environment[RUNNER_SERVER], "ticks_stolen", json_integer(9));
	expect_note(b, "its host took 2.1 % of their time");
}

static void test_notes(void **state)
{
	struct bench *b = *state;

	assert_false(b->t.record.load_limited);
	b->t.record.client_busy = 0.97;
	expect_note(b, "the load generator may have been the limit: it used 97 % of a CPU");
	assert_true(b->t.record.load_limited);
	b->t.insufficient[RUNNER_SERVER] = true;
	expect_note(b, "97 % of a CPU\nthe window is too short for the server's meter");
	b->t.short_idle[RUNNER_CLIENT] = true;
	expect_note(b, "\nthe client's idle power is less sure: ");
	b->t.record.client.idle_drift_pct = -5.1;
	expect_note(b, "\nthe client's idle power moved: by -5.1 % from before to after");
	b->t.record.window_ns = 11001 * NS_PER_MS;
	expect_note(b, "\nthe window overran its plan: 11.001 s instead of 10.000 s\n");
	b->plan.times.count = 1000;
	runner_judge(&b->plan, &b->t);
	assert_null(strstr(b->t.record.notes, "overran"));
	b->t.record.requests_started++;
	expect(b, false, "add up"); /* a note is no reason, and stays */
	assert_non_null(strstr(b->t.record.notes, "97 %"));
}

static void test_problem_comes_first(void **state)
{
	struct bench *b = *state;

	snprintf(b->t.problem, sizeof(b->t.problem), "the port is taken");
	b->t.record.client_busy = 0.97;
	expect(b, false, "the port is taken");
	b->t.problem[0] = '\0';
	snprintf(b->t.verdict, sizeof(b->t.verdict), "3 associations negotiated another suite");
	expect(b, false, "another suite");
}

#define BENCH(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH(test_good),
		BENCH(test_latency),
		BENCH(test_reuse),
		BENCH(test_requests),
		BENCH(test_window),
		BENCH(test_handshakes),
		BENCH(test_server_that_does_not_count),
		BENCH(test_plain_has_no_handshakes),
		BENCH(test_meter),
		BENCH(test_board),
		BENCH(test_others_on_the_machine),
		BENCH(test_notes),
		BENCH(test_problem_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
