/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx_read_test - the reader against the simulated chip: pace, loss, damage, recovery.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "power/i2c_sim.h"
#include "power/ina219.h"

#define CONFIG 0x199F /* 16 V, /8, 12 bits: one cycle is 1.064 ms */
#define CYCLE  (1064 * NS_PER_US)

struct bench {
	int64_t now_ns, bus_uv, current_na;
	struct i2c_sim sim;
	struct ina2xx chip;
	struct fail fail;
};

static int64_t bench_bus(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct bench *)data)->bus_uv;
}

static int64_t bench_current(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct bench *)data)->current_na;
}

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof *b);
	b->now_ns = NS_PER_S;
	b->bus_uv = 5000000;
	b->current_na = 600000000;
	i2c_sim_init(&b->sim, timebase_counter(&b->now_ns), 100000, 7);
	b->sim.source = (struct i2c_sim_source){ bench_bus, bench_current, b, NULL };
}

static int start(struct bench *b, uint16_t config)
{
	struct ina2xx_plan plan = ina219_plan_raw(config, 4096);

	return ina2xx_start(&b->chip, i2c_sim_bus(&b->sim), b->sim.time, &plan, &b->fail);
}

static struct sample take(struct bench *b)
{
	struct sample s;

	assert_int_equal(ina2xx_read(&b->chip, &s, &b->fail), 0);
	return s;
}

static void reads_at_the_chips_pace(void **state)
{
	struct bench b;
	int64_t first_ns = 0, last_ns = 0;
	struct ina2xx_plan plan;

	(void)state;
	bench_init(&b);
	/* An odd CAL reads back even: no reason to think of a brown-out. */
	plan = ina219_plan_raw(CONFIG, 13421);
	assert_int_equal(ina2xx_start(&b.chip, i2c_sim_bus(&b.sim), b.sim.time, &plan, &b.fail), 0);
	for (int i = 0; i < 2000; i++) {
		struct sample s = take(&b);

		assert_int_equal(s.flags, 0);
		assert_int_equal(s.code[0], 1250);
		assert_int_equal(s.code[1], 6000);
		last_ns = s.before_ns;
		if (i == 0)
			first_ns = last_ns;
	}
	/* One sample a conversion: none skipped, none twice. */
	assert_in_range((last_ns - first_ns) / 1999, CYCLE - 2000, CYCLE + 2000);
}

/* The same with oscillators from 10 % fast to 10 % slow, and with a bus that takes time. */
static void follows_any_oscillator(void **state)
{
	static const int64_t ppm[] = { -100000, -30000, 20000, 60000, 101000 };

	(void)state;
	for (size_t k = 0; k < sizeof ppm / sizeof *ppm; k++) {
		struct bench b;
		int64_t before;

		bench_init(&b);
		b.sim.speed_ppm = ppm[k];
		b.sim.transfer_ns = 60 * NS_PER_US;
		assert_int_equal(start(&b, CONFIG), 0);
		for (int i = 0; i < 200; i++)
			take(&b);
		before = b.sim.conversions;
		for (int i = 0; i < 1000; i++)
			assert_int_equal(take(&b).flags, 0);
		assert_in_range(b.sim.conversions - before, 999, 1003);
	}
}

/* Looks at the bus cost the board power: hardly more than one a sample. */
static void sleeps_instead_of_polling(void **state)
{
	struct bench b;
	int64_t reads;

	(void)state;
	bench_init(&b);
	assert_int_equal(start(&b, CONFIG), 0);
	for (int i = 0; i < 500; i++)
		take(&b);
	reads = b.sim.accesses;
	for (int i = 0; i < 1000; i++)
		take(&b);
	assert_in_range(b.sim.accesses - reads, 3000, 4200);
}

