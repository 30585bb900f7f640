/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert_test - register vectors, public bug reports about decoding, counters.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "power/convert.h"
#include "power/ina219.h"
#include "power/vectors.h"

static struct meter_facts ina219_facts(int64_t shunt_uohm)
{
	return (struct meter_facts){
		.kind = CODE_BUS_SHUNT,
		.meaning = SAMPLE_MEAN_ENDING,
		.bus_lsb_pv = INA219_BUS_LSB_PV,
		.shunt_lsb_pv = INA219_SHUNT_LSB_PV,
		.shunt_uohm = shunt_uohm,
	};
}

static struct reading decode(uint16_t shunt, uint16_t bus, int64_t shunt_uohm, bool inverted)
{
	struct meter_facts facts = ina219_facts(shunt_uohm);
	struct sample s = { 0 };
	struct convert c;
	struct reading r;

	facts.inverted = inverted;
	ina219_decode(INA219_CONFIG_RESET, bus, shunt, &s);
	convert_init(&c, &facts);
	assert_true(convert_sample(&c, &s, &r));
	return r;
}

static void vectors(void **state)
{
	char why[256];
	int count = 0;

	(void)state;
	for (const struct ina219_vector *v = ina219_vectors; v->id != NULL; v++, count++)
		if (!vector_passes(v, why, sizeof why))
			fail_msg("%s: %s", v->id, why);
	assert_int_equal(count, 16);
}

/* A vector that is wrong must be noticed. */
static void vectors_can_fail(void **state)
{
	char why[256];

	(void)state;
	for (int field = 0; field < 5; field++) {
		struct ina219_vector v = ina219_vectors[0];

		v.bus_uv += field == 0 ? 4000 : 0;
		v.current ^= field == 1;
		v.power_nw += field == 2;
		v.flags ^= field == 3 ? SAMPLE_SATURATED : 0;
		v.power ^= field == 4;
		assert_false(vector_passes(&v, why, sizeof why));
		assert_true(why[0] != '\0');
	}
}

/* B01, B03, B04, B12, B19, B60. */
static void public_bug_reports(void **state)
{
	(void)state;
	assert_int_equal(decode(0, 0x8228, 100000, false).bus_uv, 16660000);
	assert_int_equal(decode(0, 0x27DA, 100000, false).bus_uv, 5100000);
	assert_int_equal(decode(0xF9C0, 0x27DA, 100000, false).shunt_nv, -16000000);
	assert_int_equal(decode(0xF9C0, 0x27DA, 100000, false).current_na, -160000000);
	assert_int_equal(decode(6000, 0x27DA, 1000000, false).current_na, 60000000);
	assert_int_equal(decode(6000, 0x27DA, 100000, false).current_na, 600000000);
	assert_int_equal(decode(6000, 0x27DA, 100000, false).power_nw, 3060000000);
	assert_int_equal(decode(6000, 0x27DA, 100000, true).power_nw, -3060000000);
	assert_int_equal(decode(0xF9C0, 0x27DA, 100000, true).current_na, 160000000);
}

/* LSBs of siblings that are no whole nanovolts: INA228 at 195.3125 uV and 312.5 nV. */
static void siblings(void **state)
{
	struct meter_facts facts = ina219_facts(15000);
	struct sample s = { .code = { 50851, 356 } };
	struct convert c;
	struct reading r;

	(void)state;
	facts.bus_lsb_pv = 195312500;
	facts.shunt_lsb_pv = 312500;
	convert_init(&c, &facts);
	assert_true(convert_sample(&c, &s, &r));
	assert_int_equal(r.bus_uv, 9931836); /* 9.931836 V */
	assert_int_equal(r.shunt_nv, 111250);
	assert_int_equal(r.current_na, 7416667);
	assert_int_equal(r.power_nw, 73661117); /* 9.9318359375 V * 7.41666... mA */
}

/* B12b: an INA226 for 5 A neither overflows at 3.28 A nor loses a digit: its step stays its own. */
static void no_step_is_rounded(void **state)
{
	struct meter_facts facts = ina219_facts(10000);
	struct convert c;
	struct reading r;

	(void)state;
	facts.bus_lsb_pv = 1250000000;
	facts.shunt_lsb_pv = 2500000;
	convert_init(&c, &facts);
	for (int64_t code = 20000; code >= 13120; code--) {
		const struct sample s = { .code = { 4000, code } };

		assert_true(convert_sample(&c, &s, &r));
		assert_int_equal(r.current_na, code * 250000); /* 5 A down to 3.28 A by 0.25 mA */
	}
}

