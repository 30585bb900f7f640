/* SPDX-License-Identifier: Apache-2.0 */
/*
 * i2c_sim_test - the simulated chip register by register, as the data sheet says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "power/i2c_sim.h"
#include "power/ina219.h"

#define CHANNEL (532 * NS_PER_US)

struct wires {
	int64_t now_ns, bus_uv, current_na;
	struct i2c_sim sim;
	struct i2c bus;
};

static int64_t wires_bus(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct wires *)data)->bus_uv;
}

static int64_t wires_current(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct wires *)data)->current_na;
}

static void wires_init(struct wires *w)
{
	*w = (struct wires){ .now_ns = NS_PER_MS, .bus_uv = 5000000, .current_na = 100000000 };
	i2c_sim_init(&w->sim, timebase_counter(&w->now_ns), 100000, 1);
	w->sim.source = (struct i2c_sim_source){ wires_bus, wires_current, w, NULL };
	w->bus = i2c_sim_bus(&w->sim);
}

static uint16_t get(struct wires *w, uint8_t reg)
{
	uint64_t v;

	assert_int_equal(w->bus.ops->read(&w->bus, reg, 2, &v), 0);
	return (uint16_t)v;
}

static void put(struct wires *w, uint8_t reg, uint16_t v)
{
	assert_int_equal(w->bus.ops->write16(&w->bus, reg, v), 0);
}

static void power_on_values(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	assert_int_equal(get(&w, INA219_CONFIG), 0x399F);
	assert_int_equal(get(&w, INA219_CAL), 0);
	put(&w, INA219_CAL, 0xFFFF);
	assert_int_equal(get(&w, INA219_CAL), 0xFFFE);
	put(&w, INA219_CONFIG, 0x019F);
	assert_int_equal(get(&w, INA219_CONFIG), 0x019F);
	/* RST clears itself and everything else. */
	put(&w, INA219_CONFIG, 0x8000);
	assert_int_equal(get(&w, INA219_CONFIG), 0x399F);
	assert_int_equal(get(&w, INA219_CAL), 0);
}

static void ready_bit(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	assert_false(get(&w, INA219_BUS) & INA219_CNVR);
	w.now_ns += 2 * CHANNEL - 1;
	assert_false(get(&w, INA219_BUS) & INA219_CNVR);
	w.now_ns += 1;
	assert_true(get(&w, INA219_BUS) & INA219_CNVR);
	/* Reading BUS or SHUNT leaves it, reading POWER clears it. */
	get(&w, INA219_SHUNT);
	assert_true(get(&w, INA219_BUS) & INA219_CNVR);
	get(&w, INA219_POWER);
	assert_false(get(&w, INA219_BUS) & INA219_CNVR);
	w.now_ns += 2 * CHANNEL;
	assert_true(get(&w, INA219_BUS) & INA219_CNVR);
	/* So does writing a mode. */
	put(&w, INA219_CONFIG, 0x399F);
	assert_false(get(&w, INA219_BUS) & INA219_CNVR);
}

static void channels_change_apart(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	put(&w, INA219_CONFIG, 0x399F);
	w.now_ns += 2 * CHANNEL;
	assert_int_equal(get(&w, INA219_SHUNT), 1000);
	assert_int_equal(get(&w, INA219_BUS) >> 3, 1250);
	w.current_na = 200000000;
	w.bus_uv = 4800000;
	/* The shunt channel is over, the bus channel is not: a torn pair. */
	w.now_ns += CHANNEL;
	assert_int_equal(get(&w, INA219_SHUNT), 2000);
	assert_int_equal(get(&w, INA219_BUS) >> 3, 1250);
	w.now_ns += CHANNEL;
	assert_int_equal(get(&w, INA219_BUS) >> 3, 1200);
}

static void averaging_takes_its_time(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	put(&w, INA219_CONFIG, 0x3FFF); /* 128 averages on both channels */
	w.now_ns += 136200 * NS_PER_US - 1;
	assert_false(get(&w, INA219_BUS) & INA219_CNVR);
	w.now_ns += 1;
	assert_true(get(&w, INA219_BUS) & INA219_CNVR);
	wires_init(&w);
	w.sim.speed_ppm = 100000;
	put(&w, INA219_CONFIG, 0x399F);
	w.now_ns += 2 * CHANNEL * 11 / 10 - 1;
	assert_false(get(&w, INA219_BUS) & INA219_CNVR);
	w.now_ns += 1;
	assert_true(get(&w, INA219_BUS) & INA219_CNVR);
}

