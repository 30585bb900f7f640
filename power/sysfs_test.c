/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs_test - the meters that read the kernel's files, on trees of files made here: units,
 * signs, what is missing, refused or goes away.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "power/convert.h"
#include "power/sysfs.h"

#define HWMON "sys/class/hwmon/hwmon3"
#define RAPL  "sys/class/powercap/"
#define PSU   "sys/class/power_supply/BAT0"
#define IIO   "sys/bus/iio/devices/iio:device0"

static char root[] = "/tmp/cipherwatt-sysfs-XXXXXX";
static struct meter m;

static void path_of(const char *dir, const char *name, char *dst, size_t len)
{
	snprintf(dst, len, "%s/%s/%s", root, dir, name);
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[512];
	struct fail f = { 0 };
	FILE *out;

	path_of(dir, "", path, sizeof path);
	assert_int_equal(path_make_dirs(path, &f), 0);
	path_of(dir, name, path, sizeof path);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "%s\n", text);
	fclose(out);
}

static void drop(const char *dir, const char *name)
{
	char path[512];

	path_of(dir, name, path, sizeof path);
	assert_int_equal(unlink(path), 0);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(strrchr(root, '-'), "-XXXXXX");
	m = (struct meter){ 0 };
	return mkdtemp(root) == NULL || chmod(root, 0755) != 0;
}

