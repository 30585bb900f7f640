/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate_test - what must hold whatever the weather: energy is conserved, the state of charge
 * keeps its bounds, larger is never worse. And the worksheet against textbook numbers.
 */
#include "lib/rng.h"
#include "solar/site_fixture.h"
#include "solar/sizing.h"

#define TRIALS 200
#define DAYS   40

/* A made sky: clear days scaled by chance, 0 to 30 degrees. */
static struct weather made_weather(struct rng *g, bool typical)
{
	struct weather w = { .rows = DAYS * 24,
			     .step_s = 3600,
			     .typical = typical,
			     .latitude_deg = 45,
			     .longitude_deg = 8 };
	double cloud = 1;

	w.row = calloc(w.rows, sizeof(*w.row));
	assert_non_null(w.row);
	for (size_t i = 0; i < w.rows; i++) {
		double height = sin(((double)(i % 24) - 6) / 12 * M_PI);

		if (i % 24 == 0)
			cloud = rng_unit(g);
		w.row[i] = (struct weather_row){ .start_s = (int64_t)i * 3600,
						 .sun_s = (int64_t)i * 3600 + 1800,
						 .ghi_w_m2 = height > 0 ? 900 * height * cloud : 0,
						 .dni_w_m2 = NAN,
						 .dhi_w_m2 = NAN,
						 .poa_w_m2 = NAN,
						 .temperature_c = -15 + 30 * rng_unit(g) };
	}
	return w;
}

static struct solar_system made_system(struct rng *g)
{
	return (struct solar_system){
		.panel = { .azimuth_deg = 180,
			   .derate = 0.5 + 0.5 * rng_unit(g),
			   .per_degree = -0.004,
			   .noct_c = 45,
			   .efficiency = 0.18,
			   .albedo = 0.2 },
		.battery = { .kind = rng_unit(g) < 0.5 ? BATTERY_LEAD : BATTERY_LFP,
			     .minimum = 0.5 * rng_unit(g),
			     .charge = 0.8 + 0.2 * rng_unit(g),
			     .discharge = 0.8 + 0.2 * rng_unit(g),
			     .self_month = 0.2 * rng_unit(g),
			     .cold = rng_unit(g) < 0.5 },
		.controller = { .efficiency = 0.9 + 0.1 * rng_unit(g),
				.own_w = 0.1 * rng_unit(g),
				.limit_w = rng_unit(g) < 0.5 ? 0 : 100 * rng_unit(g) },
		.converter = 0.8 + 0.2 * rng_unit(g),
	};
}

static struct day_load made_load(struct rng *g)
{
	struct day_load load;

	for (int i = 0; i < 24; i++)
		load.w[i] = 5 * rng_unit(g);
	return load;
}

static void check_balance(const struct solar_case *c, const struct solar_result *r,
			  double battery_wh)
{
	const struct solar_system *s = &c->system;
	double charge_loss = r->charged_wh * (1 - s->battery.charge);
	double discharge_loss = r->discharged_wh * (1 / s->battery.discharge - 1);
	double stored = r->soc_last_wh - r->soc_first_wh;
	/* What load and controller took at the bus is what came in less what went elsewhere. */
	double used =
		r->panel_wh - r->excess_wh - charge_loss - discharge_loss - r->self_wh - stored;
	double asked = r->load_wh / s->converter + s->controller.own_w * r->hours;

	if (r->unmet_wh == 0)
		assert_near(used, asked, 1e-9 * (asked + battery_wh));
	assert_true(used <= asked + 1e-9 * asked);
	/* The controller may lack too, beside the load. */
	assert_true(used >= asked - r->unmet_wh / s->converter - s->controller.own_w * r->hours -
				    1e-9 * asked);
	assert_true(r->unmet_wh <= r->load_wh * (1 + 1e-12));
}

static void check_shares(const struct solar_result *r)
{
	double time = 0, lost = 0;

	for (int i = 0; i < SOC_BINS; i++)
		time += r->soc_share[i];
	for (int i = 0; i < SOLAR_MONTHS; i++) {
		lost += r->month[i].hours_lost;
		assert_true(r->month[i].soc_min >= -1e-12 && r->month[i].soc_min <= 1);
	}
	assert_near(time, 1, 1e-9);
	assert_near(lost, r->hours_lost, 1e-9);
	assert_true(r->longest_h <= r->hours_lost);
	assert_int_equal(r->first_lost_s < 0, r->hours_lost == 0);
}

