/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc_test - the runner's end against a node that behaves and one that does not.
 *
 * The test program is its own node: started as `rpc_test KIND node` it plays that kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/testing.h"
#include "testbed/rpc.h"

#define LONG_NS  (20 * NS_PER_S)
#define SHORT_NS (50 * NS_PER_MS)

static char own[4096];

/* --- the node's side ------------------------------------------------------- */

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
}

static void echo_id(const char *line, const char *rest)
{
	json_error_t bad;
	json_t *request = json_loads(line, 0, &bad);

	printf("{\"id\":%lld,%s}\n", (long long)json_integer_value(json_object_get(request, "id")),
	       rest);
	fflush(stdout);
	json_decref(request);
}

/* Signs of life, then an answer in pieces: two seconds, never silent for one. */
static void answer_slowly(void)
{
	const struct timespec pause = { .tv_nsec = 400 * NS_PER_MS };
	const char *const said[] = { "{\"event\":\"alive\"}\n", "{\"event\":\"alive\"}\n",
				     "{\"id\":1,", "\"ok\":", "true}\n" };

	for (int i = 0; i < 5; i++) {
		nanosleep(&pause, NULL);
		fputs(said[i], stdout);
		fflush(stdout);
	}
}

static void answer(const char *kind, const char *line, int number)
{
	if (!strcmp(kind, "polite")) {
		say("{\"event\":\"one\"}");
		echo_id(line, "\"ok\":true,\"value\":7");
		say("{\"event\":\"two\"}");
	} else if (!strcmp(kind, "refuses")) {
		echo_id(line, "\"ok\":false,\"error\":\"no such meter\"");
	} else if (!strcmp(kind, "dies") && number == 2) {
		exit(9);
	} else if (!strcmp(kind, "babbles")) {
		say("listening on nothing");
	} else if (!strcmp(kind, "stale")) {
		say("{\"id\":999,\"ok\":true,\"value\":1}");
		echo_id(line, "\"ok\":true,\"value\":2");
	} else if (!strcmp(kind, "slow")) {
		answer_slowly();
	} else if (strcmp(kind, "silent")) {
		echo_id(line, "\"ok\":true");
	}
}

static int play(const char *kind)
{
	char *line = NULL;
	size_t room = 0;

	for (int number = 1; getline(&line, &room, stdin) > 0; number++)
		answer(kind, line, number);
	free(line);
	return 0;
}

/* --- the runner's side ----------------------------------------------------- */

static void start(struct rpc *r, const char *kind)
{
	char prefix[4200];
	struct fail f = { 0 };

	snprintf(prefix, sizeof(prefix), "%s", own);
	assert_int_equal(rpc_start(r, "node", prefix, kind, &f), 0);
}

static int ask(struct rpc *r, int64_t timeout_ns, json_t **reply, struct fail *f)
{
	*f = (struct fail){ 0 };
	return rpc_call(r, json_pack("{s:s}", "do", "thing"), timeout_ns, reply, f);
}

static void test_answer_and_events(void **state)
{
	struct rpc r, *all[] = { &r };
	json_t *reply, *event;
	struct fail f = { 0 };
	int who;

	(void)state;
	start(&r, "polite");
	assert_int_equal(ask(&r, LONG_NS, &reply, &f), 0);
	assert_int_equal(json_integer_value(json_object_get(reply, "value")), 7);
	json_decref(reply);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rpc_wait(all, 1, clock_ns() + LONG_NS, &who, &event, &f), 1);
		assert_string_equal(json_string_value(json_object_get(event, "event")),
				    i ? "two" : "one");
		json_decref(event);
	}
	assert_int_equal(rpc_wait(all, 1, clock_ns() + SHORT_NS, &who, &event, &f), 0);
	assert_int_equal(ask(&r, LONG_NS, NULL, &f), 0);
	rpc_drop_events(&r);
	rpc_stop(&r, LONG_NS);
}

static void test_refusal_is_not_the_end(void **state)
{
	struct fail f;
	struct rpc r;

	(void)state;
	start(&r, "refuses");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(&r, LONG_NS, NULL, &f), -1);
		assert_int_equal(f.code, EPROTO);
		assert_string_equal(f.text, "node: no such meter");
	}
	assert_false(r.lost);
	rpc_stop(&r, LONG_NS);
}

static void test_stale_answer(void **state)
{
	json_t *reply;
	struct fail f;
	struct rpc r;

	(void)state;
	start(&r, "stale");
	assert_int_equal(ask(&r, LONG_NS, &reply, &f), 0);
	assert_int_equal(json_integer_value(json_object_get(reply, "value")), 2);
	json_decref(reply);
	rpc_stop(&r, LONG_NS);
}

static void expect_lost(const char *kind, int good, int64_t timeout_ns, const char *words)
{
	struct fail f;
	struct rpc r;

	start(&r, kind);
	for (int i = 0; i < good; i++)
		assert_int_equal(ask(&r, LONG_NS, NULL, &f), 0);
	assert_int_equal(ask(&r, timeout_ns, NULL, &f), -1);
	assert_int_equal(f.code, EPIPE);
	assert_non_null(strstr(f.text, words));
	assert_true(r.lost);
	assert_int_equal(ask(&r, LONG_NS, NULL, &f), -1);
	assert_int_equal(f.code, EPIPE);
	rpc_stop(&r, SHORT_NS);
}

