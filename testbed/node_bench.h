/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_bench - a node that this very program is, and lines to ask it. For node*_test.c only.
 */
#ifndef TESTBED_NODE_BENCH_H
#define TESTBED_NODE_BENCH_H

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

static char own[4096]; /* this program, for the children */

static inline json_t *tell(struct node_session *n, const char *line)
{
	return node_answer(n, line, strlen(line));
}

static inline void expect_ok(struct node_session *n, const char *line)
{
	json_t *answer = tell(n, line);

	if (!json_is_true(json_object_get(answer, "ok")))
		fail_msg("%s: %s", line, json_string_value(json_object_get(answer, "error")));
	json_decref(answer);
}

static inline void expect_error(struct node_session *n, const char *line, const char *words)
{
	json_t *answer = tell(n, line);
	const char *error = json_string_value(json_object_get(answer, "error"));

	assert_true(json_is_false(json_object_get(answer, "ok")));
	assert_non_null(error);
	if (!strstr(error, words))
		fail_msg("%s: \"%s\" does not say \"%s\"", line, error, words);
	json_decref(answer);
}

static inline void greet(struct node_session *n)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "{\"id\":1,\"do\":\"hello\",\"protocol\":%d,\"version\":\"%s\"}", RPC_PROTOCOL,
		 cipherwatt_version);
	expect_ok(n, line);
}

static inline struct node_session *new_node(void)
{
	struct node_session *n = node_session_new(own);

	assert_non_null(n);
	greet(n);
	return n;
}

static inline const char *server_line(const char *suite, int payload)
{
	static char line[512];

	snprintf(line, sizeof(line),
		 "{\"id\":2,\"do\":\"prepare\",\"server\":{\"adapter\":\"builtin\","
		 "\"listen\":\"0.0.0.0\",\"address\":\"10.9.8.7\",\"suite\":\"%s\",\"engine\":"
		 "\"null\","
		 "\"workload\":\"page\",\"payload_kind\":\"json\",\"cpus\":\"\",\"payload_bytes\":%"
		 "d,"
		 "\"encoding\":\"gzip:6\",\"close_each\":false,\"psk\":false,"
		 "\"settings\":{\"record_size\":\"16KiB\",\"tickets\":\"2\",\"driver\":\"builtin\"}"
		 "}}",
		 suite, payload);
	return line;
}

static inline const char *client_line(int clients)
{
	static char line[768];

	snprintf(line, sizeof(line),
		 "{\"id\":3,\"do\":\"prepare\",\"client\":{\"url\":\"https://10.9.8.7:4433/\","
		 "\"suite\":\"s\",\"engine\":\"null\",\"ca_pem\":\"-----BEGIN "
		 "CERTIFICATE-----\\nMIIB"
		 "\\n-----END "
		 "CERTIFICATE-----\\n\",\"client_pem\":\"\",\"psk\":\"\",\"workload\":\"page\","
		 "\"server_name\":"
		 "\"localhost\","
		 "\"connection\":\"full\",\"cpus\":\"\",\"clients\":%d,\"timeout_ns\":1,"
		 "\"warmup_ns\":1,\"duration_ns\":1,\"count\":0,\"accept\":\"gzip\","
		 "\"settings\":{\"record_size\":\"512B\",\"driver\":\"builtin\"}}}",
		 clients);
	return line;
}

#define METER "{\"id\":4,\"do\":\"meter\",\"meter\":\"\",\"rate_hz\":0,\"expected_ns\":1000}"

static inline bool find_own(void)
{
	return readlink("/proc/self/exe", own, sizeof(own) - 1) > 0;
}

#endif
