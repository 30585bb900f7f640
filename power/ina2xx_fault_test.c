/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ina2xx_fault_test - every row of the family where things go wrong: every chip in the place of
 * every other, loss of supply, a bus held down, a multiplexer, a bus clock that moves.
 */
#include <errno.h>
#include <math.h>

#include "power/chip_bench.h"

static bool is_like(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* B18 and its like: who is there is said, and one that identifies itself is left as it was. */
static void impostors(void **state)
{
	(void)state;
	for (const struct ina2xx_chip *want = ina2xx_chips; want->name != NULL; want++)
		for (const struct ina2xx_chip *is = ina2xx_chips; is->name != NULL; is++) {
			struct bench b;

			if (is_like(want->name, is->name))
				continue;
			init(&b, is->name, 5000000, 100000000);
			b.sim.reg[is->mark_reg] = 0x0AAA;
			assert_int_equal(start(&b, want->name, NULL), -1);
			if (strstr(b.fail.text, want->title) == NULL ||
			    strstr(b.fail.text + 16, is->title) == NULL)
				fail_msg("want %s, is %s: %s", want->name, is->name, b.fail.text);
			assert_int_equal(b.sim.reg[is->mark_reg], 0x0AAA);
			assert_null(b.chip.bus.ops);
		}
}

static void nobody_there(void **state)
{
	struct bench b;

	(void)state;
	for (const struct ina2xx_chip *chip = ina2xx_chips; chip->name != NULL; chip++) {
		init(&b, chip->name, 5000000, 0);
		b.sim.all_ones = true;
		assert_int_equal(start(&b, chip->name, NULL), -1);
		assert_non_null(strstr(b.fail.text, "ones"));
		init(&b, chip->name, 5000000, 0);
		b.sim.all_zeros = true;
		assert_int_equal(start(&b, chip->name, NULL), -1);
		assert_non_null(strstr(b.fail.text, "held low"));
		init(&b, chip->name, 5000000, 0);
		b.sim.swapped = true;
		assert_int_equal(start(&b, chip->name, NULL), -1);
		assert_non_null(strstr(b.fail.text, "swapped"));
		init(&b, chip->name, 5000000, 0);
		b.sim.nacks = -1;
		assert_int_equal(start(&b, chip->name, NULL), -1);
		assert_non_null(strstr(b.fail.text, "nothing answers"));
		init(&b, chip->name, 5000000, 0);
		b.sim.nacks = -1;
		b.sim.nack_error = ETIMEDOUT;
		assert_int_equal(start(&b, chip->name, NULL), -1);
		assert_non_null(strstr(b.fail.text, "stuck"));
	}
}

/* Loss of supply, a bus held down, and another chip put in its place: gaps, then figures. */
static void every_chip_recovers(void **state)
{
	(void)state;
	for (const struct ina2xx_chip *chip = ina2xx_chips; chip->name != NULL; chip++) {
		struct bench b;
		struct sample s;
		bool said = false;

		init(&b, chip->name, 5000000, 100000000);
		assert_int_equal(start(&b, chip->name, NULL), 0);
		take(&b);
		i2c_sim_brown_out(&b.sim);
		for (int i = 0; i < 1100 && !said; i++)
			said = take(&b).flags & SAMPLE_REINIT;
		assert_true(said);
		for (int i = 0; i < b.plan.writes; i++)
			if (b.plan.write[i].kept)
				assert_int_equal(b.sim.reg[b.plan.write[i].reg],
						 b.plan.write[i].val);
		b.sim.all_zeros = true;
		take(&b); /* has the doubt */
		for (int i = 0; i < 4; i++)
			assert_true(take(&b).flags & SAMPLE_ABSENT);
		b.sim.all_zeros = false;
		take(&b);
		s = take(&b);
		assert_int_equal(s.flags & ~(uint32_t)SAMPLE_REINIT, 0);
		assert_true(fabs((double)figures(&b, &s).current_na - 1e8) < 1e6);
		/* Hot-plugged by an impostor of another reset value. */
		i2c_sim_become(&b.sim,
			       ina2xx_chip_by_name(is_like(chip->name, "ina3221") ? "ina226"
										  : "ina3221"));
		b.sim.nacks = 1;
		take(&b);
		take(&b);
		assert_true(take(&b).flags & SAMPLE_ABSENT);
	}
}

/* The way is opened for each group and never left open. */
static void behind_a_multiplexer(void **state)
{
	struct bench b;
	int64_t selections, accesses;

	(void)state;
	init(&b, "ina226", 5000000, 100000000);
	b.sim.behind_mux = true;
	assert_int_equal(start(&b, "ina226", NULL), 0);
	assert_false(b.sim.selected);
	for (int i = 0; i < 100; i++)
		take(&b);
	selections = b.sim.selections;
	accesses = b.sim.accesses;
	for (int i = 0; i < 300; i++) {
		assert_int_equal(take(&b).flags, 0);
		assert_false(b.sim.selected);
	}
	assert_true(b.sim.selections - selections < (b.sim.accesses - accesses) / 2);
	/* Not while waiting for a conversion, either: others use the bus then. */
	b.sim.nacks = -1;
	take(&b);
	assert_false(b.sim.selected);
}

/* A Pi's core clock drives its bus: the reading takes longer when the board idles. */
static void clock_follows_the_load(void **state)
{
	struct bench b;
	struct sample idle, busy;

	(void)state;
	init(&b, "ina219", 5000000, 100000000);
	b.sim.scl_hz = 62500;
	b.sim.busy_scl_hz = 100000;
	b.sim.busy_na = 200000000;
	assert_int_equal(start(&b, "ina219", NULL), 0);
	take(&b);
	idle = take(&b);
	b.current_na = 300000000;
	for (int i = 0; i < 5; i++)
		busy = take(&b);
	/* Three registers of 47 bits. */
	assert_int_equal(idle.after_ns - idle.before_ns, 3 * 752 * NS_PER_US);
	assert_int_equal(busy.after_ns - busy.before_ns, 3 * 470 * NS_PER_US);
	/* A reading that takes longer than a conversion may be of two. */
	assert_true(idle.flags & SAMPLE_TORN);
	assert_int_equal(busy.code[1], 3000);
}

static void two_on_one_bus(void **state)
{
	struct bench a, b;
	struct ina2xx_settings set = usual(ina2xx_chip_by_name("ina219"));
	int64_t now_ns = NS_PER_S;

	(void)state;
	init(&a, "ina219", 5000000, 100000000);
	init(&b, "ina228", 12000000, -50000000);
	a.sim.time = b.sim.time = timebase_counter(&now_ns);
	a.sim.scl_hz = b.sim.scl_hz = 400000;
	set.averages = 16;
	assert_int_equal(start(&a, "ina219", &set), 0);
	assert_int_equal(start(&b, "ina228", NULL), 0);
	for (int i = 0; i < 300; i++) {
		struct sample sa = take(&a), sb = take(&b);

		assert_int_equal(sa.flags, 0);
		assert_int_equal(sa.code[1], 1000);
		assert_false(sb.flags & (SAMPLE_ABSENT | SAMPLE_STALE));
		assert_int_equal(figures(&b, &sb).current_na, -50000000);
	}
}

static void same_seed_same_noise(void **state)
{
	struct bench a, b;

	(void)state;
	for (const struct ina2xx_chip *chip = ina2xx_chips; chip->name != NULL; chip++) {
		init(&a, chip->name, 5000000, 100000000);
		init(&b, chip->name, 5000000, 100000000);
		a.sim.noise_uv = b.sim.noise_uv = 80;
		assert_int_equal(start(&a, chip->name, NULL), 0);
		assert_int_equal(start(&b, chip->name, NULL), 0);
		for (int i = 0; i < 50; i++)
			assert_int_equal(take(&a).code[1], take(&b).code[1]);
	}
}

/* B13: averages of 4 and of 128, asked as fast as the bus allows: each comes once. */
static void averages_come_once(void **state)
{
	static const int averages[] = { 4, 128 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ina2xx_settings set = usual(ina2xx_chip_by_name("ina219"));
		struct bench b;
		int64_t before, start_ns;

		set.averages = averages[i];
		init(&b, "ina219", 5000000, 100000000);
		b.sim.scl_hz = 400000;
		assert_int_equal(start(&b, "ina219", &set), 0);
		for (int k = 0; k < 100; k++)
			take(&b);
		before = b.sim.conversions;
		start_ns = b.now_ns;
		for (int k = 0; k < 200; k++)
			assert_int_equal(take(&b).flags, 0);
		assert_in_range(b.sim.conversions - before, 199, 201);
		assert_in_range((b.now_ns - start_ns) / 200, b.plan.cycle_ns * 99 / 100,
				b.plan.cycle_ns * 101 / 100);
	}
}

/* B14: switched off for 300 s by somebody else; what it shows then is old, and flagged. */
static void old_values_are_not_figures(void **state)
{
	struct bench b;
	struct sample s;
	uint16_t config;

	(void)state;
	init(&b, "ina219", 5000000, 300000000);
	assert_int_equal(start(&b, "ina219", NULL), 0);
	take(&b);
	config = b.plan.write[b.plan.writes - 1].val;
	assert_int_equal(b.chip.bus.ops->write16(&b.chip.bus, 0, config & ~7), 0);
	b.now_ns += 300 * NS_PER_S;
	b.current_na = 100000000;
	s = take(&b);
	assert_int_equal(s.flags, SAMPLE_STALE);
	assert_int_equal(s.code[1], 3000);
	s = take(&b);
	assert_int_equal(s.flags, SAMPLE_REINIT);
	assert_int_equal(s.code[1], 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(averages_come_once),
		cmocka_unit_test(old_values_are_not_figures),
		cmocka_unit_test(impostors),
		cmocka_unit_test(nobody_there),
		cmocka_unit_test(every_chip_recovers),
		cmocka_unit_test(behind_a_multiplexer),
		cmocka_unit_test(clock_follows_the_load),
		cmocka_unit_test(two_on_one_bus),
		cmocka_unit_test(same_seed_same_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
