/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx_test - every row of the family: plans, codes, and figures through the reader and the
 * simulated chip.
 */
#include <math.h>

#include "power/chip_bench.h"
#include "power/sibling_vectors.h"

/* Both signs of the current, to a step of each chip; one sample a conversion. */
static void every_chip_is_read(void **state)
{
	static const int64_t currents_na[] = { 201422000, -49200000, 0, -1250000, 350000000 };

	(void)state;
	for (const struct ina2xx_chip *chip = ina2xx_chips; chip->name != NULL; chip++)
		for (size_t i = 0; i < sizeof currents_na / sizeof *currents_na; i++) {
			struct bench b;
			struct reading r;
			struct sample s;
			double step_na, step_uv;
			int64_t first_ns;

			init(&b, chip->name, 5041000, currents_na[i]);
			assert_int_equal(start(&b, chip->name, NULL), 0);
			take(&b);
			first_ns = take(&b).before_ns;
			for (int k = 0; k < 200; k++) {
				s = take(&b);
				assert_int_equal(s.flags, 0);
			}
			assert_in_range((s.before_ns - first_ns) / 200, b.plan.cycle_ns * 99 / 100,
					b.plan.cycle_ns * 101 / 100);
			r = figures(&b, &s);
			step_na = (double)b.facts.shunt_lsb_pv * 1e3 / (double)b.facts.shunt_uohm;
			step_uv = (double)b.facts.bus_lsb_pv / 1e6;
			assert_true(fabs((double)(r.current_na - currents_na[i])) <=
				    step_na / 2 + 1);
			assert_true(fabs((double)(r.bus_uv - 5041000)) <= step_uv / 2 + 1);
			ina2xx_stop(&b.chip);
		}
}

static double product_mw(const char *name, int64_t bus_uv, int64_t current_na)
{
	struct bench b;
	struct sample s;

	init(&b, name, bus_uv, current_na);
	assert_int_equal(start(&b, name, NULL), 0);
	take(&b);
	s = take(&b);
	return (double)figures(&b, &s).power_nw / 1e6;
}

/* B19b: 28.75 and 793.48 mW elsewhere. An INA3221 has steps of 8 mV and 0.4 mA. */
static void siblings_power(void **state)
{
	(void)state;
	assert_true(fabs(product_mw("ina226", 5041000, 201422000) - 1015.4) < 0.3);
	assert_true(fabs(product_mw("ina3221", 4600000, 49200000) - 226.3) < 0.1);
	assert_true(fabs(product_mw("ina228", 5041000, 201422000) - 1015.37) < 0.05);
}

