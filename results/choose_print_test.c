/* SPDX-License-Identifier: Apache-2.0 */
/* choose_print_test - a ranking as people and programs read it. */
#include <jansson.h>

#include "results/choose_drive.h"

static json_t *printed(const struct choose_rules *rules)
{
	struct choice c = made(rules);
	struct buf out = { 0 };
	json_error_t error;
	json_t *root;

	assert_int_equal(choose_write_json(&c, &out), 0);
	root = json_loads(buf_text(&out), 0, &error);
	assert_non_null(root);
	buf_release(&out);
	choose_release(&c);
	return root;
}

static void what_is_printed(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 1 } };
	struct choice c = made(&rules);
	struct buf out = { 0 };
	json_t *root = printed(&rules), *first;

	(void)state;
	choose_write_text(&c, &out);
	assert_int_equal(strncmp(buf_text(&out), "Ranking on modelled energy of campaign made-up",
				 strlen("Ranking on modelled energy of campaign made-up")),
			 0);
	assert_non_null(strstr(buf_text(&out),
			       "Without recommended only (lifted by --allow-legacy): plain"));
	/* The made-up campaign was never ended. */
	assert_non_null(strstr(buf_text(&out), "NOT COMPLETE"));
	buf_clear(&out);
	report.campaign.complete = true;
	choose_write_text(&c, &out);
	report.campaign.complete = false;
	assert_null(strstr(buf_text(&out), "NOT COMPLETE"));
	assert_int_equal(json_array_size(json_object_get(root, "ranking")), 2);
	assert_int_equal(json_array_size(json_object_get(root, "refused")), 1);
	assert_string_equal(json_string_value(json_object_get(root, "energy")), "modelled");
	first = json_array_get(json_object_get(root, "ranking"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "energy")), "modelled");
	near(json_number_value(json_object_get(first, "requests_per_mwh")), c.entry[0].value.mean,
	     1e-9);
	json_decref(root);
	buf_release(&out);
	choose_release(&c);
}

static void a_day_says_its_idle_power(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_DAY] = 1 }, .requests_per_day = 86400 };
	struct choice c = made(&rules);
	struct buf out = { 0 };

	(void)state;
	choose_write_text(&c, &out);
	assert_non_null(strstr(buf_text(&out), "\nIdle power is 1.000 W for all, the mean of "));
	buf_release(&out);
	choose_release(&c);
}

/* A number has its unit; a score of several has none. */
static void the_unit_is_said(void **state)
{
	static const char *const units[CHOOSE_OBJECTIVES] = {
		[CHOOSE_ENERGY] = "1/mWh",   [CHOOSE_NET_ENERGY] = "1/mWh",
		[CHOOSE_THROUGHPUT] = "1/s", [CHOOSE_LATENCY] = "us",
		[CHOOSE_DAY] = "Wh",
	};
	struct choose_rules rules = { .requests_per_day = 86400 };

	(void)state;
	for (int i = 0; i < CHOOSE_OBJECTIVES; i++) {
		json_t *root;

		rules.weight[i] = 1;
		root = printed(&rules);
		assert_string_equal(json_string_value(json_object_get(root, "unit")), units[i]);
		if (i == CHOOSE_DAY)
			near(json_number_value(json_object_get(root, "idle_w")), 1, 1e-9);
		else
			assert_true(json_is_null(json_object_get(root, "idle_w")));
		json_decref(root);
		rules.weight[i] = 0;
	}
	rules.weight[CHOOSE_ENERGY] = rules.weight[CHOOSE_DAY] = 1;
	json_t *root = printed(&rules);
	assert_true(json_is_null(json_object_get(root, "unit")));
	assert_true(json_is_number(json_object_get(root, "idle_w")));
	json_decref(root);
}

static void rank_text(const struct choose_rules *rules, const char *words, const char * not )
{
	struct choice c = made(rules);
	struct buf out = { 0 };

	choose_write_text(&c, &out);
	if (!strstr(buf_text(&out), words))
		fail_msg("\"%s\" is not in:\n%s", words, buf_text(&out));
	if (not &&strstr(buf_text(&out), not ))
		fail_msg("\"%s\" is in:\n%s", not, buf_text(&out));
	buf_release(&out);
	choose_release(&c);
}

static void a_column_says_its_unit(void **state)
{
	static const char *const heads[CHOOSE_OBJECTIVES] = {
		" requests/mWh ",     " requests/net mWh ", " requests/s ",
		" response p95, us ", " Wh a day ",
	};
	struct choose_rules rules = { .requests_per_day = 86400 };

	(void)state;
	for (int i = 0; i < CHOOSE_OBJECTIVES; i++) {
		rules.weight[i] = 1;
		rank_text(&rules, heads[i], "  value ");
		rules.weight[i] = 0;
	}
	rules.weight[CHOOSE_ENERGY] = rules.weight[CHOOSE_LATENCY] = 1;
	rank_text(&rules, " score ", "  value ");
}

/* A day of one request: the idle board is all of it, and 38.53 is 38.53. */
static void what_is_equal_is_not_told_apart(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_DAY] = 1 }, .requests_per_day = 1 };
	struct interval times = { 1.0005, 1.0004, 1.0006, 4 };
	struct choice c = made(&rules);

	(void)state;
	assert_true(choose_alike(&times));
	times.hi = 1.0011;
	assert_false(choose_alike(&times));
	assert_false(c.entry[0].told);
	choose_release(&c);
	rank_text(&rules, "less than 0.1 % apart ", "1 (1 to 1)");
	rank_text(&rules, "plain, less than 0.1 % apart from the first", NULL);
}

static void options_are_as_asked(void **state)
{
	struct choose_rules rules = { .weight = { [CHOOSE_ENERGY] = 2, [CHOOSE_LATENCY] = 1 },
				      .strength_bits = 112,
				      .keys = "rsa,ecdsa",
				      .latency_us = 5e5,
				      .role = ROLE_BOTH };
	json_t *root = printed(&rules), *options = json_object_get(root, "options");

	(void)state;
	assert_int_equal(json_object_size(options), 14);
	near(json_number_value(json_object_get(json_object_get(options, "objective"), "energy")), 2,
	     0);
	assert_int_equal(json_integer_value(json_object_get(options, "min_bits")), 112);
	assert_string_equal(json_string_value(json_object_get(options, "keys")), "rsa,ecdsa");
	assert_string_equal(json_string_value(json_object_get(options, "role")), "both");
	assert_string_equal(json_string_value(json_object_get(options, "energy_source")), "best");
	near(json_number_value(json_object_get(options, "latency_max_us")), 5e5, 0);
	assert_true(json_is_null(json_object_get(options, "campaign")));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(root, "campaign"), "name")),
		"made-up");
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed),
		cmocka_unit_test(a_day_says_its_idle_power),
		cmocka_unit_test(the_unit_is_said),
		cmocka_unit_test(a_column_says_its_unit),
		cmocka_unit_test(what_is_equal_is_not_told_apart),
		cmocka_unit_test(options_are_as_asked),
	};

	return cmocka_run_group_tests_name("choose_print", tests, enter, leave);
}
