/* SPDX-License-Identifier: Apache-2.0 */
/* server_limits_test - time-outs and limits of a real server, without cryptography. */
#include "servers/server_drive.h"

static void a_slow_head_times_out_whatever_trickles(void **state)
{
	struct server_params p = drive_plain();
	struct pollfd wait;
	struct server *s;
	char byte;

	(void)state;
	p.idle_timeout_ns = 100 * NS_PER_MS;
	s = drive_start(&p);
	wait = (struct pollfd){ .fd = drive_connect(&p), .events = POLLIN };
	drive_say(wait.fd, "GET / HTTP/1.1\r\nX: ");
	/* A byte every few milliseconds is no progress. */
	for (int i = 0; i < 4000 && poll(&wait, 1, 5) == 0; i++)
		if (send(wait.fd, "x", 1, MSG_NOSIGNAL) != 1)
			break;
	assert_true(drive_read(wait.fd, &byte, 1) <= 0);
	close(wait.fd);
	drive_await(s, timed_out, 1);
	drive_await(s, open, 0);
	server_stop(s);
}

static void idle_connections_time_out(void **state)
{
	struct server_params p = drive_plain();
	struct server *s;
	char byte;
	int fd;

	(void)state;
	p.idle_timeout_ns = 50 * NS_PER_MS;
	s = drive_start(&p);
	fd = drive_connect(&p);
	drive_say(fd, GET);
	drive_read_answer(fd, 512);
	assert_int_equal(drive_read(fd, &byte, 1), 0);
	close(fd);
	drive_await(s, timed_out, 1);
	server_stop(s);
}

static void busy_connections_do_not_time_out(void **state)
{
	struct server_params p = drive_plain();
	struct server *s;
	int64_t until_ns;
	int fd;

	(void)state;
	p.idle_timeout_ns = 500 * NS_PER_MS;
	s = drive_start(&p);
	fd = drive_connect(&p);
	for (until_ns = clock_ns() + 1200 * NS_PER_MS; clock_ns() < until_ns;) {
		drive_say(fd, GET);
		drive_read_answer(fd, 512);
	}
	drive_await(s, timed_out, 0);
	drive_await(s, open, 1);
	close(fd);
	server_stop(s);
}

static void a_reader_that_stops_times_out(void **state)
{
	struct server_params p = drive_plain();
	struct server *s;
	int fd;

	(void)state;
	p.idle_timeout_ns = 100 * NS_PER_MS;
	s = drive_start(&p);
	fd = drive_connect(&p);
	drive_say(fd, "GET /page/64MiB/random HTTP/1.1\r\nHost: h\r\n\r\n");
	drive_await(s, timed_out, 1);
	drive_await(s, open, 0);
	drive_await(s, requests, 0);
	close(fd);
	server_stop(s);
}

static void connections_beyond_the_limit_are_closed(void **state)
{
	struct server_params p = drive_plain();
	struct server *s;
	int first, second, third;
	char byte;

	(void)state;
	p.connections = 2;
	s = drive_start(&p);
	first = drive_connect(&p);
	second = drive_connect(&p);
	drive_await(s, open, 2);
	third = drive_connect(&p);
	assert_true(drive_read(third, &byte, 1) <= 0);
	drive_await(s, refused, 1);
	drive_await(s, connections, 2);
	drive_say(first, GET);
	drive_read_answer(first, 512);
	close(second);
	drive_await(s, open, 1);
	drive_check_alive(&p);
	close(first);
	close(third);
	server_stop(s);
}

static void running_out_of_descriptors_pauses(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	int fd = socket(AF_INET, SOCK_STREAM, 0), taken[70000], count = 0;
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(p.listener[0].url.port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	(void)state;
	while (count < 70000 && (taken[count] = dup(0)) >= 0)
		count++;
	if (count == 70000) {
		print_message("skipped: more than 70000 descriptors are allowed\n");
	} else {
		struct server_counters c;

		assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
		drive_say(fd, GET);
		drive_await(s, accept_pauses, 1); /* and not more at once */
		server_counters(s, &c);
		assert_int_equal(c.connections, 0);
	}
	while (count > 0)
		close(taken[--count]);
	close(fd);
	drive_check_alive(&p);
	server_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_head_times_out_whatever_trickles),
		cmocka_unit_test(idle_connections_time_out),
		cmocka_unit_test(busy_connections_do_not_time_out),
		cmocka_unit_test(a_reader_that_stops_times_out),
		cmocka_unit_test(connections_beyond_the_limit_are_closed),
		cmocka_unit_test(running_out_of_descriptors_pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
