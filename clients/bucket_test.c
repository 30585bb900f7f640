/* SPDX-License-Identifier: Apache-2.0 */
/* bucket_test - the token bucket against exact arithmetic, and data rates as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clients/bucket.h"
#include "lib/clock.h"
#include "lib/testing.h"

static void debts_are_paid_at_the_rate(void **state)
{
	(void)state;
	struct bucket b;
	bucket_init(&b, 700, 0, 1000);
	assert_int_equal(bucket_ready_ns(&b), 1000);
	bucket_take(&b, 700, 1000);
	assert_int_equal(bucket_ready_ns(&b), 1000 + NS_PER_S);
	bucket_take(&b, 7, 1000 + NS_PER_S);
	assert_int_equal(bucket_ready_ns(&b), 1000 + NS_PER_S + 10 * NS_PER_MS);
	bucket_init(&b, 3, 0, 0);
	bucket_take(&b, 1, 0);
	assert_int_equal(bucket_ready_ns(&b), 333333334); /* rounded up, not forgotten */
	bucket_take(&b, 1, 333333334);
	bucket_take(&b, 1, 333333334);
	assert_int_equal(bucket_ready_ns(&b), NS_PER_S + 1);
}

static void idle_time_gathers_the_burst_and_no_more(void **state)
{
	(void)state;
	struct bucket b;
	bucket_init(&b, 1000, 50, 0);
	bucket_take(&b, 50, 0); /* full at first */
	assert_int_equal(bucket_ready_ns(&b), 0);
	bucket_take(&b, 60, INT64_MAX / 2); /* a long time: no overflow */
	assert_int_equal(bucket_ready_ns(&b), INT64_MAX / 2 + 10 * NS_PER_MS);
}

static void no_limit_is_no_limit(void **state)
{
	(void)state;
	struct bucket b;
	bucket_init(&b, 0, 0, 5);
	bucket_take(&b, INT64_C(1) << 40, 6);
	assert_true(bucket_ready_ns(&b) <= 6);
}

/* What obeys the bucket passes exactly rate x time, but for the burst and the last piece. */
static void long_runs_are_exact(void **state)
{
	(void)state;
	struct rng rng = testing_rng("long_runs_are_exact");
	for (int run = 0; run < 50; run++) {
		int64_t rate = 1 + (int64_t)rng_below(&rng, 10000000), now_ns = 0, moved = 0;
		int64_t burst = (int64_t)rng_below(&rng, 100000), piece = 0;
		struct bucket b;
		bucket_init(&b, rate, burst, 0);
		for (int i = 0; i < 2000; i++) {
			piece = 1 + (int64_t)rng_below(&rng, 16384);
			bucket_take(&b, piece, now_ns);
			moved += piece;
			if (bucket_ready_ns(&b) > now_ns)
				now_ns = bucket_ready_ns(&b);
			/*
			 * All is paid now, and not a nanosecond of it twice. The products may not
			 * fit; their difference, which is less than the rate, does.
			 */
			uint64_t over = (uint64_t)now_ns * (uint64_t)rate -
					(uint64_t)(moved - burst) * (uint64_t)NS_PER_S;
			assert_true(now_ns == 0 ? moved <= burst : over < (uint64_t)rate);
		}
	}
}

static void rates_as_people_write_them(void **state)
{
	(void)state;
	static const char *const bad[] = { "",      "/s",     "700",   "0B/s", "0.0001kB/s",
					   "-1/s",  "5GB/s",  "1kB",   "x/s",  "1 kB/s",
					   "1kB/S", "1kB/s ", "1KBB/s" };
	int64_t rate = 0;
	struct fail f = { 0 };
	assert_int_equal(bucket_parse_rate("0.7KB/s", &rate, &f), 0);
	assert_int_equal(rate, 700);
	assert_int_equal(bucket_parse_rate("17kB/s", &rate, &f), 0);
	assert_int_equal(rate, 17000);
	assert_int_equal(bucket_parse_rate("64KiB/s", &rate, &f), 0);
	assert_int_equal(rate, 65536);
	assert_int_equal(bucket_parse_rate("700/s", &rate, &f), 0);
	assert_int_equal(rate, 700);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		fail_clear(&f);
		if (!bucket_parse_rate(bad[i], &rate, &f))
			fail_msg("'%s' was accepted", bad[i]);
		assert_non_null(strstr(f.text, "0.7kB/s"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debts_are_paid_at_the_rate),
		cmocka_unit_test(idle_time_gathers_the_burst_and_no_more),
		cmocka_unit_test(no_limit_is_no_limit),
		cmocka_unit_test(long_runs_are_exact),
		cmocka_unit_test(rates_as_people_write_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
