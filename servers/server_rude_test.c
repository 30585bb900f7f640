/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_rude_test - TLS clients that leave early, are none, break records or say
 * nothing, with every engine of this build.
 */
#include "servers/tls_drive.h"

#include "lib/usage.h"

static void test_rude(struct server_params *p)
{
	static const struct linger reset = { .l_onoff = 1 };
	struct server *s;

	p->tickets = 2;
	s = drive_start(p);
	/* Gone without reading the tickets: by end of stream, by reset, with a request sent. */
	for (int i = 0; i < 30; i++) {
		struct client c;

		client_open(&c, s, p);
		assert_int_equal(client_handshake(&c), STEP_DONE);
		if (i % 3 == 2)
			client_say(&c, GET);
		if (i % 3 == 1)
			setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		client_close(&c);
	}
	drive_await(s, open, 0);
	/* A request that was sent before an orderly end is answered. */
	drive_await(s, requests, 10);
	check_https(s, p, 0);
	server_stop(s);
}

static void clients_that_leave_early_harm_nobody(void **state)
{
	(void)state;
	with_engines(SUITE13, test_rude);
	with_engines(SUITE12, test_rude);
}

static void test_half_closed(struct server_params *p)
{
	struct server *s = drive_start(p);
	struct client c;

	client_open(&c, s, p);
	assert_int_equal(client_handshake(&c), STEP_DONE);
	client_say(&c, "GET /page/1MiB/random HTTP/1.1\r\nHost: h\r\n\r\n");
	/* The end of the stream without a close_notify; the answer comes with one. */
	assert_int_equal(shutdown(c.fd, SHUT_WR), 0);
	client_read_all(&c, &text);
	assert_in_range(text.len, 1 << 20, (1 << 20) + 1000);
	client_close(&c);
	server_stop(s);
}

static void half_closed_clients_get_their_answer(void **state)
{
	(void)state;
	with_engines(SUITE13, test_half_closed);
	with_engines(SUITE12, test_half_closed);
}

static void test_bad_record(struct server_params *p)
{
	static const char record[] = "\x17\x03\x03\x00 abcdefgHIJKLMNOPQRSTUVWXYZ012345";
	struct server *s = drive_start(p);
	char alert[512];
	struct client c;
	int i = 0;

	client_open(&c, s, p);
	assert_int_equal(client_handshake(&c), STEP_DONE);
	for (; i < 100; i++)
		drive_send(c.fd, record, sizeof record - 1);
	/* An alert, then the end; no reset that could overtake it. */
	assert_true(drive_read(c.fd, alert, sizeof alert) > 0);
	assert_int_equal(drive_read(c.fd, alert, sizeof alert), 0);
	client_close(&c);
	drive_await(s, open, 0);
	check_https(s, p, 0);
	server_stop(s);
}

static void bad_records_are_answered_with_an_alert(void **state)
{
	(void)state;
	with_engines(SUITE13, test_bad_record);
	with_engines(SUITE12, test_bad_record);
}

static void test_leaving(struct server_params *p)
{
	static const struct linger reset = { .l_onoff = 1 };
	struct server *s = drive_start(p);

	for (int i = 0; i < 10; i++) {
		int fd = drive_connect(p);

		if (i % 2)
			drive_send(fd, "\x16\x03\x01", 3);
		if (i % 3 == 0)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		close(fd);
	}
	drive_await(s, closed_in_handshake, 10);
	drive_await(s, handshakes_failed, 0);
	check_https(s, p, 0);
	server_stop(s);
}

static void leaving_in_the_handshake_is_counted_apart(void **state)
{
	(void)state;
	with_engines(SUITE13, test_leaving);
}

static void send_garbage(const struct server_params *p, int i)
{
	static const char *const garbage[] = {
		GET,
		"\x80\x2e\x01\x03\x01\x00\x15\x00\x00\x00\x10", /* an SSLv2 hello */
		"\x16\x03\x00\x00\x04\x01\x00\x00\x00XXXXXXXXXXXXXXXX",
		"\x15\x03\x03\x00\x02\x02\x28XXXX",
		"SSH-2.0-OpenSSH_9.2\r\n",
		"\x16\x03\x01\xff\xff\x01",
	};
	static const size_t zeros_inside[] = { 0, 11, 25, 11, 0, 6 };
	size_t n = (size_t)i % (sizeof garbage / sizeof *garbage);
	int fd = drive_connect(p);
	char dropped[256];

	drive_send(fd, garbage[n], zeros_inside[n] ? zeros_inside[n] : strlen(garbage[n]));
	shutdown(fd, SHUT_WR);
	while (drive_read(fd, dropped, sizeof dropped) > 0)
		;
	close(fd);
}

static void test_garbage(struct server_params *p)
{
	struct server *s = drive_start(p);
	struct client patient;
	int64_t before_kib, after_kib;

	client_open(&patient, s, p);
	assert_int_equal(client_handshake(&patient), STEP_DONE);
	for (int i = 0; i < 300; i++)
		send_garbage(p, i);
	before_kib = usage_rss_peak_kib(getpid());
	for (int i = 0; i < 3000; i++)
		send_garbage(p, i);
	after_kib = usage_rss_peak_kib(getpid());
	/* A sanitizer keeps what was freed, and looks for leaks itself. */
	if (after_kib - before_kib > 1024 && !SANITIZED)
		fail_msg("%s: grew from %lld to %lld KiB", p->listener[0].engine->name,
			 (long long)before_kib, (long long)after_kib);
	/* An association from before all this goes on as if nothing had been. */
	client_say(&patient, GET_CLOSE);
	assert_int_equal(strncmp(client_read_all(&patient, &text), "HTTP/1.1 200 OK\r\n", 17), 0);
	client_close(&patient);
	check_https(s, p, 0);
	drive_await(s, open, 0);
	server_stop(s);
}

static void garbage_is_refused_and_leaves_nothing(void **state)
{
	(void)state;
	with_engines(SUITE13, test_garbage);
}

static void test_timeout(struct server_params *p)
{
	struct server *s;
	char dropped[256];
	int silent;

	p->handshake_timeout_ns = 60 * NS_PER_MS;
	s = drive_start(p);
	silent = drive_connect(p);
	drive_send(silent, "\x16\x03\x01", 3);
	while (drive_read(silent, dropped, sizeof dropped) > 0)
		;
	close(silent);
	drive_await(s, timed_out, 1);
	drive_await(s, open, 0);
	server_stop(s);
}

static void silent_clients_time_out(void **state)
{
	(void)state;
	with_engines(SUITE13, test_timeout);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_that_leave_early_harm_nobody),
		cmocka_unit_test(half_closed_clients_get_their_answer),
		cmocka_unit_test(bad_records_are_answered_with_an_alert),
		cmocka_unit_test(leaving_in_the_handshake_is_counted_apart),
		cmocka_unit_test(garbage_is_refused_and_leaves_nothing),
		cmocka_unit_test(silent_clients_time_out),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
