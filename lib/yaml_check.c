/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_check - a map read into a struct by a const table of keys.
 *
 * Notes every error and goes on. It must not know which library parsed the file,
 * nor what the tables describe.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/fail.h"
#include "lib/opt.h"
#include "lib/units.h"
#include "lib/yaml.h"

#define NAMES_MAX 64

/* --- the tree ------------------------------------------------------------- */

const struct yaml_node *yaml_find(const struct yaml_node *map, const char *key)
{
	const struct yaml_node *n;

	if (!map || map->shape != YAML_MAP)
		return NULL;
	for (n = map->child; n; n = n->next)
		if (!strcmp(n->key->text, key))
			return n;
	return NULL;
}

const char *yaml_shape_text(const struct yaml_node *n)
{
	if (n->shape == YAML_MAP)
		return "a map of keys and values";
	if (n->shape == YAML_LIST)
		return "a list";
	return *n->text ? "a single value" : "nothing";
}

const struct yaml_node *yaml_first(const struct yaml_node *n)
{
	return n && n->shape == YAML_LIST ? n->child : n;
}

const struct yaml_node *yaml_next(const struct yaml_node *n, const struct yaml_node *item)
{
	return item == n ? NULL : item->next;
}

/* --- one value ------------------------------------------------------------ */

static void format_limit(const struct yaml_key *k, int64_t value, char *dst, size_t len)
{
	if (k->kind == YAML_DURATION)
		units_format_duration(value, dst, len);
	else if (k->kind == YAML_BYTES)
		units_format_bytes(value, dst, len);
	else
		snprintf(dst, len, "%" PRId64, value);
}

static int read_number(const struct yaml_key *k, const char *text, int64_t *value, struct fail *f)
{
	char low[48], high[48];
	int status;

	if (k->kind == YAML_DURATION)
		status = units_duration(text, value, f);
	else if (k->kind == YAML_BYTES)
		status = units_bytes(text, value, f);
	else
		status = units_integer(text, INT64_MIN, INT64_MAX, value, f);
	if (status || (!k->min && !k->max) || (*value >= k->min && *value <= k->max))
		return status;
	format_limit(k, k->min, low, sizeof(low));
	format_limit(k, k->max, high, sizeof(high));
	return fail_set(f, ERANGE, "\"%s\" is out of range; expected %s to %s", text, low, high);
}

static int find_choice(const char *const *choices, const char *text)
{
	for (int i = 0; choices[i]; i++)
		if (!strcmp(choices[i], text))
			return i;
	return -1;
}

/* What text says, as a number where it is one. */
static int read_value(const struct yaml_key *k, const char *text, int64_t *value, struct fail *f)
{
	switch (k->kind) {
	case YAML_INTEGER:
	case YAML_DURATION:
	case YAML_BYTES:
		return read_number(k, text, value, f);
	default:
		if (k->size && strlen(text) >= k->size && !k->list)
			return fail_set(f, ERANGE, "longer than %zu bytes", k->size - 1);
		return 0;
	}
}

static void store(const struct yaml_key *k, const char *text, int64_t value, void *into)
{
	char *at = (char *)into + k->offset;
	int narrow = (int)value;

	if (k->kind == YAML_TEXT || k->kind == YAML_CHOICE)
		snprintf(at, k->size, "%s", text);
	else if (k->size == sizeof(int))
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &value, sizeof(value));
}

void yaml_preset(const struct yaml_key *keys, void *into)
{
	for (const struct yaml_key *k = keys; k->name; k++) {
		struct fail f = { 0 };
		int64_t value = 0;

		if (k->kind == YAML_TABLE)
			yaml_preset(k->keys, (char *)into + k->offset);
		else if (k->preset && !read_value(k, k->preset, &value, &f))
			store(k, k->preset, value, into);
	}
}

/* --- words ---------------------------------------------------------------- */

int yaml_unknown(struct yaml *y, const struct yaml_node *at, const char *what, const char *word,
		 const char *const *names)
{
	const char *near = opt_nearest(word, names);
	char all[256] = "";
	size_t used = 0;

	if (near)
		return yaml_error(y, at, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, word,
				  near);
	for (int i = 0; names[i] && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 names[i]);
	return yaml_error(y, at, "unknown %s \"%.60s\"; expected one of: %s", what, word, all);
}

