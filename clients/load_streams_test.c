/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_streams_test - several requests at once on each connection, against a server of HTTP/2 on
 * a thread of its own that holds its answers back, limits, drops or keeps silent as told.
 */
#include <poll.h>
#include <pthread.h>

#include "clients/load_testing.h"
#include "protocols/app.h"

#define STREAMS   32
#define PEERS_MAX 64

struct h2 {
	int batch;       /* answers are held back until so many requests wait, or nothing comes */
	uint32_t limit;  /* streams that it announces */
	int drop_after;  /* requests on a connection behind which it closes; 0: never */
	int silent;      /* connections, the first ones, that get no answer */
	int error_every; /* each so many requests is answered 500; 0: none */
	int last_after;  /* requests on a connection of which the last is answered with GOAWAY */
	int fd, stop[2];
	uint16_t port;
	pthread_t thread;
	int connections, requests, peak; /* read when it has ended */
	struct h2_peer {
		struct app app;
		int fd, requests, number;
		int waiting;
		uint32_t wait[256];
	} peer[PEERS_MAX];
};

static void h2_send(struct h2_peer *p)
{
	char out[4096];
	size_t len;
	while ((len = app_http2.pull(&p->app, out, sizeof(out))))
		fake_send(p->fd, out, len);
}

static void h2_answer(struct h2 *s, struct h2_peer *p)
{
	static const char body[FAKE_BODY_BYTES];
	/* The last that came is answered first. */
	while (p->waiting) {
		int number = p->waiting--;
		bool bad = s->error_every && (s->requests - number) % s->error_every == 0;
		struct app_response r = { .status = bad ? 500 : 200,
					  .body = body,
					  .body_bytes = sizeof(body),
					  .keep_alive =
						  !s->last_after || p->requests < s->last_after,
					  .stream = p->wait[p->waiting] };
		app_http2.respond(&p->app, &r);
	}
	h2_send(p);
}

static void h2_events(struct h2 *s, struct h2_peer *p)
{
	struct app_event e;
	while (app_http2.next(&p->app, &e)) {
		if (e.kind != APP_REQUEST)
			continue;
		s->requests++;
		p->requests++;
		p->wait[p->waiting++] = e.request.stream;
		if (p->waiting > s->peak)
			s->peak = p->waiting;
	}
}

static void h2_close(struct h2_peer *p)
{
	app_http2.close(&p->app);
	close(p->fd);
	p->fd = -1;
}

static void h2_read(struct h2 *s, struct h2_peer *p)
{
	unsigned char in[16384], *at = in;
	ssize_t n = recv(p->fd, in, sizeof(in), 0);
	while (n > 0) {
		size_t taken = app_http2.feed(&p->app, at, (size_t)n);
		h2_events(s, p);
		h2_send(p);
		at += taken;
		n -= (ssize_t)taken;
		if (p->number >= s->silent && p->waiting >= s->batch)
			h2_answer(s, p);
	}
	bool drops = s->drop_after && p->requests >= s->drop_after;
	if (n < 0 || at == in || drops)
		h2_close(p);
	else if (app_http2.finished(&p->app))
		shutdown(p->fd, SHUT_WR); /* closing now would reset what is still on its way */
}

static void h2_accept(struct h2 *s)
{
	struct h2_peer *p = s->peer;
	while (p->fd >= 0)
		p++;
	*p = (struct h2_peer){ .fd = accept(s->fd, NULL, NULL), .number = s->connections++ };
	p->app = (struct app){ .half = APP_SERVER, .limits = { .streams = s->limit } };
	app_http2.open(&p->app);
	h2_send(p);
}

static void *h2_run(void *data)
{
	struct h2 *s = data;
	for (;;) {
		struct pollfd at[PEERS_MAX + 2] = { { .fd = s->stop[0], .events = POLLIN },
						    { .fd = s->fd, .events = POLLIN } };
		for (int i = 0; i < PEERS_MAX; i++)
			at[i + 2] = (struct pollfd){ .fd = s->peer[i].fd, .events = POLLIN };
		int ready = poll(at, PEERS_MAX + 2, 20);
		for (int i = 0; i < PEERS_MAX; i++) {
			struct h2_peer *p = &s->peer[i];
			if (p->fd >= 0 && at[i + 2].revents)
				h2_read(s, p);
			else if (p->fd >= 0 && !ready && p->number >= s->silent)
				h2_answer(s, p);
		}
		if (at[1].revents)
			h2_accept(s);
		if (at[0].revents)
			return NULL;
	}
}

static void h2_start(struct h2 *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(s->fd, 64), 0);
	assert_int_equal(getsockname(s->fd, (struct sockaddr *)&a, &len), 0);
	s->port = ntohs(a.sin_port);
	for (int i = 0; i < PEERS_MAX; i++)
		s->peer[i].fd = -1;
	assert_int_equal(pipe(s->stop), 0);
	assert_int_equal(pthread_create(&s->thread, NULL, h2_run, s), 0);
}

static void h2_end(struct h2 *s)
{
	assert_int_equal(write(s->stop[1], "", 1), 1);
	pthread_join(s->thread, NULL);
	for (int i = 0; i < PEERS_MAX; i++) {
		if (s->peer[i].fd >= 0)
			h2_close(&s->peer[i]);
	}
	close(s->stop[0]);
	close(s->stop[1]);
	close(s->fd);
}

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
	/* A stream that had to wait was due before it was sent. */
	assert_true(run.r.response.max_ns > run.r.service.max_ns);
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

static void by_duration(struct load_params *p)
{
	p->count = 0;
	p->duration_ns = 50 * MS;
	p->warmup_ns = 20 * MS;
}

static void a_window_is_cut_by_the_clock(void **state)
{
	(void)state;
	static struct h2 h;
	h = (struct h2){ .batch = 8 };
	struct run run = against_h2(&h, 1, by_duration);
	assert_true(run.r.window.succeeded > STREAMS);
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
		cmocka_unit_test(silence_costs_its_connection_only),
		cmocka_unit_test(errors_are_failures_of_their_stream),
		cmocka_unit_test(a_window_is_cut_by_the_clock),
		cmocka_unit_test(refused_connections_fail_every_stream),
		cmocka_unit_test(what_cannot_be_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
