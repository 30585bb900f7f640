/* SPDX-License-Identifier: Apache-2.0 */
/* report_tree - records as JSON trees by the field tables. */
#include "results/report_tree.h"

#include <math.h>
#include <string.h>

json_t *report_tree_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *report_tree_text(const char *value)
{
	json_t *made = json_string(value);
	char ascii[1024];
	size_t len = 0;

	if (made)
		return made;
	for (; *value && len < sizeof(ascii); value++)
		ascii[len++] = (unsigned char)*value < 0x80 ? *value : '?';
	return json_stringn(ascii, len);
}

static json_t *document(const char *value)
{
	json_t *made = *value ? json_loads(value, JSON_DECODE_ANY, NULL) : json_null();

	return made ? made : report_tree_text(value);
}

json_t *report_tree_interval(const struct interval *i)
{
	return json_pack("{s:o, s:[o, o], s:I}", "mean", report_tree_number(i->mean), "ci95",
			 report_tree_number(i->lo), report_tree_number(i->hi), "n",
			 (json_int_t)i->n);
}

static json_t *value_of(const struct field *f, const void *base)
{
	const void *at = (const char *)base + f->offset;

	switch (f->kind) {
	case FIELD_INT:
		return field_known(f, base) ? json_integer(*(const int64_t *)at) : json_null();
	case FIELD_REAL:
		return report_tree_number(*(const double *)at);
	case FIELD_TEXT:
		if (!*field_text(f, base) && (f->flags & FIELD_MAY_BE_UNKNOWN))
			return json_null();
		return report_tree_text(field_text(f, base));
	case FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case FIELD_INTERVAL:
		return report_tree_interval(at);
	case FIELD_JSON:
		return document(field_text(f, base));
	}
	return json_null();
}

static void put_field(const char *name, const struct field *f, const void *base, void *data)
{
	json_t *object = data;
	const char *dot;
	char key[FIELD_NAME_BYTES];

	for (; (dot = strchr(name, '.')); name = dot + 1) {
		size_t len = (size_t)(dot - name);

		memcpy(key, name, len);
		key[len] = '\0';
		if (!json_object_get(object, key))
			json_object_set_new(object, key, json_object());
		object = json_object_get(object, key);
	}
	json_object_set_new(object, name, value_of(f, base));
}

json_t *report_tree(const struct field_part *parts, const void *record)
{
	json_t *object = json_object();

	field_each(parts, record, put_field, object);
	return object;
}

static int put_bytes(const char *bytes, size_t len, void *data)
{
	buf_put(data, bytes, len);
	return 0;
}

void report_tree_put(struct buf *out, json_t *tree, bool compact)
{
	if (!tree || json_dump_callback(tree, put_bytes, out,
					(compact ? JSON_COMPACT : JSON_INDENT(1)) |
						JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)))
		out->failed = true;
	json_decref(tree);
}
