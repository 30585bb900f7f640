/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_test - the node's end: a whole trial with a made-up server and load generator, every
 * kind of wrong request, and thousands of mutated ones.
 *
 * The test program is its own cipherwatt: as `node_test serve` and `node_test load` it says
 * what those say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "lib/testing.h"
#include "lib/usage.h"
#include "lib/version.h"
#include "testbed/node.h"
#include "testbed/node_session.h"
#include "testbed/rpc.h"

#define PEM "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

static char own[4096], ca_file[64];

/* --- what the children say -------------------------------------------------- */

static int has_word(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], word))
			return 1;
	return 0;
}

static int play_server(int argc, char **argv)
{
	int requests = 100;
	char line[64];

	if (has_word(argc, argv, "--payload=13")) {
		fputs("cipherwatt serve: 13 bytes bring bad luck\nTry 'cipherwatt serve --help'.\n",
		      stderr);
		return 2;
	}
	printf("listening on %s://0.0.0.0:4433/\n",
	       has_word(argc, argv, "--suite=s") ? "https" : "http");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("{\"requests\":%d,\"ca_files\":[null,\"%s\"]}\n", requests, ca_file);
		fflush(stdout);
		requests += 23;
		if (has_word(argc, argv, "--payload=14"))
			return 7;
	}
	return 0;
}

static int play_load(int argc, char **argv)
{
	struct buf pem = { 0 };
	struct fail f = { 0 };
	char ca[64] = "";
	bool right;

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--ca=", 5))
			snprintf(ca, sizeof(ca), "%s", argv[i] + 5);
	right = !ca[0] || (!path_read(ca, 1000, &pem, &f) && !strcmp(buf_text(&pem), PEM));
	buf_release(&pem);
	if (!right)
		return 5;
	if (has_word(argc, argv, "--clients=666")) {
		fputs("cipherwatt load: connection refused\n", stderr);
		return 1;
	}
	printf("{\"phase\":\"warmup\",\"at_ns\":1}\n{\"phase\":\"window\",\"at_ns\":2}\n");
	printf("{\"phase\":\"closed\",\"at_ns\":3}\n{\"result\":{\"argc\":%d}}\n", argc);
	return 0;
}

/* --- asking ----------------------------------------------------------------- */

static json_t *tell(struct node_session *n, const char *line)
{
	return node_answer(n, line, strlen(line));
}

static void expect_ok(struct node_session *n, const char *line)
{
	json_t *answer = tell(n, line);

	if (!json_is_true(json_object_get(answer, "ok")))
		fail_msg("%s: %s", line, json_string_value(json_object_get(answer, "error")));
	json_decref(answer);
}

static void expect_error(struct node_session *n, const char *line, const char *words)
{
	json_t *answer = tell(n, line);
	const char *error = json_string_value(json_object_get(answer, "error"));

	assert_true(json_is_false(json_object_get(answer, "ok")));
	assert_non_null(error);
	if (!strstr(error, words))
		fail_msg("%s: \"%s\" does not say \"%s\"", line, error, words);
	json_decref(answer);
}

static void greet(struct node_session *n)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "{\"id\":1,\"do\":\"hello\",\"protocol\":%d,\"version\":\"%s\"}", RPC_PROTOCOL,
		 cipherwatt_version);
	expect_ok(n, line);
}

static struct node_session *new_node(void)
{
	struct node_session *n = node_session_new(own);

	assert_non_null(n);
	greet(n);
	return n;
}

static const char *server_line(const char *suite, int payload)
{
	static char line[512];

	snprintf(line, sizeof(line),
		 "{\"id\":2,\"do\":\"prepare\",\"server\":{\"adapter\":\"builtin\","
		 "\"listen\":\"0.0.0.0\",\"address\":\"10.9.8.7\",\"suite\":\"%s\",\"engine\":"
		 "\"null\","
		 "\"workload\":\"page\",\"payload_kind\":\"json\",\"cpus\":\"\",\"payload_bytes\":%"
		 "d,"
		 "\"encoding\":\"gzip:6\",\"close_each\":false,\"record_bytes\":16384,"
		 "\"records_per_send\":1}}",
		 suite, payload);
	return line;
}

static const char *client_line(int clients)
{
	static char line[768];

	snprintf(line, sizeof(line),
		 "{\"id\":3,\"do\":\"prepare\",\"client\":{\"url\":\"https://10.9.8.7:4433/\","
		 "\"suite\":\"s\",\"engine\":\"null\",\"ca_pem\":\"-----BEGIN "
		 "CERTIFICATE-----\\nMIIB"
		 "\\n-----END CERTIFICATE-----\\n\",\"server_name\":\"localhost\","
		 "\"connection\":\"full\",\"cpus\":\"\",\"clients\":%d,\"timeout_ns\":1,"
		 "\"warmup_ns\":1,\"duration_ns\":1,\"count\":0,\"record_bytes\":512,"
		 "\"records_per_send\":1,\"accept\":\"gzip\"}}",
		 clients);
	return line;
}

#define METER "{\"id\":4,\"do\":\"meter\",\"meter\":\"\",\"rate_hz\":0,\"expected_ns\":1000}"

