/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_testing - what is asked of another program, and figures that are nearly equal. For
 * driver_*_test.c only, behind cmocka's headers.
 */
#ifndef CLIENTS_DRIVER_TESTING_H
#define CLIENTS_DRIVER_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/driver.h"
#include "lib/clock.h"

static inline struct load_params params(const char *url, enum connection_mode mode)
{
	struct load_params p = { .engine = &engine_null,
				 .clients = 4,
				 .connection = mode,
				 .timeout_ns = 10 * NS_PER_S,
				 .min_success_pct = 99 };
	struct fail f = { 0 };
	assert_int_equal(url_parse(url, &p.url, &f), 0);
	return p;
}

static inline void near(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-6 * fabs(expected)))
		fail_msg("%g is not %g", got, expected);
}

#endif
