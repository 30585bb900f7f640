/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkup_load - what else this machine does: its other processes, its host, its memory, and how
 * well it keeps time. All of it was seen while the machine was watched.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "testbed/checkup.h"

/* Differences between suites are a few per cent of a CPU that is busy with them. */
#define OTHERS_NOTE   0.03 /* of one CPU */
#define OTHERS_SPOILS 0.15
#define STOLEN_NOTE   0.001 /* of the time of all CPUs */
#define STOLEN_SPOILS 0.02  /* as runner_judge */

static int64_t grown(const struct checkup_view *v, const char *key)
{
	return json_integer_value(json_object_get(v->after, key)) -
	       json_integer_value(json_object_get(v->before, key));
}

static void name_busiest(const struct checkup_view *v, char *dst, size_t len)
{
	size_t used = 0;

	dst[0] = '\0';
	for (int i = 0; i < v->processes && used < len; i++)
		used += (size_t)snprintf(dst + used, len - used, "%s%s (%d) %.0f %%",
					 used ? ", " : ": ", v->busiest[i].name,
					 (int)v->busiest[i].pid, 100 * v->busiest[i].cpus);
}

static void look_at_others(const struct checkup_view *v, struct checkup_finding *found)
{
	int64_t cpus = json_integer_value(json_object_get(v->after, "cpus"));
	double ticks = (double)grown(v, "ticks"), busy;
	char who[200];

	if (ticks <= 0) {
		checkup_say(found, CHECKUP_UNKNOWN, "/proc/stat does not tell");
		return;
	}
	busy = (ticks - (double)grown(v, "ticks_idle") - (double)grown(v, "ticks_stolen")) / ticks *
		       (double)cpus -
	       v->own_cpus;
	busy = busy > 0 ? busy : 0;
	name_busiest(v, who, sizeof(who));
	checkup_say(found,
		    busy > OTHERS_SPOILS ? CHECKUP_SPOILS
		    : busy > OTHERS_NOTE ? CHECKUP_NOTE
					 : CHECKUP_GOOD,
		    "%.0f %% of one CPU%s", 100 * busy, busy > OTHERS_NOTE ? who : "");
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found, "end them, or wait until they are done");
}

static void look_at_host(const struct checkup_view *v, struct checkup_finding *found)
{
	double ticks = (double)grown(v, "ticks"), stolen;

	if (ticks <= 0) {
		checkup_say(found, CHECKUP_UNKNOWN, "/proc/stat does not tell");
		return;
	}
	stolen = (double)grown(v, "ticks_stolen") / ticks;
	if (stolen <= STOLEN_NOTE) {
		checkup_say(found, CHECKUP_GOOD, "took no CPU time away");
		return;
	}
	checkup_say(found, stolen > STOLEN_SPOILS ? CHECKUP_SPOILS : CHECKUP_NOTE,
		    "this is a virtual machine whose host took %.1f %% of its CPU time away",
		    100 * stolen);
	checkup_cure(found, "a machine of its own, or one that nothing else runs beside");
}

/* KEY: N kB of /proc/meminfo; -1 where it is not. */
static int64_t memory_kib(const struct checkup_view *v, const char *key)
{
	char path[512], line[256];
	int64_t kib = -1;
	size_t len = strlen(key);
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/meminfo", v->root);
	in = fopen(path, "re");
	while (in && kib < 0 && fgets(line, sizeof(line), in))
		if (!strncmp(line, key, len) && line[len] == ':' &&
		    sscanf(line + len + 1, "%" SCNd64, &kib) != 1)
			kib = -1;
	if (in)
		fclose(in);
	return kib;
}

#define MEMORY_LEAST_KIB (128 << 10) /* a server with thousands of associations, and its client */

static void look_at_memory(const struct checkup_view *v, struct checkup_finding *found)
{
	int64_t kib = memory_kib(v, "MemAvailable");

	if (v->pages_swapped > 0) {
		checkup_say(found, CHECKUP_SPOILS,
			    "%" PRId64 " pages were swapped while it was watched: memory is short",
			    v->pages_swapped);
		checkup_cure(found, "end what needs the memory; then sudo swapoff -a");
	} else if (kib < 0)
		checkup_say(found, CHECKUP_UNKNOWN, "/proc/meminfo does not tell");
	else {
		checkup_say(found, kib < MEMORY_LEAST_KIB ? CHECKUP_NOTE : CHECKUP_GOOD,
			    "%" PRId64 " MiB are free for use", kib >> 10);
		if (found->verdict != CHECKUP_GOOD)
			checkup_cure(found, "end what needs the memory, or use fewer clients");
	}
}

#define CLOCK_READ_MOST_NS 1000    /* each message is stamped; a request has several */
#define LATE_MOST_NS       1000000 /* of 99 sleeps in 100; a paced load is late by as much */

static void look_at_clock(const struct checkup_view *v, struct checkup_finding *found)
{
	char source[64] = "";

	checkup_text(v, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		     sizeof(source));
	checkup_say(found, v->clock_read_ns > CLOCK_READ_MOST_NS ? CHECKUP_NOTE : CHECKUP_GOOD,
		    "read in %" PRId64 " ns%s%s", v->clock_read_ns, source[0] ? ", by " : "",
		    source);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found, "another clock source (see available_clocksource beside "
				    "/sys/devices/system/clocksource/clocksource0/"
				    "current_clocksource)");
}

static void look_at_timers(const struct checkup_view *v, struct checkup_finding *found)
{
	int64_t p50 = hist_quantile(&v->late, 0.5), p99 = hist_quantile(&v->late, 0.99);

	if (p99 < 0) {
		checkup_say(found, CHECKUP_UNKNOWN, "not watched for long enough");
		return;
	}
	checkup_say(found, p99 > LATE_MOST_NS ? CHECKUP_NOTE : CHECKUP_GOOD,
		    "a sleep ends %.2f ms late in the median, %.2f ms in one of a hundred",
		    (double)p50 / 1e6, (double)p99 / 1e6);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found, "a quieter machine; requests at a rate (--rate) are late by "
				    "as much, and the report says so");
}

const struct checkup checkup_load[] = {
	{ "others", "CPU time of other processes", look_at_others },
	{ "host", "CPU time taken by a virtual machine's host", look_at_host },
	{ "memory", "room, and swapping", look_at_memory },
	{ "clock", "what a time stamp costs", look_at_clock },
	{ "timers", "how late a sleep ends", look_at_timers },
	{ 0 },
};
