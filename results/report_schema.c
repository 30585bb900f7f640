/* SPDX-License-Identifier: Apache-2.0 */
/* report_schema - the JSON report's schema, made from the field tables. */
#include "results/report_schema.h"

#include <string.h>

#include "results/report_tree.h"
#include "results/summary.h"

static json_t *type_of(const struct field *f)
{
	switch (f->kind) {
	case FIELD_INT:
		return json_pack("{s:[s, s]}", "type", "integer", "null");
	case FIELD_REAL:
		return json_pack("{s:[s, s]}", "type", "number", "null");
	case FIELD_TEXT:
		if (f->flags & FIELD_MAY_BE_UNKNOWN)
			return json_pack("{s:[s, s]}", "type", "string", "null");
		return json_pack("{s:s}", "type", "string");
	case FIELD_BOOL:
		return json_pack("{s:s}", "type", "boolean");
	case FIELD_INTERVAL:
		return json_pack("{s:s}", "$ref", "#/$defs/interval");
	case FIELD_JSON:
		break;
	}
	return json_object();
}

/* The object at a part of a path, made where it is missing. */
static json_t *child_of(json_t *object, const char *name, size_t len)
{
	char key[FIELD_NAME_BYTES];
	json_t *child;

	memcpy(key, name, len);
	key[len] = '\0';
	child = json_object_get(json_object_get(object, "properties"), key);
	if (!child) {
		child = json_pack("{s:s, s:{}, s:[]}", "type", "object", "properties", "required");
		json_object_set_new(json_object_get(object, "properties"), key, child);
		json_array_append_new(json_object_get(object, "required"), json_string(key));
	}
	return child;
}

static void put_field(const char *name, const struct field *f, const void *base, void *data)
{
	json_t *object = data, *field = type_of(f);
	const char *dot;

	(void)base;
	for (; (dot = strchr(name, '.')); name = dot + 1)
		object = child_of(object, name, (size_t)(dot - name));
	json_object_set_new(field, "description", json_string(f->help));
	if (*f->unit)
		json_object_set_new(field, "x-unit", json_string(f->unit));
	json_object_set_new(json_object_get(object, "properties"), name, field);
	json_array_append_new(json_object_get(object, "required"), json_string(name));
}

static json_t *object_of(const struct field_part *parts)
{
	json_t *object = json_pack("{s:s, s:{}, s:[]}", "type", "object", "properties", "required");

	field_each(parts, NULL, put_field, object);
	return object;
}

static json_t *list_of(json_t *item)
{
	return json_pack("{s:s, s:o}", "type", "array", "items", item);
}

static json_t *interval(void)
{
	return json_pack("{s:s, s:{s:{s:[s, s]}, s:{s:s, s:i, s:i, s:{s:[s, s]}}, s:{s:s}}, "
			 "s:[s, s, s]}",
			 "type", "object", "properties", "mean", "type", "number", "null", "ci95",
			 "type", "array", "minItems", 2, "maxItems", 2, "items", "type", "number",
			 "null", "n", "type", "integer", "required", "mean", "ci95", "n");
}

static json_t *campaign(void)
{
	static const struct field_part parts[] = { { "", campaign_fields, 0 }, { 0 } };
	json_t *object = object_of(parts), *required = json_object_get(object, "required");
	json_t *properties = json_object_get(object, "properties");

	json_object_del(properties, "options"); /* it stands at the top */
	for (size_t i = json_array_size(required); i-- > 0;)
		if (!strcmp(json_string_value(json_array_get(required, i)), "options"))
			json_array_remove(required, i);
	json_object_set_new(properties, "trials", json_pack("{s:s}", "type", "integer"));
	json_object_set_new(properties, "trials_missing", json_pack("{s:s}", "type", "integer"));
	return object;
}

