/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_wire_test - what a node makes of its lines: every kind of wrong request, lines too long,
 * and thousands of mutated ones.
 */
#include "ciphers/engine.h"
#include "testbed/node_bench.h"

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
	expect_error(n, "{\"id\":1,\"do\":\"timeline\",\"url\":\"http://127.0.0.1:1/\"}",
		     "not as expected");
	expect_error(n,
		     "{\"id\":1,\"do\":\"timeline\",\"url\":\"http://127.0.0.1:1/\","
		     "\"interface\":\"\",\"engine\":\"null\",\"count\":3}",
		     "no load is prepared");
	expect_error(n, "{\"id\":1,\"do\":\"collect\",\"windows\":[]}", "nothing is being read");
	expect_error(n,
		     "{\"id\":1,\"do\":\"meter\",\"meter\":\"sundial:\",\"rate_hz\":1,"
		     "\"expected_ns\":1}",
		     "sundial");
	expect_ok(n, "{\"id\":1,\"do\":\"stop\"}");
	expect_error(n, "{\"id\":1,\"do\":\"limit\",\"role\":\"x\",\"suites\":[]}", "neither");
	expect_error(n, "{\"id\":1,\"do\":\"limit\",\"role\":\"server\",\"suites\":{}}", "no list");
	expect_error(n, "{\"id\":1,\"do\":\"limit\",\"role\":\"server\",\"suites\":[[\"plain\"]]}",
		     "[suite, engine]");
	expect_error(
		n, "{\"id\":1,\"do\":\"limit\",\"role\":\"server\",\"suites\":[[\"plain\",\"x\"]]}",
		"no engine");
	node_session_free(n);
}

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

/* What a server does for a full handshake takes longer with a longer key. */
static void test_limits(void **state)
{
	struct node_session *n = new_node();
	json_t *answer, *limits;
	double p256, p521;

	(void)state;
	if (!engine_by_name("openssl"))
		skip();
	answer = tell(n, "{\"id\":1,\"do\":\"limit\",\"role\":\"server\",\"suites\":["
			 "[\"tls1.3:AES128-GCM-SHA256:x25519:p256\",\"openssl\"],"
			 "[\"tls1.3:AES128-GCM-SHA256:x25519:p521\",\"openssl\"],"
			 "[\"tls1.3:AES128-GCM-SHA256:x25519:p256\",\"null\"]]}");
	limits = json_object_get(answer, "limits");
	assert_int_equal(json_array_size(limits), 3);
	p256 = json_real_value(json_object_get(json_array_get(limits, 0), "cpu_us"));
	p521 = json_real_value(json_object_get(json_array_get(limits, 1), "cpu_us"));
	assert_true(p256 > 1 && p521 > 1.5 * p256);
	assert_non_null(json_object_get(json_array_get(limits, 2), "error"));
	json_decref(answer);
	node_session_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello),          cmocka_unit_test(test_limits),
		cmocka_unit_test(test_wrong_requests), cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_mutations),
	};

	if (!find_own())
		return 1;
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
