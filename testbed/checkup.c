/* SPDX-License-Identifier: Apache-2.0 */
/* checkup - the list of rows, and what they have in common. */
#include "testbed/checkup.h"

#include <stdarg.h>
#include <stdio.h>

#include "power/sysfs.h"

const char *const checkup_verdict_name[] = { "spoils", "note", "unknown", "good", NULL };

const struct checkup *const checkups[] = { checkup_cpu, checkup_load, checkup_system, checkup_power,
					   NULL };

void checkup_say(struct checkup_finding *found, enum checkup_verdict verdict, const char *fmt, ...)
{
	va_list ap;

	found->verdict = verdict;
	va_start(ap, fmt);
	vsnprintf(found->found, sizeof(found->found), fmt, ap);
	va_end(ap);
}

void checkup_cure(struct checkup_finding *found, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(found->cure, sizeof(found->cure), fmt, ap);
	va_end(ap);
}

bool checkup_text(const struct checkup_view *v, const char *path, char *dst, size_t len)
{
	return !sysfs_text(v->root, path + 1, dst, len) && dst[0];
}

bool checkup_integer(const struct checkup_view *v, const char *path, int64_t *value)
{
	return !sysfs_integer(v->root, path + 1, value);
}
