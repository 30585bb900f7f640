/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_pace_test - think time, ramp, requests per connection, connection and data rates, threads:
 * each by a bound that holds on a machine of any speed.
 */
#include <errno.h>
#include <sys/syscall.h>

#include "clients/connection.h"
#include "clients/load_json.h"
#include "clients/load_setup.h"
#include "clients/load_testing.h"

/* This program's connect(): the kernel's, but for a machine that has no ports left. */
static atomic_int ports_left = -1;

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	if (atomic_load(&ports_left) == 0) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	if (atomic_load(&ports_left) > 0)
		atomic_fetch_sub(&ports_left, 1);
	return (int)syscall(SYS_connect, fd, to, len);
}

static struct fake server;

static void begin(struct run *run, enum fake_way way)
{
	fake_start(&server, way);
	prepare(run, server.port);
}

static void end(struct run *run)
{
	go(run);
	assert_int_equal(run->status, 0);
	fake_stop(&server);
}

static int64_t span_ns(const struct run *run)
{
	return run->r.window_to_ns - run->r.window_from_ns;
}

static void clients_think(void **state)
{
	(void)state;
	struct run run;
	begin(&run, FAKE_NORMAL);
	run.p.count = 10; /* five each: four thoughts between them */
	run.p.think_ns = 20 * MS;
	end(&run);
	assert_true(span_ns(&run) >= 80 * MS);
	assert_int_equal(run.r.window.succeeded, 10);
	/* What a client thinks is no part of a response: it was due when the thought was over. */
	assert_true(run.r.response.min_ns < 20 * MS);
	load_result_release(&run.r);
}

static void clients_start_over_the_ramp(void **state)
{
	(void)state;
	struct load_params p = { .clients = 10, .threads = 2, .ramp_ns = 1000 };
	for (int i = 0; i < 10; i++)
		assert_int_equal(load_join_ns(&p, i % 2, i / 2, 5), 5 + 100 * i);
	for (int threads = 1; threads <= 2; threads++) {
		struct run run;
		begin(&run, FAKE_NORMAL);
		run.p.clients = 8;
		run.p.count = 0;
		run.p.duration_ns = 100 * MS;
		run.p.think_ns = 10000 * MS; /* each asks once */
		run.p.ramp_ns = 240 * MS;
		run.p.threads = threads;
		end(&run);
		/* 30 ms apart: those whose turn came before the window's end, and no other. */
		assert_in_range(run.r.window.connects, 1, span_ns(&run) / (30 * MS) + 1);
		assert_int_equal(run.r.window.succeeded, run.r.window.connects);
		assert_int_equal(run.r.clients_connected, run.r.window.connects);
		load_result_release(&run.r);
	}
}

static void so_many_requests_on_a_connection(void **state)
{
	(void)state;
	for (int n = 1; n <= 5; n++) {
		struct run run;
		begin(&run, FAKE_NORMAL);
		run.p.clients = 1;
		run.p.count = 20;
		run.p.connection_requests = n;
		end(&run);
		assert_int_equal(run.r.window.connects, (20 + n - 1) / n);
		assert_int_equal(run.r.window.succeeded, 20);
		/* They were to end: that is no reconnect. And the server closed them. */
		assert_int_equal(run.r.window.reconnects, 0);
		assert_int_equal(run.r.window.closed_first, 0);
		load_result_release(&run.r);
	}
}

static void connections_come_at_their_rate(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct run run;
		begin(&run, i == 3 ? FAKE_CLOSES_UNSAID : FAKE_NORMAL);
		run.p.connection = i == 3 ? CONNECTION_KEEPALIVE : CONNECTION_FULL;
		run.p.clients = 5;
		run.p.threads = 1 + i % 2;
		run.p.count = 16;
		run.p.connection_rate_per_s = 200;
		run.p.rate_per_s = i == 2 ? 100000 : 0;
		end(&run);
		assert_int_equal(run.r.window.succeeded, 16);
		/* Threads that begin a little apart may each be one ahead. */
		assert_true(span_ns(&run) >= (run.r.window.connects - run.p.threads) * 5 * MS);
		if (i == 2) /* due, and had to wait: it shows */
			assert_true(run.r.overdue_max_ns >= 70 * MS);
		else if (i < 2) /* not asked for before its turn */
			assert_true(run.r.response.min_ns < 5 * MS);
		load_result_release(&run.r);
	}
}

