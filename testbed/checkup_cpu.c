/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkup_cpu - clocks, heat and supply of the CPU, its cores, and what the engines make of it.
 */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "testbed/checkup.h"
#include "testbed/environment.h"

#define CPU "/sys/devices/system/cpu/"

/* A path of the machine with a * in it; globfree() in any case. */
static size_t find_files(const struct checkup_view *v, const char *pattern, glob_t *found)
{
	char path[512];

	snprintf(path, sizeof(path), "%s%s", v->root, pattern);
	return glob(path, 0, NULL, found) == 0 ? found->gl_pathc : 0;
}

/* What stands behind the root, to be read by checkup_text() again. */
static const char *below(const struct checkup_view *v, const char *path)
{
	return path + strlen(v->root);
}

/* The clock stays where it is. powersave is the lowest clock, but for drivers with a mind. */
static bool is_fixed(const struct checkup_view *v, const char *policy, const char *governor)
{
	char path[512], driver[64];
	int64_t low, high;

	snprintf(path, sizeof(path), "%s/scaling_driver", policy);
	if (!checkup_text(v, path, driver, sizeof(driver)))
		driver[0] = '\0';
	if (!strcmp(governor, "performance") ||
	    (!strcmp(governor, "powersave") && !strstr(driver, "pstate")))
		return true;
	snprintf(path, sizeof(path), "%s/scaling_min_freq", policy);
	if (!checkup_integer(v, path, &low))
		return false;
	snprintf(path, sizeof(path), "%s/scaling_max_freq", policy);
	return checkup_integer(v, path, &high) && low == high;
}

static void look_at_governor(const struct checkup_view *v, struct checkup_finding *found)
{
	char path[512], governor[64], moving[64] = "", said[64] = "";
	glob_t policy = { 0 };
	size_t n = find_files(v, CPU "cpufreq/policy*", &policy);

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/scaling_governor", below(v, policy.gl_pathv[i]));
		if (!checkup_text(v, path, governor, sizeof(governor)))
			continue;
		snprintf(said, sizeof(said), "%s", governor);
		if (!is_fixed(v, below(v, policy.gl_pathv[i]), governor))
			snprintf(moving, sizeof(moving), "%s", governor);
	}
	globfree(&policy);
	if (moving[0]) {
		checkup_say(found, CHECKUP_SPOILS,
			    "the governor %s moves the clock with the load: suites are measured at "
			    "different clocks, and energy differs by up to a factor of two",
			    moving);
		checkup_cure(found, "echo performance | sudo tee %s",
			     CPU "cpufreq/policy*/scaling_governor");
	} else if (said[0])
		checkup_say(found, CHECKUP_GOOD, "%s", said);
	else
		checkup_say(found, CHECKUP_UNKNOWN,
			    "no cpufreq policy: a virtual machine, or a kernel without it");
}

static void look_at_boost(const struct checkup_view *v, struct checkup_finding *found)
{
	char governor[64];
	int64_t boost, off;

	if (checkup_integer(v, CPU "intel_pstate/no_turbo", &off)) {
		boost = !off;
		if (boost)
			checkup_cure(found, "echo 1 | sudo tee %s", CPU "intel_pstate/no_turbo");
	} else if (checkup_integer(v, CPU "cpufreq/boost", &boost)) {
		if (boost)
			checkup_cure(found, "echo 0 | sudo tee %s", CPU "cpufreq/boost");
	} else if (checkup_text(v, CPU "cpufreq/policy0/scaling_governor", governor,
				sizeof(governor))) {
		checkup_say(found, CHECKUP_GOOD, "none");
		return;
	} else {
		checkup_say(found, CHECKUP_UNKNOWN,
			    "no cpufreq policy: a virtual machine's host "
			    "may have one");
		return;
	}
	if (boost)
		checkup_say(found, CHECKUP_NOTE,
			    "on: the clock depends on how warm the chip is and on how many cores "
			    "work, so later trials run slower");
	else
		checkup_say(found, CHECKUP_GOOD, "off");
}

/* raspberrypi/documentation, vcgencmd get_throttled: bits 0 to 3 now, 16 to 19 since the boot. */
static const char *const throttle_word[] = { "under-voltage", "capped clock", "throttled",
					     "soft temperature limit" };

static void list_throttle(int64_t bits, char *dst, size_t len)
{
	size_t used = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < 4; i++)
		if (bits >> i & 1 && used < len)
			used += (size_t)snprintf(dst + used, len - used, "%s%s", used ? ", " : "",
						 throttle_word[i]);
}

static void look_at_throttle(const struct checkup_view *v, struct checkup_finding *found)
{
	const json_t *word = json_object_get(v->after, "throttled");
	int64_t bits = json_integer_value(word);
	char now[96], then[96];

	if (!json_is_integer(word)) {
		checkup_say(found, CHECKUP_UNKNOWN,
			    "only the firmware of a Raspberry Pi tells of it in a file");
		return;
	}
	list_throttle(bits & 15, now, sizeof(now));
	list_throttle(bits >> 16 & 15, then, sizeof(then));
	if (now[0])
		checkup_say(found, CHECKUP_SPOILS, "now: %s", now);
	else if (then[0])
		checkup_say(found, CHECKUP_NOTE,
			    "since the boot: %s; under load it will happen again", then);
	else
		checkup_say(found, CHECKUP_GOOD, "nothing since the boot");
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found, (bits | bits >> 16) & 1
					    ? "a supply and a cable that hold 5.1 V under load"
					    : "a heat sink or a fan, and a pause between trials");
}

