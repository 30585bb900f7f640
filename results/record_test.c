/* SPDX-License-Identifier: Apache-2.0 */
/* record_test - every field table is sound: places, names, units and help. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "results/record.h"

static size_t kind_size(const struct field *f)
{
	switch (f->kind) {
	case FIELD_INT:
		return sizeof(int64_t);
	case FIELD_REAL:
		return sizeof(double);
	case FIELD_BOOL:
		return sizeof(bool);
	case FIELD_INTERVAL:
		return sizeof(struct interval);
	case FIELD_TEXT:
	case FIELD_JSON:
		return f->size ? f->size : sizeof(char *);
	}
	return 0;
}

static void check_unit(const struct field *f)
{
	size_t name = strlen(f->name), unit = strlen(f->unit);

	if (unit == 0)
		return;
	assert_true(name > unit);
	assert_int_equal(f->name[name - unit - 1], '_');
	for (size_t i = 0; i < unit; i++)
		assert_int_equal(f->name[name - unit + i], tolower((unsigned char)f->unit[i]));
}

/* A name that ends like a unit has that unit. */
static void check_ending(const struct field *f)
{
	static const char *const units[] = { "ns", "nJ", "nW", "pct", "KiB", "bytes", "bits" };
	const char *ending = strrchr(f->name, '_');

	for (size_t i = 0; ending && i < sizeof(units) / sizeof(*units); i++)
		if (strcasecmp(ending + 1, units[i]) == 0)
			assert_string_equal(f->unit, units[i]);
}

static void check_table(const struct field *table, size_t struct_size)
{
	size_t end = 0;

	for (const struct field *f = table; f->name; f++) {
		size_t size = kind_size(f);

		assert_true(*f->name && *f->help && f->unit);
		assert_int_equal(strspn(f->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(f->name));
		assert_int_not_equal(f->help[strlen(f->help) - 1], '.');
		assert_true(f->offset + size <= struct_size);
		assert_true(f->offset >= end); /* in the struct's order, so none is there twice */
		end = f->offset + size;
		check_unit(f);
		check_ending(f);
		for (const struct field *g = table; g < f; g++)
			assert_string_not_equal(f->name, g->name);
	}
	assert_true(end > 0);
}

static void tables_are_sound(void **state)
{
	(void)state;
	check_table(cell_fields, sizeof(struct cell));
	check_table(trial_fields, sizeof(struct trial));
	check_table(side_fields, sizeof(struct side));
	check_table(node_fields, sizeof(struct node));
	check_table(campaign_fields, sizeof(struct campaign));
}

static size_t covered(const struct field *table)
{
	size_t bytes = 0;

	for (const struct field *f = table; f->name; f++)
		bytes += kind_size(f);
	return bytes;
}

/* Less than a word of padding is left: no member was forgotten. */
static void tables_are_complete(void **state)
{
	size_t inner = 2 * sizeof(struct side) + 3 * sizeof(struct hist);

	(void)state;
	assert_in_range(sizeof(struct cell) - covered(cell_fields), 0, 7);
	assert_in_range(sizeof(struct trial) - inner - covered(trial_fields), 0, 7);
	assert_in_range(sizeof(struct side) - covered(side_fields), 0, 7);
	assert_in_range(sizeof(struct node) - covered(node_fields), 0, 7);
	assert_in_range(sizeof(struct campaign) - covered(campaign_fields), 0, 7);
}

static void count_name(const char *name, const struct field *f, const void *base, void *data)
{
	static char seen[256][FIELD_NAME_BYTES];
	int *count = data;

	(void)f;
	(void)base;
	for (int i = 0; i < *count; i++)
		assert_string_not_equal(seen[i], name);
	assert_true(*count < 256);
	snprintf(seen[(*count)++], FIELD_NAME_BYTES, "%s", name);
}

static void prefixed_names_are_unique(void **state)
{
	const struct field_part parts[] = {
		{ "", trial_fields, 0 },
		{ "server_", side_fields, offsetof(struct trial, server) },
		{ "client_", side_fields, offsetof(struct trial, client) },
		{ 0 },
	};
	int count = 0;

	(void)state;
	field_each(parts, NULL, count_name, &count);
	assert_true(count > 50);
}

static void values_are_read(void **state)
{
	struct {
		int64_t whole, unknown;
		double real, nothing;
		char text[8];
		char *pointer;
		char json[8];
	} r = { 7, FIELD_UNKNOWN_INT, 1.5, INFINITY, "abc", NULL, "" };
	const struct field fields[] = {
		{ "a", "", "", FIELD_INT, (size_t)((char *)&r.whole - (char *)&r), 0, 0 },
		{ "b", "", "", FIELD_INT, (size_t)((char *)&r.unknown - (char *)&r), 0, 0 },
		{ "c", "", "", FIELD_REAL, (size_t)((char *)&r.real - (char *)&r), 0, 0 },
		{ "d", "", "", FIELD_REAL, (size_t)((char *)&r.nothing - (char *)&r), 0, 0 },
		{ "e", "", "", FIELD_TEXT, (size_t)((char *)&r.text - (char *)&r), 8, 0 },
		{ "f", "", "", FIELD_TEXT, (size_t)((char *)&r.pointer - (char *)&r), 0, 0 },
		{ "g", "", "", FIELD_JSON, (size_t)((char *)&r.json - (char *)&r), 8, 0 },
	};

	(void)state;
	assert_true(field_number(&fields[0], &r) == 7);
	assert_true(field_known(&fields[0], &r));
	assert_true(isnan(field_number(&fields[1], &r)));
	assert_false(field_known(&fields[1], &r));
	assert_true(field_number(&fields[2], &r) == 1.5);
	assert_false(field_known(&fields[3], &r));
	assert_string_equal(field_text(&fields[4], &r), "abc");
	assert_string_equal(field_text(&fields[5], &r), "");
	assert_false(field_known(&fields[6], &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_sound),
		cmocka_unit_test(tables_are_complete),
		cmocka_unit_test(prefixed_names_are_unique),
		cmocka_unit_test(values_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