static json_t *comparison(void)
{
	return json_pack("{s:s, s:{s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}}, "
			 "s:[s, s, s, s]}",
			 "type", "object", "properties", "cell", "type", "string", "reference",
			 "type", "string", "differ", "type", "string",
			 "server_requests_per_cpu_s_ratio", "$ref", "#/$defs/interval",
			 "server_requests_per_mwh_ratio", "$ref", "#/$defs/interval", "sentence",
			 "type", "string", "required", "cell", "reference", "differ", "sentence");
}

static json_t *reference(void)
{
	static const char *const texts[] = { "study",  "source", "table", "what",
					     "figure", "unit",   "mark",  "cell" };
	json_t *object =
		json_pack("{s:s, s:{s:{s:s}, s:{s:s}, s:{s:[s, s]}, s:{s:[s, s]}, "
			  "s:{s:[s, s]}}, s:[s, s, s, s, s]}",
			  "type", "object", "properties", "published", "type", "number", "ours",
			  "$ref", "#/$defs/interval", "ratio", "type", "number", "null", "against",
			  "type", "string", "null", "energy", "type", "string", "null", "required",
			  "published", "ours", "ratio", "against", "energy");

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		json_object_set_new(json_object_get(object, "properties"), texts[i],
				    json_pack("{s:s}", "type", "string"));
		json_array_append_new(json_object_get(object, "required"), json_string(texts[i]));
	}
	return object;
}

/* As testbed/wire_sample.h says it. */
static json_t *timeline(void)
{
	static const char *const keys[] = {
		"cell",   "interface",    "wanted",     "seen",  "complete",
		"joined", "handshake_us", "payload_us", "steps", "agreement",
	};
	json_t *required = json_array();

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_array_append_new(required, json_string(keys[i]));
	return json_pack("{s:s, s:{s:{s:s}, s:{s:s}, s:{s:s, s:{s:s}}, s:{s:[s, s]}}, s:o}", "type",
			 "object", "properties", "cell", "type", "string", "complete", "type",
			 "integer", "steps", "type", "array", "items", "type", "object",
			 "agreement", "type", "object", "null", "required", required);
}

/* A trial and what is said of it. */
static json_t *remark(const char *what)
{
	return json_pack("{s:s, s:{s:{s:s}, s:{s:s}, s:{s:s}}, s:[s, s, s]}", "type", "object",
			 "properties", "cell", "type", "string", "block", "type", "integer", what,
			 "type", "string", "required", "cell", "block", what);
}

static json_t *properties(void)
{
	static const struct field_part nodes[] = { { "", node_fields, 0 }, { 0 } };

	return json_pack("{s:{s:s}, s:o, s:{s:[s, s]}, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:{s:s, s:{s:{s:s}, s:{s:s}}, s:[s, s]}}",
			 "schema", "const", "cipherwatt/1", "campaign", campaign(), "options",
			 "type", "object", "null", "nodes", list_of(object_of(nodes)), "cells",
			 list_of(object_of(summary_parts)), "comparisons", list_of(comparison()),
			 "references", list_of(reference()), "timelines", list_of(timeline()),
			 "invalid_trials", list_of(remark("reason")), "notes",
			 list_of(remark("note")), "bootstrap", "type", "object", "properties",
			 "seed", "type", "integer", "resamples", "type", "integer", "required",
			 "seed", "resamples");
}

void report_schema(struct buf *out)
{
	json_t *all = json_pack(
		"{s:s, s:s, s:s, s:s, s:o, s:[s, s, s, s, s, s, s, s, s, s], s:{s:o}}", "$schema",
		"https://json-schema.org/draft/2020-12/schema", "title", "cipherwatt report",
		"description",
		"What `cipherwatt report DB --format json` writes. A null is a figure that is not "
		"known. More keys may be added beside these.",
		"type", "object", "properties", properties(), "required", "schema", "campaign",
		"options", "nodes", "cells", "comparisons", "references", "timelines",
		"invalid_trials", "notes", "$defs", "interval", interval());

	report_tree_put(out, all, false);
	buf_byte(out, '\n');
}
