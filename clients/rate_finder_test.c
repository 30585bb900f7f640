/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_finder_test - links whose right rate is known: exact, noisy, with a step as of
 * retransmissions, and brackets that do not hold.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clients/rate_finder.h"
#include "lib/testing.h"

#define S 1000000000.0

struct link {
	double bytes;    /* of a request, times the clients that wait in turn */
	double floor_ns; /* of the server */
	double step_ns;  /* above it each request is sent twice; 0: never */
	double noise;    /* relative, standard deviation of a run's mean */
	int runs;
};

static double run_link(struct link *l, struct rng *rng, int64_t rate)
{
	double ns = l->bytes / (double)rate * S;
	if (l->step_ns > 0 && ns > l->step_ns)
		ns *= 1 + fmin((ns / l->step_ns - 1) * 2, 1);
	l->runs++;
	return (ns + l->floor_ns) * (1 + l->noise * rng_normal(rng));
}

static struct rate_finder finder(const char *target, const char *range, double tolerance)
{
	struct rate_finder r = { .tolerance = tolerance };
	struct fail f = { 0 };
	assert_int_equal(rate_target_parse(target, &r, &f), 0);
	assert_int_equal(rate_range_parse(range, &r, &f), 0);
	return r;
}

static void search(struct rate_finder *r, struct link *l, struct rng *rng)
{
	int64_t rate;
	while ((rate = rate_finder_next(r))) {
		assert_true(rate >= r->low && rate <= r->high);
		assert_true(l->runs < 100);
		rate_finder_tell(r, rate, run_link(l, rng, rate), true);
	}
}

/* Where the figure is the target, by bisection of the noiseless link. */
static double truth(const struct link *l, const struct rate_finder *r)
{
	struct link exact = *l;
	struct rng unused;
	double low = (double)r->low, high = (double)r->high;
	rng_seed(&unused, 1);
	exact.noise = 0;
	for (int i = 0; i < 100; i++) {
		double at = sqrt(low * high);
		exact.runs = 0;
		*(run_link(&exact, &unused, llround(at)) > (double)r->target_ns ? &low : &high) =
			at;
	}
	return high;
}

/* One request of 700 bytes in a second: 0.7 kB/s, the study's own. */
static void one_client_needs_its_bytes(void **state)
{
	(void)state;
	struct rng rng = testing_rng("rate_finder");
	struct rate_finder r = finder("mean<=1s", "100B/s..1MB/s", 0.02);
	struct link l = { .bytes = 700 };
	search(&r, &l, &rng);
	assert_int_equal(rate_finder_state(&r), RATE_FOUND);
	assert_in_range(r.meets, 700, 714);
	assert_in_range(r.fails, 680, 699);
	assert_true(l.runs <= 12);
}

static void random_links_are_solved_in_few_runs(void **state)
{
	(void)state;
	struct rng rng = testing_rng("rate_finder");
	int runs = 0, off = 0;
	for (int trial = 0; trial < 2000; trial++) {
		struct rate_finder r = finder("mean<=3s", "100B/s..10MB/s", 0.05);
		struct link l = { .bytes = 600 * (1 + rng_unit(&rng) * 119),
				  .floor_ns = rng_unit(&rng) * 2 * S,
				  .step_ns = rng_unit(&rng) < 0.5 ? 2 * S : 0,
				  .noise = trial & 1 ? 0.005 : 0 };
		double want;
		search(&r, &l, &rng);
		want = truth(&l, &r);
		assert_int_equal(rate_finder_state(&r), RATE_FOUND);
		assert_true((double)r.meets <= (double)r.fails * 1.05 + 1);
		if (!l.noise) {
			assert_true((double)r.meets >= want - 1);
			assert_true((double)r.fails <= want + 1);
		}
		off += fabs((double)r.meets / want - 1) > 0.10;
		runs += l.runs;
	}
	print_message("%.1f runs each, %d of 2000 off by more than 10 %%\n", runs / 2000.0, off);
	assert_true(runs <= 2000 * 12);
	assert_true(off <= 10);
}

