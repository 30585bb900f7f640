/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_test - the node's end: a whole trial with a made-up server and load generator.
 *
 * The test program is its own cipherwatt: as `node_test serve` and `node_test load` it says
 * what those say.
 */
#include <fcntl.h>

#include "testbed/node_bench.h"
#include "testbed/node_session.h"

#define PEM "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

static char ca_file[64];

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

/* To a runner, where there is one. */
static void test_sign_of_life(void **state)
{
	struct node_session n = { .out_fd = -1 };
	char said[64] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	node_say_alive(&n);
	assert_int_equal(read(ends[0], said, sizeof(said)), -1);
	n.out_fd = ends[1];
	node_say_alive(&n);
	assert_int_equal(read(ends[0], said, sizeof(said) - 1), 18);
	assert_string_equal(said, "{\"event\":\"alive\"}\n");
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sign_of_life),    cmocka_unit_test(test_server_trial),
		cmocka_unit_test(test_server_failures), cmocka_unit_test(test_client_trial),
		cmocka_unit_test(test_client_failure),
	};
	const char *parents = getenv("NODE_TEST_CA");

	snprintf(ca_file, sizeof(ca_file), "%s", parents ? parents : "");
	if (argc > 1 && !strcmp(argv[1], "serve"))
		return play_server(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "load"))
		return play_load(argc, argv);
	if (!find_own())
		return 1;
	snprintf(ca_file, sizeof(ca_file), "/tmp/cipherwatt-node-%ld.pem", (long)getpid());
	setenv("NODE_TEST_CA", ca_file, 1);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, write_ca, remove_ca);
}
