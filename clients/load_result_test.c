/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_result_test - figures without a socket: sums, rates, verdicts at their borders, and a
 * report of a run that measured nothing, in which nothing may be a number.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clients/load_json.h"
#include "lib/base64.h"
#include "lib/clock.h"
#include "lib/testing.h"

static void start(struct load_params *p, struct load_result *r)
{
	struct fail f = { 0 };
	*p = (struct load_params){ .engine = &engine_null,
				   .clients = 4,
				   .duration_ns = NS_PER_S,
				   .min_success_pct = LOAD_MIN_SUCCESS_PCT };
	assert_int_equal(url_parse("http://127.0.0.1:8080/page/512", &p->url, &f), 0);
	assert_int_equal(load_result_init(r), 0);
	r->complete = true;
}

static void every_counter_is_added(void **state)
{
	(void)state;
	struct load_counters sum = { 0 }, one;
	int64_t *field = (int64_t *)&one;
	for (size_t i = 0; i < sizeof(one) / sizeof(*field); i++)
		field[i] = (int64_t)i + 1;
	load_counters_add(&sum, &one);
	load_counters_add(&sum, &one);
	field = (int64_t *)&sum;
	for (size_t i = 0; i < sizeof(sum) / sizeof(*field); i++)
		assert_int_equal(field[i], 2 * (i + 1));
}

static void balance_is_exact(void **state)
{
	(void)state;
	struct load_counters c = {
		.started = 10, .succeeded = 4, .failed = 3, .timed_out = 2, .in_flight = 1
	};
	assert_true(load_counters_balance(&c));
	c.started = 11;
	assert_false(load_counters_balance(&c));
}

/* A request that is nowhere makes all figures doubtful: the cell says so before anything else. */
static void lost_requests_are_said(void **state)
{
	(void)state;
	struct load_params p;
	struct load_result r;
	char why[256];
	start(&p, &r);
	r.window = r.total = (struct load_counters){ .started = 10, .succeeded = 10 };
	assert_null(load_verdict(&p, &r, why));
	for (int i = 0; i < 2; i++) {
		struct load_counters *c = i ? &r.total : &r.window;
		c->started = 11;
		assert_non_null(strstr(load_verdict(&p, &r, why),
				       "11 started, 10 succeeded + 0 failed + 0 timed out + 0 in "
				       "flight"));
		json_t *cell = load_json(&p, &r);
		assert_true(json_is_false(json_object_get(cell, "valid")));
		json_decref(cell);
		c->started = 10;
	}
	load_result_release(&r);
}

static void rate_is_completions_over_elapsed(void **state)
{
	(void)state;
	struct load_params p;
	struct load_result r;
	start(&p, &r);
	assert_true(isnan(load_rate_per_s(&r)));
	r.window_from_ns = 5 * NS_PER_S;
	r.window_to_ns = 7 * NS_PER_S + NS_PER_S / 2;
	r.window = (struct load_counters){
		.started = 2000, .succeeded = 900, .failed = 1100, .completed = 1000
	};
	assert_true(fabs(load_rate_per_s(&r) - 400.0) < 1e-9);
	load_result_release(&r);
}

static bool is_valid(const struct load_counters *window, enum connection_mode mode, int64_t resumed)
{
	struct load_params p;
	struct load_result r;
	char text[256];
	start(&p, &r);
	p.connection = mode;
	r.window = *window;
	r.total = *window;
	r.total.handshakes_resumed = resumed;
	const char *why = load_verdict(&p, &r, text);
	assert_true(!why || strlen(why) > 10);
	load_result_release(&r);
	return !why;
}

static void verdicts_at_their_borders(void **state)
{
	(void)state;
	struct load_counters good = { .started = 1000, .succeeded = 1000 };
	struct load_counters ten_failed = {
		.started = 1000, .succeeded = 990, .failed = 5, .timed_out = 5
	};
	struct load_counters more_failed = {
		.started = 1000, .succeeded = 989, .failed = 6, .timed_out = 5
	};
	struct load_counters ten_open = { .started = 1000, .succeeded = 990, .in_flight = 10 };
	struct load_counters more_open = { .started = 1000, .succeeded = 989, .in_flight = 11 };
	struct load_counters nothing = { 0 };
	assert_true(is_valid(&good, CONNECTION_FULL, 0));
	assert_false(is_valid(&good, CONNECTION_FULL, 1));
	assert_true(is_valid(&good, CONNECTION_KEEPALIVE, 1));
	assert_true(is_valid(&ten_failed, CONNECTION_FULL, 0));
	assert_false(is_valid(&more_failed, CONNECTION_FULL, 0));
	assert_true(is_valid(&ten_open, CONNECTION_FULL, 0));
	assert_false(is_valid(&more_open, CONNECTION_FULL, 0));
	assert_false(is_valid(&nothing, CONNECTION_FULL, 0));
	struct load_counters ten_again = { .started = 1000, .succeeded = 1000, .reconnects = 10 };
	struct load_counters more_again = { .started = 1000, .succeeded = 1000, .reconnects = 11 };
	assert_true(is_valid(&ten_again, CONNECTION_KEEPALIVE, 0));
	assert_false(is_valid(&more_again, CONNECTION_KEEPALIVE, 0));
	assert_true(is_valid(&more_again, CONNECTION_FULL, 0));
	/* Behind a failure there is no association left to keep. */
	ten_failed.reconnects = 20;
	assert_true(is_valid(&ten_failed, CONNECTION_KEEPALIVE, 0));
	ten_failed.reconnects = 21;
	assert_false(is_valid(&ten_failed, CONNECTION_KEEPALIVE, 0));
}

