/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_streams_test - several requests at once on each connection: all are used and counted, and
 * what a server does to one stream or to the connection costs that much and no more.
 */
#include "clients/fake_h2.h"

#define STREAMS 32

/* Against a copy of how, which tells what it saw. */
static struct run against_h2(struct h2 *how, int count, void (*ask)(struct load_params *p))
{
	struct run run;
	how->batch = how->batch ? how->batch : 1;
	how->limit = how->limit ? how->limit : 100;
	h2_start(how);
	prepare(&run, how->port);
	run.p.http2 = true;
	run.p.streams = STREAMS;
	run.p.count = count;
	if (ask)
		ask(&run.p);
	go(&run);
	assert_int_equal(run.status, 0);
	h2_end(how);
	return run;
}

static void all_streams_are_used_and_counted(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .batch = STREAMS };
	struct run run = against_h2(&h, 640, NULL);
	assert_int_equal(run.r.window.succeeded, 640);
	assert_int_equal(run.r.total.succeeded, 640);
	assert_int_equal(h.requests, 640);
	assert_int_equal(h.peak, STREAMS);
	assert_int_equal(h.connections, 2);
	assert_int_equal(run.r.window.connects, 2);
	assert_int_equal(run.r.window.reconnects, 0);
	assert_int_equal(run.r.handshake.count, 2);
	assert_int_equal(run.r.first.count, 2);
	assert_int_equal(run.r.warm.count, 638);
	assert_int_equal(run.r.clients_tried, 2);
	assert_int_equal(run.r.clients_connected, 2);
	assert_int_equal(run.r.window.body_bytes, 640 * FAKE_BODY_BYTES);
	assert_true(run.r.window.wire_bytes_received > run.r.window.body_bytes);
	load_result_release(&run.r);
}

static void two_threads(struct load_params *p)
{
	p->threads = 2;
	p->warmup_ns = 30 * MS;
	p->rate_per_s = 2000;
}

static void streams_follow_a_schedule(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ 0 };
	struct run run = against_h2(&h, 100, two_threads);
	assert_int_equal(run.r.window.succeeded, 100);
	assert_int_equal(h.connections, 2);
	assert_true(run.r.window_to_ns - run.r.window_from_ns >= 45 * MS);
	load_result_release(&run.r);
}

static void the_servers_limit_is_kept(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .limit = 5, .batch = 5 };
	struct run run = against_h2(&h, 200, NULL);
	assert_int_equal(run.r.window.succeeded, 200);
	assert_int_equal(h.peak, 5);
	/* Most had to wait for others: they were due long before they were sent. */
	assert_true(hist_quantile(&run.r.response, 0.5) > 2 * hist_quantile(&run.r.service, 0.5));
	load_result_release(&run.r);
}

static void ten_each(struct load_params *p)
{
	p->connection_requests = 10;
}

static void connections_end_after_so_many(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ 0 };
	struct run run = against_h2(&h, 200, ten_each);
	assert_int_equal(run.r.window.succeeded, 200);
	assert_int_equal(run.r.window.reconnects, 0);
	assert_in_range(h.connections, 20, 22);
	load_result_release(&run.r);
}

static void a_lost_connection_fails_what_was_open(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .batch = STREAMS, .drop_after = STREAMS + 8 };
	struct run run = against_h2(&h, 400, NULL);
	assert_true(run.r.window.failed > 0 && run.r.window.succeeded > 0);
	assert_int_equal(run.r.window.failed + run.r.window.succeeded, 400);
	assert_true(run.r.window.reconnects > 0);
	assert_true(run.r.window.closed_by_peer > 0);
	assert_true(run.r.first_failure[0]);
	load_result_release(&run.r);
}

/* Requests that a server says it has not looked at are asked again elsewhere. */
static void a_goodbye_loses_nothing(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .last_after = 40 };
	struct run run = against_h2(&h, 400, NULL);
	assert_int_equal(run.r.window.succeeded, 400);
	assert_true(run.r.window.reconnects >= 5);
	assert_int_equal(run.r.window.connects, run.r.window.reconnects + 2);
	assert_int_equal(run.r.window.closed_by_peer, 0);
	load_result_release(&run.r);
}

