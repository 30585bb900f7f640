/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_line - text and JSON lines to figures. It must not know processes or clocks.
 */
#include "power/exec_line.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int refuse(struct fail *f, const char *text)
{
	return fail_set(f, EINVAL,
			"\"%.60s\" is no reading: expected a number and a unit, such as \"1234.5 "
			"mW\", \"12.5 s, 1234.5 mW\", \"5 V 200 mA\" or {\"power_mw\": 1234.5}",
			text);
}

static int keep(struct exec_line *line, const struct decimal *d, const struct unit *u,
		const char *text, struct fail *f)
{
	if (u == NULL || line->known[u->role] ||
	    !decimal_scale(d, u->multiplier, u->power10, &line->value[u->role]))
		return refuse(f, text);
	line->known[u->role] = true;
	return 0;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/* The unit behind a number, with or without a blank between. */
static const struct unit *take_unit(const char **at)
{
	const char *begin = *at, *end;
	const struct unit *u;

	while (*begin == ' ')
		begin++;
	end = begin;
	while (*end != '\0' && !blank(*end))
		end++;
	u = unit_find(begin, (size_t)(end - begin));
	if (u != NULL)
		*at = end;
	return u;
}

static int read_words(const char *text, const struct unit *time, const struct unit *unit,
		      struct exec_line *line, struct fail *f)
{
	const char *at = text;

	for (int n = 0; *at != '\0'; n++) {
		struct decimal d;
		const struct unit *u;
		size_t used = decimal_read(at, strlen(at), '.', &d);

		if (used == 0)
			return refuse(f, text);
		at += used;
		u = take_unit(&at);
		if (u == NULL)
			u = n == 0 && time != NULL ? time : unit;
		if (*at != '\0' && !blank(*at))
			return refuse(f, text);
		if (keep(line, &d, u, text, f) != 0)
			return -1;
		while (blank(*at))
			at++;
	}
	return 1;
}

/* "power_mw", "time_s", "current_ua": the unit is behind the last underscore. */
static const struct unit *unit_of_key(const char *key)
{
	const char *last = strrchr(key, '_');

	return last != NULL ? unit_find(last + 1, strlen(last + 1)) : NULL;
}

static int read_json(const char *text, struct exec_line *line, struct fail *f)
{
	json_t *o = json_loads(text, 0, NULL), *value;
	const char *key;
	int found = 0, bad = 0;

	if (!json_is_object(o)) {
		json_decref(o);
		return refuse(f, text);
	}
	json_object_foreach(o, key, value)
	{
		const struct unit *u = unit_of_key(key);
		char digits[64];
		struct decimal d;

		if (u == NULL || !json_is_number(value))
			continue;
		snprintf(digits, sizeof digits, "%.17g", json_number_value(value));
		if (decimal_read(digits, strlen(digits), '.', &d) == 0)
			continue;
		bad |= keep(line, &d, u, text, f);
		found += u->role != ROLE_TIME;
	}
	json_decref(o);
	if (bad != 0)
		return -1;
	return found ? 1 : refuse(f, text);
}

int exec_line_read(const char *text, const struct unit *time, const struct unit *unit,
		   struct exec_line *line, struct fail *f)
{
	*line = (struct exec_line){ 0 };
	while (blank(*text))
		text++;
	if (*text == '\0' || *text == '#')
		return 0;
	if (*text == '{')
		return read_json(text, line, f);
	return read_words(text, time, unit, line, f);
}
