/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pmic_test - the text of pmic_read_adc, and a script in the place of vcgencmd.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "power/pmic.h"

#define RAILS                                                                        \
	" 3V7_WL_SW_A current(0)=0.10000000A\n   3V3_SYS_A current(1)=0.20000000A\n" \
	"   VDD_CORE_A current(7)=2.00000000A\n 3V7_WL_SW_V volt(8)=3.70000000V\n"   \
	"   3V3_SYS_V volt(9)=3.30000000V\n VDD_CORE_V volt(15)=0.90000000V\n"       \
	"   EXT5V_V volt(24)=5.14776000V\n      BATT_V volt(25)=0.00000000V\n"
#define WATTS (0.1 * 3.7 + 0.2 * 3.3 + 2 * 0.9)

static char dir[] = "/tmp/cipherwatt-pmic-XXXXXX";
static char script[64], text[128];

static void say(const char *body)
{
	FILE *out = fopen(script, "w");

	assert_non_null(out);
	fprintf(out, "#!/bin/sh\n[ \"$1\" = pmic_read_adc ] || exit 9\n%s", body);
	fclose(out);
	assert_int_equal(chmod(script, 0755), 0);
}

static void lines(void **state)
{
	static const char *const bad[] = {
		"VDD_CORE_A current(7)=0.9V",
		"VDD_CORE_A current(7)=xA",
		"VDD_CORE_A current(7)=nanA",
		"VDD_CORE_V current(7)=1V",
		"VDD_CORE_A volt(7)=1A",
		"VDD_CORE_A current(7)=1A more",
		"A current(7)=1A",
		"error=1 error_msg=\"Command not registered\"",
	};
	struct pmic_reading r = { 0 };
	int rails;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (pmic_line(&r, bad[i]) != -1)
			fail_msg("taken: %s", bad[i]);
	r = (struct pmic_reading){ 0 };
	assert_int_equal(pmic_line(&r, ""), 0);
	assert_int_equal(pmic_line(&r, "  VDD_CORE_A current(7)=2.00000000A\r"), 0);
	assert_true(pmic_watts(&r, &rails) == 0);
	assert_int_equal(rails, 0);
	assert_int_equal(pmic_line(&r, "VDD_CORE_V volt(15)=0.90000000V"), 0);
	assert_true(fabs(pmic_watts(&r, &rails) - 1.8) < 1e-12);
	assert_int_equal(rails, 1);
}

/* Inputs without a current are not a rail: they must not be added, nor the sum be 0. */
static void sum_of_rails(void **state)
{
	struct meter m;
	struct sample s;

	(void)state;
	say("cat <<END\n" RAILS "END\n");
	assert_int_equal(meter_open(&m, text), 0);
	assert_non_null(strstr(m.facts.basis, "3 rails"));
	assert_int_equal(m.ops->read(&m, &s), 0);
	assert_int_equal(s.flags, 0);
	assert_true(fabs((double)s.code[0] / 1e9 - WATTS) < 1e-9);
	/* A reading that fails is a gap; a program that is gone is the end. */
	say("echo error; exit 1\n");
	assert_int_equal(m.ops->read(&m, &s), 0);
	assert_int_equal(s.flags, SAMPLE_ABSENT);
	assert_int_equal(unlink(script), 0);
	assert_int_equal(m.ops->read(&m, &s), -1);
	meter_close(&m);
}

static void refusals(void **state)
{
	struct meter m;

	(void)state;
	say("exit 255\n");
	assert_int_equal(meter_open(&m, text), -1);
	assert_non_null(strstr(m.fail.text, "Raspberry Pi 5"));
	say("echo 'error=1 error_msg=\"Command not registered\"'\n");
	assert_int_equal(meter_open(&m, text), -1);
	assert_non_null(strstr(m.fail.text, "no rail"));
	say("true\n");
	assert_int_equal(meter_open(&m, text), -1);
	assert_non_null(strstr(m.fail.text, "Raspberry Pi 5"));
	assert_int_equal(meter_open(&m, "pmic:command=/nonexistent/vcgencmd"), -1);
	assert_non_null(strstr(m.fail.text, "vcgencmd"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(sum_of_rails),
		cmocka_unit_test(refusals),
	};
	int failed;

	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(script, sizeof script, "%s/vcgencmd", dir);
	snprintf(text, sizeof text, "pmic:period=10ms,command=%s", script);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(script);
	rmdir(dir);
	return failed;
}