static void the_window_is_blamed_first(void **state)
{
	(void)state;
	struct load_params p;
	struct load_result r, other;
	start(&p, &r);
	start(&p, &other);
	load_result_blame(&r, "cannot connect", false);
	load_result_blame(&r, "another of the warm-up", false);
	assert_string_equal(r.first_failure, "cannot connect");
	load_result_blame(&other, "status 500", true);
	load_result_blame(&other, "status 501", true);
	load_result_blame(&other, "of the warm-up, ended late", false);
	load_result_merge(&r, &other);
	assert_string_equal(r.first_failure, "status 500");
	assert_true(r.blames_window);
	other.first_failure[0] = '\0';
	load_result_merge(&r, &other);
	assert_string_equal(r.first_failure, "status 500");
	load_result_release(&r);
	load_result_release(&other);
}

static char *text_of(const json_t *cell)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	load_text(cell, out);
	fclose(out);
	return text;
}

static void nothing_measured_is_null(void **state)
{
	(void)state;
	struct load_params p;
	struct load_result r;
	start(&p, &r);
	json_t *cell = load_json(&p, &r);
	assert_non_null(cell);
	static const char *const latencies[] = { "response_us", "service_us", "handshake_us" };
	static const char *const keys[] = { "p50", "p95", "p99", "p99_9", "max", "mean" };
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 6; k++)
			assert_true(json_is_null(
				json_object_get(json_object_get(cell, latencies[i]), keys[k])));
	}
	assert_true(json_is_null(json_object_get(json_object_get(cell, "requests_per_s"), "mean")));
	assert_true(json_is_null(json_object_get(cell, "payload_bytes")));
	assert_true(json_is_false(json_object_get(cell, "valid")));
	char *text = text_of(cell);
	assert_non_null(strstr(text, "n/a"));
	assert_null(strstr(text, "nan"));
	free(text);
	json_decref(cell);
	load_result_release(&r);
}

static void histograms_travel(void **state)
{
	(void)state;
	struct load_params p;
	struct load_result r;
	struct hist back;
	struct buf bytes = { 0 };
	struct fail f = { 0 };
	start(&p, &r);
	hist_add(&r.response, 1234567);
	hist_add(&r.response, 89);
	json_t *cell = load_json(&p, &r);
	const char *text =
		json_string_value(json_object_get(json_object_get(cell, "histograms"), "response"));
	assert_non_null(text);
	assert_int_equal(base64_decode(text, strlen(text), &bytes, &f), 0);
	assert_int_equal(hist_init(&back), 0);
	assert_int_equal(hist_decode(&back, bytes.data, bytes.len, &f), 0);
	assert_int_equal(back.count, 2);
	assert_int_equal(back.max_ns, 1234567);
	hist_release(&back);
	buf_release(&bytes);
	json_decref(cell);
	load_result_release(&r);
}

/* L05: whatever the samples, below a millisecond too. */
static void quantiles_are_in_order(void **state)
{
	(void)state;
	struct rng rng = testing_rng("quantiles_are_in_order");
	static const char *const keys[] = { "min", "p50", "p95", "p99", "p99_9", "max" };
	for (int run = 0; run < 20; run++) {
		struct load_params p;
		struct load_result r;
		double before = 0;
		start(&p, &r);
		for (int i = 0; i < 202; i++)
			hist_add(&r.response, 108000 + (int64_t)rng_below(&rng, 2100000));
		json_t *cell = load_json(&p, &r);
		json_t *l = json_object_get(cell, "response_us");
		assert_true(json_number_value(json_object_get(l, "min")) ==
			    (double)r.response.min_ns / 1000);
		for (int k = 0; k < 6; k++) {
			double value = json_number_value(json_object_get(l, keys[k]));
			assert_true(value >= before);
			before = value;
		}
		json_decref(cell);
		load_result_release(&r);
	}
}

/* L08: nothing is capped. */
static void millions_of_requests_are_counted(void **state)
{
	(void)state;
	struct load_params p;
	struct load_result r, part;
	start(&p, &r);
	assert_int_equal(load_result_init(&part), 0);
	for (int i = 0; i < 500000; i++)
		hist_add(&part.response, 1000 + i);
	part.window.started = part.window.succeeded = INT64_C(3000000000);
	for (int i = 0; i < 3; i++)
		load_result_merge(&r, &part);
	json_t *cell = load_json(&p, &r);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(cell, "response_us"), "n")),
		1500000);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(cell, "requests"), "succeeded")),
		INT64_C(9000000000));
	json_decref(cell);
	load_result_release(&part);
	load_result_release(&r);
}

static void a_busy_generator_is_told(void **state)
{
	(void)state;
	struct load_params p;
	struct load_result r;
	start(&p, &r);
	r.window_to_ns = NS_PER_S;
	r.window.started = r.window.succeeded = 1;
	for (int pct = 80; pct <= 81; pct++) {
		r.cpu_busiest_ns = pct * NS_PER_S / 100;
		json_t *cell = load_json(&p, &r);
		assert_int_equal(json_array_size(json_object_get(cell, "warnings")), pct > 80);
		json_decref(cell);
	}
	load_result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counter_is_added),
		cmocka_unit_test(balance_is_exact),
		cmocka_unit_test(lost_requests_are_said),
		cmocka_unit_test(rate_is_completions_over_elapsed),
		cmocka_unit_test(verdicts_at_their_borders),
		cmocka_unit_test(the_window_is_blamed_first),
		cmocka_unit_test(nothing_measured_is_null),
		cmocka_unit_test(histograms_travel),
		cmocka_unit_test(quantiles_are_in_order),
		cmocka_unit_test(millions_of_requests_are_counted),
		cmocka_unit_test(a_busy_generator_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
