/* SPDX-License-Identifier: Apache-2.0 */
/* server_http2_test - HTTP/2 beside HTTP/1.1 on one server: who gets which, many streams, few
 * rights. */
#include "servers/http2_drive.h"

#include "lib/usage.h"

static struct buf frames;

static void count(struct server *s, struct server_counters *c)
{
	drive_await(s, open, 0);
	server_counters(s, c);
}

/* --- over TLS, chosen by ALPN --------------------------------------------------- */

static void test_streams(struct server_params *p)
{
	struct server_counters c;
	struct http2_client h;
	struct server *s;

	p->http2 = true;
	s = drive_start(p);
	http2_open(&h, s, p, "h2");
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < (round ? 100 : 1); i++)
			http2_ask(&h, i % 2 ? "/page/3000/random" : "/");
		http2_run(&h);
	}
	assert_int_equal(h.answered, 201);
	assert_int_equal(h.body_bytes, 100 * 3000 + 101 * 512);
	http2_close(&h);
	count(s, &c);
	assert_int_equal(c.requests, 201);
	assert_int_equal(c.http2_streams, 201);
	assert_int_equal(c.http2_connections, 1);
	assert_int_equal(c.http2_resets + c.rejected, 0);
	assert_int_equal(c.handshakes_full, 1);
	server_stop(s);
}

static void many_streams_are_answered(void **state)
{
	(void)state;
	with_engines(SUITE13, test_streams);
	with_engines(SUITE12, test_streams);
}

/* What it says to a client that would rather speak, or can only speak, HTTP/1.1. */
static void check_http1(struct server *s, const struct server_params *p, const char *offer,
			const char *agreed)
{
	struct tls_facts facts = { 0 };
	struct client c;

	client_open_with(&c, s, p, offer);
	assert_int_equal(client_handshake(&c), STEP_DONE);
	c.domain.ops->facts(&c.assoc, &facts);
	assert_string_equal(facts.alpn, agreed);
	client_say(&c, GET_CLOSE);
	assert_int_equal(strncmp(client_read_all(&c, &text), "HTTP/1.1 200 OK\r\n", 17), 0);
	client_close(&c);
}

static void test_mixed(struct server_params *p)
{
	struct server_counters c;
	struct http2_client h[2];
	struct server *s;

	p->http2 = true;
	s = drive_start(p);
	http2_open(&h[0], s, p, "http/1.1,h2");
	check_http1(s, p, NULL, "");
	http2_open(&h[1], s, p, "h2,http/1.1");
	check_http1(s, p, "http/1.1", "http/1.1");
	for (int i = 0; i < 10; i++) {
		/* One only until the server's SETTINGS have come. */
		if (i == 1) {
			http2_run(&h[0]);
			http2_run(&h[1]);
		}
		http2_ask(&h[0], "/page/100");
		http2_ask(&h[1], "/page/100");
	}
	http2_run(&h[0]);
	check_http1(s, p, NULL, "");
	http2_run(&h[1]);
	http2_close(&h[0]);
	http2_close(&h[1]);
	count(s, &c);
	assert_int_equal(c.http2_connections, 2);
	assert_int_equal(c.http2_streams, 20);
	assert_int_equal(c.requests, 23);
	server_stop(s);
}

static void both_protocols_live_on_one_port(void **state)
{
	(void)state;
	with_engines(SUITE13, test_mixed);
	with_engines(SUITE12, test_mixed);
}

static void test_off(struct server_params *p)
{
	struct server *s = drive_start(p);

	check_http1(s, p, "h2,http/1.1", "");
	server_stop(s);
}

static void http2_is_not_offered_unless_asked(void **state)
{
	(void)state;
	with_engines(SUITE13, test_off);
}

/* --- over plain TCP, known by its first bytes --------------------------------------- */

static struct server_params plain_params(void)
{
	struct server_params p = drive_plain();

	p.http2 = true;
	return p;
}

