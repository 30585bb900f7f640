/* SPDX-License-Identifier: Apache-2.0 */
/* solar_profile_test - the hours of a day's requests, by name and by number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "results/solar_design.h"

static void near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9g, expected %.9g within %.3g", value, expected, within);
}

static void profiles(void **state)
{
	double share[24];
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(solar_profile("day", share, &f), 0);
	near(share[7], 0, 0);
	near(share[8], 0.1, 1e-12);
	assert_int_equal(
		solar_profile("0,0,0,0,0,0,0,0,0,0,0,0,3,1,0,0,0,0,0,0,0,0,0,0", share, &f), 0);
	near(share[12], 0.75, 1e-12);
	assert_int_equal(solar_profile("1,2,3", share, &f), -1);
	assert_non_null(strstr(f.text, "3 shares; expected 24"));
	f = (struct fail){ 0 };
	assert_int_equal(solar_profile("night", share, &f), -1);
	assert_non_null(strstr(f.text, "there is no \"night\"; expected flat"));
	f = (struct fail){ 0 };
	assert_int_equal(
		solar_profile("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", share, &f), -1);
	assert_non_null(strstr(f.text, "24 shares of nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles),
	};

	return cmocka_run_group_tests_name("solar_profile", tests, NULL, NULL);
}
