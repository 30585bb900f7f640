/* SPDX-License-Identifier: Apache-2.0 */
/* server_test - a real server over real sockets, without cryptography. */
#include "servers/server_drive.h"

#include <fcntl.h>
#include <stdlib.h>

static struct buf text;

/* The answer's Date is one of the seconds since then. */
static bool has_date_since(int64_t wall_ns)
{
	char field[CLOCK_HTTP_BYTES + 16] = "\r\nDate: ";

	for (; wall_ns / NS_PER_S <= clock_wall_ns() / NS_PER_S; wall_ns += NS_PER_S) {
		clock_http(wall_ns, field + 8);
		if (strstr(buf_text(&text), field))
			return true;
	}
	return false;
}

static void a_request_is_answered(void **state)
{
	int64_t before_ns = clock_wall_ns();
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	struct server_counters c;
	int fd = drive_connect(&p);

	(void)state;
	drive_say(fd, GET_CLOSE);
	drive_read_all(fd, &text);
	assert_int_equal(strncmp(buf_text(&text), "HTTP/1.1 200 OK\r\n", 17), 0);
	assert_true(has_date_since(before_ns));
	assert_non_null(strstr(buf_text(&text), "\r\nContent-Length: 512\r\n"));
	assert_int_equal(text.data[text.len - 1], ']');
	drive_await(s, open, 0);
	server_counters(s, &c);
	assert_int_equal(c.connections, 1);
	assert_int_equal(c.requests, 1);
	assert_int_equal(c.rejected, 0);
	assert_int_equal(c.bytes_received, strlen(GET_CLOSE));
	assert_int_equal(c.bytes_sent, text.len);
	assert_int_equal(c.handshakes_full, 0);
	server_stop(s);
}

static int count_in(const char *where, const char *what)
{
	int n = 0;

	for (where = strstr(where, what); where; where = strstr(where + 1, what))
		n++;
	return n;
}

