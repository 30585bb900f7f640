/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_testing - a run of the generator against a fake server, and what must hold after every
 * run whatever happened in it. For load_*_test.c only, behind cmocka's headers.
 */
#ifndef CLIENTS_LOAD_TESTING_H
#define CLIENTS_LOAD_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/fake_server.h"
#include "clients/load.h"
#include "lib/clock.h"

#define MS INT64_C(1000000)

struct run {
	struct load_params p;
	struct load_result r;
	struct fail f;
	int status;
};

static inline void prepare(struct run *run, uint16_t port)
{
	*run = (struct run){ 0 };
	run->p = (struct load_params){
		.engine = &engine_null,
		.clients = 2,
		.count = 20,
		.timeout_ns = 10000 * MS,
		.connection = CONNECTION_KEEPALIVE,
		.min_success_pct = LOAD_MIN_SUCCESS_PCT,
		.records_per_send = 1,
	};
	char text[64];
	snprintf(text, sizeof(text), "http://127.0.0.1:%u/page/1000", port);
	assert_int_equal(url_parse(text, &run->p.url, &run->f), 0);
	assert_int_equal(load_result_init(&run->r), 0);
}

/* What must hold after every run, whatever happened in it. */
static inline void check_accounts(const struct run *run)
{
	const struct load_result *r = &run->r;
	const struct load_counters *w = &r->window, *t = &r->total;
	assert_true(load_counters_balance(w));
	assert_true(load_counters_balance(t));
	assert_int_equal(r->response.count, w->succeeded);
	assert_int_equal(r->service.count, w->succeeded);
	assert_int_equal(r->failed.count, w->failed);
	assert_true(t->started >= w->started && t->succeeded >= w->succeeded);
	assert_true(t->wire_bytes_received >= w->wire_bytes_received);
	assert_true(r->window_to_ns >= r->window_from_ns);
	assert_true(r->response.max_ns >= r->service.max_ns);
	assert_true(w->succeeded <= w->status_2xx + w->status_3xx);
	assert_int_equal(w->failed + w->timed_out + t->failed + t->timed_out > 0,
			 r->first_failure[0] != 0);
	if (run->p.count && r->complete)
		assert_int_equal(w->started, run->p.count);
}

static inline void go(struct run *run)
{
	run->status = load_run(&run->p, &run->r, &run->f);
	if (run->status)
		print_message("load_run: %s\n", run->f.text);
	check_accounts(run);
}

/* A run of so many requests by two clients against a server of this kind. */
static inline struct run against(enum fake_way way, enum connection_mode mode, int count)
{
	static struct fake server;
	struct run run;
	fake_start(&server, way);
	prepare(&run, server.port);
	run.p.connection = mode;
	run.p.count = count;
	go(&run);
	assert_int_equal(run.status, 0);
	fake_stop(&server);
	return run;
}

#endif
