/* SPDX-License-Identifier: Apache-2.0 */
/* http2_end_test - how exchanges and associations end: asked for, refused, lost, recycled. */
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

static void the_last_request_ends_both(void **state)
{
	struct job jobs[] = { job_get("/100000"), job_get("/5"), job_get("/6") };
	struct pair p;

	(void)state;
	jobs[1].q.keep_alive = false;
	pair_open(&p, client_limits, server_limits);
	p.jobs = jobs;
	p.n = 3;
	p.at_once = 3;
	p.rng = &rng;
	pair_run(&p);
	check_job(&jobs[0]);
	check_job(&jobs[1]);
	assert_false(jobs[1].keep_alive);
	assert_false(jobs[2].begun);
	assert_false(p.client_failed || p.server_failed);
	assert_true(app_http2.finished(&p.client));
	assert_true(app_http2.finished(&p.server));
	pair_close(&p);
}

static void a_server_may_let_go(void **state)
{
	struct job jobs[] = { job_get("/100"), job_get("/100000"), job_get("/6"), job_get("/7") };
	struct pair p;

	(void)state;
	pair_open(&p, client_limits, server_limits);
	p.jobs = jobs;
	p.n = 1;
	p.at_once = 3;
	pair_run(&p);
	check_job(&jobs[0]);
	p.n = 3;
	p.drain = true;
	pair_run(&p);
	check_job(&jobs[1]);
	check_job(&jobs[2]);
	assert_false(jobs[2].keep_alive);
	p.n = 4;
	pair_run(&p);
	assert_false(jobs[3].begun);
	assert_false(p.client_failed || p.server_failed);
	assert_true(app_http2.finished(&p.client));
	assert_true(app_http2.finished(&p.server));
	pair_close(&p);
}

static void a_body_too_long_costs_its_stream_only(void **state)
{
	static char body[300000];
	struct app_limits s = { .body_bytes = 1000 };
	struct job jobs[] = { job_post("/1", body, sizeof body), job_post("/1", body, 1001),
			      job_post("/1", body, 1000), job_get("/70") };
	struct pair p;

	(void)state;
	for (int cuts = 0; cuts < 2; cuts++) {
		for (int i = 0; i < 4; i++)
			jobs[i] = (struct job){ .q = jobs[i].q };
		pair_open(&p, client_limits, s);
		p.rng = cuts ? &rng : NULL;
		p.jobs = jobs;
		p.n = 4;
		p.at_once = 4;
		pair_run(&p);
		for (int i = 0; i < 2; i++) {
			assert_true(jobs[i].over && !jobs[i].failed);
			assert_int_equal(jobs[i].status, 413);
		}
		check_job(&jobs[2]);
		check_job(&jobs[3]);
		assert_int_equal(p.refused, 2);
		assert_int_equal(p.sent, 2);
		assert_false(p.client_failed || p.server_failed);
		pair_close(&p);
	}
}

static void a_lost_peer_is_told_apart(void **state)
{
	struct job jobs[] = { job_get("/5") };
	struct pair p;

	(void)state;
	pair_open(&p, client_limits, server_limits);
	p.jobs = jobs;
	p.n = 1;
	pair_run(&p);
	app_http2.end(&p.client);
	client_events(&p);
	assert_false(p.client_failed);
	assert_true(app_http2.finished(&p.client));
	pair_forget(&p);
	/* Again, and now with a response under way. */
	app_http2.reset(&p.client);
	app_http2.reset(&p.server);
	jobs[0] = job_get("/500000");
	client_asks(&p);
	pair_pull(&p, &p.client, &p.up);
	pair_feed(&p, &p.server, &p.up);
	server_answers(&p);
	app_http2.end(&p.client);
	client_events(&p);
	assert_true(p.client_failed);
	assert_int_not_equal(p.client.fail.code, 0);
	assert_true(app_http2.finished(&p.client));
	/* What the server owes it still pulls, but for what needs a larger window. */
	app_http2.end(&p.server);
	assert_false(app_http2.finished(&p.server));
	while (pair_pull(&p, &p.server, &p.down))
		;
	assert_true(app_http2.finished(&p.server));
	assert_in_range(p.down.len, 60000, 70000);
	assert_false(p.server_failed);
	pair_close(&p);
}

static void recycled_associations_are_new(void **state)
{
	char targets[JOBS][16];
	struct job jobs[JOBS];
	struct pair p;

	(void)state;
	pair_open(&p, client_limits, server_limits);
	p.rng = &rng;
	p.jobs = jobs;
	p.n = JOBS;
	p.at_once = JOBS;
	for (int round = 0; round < 60; round++) {
		make_jobs(&rng, jobs, targets, targets[0], 16);
		/* Left in the middle, with bytes in all places, but for each fifth. */
		for (int step = 0; step < 100 && round % 5 != 0; step++)
			pair_step(&p, (int)rng_below(&rng, 6));
		if (round % 5 == 0) {
			pair_run(&p);
			for (int i = 0; i < JOBS; i++)
				check_job(&jobs[i]);
		}
		app_http2.reset(&p.client);
		app_http2.reset(&p.server);
		pair_forget(&p);
	}
	pair_close(&p);
}

static void what_cannot_be_asked_is_refused(void **state)
{
	static const struct app_request bad[] = {
		{ .method = APP_METHOD_OTHER, .target = "/", .host = "h" },
		{ .method = APP_GET, .target = "x", .host = "h" },
		{ .method = APP_GET, .target = "/ ", .host = "h" },
		{ .method = APP_GET, .target = "*", .host = "h" },
		{ .method = APP_GET, .target = "/", .host = "h h" },
	};
	struct pair p;

	(void)state;
	pair_open(&p, client_limits, server_limits);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(app_http2.request(&p.client, &bad[i]), -1);
		assert_int_not_equal(p.client.fail.code, 0);
		app_http2.reset(&p.client);
	}
	assert_int_equal(app_http2.request(&p.server, &bad[0]), -1);
	assert_int_equal(app_http2.respond(&p.client, &(struct app_response){ .status = 200 }), -1);
	assert_int_equal(app_http2.respond(&p.server, &(struct app_response){ .stream = 1 }), -1);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_request_ends_both),
		cmocka_unit_test(a_server_may_let_go),
		cmocka_unit_test(a_body_too_long_costs_its_stream_only),
		cmocka_unit_test(a_lost_peer_is_told_apart),
		cmocka_unit_test(recycled_associations_are_new),
		cmocka_unit_test(what_cannot_be_asked_is_refused),
	};

	rng = testing_rng("http2_end_test");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
