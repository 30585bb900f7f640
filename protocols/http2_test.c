/* SPDX-License-Identifier: Apache-2.0 */
/* http2_test - client half against server half, in memory: many streams, any cuts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "protocols/http2_drive.h"

static const struct app_limits server_limits = { .body_bytes = 4 << 20 };
static const struct app_limits client_limits = { 0 };
static struct rng rng;

static void requests_are_answered_one_by_one(void **state)
{
	struct job jobs[] = { job_get("/0"),
			      job_get("/1"),
			      job_get("/70000"),
			      job_get("/204"),
			      job_post("/5", "hello", 5),
			      job_post("/5", "", 0),
			      job_get("/9") };
	struct pair p;

	(void)state;
	jobs[6].q.method = APP_HEAD;
	pair_open(&p, client_limits, server_limits);
	p.jobs = jobs;
	p.n = sizeof jobs / sizeof *jobs;
	pair_run(&p);
	for (int i = 0; i < p.n; i++) {
		check_job(&jobs[i]);
		assert_int_equal(jobs[i].id, 2 * i + 1);
		assert_true(jobs[i].keep_alive);
	}
	assert_int_equal(p.sent, p.n);
	assert_int_equal(p.open, 0);
	assert_false(app_http2.finished(&p.client));
	assert_false(app_http2.finished(&p.server));
	pair_close(&p);
}

static void requests_are_shown_as_asked(void **state)
{
	static const char date[] = "Mon, 30 Nov 2026 22:15:17 GMT";
	struct app_request q = { .method = APP_POST,
				 .target = "/a?b=%20",
				 .host = "[::1]:1",
				 .accepts = 1u << APP_GZIP,
				 .content_type = "text/x",
				 .body = "xyz",
				 .body_bytes = 3,
				 .keep_alive = true };
	struct app_response r = { .status = 200,
				  .content_type = "text/y",
				  .encoding = APP_GZIP,
				  .vary = true,
				  .allow = "GET",
				  .body = "0123456789",
				  .body_bytes = 10,
				  .keep_alive = true };
	struct app_event e;
	struct pair p;
	char wire[4096];
	size_t len;

	(void)state;
	pair_open(&p, client_limits, server_limits);
	p.server.date = date;
	assert_int_equal(app_http2.request(&p.client, &q), 0);
	len = app_http2.pull(&p.client, wire, sizeof wire);
	assert_int_equal(app_http2.feed(&p.server, wire, len), len);
	assert_true(app_http2.next(&p.server, &e));
	assert_int_equal(e.kind, APP_REQUEST);
	assert_int_equal(e.request.method, APP_POST);
	assert_string_equal(e.request.target, "/a?b=%20");
	assert_string_equal(e.request.host, "[::1]:1");
	assert_int_equal(e.request.accepts, 1u << APP_GZIP | 1u << APP_IDENTITY);
	assert_string_equal(e.request.content_type, "text/x");
	assert_memory_equal(e.request.body, "xyz", 3);
	assert_int_equal(e.request.body_bytes, 3);
	assert_true(e.request.keep_alive);
	r.stream = e.stream;
	assert_int_equal(app_http2.respond(&p.server, &r), 0);
	len = app_http2.pull(&p.server, wire, sizeof wire);
	assert_true(app_http2.next(&p.server, &e));
	assert_int_equal(e.kind, APP_SENT);
	assert_true(app_http2.feed(&p.client, wire, len) > 0);
	assert_true(app_http2.next(&p.client, &e));
	assert_int_equal(e.kind, APP_HEAD_IN);
	assert_int_equal(e.response.status, 200);
	assert_string_equal(e.response.content_type, "text/y");
	assert_int_equal(e.response.encoding, APP_GZIP);
	assert_int_equal(e.response.body_bytes, 10);
	pair_close(&p);
}

/* --- many at once -------------------------------------------------------------------- */

static uint32_t any_window(void)
{
	return rng_below(&rng, 3) ? 1 + (uint32_t)rng_below(&rng, 70000)
				  : 100 + (uint32_t)rng_below(&rng, 1000);
}

