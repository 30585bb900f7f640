/* SPDX-License-Identifier: Apache-2.0 */
/*
 * affinity - CPU lists as text, checked against what the kernel lets us use.
 * It must not know what the threads do.
 */
#include "lib/affinity.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Digits at *text into *cpu; *text is left behind them. */
static bool read_cpu(const char **text, int *cpu)
{
	const char *p = *text;
	int value = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (*p - '0');
		if (value >= CPU_SETSIZE)
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*cpu = value;
	return true;
}

/* "0-1,4": the set as a list; cut when dst is too short. */
static void format_set(const cpu_set_t *set, char *dst, size_t len)
{
	size_t used = 0;

	dst[0] = '\0';
	for (int from = 0; from < CPU_SETSIZE && used < len; from++) {
		int to = from;

		if (!CPU_ISSET(from, set))
			continue;
		while (to + 1 < CPU_SETSIZE && CPU_ISSET(to + 1, set))
			to++;
		used += (size_t)snprintf(dst + used, len - used, "%s%d", used ? "," : "", from);
		if (to > from && used < len)
			used += (size_t)snprintf(dst + used, len - used, "-%d", to);
		from = to;
	}
}

static int add_range(const char *list, int from, int to, const cpu_set_t *may, cpu_set_t *set,
		     struct fail *f)
{
	char usable[128];

	if (to < from)
		return fail_set(f, EINVAL, "CPU list \"%s\": the range %d-%d runs backwards", list,
				from, to);
	for (int cpu = from; cpu <= to; cpu++) {
		if (!CPU_ISSET(cpu, may)) {
			format_set(may, usable, sizeof usable);
			return fail_set(f, EINVAL,
					"CPU list \"%s\": this process may not run on CPU %d; "
					"it may run on %s",
					list, cpu, usable);
		}
		CPU_SET(cpu, set);
	}
	return 0;
}

int affinity_parse(const char *list, cpu_set_t *set, struct fail *f)
{
	const char *p = list;
	cpu_set_t may;

	CPU_ZERO(set);
	if (sched_getaffinity(0, sizeof may, &may) != 0)
		return fail_set(f, errno, "cannot ask which CPUs this process may run on: %m");
	for (;; p++) {
		int from, to;

		if (!read_cpu(&p, &from))
			break;
		to = from;
		if (*p == '-') {
			p++;
			if (!read_cpu(&p, &to))
				break;
		}
		if (*p != ',' && *p != '\0')
			break;
		if (add_range(list, from, to, &may, set, f) != 0)
			return -1;
		if (*p == '\0')
			return 0;
	}
	return fail_set(f, EINVAL,
			"CPU list \"%s\": expected CPU numbers and ranges, such as \"0,2-3\"",
			list);
}

int affinity_pin_thread(const cpu_set_t *set, int index)
{
	int count = CPU_COUNT(set);
	cpu_set_t one;

	if (count == 0 || index < 0) {
		errno = EINVAL;
		return -1;
	}
	index %= count;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && index-- == 0) {
			CPU_SET(cpu, &one);
			break;
		}
	return sched_setaffinity(0, sizeof one, &one);
}

int affinity_count(void)
{
	cpu_set_t may;

	if (sched_getaffinity(0, sizeof may, &may) != 0 || CPU_COUNT(&may) == 0)
		return 1;
	return CPU_COUNT(&may);
}
