/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_schema - does a JSON value fit a schema? For tests. */
#include "results/fixture_schema.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct checking {
	const json_t *root;
	struct fail *fail;
};

static int check(const struct checking *c, const json_t *schema, const json_t *value,
		 const char *where);

static bool is_type(const char *type, const json_t *value)
{
	return (!strcmp(type, "object") && json_is_object(value)) ||
	       (!strcmp(type, "array") && json_is_array(value)) ||
	       (!strcmp(type, "string") && json_is_string(value)) ||
	       (!strcmp(type, "integer") && json_is_integer(value)) ||
	       (!strcmp(type, "number") && json_is_number(value)) ||
	       (!strcmp(type, "boolean") && json_is_boolean(value)) ||
	       (!strcmp(type, "null") && json_is_null(value));
}

static bool fits_type(const json_t *type, const json_t *value)
{
	size_t i;
	json_t *one;

	if (json_is_string(type))
		return is_type(json_string_value(type), value);
	json_array_foreach((json_t *)type, i, one)
	{
		if (is_type(json_string_value(one), value))
			return true;
	}
	return false;
}

static int check_members(const struct checking *c, const json_t *schema, const json_t *value,
			 const char *where)
{
	const json_t *properties = json_object_get(schema, "properties");
	const json_t *required = json_object_get(schema, "required");
	const char *key;
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)required, i, one)
	{
		if (!json_object_get(value, json_string_value(one)))
			return fail_set(c->fail, EINVAL, "%s lacks %s", where,
					json_string_value(one));
	}
	json_object_foreach((json_t *)value, key, one)
	{
		const json_t *of = json_object_get(properties, key);

		if (properties && !of)
			return fail_set(c->fail, EINVAL, "%s: %s is not in the schema", where, key);
		if (of && check(c, of, one, key) < 0)
			return -1;
	}
	return 0;
}

static int check_items(const struct checking *c, const json_t *schema, const json_t *value,
		       const char *where)
{
	const json_t *items = json_object_get(schema, "items");
	const json_t *least = json_object_get(schema, "minItems");
	const json_t *most = json_object_get(schema, "maxItems");
	json_int_t size = (json_int_t)json_array_size(value);
	json_t *one;
	size_t i;

	if ((least && size < json_integer_value(least)) ||
	    (most && size > json_integer_value(most)))
		return fail_set(c->fail, EINVAL, "%s has %lld items", where, (long long)size);
	json_array_foreach((json_t *)value, i, one)
	{
		if (items && check(c, items, one, where) < 0)
			return -1;
	}
	return 0;
}

static int check_keywords(const struct checking *c, const json_t *schema, const char *where)
{
	static const char *const known[] = { "type",  "const",    "properties",  "required",
					     "items", "minItems", "maxItems",    "$ref",
					     "$defs", "$schema",  "description", "title" };
	const char *key;
	json_t *one;

	json_object_foreach((json_t *)schema, key, one)
	{
		bool found = !strncmp(key, "x-", 2);

		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			found |= !strcmp(key, known[i]);
		if (!found)
			return fail_set(c->fail, EINVAL, "%s: keyword %s is not checked", where,
					key);
	}
	return 0;
}

static int check(const struct checking *c, const json_t *schema, const json_t *value,
		 const char *where)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));
	const json_t *type, *constant;

	if (ref)
		schema = json_object_get(json_object_get(c->root, "$defs"),
					 ref + strlen("#/$defs/"));
	if (!json_is_object(schema))
		return fail_set(c->fail, EINVAL, "%s: no schema", where);
	if (check_keywords(c, schema, where) < 0)
		return -1;
	type = json_object_get(schema, "type");
	constant = json_object_get(schema, "const");
	if (type && !fits_type(type, value))
		return fail_set(c->fail, EINVAL, "%s is of another type", where);
	if (constant && !json_equal(constant, value))
		return fail_set(c->fail, EINVAL, "%s is another value", where);
	if (json_is_object(value))
		return check_members(c, schema, value, where);
	return json_is_array(value) ? check_items(c, schema, value, where) : 0;
}

int fixture_schema_check(const json_t *schema, const json_t *value, struct fail *f)
{
	struct checking c = { schema, f };

	return check(&c, schema, value, "the report");
}
