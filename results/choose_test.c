/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose_test - the made-up campaign ranked: who is first, what cannot be told apart, what a
 * constraint costs.
 */
#include "results/choose_drive.h"

/* P-256 does three times the requests of RSA on the same energy. */
static void the_frugal_one_is_first(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 1 } };
	struct choice c = made(&rules);

	(void)state;
	assert_int_equal(c.entries, 2);
	assert_string_equal(c.entry[0].facts->suite, FIXTURE_ECDSA);
	assert_string_equal(c.entry[1].facts->suite, FIXTURE_RSA);
	near(c.entry[0].against_next.mean, 3, 0.01);
	assert_true(c.entry[0].told);
	assert_true(c.entry[0].value.lo < c.entry[0].value.mean);
	/* 3 W for 2 s are 1.667 mWh. */
	near(c.entry[0].value.mean, (300 + 303 + 306 + 309) / (4 * 6 / 3.6), 0.1);
	assert_string_equal(c.source, "modelled");
	/* The stronger, quicker and more frugal leaves nothing to the other. */
	assert_true(c.entry[0].pareto);
	assert_false(c.entry[1].pareto);
	/* gzip is another task. */
	assert_int_equal(c.others, 1);
	choose_release(&c);
}

static void a_constraint_and_what_it_costs(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 1 }, .keys = "rsa,eddsa" };
	struct choice c = made(&rules);

	(void)state;
	assert_int_equal(c.entries, 1);
	assert_string_equal(c.entry[0].facts->suite, FIXTURE_RSA);
	assert_int_equal(c.refusals, 2);
	/* plain fails two at once: it is no constraint's cost. */
	assert_int_equal(c.costs, 1);
	assert_int_equal(c.cost[0].constraint, BY_KEY);
	assert_string_equal(c.refused[c.cost[0].entry].facts->suite, FIXTURE_ECDSA);
	near(c.cost[0].times.mean, 3, 0.01);
	assert_true(c.cost[0].told);
	choose_release(&c);
	rules = (struct choose_rules){ .weight = { [CHOOSE_ENERGY] = 1 }, .allow_legacy = true };
	c = made(&rules);
	assert_int_equal(c.entries, 3);
	assert_string_equal(c.entry[0].facts->suite, "plain");
	choose_release(&c);
}

static void each_constraint_refuses(void **state)
{
	static const struct {
		struct choose_rules rules;
		size_t allowed;
	} cases[] = {
		{ { .strength_bits = 128 }, 1 },   { { .strength_bits = 129 }, 0 },
		{ { .forward_secret = true }, 2 }, { { .post_quantum = true }, 0 },
		{ { .versions = "tls1.3" }, 0 },   { { .versions = "tls1.3,tls1.2" }, 2 },
		{ { .keys = "p256" }, 1 },         { { .keys = "p2" }, 0 },
		{ { .latency_us = 5000 }, 1 },     { { .latency_us = 50000 }, 2 },
		{ { .memory_bytes = 1 }, 0 },      { { .memory_bytes = INT64_MAX }, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct choose_rules rules = cases[i].rules;
		struct choice c;

		rules.weight[CHOOSE_ENERGY] = 1;
		c = made(&rules);
		if (c.entries != cases[i].allowed)
			fail_msg("case %zu: %zu allowed, expected %zu", i, c.entries,
				 cases[i].allowed);
		assert_int_equal(c.entries + c.refusals, 3);
		choose_release(&c);
	}
}

static void unknown_memory_does_not_fit(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 1 },
				      .memory_bytes = INT64_MAX };
	int64_t saved[16];
	struct choice c;

	(void)state;
	for (size_t i = 0; i < report.cells; i++) {
		saved[i] = report.cell[i].server.rss_peak_kib;
		report.cell[i].server.rss_peak_kib = 0;
	}
	c = made(&rules);
	assert_int_equal(c.entries, 0);
	choose_release(&c);
	for (size_t i = 0; i < report.cells; i++)
		report.cell[i].server.rss_peak_kib = saved[i];
}

/* 100 requests a second: RSA did 50, P-256 150. */
static void a_day_that_is_too_long(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_DAY] = 1 },
				      .requests_per_day = 100 * 86400 };
	struct choice c = made(&rules);

	(void)state;
	assert_int_equal(c.entries, 1);
	assert_string_equal(c.entry[0].facts->suite, FIXTURE_ECDSA);
	assert_non_null(
		strstr(c.left[0].reason, "the day asks for 100 requests/s, the cell did 5"));
	choose_release(&c);
}

static double day_of(const struct choice *c, const char *suite)
{
	for (size_t i = 0; i < c->entries; i++)
		if (strcmp(c->entry[i].facts->suite, suite) == 0)
			return c->entry[i].value.mean;
	fail_msg("%s is not ranked", suite);
	return NAN;
}

/* Idle power of P-256's cells, in all trials; the net energy stays. */
static void idle_more(struct cell_summary *s, double times)
{
	double more = s->server.energy.idle_mwh * (times - 1);

	s->server.energy.idle_mwh += more;
	for (int64_t i = 0; i < s->trials; i++)
		s->points[i].gross_mwh[0] += more / (double)s->valid_trials;
}

