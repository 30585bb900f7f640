/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler_test - the grid, lateness, a meter that fails, the model live.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/usage.h"
#include "power/energy.h"
#include "power/sampler.h"

#define SLOW_READ 9

/* A meter by script: how long each read takes, and when it breaks. */
struct script {
	int64_t slow_ns;    /* the tenth read takes this long */
	int fail_at, reads; /* reads: looked at by the other thread */
};

static int script_read(struct meter *m, struct sample *s)
{
	struct script *p = m->impl;

	int read = __atomic_load_n(&p->reads, __ATOMIC_RELAXED);

	if (read == p->fail_at)
		return fail_set(&m->fail, ENODEV, "pulled out");
	*s = (struct sample){ .before_ns = clock_ns() };
	__atomic_store_n(&p->reads, read + 1, __ATOMIC_RELAXED);
	if (read == SLOW_READ && p->slow_ns > 0)
		clock_sleep_until(s->before_ns + p->slow_ns);
	s->after_ns = clock_ns();
	s->code[0] = 1000000000;
	return 0;
}

static const struct meter_ops script_ops = { .name = "script", .read = script_read };

static struct meter script_meter(struct script *p)
{
	struct meter m = { .ops = &script_ops, .impl = p };

	m.facts.kind = CODE_POWER;
	return m;
}

static void wait_for(const struct script *p, int reads)
{
	int64_t end_ns = clock_ns() + 20 * NS_PER_S;

	while (__atomic_load_n(&p->reads, __ATOMIC_RELAXED) < reads && clock_ns() < end_ns)
		clock_sleep_until(clock_ns() + NS_PER_MS);
}

/* The next deadline stays on the grid, however late it is; what passed is counted. */
static void next_deadline(void **state)
{
	int64_t lost = 0;

	(void)state;
	assert_int_equal(sampler_next_due(100, 103, 10, &lost), 110);
	assert_int_equal(lost, 0);
	assert_int_equal(sampler_next_due(100, 110, 10, &lost), 120);
	assert_int_equal(lost, 1);
	assert_int_equal(sampler_next_due(100, 135, 10, &lost), 140);
	assert_int_equal(lost, 4);
	assert_int_equal(sampler_next_due(100, 99, 10, &lost), 110);
	assert_int_equal(lost, 4);
}

static void deadlines_are_absolute(void **state)
{
	const int64_t period_ns = 10 * NS_PER_MS;
	struct script p = { .slow_ns = 35 * NS_PER_MS, .fail_at = -1 };
	struct meter m = script_meter(&p);
	struct fail f = { 0 };
	struct sampler *s = sampler_start(&m, period_ns, NS_PER_S, &f);
	struct trace t;
	int64_t steps;

	(void)state;
	assert_non_null(s);
	wait_for(&p, 40);
	assert_int_equal(sampler_stop(s, &t, &f), 0);
	assert_true(t.count >= 40);
	assert_int_equal(t.facts.period_ns, period_ns);
	/* Reads and skipped deadlines together fill the grid exactly: it does not drift. */
	assert_true(t.lost >= 3);
	steps = llround((double)(t.sample[t.count - 1].before_ns - t.sample[0].before_ns) /
			(double)period_ns);
	assert_true(llabs(steps - ((int64_t)t.count - 1 + t.lost)) <= 1);
	/* Stamps are whole microseconds. */
	for (size_t i = 0; i < t.count; i++)
		assert_int_equal(t.sample[i].before_ns % NS_PER_US, 0);
	assert_true(t.cpu_ns > 0 && t.cpu_ns < NS_PER_S);
	trace_release(&t);
}

static void failing_meter_hands_over(void **state)
{
	struct script p = { .fail_at = 5 };
	struct meter m = script_meter(&p);
	struct fail f = { 0 };
	struct sampler *s = sampler_start(&m, NS_PER_MS, NS_PER_S, &f);
	struct trace t;

	(void)state;
	assert_non_null(s);
	wait_for(&p, 5);
	clock_sleep_until(clock_ns() + 20 * NS_PER_MS);
	assert_int_equal(sampler_stop(s, &t, &f), -1);
	assert_int_equal(f.code, ENODEV);
	assert_string_equal(f.text, "pulled out");
	assert_int_equal(t.count, 5);
	trace_release(&t);
}

