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

void report_settings(const struct cell *c, const json_t *but, char *dst, size_t len)
{
	json_error_t bad;
	json_t *all = json_loads(c->settings, 0, &bad), *value;
	const char *name;

	*dst = '\0';
	json_object_foreach(all, name, value)
	{
		if (!json_equal(value, json_object_get(but, name)))
			put(name, value, dst, len);
	}
	json_decref(all);
}

/* What is not in the other with the same value leaves all. */
static void keep_equal(json_t *all, const json_t *other)
{
	const char *name;
	json_t *value;
	void *next;

	json_object_foreach_safe(all, next, name, value)
	{
		if (!json_equal(value, json_object_get(other, name)))
			json_object_del(all, name);
	}
}

json_t *report_same_settings(const struct report *r)
{
	json_error_t bad;
	json_t *all = r->cells ? json_loads(r->cell[0].cell.settings, 0, &bad) : NULL, *one;

	for (size_t i = 1; i < r->cells && json_object_size(all); i++) {
		one = json_loads(r->cell[i].cell.settings, 0, &bad);
		keep_equal(all, one);
		json_decref(one);
	}
	return all;
}

void report_settings_in_common(const struct report *r, char *dst, size_t len)
{
	const char *name;
	json_t *value;
	bool differ = false;

	*dst = '\0';
	for (int i = 0; r->varying[i]; i++)
		differ |= !strcmp(r->varying[i]->name, "settings");
	if (!differ)
		return;
	json_object_foreach(r->same_settings, name, value)
	{
		put(name, value, dst, len);
	}
}