static void triggered_and_off(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	put(&w, INA219_CONFIG, 0x399B); /* both channels, once */
	w.now_ns += 2 * CHANNEL;
	assert_true(get(&w, INA219_BUS) & INA219_CNVR);
	get(&w, INA219_POWER);
	w.now_ns += NS_PER_S;
	assert_false(get(&w, INA219_BUS) & INA219_CNVR);
	assert_int_equal(w.sim.conversions, 1);
	/* Power-down keeps the last values: stale for ever. */
	put(&w, INA219_CONFIG, 0x3998);
	w.current_na = 0;
	w.now_ns += NS_PER_S;
	assert_int_equal(get(&w, INA219_SHUNT), 1000);
	/* Shunt alone, continuous. */
	put(&w, INA219_CONFIG, 0x399D);
	w.now_ns += CHANNEL;
	assert_int_equal(get(&w, INA219_SHUNT), 0);
	assert_true(get(&w, INA219_BUS) & INA219_CNVR);
}

static void long_silence_is_cheap(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	w.now_ns += 3600 * NS_PER_S;
	assert_int_equal(get(&w, INA219_SHUNT), 1000);
	assert_in_range(w.sim.conversions, 3600 * 939, 3600 * 940);
}

static void steps_and_noise(void **state)
{
	struct wires a, b;
	int different = 0;

	(void)state;
	wires_init(&a);
	/* At /8 the step is 40 uV: 0.4 mA at 0.1 Ohm. */
	a.current_na = 100500000;
	put(&a, INA219_CONFIG, 0x199F);
	a.now_ns += 2 * CHANNEL;
	assert_int_equal(get(&a, INA219_SHUNT), 1004);
	a.current_na = -100500000;
	a.now_ns += 2 * CHANNEL;
	assert_int_equal((int16_t)get(&a, INA219_SHUNT), -1004);
	/* The same seed gives the same noise. */
	wires_init(&a);
	wires_init(&b);
	a.sim.noise_uv = b.sim.noise_uv = 50;
	for (int i = 0; i < 100; i++) {
		uint16_t v;

		a.now_ns += 2 * CHANNEL;
		b.now_ns += 2 * CHANNEL;
		v = get(&a, INA219_SHUNT);
		assert_int_equal(v, get(&b, INA219_SHUNT));
		different += v != 1000;
	}
	assert_true(different > 50);
}

static void errors_of_the_shunt(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	w.sim.exact = true;
	w.sim.offset_uv = 100;
	w.sim.gain_ppm = 5000;
	w.now_ns += 2 * CHANNEL;
	assert_int_equal(get(&w, INA219_SHUNT), 1000 + 5 + 10);
}

static void overflow_of_the_arithmetic(void **state)
{
	struct wires w;

	(void)state;
	wires_init(&w);
	w.current_na = 800000000;
	put(&w, INA219_CONFIG, 0x099F);
	put(&w, INA219_CAL, 65534);
	w.now_ns += 2 * CHANNEL;
	assert_int_equal(get(&w, INA219_BUS), 0x2713);
	assert_int_equal(get(&w, INA219_CURRENT), 0x7FFF);
	assert_int_equal(get(&w, INA219_POWER), 0x1FFF);
	/* It passes with the load. */
	w.current_na = 10000000;
	w.now_ns += 2 * CHANNEL;
	assert_int_equal(get(&w, INA219_BUS), 0x2712);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power_on_values),
		cmocka_unit_test(ready_bit),
		cmocka_unit_test(channels_change_apart),
		cmocka_unit_test(averaging_takes_its_time),
		cmocka_unit_test(triggered_and_off),
		cmocka_unit_test(long_silence_is_cheap),
		cmocka_unit_test(steps_and_noise),
		cmocka_unit_test(errors_of_the_shunt),
		cmocka_unit_test(overflow_of_the_arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