static void the_preface_is_known_however_it_is_cut(void **state)
{
	struct server_params p = plain_params();
	struct server *s = drive_start(&p);
	struct server_counters c;

	(void)state;
	for (size_t piece = 1; piece < 6; piece++) {
		int fd = drive_connect(&p);

		frame_begin(&frames);
		frame_get(&frames, 1, "/page/70");
		/* GOAWAY: the server ends when it has answered. */
		frame_put(&frames, 7, 0, 0, "\0\0\0\0\0\0\0\0", 8);
		for (size_t at = 0; at < frames.len; at += piece) {
			size_t left = frames.len - at;

			drive_send(fd, frames.data + at, left < piece ? left : piece);
		}
		shutdown(fd, SHUT_WR);
		drive_read_all(fd, &text);
		assert_in_range(text.len, 9 + 9 + 70, 1000);
		assert_memory_equal(text.data + 3, "\4\0\0\0\0\0", 6); /* SETTINGS come first */
	}
	count(s, &c);
	assert_int_equal(c.http2_connections, 5);
	assert_int_equal(c.requests, 5);
	server_stop(s);
}

static void other_first_bytes_are_http1(void **state)
{
	static const struct {
		const char *said, *answer;
	} rows[] = {
		{ GET_CLOSE, "HTTP/1.1 200 " },
		{ "P", "" },
		{ "PR", "" },
		{ "PRI", "" },
		{ "PUT / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "HTTP/1.1 405 " },
		{ "PRO", "" },
		{ "\r\nGET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 " },
		{ "PR\x01", "HTTP/1.1 400 " },
		{ "", "" },
	};
	struct server_params p = plain_params();
	struct server *s = drive_start(&p);
	struct server_counters c;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int fd = drive_connect(&p);

		for (const char *byte = rows[i].said; *byte; byte++)
			drive_send(fd, byte, 1);
		shutdown(fd, SHUT_WR);
		drive_read_all(fd, &text);
		if (strncmp(buf_text(&text), rows[i].answer, strlen(rows[i].answer)) != 0 ||
		    (text.len > 0) != (rows[i].answer[0] != '\0'))
			fail_msg("row %zu: %s", i, buf_text(&text));
	}
	count(s, &c);
	assert_int_equal(c.http2_connections, 0);
	server_stop(s);
}

/* --- ends ------------------------------------------------------------------------- */

static void close_each_ends_after_one_answer(void **state)
{
	struct server_params p = plain_params();
	struct http2_client h;
	struct server *s;

	(void)state;
	p.close_each = true;
	s = drive_start(&p);
	http2_open(&h, s, &p, NULL);
	http2_ask(&h, "/");
	http2_run(&h);
	while (!h.over)
		http2_step(&h);
	assert_int_equal(h.answered, 1);
	http2_close(&h);
	drive_await(s, open, 0);
	server_stop(s);
}

static void pings_do_not_keep_it_open(void **state)
{
	struct server_params p = plain_params();
	int64_t until_ns = clock_ns() + PATIENCE_NS;
	struct server *s;
	char bytes[4096];
	ssize_t n;
	int fd;

	(void)state;
	p.idle_timeout_ns = 200 * NS_PER_MS;
	s = drive_start(&p);
	fd = drive_connect(&p);
	frame_begin(&frames);
	do {
		frame_put(&frames, 6, 0, 0, "12345678", 8);
		if (send(fd, frames.data, frames.len, MSG_NOSIGNAL) < 0)
			break;
		buf_clear(&frames);
		n = drive_read(fd, bytes, sizeof bytes);
		clock_sleep_until(clock_ns() + 10 * NS_PER_MS);
	} while (n > 0 && clock_ns() < until_ns);
	assert_true(clock_ns() < until_ns);
	close(fd);
	drive_await(s, timed_out, 1);
	server_stop(s);
}

/* --- streams that are given up ------------------------------------------------------- */

static void an_answer_can_be_stopped(void **state)
{
	struct server_params p = plain_params();
	struct server *s = drive_start(&p);
	struct server_counters c;
	static char bytes[65536];
	int64_t got = 0;
	int fd = drive_connect(&p);

	(void)state;
	frame_begin(&frames);
	/* All the window there can be: on the session, and by SETTINGS on each stream. */
	frame_put(&frames, 4, 0, 0, "\0\4\x7f\xff\xff\xff", 6);
	frame_put(&frames, 8, 0, 0, "\x7f\xff\0\0", 4);
	frame_get(&frames, 1, "/page/64MiB/random");
	drive_send(fd, frames.data, frames.len);
	while (got < 1 << 20) {
		ssize_t n = drive_read(fd, bytes, sizeof bytes);

		assert_true(n > 0);
		got += n;
	}
	buf_clear(&frames);
	frame_cancel(&frames, 1);
	frame_get(&frames, 3, "/page/10");
	drive_send(fd, frames.data, frames.len);
	for (;;) {
		server_counters(s, &c);
		if (c.requests == 1)
			break;
		got += drive_read(fd, bytes, sizeof bytes);
	}
	assert_int_equal(c.http2_resets, 1);
	assert_true(c.bytes_sent < 48 << 20);
	close(fd);
	server_stop(s);
}