/* A mean that scatters as much as it may differ is decided by three runs, not by one. */
static void noise_is_met_with_more_runs(void **state)
{
	(void)state;
	struct rate_finder r = finder("mean<=1s", "100B/s..100kB/s", 0.05);
	rate_finder_tell(&r, 100000, 0.01 * S, true);
	rate_finder_tell(&r, 1000, 0.97 * S, true);
	rate_finder_tell(&r, 960, 1.01 * S, true);
	assert_int_equal(rate_finder_state(&r), RATE_FOUND);
	assert_int_equal(rate_finder_next(&r), 1000);
	rate_finder_tell(&r, 1000, 1.04 * S, true);
	/* Its mean is above the target now: the bracket is a wider one. */
	assert_int_equal(r.fails, 1000);
	assert_int_equal(r.meets, 100000);
	assert_int_equal(rate_finder_state(&r), RATE_SEARCHING);
	assert_in_range(rate_finder_next(&r), 1001, 99999);
}

static void brackets_that_do_not_hold_are_said(void **state)
{
	(void)state;
	struct rng rng = testing_rng("rate_finder");
	struct rate_finder r = finder("p95<=1s", "100B/s..1MB/s", 0.05);
	struct link slow = { .bytes = 700, .floor_ns = 2 * S }, fast = { .bytes = 50 };
	assert_int_equal(r.metric, RATE_P95);
	search(&r, &slow, &rng);
	assert_int_equal(rate_finder_state(&r), RATE_HIGH_FAILS);
	assert_int_equal(slow.runs, 1);
	r = finder("mean<=1s", "100B/s..1MB/s", 0.05);
	search(&r, &fast, &rng);
	assert_int_equal(rate_finder_state(&r), RATE_LOW_MEETS);
	assert_int_equal(r.meets, 100);
	r = finder("mean<=1s", "100B/s..100kB/s", 0.05);
	rate_finder_tell(&r, 100000, 0.1 * S, true);
	rate_finder_tell(&r, 1000, 0.5 * S, true);
	rate_finder_tell(&r, 5000, 3 * S, true);
	assert_int_equal(rate_finder_state(&r), RATE_CROSSED);
	assert_int_equal(rate_finder_next(&r), 0);
}

/* Requests that timed out say nothing of the mean, and never that it was met. */
static void invalid_runs_do_not_meet(void **state)
{
	(void)state;
	struct rate_finder r = finder("mean<=1s", "100B/s..100kB/s", 0.05);
	rate_finder_tell(&r, 100000, 0.1 * S, true);
	rate_finder_tell(&r, 9000, 0.2 * S, false);
	assert_int_equal(r.fails, 9000);
	assert_true(isnan(rate_probe_ns(&r.probe[0])));
	assert_in_range(rate_finder_next(&r), 9001, 99999);
}

static void texts_are_read_or_refused(void **state)
{
	(void)state;
	static const char *const bad[] = { "mean",    "mean<1s",   "mean<=", "mean<=0",
					   "p42<=1s", "mean<=-1s", "<=1s" };
	static const char *const bad_range[] = { "100B/s", "1MB/s..100B/s", "..1MB/s", "a..b",
						 "100B/s.." };
	struct rate_finder r = { 0 };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fail f = { 0 };
		assert_int_equal(rate_target_parse(bad[i], &r, &f), -1);
		assert_non_null(strstr(f.text, bad[i]));
	}
	for (size_t i = 0; i < sizeof(bad_range) / sizeof(bad_range[0]); i++) {
		struct fail f = { 0 };
		assert_int_equal(rate_range_parse(bad_range[i], &r, &f), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_client_needs_its_bytes),
		cmocka_unit_test(random_links_are_solved_in_few_runs),
		cmocka_unit_test(noise_is_met_with_more_runs),
		cmocka_unit_test(brackets_that_do_not_hold_are_said),
		cmocka_unit_test(invalid_runs_do_not_meet),
		cmocka_unit_test(texts_are_read_or_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
