/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args - splits and hands out the parts of a METER text. It must not know any meter.
 */
#include "power/args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/opt.h"
#include "lib/units.h"

int args_init(struct args *a, const char *text, struct fail *f)
{
	char *rest;

	*a = (struct args){ .fail = f };
	if (strlen(text) >= sizeof a->text)
		return fail_set(f, EINVAL, "longer than %d characters", ARGS_BYTES - 1);
	memcpy(a->text, text, strlen(text) + 1);
	rest = a->text[0] ? a->text : NULL;
	while (rest != NULL) {
		char *item = strsep(&rest, ","), *equals = strchr(item, '=');

		if (a->count == ARGS_MAX)
			return fail_set(f, EINVAL, "more than %d parts", ARGS_MAX);
		if (item[0] == '\0' || equals == item)
			return fail_set(f, EINVAL, "an empty part in \"%s\": expected key=value",
					text);
		if (equals != NULL)
			*equals = '\0';
		a->key[a->count] = item;
		a->value[a->count++] = equals ? equals + 1 : NULL;
	}
	return 0;
}

const char *args_first(struct args *a)
{
	if (a->count == 0 || a->value[0] != NULL)
		return NULL;
	a->taken[0] = true;
	return a->key[0];
}

static int find(struct args *a, const char *key)
{
	int found = -1;

	if (a->known_count < ARGS_MAX)
		a->known[a->known_count++] = key;
	for (int i = 0; i < a->count; i++) {
		if (a->taken[i] || strcmp(a->key[i], key) != 0)
			continue;
		if (found >= 0)
			fail_set(a->fail, EINVAL, "%s is given twice", key);
		a->taken[i] = true;
		found = i;
	}
	return found;
}

static const char *find_value(struct args *a, const char *key)
{
	int i = find(a, key);

	if (i >= 0 && a->value[i] == NULL)
		fail_set(a->fail, EINVAL, "%s needs a value: %s=...", key, key);
	return i < 0 ? NULL : a->value[i];
}

bool args_quantity(struct args *a, const char *key, const char *unit, double *value)
{
	const char *text = find_value(a, key);
	struct fail why = { 0 };

	if (text == NULL)
		return false;
	if (units_quantity(text, unit, value, &why) == 0)
		return true;
	fail_set(a->fail, EINVAL, "%s: %s", key, why.text);
	return false;
}

bool args_real(struct args *a, const char *key, double *value)
{
	const char *text = find_value(a, key);
	struct fail why = { 0 };

	if (text == NULL)
		return false;
	if (units_real(text, value, &why) == 0)
		return true;
	fail_set(a->fail, EINVAL, "%s: %s", key, why.text);
	return false;
}

bool args_integer(struct args *a, const char *key, int64_t min, int64_t max, int64_t *value)
{
	const char *text = find_value(a, key);
	struct fail why = { 0 };

	if (text == NULL)
		return false;
	if (units_integer(text, min, max, value, &why) == 0)
		return true;
	fail_set(a->fail, EINVAL, "%s: %s", key, why.text);
	return false;
}

bool args_duration(struct args *a, const char *key, int64_t *ns)
{
	const char *text = find_value(a, key);
	struct fail why = { 0 };

	if (text == NULL)
		return false;
	if (units_duration(text, ns, &why) == 0)
		return true;
	fail_set(a->fail, EINVAL, "%s: %s", key, why.text);
	return false;
}

static void list(struct buf *b, const char *const *words)
{
	for (int i = 0; words[i] != NULL; i++)
		buf_printf(b, "%s%s", i ? ", " : "", words[i]);
}

bool args_choice(struct args *a, const char *key, const char *const *choices, int *value)
{
	const char *text = find_value(a, key);
	struct buf all;

	if (text == NULL)
		return false;
	for (int i = 0; choices[i] != NULL; i++)
		if (strcmp(choices[i], text) == 0) {
			*value = i;
			return true;
		}
	buf_init(&all, 0);
	list(&all, choices);
	fail_set(a->fail, EINVAL, "%s=%s: expected one of %s", key, text, buf_text(&all));
	buf_release(&all);
	return false;
}

bool args_flag(struct args *a, const char *key)
{
	int i = find(a, key);

	if (i >= 0 && a->value[i] != NULL)
		fail_set(a->fail, EINVAL, "%s takes no value", key);
	return i >= 0;
}

const char *args_text(struct args *a, const char *key)
{
	return find_value(a, key);
}

int args_finish(struct args *a)
{
	for (int i = 0; i < a->count && a->fail->code == 0; i++) {
		const char *nearest;
		struct buf all;

		if (a->taken[i])
			continue;
		nearest = opt_nearest(a->key[i], a->known);
		buf_init(&all, 0);
		list(&all, a->known);
		fail_set(a->fail, EINVAL, "unknown key \"%s\"%s%s%s; there are: %s", a->key[i],
			 nearest ? ", did you mean \"" : "", nearest ? nearest : "",
			 nearest ? "\"?" : "", buf_text(&all));
		buf_release(&all);
	}
	return a->fail->code ? -1 : 0;
}
