/* SPDX-License-Identifier: Apache-2.0 */
/* checkup_test - each row on machines made of files, and one look at the machine under us. */
#include "testbed/fake_machine.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "testbed/checkup.h"

#define CPU "/sys/devices/system/cpu/"

static struct checkup_view view;

static int begin(void **state)
{
	static const char *const builds[] = { "null: none", "wolfssl: plain C, fast", NULL };

	view = (struct checkup_view){ .root = root, .builds = builds, .pages_swapped = -1 };
	view.before = json_object();
	view.after = json_object();
	view.watched_ns = NS_PER_S;
	assert_int_equal(hist_init(&view.late), 0);
	return enter(state);
}

static int end(void **state)
{
	view.builds = NULL;
	checkup_release(&view);
	return leave(state);
}

static const struct checkup *row(const char *name)
{
	for (int i = 0; checkups[i]; i++)
		for (const struct checkup *c = checkups[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return c;
	fail_msg("no row is called %s", name);
	return NULL;
}

/* What the row says must hold the word; a cure stands where something is wrong, and only there. */
static void says(const char *name, enum checkup_verdict verdict, const char *word)
{
	struct checkup_finding found = { 0 };

	row(name)->look(&view, &found);
	if (found.verdict != verdict || !strstr(found.found, word))
		fail_msg("%s: %s, %s; expected %s, %s", name, checkup_verdict_name[found.verdict],
			 found.found, checkup_verdict_name[verdict], word);
	if ((found.cure[0] != '\0') != (verdict == CHECKUP_SPOILS || verdict == CHECKUP_NOTE))
		fail_msg("%s: %s, cure \"%s\"", name, found.found, found.cure);
}

static void set(json_t *state, const char *key, int64_t value)
{
	json_object_set_new(state, key, json_integer(value));
}

/* A machine that tells nothing is not called good for it. */
static void test_silent_machine(void **state)
{
	static const char *const unknown[] = { "governor", "throttle", "heat",    "cores",
					       "others",   "host",     "memory",  "timers",
					       "ports",    "backlog",  "buffers", "speed",
					       "boost",    "network" };

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		says(unknown[i], CHECKUP_UNKNOWN, "");
	says("bus", CHECKUP_NOTE, "no /dev/i2c-*");
	says("mains", CHECKUP_GOOD, "");
}

static void test_names_are_words(void **state)
{
	(void)state;
	for (int i = 0; checkups[i]; i++)
		for (const struct checkup *c = checkups[i]; c->name; c++) {
			assert_ptr_equal(row(c->name), c);
			assert_true(strlen(c->name) < 10);
			assert_true(c->about[0] && c->look);
		}
}

static void test_governor(void **state)
{
	(void)state;
	put(CPU "cpufreq/policy0/scaling_governor", "performance\n");
	put(CPU "cpufreq/policy4/scaling_governor", "performance\n");
	says("governor", CHECKUP_GOOD, "performance");
	put(CPU "cpufreq/policy4/scaling_governor", "schedutil\n");
	says("governor", CHECKUP_SPOILS, "schedutil");
	/* Held at one clock, no governor can move it. */
	put(CPU "cpufreq/policy4/scaling_min_freq", "1000000\n");
	put(CPU "cpufreq/policy4/scaling_max_freq", "1800000\n");
	says("governor", CHECKUP_SPOILS, "schedutil");
	put(CPU "cpufreq/policy4/scaling_max_freq", "1000000\n");
	says("governor", CHECKUP_GOOD, "");
	/* The lowest clock, but for drivers that choose themselves. */
	put(CPU "cpufreq/policy0/scaling_governor", "powersave\n");
	put(CPU "cpufreq/policy0/scaling_driver", "cpufreq-dt\n");
	says("governor", CHECKUP_GOOD, "");
	put(CPU "cpufreq/policy0/scaling_driver", "intel_pstate\n");
	says("governor", CHECKUP_SPOILS, "powersave");
}

static void test_boost(void **state)
{
	(void)state;
	put(CPU "cpufreq/policy0/scaling_governor", "performance\n");
	says("boost", CHECKUP_GOOD, "none");
	put(CPU "cpufreq/boost", "1\n");
	says("boost", CHECKUP_NOTE, "on");
	put(CPU "cpufreq/boost", "0\n");
	says("boost", CHECKUP_GOOD, "off");
	put(CPU "intel_pstate/no_turbo", "0\n");
	says("boost", CHECKUP_NOTE, "on");
	put(CPU "intel_pstate/no_turbo", "1\n");
	says("boost", CHECKUP_GOOD, "off");
}

static void test_throttle(void **state)
{
	(void)state;
	set(view.after, "throttled", 0);
	says("throttle", CHECKUP_GOOD, "");
	set(view.after, "throttled", 0x50000);
	says("throttle", CHECKUP_NOTE, "since the boot: under-voltage, throttled");
	set(view.after, "throttled", 0x80008);
	says("throttle", CHECKUP_SPOILS, "now: soft temperature limit");
}

static void test_heat(void **state)
{
	(void)state;
	put("/sys/class/thermal/thermal_zone0/temp", "48000\n");
	says("heat", CHECKUP_GOOD, "48.0 C; no limit");
	put("/sys/class/thermal/thermal_zone0/trip_point_0_type", "active\n");
	put("/sys/class/thermal/thermal_zone0/trip_point_0_temp", "40000\n");
	put("/sys/class/thermal/thermal_zone0/trip_point_1_type", "critical\n");
	put("/sys/class/thermal/thermal_zone0/trip_point_1_temp", "110000\n");
	put("/sys/class/thermal/thermal_zone0/trip_point_2_type", "passive\n");
	put("/sys/class/thermal/thermal_zone0/trip_point_2_temp", "80000\n");
	says("heat", CHECKUP_GOOD, "from 80.0 C on");
	put("/sys/class/thermal/thermal_zone0/temp", "70000\n");
	says("heat", CHECKUP_NOTE, "70.0 C");
	/* The zone with the least left counts, not the hottest one. */
	put("/sys/class/thermal/thermal_zone1/temp", "61000\n");
	put("/sys/class/thermal/thermal_zone1/trip_point_0_type", "passive\n");
	put("/sys/class/thermal/thermal_zone1/trip_point_0_temp", "60000\n");
	says("heat", CHECKUP_SPOILS, "61.0 C; the clock is cut from 60.0 C on");
}

static void test_cores(void **state)
{
	(void)state;
	set(view.after, "cpus", 1);
	says("cores", CHECKUP_NOTE, "one CPU");
	set(view.after, "cpus", 4);
	says("cores", CHECKUP_GOOD, "4 CPUs");
	put(CPU "cpu0/topology/thread_siblings_list", "0\n");
	says("cores", CHECKUP_GOOD, "4 CPUs");
	put(CPU "cpu0/topology/thread_siblings_list", "0,2\n");
	says("cores", CHECKUP_NOTE, "CPUs 0,2");
}

static void test_engines(void **state)
{
	static const char *const fast[] = { "openssl: AES-NI", NULL };

	(void)state;
	says("engines", CHECKUP_GOOD, "");
	put("/proc/cpuinfo", "model name : x\nFeatures : fp asimd pmull\n");
	says("engines", CHECKUP_GOOD, "");
	put("/proc/cpuinfo", "model name : x aes y\nFeatures : fp asimd aes\n");
	says("engines", CHECKUP_NOTE, "wolfssl was built");
	view.builds = fast;
	says("engines", CHECKUP_GOOD, "");
}

/* 1000 ticks of two CPUs in a second: each hundredth of a CPU is five. */
static void test_others(void **state)
{
	(void)state;
	set(view.after, "cpus", 2);
	set(view.after, "ticks", 1000);
	set(view.after, "ticks_idle", 990);
	view.busiest[0] = (struct checkup_process){ .pid = 17, .name = "apt (x)", .cpus = 0.4 };
	view.processes = 1;
	says("others", CHECKUP_GOOD, "2 % of one CPU");
	set(view.after, "ticks_idle", 950);
	says("others", CHECKUP_NOTE, "10 % of one CPU: apt (x) (17) 40 %");
	view.own_cpus = 0.09;
	says("others", CHECKUP_GOOD, "1 % of one CPU");
	set(view.after, "ticks_idle", 800);
	says("others", CHECKUP_SPOILS, "31 % of one CPU");
	/* What the host took is not what others here used. */
	set(view.after, "ticks_stolen", 150);
	says("others", CHECKUP_GOOD, "1 % of one CPU");
	says("host", CHECKUP_SPOILS, "15.0 %");
	set(view.after, "ticks_stolen", 10);
	says("host", CHECKUP_NOTE, "1.0 %");
	set(view.after, "ticks_stolen", 0);
	says("host", CHECKUP_GOOD, "");
}

static void test_memory(void **state)
{
	(void)state;
	put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 500000 kB\n");
	says("memory", CHECKUP_GOOD, "488 MiB");
	put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 50000 kB\n");
	says("memory", CHECKUP_NOTE, "48 MiB");
	view.pages_swapped = 12;
	says("memory", CHECKUP_SPOILS, "12 pages");
	view.pages_swapped = 0;
	put("/proc/meminfo", "MemAvailable: many kB\n");
	says("memory", CHECKUP_UNKNOWN, "");
}

static void test_time(void **state)
{
	(void)state;
	view.clock_read_ns = 50;
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	says("clock", CHECKUP_GOOD, "50 ns, by tsc");
	view.clock_read_ns = 4000;
	says("clock", CHECKUP_NOTE, "4000 ns");
	for (int i = 0; i < 98; i++)
		hist_add(&view.late, 100000);
	says("timers", CHECKUP_GOOD, "0.10 ms late in the median");
	hist_add(&view.late, 5000000);
	hist_add(&view.late, 5000000);
	says("timers", CHECKUP_NOTE, "5.00 ms in one of a hundred");
}

static void test_limits(void **state)
{
	(void)state;
	view.files_max = 1024;
	says("files", CHECKUP_NOTE, "1024");
	view.files_max = 1 << 20;
	says("files", CHECKUP_GOOD, "");
	put("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
	says("ports", CHECKUP_GOOD, "28232");
	put("/proc/sys/net/ipv4/ip_local_port_range", "50000\t60999\n");
	says("ports", CHECKUP_NOTE, "11000");
	put("/proc/sys/net/ipv4/ip_local_port_range", "60999\t50000\n");
	says("ports", CHECKUP_UNKNOWN, "");
	put("/proc/sys/net/core/somaxconn", "128\n");
	says("backlog", CHECKUP_NOTE, "128");
	put("/proc/sys/net/core/somaxconn", "4096\n");
	says("backlog", CHECKUP_GOOD, "4096");
	put("/proc/sys/net/core/rmem_max", "212992\n");
	says("buffers", CHECKUP_NOTE, "208 KiB");
	put("/proc/sys/net/core/rmem_max", "4194304\n");
	says("buffers", CHECKUP_GOOD, "4096 KiB");
}

static void test_network(void **state)
{
	(void)state;
	put("/proc/net/route", "Iface\tDestination\tGateway\neth1\t0010A8C0\t0\n");
	says("network", CHECKUP_GOOD, "no default route");
	put("/proc/net/route",
	    "Iface\tDestination\tGateway\neth1\t0010A8C0\t0\nwlan0\t00000000\t1\n");
	says("network", CHECKUP_GOOD, "wlan0");
	put("/sys/class/net/wlan0/uevent", "DEVTYPE=wlan\nINTERFACE=wlan0\n");
	says("network", CHECKUP_NOTE, "wlan0 is wireless");
	put("/proc/net/route", "Iface\tDestination\tGateway\neth0\t00000000\t1\n");
	put("/sys/class/net/eth0/speed", "1000\n");
	says("network", CHECKUP_GOOD, "eth0, 1000 Mbit/s");
}

static void test_meters(void **state)
{
	(void)state;
	put("/dev/i2c-1", "");
	says("bus", CHECKUP_GOOD, "/dev/i2c-1");
	says("speed", CHECKUP_UNKNOWN, "i2c-1");
	put_bytes("/sys/class/i2c-dev/i2c-1/device/of_node/clock-frequency", "\0\1\206\240", 4);
	says("speed", CHECKUP_NOTE, "i2c-1 at 100 kHz: 709 samples");
	put_bytes("/sys/class/i2c-dev/i2c-1/device/of_node/clock-frequency", "\0\6\32\200", 4);
	says("speed", CHECKUP_GOOD, "i2c-1 at 400 kHz: 2836 samples");
	put_bytes("/sys/class/i2c-dev/i2c-1/device/of_node/clock-frequency", "\0\6\32", 3);
	says("speed", CHECKUP_UNKNOWN, "");
	says("priority", CHECKUP_NOTE, "");
	view.realtime = true;
	says("priority", CHECKUP_GOOD, "");
	put("/sys/class/power_supply/BAT0/status", "Charging\n");
	says("mains", CHECKUP_GOOD, "");
	put("/sys/class/power_supply/BAT1/status", "Discharging\n");
	says("mains", CHECKUP_NOTE, "BAT1");
}

/* A child that only computes is seen, by its name. */
static void test_the_machine_under_us(void **state)
{
	struct checkup_view here = { .root = "" };
	struct checkup_finding found = { 0 };
	struct fail f = { 0 };
	bool seen = false;
	pid_t busy = fork();

	(void)state;
	if (!busy)
		for (volatile unsigned spin = 0;; spin++)
			;
	assert_true(busy > 0);
	if (checkup_watch(&here, 300 * NS_PER_MS, &f))
		fail_msg("%s", f.text);
	assert_int_equal(kill(busy, SIGKILL), 0);
	assert_int_equal(waitpid(busy, NULL, 0), busy);
	assert_true(here.watched_ns >= 300 * NS_PER_MS);
	assert_true(here.late.count > 0 && here.late.min_ns >= 0);
	assert_true(here.clock_read_ns >= 0 && here.files_max > 0);
	assert_true(here.own_cpus >= 0 && here.own_cpus < 1.5);
	for (int i = 0; i < here.processes; i++) {
		assert_true(i == 0 || here.busiest[i].cpus <= here.busiest[i - 1].cpus);
		assert_true(here.busiest[i].pid != getpid());
		seen = seen || here.busiest[i].pid == busy;
	}
	/* On a busy machine three others may have been busier. */
	assert_true(seen || here.processes == CHECKUP_BUSIEST);
	row("others")->look(&here, &found);
	assert_true(found.verdict != CHECKUP_UNKNOWN && found.found[0]);
	checkup_release(&here);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_silent_machine),
		cmocka_unit_test(test_names_are_words),
		TEST(test_governor),
		TEST(test_boost),
		TEST(test_throttle),
		TEST(test_heat),
		TEST(test_cores),
		TEST(test_engines),
		TEST(test_others),
		TEST(test_memory),
		TEST(test_time),
		TEST(test_limits),
		TEST(test_network),
		TEST(test_meters),
		cmocka_unit_test(test_the_machine_under_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