/* Registers as the chips send them, by hand from the data sheets' steps. */
static void decode_vectors(void **state)
{
	static const struct {
		const char *chip;
		uint64_t bus, shunt;
		int64_t bus_uv, shunt_nv;
		uint32_t flags;
	} row[] = {
		{ "ina226", 0x0FC0, 0x1F40, 5040000, 20000000, 0 },
		{ "ina226", 0x0FC0, 0xFFFF, 5040000, -2500, 0 },
		{ "ina226", 0x0FC0, 0x8000, 5040000, -81920000, SAMPLE_SATURATED },
		{ "ina226", 0x7FFF, 0x0000, 40958750, 0, SAMPLE_SATURATED },
		/* -42949.645 elsewhere: the sign bits of 13-bit values. */
		{ "ina3221", 0x11F8, 0xFFF8, 4600000, -40000, 0 },
		{ "ina3221", 0x1200, 0x7FF8, 4608000, 163800000, SAMPLE_SATURATED },
		{ "ina260", 0x0FA0, 0xFF38, 5000000, -500000, 0 },
		{ "ina260", 0x0FA0, 12001, 5000000, 30002500, SAMPLE_SATURATED },
		{ "ina238", 0x0640, 0xFFFE, 5000000, -2500, 0 },
		{ "ina228", 0x0C6A30, 0xFFFFF0, 9931836, -78, 0 },
		{ "ina228", 0x0C6A30, 0x800000, 9931836, -40960000, SAMPLE_SATURATED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct ina2xx_chip *chip = ina2xx_chip_by_name(row[i].chip);
		struct ina2xx_settings set = usual(chip);
		struct sample s = { 0 };
		struct bench b;
		struct reading r;

		init(&b, chip->name, 0, 0);
		assert_int_equal(ina2xx_plan(chip, &set, &b.plan, &b.facts, &b.fail), 0);
		ina2xx_decode(&b.plan, row[i].bus, row[i].shunt, false, &s);
		r = figures(&b, &s);
		assert_int_equal(r.bus_uv, row[i].bus_uv);
		assert_int_equal(r.shunt_nv, row[i].shunt_nv);
		assert_int_equal(s.flags, row[i].flags);
		/* All ones are nobody. */
		s.flags = 0;
		ina2xx_decode(&b.plan, chip->bus.bytes == 3 ? 0xFFFFFF : 0xFFFF, 0, false, &s);
		assert_int_equal(s.flags, SAMPLE_ABSENT);
	}
}

static void ina3221_channels(void **state)
{
	struct ina2xx_settings set = usual(ina2xx_chip_by_name("ina3221"));

	(void)state;
	for (int channel = 1; channel <= 3; channel++) {
		struct bench b;
		struct sample s;

		init(&b, "ina3221", 5000000, channel * 20000000);
		set.channel = channel;
		assert_int_equal(start(&b, "ina3221", &set), 0);
		take(&b);
		s = take(&b);
		assert_int_equal(figures(&b, &s).current_na, channel * 20000000);
		/* Only this one is converted, so the cycle is that of one. */
		assert_int_equal(b.plan.cycle_ns, 2 * 588 * NS_PER_US);
		for (int other = 1; other <= 3; other++)
			assert_int_equal(b.sim.reg[2 * other - 1] != 0, other == channel);
	}
	set.channel = 4;
	{
		struct bench b;

		init(&b, "ina3221", 0, 0);
		assert_int_equal(start(&b, "ina3221", &set), -1);
		assert_non_null(strstr(b.fail.text, "1 to 3"));
	}
}

static int plan(const char *name, int64_t shunt_uohm, int64_t max_na, int averages,
		int64_t conversion_us, struct bench *b)
{
	struct ina2xx_settings set = usual(ina2xx_chip_by_name(name));

	memset(b, 0, sizeof *b);
	set.max_na = max_na;
	set.shunt_uohm = shunt_uohm;
	set.averages = averages;
	set.conversion_ns = conversion_us * NS_PER_US;
	return ina2xx_plan(ina2xx_chip_by_name(name), &set, &b->plan, &b->facts, &b->fail);
}

static void plans(void **state)
{
	struct bench b;

	(void)state;
	/* The narrow range of an INA228 has four times finer steps. */
	assert_int_equal(plan("ina228", 100000, 400000000, 1, 0, &b), 0);
	assert_int_equal(b.facts.shunt_lsb_pv, 78125);
	assert_int_equal(b.plan.write[1].val, 0x0010);
	assert_int_equal(plan("ina228", 100000, 1600000000, 1, 0, &b), 0);
	assert_int_equal(b.facts.shunt_lsb_pv, 312500);
	assert_int_equal(b.plan.write[1].val, 0);
	assert_int_equal(plan("ina228", 100000, 1700000000, 1, 0, &b), -1);
	assert_non_null(strstr(b.fail.text, "163.8 mV"));
	assert_int_equal(plan("ina226", 100000, 800000000, 16, 1100, &b), 0);
	/* 0x4000 | AVG 2 | 1.1 ms twice | continuous both. */
	assert_int_equal(b.plan.write[b.plan.writes - 1].val, 0x4527);
	assert_int_equal(b.plan.cycle_ns, 2 * 16 * 1100 * NS_PER_US);
	assert_int_equal(b.plan.write[0].val, 512); /* CAL = 0.00512 / (100 uA * 0.1 Ohm) */
	assert_int_equal(plan("ina226", 100000, 2000000000, 1, 0, &b), -1);
	assert_non_null(strstr(b.fail.text, "81.92 mV"));
	assert_int_equal(plan("ina226", 100000, 800000000, 2, 0, &b), -1);
	assert_non_null(strstr(b.fail.text, "1024"));
	assert_int_equal(plan("ina226", 100000, 800000000, 1, 1000, &b), -1);
	assert_non_null(strstr(b.fail.text, "588"));
	assert_int_equal(plan("ina260", 100000, 15000000000, 1, 0, &b), 0);
	assert_int_equal(b.facts.shunt_uohm, 2000);
	assert_int_equal(b.facts.shunt_ppm, 0);
	assert_int_equal(plan("ina260", 0, 16000000000, 1, 0, &b), -1);
	assert_non_null(strstr(b.fail.text, "15 A"));
	/* A mark is never what a reset leaves. */
	assert_int_equal(plan("ina219", 1000000000, 100000, 1, 0, &b), 0);
	assert_int_not_equal(b.plan.write[0].val & 0xFFFE, 0);
}

static void vectors(void **state)
{
	char why[320];
	int count = 0;

	(void)state;
	for (const struct sibling_vector *v = sibling_vectors; v->id != NULL; v++, count++)
		if (!sibling_passes(v, why, sizeof why))
			fail_msg("%s: %s", v->id, why);
	assert_int_equal(count, 9);
	/* A vector that is wrong must be noticed. */
	for (int field = 0; field < 5; field++) {
		struct sibling_vector v = sibling_vectors[0];

		v.bus ^= field == 0;
		v.shunt ^= field == 1 ? 1 : 0;
		v.shunt_nv += field == 2 ? 2500 : 0;
		v.power_nw += field == 3;
		v.flags ^= field == 4 ? SAMPLE_SATURATED : 0;
		assert_false(sibling_passes(&v, why, sizeof why));
		assert_true(why[0] != '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_chip_is_read),
		cmocka_unit_test(siblings_power),
		cmocka_unit_test(decode_vectors),
		cmocka_unit_test(ina3221_channels),
		cmocka_unit_test(plans),
		cmocka_unit_test(vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