static void stops_within_a_long_period(void **state)
{
	struct script p = { .fail_at = -1 };
	struct meter m = script_meter(&p);
	struct fail f = { 0 };
	struct sampler *s = sampler_start(&m, 3600 * NS_PER_S, 0, &f);
	int64_t start_ns;
	struct trace t;

	(void)state;
	assert_non_null(s);
	wait_for(&p, 1);
	start_ns = clock_ns();
	assert_int_equal(sampler_stop(s, &t, &f), 0);
	assert_true(clock_ns() - start_ns < 60 * NS_PER_S);
	assert_int_equal(t.count, 1);
	trace_release(&t);
	assert_null(sampler_start(&m, -1, 0, &f));
}

static struct trace sample_for(struct meter *m, int64_t ns, int64_t period_ns)
{
	struct fail f = { 0 };
	struct sampler *s = sampler_start(m, period_ns, ns, &f);
	struct trace t;

	if (s == NULL)
		fail_msg("%s", f.text);
	clock_sleep_until(clock_ns() + ns);
	if (sampler_stop(s, &t, &f) != 0)
		fail_msg("%s", f.text);
	return t;
}

/* Asked for more than the meter has: its own pace, not nine deadlines lost for each kept. */
static void no_finer_than_the_meter(void **state)
{
	struct meter m;
	struct trace t;

	(void)state;
	assert_int_equal(meter_open(&m, "wave:constant,rate=100Hz"), 0);
	t = sample_for(&m, 300 * NS_PER_MS, NS_PER_MS);
	meter_close(&m);
	assert_int_equal(t.facts.period_ns, 10 * NS_PER_MS);
	assert_true(t.count > 2);
	assert_true(t.lost < 5 * (int64_t)t.count);
	trace_release(&t);
}

/* At the chip's own pace the thread sleeps; it does not poll a core away. */
static void chip_at_its_own_pace(void **state)
{
	struct fail f = { 0 };
	struct energy e;
	struct meter m;
	struct trace t;

	(void)state;
	assert_int_equal(meter_open(&m, "wave:constant,mean=2W,chip"), 0);
	t = sample_for(&m, 400 * NS_PER_MS, 0);
	meter_close(&m);
	assert_true(t.count > 40);
	/* Each millisecond costs some tens of microseconds at the most. */
	assert_true(t.cpu_ns < 200 * NS_PER_MS);
	assert_int_equal(energy_window(&t, t.sample[0].before_ns, t.sample[t.count - 1].before_ns,
				       GAP_EXCLUDE, NS_PER_S, &e, &f),
			 0);
	assert_true(fabs((double)e.mean_nw / 1e9 - 2) < 0.002);
	trace_release(&t);
}

static volatile unsigned sink;

static void burn(int64_t ns)
{
	int64_t end_ns = usage_self_cpu_ns() + ns;

	while (usage_self_cpu_ns() < end_ns)
		for (int i = 0; i < 1000; i++)
			sink += (unsigned)i;
}

/* The model on a real process: this one. */
static void model_follows_this_process(void **state)
{
	pid_t self = getpid();
	struct fail f = { 0 };
	struct sampler *s;
	struct energy e;
	struct meter m;
	struct trace t;
	int64_t from_ns, to_ns, cpu_ns;
	double net_j;

	(void)state;
	assert_int_equal(meter_open(&m, "model:idle=1W,loaded=5W,cores=4"), 0);
	assert_int_equal(m.ops->watch(&m, &self, 1), 0);
	s = sampler_start(&m, 0, NS_PER_S, &f);
	assert_non_null(s);
	clock_sleep_until(clock_ns() + 60 * NS_PER_MS);
	from_ns = clock_ns();
	cpu_ns = usage_self_cpu_ns();
	burn(300 * NS_PER_MS);
	clock_sleep_until(clock_ns() + 60 * NS_PER_MS);
	cpu_ns = usage_self_cpu_ns() - cpu_ns;
	to_ns = clock_ns();
	clock_sleep_until(clock_ns() + 60 * NS_PER_MS);
	assert_int_equal(sampler_stop(s, &t, &f), 0);
	meter_close(&m);
	assert_int_equal(energy_window(&t, from_ns, to_ns, GAP_HOLD, NS_PER_S, &e, &f), 0);
	net_j = (double)(e.energy_nj - (to_ns - from_ns)) / 1e9;
	/* 1 W for each busy core; edges of one sample, and scheduling on a busy machine. */
	if (fabs(net_j - (double)cpu_ns / 1e9) > 0.05)
		fail_msg("net %.4f J for %.4f s of CPU time", net_j, (double)cpu_ns / 1e9);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_deadline),
		cmocka_unit_test(deadlines_are_absolute),
		cmocka_unit_test(failing_meter_hands_over),
		cmocka_unit_test(stops_within_a_long_period),
		cmocka_unit_test(no_finer_than_the_meter),
		cmocka_unit_test(chip_at_its_own_pace),
		cmocka_unit_test(model_follows_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
