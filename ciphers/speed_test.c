/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When speed stops and what it says, on a clock that the test owns: an operation takes as
 * long as the test lets it. No real time is judged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "ciphers/speed.h"
#include "ciphers/speed_stat.h"
#include "lib/clock.h"
#include "lib/rng.h"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("expected %.9g, not %.9g", expected, value);
}

struct fake {
	int64_t wall_ns, cpu_ns;
	int64_t each_ns;    /* of one operation */
	double noise;       /* relative, of a whole batch: drawn where a batch begins */
	double cpu_share;   /* of wall time */
	int64_t fails_at;   /* this operation fails; 0: none */
	int64_t operations; /* run so far */
	int64_t reads;      /* of the wall clock */
	double factor;      /* of this batch */
	struct rng rng;
};

static struct fake fake;

static int64_t fake_wall_ns(void *data)
{
	struct fake *f = data;

	f->reads++;
	f->factor = 1 + f->noise * rng_normal(&f->rng);
	return f->wall_ns;
}

static int64_t fake_cpu_ns(void *data)
{
	return ((struct fake *)data)->cpu_ns;
}

static int fake_once(struct primitive *p)
{
	int64_t took_ns = llround((double)fake.each_ns * fake.factor);

	if (++fake.operations == fake.fails_at)
		return primitive_broken(p, "broke");
	fake.wall_ns += took_ns;
	fake.cpu_ns += llround((double)took_ns * fake.cpu_share);
	return 0;
}

static const struct speed_clock clock = { fake_wall_ns, fake_cpu_ns, &fake };

static struct speed_plan plan_of(int64_t time_ns, int64_t max_time_ns, double precision)
{
	return (struct speed_plan){ .batch_ns = SPEED_BATCH_NS,
				    .time_ns = time_ns,
				    .max_time_ns = max_time_ns,
				    .precision = precision,
				    .clock = &clock };
}

static void start(int64_t each_ns, double noise)
{
	fake = (struct fake){ .each_ns = each_ns, .noise = noise, .cpu_share = 1, .factor = 1 };
	rng_seed(&fake.rng, 7);
}

static struct primitive primitive(void)
{
	return (struct primitive){
		.engine = &engine_null,
		.what = { .op = OP_HASH, .algorithm = algorithm_by_name("sha256"), .bytes = 1000 },
		.once = fake_once
	};
}

static void test_steady_operation(void **state)
{
	struct speed_plan plan = plan_of(NS_PER_S, 3 * NS_PER_S, 0.02);
	struct primitive p = primitive();
	struct speed_figure f;

	(void)state;
	start(2000, 0);
	assert_int_equal(speed_run(&p, &plan, &f), 0);
	assert_true(f.measured && f.precise);
	near(f.us_per_op, 2, 1e-9);
	near(f.us_half, 0, 1e-9);
	near(speed_ops_per_s(&f), 500000, 1e-3);
	near(speed_mb_per_s(&f), 500, 1e-6);
	near(speed_cpu_us_per_op(&f), 2, 1e-9);
	/* A batch is long enough, not much longer; the sum is what was asked for. */
	assert_in_range(f.batch_ops * 2000, SPEED_BATCH_NS, 2 * SPEED_BATCH_NS);
	assert_in_range(f.wall_ns, NS_PER_S, NS_PER_S + 2 * SPEED_BATCH_NS);
	assert_int_equal(f.ops, f.batches * f.batch_ops);
	assert_int_equal(f.wall_ns, f.ops * 2000);
	assert_int_equal(f.to_ns - f.from_ns, f.wall_ns);
	assert_int_equal(f.to_ns, fake.wall_ns);
	/* The tuning is warm-up, not part of the figure. */
	assert_true(fake.operations > f.ops);
}

