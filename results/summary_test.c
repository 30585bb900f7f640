/* SPDX-License-Identifier: Apache-2.0 */
/* summary_test - made-up trials give the figures worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "results/fixture.h"
#include "results/stats.h"
#include "results/summary.h"

static struct summary_tools tools;

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%.12g is not %.12g", value, expected);
}

static void begin(struct cell_summary *s, struct trial *t)
{
	struct cell c;

	fixture_cell(&c, "plain", 0, "identity");
	assert_int_equal(summary_init(s, &c, &tools), 0);
	assert_int_equal(trial_init(t), 0);
}

static void end(struct cell_summary *s, struct trial *t)
{
	summary_release(s);
	trial_release(t);
}

/*
 * Half of what was due in the window of 2 s ended behind it: neither its CPU time nor its 6 J
 * are in the window, so it counts for no rate.
 */
static void rates_are_of_what_was_completed(void **state)
{
	struct cell_summary s;
	struct trial t;

	(void)state;
	begin(&s, &t);
	fixture_trial(&t, 0, 1000, 50000, 700);
	t.requests_completed = 500;
	assert_int_equal(summary_add(&s, &t), 0);
	assert_int_equal(summary_finish(&s), 0);
	assert_int_equal(s.requests_succeeded, 1000);
	assert_int_equal(s.requests_completed, 500);
	near(s.requests_per_s.mean, 250);
	near(s.server.requests_per_cpu_s.mean, 500 / 0.05);
	near(s.server.energy.requests_per_mwh.mean, 500 * 3.6 / 6);
	near(s.server.energy.mj_per_request, 12);
	near(s.server.energy.net_mj_per_request, 8);
	end(&s, &t);
}

/* Windows of 2 s, 6 J gross, 4 J net each; 1000, 1200 and 1400 requests of 50 us CPU. */
static void figures_are_right(void **state)
{
	struct cell_summary s;
	struct trial t;
	double half;

	(void)state;
	begin(&s, &t);
	for (int i = 0; i < 3; i++) {
		fixture_trial(&t, i, 1000 + 200 * i, 50000, 700 + 100 * i);
		assert_int_equal(summary_add(&s, &t), 0);
	}
	assert_int_equal(summary_finish(&s), 0);
	assert_int_equal(s.trials, 3);
	assert_int_equal(s.valid_trials, 3);
	assert_int_equal(s.requests_succeeded, 3600);
	assert_int_equal(s.requests_started, 3648);
	assert_int_equal(s.handshakes_full, 3600);
	assert_int_equal(s.server_handshakes_full, 3900);
	near(s.window_s, 6);
	near(s.requests_per_s.mean, 600);
	half = stats_t95(2) * 100 / sqrt(3);
	near(s.requests_per_s.hi, 600 + half);
	near(s.server.cpu_s, 3600 * 50e-6);
	near(s.server.cpu_pct, 3);
	near(s.server.requests_per_cpu_s.mean, 20000);
	near(s.server.requests_per_cpu_s.lo, 20000);
	near(s.client.requests_per_cpu_s.mean, 40000);
	near(s.server.energy.gross_mwh, 18 / 3.6);
	near(s.server.energy.idle_mwh, 6 / 3.6);
	near(s.server.energy.net_mwh, 12 / 3.6);
	near(s.server.energy.requests_per_mwh.mean, 3600 / (18 / 3.6));
	near(s.server.energy.net_requests_per_mwh.mean, 3600 / (12 / 3.6));
	assert_true(s.server.energy.requests_per_mwh.lo < 720);
	near(s.server.energy.mj_per_request, 5);
	near(s.server.energy.net_mj_per_request, 12e3 / 3600);
	near(s.server.energy.uncertainty_pct, 0.7);
	assert_true(summary_is_modelled(&s.server.energy));
	assert_true(fabs(s.response.p50 - 800) < 1);
	assert_true(fabs(s.response.p99 - 900) < 1);
	near(s.response.max, 900);
	near(s.response.mean, (1000 * 700.0 + 1200 * 800 + 1400 * 900) / 3600);
	near(s.load_cpu_pct, 50);
	end(&s, &t);
}

static void invalid_trials_stay_out(void **state)
{
	struct cell_summary s;
	struct trial t;

	(void)state;
	begin(&s, &t);
	for (int i = 0; i < 3; i++) {
		fixture_trial(&t, i, i == 1 ? 9999 : 1000, 50000, i == 1 ? 90000 : 700);
		t.valid = i != 1;
		assert_int_equal(summary_add(&s, &t), 0);
	}
	assert_int_equal(summary_finish(&s), 0);
	assert_int_equal(s.trials, 3);
	assert_int_equal(s.valid_trials, 2);
	assert_int_equal(s.requests_succeeded, 2000);
	near(s.requests_per_s.mean, 500);
	near(s.response.max, 700);
	assert_false(s.points[1].valid);
	near(s.points[1].requests, 9999);
	end(&s, &t);
}

static void no_trial_gives_no_figure(void **state)
{
	struct cell_summary s;
	struct trial t;

	(void)state;
	begin(&s, &t);
	assert_int_equal(summary_finish(&s), 0);
	assert_true(isnan(s.requests_per_s.mean) && isnan(s.response.p50));
	assert_true(isnan(s.server.energy.gross_mwh) && isnan(s.server.cpu_pct));
	assert_string_equal(s.server.energy.source, "none");
	assert_string_equal(s.server.energy.reason, "no trial is valid");
	assert_false(summary_is_modelled(&s.server.energy));
	end(&s, &t);
}

