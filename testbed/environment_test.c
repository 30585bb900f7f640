/* SPDX-License-Identifier: Apache-2.0 */
/* environment_test - a machine made of small files in a directory. */
#include "testbed/fake_machine.h"

#include "lib/version.h"
#include "testbed/environment.h"

static int64_t whole(const json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}

static void test_silent_machine(void **state)
{
	json_t *now = environment_state(root);
	struct node n = { 0 };
	char boot_id[64] = "x";

	(void)state;
	assert_int_equal(json_object_size(now), 0);
	json_decref(now);
	environment_describe(root, &n);
	assert_string_equal(n.cpu, "");
	assert_string_equal(n.governor, "");
	assert_string_equal(n.os, "");
	assert_string_equal(n.environment, "{}");
	assert_string_equal(n.version, cipherwatt_version);
	assert_true(n.cpus >= 1);
	assert_non_null(strstr(n.engines, "\"null\":"));
	environment_boot_id(root, boot_id, sizeof(boot_id));
	assert_string_equal(boot_id, "");
}

static void test_describes(void **state)
{
	struct node n = { 0 };
	char boot_id[64];

	(void)state;
	put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Cortex-A53 r0p4\nmodel\t: 3\n");
	put("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put("/proc/sys/kernel/random/boot_id", "6e7b-1\n");
	environment_describe(root, &n);
	assert_string_equal(n.cpu, "Cortex-A53 r0p4");
	assert_string_equal(n.os, "Debian GNU/Linux 12");
	assert_string_equal(n.governor, "performance");
	environment_boot_id(root, boot_id, sizeof(boot_id));
	assert_string_equal(boot_id, "6e7b-1");
}

/* An arm64 kernel tells no "model name": the board stands elsewhere. */
static void test_board_model(void **state)
{
	struct node n = { 0 };

	(void)state;
	put("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 48.00\nModel\t: Raspberry Pi 4\n");
	environment_describe(root, &n);
	assert_string_equal(n.cpu, "Raspberry Pi 4");
	put("/proc/cpuinfo", "processor\t: 0\n");
	put("/proc/device-tree/model", "Orange Pi PC");
	environment_describe(root, &n);
	assert_string_equal(n.cpu, "Orange Pi PC");
}

static void test_state(void **state)
{
	json_t *now;

	(void)state;
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1500000\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "many\n");
	put("/sys/class/thermal/thermal_zone0/temp", "48312\n");
	put("/sys/class/thermal/thermal_zone2/temp", "51000\n");
	put("/proc/stat", "cpu  100 20 30 400 50 6 7 80 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n"
			  "cpu1 1 2 3 4 5 6 7 8 9 0\nintr 5\n");
	put("/proc/loadavg", "0.25 0.10 0.05 1/99 1234\n");
	put("/sys/devices/platform/soc/soc:firmware/get_throttled", "50000\n");
	now = environment_state(root);
	assert_int_equal(whole(now, "cpu_khz"), 1500000);
	assert_null(json_object_get(now, "cpu_khz_max"));
	assert_int_equal(whole(now, "temperature_mc"), 51000);
	assert_true(json_real_value(json_object_get(now, "load_1m")) == 0.25);
	assert_int_equal(whole(now, "cpus"), 2);
	assert_int_equal(whole(now, "ticks"), 693);
	assert_int_equal(whole(now, "ticks_idle"), 450);
	assert_int_equal(whole(now, "ticks_stolen"), 80);
	assert_int_equal(whole(now, "throttled"), 0x50000);
	assert_false(environment_is_throttled(now)); /* it was once, since boot */
	json_decref(now);
	put("/sys/devices/platform/soc/soc:firmware/get_throttled", "50004\n");
	now = environment_state(root);
	assert_true(environment_is_throttled(now));
	json_decref(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_silent_machine, enter, leave),
		cmocka_unit_test_setup_teardown(test_describes, enter, leave),
		cmocka_unit_test_setup_teardown(test_board_model, enter, leave),
		cmocka_unit_test_setup_teardown(test_state, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
