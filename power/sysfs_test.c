/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs_test - hwmon and IIO on trees of files made here: units, signs, what is missing or
 * goes away.
 */
#include <fcntl.h>

#include "power/sysfs_maker.h"

#define HWMON "sys/class/hwmon/hwmon3"
#define IIO   "sys/bus/iio/devices/iio:device0"

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

/* An INA3221 has three channels in one directory. */
static void hwmon_channels(void **state)
{
	(void)state;
	put(HWMON, "name", "ina3221");
	put(HWMON, "in1_input", "5000");
	put(HWMON, "curr1_input", "100");
	put(HWMON, "in3_input", "3300");
	put(HWMON, "curr3_input", "-200");
	put(HWMON, "shunt3_resistor", "20000");
	opened("hwmon:ina3221");
	assert_true(fabs(milliwatts() - 500) < 1e-6);
	opened("hwmon:ina3221,channel=3");
	assert_true(fabs(milliwatts() + 660) < 1e-6);
	assert_non_null(strstr(m.facts.basis, "in3_input x curr3_input"));
	opened("hwmon:ina3221,channel=3,shunt=0.01");
	assert_true(fabs(milliwatts() + 1320) < 1e-6);
	refused("hwmon:ina3221,channel=2", "channel 2");
	refused("hwmon:ina3221,channel=0", "channel");
}

/* Whole mA and the chip's offset are in no figure of ours, and of other chips we know nothing. */
static void hwmon_errors(void **state)
{
	(void)state;
	make_hwmon();
	opened("hwmon:ina219");
	assert_true(m.facts.error_unknown);
	assert_true(m.facts.gain_ppm > 0 && m.facts.shunt_ppm > 0);
	opened("hwmon:ina219,error=1");
	assert_false(m.facts.error_unknown);
	assert_int_equal(m.facts.gain_ppm, 10000);
	assert_int_equal(m.facts.shunt_ppm, 0);
	put(HWMON, "name", "amdgpu");
	opened("hwmon:amdgpu");
	assert_true(m.facts.error_unknown);
	assert_int_equal(m.facts.gain_ppm, 0);
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

/* What no driver of sense says neither ends the program nor becomes a figure. */
static void iio_nonsense(void **state)
{
	(void)state;
	make_iio();
	put(IIO, "in_sampling_frequency", "1000000000000");
	opened("iio:0");
	assert_int_equal(m.facts.period_ns, 2000000);
	take();
	put(IIO, "in_sampling_frequency", "0");
	opened("iio:0");
	assert_int_equal(m.facts.period_ns, 2000000);
	put(IIO, "in_voltage1_scale", "-4");
	refused("iio:0", "in_voltage1_scale");
	refused("iio:0,period=1us", "0.1 ms");
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
		cmocka_unit_test_setup_teardown(hwmon_channels, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_errors, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_wrong_shunt, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_default_is_warned_about, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(hwmon_sentinel_and_energy, make_root, remove_root),
		cmocka_unit_test_setup_teardown(hwmon_refusals, make_root, remove_root),
		cmocka_unit_test_setup_teardown(iio_nonsense, make_root, remove_root),
		cmocka_unit_test_setup_teardown(iio_units_and_sign, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
