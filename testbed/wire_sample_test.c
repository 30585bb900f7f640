/* SPDX-License-Identifier: Apache-2.0 */
/* wire_sample_test - both accounts of associations that were made up, joined: known medians. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clients/stamps.h"
#include "lib/buf.h"
#include "testbed/wire_sample.h"

#define US        INT64_C(1000)
#define OFFSET_NS (INT64_C(1700000000) * 1000000000)
#define GAP_NS    (INT64_C(100000) * US) /* between associations */
#define FIRST_NS  (INT64_C(5000000) * US)

static void add_message(struct connection *c, const char *type, int from, int64_t time_ns)
{
	struct message m = { .type = type,
			     .from = (uint8_t)from,
			     .first_ns = time_ns,
			     .time_ns = time_ns,
			     .bytes = 100,
			     .is_handshake = true,
			     .either_side = *type == 'e' };

	connection_add(c, &m);
}

/* SYN at start, a handshake of so many microseconds behind 20, data for 50. */
static void add_wire(struct wire_sample *s, int64_t start_ns, int64_t handshake_us)
{
	struct connection c;

	connection_init(&c);
	c.proto = CONN_TLS;
	c.version = VERSION_TLS12;
	c.hello_from = 0;
	c.answer_from = 1;
	c.start_ns = c.syn_ns = start_ns;
	c.syn_ack_ns = start_ns + 5 * US;
	c.ack_ns = start_ns + 10 * US;
	c.first_hello_ns = start_ns + 20 * US;
	c.server_hello_ns = start_ns + 60 * US;
	add_message(&c, "client_hello", 0, c.first_hello_ns);
	add_message(&c, "server_hello", 1, c.server_hello_ns);
	c.finished_ns[0] = start_ns + 80 * US;
	add_message(&c, "encrypted_handshake", 0, c.finished_ns[0]);
	c.finished_ns[1] = c.first_hello_ns + handshake_us * US;
	add_message(&c, "encrypted_handshake", 1, c.finished_ns[1]);
	c.first_data_ns = c.finished_ns[1] + 10 * US;
	c.last_data_ns = c.finished_ns[1] + 50 * US;
	wire_sample_connection(s, &c);
	connection_release(&c);
}

/* The hello is stamped 7 us before its packet, what comes 30 us behind it. */
static void put_exchange(struct buf *out, int64_t start_ns, int64_t handshake_us, int64_t late_us)
{
	buf_printf(out,
		   "{\"connect_ns\":%lld,\"secured_ns\":%lld,\"sent_ns\":%lld,\"end_ns\":%lld,"
		   "\"ok\":true,\"late_ns\":%lld,\"messages\":[",
		   (long long)start_ns, (long long)(start_ns + (handshake_us + 60) * US),
		   (long long)(start_ns + (handshake_us + 70) * US),
		   (long long)(start_ns + (handshake_us + 200) * US), (long long)(late_us * US));
	buf_printf(out,
		   "{\"type\":\"client_hello\",\"from\":\"client\",\"t_ns\":%lld,\"bytes\":1},",
		   (long long)(start_ns + 13 * US));
	buf_printf(out,
		   "{\"type\":\"server_hello\",\"from\":\"server\",\"t_ns\":%lld,\"bytes\":1},",
		   (long long)(start_ns + 90 * US));
	buf_printf(out, "{\"type\":\"finished\",\"from\":\"server\",\"t_ns\":%lld,\"bytes\":1}]}\n",
		   (long long)(start_ns + (handshake_us + 50) * US));
}

static void put_clock(struct buf *out, int64_t at_ns, int64_t moved_ns)
{
	buf_printf(out,
		   "{\"clock\":{\"monotonic_ns\":%lld,\"realtime_ns\":%lld,\"error_ns\":40}}\n",
		   (long long)at_ns, (long long)(at_ns + OFFSET_NS + moved_ns));
}

static const json_t *step_of(const json_t *sample, const char *name)
{
	const json_t *steps = json_object_get(sample, "steps"), *step;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)steps, i, step)
	{
		if (!strcmp(json_string_value(json_object_get(step, "step")), name))
			return step;
	}
	fail_msg("there is no step %s", name);
	return NULL;
}

static void expect(const json_t *object, const char *key, double us)
{
	double value = json_number_value(json_object_get(object, key));

	if (fabs(value - us) > 0.002)
		fail_msg("%s is %g, expected %g", key, value, us);
}