static void energy_is_conserved(void **state)
{
	struct rng g;

	(void)state;
	rng_seed(&g, 1);
	for (int i = 0; i < TRIALS; i++) {
		struct weather w = made_weather(&g, i % 2);
		struct solar_system s = made_system(&g);
		struct day_load load = made_load(&g);
		double panel_w = 40 * rng_unit(&g), battery_wh = 100 * rng_unit(&g);
		struct solar_result r;
		struct solar_case c;
		struct fail f = { 0 };

		assert_int_equal(solar_case_init(&c, &w, &s, &load, &f), 0);
		solar_simulate(&c, panel_w, battery_wh, &r);
		check_balance(&c, &r, battery_wh);
		check_shares(&r);
		assert_near(solar_lpsp(&c, panel_w, battery_wh), r.lpsp, 1e-9);
		solar_case_release(&c);
		free(w.row);
	}
}

static void larger_is_never_worse(void **state)
{
	struct rng g;

	(void)state;
	rng_seed(&g, 2);
	for (int i = 0; i < TRIALS; i++) {
		struct weather w = made_weather(&g, true);
		struct solar_system s = made_system(&g), better;
		struct day_load load = made_load(&g), twice;
		double panel_w = 40 * rng_unit(&g), battery_wh = 100 * rng_unit(&g), least;
		struct solar_case c, d;
		struct fail f = { 0 };

		s.controller.own_w = s.controller.limit_w = 0;
		s.battery.self_month = 0; /* a larger battery loses more by itself */
		better = s;
		better.battery.discharge = (s.battery.discharge + 1) / 2;
		for (int h = 0; h < 24; h++)
			twice.w[h] = load.w[h] * 2;
		assert_int_equal(solar_case_init(&c, &w, &s, &load, &f), 0);
		least = solar_lpsp(&c, panel_w, battery_wh);
		assert_true(solar_lpsp(&c, panel_w * 1.1, battery_wh) <= least + 1e-12);
		assert_true(solar_lpsp(&c, panel_w, battery_wh * 1.1) <= least + 1e-12);
		assert_int_equal(solar_case_init(&d, &w, &better, &load, &f), 0);
		assert_true(solar_lpsp(&d, panel_w, battery_wh) <= least + 1e-12);
		solar_case_release(&d);
		assert_int_equal(solar_case_init(&d, &w, &s, &twice, &f), 0);
		assert_true(solar_lpsp(&d, panel_w, battery_wh) >= least - 1e-12);
		/* Twice of everything is the same. */
		assert_near(solar_lpsp(&d, panel_w * 2, battery_wh * 2), least, 1e-9);
		solar_case_release(&d);
		solar_case_release(&c);
		free(w.row);
	}
}

/* Rolling the year by a day moves the months' borders and nothing else. */
static void a_periodic_year_begins_anywhere(void **state)
{
	struct weather w = open_site(TMY_CSV);
	struct solar_system s = { .panel = { .derate = 0.75 },
				  .battery = { .minimum = 0.2, .charge = 0.95, .discharge = 0.95 },
				  .controller = { .efficiency = 1 },
				  .converter = 1 };
	struct day_load load;
	struct solar_result before, after;
	struct weather_row first[24];
	struct solar_case c;
	struct fail f = { 0 };

	(void)state;
	for (int i = 0; i < 24; i++)
		load.w[i] = 3;
	assert_int_equal(solar_case_init(&c, &w, &s, &load, &f), 0);
	solar_simulate(&c, 80, 200, &before);
	solar_case_release(&c);
	memcpy(first, w.row, sizeof(first));
	memmove(w.row, w.row + 24, (w.rows - 24) * sizeof(*w.row));
	memcpy(w.row + w.rows - 24, first, sizeof(first));
	assert_int_equal(solar_case_init(&c, &w, &s, &load, &f), 0);
	solar_simulate(&c, 80, 200, &after);
	assert_near(after.unmet_wh, before.unmet_wh, 1e-6);
	assert_near(after.panel_wh, before.panel_wh, 1e-6);
	assert_near(after.hours_lost, before.hours_lost, 0);
	solar_case_release(&c);
	weather_release(&w);
}

