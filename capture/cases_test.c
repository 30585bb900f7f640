/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_test - the cases P01 to P11 of handshake timing on the shared captures, and captures cut at
 * any byte. Skipped where the files are not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/timeline.h"
#include "lib/path.h"

#define CONNECTIONS_MAX 8

/* What was reported; messages are copied. */
struct seen {
	struct connection c[CONNECTIONS_MAX];
	int count;
	bool cut, is_pcapng;
};

static void keep(void *data, const struct connection *c)
{
	struct seen *s = data;
	struct connection *copy = &s->c[s->count++];

	assert_true(s->count <= CONNECTIONS_MAX);
	*copy = *c;
	copy->message = calloc((size_t)c->message_count + 1, sizeof(*c->message));
	assert_non_null(copy->message);
	if (c->message_count)
		memcpy(copy->message, c->message, (size_t)c->message_count * sizeof(*c->message));
}

static void forget(struct seen *s)
{
	for (int i = 0; i < s->count; i++)
		connection_release(&s->c[i]);
	s->count = 0;
}

static struct buf load(const char *name)
{
	const char *shared = getenv("CIPHERWATT_SHARED");
	struct fail f = { 0 };
	char path[PATH_BYTES];
	struct buf b;

	snprintf(path, sizeof(path), "%s/data/pcap/%s", shared ? shared : "../shared", name);
	buf_init(&b, 0);
	if (!path_exists(path)) {
		printf("skipped: %s is not there; CIPHERWATT_SHARED names the folder\n", path);
		skip();
	}
	if (path_read(path, 1 << 20, &b, &f) != 0)
		fail_msg("%s", f.text);
	return b;
}

static void read_bytes(const struct buf *b, size_t len, struct seen *s)
{
	struct timeline *t = calloc(1, sizeof(*t));
	FILE *in = fmemopen(b->data, len, "r");
	struct capture_file file;

	assert_non_null(t);
	assert_non_null(in);
	memset(s, 0, sizeof(*s));
	timeline_init(t, keep, s);
	if (!capture_file_init(&file, in))
		assert_int_equal(timeline_read(t, &file), 0);
	s->cut = file.cut;
	s->is_pcapng = file.is_pcapng;
	capture_file_release(&file);
	fclose(in);
	free(t);
}

static void read_capture(const char *name, struct seen *s)
{
	struct buf b = load(name);

	read_bytes(&b, b.len, s);
	buf_release(&b);
}

static int count_of(const struct connection *c, const char *name)
{
	int count = 0;

	for (int i = 0; i < c->message_count; i++) {
		char long_name[64];

		message_long_name(c, &c->message[i], long_name, sizeof(long_name));
		count += !strcmp(long_name, name);
	}
	return count;
}

static void assert_outcome(const struct connection *c, const char *want)
{
	char outcome[32];

	connection_outcome(c, outcome, sizeof(outcome));
	assert_string_equal(outcome, want);
	if (strcmp(want, "complete"))
		assert_true(connection_handshake_ns(c) == TIME_NONE);
}

static void test_p01_retry_is_one_handshake(void **state)
{
	struct seen s;

	(void)state;
	read_capture("zeek-hrr.pcap", &s);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.c[0].hello_retries, 1);
	assert_int_equal(s.c[0].client_hellos, 2);
	assert_true(connection_handshake_ns(&s.c[0]) == 1062107000 - 1014949000);
	assert_true(s.c[0].second_hello_ns - s.c[0].first_hello_ns == 1044481000 - 1014949000);
	assert_int_equal(connection_shares(&s.c[0]).round_trips, 2);
	forget(&s);
}

static void test_p02_cookie_round_is_apart(void **state)
{
	struct seen s;

	(void)state;
	read_capture("zeek-dtls1_2.pcap", &s);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.c[0].hello_verifies, 1);
	assert_true(s.c[0].first_hello_ns == s.c[0].origin_ns);
	assert_true(connection_handshake_ns(&s.c[0]) == 57024000);
	assert_true(s.c[0].second_hello_ns - s.c[0].origin_ns == 17791000);
	forget(&s);
}

static void test_p04_repeated_segments_move_nothing(void **state)
{
	struct seen s;

	(void)state;
	read_capture("ndpi-psiphon3.pcap", &s);
	assert_int_equal(s.count, 1);
	assert_true(s.c[0].repeated_bytes[0] + s.c[0].repeated_bytes[1] > 0);
	assert_true(s.c[0].server_hello_ns - s.c[0].origin_ns == 45334000);
	assert_true(connection_handshake_ns(&s.c[0]) == 75577000 - 20375000);
	forget(&s);
	read_capture("zeek-pppoe-over-qinq.pcap", &s);
	assert_int_equal(s.count, 1);
	assert_true(s.c[0].repeated_bytes[0] + s.c[0].repeated_bytes[1] > 0);
	assert_true(connection_handshake_ns(&s.c[0]) == 1385796000 - 415602000);
	assert_int_equal(count_of(&s.c[0], "server_encrypted_alert"), 1);
	forget(&s);
}