static int remove_root(void **state)
{
	(void)state;
	meter_close(&m);
	return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int try(const char *text)
{
	char full[256];

	meter_close(&m);
	snprintf(full, sizeof full, "%s,root=%s", text, root);
	return meter_open(&m, full);
}

static void opened(const char *text)
{
	if (try(text) != 0)
		fail_msg("%s", m.fail.text);
}

static void refused(const char *text, const char *word)
{
	if (try(text) == 0)
		fail_msg("%s was opened", text);
	if (strstr(m.fail.text, word) == NULL)
		fail_msg("%s: \"%s\" should say \"%s\"", text, m.fail.text, word);
}

static struct sample take(void)
{
	struct sample s;

	if (m.ops->read(&m, &s) != 0)
		fail_msg("%s", m.fail.text);
	return s;
}

static double milliwatts(void)
{
	struct sample s = take();
	struct convert c;
	int64_t nw;

	convert_init(&c, &m.facts);
	assert_true(convert_usable(&c, &s, &nw));
	return (double)nw / 1e6;
}

static void make_hwmon(void)
{
	put(HWMON, "name", "ina219");
	put(HWMON, "in0_input", "-4");
	put(HWMON, "in1_input", "4228");
	put(HWMON, "curr1_input", "-40");
	put(HWMON, "power1_input", "176000");
	put(HWMON, "shunt_resistor", "100000");
}

/* B05: power1 is in uW and has no sign; the sign is that of the current. */
static void hwmon_units_and_sign(void **state)
{
	(void)state;
	make_hwmon();
	opened("hwmon:ina219");
	assert_true(fabs(milliwatts() + 169.12) < 1e-6);
	assert_non_null(strstr(m.facts.basis, "100000 uOhm"));
	opened("hwmon:hwmon3,invert");
	assert_true(fabs(milliwatts() - 169.12) < 1e-6);
	drop(HWMON, "curr1_input");
	opened("hwmon:ina219");
	assert_true(fabs(milliwatts() - 176) < 1e-6);
}

/* B19: the driver believes in 10 mOhm, the board has 100. */
static void hwmon_wrong_shunt(void **state)
{
	(void)state;
	make_hwmon();
	put(HWMON, "in1_input", "5100");
	put(HWMON, "curr1_input", "6000");
	put(HWMON, "shunt_resistor", "10000");
	opened("hwmon:ina219");
	assert_true(fabs(milliwatts() - 30600) < 1e-6);
	opened("hwmon:ina219,shunt=0.1");
	assert_true(fabs(milliwatts() - 3060) < 1e-6);
	drop(HWMON, "shunt_resistor");
	refused("hwmon:ina219,shunt=0.1", "shunt_resistor");
}

/* The default of the driver is warned about, another value is not. */
static void hwmon_default_is_warned_about(void **state)
{
	static const char *const uohm[] = { "10000", "100000" };

	(void)state;
	make_hwmon();
	for (int i = 0; i < 2; i++) {
		char text[512] = "";
		int ends[2], saved = dup(STDERR_FILENO);

		assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
		put(HWMON, "shunt_resistor", uohm[i]);
		fflush(stderr);
		dup2(ends[1], STDERR_FILENO);
		opened("hwmon:ina219");
		dup2(saved, STDERR_FILENO);
		close(saved);
		close(ends[1]);
		if (read(ends[0], text, sizeof text - 1) < 0)
			text[0] = '\0';
		close(ends[0]);
		assert_int_equal(strstr(text, "shunt=0.1") != NULL, i == 0);
	}
}

/* B31b: all ones are no power. A counter of energy comes before all else. */
static void hwmon_sentinel_and_energy(void **state)
{
	static const char *const sentinels[] = { "4294967295", "4294967295000",
						 "4294967295000000" };

	(void)state;
	make_hwmon();
	drop(HWMON, "in1_input");
	drop(HWMON, "power1_input");
	for (size_t i = 0; i < sizeof sentinels / sizeof *sentinels; i++) {
		put(HWMON, "power1_average", sentinels[i]);
		opened("hwmon:ina219");
		assert_int_equal(take().flags, SAMPLE_ABSENT);
	}
	put(HWMON, "power1_average", "5000000");
	assert_int_equal(take().flags, 0);
	put(HWMON, "energy1_input", "123456");
	opened("hwmon:ina219");
	assert_int_equal(m.facts.kind, CODE_ENERGY);
	assert_int_equal(m.facts.meaning, SAMPLE_COUNTER);
	assert_int_equal(take().code[0], 123456000);
}

static void hwmon_refusals(void **state)
{
	struct sample s;

	(void)state;
	refused("hwmon:ina219", "no driver");
	make_hwmon();
	put("sys/class/hwmon/hwmon0", "name", "cpu_thermal");
	refused("hwmon:ina226", "hwmon0 (cpu_thermal)");
	refused("hwmon:cpu_thermal", "does not measure power");
	refused("hwmon:ina219,periodd=1s", "period");
	put("sys/class/hwmon/hwmon4", "name", "ina219");
	refused("hwmon:ina219", "both");
	opened("hwmon:hwmon3");
	put(HWMON, "curr1_input", "garbage");
	assert_int_equal(take().flags, SAMPLE_ABSENT);
	put(HWMON, "curr1_input", "100");
	assert_int_equal(take().flags, 0);
	/* Gone in the middle. */
	drop(HWMON, "curr1_input");
	assert_int_equal(m.ops->read(&m, &s), -1);
	assert_non_null(strstr(m.fail.text, "curr1_input is gone"));
}

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

static void make_iio(void)
{
	put(IIO, "name", "ina219");
	put(IIO, "in_voltage0_raw", "6000");
	put(IIO, "in_voltage0_scale", "0.010000000");
	put(IIO, "in_voltage1_raw", "1275");
	put(IIO, "in_voltage1_scale", "4.000000000");
	put(IIO, "in_shunt_resistor", "0.100000000");
	put(IIO, "in_sampling_frequency", "940");
	put(IIO, "in_voltage0_hardwaregain", "0.125000000");
}

static void iio_units_and_sign(void **state)
{
	struct sample s;

	(void)state;
	make_iio();
	opened("iio:0");
	assert_int_equal(m.facts.period_ns, 1063829);
	assert_true(fabs(milliwatts() - 3060) < 1e-6);
	put(IIO, "in_voltage0_raw", "-1600");
	opened("iio:ina219,mode=sysfs");
	assert_true(fabs(milliwatts() + 816) < 1e-6);
	/* As kernels before the sign was kept print it. */
	put(IIO, "in_voltage0_raw", "63936");
	assert_true(fabs(milliwatts() + 816) < 1e-6);
	/* The shunt that the driver believes in is of no consequence to codes. */
	put(IIO, "in_shunt_resistor", "0.010000000");
	put(IIO, "in_voltage0_raw", "6000");
	opened("iio:ina219,shunt=0.1");
	assert_true(fabs(milliwatts() - 3060) < 1e-6);
	put(IIO, "in_voltage0_raw", "32000");
	assert_int_equal(take().flags, SAMPLE_SATURATED);
	put(IIO, "in_voltage0_hardwaregain", "1");
	put(IIO, "in_voltage0_raw", "-4000");
	opened("iio:ina219,shunt=0.1");
	assert_int_equal(take().flags, SAMPLE_SATURATED);
	put(IIO, "in_voltage0_raw", "-3999");
	assert_int_equal(take().flags, 0);
	drop(IIO, "in_voltage1_raw");
	assert_int_equal(m.ops->read(&m, &s), -1);
	assert_non_null(strstr(m.fail.text, "is gone"));
	refused("iio:0", "no in_voltage1_raw");
	refused("iio:7", "iio:device0 (ina219)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(hwmon_units_and_sign, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_wrong_shunt, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_default_is_warned_about, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(hwmon_sentinel_and_energy, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_refusals, make_root, remove_root),
		cmocka_unit_test_setup_teardown(rapl_wraps, make_root, remove_root),
		cmocka_unit_test_setup_teardown(rapl_scopes, make_root, remove_root),
		cmocka_unit_test_setup_teardown(rapl_permission, make_root, remove_root),
		cmocka_unit_test_setup_teardown(psu_units_and_sign, make_root, remove_root),
		cmocka_unit_test_setup_teardown(iio_units_and_sign, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
