/* SPDX-License-Identifier: Apache-2.0 */
/* report_drive - for the tests: the made-up campaign in a store of its own, and its report. */
#ifndef RESULTS_REPORT_DRIVE_H
#define RESULTS_REPORT_DRIVE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "results/fixture_store.h"
#include "results/report.h"

static struct fixture_place here;
static struct store *store;
static struct report report;

static inline int report_drive_enter(void)
{
	struct fail f = { 0 };
	int64_t id;

	if (fixture_enter(&here) < 0)
		return -1;
	store = store_open(here.path, STORE_WRITE, &f);
	id = store ? fixture_fill(store, "made-up", &f) : -1;
	if (id < 0 || report_load(store, id, &report, &f) < 0)
		fail_msg("%s", f.text);
	return 0;
}

static inline int leave(void **state)
{
	(void)state;
	report_release(&report);
	store_close(store);
	return fixture_leave(&here);
}

static inline void near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9g, expected %.9g within %.3g", value, expected, within);
}

#endif