static void test_p05_one_sided_ones_are_partial(void **state)
{
	static const char *const names[] = { "ndpi-tls_1.2_unidirectional_client.pcapng",
					     "ndpi-tls_1.3_unidirectional_server.pcapng",
					     "ndpi-stun_dtls_unidirectional_server.pcap" };
	struct seen s;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		read_capture(names[i], &s);
		assert_int_equal(s.count, 1);
		assert_outcome(&s.c[0], "partial");
		assert_true(connection_shares(&s.c[0]).server_ns == TIME_NONE);
		forget(&s);
	}
}

static void assert_unified(const struct connection *c, uint64_t records, int cid_bytes)
{
	assert_true(c->unified_records == records);
	assert_int_equal(c->cid_bytes[0], cid_bytes);
	assert_outcome(c, "complete");
	assert_true(count_of(c, "server_encrypted_handshake") > 0);
	assert_true(count_of(c, "client_encrypted_handshake") > 0);
	assert_true(connection_handshake_ns(c) > c->server_hello_ns - c->first_hello_ns);
}

static void test_p08_unified_headers_by_epoch(void **state)
{
	struct seen s;

	(void)state;
	read_capture("zeek-dtls13-cid.pcap", &s);
	assert_int_equal(s.count, 5);
	assert_true(s.c[1].cid_bytes[0] > 0 || s.c[1].cid_bytes[1] > 0);
	assert_unified(&s.c[1], 11, 17);
	assert_unified(&s.c[4], 14, -1);
	assert_outcome(&s.c[0], "unanswered");
	forget(&s);
	read_capture("ndpi-dtls-dsb.pcap", &s);
	assert_int_equal(s.count, 3);
	assert_unified(&s.c[2], 14, -1);
	forget(&s);
	read_capture("zeek-dtls13-wolfssl.pcap", &s);
	assert_unified(&s.c[0], 11, -1);
	forget(&s);
}

static void test_p09_failures_are_named(void **state)
{
	static const struct {
		const char *file;
		int connection;
		const char *outcome;
	} cases[] = {
		{ "suricata-tls-duplicate-hello.pcap", 0, "partial" },
		{ "zeek-https-to-http.pcap", 0, "not-tls-reply" },
		{ "zeek-ssl-to-http-server.pcap", 0, "not-tls-reply" },
		{ "ndpi-tls_alert.pcap", 0, "alert:2/70" },
		{ "ndpi-tls_alert.pcap", 1, "partial" },
	};
	struct seen s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		read_capture(cases[i].file, &s);
		assert_true(s.count > cases[i].connection);
		assert_outcome(&s.c[cases[i].connection], cases[i].outcome);
		forget(&s);
	}
}

static void test_p11_format_by_magic_number(void **state)
{
	struct seen s;

	(void)state;
	read_capture("ndpi-dtls-dsb.pcap", &s);
	assert_true(s.is_pcapng);
	forget(&s);
	read_capture("ndpi-psiphon3.pcap", &s);
	assert_false(s.is_pcapng);
	forget(&s);
}

/* Whatever the cut, what stood before it is as in the whole. */
static void test_cut_captures_are_read_up_to_the_cut(void **state)
{
	struct buf b = load("zeek-dtls1_2.pcap");
	struct seen whole, part;

	(void)state;
	read_bytes(&b, b.len, &whole);
	assert_false(whole.cut);
	for (size_t len = 24; len < b.len; len++) {
		int count;

		read_bytes(&b, len, &part);
		count = part.count ? part.c[0].message_count : 0;
		assert_true(count <= whole.c[0].message_count);
		for (int i = 0; i < count; i++) {
			assert_string_equal(part.c[0].message[i].type, whole.c[0].message[i].type);
			assert_true(part.c[0].message[i].time_ns == whole.c[0].message[i].time_ns);
		}
		if (len + 1 == b.len)
			assert_true(part.cut && count + 1 == whole.c[0].message_count);
		forget(&part);
	}
	forget(&whole);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_p01_retry_is_one_handshake),
		cmocka_unit_test(test_p02_cookie_round_is_apart),
		cmocka_unit_test(test_p04_repeated_segments_move_nothing),
		cmocka_unit_test(test_p05_one_sided_ones_are_partial),
		cmocka_unit_test(test_p08_unified_headers_by_epoch),
		cmocka_unit_test(test_p09_failures_are_named),
		cmocka_unit_test(test_p11_format_by_magic_number),
		cmocka_unit_test(test_cut_captures_are_read_up_to_the_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