/* As many streams as a read holds, opened and given up at once, again and again. */
static void reset_rapidly(const struct server_params *p, const char *target)
{
	int fd = drive_connect(p);
	char bytes[65536];
	ssize_t n = 1;

	frame_begin(&frames);
	for (uint32_t id = 1; id < 100000 && n != 0; id += 2) {
		frame_get(&frames, id, target);
		frame_cancel(&frames, id);
		if (id % 100 != 99)
			continue;
		if (send(fd, frames.data, frames.len, MSG_NOSIGNAL) < 0)
			break;
		buf_clear(&frames);
		do {
			n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
		} while (n > 0);
	}
	/* It ends the connection, whatever is still on its way. */
	while (drive_read(fd, bytes, sizeof bytes) > 0)
		;
	close(fd);
}

static void rapid_resets_end_the_connection_and_leave_nothing(void **state)
{
	struct server_params p = plain_params();
	struct server *s = drive_start(&p);
	int64_t before_kib, after_kib;
	struct server_counters c;

	(void)state;
	for (int i = 0; i < 3; i++)
		reset_rapidly(&p, "/page/20000/random");
	before_kib = usage_rss_peak_kib(getpid());
	for (int i = 0; i < 20; i++)
		reset_rapidly(&p, "/page/20000/random");
	after_kib = usage_rss_peak_kib(getpid());
	if (!SANITIZED)
		assert_true(after_kib - before_kib < 2048);
	drive_check_alive(&p);
	count(s, &c);
	assert_in_range(c.http2_streams, 23 * 900, 23 * 1200);
	assert_in_range(c.http2_resets, 23 * 900, 23 * 1200);
	server_stop(s);
}

/* More at once than is allowed costs those streams, not the connection. */
static void streams_beyond_the_limit_are_refused(void **state)
{
	struct server_params p = plain_params();
	struct server_counters c;
	struct server *s;
	int fd;

	(void)state;
	p.streams = 4;
	s = drive_start(&p);
	fd = drive_connect(&p);
	frame_begin(&frames);
	/* No window: nothing of an answer but its head can leave. */
	frame_put(&frames, 4, 0, 0, "\0\4\0\0\0\0", 6);
	for (uint32_t id = 1; id <= 11; id += 2)
		frame_get(&frames, id, "/");
	drive_send(fd, frames.data, frames.len);
	drive_await(s, http2_streams, 4);
	buf_clear(&frames);
	frame_put(&frames, 4, 0, 0, "\0\4\0\0\xff\xff", 6);
	drive_send(fd, frames.data, frames.len);
	drive_await(s, requests, 4);
	buf_clear(&frames);
	frame_get(&frames, 13, "/");
	drive_send(fd, frames.data, frames.len);
	drive_await(s, requests, 5);
	close(fd);
	count(s, &c);
	assert_int_equal(c.http2_streams, 5);
	assert_int_equal(c.http2_connections, 1);
	server_stop(s);
}

static int forget(void **state)
{
	buf_release(&frames);
	return remove_dir(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_streams_are_answered),
		cmocka_unit_test(both_protocols_live_on_one_port),
		cmocka_unit_test(http2_is_not_offered_unless_asked),
		cmocka_unit_test(the_preface_is_known_however_it_is_cut),
		cmocka_unit_test(other_first_bytes_are_http1),
		cmocka_unit_test(close_each_ends_after_one_answer),
		cmocka_unit_test(pings_do_not_keep_it_open),
		cmocka_unit_test(an_answer_can_be_stopped),
		cmocka_unit_test(rapid_resets_end_the_connection_and_leave_nothing),
		cmocka_unit_test(streams_beyond_the_limit_are_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, forget);
}