static void one_sample_per_conversion(void **state)
{
	struct bench b;
	struct sample s;
	uint64_t bus;

	(void)state;
	/* B13, B14: asked early, the chip shows the old value; CNVR says so. */
	bench_init(&b);
	assert_int_equal(start(&b, CONFIG), 0);
	s = take(&b);
	assert_int_equal(s.flags, 0);
	assert_int_equal(b.chip.bus.ops->read(&b.chip.bus, INA219_BUS, 2, &bus), 0);
	assert_int_equal(bus & INA219_CNVR, 0);
	b.sim.stuck = true;
	s = take(&b);
	assert_int_equal(s.flags, SAMPLE_STALE);
	assert_int_equal(s.code[1], 6000);
	b.sim.stuck = false;
	assert_int_equal(take(&b).flags, 0);
}

static void saturation_is_seen_without_ovf(void **state)
{
	static const uint16_t gains[] = { 0x019F, 0x099F, 0x119F, 0x199F };

	(void)state;
	for (int pg = 0; pg < 4; pg++) {
		struct bench b;
		struct sample s;

		bench_init(&b);
		b.current_na = INT64_C(400000000) << pg; /* exactly full scale at 0.1 Ohm */
		assert_int_equal(start(&b, gains[pg]), 0);
		take(&b);
		s = take(&b);
		assert_true(s.flags & SAMPLE_SATURATED);
		assert_int_equal(s.code[1], 4000 << pg);
		b.current_na = -b.current_na * 2;
		take(&b);
		s = take(&b);
		assert_true(s.flags & SAMPLE_SATURATED);
		assert_int_equal(s.code[1], -(4000 << pg));
		b.current_na = (INT64_C(400000000) << pg) - 10000000;
		take(&b);
		assert_false(take(&b).flags & SAMPLE_SATURATED);
	}
}

static void bus_range_is_seen(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.bus_uv = 20000000;
	assert_int_equal(start(&b, CONFIG), 0);
	take(&b);
	assert_true(take(&b).flags & SAMPLE_SATURATED);
	bench_init(&b);
	b.bus_uv = 20000000;
	assert_int_equal(start(&b, CONFIG | 0x2000), 0);
	take(&b);
	assert_false(take(&b).flags & SAMPLE_SATURATED);
}

static void impostors_are_refused(void **state)
{
	static const struct {
		uint16_t value;
		const char *name;
	} row[] = { { 0x4127, "INA226" },
		    { 0x7127, "INA3221" },
		    { 0x6127, "INA260" },
		    { 0x0001, "unknown" },
		    { 0x8000, "reset bit" } };
	struct bench b;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		bench_init(&b);
		b.sim.reset_value = row[i].value;
		assert_int_equal(start(&b, CONFIG), -1);
		assert_non_null(strstr(b.fail.text, row[i].name));
	}
	bench_init(&b);
	b.sim.all_ones = true;
	assert_int_equal(start(&b, CONFIG), -1);
	assert_non_null(strstr(b.fail.text, "0xFFFF"));
	bench_init(&b);
	b.sim.swapped = true;
	assert_int_equal(start(&b, CONFIG), -1);
	assert_non_null(strstr(b.fail.text, "swapped"));
	bench_init(&b);
	b.sim.nacks = -1;
	assert_int_equal(start(&b, CONFIG), -1);
	assert_non_null(strstr(b.fail.text, "nothing answers"));
	assert_null(b.chip.bus.ops);
}

static void one_nack_is_retried(void **state)
{
	struct bench b;
	struct sample s;

	(void)state;
	bench_init(&b);
	assert_int_equal(start(&b, CONFIG), 0);
	take(&b);
	b.sim.nacks = 1;
	s = take(&b);
	assert_int_equal(s.flags, SAMPLE_RETRIED);
	assert_int_equal(s.code[1], 6000);
	assert_int_equal(take(&b).flags, 0);
}

