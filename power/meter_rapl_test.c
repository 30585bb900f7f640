/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_rapl_test - energy counters and gauges on trees of files made here: wraps, scopes,
 * refused permission, signs.
 */
#include <sys/wait.h>

#include "power/sysfs_maker.h"

#define RAPL "sys/class/powercap/"
#define PSU  "sys/class/power_supply/BAT0"

static void make_rapl(void)
{
	put(RAPL "intel-rapl:0", "name", "package-0");
	put(RAPL "intel-rapl:0", "energy_uj", "4000000000");
	put(RAPL "intel-rapl:0", "max_energy_range_uj", "4294967296");
	put(RAPL "intel-rapl:0", "constraint_0_max_power_uw", "65000000");
	put(RAPL "intel-rapl:0:0", "name", "core");
	put(RAPL "intel-rapl:0:0", "energy_uj", "7");
	put(RAPL "intel-rapl:0:0", "max_energy_range_uj", "4294967296");
	put(RAPL "intel-rapl-mmio:0", "name", "package-0");
	put(RAPL "intel-rapl-mmio:0", "energy_uj", "1");
}

static bool step(int64_t *nj)
{
	struct sample a = take(), b;
	struct convert c;

	put(RAPL "intel-rapl:0", "energy_uj", "10000");
	b = take();
	convert_init(&c, &m.facts);
	/* As if ten seconds lay between them: in ten milliseconds it would be 29 kW. */
	return !convert_energy(&c, &a, &b, 10 * NS_PER_MS, nj) &&
	       convert_energy(&c, &a, &b, 10 * NS_PER_S, nj);
}

/* B24: 4000000000 then 10000 is 294.98 J with the range, and nothing without it. */
static void rapl_wraps(void **state)
{
	int64_t nj = 0;

	(void)state;
	make_rapl();
	opened("rapl:package-0,period=10ms");
	assert_non_null(strstr(m.facts.basis, "intel-rapl:0)"));
	assert_true(step(&nj));
	assert_int_equal(nj, INT64_C(294977296000));
	make_rapl();
	drop(RAPL "intel-rapl:0", "max_energy_range_uj");
	opened("rapl:package-0,period=10ms");
	assert_int_equal(m.facts.counter_range_nj, 0);
	assert_false(step(&nj));
	opened("rapl:intel-rapl-mmio:0,period=10ms");
	assert_int_equal(take().code[0], 1000);
	/* No maker says how true these counters are: without the operator's word, nor do we. */
	assert_true(m.facts.error_unknown);
	opened("rapl:core,period=10ms,error=2.5");
	assert_false(m.facts.error_unknown);
	assert_int_equal(m.facts.gain_ppm, 25000);
	refused("rapl:core,error=-1", "0 to 100");
	opened("rapl:core,period=10ms");
	assert_int_equal(take().code[0], 7000);
}

/* B29: one scope. */
static void rapl_scopes(void **state)
{
	(void)state;
	make_rapl();
	refused("rapl:package-0+core", "overlap");
	refused("rapl:psys", "intel-rapl:0:0 (core)");
	refused("rapl:period=10ms", "expected the name");
	refused("rapl:package-0,period=1ms", "10 ms");
}

/* B59, as another user: the file and the cure are named, never 0 W. */
static void rapl_permission(void **state)
{
	char path[512];
	pid_t child;
	int status;

	(void)state;
	make_rapl();
	path_of(RAPL "intel-rapl:0", "energy_uj", path, sizeof path);
	assert_int_equal(chmod(path, 0400), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
			_exit(2);
		if (getuid() != 65534)
			chmod(path, 0);
		_exit(try("rapl:package-0") == -1 && strstr(m.fail.text, "energy_uj") != NULL &&
				      strstr(m.fail.text, "root only") != NULL
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void psu_units_and_sign(void **state)
{
	struct sample s;

	(void)state;
	put(PSU, "type", "Battery");
	put(PSU, "status", "Discharging");
	put(PSU, "voltage_now", "11400000");
	put(PSU, "current_now", "-500000");
	opened("psu:BAT0,period=1ms");
	assert_true(fabs(milliwatts() - 5700) < 1e-6);
	put(PSU, "status", "Charging");
	assert_true(fabs(milliwatts() + 5700) < 1e-6);
	put(PSU, "power_now", "6100000");
	put(PSU, "status", "Discharging");
	opened("psu:BAT0,period=1ms");
	assert_true(fabs(milliwatts() - 6100) < 1e-6);
	put(PSU, "power_now", "-9223372036854775808");
	assert_int_equal(take().flags, SAMPLE_ABSENT);
	drop(PSU, "power_now");
	assert_int_equal(m.ops->read(&m, &s), -1);
	drop(PSU, "current_now");
	refused("psu:BAT0", "does not measure power");
	refused("psu:BAT1", "BAT0");
	/* A USB supply has no direction but its own. */
	put("sys/class/power_supply/usb", "type", "USB");
	put("sys/class/power_supply/usb", "voltage_now", "5100000");
	put("sys/class/power_supply/usb", "current_now", "600000");
	put("sys/class/power_supply/usb", "status", "Charging");
	opened("psu:usb,period=1ms");
	assert_true(fabs(milliwatts() - 3060) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rapl_wraps, make_root, remove_root),
		cmocka_unit_test_setup_teardown(rapl_scopes, make_root, remove_root),
		cmocka_unit_test_setup_teardown(rapl_permission, make_root, remove_root),
		cmocka_unit_test_setup_teardown(psu_units_and_sign, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