/* --- tests ------------------------------------------------------------------- */

static void test_hello(void **state)
{
	struct node_session *n = node_session_new(own);

	(void)state;
	expect_error(n, "{\"id\":1,\"do\":\"clock\"}", "before \"hello\"");
	expect_error(n, "{\"id\":1,\"do\":\"hello\",\"protocol\":1,\"version\":\"0.0.1\"}",
		     "the runner is 0.0.1");
	expect_error(n, "{\"id\":1,\"do\":\"hello\",\"protocol\":1,\"version\":\"0.0.1\"}",
		     cipherwatt_version);
	expect_error(n, "{\"id\":1,\"do\":\"clock\"}", "before \"hello\"");
	greet(n);
	expect_ok(n, "{\"id\":1,\"do\":\"clock\"}");
	node_session_free(n);
}

static void test_wrong_requests(void **state)
{
	struct node_session *n = new_node();

	(void)state;
	expect_error(n, "", "not JSON");
	expect_error(n, "{", "not JSON");
	expect_error(n, "[1]", "not a JSON object");
	expect_error(n, "{\"do\":\"clock\"}", "\"id\"");
	expect_error(n, "{\"id\":\"1\",\"do\":\"clock\"}", "\"id\"");
	expect_error(n, "{\"id\":1}", "\"do\"");
	expect_error(n, "{\"id\":1,\"do\":7}", "\"do\"");
	expect_error(n, "{\"id\":1,\"do\":\"clock\",\"do\":\"stop\"}", "not JSON");
	expect_error(n, "{\"id\":1,\"do\":\"clok\"}", "unknown verb \"clok\"");
	expect_error(n, "{\"id\":1,\"do\":\"clock\",\"zone\":1}", "not as expected");
	expect_error(n, "{\"id\":1,\"do\":\"load\"}", "no load is prepared");
	expect_error(n, "{\"id\":1,\"do\":\"collect\",\"windows\":[]}", "nothing is being read");
	expect_error(n,
		     "{\"id\":1,\"do\":\"meter\",\"meter\":\"sundial:\",\"rate_hz\":1,"
		     "\"expected_ns\":1}",
		     "sundial");
	expect_ok(n, "{\"id\":1,\"do\":\"stop\"}");
	node_session_free(n);
}

static void test_server_trial(void **state)
{
	struct node_session *n = new_node();
	json_t *answer, *event, *counters;
	char line[256];
	int64_t from_ns;
	pid_t pid;

	(void)state;
	answer = tell(n, server_line("s", 512));
	assert_string_equal(json_string_value(json_object_get(answer, "url")),
			    "https://10.9.8.7:4433/");
	assert_string_equal(json_string_value(json_object_get(answer, "ca_pem")), PEM);
	json_decref(answer);
	expect_error(n, server_line("s", 512), "\"stop\" comes first");
	expect_ok(n, METER);
	expect_error(n, METER, "already");
	pid = n->server.proc.pid;
	from_ns = clock_ns();
	clock_sleep_until(from_ns + 30 * NS_PER_MS);
	assert_int_equal(node_next_event(n, &event), 0);
	snprintf(line, sizeof(line),
		 "{\"id\":5,\"do\":\"collect\",\"windows\":[[%lld,%lld],[1,2]]}",
		 (long long)from_ns, (long long)from_ns + 20000000);
	answer = tell(n, line);
	assert_true(json_is_true(json_object_get(answer, "ok")));
	counters = json_object_get(answer, "counters");
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(counters, "before"), "requests")),
			 100);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(counters, "after"), "requests")),
		123);
	assert_true(json_integer_value(json_object_get(answer, "rss_peak_kib")) > 0);
	assert_true(json_integer_value(json_array_get(json_object_get(answer, "cpu_ns"), 0)) >= 0);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(answer, "cpu_ns"), 1)),
			 -1);
	json_decref(answer);
	expect_ok(n, "{\"id\":6,\"do\":\"stop\"}");
	assert_int_equal(usage_process_cpu_ns(pid), -1);
	node_session_free(n);
}

static void test_server_failures(void **state)
{
	struct node_session *n = new_node();
	json_t *event = NULL;

	(void)state;
	expect_error(n, server_line("s", 13), "13 bytes bring bad luck");
	expect_error(n, server_line("s", 13), "exit status 2");
	expect_ok(n, server_line("plain", 14)); /* ends behind its first counters */
	while (!node_next_event(n, &event))
		usleep(1000);
	assert_string_equal(json_string_value(json_object_get(event, "event")), "server");
	assert_non_null(
		strstr(json_string_value(json_object_get(event, "error")), "exit status 7"));
	json_decref(event);
	assert_int_equal(node_next_event(n, &event), 0);
	node_session_free(n);
}

/* The next event, which must come. */
static json_t *await_event(struct node_session *n)
{
	json_t *event;

	while (!node_next_event(n, &event))
		usleep(1000);
	return event;
}