static void one_stream(struct load_params *p)
{
	p->streams = 1;
	p->timeout_ns = 3000 * MS;
}

static void two_streams(struct load_params *p)
{
	p->streams = 2;
}

static void refused_for_ever(struct load_params *p)
{
	p->streams = 1;
	p->timeout_ns = 100 * MS;
}

/* One stream is no other than two: what was not looked at is asked again, here or elsewhere. */
static void what_was_not_looked_at_is_asked_again(void **state)
{
	(void)state;
	static struct h2 h;
	for (int i = 0; i < 4; i++) {
		h = (struct h2){ .reset_every = i / 2 ? 0 : 5,
				 .refuses = true,
				 .leave_every = i / 2 ? 5 : 0 };
		struct run run = against_h2(&h, 40, i % 2 ? two_streams : one_stream);
		assert_int_equal(run.r.window.succeeded, 40);
		assert_true(h.requests > 40);
		assert_int_equal(run.r.window.closed_by_peer, 0);
		assert_int_equal(h.connections > 2, i / 2);
		assert_int_equal(run.r.window.reconnects, h.connections - 2);
		load_result_release(&run.r);
	}
	/* One who refuses always is given up in time. */
	h = (struct h2){ .reset_every = 1, .refuses = true };
	struct run run = against_h2(&h, 2, refused_for_ever);
	assert_int_equal(run.r.window.timed_out, 2);
	load_result_release(&run.r);
}

static void soon(struct load_params *p)
{
	p->clients = 1;
	p->timeout_ns = 300 * MS;
}

static void silence_costs_its_connection_only(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .silent = 1 };
	struct run run = against_h2(&h, 300, soon);
	assert_in_range(run.r.window.timed_out, 1, STREAMS);
	assert_int_equal(run.r.window.timed_out + run.r.window.succeeded, 300);
	assert_int_equal(h.connections, 2);
	assert_non_null(strstr(run.r.first_failure, "waiting for the response"));
	load_result_release(&run.r);
}

static void late_answers(struct load_params *p)
{
	p->clients = 1;
	p->count = 0;
	p->duration_ns = 500 * MS;
	p->timeout_ns = 150 * MS;
}

/* While others are answered, those that time out leave the connection alone. */
static void late_answers_do_not_end_the_connection(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .late = STREAMS - 8 };
	struct run run = against_h2(&h, 1, late_answers);
	assert_true(run.r.window.timed_out > STREAMS && run.r.window.succeeded > STREAMS);
	assert_int_equal(run.r.window.failed, 0);
	assert_int_equal(h.connections, 1);
	load_result_release(&run.r);
}

static void errors_are_failures_of_their_stream(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .error_every = 10 };
	struct run run = against_h2(&h, 200, NULL);
	assert_int_equal(run.r.window.failed, run.r.window.status_5xx);
	assert_in_range(run.r.window.failed, 15, 25);
	assert_int_equal(h.connections, 2);
	load_result_release(&run.r);
}

static void resets_are_failures_of_their_stream(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .reset_every = 20 };
	struct run run = against_h2(&h, 200, NULL);
	assert_in_range(run.r.window.failed, 5, 15);
	assert_int_equal(run.r.window.failed + run.r.window.succeeded, 200);
	assert_int_equal(run.r.window.status_5xx, 0);
	assert_non_null(strstr(run.r.first_failure, "INTERNAL_ERROR"));
	assert_int_equal(h.connections, 2);
	load_result_release(&run.r);
}

static void hundred_each(struct load_params *p)
{
	p->count_each = p->count / p->clients;
}

/* Each client has its share, however many of its streams ask. */
static void requests_are_counted_by_client(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ 0 };
	struct run run = against_h2(&h, 200, hundred_each);
	assert_int_equal(run.r.window.succeeded, 200);
	assert_int_equal(run.r.each_count, 2);
	assert_int_equal(run.r.each[0].succeeded, 100);
	assert_int_equal(run.r.each[1].succeeded, 100);
	load_result_release(&run.r);
}

#define UPLOAD_BYTES_PER_S 20000