/* What two cells idled at differently is drift of one board, here as in solar. */
static void drift_of_idle_is_no_saving(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_DAY] = 1 }, .requests_per_day = 86400 };
	struct choice before = made(&rules), after;
	struct cell_summary *p256 = &report.cell[before.entry[0].cell];

	(void)state;
	/* Of 2 W above an idle of 1 W a request of RSA has a 50th, of P-256 a 150th, a second. */
	near(before.rules.idle_w, 1, 1e-9);
	near(day_of(&before, FIXTURE_RSA), 24 + 24 * 2.0 / 50, 0.02);
	near(day_of(&before, FIXTURE_ECDSA), 24 + 24 * 2.0 / 150, 0.02);
	idle_more(p256, 1.3);
	after = made(&rules);
	near(after.rules.idle_w, (1 + 1 + 1.3) / 3, 1e-9);
	near(day_of(&after, FIXTURE_RSA) - day_of(&after, FIXTURE_ECDSA),
	     day_of(&before, FIXTURE_RSA) - day_of(&before, FIXTURE_ECDSA), 1e-9);
	assert_string_equal(after.entry[0].facts->suite, FIXTURE_ECDSA);
	idle_more(p256, 1 / 1.3);
	choose_release(&before);
	choose_release(&after);
}

/* Less is better for latency and for a day; scores turn them over. */
static void objectives(void **state)
{
	(void)state;
	for (int i = 0; i < CHOOSE_OBJECTIVES; i++) {
		struct choose_rules rules = { .requests_per_day = 86400 };
		struct choice c;

		rules.weight[i] = 1;
		c = made(&rules);
		assert_string_equal(c.entry[0].facts->suite, FIXTURE_ECDSA);
		choose_release(&c);
	}
	struct choose_rules both = { .weight = { [CHOOSE_ENERGY] = 1, [CHOOSE_LATENCY] = 1 } };
	struct choice c = made(&both);
	char text[192];

	/* 3 times the requests and a 3.3th of the time: the root of their product. */
	near(c.entry[0].against_next.mean, sqrt(3.0 * 10 / 3), 0.05);
	choose_objective_text(&both, text, sizeof(text));
	assert_string_equal(text, "a score of energy x 1, latency x 1");
	choose_release(&c);
}

/* Measured energy keeps modelled out, and the other way. */
static void sources_never_meet(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 1 } };
	struct choice c;
	struct fail f = { 0 };
	char saved[16];
	size_t rsa = 1;

	(void)state;
	assert_string_equal(report.cell[rsa].cell.suite, FIXTURE_RSA);
	memcpy(saved, report.cell[rsa].server.energy.source, sizeof(saved));
	strcpy(report.cell[rsa].server.energy.source, "measured");
	c = made(&rules);
	assert_int_equal(c.entries, 1);
	assert_string_equal(c.source, "measured");
	assert_int_equal(c.lefts, 2);
	assert_string_equal(c.left[1].reason, "its energy is modelled, not measured");
	choose_release(&c);
	rules.source = "modelled";
	c = made(&rules);
	assert_string_equal(c.entry[0].facts->suite, FIXTURE_ECDSA);
	choose_release(&c);
	/* What needs no energy ranks both; neither's energy puts the other off the front. */
	rules = (struct choose_rules){ .weight = { [CHOOSE_THROUGHPUT] = 1 } };
	c = made(&rules);
	assert_int_equal(c.entries, 2);
	assert_string_equal(c.entry[0].source, "modelled");
	assert_string_equal(c.entry[1].source, "measured");
	assert_true(c.entry[0].pareto && c.entry[1].pareto);
	choose_release(&c);
	memcpy(report.cell[rsa].server.energy.source, saved, sizeof(saved));
	c = made(&rules);
	assert_true(c.entry[0].pareto);
	assert_false(c.entry[1].pareto);
	choose_release(&c);
	rules = (struct choose_rules){ .weight = { [CHOOSE_ENERGY] = 1 } };
	rules.source = "measured";
	assert_int_equal(choose_make(&c, &report, facts, &rules, &f), -1);
	assert_non_null(strstr(f.text, "its energy is modelled, not measured"));
}

static void another_group(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 1 }, .like = "gzip" };
	struct choice c = made(&rules);
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(c.entries, 1);
	assert_int_equal(c.others, 3);
	choose_release(&c);
	rules.like = "no such cell";
	assert_int_equal(choose_make(&c, &report, facts, &rules, &f), -1);
	assert_non_null(strstr(f.text, "no cell like no such cell"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_frugal_one_is_first),
		cmocka_unit_test(a_constraint_and_what_it_costs),
		cmocka_unit_test(each_constraint_refuses),
		cmocka_unit_test(unknown_memory_does_not_fit),
		cmocka_unit_test(a_day_that_is_too_long),
		cmocka_unit_test(drift_of_idle_is_no_saving),
		cmocka_unit_test(objectives),
		cmocka_unit_test(sources_never_meet),
		cmocka_unit_test(another_group),
	};

	return cmocka_run_group_tests_name("choose", tests, enter, leave);
}
