/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage - CPU clocks of processes and two files of /proc.
 *
 * A process's CPU clock counts every thread it ever had, to the nanosecond,
 * where /proc/PID/stat counts ticks of 10 ms.
 */
#include "lib/usage.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"

static int64_t read_ns(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t))
		return -1;
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t usage_process_cpu_ns(pid_t pid)
{
	clockid_t id;

	if (pid <= 0 || clock_getcpuclockid(pid, &id))
		return -1;
	return read_ns(id);
}

int64_t usage_self_cpu_ns(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t usage_thread_cpu_ns(void)
{
	return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
	return fopen(path, "re");
}

int64_t usage_rss_peak_kib(pid_t pid)
{
	FILE *in = open_proc(pid, "status");
	long long kib = -1;
	char line[256];

	if (!in)
		return -1;
	while (kib < 0 && fgets(line, sizeof(line), in))
		if (sscanf(line, "VmHWM: %lld kB", &kib) != 1)
			kib = -1;
	fclose(in);
	return kib;
}

struct kin {
	pid_t pid, parent;
};

/* The parent of a living process; -1 when it is gone or waits only to be reaped. */
static pid_t parent_of(pid_t pid)
{
	FILE *in = open_proc(pid, "stat");
	char line[512], state;
	const char *end;
	long parent = -1;

	if (!in)
		return -1;
	/* The name in brackets may hold anything, brackets too: look for the last one. */
	if (fgets(line, sizeof(line), in) && (end = strrchr(line, ')')) &&
	    (sscanf(end + 1, " %c %ld", &state, &parent) != 2 || state == 'Z' || state == 'X'))
		parent = -1;
	fclose(in);
	return (pid_t)parent;
}

static int add_kin(struct kin **all, int count, pid_t pid)
{
	pid_t parent = parent_of(pid);
	struct kin *grown;

	if (parent < 0)
		return count;
	if (!(count & (count - 1))) { /* full at every power of two */
		grown = realloc(*all, sizeof(**all) * (size_t)(count ? count * 2 : 1));
		if (!grown)
			return count;
		*all = grown;
	}
	(*all)[count] = (struct kin){ pid, parent };
	return count + 1;
}

static int list_processes(struct kin **all)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			count = add_kin(all, count, (pid_t)atol(entry->d_name));
	closedir(dir);
	return count;
}

int usage_tree(pid_t pid, pid_t *dst, int max)
{
	struct kin *all = NULL;
	int count = list_processes(&all), found = 0;

	for (int i = 0; i < count && max > 0; i++)
		if (all[i].pid == pid)
			dst[found++] = pid;
	for (int next = 0; next < found; next++)
		for (int i = 0; i < count && found < max; i++)
			if (all[i].parent == dst[next] && all[i].pid != dst[next])
				dst[found++] = all[i].pid;
	free(all);
	return found;
}