static int unknown_key(struct yaml *y, const struct yaml_node *key, const struct yaml_key *keys)
{
	const char *names[NAMES_MAX] = { 0 };

	for (int i = 0; keys[i].name && i < NAMES_MAX - 1; i++)
		names[i] = keys[i].name;
	return yaml_unknown(y, key, "key", key->text, names);
}

/* --- a map ---------------------------------------------------------------- */

static const char *expected(const struct yaml_key *k)
{
	static const char *const text[] = {
		[YAML_TEXT] = "a text",
		[YAML_INTEGER] = "a whole number",
		[YAML_DURATION] = "a duration such as 500ms or 5s",
		[YAML_BYTES] = "a size such as 512 or 16KiB",
		[YAML_CHOICE] = "a word",
		[YAML_TABLE] = "a map of keys and values",
		[YAML_NODE] = "a value",
	};

	return text[k->kind];
}

static int check_scalar(struct yaml *y, const struct yaml_key *k, struct yaml_node *n)
{
	struct fail f = { 0 };
	char what[64];

	if (n->broken)
		return -1;
	if (n->shape != YAML_SCALAR || (!*n->text && !k->empty))
		return yaml_error(y, n, "%s: expected %s, found %s", k->name, expected(k),
				  yaml_shape_text(n));
	if (k->choices && find_choice(k->choices, n->text) < 0) {
		snprintf(what, sizeof(what), "value of %s", k->name);
		return yaml_unknown(y, n, what, n->text, k->choices);
	}
	if (read_value(k, n->text, &n->value, &f))
		return yaml_error(y, n, "%s: %s", k->name, f.text);
	return 0;
}

static int check_list(struct yaml *y, const struct yaml_key *k, struct yaml_node *n)
{
	int status = 0;

	if (n->shape != YAML_LIST)
		return check_scalar(y, k, n);
	if (!n->child)
		return yaml_error(y, n, "%s: the list is empty; expected at least one value",
				  k->name);
	for (struct yaml_node *item = n->child; item; item = item->next)
		if (check_scalar(y, k, item))
			status = -1;
	return status;
}

static int check_value(struct yaml *y, const struct yaml_key *k, struct yaml_node *n, void *into)
{
	char *at = (char *)into + k->offset;
	const struct yaml_node *kept = n;

	if (n->broken)
		return -1;
	if (k->kind == YAML_TABLE)
		return yaml_check(y, n, k->keys, at);
	if (k->kind == YAML_NODE || k->list) {
		memcpy(at, &kept, sizeof(kept));
		return k->list ? check_list(y, k, n) : 0;
	}
	if (check_scalar(y, k, n))
		return -1;
	store(k, n->text, n->value, into);
	return 0;
}

static int check_entry(struct yaml *y, const struct yaml_node *map, struct yaml_node *n,
		       const struct yaml_key *keys, void *into)
{
	const struct yaml_node *first = yaml_find(map, n->key->text);

	if (n->key->broken)
		return -1;
	if (first != n)
		return yaml_error(y, n->key, "key \"%.60s\" is given twice, first on line %d",
				  n->key->text, first->key->line);
	for (const struct yaml_key *k = keys; k->name; k++)
		if (!strcmp(k->name, n->key->text))
			return check_value(y, k, n, into);
	return unknown_key(y, n->key, keys);
}

int yaml_check(struct yaml *y, const struct yaml_node *map, const struct yaml_key *keys, void *into)
{
	int status = 0;

	if (map->broken)
		return -1;
	if (map->shape != YAML_MAP)
		return yaml_error(y, map, "%s%sexpected a map of keys and values, found %s",
				  map->key ? map->key->text : "", map->key ? ": " : "",
				  yaml_shape_text(map));
	for (struct yaml_node *n = map->child; n && !yaml_gave_up(y); n = n->next)
		if (check_entry(y, map, n, keys, into))
			status = -1;
	for (const struct yaml_key *k = keys; k->name; k++)
		if (k->required && !yaml_find(map, k->name))
			status = yaml_error(y, map->key ? map->key : map, "key \"%s\" is missing",
					    k->name);
	return status;
}
