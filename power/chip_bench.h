/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chip_bench - for tests: a chip of the family on a simulated bus, its reader, and a clock that
 * moves only when somebody sleeps.
 */
#ifndef POWER_CHIP_BENCH_H
#define POWER_CHIP_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "power/convert.h"
#include "power/i2c_sim.h"

struct bench {
	int64_t now_ns, bus_uv, current_na;
	struct i2c_sim sim;
	struct ina2xx chip;
	struct ina2xx_plan plan;
	struct meter_facts facts;
	struct fail fail;
};

static inline int64_t bench_bus(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct bench *)data)->bus_uv;
}

static inline int64_t bench_current(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct bench *)data)->current_na;
}

static inline struct ina2xx_settings usual(const struct ina2xx_chip *chip)
{
	struct ina2xx_settings set = ina2xx_settings_default;

	set.shunt_uohm = chip->own_shunt_uohm ? chip->own_shunt_uohm : 100000;
	set.max_na = 350000000; /* 35 mV: every chip can */
	return set;
}

static inline void init(struct bench *b, const char *there, int64_t bus_uv, int64_t current_na)
{
	memset(b, 0, sizeof *b);
	b->now_ns = NS_PER_S;
	b->bus_uv = bus_uv;
	b->current_na = current_na;
	i2c_sim_init(&b->sim, timebase_counter(&b->now_ns), 100000, 7);
	i2c_sim_become(&b->sim, ina2xx_chip_by_name(there));
	b->sim.source = (struct i2c_sim_source){ bench_bus, bench_current, b, NULL };
	b->sim.exact = true;
}

static inline int start(struct bench *b, const char *expected, const struct ina2xx_settings *given)
{
	const struct ina2xx_chip *chip = ina2xx_chip_by_name(expected);
	struct ina2xx_settings set = given ? *given : usual(chip);

	if (ina2xx_plan(chip, &set, &b->plan, &b->facts, &b->fail) != 0)
		return -1;
	return ina2xx_start(&b->chip, i2c_sim_bus(&b->sim), b->sim.time, &b->plan, &b->fail);
}

static inline struct sample take(struct bench *b)
{
	struct sample s;

	assert_int_equal(ina2xx_read(&b->chip, &s, &b->fail), 0);
	return s;
}

static inline struct reading figures(struct bench *b, const struct sample *s)
{
	struct convert c;
	struct reading r;

	convert_init(&c, &b->facts);
	assert_true(convert_sample(&c, s, &r));
	return r;
}

#endif
