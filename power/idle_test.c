/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_test - gross, idle, net; drift; what cancels and what does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "power/idle.h"

#define W  NS_PER_S /* nanowatts in a watt */
#define MW (W / 1000)

static struct energy at(int64_t mean_nw, int64_t seconds, int64_t error_nw)
{
	return (struct energy){ .energy_nj = mean_nw * seconds,
				.about_ns = seconds * NS_PER_S,
				.covered_ns = seconds * NS_PER_S,
				.mean_nw = mean_nw,
				.error_nw = error_nw };
}

static void subtracts(void **state)
{
	struct energy busy = at(5 * W, 10, 0), before = at(2 * W, 5, 1 * MW);
	struct energy after = at(2 * W + 1 * MW, 15, 1 * MW);
	struct energy_net net;

	(void)state;
	assert_int_equal(energy_net(&busy, &before, &after, &net), 0);
	assert_int_equal(net.gross_nj, 50 * W);
	/* By covered time: (5 * 2.000 + 15 * 2.001) / 20. */
	assert_int_equal(net.idle_nw, 2 * W + 3 * MW / 4);
	assert_int_equal(net.idle_nj, 20 * W + 30 * MW / 4);
	assert_int_equal(net.net_nj, net.gross_nj - net.idle_nj);
	assert_int_equal(net.drift_nw, 1 * MW);
	assert_true(net.drift_known);
	assert_false(net.drifted);
}

static void drift_is_called(void **state)
{
	struct energy busy = at(5 * W, 10, 0), before = at(2 * W, 5, 1 * MW);
	struct energy after = at(2 * W + 5 * MW, 5, 1 * MW);
	struct energy_net net;

	(void)state;
	assert_int_equal(energy_net(&busy, &before, &after, &net), 0);
	assert_true(net.drifted);
	/* 10 s * hypot(1 mW * sqrt 2 / 2, 2.5 mW / sqrt 3) = 16.07 mJ */
	assert_in_range(net.idle_stat_nj, 16 * MW, 17 * MW);
	after = at(2 * W + 4 * MW, 5, 1 * MW);
	assert_int_equal(energy_net(&busy, &before, &after, &net), 0);
	assert_false(net.drifted);
	/* No noise at all, and a nanowatt of rounding. */
	before.error_nw = after.error_nw = 0;
	after.mean_nw = before.mean_nw + 1;
	assert_int_equal(energy_net(&busy, &before, &after, &net), 0);
	assert_int_equal(net.drift_nw, 1);
	assert_false(net.drifted);
	after.error_nw = -1;
	after.mean_nw = 9 * W;
	assert_int_equal(energy_net(&busy, &before, &after, &net), 0);
	assert_false(net.drifted);
}

static void negative_net_is_shown(void **state)
{
	struct energy busy = at(1 * W, 10, 0), before = at(2 * W, 5, 0);
	struct energy_net net;

	(void)state;
	assert_int_equal(energy_net(&busy, &before, NULL, &net), 0);
	assert_int_equal(net.net_nj, -10 * W);
	assert_false(net.drift_known);
	assert_int_equal(net.drift_nw, 0);
}

static void needs_a_baseline(void **state)
{
	struct energy busy = at(1 * W, 10, 0), empty = { 0 };
	struct energy_net net;

	(void)state;
	assert_int_equal(energy_net(&busy, NULL, NULL, &net), -1);
	assert_int_equal(energy_net(&busy, &empty, &empty, &net), -1);
	assert_int_equal(energy_net(&empty, &busy, NULL, &net), -1);
	assert_int_equal(energy_net(&busy, NULL, &busy, &net), 0);
	assert_int_equal(net.net_nj, 0);
}

static void offset_cancels(void **state)
{
	struct energy busy = at(4 * W, 10, 0), idle = at(3 * W, 10, 0);
	struct energy_net net;

	(void)state;
	/* 3 % of 40 J relative and 1.6 J of offset: hypot(1.2, 1.6) = 2 J. */
	busy.instrument_nj = 2 * W;
	busy.offset_nj = 16 * W / 10;
	assert_int_equal(energy_net(&busy, &idle, &idle, &net), 0);
	assert_int_equal(net.net_nj, 10 * W);
	assert_int_equal(net.instrument_nj, 300 * MW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subtracts),
		cmocka_unit_test(drift_is_called),
		cmocka_unit_test(negative_net_is_shown),
		cmocka_unit_test(needs_a_baseline),
		cmocka_unit_test(offset_cancels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