static void test_batches_fit_any_operation(void **state)
{
	static const int64_t each_ns[] = { 1, 7, 300, 12345, 4000000, 9999999, 10000000, 70000000 };
	struct speed_plan plan = plan_of(NS_PER_S, 3 * NS_PER_S, 0.02);

	(void)state;
	for (size_t i = 0; i < sizeof(each_ns) / sizeof(each_ns[0]); i++) {
		struct primitive p = primitive();
		struct speed_figure f;

		start(each_ns[i], 0);
		assert_int_equal(speed_run(&p, &plan, &f), 0);
		assert_true(f.batch_ops * each_ns[i] >= SPEED_BATCH_NS);
		assert_true(f.batch_ops == 1 || f.batch_ops * each_ns[i] <= 3 * SPEED_BATCH_NS);
		/* Slow ones are tried few times before it starts. */
		assert_true(fake.operations - f.ops <= 3 * f.batch_ops);
		assert_true(f.precise);
	}
}

static void test_goes_on_until_precise(void **state)
{
	struct speed_plan plan = plan_of(NS_PER_S / 10, 60 * NS_PER_S, 0.02);
	struct primitive p = primitive();
	struct speed_figure f;

	(void)state;
	start(1000, 0.10);
	assert_int_equal(speed_run(&p, &plan, &f), 0);
	assert_true(f.precise);
	assert_true(f.wall_ns > plan.time_ns && f.wall_ns < plan.max_time_ns);
	assert_true(2 * f.us_half <= 0.02 * f.us_per_op);
	/* (2 x 1.96 x 10 % / 2 %)^2 = 384 batches, if it is done right. */
	assert_in_range(f.batches, 200, 600);
	near(f.us_per_op, 1, 0.02);
}

static void test_stops_at_the_longest_time_and_says_so(void **state)
{
	struct speed_plan plan = plan_of(NS_PER_S, 2 * NS_PER_S, 0.001);
	struct primitive p = primitive();
	struct speed_figure f;

	(void)state;
	start(1000, 0.10);
	assert_int_equal(speed_run(&p, &plan, &f), 0);
	assert_true(f.measured);
	assert_false(f.precise);
	assert_in_range(f.wall_ns, 2 * NS_PER_S, 2 * NS_PER_S + 3 * SPEED_BATCH_NS);
}

/* Two batches that happen to be alike prove nothing. */
static void test_few_batches_are_never_precise(void **state)
{
	struct speed_plan plan = plan_of(1, 60 * NS_PER_S, 0.5);
	struct primitive p = primitive();
	struct speed_figure f;

	(void)state;
	start(NS_PER_S, 0);
	assert_int_equal(speed_run(&p, &plan, &f), 0);
	assert_int_equal(f.batches, SPEED_BATCHES_MIN);
	plan.max_time_ns = 2 * NS_PER_S;
	assert_int_equal(speed_run(&p, &plan, &f), 0);
	assert_int_equal(f.batches, 2);
	assert_false(f.precise);
}

static void test_a_busy_machine_shows(void **state)
{
	struct speed_plan plan = plan_of(NS_PER_S, 2 * NS_PER_S, 0.02);
	struct primitive p = primitive();
	struct speed_figure f;

	(void)state;
	start(4000, 0);
	fake.cpu_share = 0.25;
	assert_int_equal(speed_run(&p, &plan, &f), 0);
	near(speed_cpu_us_per_op(&f), 1, 1e-6);
	near(speed_cpu_share(&f), 0.25, 1e-6);
}

static void test_a_failure_is_no_figure(void **state)
{
	struct speed_plan plan = plan_of(NS_PER_S, 2 * NS_PER_S, 0.02);
	struct primitive p = primitive();
	struct speed_figure f;

	(void)state;
	start(4000, 0);
	fake.fails_at = 100000;
	assert_int_equal(speed_run(&p, &plan, &f), -1);
	assert_false(f.measured);
	assert_int_equal(f.ops, 0);
	assert_int_equal(f.fail.code, EPROTO);
	assert_non_null(strstr(f.fail.text, "hash:sha256/1000: broke"));
}