/* 60 % at -10, 80 % at 0, 100 % at 25 and 40 degrees; it comes back with the warmth. */
static void cold_takes_capacity_for_a_while(void **state)
{
	(void)state;
	assert_near(battery_capacity_share(BATTERY_LEAD, -10), 0.6, 1e-12);
	assert_near(battery_capacity_share(BATTERY_LEAD, 0), 0.8, 1e-12);
	assert_near(battery_capacity_share(BATTERY_LEAD, 12.5), 0.9, 1e-12);
	assert_near(battery_capacity_share(BATTERY_LEAD, 25), 1, 1e-12);
	assert_near(battery_capacity_share(BATTERY_LEAD, 40), 1, 1e-12);
	assert_near(battery_capacity_share(BATTERY_LEAD, -60), 0, 1e-12);
	assert_near(battery_capacity_share(BATTERY_LFP, -10), 1, 1e-12);
}

static void textbook_numbers(void **state)
{
	(void)state;
	assert_near(sizing_rated(500, 0.75, 0.80), 833, 0.5);
	assert_near(sizing_rated(411, 0.80, 0.90), 571, 0.5);
}

static void the_gateways_worksheet_and_its_curve(void **state)
{
	struct weather_options keep = { NAN, NAN, false, 0, WEATHER_KEEP };
	struct weather w = open_site_with(TMY_CSV, &keep);
	struct solar_system s = { .panel = { .derate = 0.75 },
				  .battery = { .minimum = 0.2, .charge = 0.95, .discharge = 0.95 },
				  .controller = { .efficiency = 1 },
				  .converter = 1 };
	struct sizing_rules r = {
		.autonomy_days = 3, .margin = 1, .performance = 0.75, .lpsp_max = 0.01
	};
	struct sizing found;
	struct solar_result year;
	struct solar_case c;
	struct day_load load;
	struct fail f = { 0 };

	(void)state;
	for (int i = 0; i < 24; i++)
		load.w[i] = 3;
	assert_int_equal(solar_case_init(&c, &w, &s, &load, &f), 0);
	assert_int_equal(sizing_search(&c, &r, &found, &f), 0);
	assert_int_equal(found.quick.month, 12);
	assert_near(found.quick.panel_w, 67.8, 0.05);
	assert_near(found.quick.battery_wh, 284, 0.5);
	solar_simulate(&c, found.quick.panel_w, found.quick.battery_wh, &year);
	assert_near(year.lpsp, 0.0151, 0.0001);
	assert_near(year.hours_lost, 149, 0);
	assert_true(found.points > 10);
	for (int i = 0; i < found.points; i++) {
		assert_true(found.curve[i].lpsp <= 0.01);
		assert_true(solar_lpsp(&c, found.curve[i].panel_w * 0.99,
				       found.curve[i].battery_wh) > 0.01);
		if (i > 0)
			assert_true(found.curve[i].panel_w <= found.curve[i - 1].panel_w * 1.001);
		assert_true(found.best.panel_w * found.best.battery_wh <=
			    found.curve[i].panel_w * found.curve[i].battery_wh);
	}
	solar_case_release(&c);
	weather_release(&w);
}

/* One sky under loads in turn is as one made for each. */
static void a_load_leaves_nothing_behind(void **state)
{
	struct rng g;

	(void)state;
	rng_seed(&g, 3);
	for (int i = 0; i < 20; i++) {
		struct weather w = made_weather(&g, false);
		struct solar_system system = made_system(&g);
		struct day_load first = made_load(&g), second = made_load(&g);
		struct solar_case one, each;
		struct solar_result a, b;
		struct fail f = { 0 };

		assert_int_equal(solar_case_init(&one, &w, &system, &first, &f), 0);
		assert_int_equal(solar_case_init(&each, &w, &system, &second, &f), 0);
		solar_simulate(&one, 50, 100, &a);
		solar_case_set_load(&one, &second);
		solar_simulate(&one, 50, 100, &a);
		solar_simulate(&each, 50, 100, &b);
		assert_true(one.mean_w == each.mean_w);
		assert_true(a.load_wh == b.load_wh && a.unmet_wh == b.unmet_wh);
		assert_true(a.soc_last_wh == b.soc_last_wh && a.lpsp == b.lpsp);
		solar_case_release(&one);
		solar_case_release(&each);
		weather_release(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(energy_is_conserved),
		cmocka_unit_test(larger_is_never_worse),
		cmocka_unit_test(a_load_leaves_nothing_behind),
		cmocka_unit_test(a_periodic_year_begins_anywhere),
		cmocka_unit_test(cold_takes_capacity_for_a_while),
		cmocka_unit_test(textbook_numbers),
		cmocka_unit_test(the_gateways_worksheet_and_its_curve),
	};

	return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
