/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment - small files of /proc, /sys and /etc.
 *
 * Paths are the kernel's interface and the same on every Linux; only the firmware's
 * throttle word belongs to one family of boards.
 */
#include "testbed/environment.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "ciphers/engine.h"
#include "lib/affinity.h"
#include "lib/version.h"

#define CPUFREQ       "/sys/devices/system/cpu/cpu0/cpufreq/"
#define ZONES_MAX     32
#define THROTTLED_NOW 0xf

static FILE *open_below(const char *root, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return fopen(full, "re");
}

/* The first line without its newline; "" where it cannot be read. */
static bool read_line(const char *root, const char *path, char *dst, size_t len)
{
	FILE *in = open_below(root, path);

	dst[0] = '\0';
	if (!in)
		return false;
	if (!fgets(dst, (int)len, in))
		dst[0] = '\0';
	fclose(in);
	dst[strcspn(dst, "\n")] = '\0';
	return dst[0];
}

static bool read_integer(const char *root, const char *path, int base, long long *value)
{
	char text[64], *end;

	if (!read_line(root, path, text, sizeof(text)))
		return false;
	*value = strtoll(text, &end, base);
	return end != text && !*end;
}

/* The text behind KEY and `mark` in a file of such lines, quotes taken off. */
static bool read_key(const char *root, const char *path, const char *key, char mark, char *dst,
		     size_t len)
{
	FILE *in = open_below(root, path);
	size_t key_len = strlen(key);
	char line[1024], *value;
	bool found = false;

	dst[0] = '\0';
	if (!in)
		return false;
	while (!found && fgets(line, sizeof(line), in)) {
		value = strchr(line, mark);
		if (!value || strncmp(line, key, key_len) ||
		    strspn(line + key_len, " \t") != (size_t)(value - line) - key_len)
			continue;
		value += 1 + strspn(value + 1, " \t\"");
		value[strcspn(value, "\"\n")] = '\0';
		snprintf(dst, len, "%s", value);
		found = dst[0];
	}
	fclose(in);
	return found;
}

static void describe_cpu(const char *root, struct node *n)
{
	if (!read_key(root, "/proc/cpuinfo", "model name", ':', n->cpu, sizeof(n->cpu)) &&
	    !read_key(root, "/proc/cpuinfo", "Model", ':', n->cpu, sizeof(n->cpu)))
		read_line(root, "/proc/device-tree/model", n->cpu, sizeof(n->cpu));
	n->cpus = affinity_count();
	read_line(root, CPUFREQ "scaling_governor", n->governor, sizeof(n->governor));
}

/* {"NAME": TEXT} of every engine into dst; an object that does not fit is left out whole. */
static void describe_engines(const char *(*text_of)(const struct engine_ops *), char *dst,
			     size_t len)
{
	json_t *all = json_object();
	char *text;

	for (int i = 0; engines[i]; i++)
		json_object_set_new(all, engines[i]->name, json_string(text_of(engines[i])));
	text = json_dumps(all, JSON_COMPACT);
	snprintf(dst, len, "%s", text && strlen(text) < len ? text : "{}");
	free(text);
	json_decref(all);
}

static const char *version_of(const struct engine_ops *e)
{
	return e->version();
}

static const char *build_of(const struct engine_ops *e)
{
	return e->build();
}

void environment_describe(const char *root, struct node *n)
{
	json_t *state = environment_state(root);
	char *text = json_dumps(state, JSON_COMPACT);
	struct utsname u;

	snprintf(n->version, sizeof(n->version), "%s", cipherwatt_version);
	if (!uname(&u)) {
		snprintf(n->kernel, sizeof(n->kernel), "%.62s %.64s", u.sysname, u.release);
		snprintf(n->machine, sizeof(n->machine), "%.31s", u.machine);
	}
	describe_cpu(root, n);
	read_key(root, "/etc/os-release", "PRETTY_NAME", '=', n->os, sizeof(n->os));
	describe_engines(version_of, n->engines, sizeof(n->engines));
	describe_engines(build_of, n->builds, sizeof(n->builds));
	snprintf(n->environment, sizeof(n->environment), "%s", text ? text : "{}");
	free(text);
	json_decref(state);
}

static json_t *document(const char *text)
{
	json_t *made = json_loads(text, 0, NULL);

	return made ? made : json_object();
}

json_t *environment_json(const char *root)
{
	struct node n = { 0 };

	environment_describe(root, &n);
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:o, s:o, s:o}", "version", n.version,
			 "kernel", n.kernel, "machine", n.machine, "cpu", n.cpu, "cpus",
			 (json_int_t)n.cpus, "governor", n.governor, "os", n.os, "engines",
			 document(n.engines), "builds", document(n.builds), "environment",
			 document(n.environment));
}

static void add_integer(json_t *state, const char *key, const char *root, const char *path,
			int base)
{
	long long value;

	if (read_integer(root, path, base, &value))
		json_object_set_new(state, key, json_integer(value));
}

static void add_temperature(json_t *state, const char *root)
{
	long long hottest = 0, value;
	bool known = false;
	char path[64];

	for (int i = 0; i < ZONES_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%d/temp", i);
		if (!read_integer(root, path, 10, &value))
			continue;
		hottest = known && hottest > value ? hottest : value;
		known = true;
	}
	if (known)
		json_object_set_new(state, "temperature_mc", json_integer(hottest));
}

/* proc(5): "cpu", then ticks in user, nice, system, idle, iowait, irq, softirq and steal. */
static void add_ticks(json_t *state, const char *root)
{
	FILE *in = open_below(root, "/proc/stat");
	long long tick[8], all = 0;
	char line[1024];
	int cpus = 0, n = 0;

	if (!in)
		return;
	if (fgets(line, sizeof(line), in))
		n = sscanf(line, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &tick[0], &tick[1],
			   &tick[2], &tick[3], &tick[4], &tick[5], &tick[6], &tick[7]);
	while (fgets(line, sizeof(line), in) && !strncmp(line, "cpu", 3))
		cpus++;
	fclose(in);
	if (n != 8 || !cpus)
		return;
	for (int i = 0; i < n; i++)
		all += tick[i];
	json_object_set_new(state, "cpus", json_integer(cpus));
	json_object_set_new(state, "ticks", json_integer(all));
	json_object_set_new(state, "ticks_idle", json_integer(tick[3] + tick[4]));
	json_object_set_new(state, "ticks_stolen", json_integer(tick[7]));
}

json_t *environment_state(const char *root)
{
	json_t *state = json_object();
	char load[64];

	add_integer(state, "cpu_khz", root, CPUFREQ "scaling_cur_freq", 10);
	add_integer(state, "cpu_khz_min", root, CPUFREQ "scaling_min_freq", 10);
	add_integer(state, "cpu_khz_max", root, CPUFREQ "scaling_max_freq", 10);
	add_temperature(state, root);
	add_integer(state, "throttled", root,
		    "/sys/devices/platform/soc/soc:firmware/get_throttled", 16);
	if (read_line(root, "/proc/loadavg", load, sizeof(load)))
		json_object_set_new(state, "load_1m", json_real(strtod(load, NULL)));
	add_ticks(state, root);
	return state;
}

void environment_boot_id(const char *root, char *dst, size_t len)
{
	read_line(root, "/proc/sys/kernel/random/boot_id", dst, len);
}

bool environment_is_throttled(const json_t *state)
{
	return json_integer_value(json_object_get(state, "throttled")) & THROTTLED_NOW;
}
