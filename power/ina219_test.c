/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina219_test - settings, codes and plans: the pure half.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "power/ina219.h"

static void config_fields(void **state)
{
	struct ina219_config c = ina219_config_decode(0x399F);

	(void)state;
	/* B17: the gain of the reset value is /8, not negative. */
	assert_int_equal(c.gain_shift, 3);
	assert_int_equal(c.bus_range_v, 32);
	assert_int_equal(c.bus_adc, 3);
	assert_int_equal(c.shunt_adc, 3);
	assert_int_equal(c.mode, 7);
	assert_false(c.reset);
	for (unsigned v = 0; v < 0x10000; v++) {
		struct ina219_config any = ina219_config_decode((uint16_t)v);

		/* Bit 14 is not used. */
		assert_int_equal(ina219_config_encode(&any), v & ~0x4000u);
	}
}

static void adc_codes(void **state)
{
	(void)state;
	assert_int_equal(ina219_adc_code(9, 1), 0);
	assert_int_equal(ina219_adc_code(12, 1), 3);
	assert_int_equal(ina219_adc_code(12, 2), 9);
	assert_int_equal(ina219_adc_code(12, 128), 15);
	assert_int_equal(ina219_adc_code(11, 2), -1);
	assert_int_equal(ina219_adc_code(12, 3), -1);
	/* 11 bits take 276 us, not 2766. */
	assert_int_equal(ina219_adc_ns(2), 276000);
	assert_int_equal(ina219_adc_ns(8), 532000);
	/* Both channels count: the kernel's worst case has only one of them. */
	assert_int_equal(ina219_cycle_ns(0x399F), 1064000);
	assert_int_equal(ina219_cycle_ns(0x3FFF), 136200000);
	assert_int_equal(ina219_cycle_ns(0x399D), 532000);
	assert_int_equal(ina219_cycle_ns(0x3998), 0);
}

static void calibrations(void **state)
{
	const int64_t r = 100000;

	(void)state;
	assert_int_equal(ina219_calibration(100000000, r), 4096);
	assert_int_equal(ina219_calibration(40000000, r), 10240);
	assert_int_equal(ina219_calibration(50000000, r), 8192);
	/* 1/32767, 2/32767, 3.2/32767, 1/32800 A. */
	assert_int_equal(ina219_calibration(30518509, r), 13421);
	assert_int_equal(ina219_calibration(61037019, r), 6710);
	assert_int_equal(ina219_calibration(97659230, r), 4194);
	assert_int_equal(ina219_calibration(30487805, r), 13434);
	/* B07: 4 uA would be 102400, which wraps to 0x9000 elsewhere. */
	assert_int_equal(ina219_calibration(4000000, r), 0xFFFE);
	/* B11: 3.2 A / 32768 = 97.66 uA. */
	assert_int_equal(ina219_calibration(97656250, r), 4194);
}

static int plan(double shunt_ohm, double max_a, int averages, uint16_t *config,
		struct meter_facts *facts, struct fail *f)
{
	struct ina2xx_settings set = ina2xx_settings_default;
	struct ina2xx_plan made;

	set.shunt_uohm = (int64_t)(shunt_ohm * 1e6 + 0.5);
	set.max_na = (int64_t)(max_a * 1e9 + 0.5);
	set.averages = averages;
	*f = (struct fail){ 0 };
	*facts = (struct meter_facts){ 0 };
	if (ina2xx_plan(ina2xx_chip_by_name("ina219"), &set, &made, facts, f) != 0)
		return -1;
	*config = made.write[made.writes - 1].val;
	return 0;
}

static void plans(void **state)
{
	static const struct {
		double shunt_ohm, max_a;
		int gain_shift;
	} row[] = { { 0.1, 0.4, 0 }, { 0.1, 0.5, 1 },  { 0.1, 1.6, 2 },
		    { 0.1, 1.7, 3 }, { 0.1, 3.2, 3 },  { 0.01, 20, 3 },
		    { 1, 0.32, 3 },  { 0.002, 10, 0 }, { 0.05, 3.2, 2 } };
	struct meter_facts facts;
	struct fail f;
	uint16_t config;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_int_equal(plan(row[i].shunt_ohm, row[i].max_a, 1, &config, &facts, &f), 0);
		assert_int_equal(ina219_config_decode(config).gain_shift, row[i].gain_shift);
	}
	assert_int_equal(plan(0.1, 5, 1, &config, &facts, &f), -1);
	assert_non_null(strstr(f.text, "320 mV"));
	assert_int_equal(plan(0.1, 2, 3, &config, &facts, &f), -1);
	assert_int_equal(plan(0, 2, 1, &config, &facts, &f), -1);
	assert_int_equal(plan(0.1, 2, 16, &config, &facts, &f), 0);
	assert_int_equal(facts.period_ns, 17020000);
	/* Offset 200 uV over 0.1 Ohm is 2 mA at most: 1.155 mA at k = 1. */
	assert_in_range(facts.offset_na, 1154000, 1155000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(config_fields),
		cmocka_unit_test(adc_codes),
		cmocka_unit_test(calibrations),
		cmocka_unit_test(plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