static void pipelined_requests_are_answered_in_order(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	int fd = drive_connect(&p);
	const char *one, *two, *three;

	(void)state;
	drive_say(fd, "GET /page/11/text HTTP/1.1\r\nHost: h\r\n\r\n"
		      "HEAD /page/22/text HTTP/1.1\r\nHost: h\r\n\r\n"
		      "GET /none HTTP/1.1\r\nHost: h\r\n\r\nGET /page/33/te");
	drive_say(fd, "xt HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	drive_read_all(fd, &text);
	one = strstr(buf_text(&text), "Length: 11\r\n");
	two = one ? strstr(one, "Length: 22\r\n") : NULL;
	three = two ? strstr(two, "Length: 33\r\n") : NULL;
	assert_non_null(three);
	assert_int_equal(count_in(buf_text(&text), "HTTP/1.1 200"), 3);
	assert_int_equal(count_in(buf_text(&text), "HTTP/1.1 404"), 1);
	drive_await(s, requests, 3);
	drive_await(s, rejected, 1);
	server_stop(s);
}

static void thousands_of_requests_on_one_connection(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	int fd = drive_connect(&p);

	(void)state;
	for (int i = 0; i < 3000; i++) {
		drive_say(fd, GET);
		drive_read_answer(fd, 512);
	}
	drive_await(s, requests, 3000);
	drive_await(s, connections, 1);
	close(fd);
	server_stop(s);
}

static void a_half_closed_client_gets_its_answer(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	int fd = drive_connect(&p);

	(void)state;
	drive_say(fd, "GET /page/3MiB/random HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	drive_read_all(fd, &text);
	assert_in_range(text.len, 3 << 20, (3 << 20) + 1000);
	drive_await(s, open, 0);
	server_stop(s);
}

/* The last answer must not be lost by the reset that unread input would cause. */
static void the_last_answer_survives_unread_input(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	char junk[100000];

	(void)state;
	memset(junk, 'x', sizeof junk);
	for (int i = 0; i < 20; i++) {
		int fd = drive_connect(&p);

		drive_say(fd, "GET /page/200000/random HTTP/1.1\r\nHost: h\r\n"
			      "Connection: close\r\n\r\n");
		drive_send(fd, junk, sizeof junk);
		drive_read_all(fd, &text);
		assert_in_range(text.len, 200000, 201000);
	}
	server_stop(s);
}

static void bad_requests_are_refused(void **state)
{
	static const struct {
		const char *bytes, *answer;
	} bad[] = {
		{ "\x16\x03\x01\x02\x00\x01", "HTTP/1.1 400 " },
		{ "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 " },
		{ "BREW / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 501 " },
		{ "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4097\r\n\r\n", "HTTP/1.1 413 " },
		{ "GET / HTTP/3.0\r\n", "HTTP/1.1 505 " },
	};
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	int64_t before_ns = clock_wall_ns();
	char head[5000];
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		fd = drive_connect(&p);
		drive_say(fd, bad[i].bytes);
		drive_read_all(fd, &text);
		assert_int_equal(strncmp(buf_text(&text), bad[i].answer, 13), 0);
		assert_true(has_date_since(before_ns));
	}
	snprintf(head, sizeof head, "GET / HTTP/1.1\r\nX: %04900d", 0);
	fd = drive_connect(&p);
	drive_say(fd, head);
	drive_read_all(fd, &text);
	assert_int_equal(strncmp(buf_text(&text), "HTTP/1.1 431 ", 13), 0);
	drive_await(s, rejected, 6);
	drive_check_alive(&p);
	server_stop(s);
}

static void a_slow_reader_delays_nobody(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	int slow = drive_connect(&p);

	(void)state;
	drive_say(slow, "GET /page/32MiB/random HTTP/1.1\r\nHost: h\r\n"
			"Connection: close\r\n\r\n");
	for (int i = 0; i < 50; i++) {
		char piece[1000];

		drive_check_alive(&p);
		assert_true(drive_read(slow, piece, sizeof piece) > 0);
	}
	drive_await(s, requests, 50);
	drive_read_all(slow, &text);
	assert_in_range(text.len, (32 << 20) - 50000, 32 << 20);
	drive_await(s, requests, 51);
	server_stop(s);
}

static void many_quick_connections_leave_nothing(void **state)
{
	struct linger reset = { .l_onoff = 1 };
	struct server_params p = drive_plain();
	struct server *s;

	(void)state;
	p.threads = 2;
	s = drive_start(&p);
	for (int i = 0; i < 500; i++) {
		int fd = drive_connect(&p);

		if (i % 3 == 1)
			drive_say(fd, GET);
		if (i % 2)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		close(fd);
	}
	/* A connection reset in the queue is still accepted, on Linux. */
	drive_await(s, connections, 500);
	drive_await(s, open, 0);
	drive_check_alive(&p);
	server_stop(s);
}

static void an_address_in_use_is_refused(void **state)
{
	struct server_params p = drive_plain(), again;
	struct server *s = drive_start(&p);
	struct fail f = { 0 };
	char address[32];

	(void)state;
	again = p;
	assert_null(server_start(&again, &f));
	snprintf(address, sizeof address, "127.0.0.1:%u", p.listener[0].url.port);
	assert_non_null(strstr(f.text, "cannot listen on "));
	assert_non_null(strstr(f.text, address));
	assert_non_null(strstr(f.text, "Address already in use"));
	server_stop(s);
	s = drive_start(&again);
	server_stop(s);
}

static void foreign_addresses_are_refused(void **state)
{
	struct server_params p = drive_params("http://192.0.2.1:8080/", &engine_null, "plain");
	struct fail f = { 0 };

	(void)state;
	assert_null(server_start(&p, &f));
	assert_non_null(strstr(f.text, "192.0.2.1:8080"));
}

static void impossible_listeners_are_refused(void **state)
{
	struct server_params coap = drive_params("coap+tcp://127.0.0.1:0/", &engine_null,
						 "tls1.3:AES128-GCM-SHA256:x25519:p256");
	struct server_params bare = drive_params("https://127.0.0.1:0/", &engine_null, "plain");
	struct server_params null = drive_params("https://127.0.0.1:0/", &engine_null,
						 "tls1.3:AES128-GCM-SHA256:x25519:p256");
	struct server_params cpus = drive_plain();
	struct fail f = { 0 };

	(void)state;
	assert_null(server_start(&coap, &f));
	assert_non_null(strstr(f.text, "coap+tcp://"));
	fail_clear(&f);
	assert_null(server_start(&bare, &f));
	assert_non_null(strstr(f.text, "plain"));
	fail_clear(&f);
	assert_null(server_start(&null, &f));
	assert_non_null(strstr(f.text, "null"));
	fail_clear(&f);
	cpus.cpus = "x";
	assert_null(server_start(&cpus, &f));
	assert_non_null(strstr(f.text, "CPU list"));
}

static void stopping_closes_what_is_open(void **state)
{
	struct server_params p = drive_plain();
	struct server *s;
	int idle, busy;

	(void)state;
	p.threads = 2;
	s = drive_start(&p);
	idle = drive_connect(&p);
	busy = drive_connect(&p);
	drive_say(busy, "GET /page/64MiB/random HTTP/1.1\r\nHost: h\r\n\r\n");
	drive_await(s, open, 2);
	assert_int_equal(server_threads(s), 2);
	server_stop(s);
	drive_read_all(idle, &text);
	assert_int_equal(text.len, 0);
	close(busy);
}

static int release_text(void **state)
{
	(void)state;
	buf_release(&text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_answered),
		cmocka_unit_test(pipelined_requests_are_answered_in_order),
		cmocka_unit_test(thousands_of_requests_on_one_connection),
		cmocka_unit_test(a_half_closed_client_gets_its_answer),
		cmocka_unit_test(the_last_answer_survives_unread_input),
		cmocka_unit_test(bad_requests_are_refused),
		cmocka_unit_test(a_slow_reader_delays_nobody),
		cmocka_unit_test(many_quick_connections_leave_nothing),
		cmocka_unit_test(an_address_in_use_is_refused),
		cmocka_unit_test(foreign_addresses_are_refused),
		cmocka_unit_test(impossible_listeners_are_refused),
		cmocka_unit_test(stopping_closes_what_is_open),
	};

	return cmocka_run_group_tests(tests, NULL, release_text);
}
