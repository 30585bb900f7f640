/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_open_test - the open loop over real sockets: asked beside achieved, what a slow server does
 * to response and service times, and that no start is lost or made up.
 */
#include <math.h>

#include "clients/load_json.h"
#include "clients/load_testing.h"

static void open_loop(struct run *run, uint16_t port, double rate_per_s)
{
	prepare(run, port);
	run->p.rate_per_s = rate_per_s;
}

static json_t *cell_of(const struct run *run)
{
	json_t *cell = load_json(&run->p, &run->r);
	assert_non_null(cell);
	return cell;
}

static bool warns_of(const json_t *cell, const char *word)
{
	const json_t *list = json_object_get(cell, "warnings");
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (strstr(json_string_value(json_array_get(list, i)), word))
			return true;
	}
	return false;
}

/*
 * L14, at a twentieth: the server takes 10 ms and a little, 500 a second are asked of one
 * connection. Whatever the machine does besides, at most 100 a second can be achieved.
 */
static void a_slow_server_shows_in_the_response(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_SLOW);
	open_loop(&run, server.port, 500);
	run.p.clients = 1;
	run.p.count = 0;
	run.p.duration_ns = 600 * MS;
	go(&run);
	fake_stop(&server);
	const struct load_result *r = &run.r;
	int64_t span_ns = r->window_to_ns - r->window_from_ns;
	assert_true(load_rate_per_s(r) <= 100);
	assert_true(hist_quantile(&r->service, 0.5) >= 10 * MS);
	/* The k-th is due at 2k ms and answered at 10k ms or later: 8k ms, at the median k = n/2.
	 */
	int64_t n = r->window.succeeded;
	assert_true(n >= 2);
	assert_true(hist_quantile(&r->response, 0.5) >= 8 * MS * (n / 2));
	/* The last one began behind all others. */
	assert_true(r->overdue_max_ns >= 8 * MS * (n - 1));
	assert_true(r->lateness_max_ns < r->overdue_max_ns);
	/* Every start of the schedule is one that began, or one that did not. */
	assert_in_range(r->window.started + r->unstarted, span_ns / (2 * MS) - 1,
			span_ns / (2 * MS));
	assert_false(load_schedule_kept(&run.p, r));
	json_t *cell = cell_of(&run);
	assert_true(warns_of(cell, "schedule not kept (max lateness"));
	json_t *s = json_object_get(cell, "schedule");
	assert_true(json_is_false(json_object_get(s, "kept")));
	assert_true(json_real_value(json_object_get(s, "asked_per_s")) == 500);
	assert_true(json_number_value(json_object_get(s, "achieved_per_s")) <= 100);
	assert_int_equal(json_integer_value(json_object_get(s, "unstarted")), r->unstarted);
	json_decref(cell);
	load_result_release(&run.r);
}

/* L10, L11, L25: all clients and threads together start what was asked, on schedule, never more. */
static void the_rate_is_of_all_together(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 3; threads++) {
		for (int mode = 0; mode < CONNECTION_RESUME; mode++) {
			static struct fake server;
			struct run run;
			fake_start(&server, FAKE_NORMAL);
			open_loop(&run, server.port, 200);
			run.p.clients = 7;
			run.p.threads = threads;
			run.p.connection = (enum connection_mode)mode;
			run.p.count = 61;
			run.p.warmup_ns = 30 * MS;
			go(&run);
			fake_stop(&server);
			assert_int_equal(run.status, 0);
			assert_int_equal(run.r.window.succeeded, 61);
			/* The last one is due 61 periods after the window opened. */
			assert_true(run.r.window_to_ns - run.r.window_from_ns >= 305 * MS);
			assert_true(load_rate_per_s(&run.r) <= 200);
			assert_int_equal(run.r.unstarted, 0);
			assert_true(run.r.response.min_ns >= run.r.service.min_ns);
			load_result_release(&run.r);
		}
	}
}

static void by_duration_it_is_never_more_than_asked(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_NORMAL);
	open_loop(&run, server.port, 300);
	run.p.clients = 8; /* what the warm-up gave them is given back */
	run.p.count = 0;
	run.p.warmup_ns = 20 * MS;
	run.p.duration_ns = 250 * MS;
	go(&run);
	fake_stop(&server);
	int64_t asked = (run.r.window_to_ns - run.r.window_from_ns) * 300 / NS_PER_S;
	/* What was due in the warm-up may complete in the window. */
	assert_true(run.r.window.completed <= asked + run.r.total.started - run.r.window.started);
	assert_in_range(run.r.window.started + run.r.unstarted, asked - 1, asked);
	load_result_release(&run.r);
}