/* The second trial is spoilt by `spoil`. */
static void two_trials(struct cell_summary *s, struct trial *t, void (*spoil)(struct trial *))
{
	begin(s, t);
	for (int i = 0; i < 2; i++) {
		fixture_trial(t, i, 1000, 50000, 700);
		if (i == 1)
			spoil(t);
		assert_int_equal(summary_add(s, t), 0);
	}
	assert_int_equal(summary_finish(s), 0);
}

static void measure(struct trial *t)
{
	strcpy(t->server.energy_source, "measured");
}

static void move_board(struct trial *t)
{
	strcpy(t->server.energy_basis, "another board");
}

static void lose_idle(struct trial *t)
{
	t->server.idle_nj = t->server.net_nj = FIELD_UNKNOWN_INT;
	t->server.cpu_ns = FIELD_UNKNOWN_INT;
}

static void fall_below_idle(struct trial *t)
{
	t->server.net_nj = -9000000000;
}

static void energy_is_never_mixed(void **state)
{
	struct cell_summary s;
	struct trial t;

	(void)state;
	two_trials(&s, &t, measure);
	assert_string_equal(s.server.energy.source, "mixed");
	assert_non_null(strstr(s.server.energy.reason, "several sources"));
	assert_true(isnan(s.server.energy.gross_mwh));
	assert_true(isnan(s.server.energy.requests_per_mwh.mean));
	assert_true(isnan(s.server.energy.mj_per_request));
	assert_true(isfinite(s.client.energy.gross_mwh)); /* the other side is whole */
	end(&s, &t);
	two_trials(&s, &t, move_board);
	assert_string_equal(s.server.energy.source, "mixed");
	assert_non_null(strstr(s.server.energy.reason, "several bases"));
	end(&s, &t);
}

static void unknown_stays_unknown(void **state)
{
	struct cell_summary s;
	struct trial t;

	(void)state;
	two_trials(&s, &t, lose_idle);
	assert_true(isnan(s.server.energy.net_mwh) && isnan(s.server.energy.idle_mwh));
	assert_true(isnan(s.server.energy.net_requests_per_mwh.mean));
	assert_true(isnan(s.server.cpu_s) && isnan(s.server.requests_per_cpu_s.mean));
	near(s.server.energy.gross_mwh, 12 / 3.6);
	end(&s, &t);
}

static void negative_net_is_shown(void **state)
{
	struct cell_summary s;
	struct trial t;

	(void)state;
	two_trials(&s, &t, fall_below_idle);
	near(s.server.energy.net_mwh, -5 / 3.6);
	near(s.server.energy.net_mj_per_request, -2.5);
	assert_true(isnan(s.server.energy.net_requests_per_mwh.mean));
	assert_true(isfinite(s.server.energy.requests_per_mwh.mean));
	end(&s, &t);
}

static void check_name(const char *name, const struct field *f, const void *base, void *data)
{
	static char seen[256][FIELD_NAME_BYTES];
	int *count = data;

	(void)base;
	assert_true(*f->help && f->unit && strlen(name) < FIELD_NAME_BYTES - 1);
	for (int i = 0; i < *count; i++) {
		size_t len = strlen(seen[i]);

		assert_string_not_equal(seen[i], name);
		/* No name is both a value and an object: JSON cannot carry that. */
		assert_false(strncmp(seen[i], name, len) == 0 && name[len] == '.');
	}
	assert_true(*count < 256);
	snprintf(seen[(*count)++], FIELD_NAME_BYTES, "%s", name);
}

static void names_are_unique_paths(void **state)
{
	int count = 0;

	(void)state;
	field_each(summary_parts, NULL, check_name, &count);
	assert_true(count > 70);
}

/* Rates 500, 510, 505, 495, 490, 500, 505, 400 per second. */
static void a_series_is_described(void **state)
{
	static const int64_t requests[] = { 1000, 1020, 1010, 990, 980, 1000, 1010, 800 };
	struct cell_summary s;
	struct trial t;

	(void)state;
	begin(&s, &t);
	for (int64_t block = 0; block < 8; block++) {
		fixture_trial(&t, block, requests[block], 50000, 500);
		assert_int_equal(summary_add(&s, &t), 0);
	}
	assert_int_equal(summary_finish(&s), 0);
	near(s.requests_per_s_median.mean, 500);
	assert_true(s.requests_per_s_median.lo >= 400 && s.requests_per_s_median.lo < 500);
	assert_true(s.requests_per_s_median.hi > 500 && s.requests_per_s_median.hi <= 510);
	assert_int_equal(s.outliers, 1);
	assert_int_equal(s.warmup_blocks, 0);
	/* R: coef(lm(y ~ seq(0, 7)))[2] / mean(y) * 100 */
	near(s.drift_pct_per_block.mean, -1.8169623803427);
	near(s.server.energy.requests_per_mwh_bca.mean, s.server.energy.requests_per_mwh.mean);
	assert_true(s.server.energy.requests_per_mwh_bca.hi < s.server.energy.requests_per_mwh.hi);
	trial_release(&t);
	summary_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_of_what_was_completed),
		cmocka_unit_test(figures_are_right),
		cmocka_unit_test(invalid_trials_stay_out),
		cmocka_unit_test(no_trial_gives_no_figure),
		cmocka_unit_test(energy_is_never_mixed),
		cmocka_unit_test(unknown_stays_unknown),
		cmocka_unit_test(negative_net_is_shown),
		cmocka_unit_test(a_series_is_described),
		cmocka_unit_test(names_are_unique_paths),
	};
	int status = cmocka_run_group_tests(tests, NULL, NULL);

	summary_tools_release(&tools);
	return status;
}
