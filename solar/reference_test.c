/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_test - what others computed from the same files: HOMER 2.68 for ten off-grid systems,
 * PVWatts for an array in Golden, and a gateway of 3 W whose specification and results are
 * published digit for digit.
 */
#include "solar/simulate.h"
#include "solar/site_fixture.h"

static struct solar_system plain_system(void)
{
	return (struct solar_system){
		.panel = { .azimuth_deg = 180, .derate = 0.75, .noct_c = 45, .albedo = 0.2 },
		.battery = { .minimum = 0.2, .charge = 0.95, .discharge = 0.95 },
		.controller = { .efficiency = 1 },
		.converter = 1,
	};
}

static struct day_load constant(double w)
{
	struct day_load load;

	for (int i = 0; i < 24; i++)
		load.w[i] = w;
	return load;
}

/* PV kW, battery kWh, and what HOMER says: unmet %, excess kWh, throughput kWh. */
static const struct homer {
	double pv_kw, battery_kwh, unmet_pct, excess_kwh, throughput_kwh;
} homer[] = {
	{ 5, 20, 34.16, 317, 3400 },   { 5, 60, 32.04, 77, 3659 },    { 10, 20, 11.45, 5700, 5336 },
	{ 10, 60, 4.21, 4784, 6216 },  { 10, 100, 3.05, 4670, 6358 }, { 15, 40, 0.86, 12607, 6282 },
	{ 15, 80, 0.00, 12494, 6387 }, { 20, 40, 0.32, 20810, 6162 }, { 25, 20, 3.95, 29550, 5598 },
	{ 30, 20, 3.35, 37730, 5583 },
};

/*
 * HOMER's own output of 1 kW, kWh a year: the scale of the array is fitted to it, since HOMER's
 * cells run cooler than the nominal temperature says. The round trip of 0.86 is from HOMER's
 * balance.
 */
#define HOMER_KWH_PER_KW 1649.1

static struct solar_system homer_system(double scale)
{
	double half_trip = sqrt(0.86);

	return (struct solar_system){
		.panel = { .slope_deg = 20,
			   .azimuth_deg = 180,
			   .derate = 0.9 * scale,
			   .per_degree = -0.005,
			   .noct_c = 47,
			   .efficiency = 0.13,
			   .albedo = 0.2 },
		.battery = { .minimum = 0.1, .charge = half_trip, .discharge = half_trip },
		.controller = { .efficiency = 1 },
		.converter = 0.96,
	};
}

static struct weather birmingham(void)
{
	struct weather_options o = { 33.56, -86.75, true, -6 * 60, WEATHER_FILL };

	return open_site_with(BHAM, &o);
}

static double output_kwh(const struct solar_case *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->weather->rows; i++)
		sum += c->unit_w[i];
	return sum;
}

/* Acceptance as the sheet of facts states it: 0.3 points of unmet load, and less asked here. */
static void homers_systems(void **state)
{
	struct weather w = birmingham();
	struct solar_system s = homer_system(1);
	struct solar_case c;
	struct fail f = { 0 };
	double raw;

	(void)state;
	assert_int_equal(solar_case_init_own_load(&c, &w, &s, &f), 0);
	raw = output_kwh(&c);
	assert_near(raw, HOMER_KWH_PER_KW, HOMER_KWH_PER_KW * 0.05);
	solar_case_release(&c);
	s = homer_system(HOMER_KWH_PER_KW / raw);
	assert_int_equal(solar_case_init_own_load(&c, &w, &s, &f), 0);
	assert_near(c.mean_w * 8760 / 1000, 10829.3, 0.1);
	for (size_t i = 0; i < sizeof(homer) / sizeof(*homer); i++) {
		const struct homer *h = &homer[i];
		struct solar_result r;
		double inside_kwh;

		solar_simulate(&c, h->pv_kw * 1000, h->battery_kwh * 1000, &r);
		/* HOMER counts throughput behind the loss of charging, before that of discharging.
		 */
		inside_kwh = r.discharged_wh / s.battery.discharge / 1000;
		printf("%2.0f kW %3.0f kWh: unmet %.2f %% (HOMER %.2f), excess %.0f (%.0f), "
		       "throughput "
		       "%.0f (%.0f)\n",
		       h->pv_kw, h->battery_kwh, 100 * r.lpsp, h->unmet_pct, r.excess_wh / 1000,
		       h->excess_kwh, inside_kwh, h->throughput_kwh);
		assert_near(100 * r.lpsp, h->unmet_pct, 0.25);
		assert_near(r.excess_wh / 1000, h->excess_kwh, fmax(25, 0.002 * h->excess_kwh));
		assert_near(inside_kwh, h->throughput_kwh, 0.005 * h->throughput_kwh);
	}
	solar_case_release(&c);
	weather_release(&w);
}

/* Months of an array of 4 kW, tilted by 20 degrees: PVWatts adds a loss by incidence that is not
 * modelled here.
 */
