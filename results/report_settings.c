/* SPDX-License-Identifier: Apache-2.0 */
/* report_settings - a cell's settings as people read them: "http 2, streams 8". */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "results/report.h"

static void put(const char *name, const json_t *value, char *dst, size_t len)
{
	size_t used = strlen(dst);
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
	const char *said = json_is_string(value) ? json_string_value(value) : text;

	if (said)
		snprintf(dst + used, len - used, "%s%s %s", used ? ", " : "", name, said);
	free(text);
}

void report_settings(const struct cell *c, char *dst, size_t len)
{
	json_error_t bad;
	json_t *all = json_loads(c->settings, 0, &bad), *value;
	const char *name;

	*dst = '\0';
	json_object_foreach(all, name, value)
	{
		put(name, value, dst, len);
	}
	json_decref(all);
}