static void test_client_trial(void **state)
{
	static const char *const phase[] = { "warmup", "window", "closed", "ended" };
	struct node_session *n = new_node();
	json_t *answer, *event;

	(void)state;
	expect_ok(n, client_line(8));
	expect_ok(n, METER);
	expect_ok(n, "{\"id\":5,\"do\":\"load\"}");
	expect_error(n, "{\"id\":5,\"do\":\"load\"}", "no load is prepared");
	for (int i = 0; i < 4; i++) {
		event = await_event(n);
		assert_string_equal(json_string_value(json_object_get(event, "event")), "load");
		if (json_object_get(event, "error"))
			fail_msg("%s", json_string_value(json_object_get(event, "error")));
		assert_string_equal(json_string_value(json_object_get(event, "phase")), phase[i]);
		if (i < 3)
			assert_int_equal(json_integer_value(json_object_get(event, "at_ns")),
					 i + 1);
		json_decref(event);
	}
	answer = tell(n, "{\"id\":6,\"do\":\"collect\",\"windows\":[]}");
	assert_true(json_integer_value(json_object_get(json_object_get(answer, "result"), "argc")) >
		    10);
	json_decref(answer);
	expect_ok(n, "{\"id\":7,\"do\":\"stop\"}");
	node_session_free(n);
}

static void test_client_failure(void **state)
{
	struct node_session *n = new_node();
	json_t *event;

	(void)state;
	expect_ok(n, client_line(666));
	expect_ok(n, "{\"id\":5,\"do\":\"load\"}");
	event = await_event(n);
	assert_string_equal(json_string_value(json_object_get(event, "phase")), "failed");
	assert_non_null(
		strstr(json_string_value(json_object_get(event, "error")), "connection refused"));
	json_decref(event);
	node_session_free(n);
}

/* A line that is too long is refused in words, and is the end. */
static void test_long_line(void **state)
{
	struct node_session *n = new_node();
	int in[2], out[2], ends;
	char block[65536], *answer = NULL;
	struct fail f = { 0 };
	size_t room = 0;
	pid_t pid;
	FILE *said;

	(void)state;
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		memset(block, 'x', sizeof(block));
		for (int i = 0; i < 2 * RPC_REQUEST_BYTES_MAX / (int)sizeof(block); i++)
			if (write(in[1], block, sizeof(block)) < 0)
				break;
		_exit(0);
	}
	close(in[1]);
	ends = node_serve(n, in[0], out[1], &f);
	assert_int_equal(ends, -1);
	close(in[0]);
	close(out[1]);
	said = fdopen(out[0], "r");
	assert_true(getline(&answer, &room, said) > 0);
	assert_non_null(strstr(answer, "\"ok\":false"));
	assert_non_null(strstr(answer, "longer than"));
	free(answer);
	fclose(said);
	kill(pid, SIGKILL);
	node_session_free(n);
}

/* Bytes changed, lost and doubled: always one answer, never a child or a crash. */
static void test_mutations(void **state)
{
	const char *seeds[] = { client_line(8),
				METER,
				"{\"id\":1,\"do\":\"clock\"}",
				"{\"id\":6,\"do\":\"collect\",\"windows\":[[1,2],[3,4]]}",
				"{\"id\":9,\"do\":\"stop\"}",
				"{\"id\":9,\"do\":\"hello\","
				"\"protocol\":1,\"version\":\"x\"}" };
	struct rng rng = testing_rng("node mutations");
	struct node_session *n = new_node();
	char line[1024];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		const char *seed = seeds[rng_below(&rng, 6)];
		size_t len = strlen(seed), at;
		json_t *answer;

		memcpy(line, seed, len);
		for (uint64_t edits = rng_below(&rng, 4); edits; edits--) {
			at = rng_below(&rng, len);
			if (rng_below(&rng, 3) == 0 && len > 2)
				memmove(line + at, line + at + 1, --len - at);
			else
				line[at] = (char)rng_below(&rng, 256);
		}
		answer = node_answer(n, line, len);
		assert_true(json_is_boolean(json_object_get(answer, "ok")));
		assert_non_null(json_object_get(answer, "id"));
		json_decref(answer);
		assert_false(node_child_runs(&n->server));
	}
	node_session_free(n);
}

static int write_ca(void **state)
{
	struct fail f = { 0 };

	(void)state;
	return path_write(ca_file, PEM, strlen(PEM), 0600, &f);
}

static int remove_ca(void **state)
{
	(void)state;
	return unlink(ca_file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello),        cmocka_unit_test(test_wrong_requests),
		cmocka_unit_test(test_server_trial), cmocka_unit_test(test_server_failures),
		cmocka_unit_test(test_client_trial), cmocka_unit_test(test_client_failure),
		cmocka_unit_test(test_long_line),    cmocka_unit_test(test_mutations),
	};
	const char *parents = getenv("NODE_TEST_CA");

	snprintf(ca_file, sizeof(ca_file), "%s", parents ? parents : "");
	if (argc > 1 && !strcmp(argv[1], "serve"))
		return play_server(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "load"))
		return play_load(argc, argv);
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		return 1;
	snprintf(ca_file, sizeof(ca_file), "/tmp/cipherwatt-node-%ld.pem", (long)getpid());
	setenv("NODE_TEST_CA", ca_file, 1);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, write_ca, remove_ca);
}