/* Five associations whose handshakes take 200, 300, .. 600 us; late is the loop's. */
static json_t *sample_of(int64_t late_us)
{
	struct wire_sample s;
	struct buf lines = { 0 };
	struct fail f = { 0 };
	json_t *json;

	assert_int_equal(wire_sample_init(&s), 0);
	s.interface = "lo";
	s.wanted = 5;
	s.ready = "handshake";
	put_clock(&lines, FIRST_NS, 0);
	for (int i = 0; i < 5; i++) {
		int64_t start_ns = FIRST_NS + (i + 1) * GAP_NS;

		add_wire(&s, start_ns + OFFSET_NS, 200 + 100 * i);
		put_exchange(&lines, start_ns, 200 + 100 * i, late_us);
	}
	put_clock(&lines, FIRST_NS + 7 * GAP_NS, 60);
	if (wire_sample_stamps(&s, buf_text(&lines), &f))
		fail_msg("%s", f.text);
	json = wire_sample_json(&s);
	assert_non_null(json);
	buf_release(&lines);
	wire_sample_release(&s);
	return json;
}

static void test_known_medians(void **state)
{
	json_t *j = sample_of(150);
	const json_t *agreement = json_object_get(j, "agreement");

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(j, "complete")), 5);
	assert_int_equal(json_integer_value(json_object_get(j, "joined")), 5);
	expect(json_object_get(j, "handshake_us"), "median", 420);
	expect(json_object_get(j, "handshake_us"), "p95", 600);
	expect(json_object_get(j, "payload_us"), "median", 50);
	expect(step_of(j, "client_hello"), "wire_us", 20);
	expect(step_of(j, "client_hello"), "engine_us", 13);
	expect(step_of(j, "client_hello"), "difference_us", -7);
	expect(step_of(j, "server_hello"), "difference_us", 30);
	expect(step_of(j, "server_encrypted_handshake"), "wire_us", 420);
	expect(step_of(j, "server_encrypted_handshake"), "engine_us", 450);
	expect(step_of(j, "tcp_open"), "wire_us", 10);
	expect(step_of(j, "handshake"), "engine_us", 460);
	assert_int_equal(json_integer_value(json_object_get(agreement, "compared")), 15);
	assert_int_equal(json_integer_value(json_object_get(agreement, "beyond")), 0);
	/* Twice lateness and period, a microsecond of the capture, both clocks' own. */
	expect(agreement, "error_us", 2 * (150 + (double)STAMPS_PROBE_NS / US) + 1 + 0.04 + 0.06);
	json_decref(j);
}

/* A loop that was never late cannot have been 30 us behind its packets, less the probe's period. */
static void test_what_is_beyond_is_counted(void **state)
{
	json_t *j = sample_of(-STAMPS_PROBE_NS / US + 10);
	const json_t *agreement = json_object_get(j, "agreement");

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(agreement, "compared")), 15);
	assert_int_equal(json_integer_value(json_object_get(agreement, "beyond")), 10);
	json_decref(j);
}

static void test_plain_and_broken(void **state)
{
	struct wire_sample s;
	struct connection c;
	struct fail f = { 0 };
	json_t *j;

	(void)state;
	assert_int_equal(wire_sample_init(&s), 0);
	s.interface = "lo";
	connection_init(&c);
	c.start_ns = c.syn_ns = 1000 * US;
	wire_sample_connection(&s, &c); /* unanswered */
	c.syn_ack_ns = 1005 * US;
	c.ack_ns = 1010 * US;
	c.first_bytes_ns = 1020 * US;
	c.last_bytes_ns = 1090 * US;
	wire_sample_connection(&s, &c);
	j = wire_sample_json(&s);
	assert_int_equal(json_integer_value(json_object_get(j, "seen")), 2);
	assert_int_equal(json_integer_value(json_object_get(j, "complete")), 1);
	expect(json_object_get(j, "handshake_us"), "median", 10);
	expect(json_object_get(j, "payload_us"), "median", 80);
	assert_true(json_is_null(json_object_get(j, "agreement")));
	json_decref(j);
	assert_int_equal(wire_sample_stamps(&s, "{\"clock\":{}}\n{\"connect", &f), -1);
	assert_non_null(strstr(f.text, "not complete"));
	f = (struct fail){ 0 };
	assert_int_equal(wire_sample_stamps(&s, "no\n", &f), -1);
	assert_non_null(strstr(f.text, "not JSON"));
	wire_sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_medians),
		cmocka_unit_test(test_what_is_beyond_is_counted),
		cmocka_unit_test(test_plain_and_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