static void no_figure(void **state)
{
	struct meter_facts facts = ina219_facts(100000);
	struct sample absent = { .flags = SAMPLE_ABSENT },
		      huge = { .code = { INT64_MAX, INT64_MIN } };
	struct sample bound = { .code = { 1250, 32000 }, .flags = SAMPLE_SATURATED };
	struct convert c;
	struct reading r;
	int64_t nw;

	(void)state;
	convert_init(&c, &facts);
	assert_false(convert_sample(&c, &absent, &r));
	assert_false(convert_sample(&c, &huge, &r));
	assert_true(convert_sample(&c, &bound, &r));
	assert_int_equal(r.power_nw, 16000000000);
	assert_false(convert_usable(&c, &bound, &nw));
	bound.flags = 0;
	assert_true(convert_usable(&c, &bound, &nw));
	facts.power_max_nw = 15000000000;
	assert_false(convert_usable(&c, &bound, &nw));
}

/* A shunt that does not divide evenly: to the nearest, alike on both sides of zero. */
static void rounding(void **state)
{
	struct meter_facts facts = ina219_facts(70000);
	struct convert c;

	(void)state;
	convert_init(&c, &facts);
	for (int code = 1; code < 4000; code++) {
		struct sample up = { .code = { 1251, code } }, down = { .code = { 1251, -code } };
		double exact = 1251 * 4e-3 * code * 1e-5 / 0.07 * 1e9;
		int64_t above, below;

		assert_true(convert_power(&c, &up, &above));
		assert_true(convert_power(&c, &down, &below));
		assert_int_equal(above, -below);
		assert_true(fabs((double)above - exact) < 0.5001);
	}
}

static bool count_up(int64_t from, int64_t to, double seconds, int64_t range, int64_t max_nw,
		     int64_t *nj)
{
	struct meter_facts facts = { .kind = CODE_ENERGY,
				     .meaning = SAMPLE_COUNTER,
				     .counter_range_nj = range,
				     .power_max_nw = max_nw };
	struct sample a = { .code = { from } }, b = { .code = { to } };
	struct convert c;

	convert_init(&c, &facts);
	return convert_energy(&c, &a, &b, (int64_t)(seconds * 1e9), nj);
}

static void counters(void **state)
{
	const int64_t rapl_nj = INT64_C(262143328850000);
	int64_t nj = 0;

	(void)state;
	/* B21: -253371.267933 J in 288.837 s is a wrap of the usual range: 8772.06 J. */
	assert_true(count_up(rapl_nj - 1000, rapl_nj - 1000 - INT64_C(253371267933000), 288.837,
			     rapl_nj, 0, &nj));
	assert_int_equal(nj, INT64_C(8772060917000));
	/* B22: the same for a whole file. */
	assert_true(count_up(INT64_C(260000000000000),
			     INT64_C(260000000000000) - INT64_C(250769468000000), 60, rapl_nj, 0,
			     &nj));
	assert_int_equal(nj, INT64_C(11373860850000));
	/* B24: range unreadable: invalid; known: 294.98 J. */
	assert_false(count_up(INT64_C(4000000000000), 10000000, 10, 0, 0, &nj));
	assert_true(count_up(INT64_C(4000000000000), 10000000, 10, INT64_C(4294967296000), 0, &nj));
	assert_int_equal(nj, INT64_C(294977296000));
	/* B25: more than half the range is possible in this time at this power: ambiguous. */
	assert_true(count_up(0, 1000, 600, rapl_nj, INT64_C(200000000000), &nj));
	assert_false(count_up(0, 1000, 700, rapl_nj, INT64_C(200000000000), &nj));
	/* A fall by less than half the range is a counter that began anew. */
	assert_false(count_up(INT64_C(1000000000), 0, 1, rapl_nj, 0, &nj));
	/* A negative or over-range reading is no counter. */
	assert_false(count_up(0, -5, 1, rapl_nj, 0, &nj));
	assert_false(count_up(0, rapl_nj, 1, rapl_nj, 0, &nj));
}

static void facts_checked(void **state)
{
	struct meter_facts facts = ina219_facts(100000);
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(convert_check(&facts, &f), 0);
	facts.shunt_uohm = 0;
	assert_int_equal(convert_check(&facts, &f), -1);
	fail_clear(&f);
	facts = ina219_facts(100000);
	facts.meaning = SAMPLE_COUNTER;
	assert_int_equal(convert_check(&facts, &f), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(vectors_can_fail),
		cmocka_unit_test(public_bug_reports),
		cmocka_unit_test(siblings),
		cmocka_unit_test(no_step_is_rounded),
		cmocka_unit_test(no_figure),
		cmocka_unit_test(rounding),
		cmocka_unit_test(counters),
		cmocka_unit_test(facts_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