/* Who thinks holds no turn to connect that others could have now. */
static void who_thinks_holds_up_nobody(void **state)
{
	(void)state;
	for (int limit = 0; limit < 2; limit++) {
		struct run run;
		begin(&run, FAKE_NORMAL);
		run.p.connection = CONNECTION_FULL;
		run.p.count = 0;
		run.p.duration_ns = 600 * MS;
		run.p.ramp_ns = 100 * MS;
		run.p.think_ns = 700 * MS;
		run.p.connection_rate_per_s = limit ? 100 : 0;
		end(&run);
		assert_int_equal(run.r.window.started, 2);
		assert_int_equal(run.r.window.succeeded, 2);
		load_result_release(&run.r);
	}
}

/* Bytes on the wire, either way, take their time; the burst is a hundredth of a second. */
static void data_rates_are_kept(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct run run;
		bool up = i % 2;
		begin(&run, FAKE_NORMAL);
		run.p.connection = (enum connection_mode)(i / 2);
		run.p.count = 12;
		run.p.threads = 1 + i / 2;
		if (up)
			run.p.upload_bytes_per_s = 5000;
		else
			run.p.download_bytes_per_s = 50000;
		end(&run);
		int64_t bytes = up ? run.r.total.wire_bytes_sent : run.r.total.wire_bytes_received;
		int64_t rate = up ? 5000 : 50000;
		/* Each thread's last piece is not waited for: one read, or one request. */
		int64_t last = (up ? 200 : 8192) * run.p.threads;
		assert_int_equal(run.r.window.succeeded, 12);
		assert_true(span_ns(&run) >= (bytes - last - rate / 100) * NS_PER_S / rate);
		load_result_release(&run.r);
	}
}

static void threads_add_up(void **state)
{
	(void)state;
	for (int threads = 2; threads <= 5; threads++) {
		struct run run;
		begin(&run, threads % 2 ? FAKE_MIX : FAKE_NORMAL);
		run.p.clients = 9;
		run.p.count = 101;
		run.p.threads = threads;
		run.p.warmup_ns = 10 * MS;
		end(&run);
		assert_int_equal(run.r.window.started, 101);
		if (threads % 2 == 0) {
			assert_int_equal(run.r.window.succeeded, 101);
			assert_int_equal(run.r.total.connects, 9);
			assert_int_equal(run.r.clients_connected, 9);
			assert_int_equal(run.r.total.started, atomic_load(&server.requests));
		}
		assert_true(run.r.cpu_busiest_ns <= run.r.cpu_ns);
		load_result_release(&run.r);
	}
}

static void threads_end_together(void **state)
{
	(void)state;
	struct run run;
	const volatile int stop = 1;
	begin(&run, FAKE_NORMAL);
	run.p.clients = 4;
	run.p.threads = 4;
	run.p.count = 0;
	run.p.duration_ns = 60000 * MS;
	run.p.stop = &stop;
	end(&run);
	assert_false(run.r.complete);
	load_result_release(&run.r);
	begin(&run, FAKE_NORMAL);
	run.p.threads = 3;
	run.status = load_run(&run.p, &run.r, &run.f);
	assert_int_equal(run.status, -1); /* more threads than clients */
	assert_non_null(strstr(run.f.text, "threads"));
	fake_stop(&server);
	load_result_release(&run.r);
}

/* L17: no port is this machine's fault, it is said so, and nobody spins. */
static void no_port_left_is_our_own_limit(void **state)
{
	(void)state;
	struct run run;
	char why[256];
	begin(&run, FAKE_NORMAL);
	run.p.connection = CONNECTION_FULL;
	run.p.count = 0;
	run.p.duration_ns = 200 * MS;
	run.p.min_success_pct = 0;
	atomic_store(&ports_left, 20);
	end(&run);
	atomic_store(&ports_left, -1);
	assert_int_equal(run.r.window.succeeded, 20);
	assert_int_equal(run.r.window.client_limits, run.r.window.connects_failed);
	assert_in_range(run.r.window.client_limits, 2, 40); /* 1, 2, 4 .. 100 ms apart */
	assert_non_null(load_verdict(&run.p, &run.r, why));
	assert_non_null(strstr(why, "this machine"));
	load_result_release(&run.r);
}

