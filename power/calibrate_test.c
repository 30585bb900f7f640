/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate_test - known gain and offset are found within the stated errors, and the keys.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "power/calibrate.h"
#include "power/convert.h"

#define TRIALS 10000

static void random_lines(void **state)
{
	struct rng r = testing_rng("calibrations");
	int gain_within = 0, offset_within = 0;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		double gain = rng_normal(&r) * 0.01, offset = rng_normal(&r) * 0.002;
		struct calibrate_point p[6];
		struct calibrate_fit fit;
		struct fail f = { 0 };
		int count = 2 + (int)rng_below(&r, 5);

		for (int k = 0; k < count; k++) {
			double truth = (double)k * 0.3 + rng_unit(&r) * 0.1;

			p[k] = (struct calibrate_point){ 0, 1e-3, truth, 5e-4 };
			p[k].read = offset + (truth + rng_normal(&r) * 5e-4) / (1 + gain) +
				    rng_normal(&r) * 1e-3;
		}
		if (calibrate_solve(p, count, &fit, &f) != 0)
			fail_msg("%s", f.text);
		assert_true(fit.has_gain && fit.has_offset);
		gain_within += fabs(fit.gain - gain) < fit.gain_error;
		offset_within += fabs(fit.offset - offset) < fit.offset_error;
		assert_true(fabs(fit.gain - gain) < 8 * fit.gain_error);
	}
	/* 68 %, and a little more where the scatter widens the errors. */
	assert_true(gain_within > TRIALS * 66 / 100 && gain_within < TRIALS * 80 / 100);
	assert_true(offset_within > TRIALS * 66 / 100 && offset_within < TRIALS * 80 / 100);
}

static void exact_line(void **state)
{
	const struct calibrate_point p[] = { { 0.010, 0, 0, 0 }, { 0.490, 0, 0.5, 0 } };
	struct calibrate_fit fit;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(calibrate_solve(p, 2, &fit, &f), 0);
	assert_true(fabs(fit.gain - (0.5 / 0.48 - 1)) < 1e-9);
	assert_true(fabs(fit.offset - 0.010) < 1e-9);
}

static void one_load(void **state)
{
	struct calibrate_point p = { 0.4, 1e-3, 0.41, 0 };
	struct calibrate_fit fit;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(calibrate_solve(&p, 1, &fit, &f), 0);
	assert_true(fit.has_gain && !fit.has_offset && fabs(fit.gain - 0.025) < 1e-12);
	assert_true(fabs(fit.gain_error - 0.0025) < 1e-12);
	p.truth = 0;
	assert_int_equal(calibrate_solve(&p, 1, &fit, &f), 0);
	assert_true(!fit.has_gain && fit.has_offset && fit.offset == 0.4);
	p = (struct calibrate_point){ 0, 0, 1, 0 };
	assert_int_equal(calibrate_solve(&p, 1, &fit, &f), -1);
	fail_clear(&f);
	p = (struct calibrate_point){ 0.1, 0, 1, 0 };
	assert_int_equal(calibrate_solve(&p, 1, &fit, &f), -1);
	assert_non_null(strstr(f.text, "no gain error"));
	fail_clear(&f);
	assert_int_equal(calibrate_solve(&p, 0, &fit, &f), -1);
}

static void loads_must_differ(void **state)
{
	const struct calibrate_point p[] = { { 0.5, 1e-2, 0.5, 0 }, { 0.501, 1e-2, 0.502, 0 } };
	struct calibrate_fit fit;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(calibrate_solve(p, 2, &fit, &f), -1);
	assert_non_null(strstr(f.text, "do not differ"));
}

static void keys(void **state)
{
	struct calibrate_trim trim;
	struct fail f = { 0 };
	char rest[128];

	(void)state;
	assert_int_equal(calibrate_cut("/dev/i2c-1@0x40,trim_gain=-1234,shunt=0.1,trim_offset="
				       "-0.5mA",
				       rest, sizeof rest, &trim, &f),
			 0);
	assert_string_equal(rest, "/dev/i2c-1@0x40,shunt=0.1");
	assert_int_equal(trim.gain_ppm, -1234);
	assert_int_equal(trim.offset_na, -500000);
	assert_int_equal(calibrate_cut("x", rest, sizeof rest, &trim, &f), 0);
	assert_int_equal(trim.gain_ppm + trim.offset_na, 0);
	assert_int_equal(calibrate_cut("x,trim_gain=2e9", rest, sizeof rest, &trim, &f), -1);
	fail_clear(&f);
	assert_int_equal(calibrate_cut("x,trim_offset=200A", rest, sizeof rest, &trim, &f), -1);
	assert_non_null(strstr(f.text, "100 A"));
	fail_clear(&f);
	assert_int_equal(calibrate_cut("abc", rest, 3, &trim, &f), -1);
}

/* V01, 600 mA at 5.1 V, of a chip that reads 10 mA too much and 2 % too little. */
static void conversion_applies_them(void **state)
{
	const struct meter_facts facts = { .kind = CODE_BUS_SHUNT,
					   .bus_lsb_pv = 4000000000,
					   .shunt_lsb_pv = 10000000,
					   .shunt_uohm = 100000,
					   .trim_gain_ppm = 20000,
					   .trim_offset_na = 10000000 };
	const struct sample s = { 0, 0, { 1275, 6000 }, 0 };
	struct convert c;
	struct reading r;

	(void)state;
	convert_init(&c, &facts);
	assert_true(convert_sample(&c, &s, &r));
	assert_int_equal(r.current_na, 601800000);
	assert_int_equal(r.power_nw, 3069180000);
	assert_int_equal(r.bus_uv, 5100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_lines), cmocka_unit_test(exact_line),
		cmocka_unit_test(one_load),     cmocka_unit_test(loads_must_differ),
		cmocka_unit_test(keys),         cmocka_unit_test(conversion_applies_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