#define NEAR_TRIP_MC 10000 /* a trial's load warms a board without a fan by more than that */

/* The lowest trip point of a zone at which something is slowed down; -1: there is none. */
static int64_t trip_of(const struct checkup_view *v, const char *zone)
{
	int64_t lowest = -1, at;
	char path[512], kind[32];

	for (int i = 0; i < 12; i++) {
		snprintf(path, sizeof(path), "%s/trip_point_%d_type", zone, i);
		if (!checkup_text(v, path, kind, sizeof(kind)))
			break;
		if (strcmp(kind, "passive") != 0 && strcmp(kind, "hot") != 0 &&
		    strcmp(kind, "critical") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/trip_point_%d_temp", zone, i);
		if (checkup_integer(v, path, &at) && at > 0 && (lowest < 0 || at < lowest))
			lowest = at;
	}
	return lowest;
}

static void look_at_heat(const struct checkup_view *v, struct checkup_finding *found)
{
	int64_t now, trip, left, least = INT64_MAX, now_mc = 0, trip_mc = 0;
	glob_t zone = { 0 };
	size_t n = find_files(v, "/sys/class/thermal/thermal_zone*", &zone);
	char path[512];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/temp", below(v, zone.gl_pathv[i]));
		if (!checkup_integer(v, path, &now))
			continue;
		trip = trip_of(v, below(v, zone.gl_pathv[i]));
		left = trip < 0 ? INT64_MAX - 1 : trip - now;
		if (left >= least)
			continue;
		least = left;
		now_mc = now;
		trip_mc = trip;
	}
	globfree(&zone);
	if (least == INT64_MAX) {
		checkup_say(found, CHECKUP_UNKNOWN, "no thermal zone can be read");
		return;
	}
	if (trip_mc < 0) {
		checkup_say(found, CHECKUP_GOOD, "%.1f C; no limit is known", (double)now_mc / 1e3);
		return;
	}
	checkup_say(found,
		    least <= 0              ? CHECKUP_SPOILS
		    : least <= NEAR_TRIP_MC ? CHECKUP_NOTE
					    : CHECKUP_GOOD,
		    "%.1f C; the clock is cut from %.1f C on", (double)now_mc / 1e3,
		    (double)trip_mc / 1e3);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found, "a heat sink or a fan, and a pause between trials");
}

static void look_at_cores(const struct checkup_view *v, struct checkup_finding *found)
{
	int64_t cpus = json_integer_value(json_object_get(v->after, "cpus"));
	char siblings[64];

	if (cpus == 1) {
		checkup_say(found, CHECKUP_NOTE,
			    "one CPU: a server and a load generator here take it from each other");
		checkup_cure(found, "a second machine as the client (docs/boards.md)");
	} else if (checkup_text(v, CPU "cpu0/topology/thread_siblings_list", siblings,
				sizeof(siblings)) &&
		   strpbrk(siblings, ",-")) {
		checkup_say(found, CHECKUP_NOTE,
			    "CPUs %s are one core: two busy ones slow each other down", siblings);
		checkup_cure(found, "pin server and client to different cores (cpus in the "
				    "campaign), or: echo off | sudo tee " CPU "smt/control");
	} else if (cpus > 1)
		checkup_say(found, CHECKUP_GOOD, "%lld CPUs", (long long)cpus);
	else
		checkup_say(found, CHECKUP_UNKNOWN, "/proc/stat does not tell how many");
}

/* The instructions for AES as /proc/cpuinfo names them, on x86 and on ARM alike. */
static bool cpu_has_aes(const struct checkup_view *v)
{
	char path[512], line[4096];
	bool has = false;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", v->root);
	in = fopen(path, "re");
	while (in && !has && fgets(line, sizeof(line), in)) {
		char *word = strstr(line, " aes");

		has = (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8)) && word &&
		      isspace((unsigned char)word[4]);
	}
	if (in)
		fclose(in);
	return has;
}

static void look_at_engines(const struct checkup_view *v, struct checkup_finding *found)
{
	char plain[128] = "";
	size_t used = 0;

	for (int i = 0; v->builds[i]; i++) {
		size_t name = strcspn(v->builds[i], ":");

		if (strstr(v->builds[i], "plain C") && used < sizeof(plain))
			used += (size_t)snprintf(plain + used, sizeof(plain) - used, "%s%.*s",
						 used ? " and " : "", (int)name, v->builds[i]);
	}
	if (plain[0] && cpu_has_aes(v)) {
		checkup_say(
			found, CHECKUP_NOTE,
			"this CPU has AES instructions and %s was built without them: a ranking "
			"of libraries ranks builds here",
			plain);
		checkup_cure(found, "build against one with them: make WOLFSSL_PREFIX=DIR, or "
				    "OPENSSL_PREFIX=DIR");
	} else
		checkup_say(found, CHECKUP_GOOD, "no engine leaves AES instructions unused");
}

const struct checkup checkup_cpu[] = {
	{ "governor", "what sets the clock of the CPU", look_at_governor },
	{ "boost", "a clock above the nominal one", look_at_boost },
	{ "throttle", "what the firmware holds back", look_at_throttle },
	{ "heat", "how far it is to the limit", look_at_heat },
	{ "cores", "CPUs for server and client", look_at_cores },
	{ "engines", "machine code of the TLS libraries", look_at_engines },
	{ 0 },
};