static void many_nacks_are_a_gap(void **state)
{
	struct bench b;
	struct sample s;

	(void)state;
	bench_init(&b);
	assert_int_equal(start(&b, CONFIG), 0);
	take(&b);
	b.sim.nacks = -1;
	for (int i = 0; i < 5; i++) {
		int64_t before_ns = b.now_ns;

		s = take(&b);
		assert_true(s.flags & SAMPLE_ABSENT);
		assert_int_equal(s.code[0], 0);
		/* It does not hammer a dead bus. */
		assert_true(b.now_ns - before_ns >= CYCLE);
	}
	assert_int_equal(b.chip.failures, 5);
	b.sim.nacks = 0;
	s = take(&b);
	assert_int_equal(s.flags, 0);
	assert_int_equal(s.code[1], 6000);
	assert_int_equal(b.chip.failures, 0);
	/* The adapter itself gone is the end. */
	b.sim.nacks = -1;
	b.sim.nack_error = ENODEV;
	assert_int_equal(ina2xx_read(&b.chip, &s, &b.fail), -1);
	assert_non_null(strstr(b.fail.text, "gone"));
}

static int samples_until_reinit(struct bench *b)
{
	for (int i = 1; i <= 2000; i++) {
		struct sample s = take(b);

		/* B15: the figures stay right even before it is noticed. */
		if (i > 2 && !(s.flags & SAMPLE_STALE))
			assert_int_equal(s.code[1], 6000);
		if (s.flags & SAMPLE_REINIT)
			return i;
	}
	return -1;
}

static void brown_out_is_noticed(void **state)
{
	static const uint16_t configs[] = { CONFIG, INA219_CONFIG_RESET };
	struct bench b;

	(void)state;
	for (int i = 0; i < 2; i++) {
		bench_init(&b);
		assert_int_equal(start(&b, configs[i]), 0);
		for (int k = 0; k < 10; k++)
			assert_int_equal(take(&b).flags, 0);
		i2c_sim_brown_out(&b.sim);
		assert_int_equal(b.sim.reg[INA219_CAL], 0);
		/* Where CONFIG equals the reset value, CAL alone gives it away. */
		assert_in_range(samples_until_reinit(&b), 1, 1001);
		assert_int_equal(b.sim.reg[INA219_CONFIG], configs[i]);
		assert_int_equal(b.sim.reg[INA219_CAL], 4096);
		assert_int_equal(take(&b).flags, 0);
	}
}

/* A chip that reads 0 V looks as if it had been away: the settings are checked at once. */
static void suspicion_checks_at_once(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	assert_int_equal(start(&b, CONFIG), 0);
	take(&b);
	i2c_sim_brown_out(&b.sim);
	b.sim.nacks = 1;
	assert_in_range(samples_until_reinit(&b), 1, 3);
}

static void absent_chip_comes_back(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	assert_int_equal(start(&b, CONFIG), 0);
	take(&b);
	b.sim.all_ones = true;
	for (int i = 0; i < 3; i++)
		assert_true(take(&b).flags & SAMPLE_ABSENT);
	b.sim.all_ones = false;
	assert_in_range(samples_until_reinit(&b), 1, 3);
}

static void slow_bus_tears(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	assert_int_equal(start(&b, CONFIG), 0);
	take(&b);
	/* 100 kHz: three registers take longer than a conversion of one channel. */
	b.sim.transfer_ns = 470 * NS_PER_US;
	assert_true(take(&b).flags & SAMPLE_TORN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_at_the_chips_pace),
		cmocka_unit_test(follows_any_oscillator),
		cmocka_unit_test(sleeps_instead_of_polling),
		cmocka_unit_test(one_sample_per_conversion),
		cmocka_unit_test(saturation_is_seen_without_ovf),
		cmocka_unit_test(bus_range_is_seen),
		cmocka_unit_test(impostors_are_refused),
		cmocka_unit_test(one_nack_is_retried),
		cmocka_unit_test(many_nacks_are_a_gap),
		cmocka_unit_test(brown_out_is_noticed),
		cmocka_unit_test(suspicion_checks_at_once),
		cmocka_unit_test(absent_chip_comes_back),
		cmocka_unit_test(slow_bus_tears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
