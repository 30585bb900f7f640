/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_maker - for tests: traces written by hand in seconds, watts and joules.
 */
#ifndef POWER_TRACE_MAKER_H
#define POWER_TRACE_MAKER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "power/energy.h"

static inline void add(struct trace *t, double t_s, double value, uint32_t flags)
{
	int64_t ns = llround(t_s * 1e9);
	struct sample s = { ns, ns, { llround(value * 1e9), 0 }, flags };

	assert_int_equal(trace_add(t, &s), 0);
}

/* Watts, or joules for increments and counters, at seconds; period 0: not known. */
static inline struct trace make(enum sample_meaning meaning, double period_s)
{
	struct meter_facts facts = { .kind = CODE_POWER, .meaning = meaning };
	struct trace t;

	if (meaning == SAMPLE_INCREMENT || meaning == SAMPLE_COUNTER)
		facts.kind = CODE_ENERGY;
	facts.period_ns = llround(period_s * 1e9);
	assert_int_equal(trace_init(&t, &facts, 16), 0);
	return t;
}

static inline struct energy window(struct trace *t, double from_s, double to_s,
				   enum gap_policy policy)
{
	struct fail f = { 0 };
	struct energy e;

	if (energy_window(t, llround(from_s * 1e9), llround(to_s * 1e9), policy, 0, &e, &f) != 0)
		fail_msg("%s", f.text);
	return e;
}

static inline double joules(struct trace *t, double from_s, double to_s, enum gap_policy policy)
{
	return (double)window(t, from_s, to_s, policy).energy_nj / 1e9;
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 2e-9)

#endif