static void interleaving_changes_nothing(void **state)
{
	static char body[20000];
	int most = 0;

	(void)state;
	for (size_t i = 0; i < sizeof body; i++)
		body[i] = (char)rng_next(&rng);
	for (int round = 0; round < 60; round++) {
		struct app_limits c = { .streams = 1 + (uint32_t)rng_below(&rng, 30),
					.stream_window_bytes = any_window(),
					.session_window_bytes = any_window() };
		struct app_limits s = { .body_bytes = sizeof body,
					.streams = 1 + (uint32_t)rng_below(&rng, 30),
					.stream_window_bytes = any_window(),
					.session_window_bytes = any_window() };
		char targets[JOBS][16];
		struct job jobs[JOBS];
		struct pair p;

		make_jobs(&rng, jobs, targets, body, 2000);
		pair_open(&p, c, s);
		p.jobs = jobs;
		p.n = JOBS;
		p.at_once = JOBS;
		p.rng = &rng;
		pair_run(&p);
		for (int i = 0; i < JOBS; i++)
			check_job(&jobs[i]);
		assert_int_equal(p.sent, JOBS);
		assert_true((uint32_t)p.in_flight_max <=
			    (c.streams < s.streams ? c.streams : s.streams));
		most = p.in_flight_max > most ? p.in_flight_max : most;
		pair_close(&p);
	}
	assert_true(most > 10);
}

static void megabytes_pass_tiny_windows(void **state)
{
	struct app_limits c = { .stream_window_bytes = 1000, .session_window_bytes = 3000 };
	struct app_limits s = { .body_bytes = 1 << 20,
				.stream_window_bytes = 999,
				.session_window_bytes = 70000 };
	char *body = calloc(1, 1 << 20);
	struct job jobs[] = { job_get("/1048576"), job_post("/1000000", body, 1 << 20),
			      job_get("/3000000"), job_post("/1", body, (1 << 20) - 1) };
	struct pair p;

	(void)state;
	for (size_t i = 0; i < 1 << 20; i++)
		body[i] = (char)(i * i >> 3);
	pair_open(&p, c, s);
	p.jobs = jobs;
	p.n = 4;
	p.at_once = 4;
	p.rng = &rng;
	pair_run(&p);
	for (int i = 0; i < p.n; i++)
		check_job(&jobs[i]);
	assert_int_equal(p.in_flight_max, 4);
	pair_close(&p);
	free(body);
}

static void the_peers_number_of_streams_is_kept(void **state)
{
	struct app_limits s = { .streams = 3 };
	struct job jobs[50];
	struct pair p;

	(void)state;
	for (int i = 0; i < 50; i++)
		jobs[i] = job_get("/100");
	pair_open(&p, client_limits, s);
	p.jobs = jobs;
	p.n = 50;
	p.at_once = 50;
	/* One before the server has said how many. */
	assert_true(pair_step(&p, 0));
	assert_int_equal(p.in_flight, 1);
	pair_step(&p, 4);
	pair_step(&p, 5);
	pair_step(&p, 0);
	assert_int_equal(p.in_flight, 3);
	pair_run(&p);
	for (int i = 0; i < 50; i++)
		check_job(&jobs[i]);
	assert_int_equal(p.open_max, 3);
	assert_int_equal(p.in_flight_max, 3);
	pair_close(&p);
}

/* From one half to the other, and the next event there. */
static enum app_event_kind carry(struct app *from, struct app *to, struct app_event *e)
{
	char wire[2048];
	size_t len;

	while (!app_http2.next(to, e)) {
		len = app_http2.pull(from, wire, sizeof wire);
		if (len == 0)
			return APP_NOTHING;
		assert_int_equal(app_http2.feed(to, wire, len), len);
	}
	return e->kind;
}

static void no_number_of_requests_ends_it(void **state)
{
	const struct app_request q = {
		.method = APP_GET, .target = "/", .host = "h", .keep_alive = true
	};
	struct app_response r = { .status = 200, .keep_alive = true };
	struct app_event e;
	struct pair p;

	(void)state;
	pair_open(&p, client_limits, server_limits);
	for (uint32_t i = 0; i < 100000; i++) {
		assert_int_equal(app_http2.request(&p.client, &q), 0);
		assert_int_equal(carry(&p.client, &p.server, &e), APP_REQUEST);
		assert_int_equal(e.stream, 2 * i + 1);
		assert_true(e.request.keep_alive);
		r.stream = e.stream;
		assert_int_equal(app_http2.respond(&p.server, &r), 0);
		assert_int_equal(carry(&p.server, &p.client, &e), APP_HEAD_IN);
		assert_int_equal(carry(&p.server, &p.client, &e), APP_END);
		assert_true(app_http2.next(&p.server, &e));
		assert_int_equal(e.kind, APP_SENT);
		assert_int_equal(e.slot, 0);
	}
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_answered_one_by_one),
		cmocka_unit_test(requests_are_shown_as_asked),
		cmocka_unit_test(interleaving_changes_nothing),
		cmocka_unit_test(megabytes_pass_tiny_windows),
		cmocka_unit_test(the_peers_number_of_streams_is_kept),
		cmocka_unit_test(no_number_of_requests_ends_it),
	};

	rng = testing_rng("http2_test");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