static void random_arrivals_are_the_seeds(void **state)
{
	(void)state;
	int64_t span_ns[2];
	for (int i = 0; i < 2; i++) {
		static struct fake server;
		struct run run;
		struct arrival plan;
		int64_t last_ns = 0;
		fake_start(&server, FAKE_NORMAL);
		open_loop(&run, server.port, 400);
		run.p.arrivals = ARRIVAL_POISSON;
		run.p.seed = 11 + (uint64_t)i;
		run.p.count = 40;
		go(&run);
		fake_stop(&server);
		/* Without a warm-up the window has the first gaps of this seed. */
		arrival_poisson(&plan, 400, run.p.seed, 0, 1);
		plan.ops->restart(&plan, 0);
		for (int k = 0; k < 40; k++)
			last_ns = plan.ops->next_ns(&plan, 0);
		span_ns[i] = run.r.window_to_ns - run.r.window_from_ns;
		assert_int_equal(run.r.window.succeeded, 40);
		assert_true(span_ns[i] >= last_ns);
		load_result_release(&run.r);
	}
	assert_int_not_equal(span_ns[0], span_ns[1]);
}

/* Failures in an open loop: the schedule goes on, all are accounted for. */
static void failures_do_not_stop_the_schedule(void **state)
{
	(void)state;
	static const enum fake_way ways[] = { FAKE_ERROR, FAKE_RESETS, FAKE_MIX,
					      FAKE_CLOSES_UNSAID };
	for (int i = 0; i < 8; i++) {
		static struct fake server;
		struct run run;
		fake_start(&server, ways[i / 2]);
		open_loop(&run, server.port, 400);
		run.p.connection = (enum connection_mode)(i % 2);
		run.p.count = 16; /* few: failures in a row are kept apart */
		run.p.threads = 1 + i % 2;
		go(&run);
		fake_stop(&server);
		assert_int_equal(run.r.window.started, 16);
		assert_true(run.r.window.succeeded + run.r.window.failed == 16);
		load_result_release(&run.r);
	}
}

static void time_outs_are_known_to_be_longer(void **state)
{
	(void)state;
	struct run run;
	prepare(&run, 1);
	run.p.timeout_ns = 50 * MS;
	for (int i = 1; i <= 90; i++)
		hist_add(&run.r.response, i * MS / 10);
	hist_add(&run.r.failed, 30 * MS); /* has no place among them */
	run.r.window = (struct load_counters){
		.started = 101, .succeeded = 90, .failed = 1, .timed_out = 10
	};
	json_t *cell = cell_of(&run);
	json_t *c = json_object_get(cell, "with_timeouts");
	assert_int_equal(json_integer_value(json_object_get(c, "samples")), 90);
	assert_int_equal(json_integer_value(json_object_get(c, "timeouts")), 10);
	assert_int_equal(json_integer_value(json_object_get(c, "completed")), 100);
	/* The 50th of 100 is 5 ms, and would be 4.5 ms were the time-outs left out. */
	assert_true(fabs(json_number_value(json_object_get(c, "p50")) - 5000) < 5);
	assert_true(json_is_null(json_object_get(c, "p95")));
	assert_true(json_is_null(json_object_get(c, "p99_9")));
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	load_text(cell, out);
	fclose(out);
	assert_non_null(strstr(text, "90 samples + 10 time-outs = 100 completed"));
	assert_non_null(strstr(text, "p95 >50000"));
	free(text);
	json_decref(cell);
	load_result_release(&run.r);
}

/* CoAP gives up on its own, earlier than asked: the smallest limit that was met is what is known.
 */
static void the_smallest_limit_is_what_is_known(void **state)
{
	(void)state;
	struct run run;
	prepare(&run, 1);
	run.p.timeout_ns = 50 * MS;
	for (int i = 1; i <= 96; i++)
		hist_add(&run.r.response, i * MS / 10);
	run.r.window = (struct load_counters){ .started = 100, .succeeded = 96, .timed_out = 4 };
	run.r.timed_out_least_ns = 6 * MS;
	json_t *cell = cell_of(&run);
	json_t *c = json_object_get(cell, "with_timeouts");
	assert_true(json_number_value(json_object_get(c, "longer_than_us")) == 6000);
	assert_true(fabs(json_number_value(json_object_get(c, "p50")) - 5000) < 5);
	/* The 95th of 100 is 9.5 ms only if no time-out would have come before that. */
	assert_true(json_is_null(json_object_get(c, "p95")));
	json_decref(cell);
	load_result_release(&run.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_server_shows_in_the_response),
		cmocka_unit_test(the_rate_is_of_all_together),
		cmocka_unit_test(by_duration_it_is_never_more_than_asked),
		cmocka_unit_test(random_arrivals_are_the_seeds),
		cmocka_unit_test(failures_do_not_stop_the_schedule),
		cmocka_unit_test(time_outs_are_known_to_be_longer),
		cmocka_unit_test(the_smallest_limit_is_what_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