static void test_measures_what_engines_have(void **state)
{
	struct speed_plan plan = speed_plan_usual;
	struct operation hash = { .op = OP_HASH,
				  .algorithm = algorithm_by_name("sha256"),
				  .bytes = 64 };
	struct speed_figure f;

	(void)state;
	plan.time_ns = plan.max_time_ns = 1;
	assert_int_equal(speed_measure(&engine_null, &hash, &plan, &f), -1);
	assert_int_equal(f.fail.code, ENOTSUP);
	for (int e = 1; engines[e]; e++) {
		assert_int_equal(speed_measure(engines[e], &hash, &plan, &f), 0);
		assert_true(f.measured && f.ops > 0 && f.us_per_op > 0);
		assert_true(f.engine == engines[e] && operation_equal(&f.what, &hash));
	}
}

static void test_the_book_holds_each_once(void **state)
{
	struct operation hash = { .op = OP_HASH, .algorithm = algorithm_by_name("sha256") };
	struct speed_book b = { 0 };

	(void)state;
	for (size_t bytes = 1; bytes <= 200; bytes++) {
		hash.bytes = bytes;
		assert_int_equal(speed_book_want(&b, &engine_null, &hash), 0);
		assert_int_equal(speed_book_want(&b, &engine_null, &hash), 0);
	}
	assert_int_equal(b.count, 200);
	hash.bytes = 77;
	assert_int_equal(speed_book_find(&b, &engine_null, &hash)->what.bytes, 77);
	hash.bytes = 201;
	assert_null(speed_book_find(&b, &engine_null, &hash));
	speed_book_release(&b);
}

/* --- statistics -------------------------------------------------------------------- */

static void test_quantiles(void **state)
{
	/* Published tables, and the normal limit. */
	static const struct {
		int64_t degrees;
		double t;
	} known[] = { { 1, 12.706 },  { 2, 4.303 },    { 5, 2.571 },
		      { 9, 2.262 },   { 10, 2.2281 },  { 15, 2.1314 },
		      { 30, 2.0423 }, { 120, 1.9799 }, { 1000000, 1.95997 } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		near(speed_stat_t95(known[i].degrees), known[i].t, 5e-4);
	assert_true(isinf(speed_stat_t95(0)));
}

static void test_interval_of_known_values(void **state)
{
	static const double values[] = { 4, 7, 13, 16 };
	struct speed_stat s = { 0 };

	(void)state;
	assert_true(isinf(speed_stat_half(&s)));
	for (int i = 0; i < 4; i++)
		speed_stat_add(&s, values[i] + 1e6);
	/* Mean 10, variance 30: 3.182446 x sqrt(30 / 4). */
	near(s.mean, 1e6 + 10, 1e-9);
	near(speed_stat_half(&s), 3.182446 * sqrt(7.5), 1e-5);
}

/* 95 of 100 intervals hold the truth. */
static void test_coverage(void **state)
{
	const int sets = 4000;
	int covered = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 20261130);
	for (int i = 0; i < sets; i++) {
		struct speed_stat s = { 0 };

		for (int k = 0; k < 12; k++)
			speed_stat_add(&s, 100 + 5 * rng_normal(&rng));
		covered += fabs(s.mean - 100) <= speed_stat_half(&s);
	}
	assert_in_range(covered, sets * 935 / 1000, sets * 965 / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_operation),
		cmocka_unit_test(test_batches_fit_any_operation),
		cmocka_unit_test(test_goes_on_until_precise),
		cmocka_unit_test(test_stops_at_the_longest_time_and_says_so),
		cmocka_unit_test(test_few_batches_are_never_precise),
		cmocka_unit_test(test_a_busy_machine_shows),
		cmocka_unit_test(test_a_failure_is_no_figure),
		cmocka_unit_test(test_measures_what_engines_have),
		cmocka_unit_test(test_the_book_holds_each_once),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_interval_of_known_values),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