static void ports_are_counted_before(void **state)
{
	(void)state;
	struct load_params p = { .connection = CONNECTION_FULL,
				 .rate_per_s = 2000,
				 .duration_ns = 60 * NS_PER_S };
	char text[256];
	assert_non_null(load_port_warning(&p, text)); /* 120,000 of at most 64,512 ports */
	assert_non_null(strstr(text, "120000 connections"));
	p.connection_requests = 100;
	p.connection = CONNECTION_KEEPALIVE;
	assert_null(load_port_warning(&p, text));
	p.connection_requests = 0;
	assert_null(load_port_warning(&p, text));
	p.connection = CONNECTION_FULL;
	p.rate_per_s = 0; /* not known beforehand */
	assert_null(load_port_warning(&p, text));
}

/* L16: a server that takes two of eight clients. */
static void clients_left_out_degrade_a_run(void **state)
{
	(void)state;
	struct run run;
	char why[256];
	prepare(&run, 1);
	run.r.complete = true;
	run.r.window = (struct load_counters){ .started = 1000, .succeeded = 1000 };
	run.r.clients_tried = 8;
	run.r.clients_connected = 8;
	assert_null(load_verdict(&run.p, &run.r, why));
	run.r.clients_connected = 2;
	assert_non_null(load_verdict(&run.p, &run.r, why));
	assert_non_null(strstr(why, "6 of 8 clients never got a connection"));
	run.p.min_success_pct = 25;
	assert_null(load_verdict(&run.p, &run.r, why));
	load_result_release(&run.r);
	begin(&run, FAKE_NORMAL);
	run.p.clients = 8;
	run.p.count = 0;
	run.p.duration_ns = 100 * MS;
	run.p.min_success_pct = 90;
	atomic_store(&ports_left, 2);
	end(&run);
	atomic_store(&ports_left, -1);
	assert_int_equal(run.r.clients_tried, 8);
	assert_int_equal(run.r.clients_connected, 2);
	load_result_release(&run.r);
}

static void modes_as_text(void **state)
{
	(void)state;
	static const char *const bad[] = { "",           "keep",         "full:2",
					   "keepalive:", "keepalive:0",  "keepalive:x",
					   "resume:101", "keepalive:1 ", "fullx" };
	enum connection_mode mode;
	int64_t n;
	struct fail f = { 0 };
	char text[CONNECTION_TEXT_BYTES];
	assert_int_equal(connection_parse("keepalive:100", &mode, &n, &f), 0);
	assert_int_equal(mode, CONNECTION_KEEPALIVE);
	assert_int_equal(n, 100);
	assert_string_equal(connection_format(mode, n, text), "keepalive:100");
	assert_int_equal(connection_parse("full", &mode, &n, &f), 0);
	assert_int_equal(mode, CONNECTION_FULL);
	assert_string_equal(connection_format(mode, n, text), "full");
	assert_int_equal(connection_parse("resume", &mode, &n, &f), 0);
	assert_int_equal(mode, CONNECTION_RESUME);
	assert_int_equal(n, 100);
	assert_string_equal(connection_format(mode, n, text), "resume");
	assert_int_equal(connection_parse("resume:80", &mode, &n, &f), 0);
	assert_string_equal(connection_format(mode, n, text), "resume:80");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		fail_clear(&f);
		if (!connection_parse(bad[i], &mode, &n, &f))
			fail_msg("'%s' was accepted", bad[i]);
		assert_non_null(strstr(f.text, "keepalive"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_think),
		cmocka_unit_test(clients_start_over_the_ramp),
		cmocka_unit_test(so_many_requests_on_a_connection),
		cmocka_unit_test(connections_come_at_their_rate),
		cmocka_unit_test(who_thinks_holds_up_nobody),
		cmocka_unit_test(data_rates_are_kept),
		cmocka_unit_test(threads_add_up),
		cmocka_unit_test(threads_end_together),
		cmocka_unit_test(no_port_left_is_our_own_limit),
		cmocka_unit_test(ports_are_counted_before),
		cmocka_unit_test(clients_left_out_degrade_a_run),
		cmocka_unit_test(modes_as_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