static void slowly(struct load_params *p)
{
	p->upload_bytes_per_s = UPLOAD_BYTES_PER_S;
}

static void data_rates_hold_streams_back(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ 0 };
	struct run run = against_h2(&h, 200, slowly);
	int64_t span_ns = run.r.window_to_ns - run.r.window_from_ns;
	/* Beside the burst, and the words of two connections that a debt does not hold back. */
	int64_t held_bytes = run.r.total.wire_bytes_sent - UPLOAD_BYTES_PER_S / 100 - 500;
	assert_int_equal(run.r.window.succeeded, 200);
	assert_true(held_bytes > 1000);
	assert_true(span_ns >= held_bytes * NS_PER_S / UPLOAD_BYTES_PER_S);
	load_result_release(&run.r);
}

static void verified(struct load_params *p)
{
	p->accepts = 1u << APP_GZIP;
	p->verify_body = true;
}

/* The rest of its answer is dropped, and those beside it go on. */
static void a_body_that_does_not_decode_fails_its_stream(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .garbled = true };
	struct run run = against_h2(&h, 200, verified);
	assert_int_equal(run.r.window.failed, 200);
	assert_non_null(strstr(run.r.first_failure, "gzip"));
	assert_int_equal(h.connections, 2);
	load_result_release(&run.r);
}

static void by_duration(struct load_params *p)
{
	p->count = 0;
	p->duration_ns = 300 * MS;
	p->warmup_ns = 20 * MS;
	p->ramp_ns = 10 * MS;
}

static void a_window_is_cut_by_the_clock(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .batch = STREAMS };
	struct run run = against_h2(&h, 1, by_duration);
	assert_true(run.r.window.succeeded > STREAMS);
	assert_int_equal(h.peak, STREAMS); /* all of them start within the ramp */
	assert_int_equal(run.r.window.failed + run.r.window.timed_out + run.r.window.in_flight, 0);
	assert_int_equal(run.r.total.connects, 2);
	load_result_release(&run.r);
}

static void refused_connections_fail_every_stream(void **state)
{
	(void)state;
	struct h2 h = { 0 };
	struct run run;
	h2_start(&h);
	h2_end(&h);
	prepare(&run, h.port);
	run.p.http2 = true;
	run.p.streams = STREAMS;
	run.p.count = 100;
	go(&run);
	assert_int_equal(run.r.window.failed, 100);
	assert_non_null(strstr(run.r.first_failure, "cannot connect"));
	assert_int_equal(run.r.clients_connected, 0);
	load_result_release(&run.r);
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	struct run run;
	for (int i = 0; i < 3; i++) {
		prepare(&run, 1);
		run.p.http2 = i != 0;
		run.p.connection = i == 1 ? CONNECTION_FULL : CONNECTION_KEEPALIVE;
		run.p.streams = i == 2 ? LOAD_CLIENTS_MAX / 2 + 1 : 2;
		assert_int_equal(load_run(&run.p, &run.r, &run.f), -1);
		assert_non_null(strstr(run.f.text, "streams"));
		load_result_release(&run.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_streams_are_used_and_counted),
		cmocka_unit_test(streams_follow_a_schedule),
		cmocka_unit_test(the_servers_limit_is_kept),
		cmocka_unit_test(connections_end_after_so_many),
		cmocka_unit_test(a_lost_connection_fails_what_was_open),
		cmocka_unit_test(a_goodbye_loses_nothing),
		cmocka_unit_test(what_was_not_looked_at_is_asked_again),
		cmocka_unit_test(silence_costs_its_connection_only),
		cmocka_unit_test(late_answers_do_not_end_the_connection),
		cmocka_unit_test(errors_are_failures_of_their_stream),
		cmocka_unit_test(resets_are_failures_of_their_stream),
		cmocka_unit_test(requests_are_counted_by_client),
		cmocka_unit_test(data_rates_hold_streams_back),
		cmocka_unit_test(a_body_that_does_not_decode_fails_its_stream),
		cmocka_unit_test(a_window_is_cut_by_the_clock),
		cmocka_unit_test(refused_connections_fail_every_stream),
		cmocka_unit_test(what_cannot_be_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