static void pvwatts_array(void **state)
{
	static const double dc_kwh[] = { 410.08, 449.53, 582.61, 581.83, 611.83, 627.75,
					 587.24, 574.45, 553.29, 489.51, 440.49, 383.30 };
	struct weather w = open_site(PVWATTS);
	struct solar_system s = plain_system();
	struct day_load load = constant(1);
	struct solar_result r;
	struct solar_case c;
	struct fail f = { 0 };

	(void)state;
	s.panel = (struct panel){ 20, 180, 1 - 0.1408, -0.0047, 45, 0, 0.2 };
	assert_int_equal(solar_case_init(&c, &w, &s, &load, &f), 0);
	solar_simulate(&c, 4000, 100, &r);
	assert_near(w.quality.kwh_m2, 1930.894, 0.001);
	assert_near(r.panel_wh / 1000, 6307.0, 0.2);
	assert_near(r.panel_wh / 1000, 6291.911, 6291.911 * 0.005);
	for (int i = 0; i < SOLAR_MONTHS; i++)
		assert_near(r.month[i].panel_wh_day * r.month[i].days / 1000, dc_kwh[i],
			    0.02 * dc_kwh[i]);
	solar_case_release(&c);
	weather_release(&w);
}

static const struct gateway {
	double panel_w, battery_wh;
	struct {
		double lpsp, hours_lost, longest_h, full_pct, empty_pct;
	} raw, filled; /* the shares of full and empty days are published for the raw file */
} gateway[] = {
	{ 30, 100, { 0.19584, 1997, 72, 46.30, 45.75 }, { 0.18894, 1934, 72, -1, -1 } },
	{ 30, 400, { 0.16198, 1645, 72, 38.63, 35.62 }, { 0.16168, 1642, 72, -1, -1 } },
	{ 50, 100, { 0.07559, 757, 46, 66.30, 21.92 }, { 0.07020, 708, 32, -1, -1 } },
	{ 50, 200, { 0.05921, 596, 27, 61.64, 17.53 }, { 0.05671, 574, 27, -1, -1 } },
	{ 80, 100, { 0.03176, 308, 44, 84.93, 7.95 }, { 0.02678, 264, 19, -1, -1 } },
	{ 80, 200, { 0.01367, 132, 19, 81.37, 3.84 }, { 0.01158, 113, 17, -1, -1 } },
	{ 80, 400, { 0, 0, 0, 78.90, 0 }, { 0, 0, 0, -1, -1 } },
	{ 100, 100, { 0.02262, 217, 44, 89.59, 6.30 }, { 0.01763, 173, 16, -1, -1 } },
	{ 100, 200, { 0.00778, 75, 19, 87.95, 2.47 }, { 0.00568, 56, 16, -1, -1 } },
	{ 150, 100, { 0.00948, 91, 44, 94.25, 3.01 }, { 0.00450, 47, 12, -1, -1 } },
	{ 150, 200, { 0.00261, 24, 19, 93.97, 0.82 }, { 0.00052, 5, 5, -1, -1 } },
};

static void check_gateway(const struct weather *w, bool filled)
{
	struct solar_system s = plain_system();
	struct day_load load = constant(3);
	struct solar_case c;
	struct fail f = { 0 };

	assert_int_equal(solar_case_init(&c, w, &s, &load, &f), 0);
	for (size_t i = 0; i < sizeof(gateway) / sizeof(*gateway); i++) {
		const struct gateway *g = &gateway[i];
		struct solar_result r;

		solar_simulate(&c, g->panel_w, g->battery_wh, &r);
		assert_near(r.lpsp, filled ? g->filled.lpsp : g->raw.lpsp, 0.5e-5);
		assert_near(solar_lpsp(&c, g->panel_w, g->battery_wh), r.lpsp, 1e-12);
		assert_near(r.hours_lost, filled ? g->filled.hours_lost : g->raw.hours_lost, 0);
		assert_near(r.longest_h, filled ? g->filled.longest_h : g->raw.longest_h, 0);
		assert_near(r.lolp, r.hours_lost / 8760, 1e-12);
		if (filled)
			continue;
		assert_near(100 * r.full_days, g->raw.full_pct, 0.005);
		assert_near(100 * r.empty_days, g->raw.empty_pct, 0.005);
	}
	solar_case_release(&c);
}

static void gateway_of_three_watts(void **state)
{
	struct weather w = open_site(TMY_CSV), raw;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(weather_unfilled(&w, &raw, &f), 0);
	check_gateway(&raw, false);
	check_gateway(&w, true);
	weather_release(&raw);
	weather_release(&w);
}

static void sun_hours_and_worst_days(void **state)
{
	static const double psh[] = { 1.543, 2.393, 3.824, 4.047, 4.833, 7.205,
				      6.619, 5.758, 4.516, 2.872, 2.021, 1.491 };
	struct weather_options keep = { NAN, NAN, false, 0, WEATHER_KEEP };
	struct weather w = open_site_with(TMY_CSV, &keep);
	struct solar_system s = plain_system();
	struct day_load load = constant(3);
	struct solar_result r;
	struct solar_case c;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(solar_case_init(&c, &w, &s, &load, &f), 0);
	solar_simulate(&c, 80, 100, &r);
	for (int i = 0; i < SOLAR_MONTHS; i++)
		assert_near(r.month[i].sun_kwh_m2_day, psh[i], 0.0005);
	assert_near(solar_worst_days(&c, 1), 0, 1e-9);
	assert_near(solar_worst_days(&c, 3), 0.379, 0.0005);
	assert_near(solar_worst_days(&c, 5), 2.381, 0.0005);
	assert_near(solar_worst_days(&c, 7), 4.706, 0.0005);
	solar_case_release(&c);
	weather_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(homers_systems),
		cmocka_unit_test(pvwatts_array),
		cmocka_unit_test(gateway_of_three_watts),
		cmocka_unit_test(sun_hours_and_worst_days),
	};

	return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