static void test_lost(void **state)
{
	(void)state;
	expect_lost("dies", 1, LONG_NS, "node is lost: it ended (exit status 9)");
	expect_lost("babbles", 0, LONG_NS, "not a JSON object");
	expect_lost("silent", 0, SHORT_NS, "did not answer in time");
}

static void test_wait_sees_an_end(void **state)
{
	struct rpc good, bad, *all[] = { &good, &bad };
	struct fail f = { 0 };
	json_t *event;
	int who = -1;

	(void)state;
	start(&good, "plain");
	start(&bad, "plain");
	kill(bad.proc.pid, SIGKILL);
	assert_int_equal(rpc_wait(all, 2, clock_ns() + LONG_NS, &who, &event, &f), -1);
	assert_int_equal(who, 1);
	assert_non_null(strstr(f.text, "killed by signal 9"));
	assert_int_equal(ask(&good, LONG_NS, NULL, &f), 0);
	rpc_stop(&good, LONG_NS);
	rpc_stop(&bad, LONG_NS);
}

/* Whatever a node says, a question ends as answered, refused or lost. */
static void test_mutations(void **state)
{
	static const char seed[] = "{\"id\":1,\"ok\":true,\"value\":[1,{\"a\":\"b\"}]}\n";
	struct rng rng = testing_rng("rpc mutations");
	int answered = 0, lost = 0;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		char line[sizeof(seed)];
		struct rpc r = { .name = "node", .events = json_array() };
		json_t *reply = NULL;
		struct fail f;
		int from_node[2];

		memcpy(line, seed, sizeof(seed));
		for (uint64_t edits = rng_below(&rng, 4); edits; edits--)
			line[rng_below(&rng, sizeof(seed) - 2)] = (char)rng_below(&rng, 256);
		assert_int_equal(pipe(from_node), 0);
		assert_int_equal(write(from_node[1], line, sizeof(seed) - 1), sizeof(seed) - 1);
		close(from_node[1]);
		r.proc = (struct proc){ .in_fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
					.out_fd = from_node[0],
					.err_fd = -1 };
		proc_lines_init(&r.lines, from_node[0], 1000);
		if (ask(&r, LONG_NS, &reply, &f)) {
			assert_true(f.code == EPIPE || f.code == EPROTO);
			assert_int_equal(r.lost, f.code == EPIPE);
			lost += r.lost;
		} else {
			answered++;
			json_decref(reply);
		}
		rpc_stop(&r, 0);
	}
	assert_true(answered > 1000 && lost > 1000);
}

static void test_own_process_group(void **state)
{
	struct fail f;
	struct rpc r;

	(void)state;
	start(&r, "plain");
	assert_int_equal(ask(&r, LONG_NS, NULL, &f), 0);
	assert_int_equal(getpgid(r.proc.pid), r.proc.pid);
	rpc_stop(&r, LONG_NS);
	rpc_stop(&r, LONG_NS); /* a stopped one may be stopped again */
}

static void test_no_such_program(void **state)
{
	struct fail f = { 0 };
	struct rpc r;

	(void)state;
	assert_int_equal(rpc_start(&r, "client node", "", "/nowhere/cipherwatt", &f), -1);
	assert_non_null(strstr(f.text, "client node: cannot run /nowhere/cipherwatt"));
	rpc_stop(&r, 0);
}

/* Silence is the limit, not the whole time; and a sign of life is no event. */
static void test_slow_is_not_silent(void **state)
{
	struct rpc r, *all[] = { &r };
	json_t *event;
	struct fail f = { 0 };
	int who;

	(void)state;
	start(&r, "slow");
	if (ask(&r, 1500 * NS_PER_MS, NULL, &f))
		fail_msg("%s", f.text);
	assert_int_equal(rpc_wait(all, 1, 0, &who, &event, &f), 0);
	rpc_stop(&r, LONG_NS);
}

/* With two signals a call ends at once, and the node is not lost by that. */
static void test_signals(void **state)
{
	volatile sig_atomic_t signals = 2;
	int64_t from_ns = clock_ns();
	struct fail f = { 0 };
	struct rpc r;

	(void)state;
	start(&r, "silent");
	r.signals = &signals;
	assert_int_equal(ask(&r, LONG_NS, NULL, &f), -1);
	assert_int_equal(f.code, EINTR);
	assert_false(r.lost);
	signals = 1;
	assert_int_equal(ask(&r, LONG_NS, NULL, &f), -1);
	assert_int_equal(f.code, EPIPE);
	assert_true(clock_ns() - from_ns < LONG_NS);
	rpc_stop(&r, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer_and_events),
		cmocka_unit_test(test_refusal_is_not_the_end),
		cmocka_unit_test(test_stale_answer),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_wait_sees_an_end),
		cmocka_unit_test(test_slow_is_not_silent),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_own_process_group),
		cmocka_unit_test(test_no_such_program),
	};

	if (argc == 3 && !strcmp(argv[2], "node"))
		return play(argv[1]);
	signal(SIGPIPE, SIG_IGN);
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
