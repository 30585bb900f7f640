/* SPDX-License-Identifier: Apache-2.0 */
/* access_json - messages of the access workload as JSON. It must not know what they say. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include "lib/hex.h"
#include "workloads/access_codec.h"

/* --- writing -------------------------------------------------------------------- */

static void put_text(struct buf *out, const char *text)
{
	buf_byte(out, '"');
	for (const char *at = text; *at;) {
		size_t plain = strcspn(at, "\"\\");

		buf_put(out, at, plain);
		at += plain;
		if (*at) {
			buf_byte(out, '\\');
			buf_byte(out, (uint8_t)*at++);
		}
	}
	buf_byte(out, '"');
}

static void put_hex(struct buf *out, const uint8_t *src, size_t len)
{
	char *dst;

	buf_byte(out, '"');
	dst = buf_reserve(out, 2 * len + 1);
	if (dst)
		hex_encode(src, len, dst);
	out->len += dst ? 2 * len : 0;
	buf_byte(out, '"');
}

static void put_integer(struct buf *out, const void *at)
{
	int64_t number;

	memcpy(&number, at, sizeof number);
	buf_printf(out, "%" PRId64, number);
}

static void put_list(struct buf *out, const struct access_list *list)
{
	for (int i = 0; i < list->count; i++) {
		buf_byte(out, i ? ',' : '[');
		put_text(out, list->text[i]);
	}
	buf_byte(out, ']');
}

static void put_value(const struct access_field *field, const void *from, struct buf *out)
{
	const char *at = (const char *)from + field->offset;
	int word;

	switch (field->kind) {
	case FIELD_INTEGER:
		put_integer(out, at);
		break;
	case FIELD_BOOL:
		buf_puts(out, *(const int8_t *)at ? "true" : "false");
		break;
	case FIELD_TEXT:
		put_text(out, at);
		break;
	case FIELD_BYTES:
		put_hex(out, (const uint8_t *)at, field->size);
		break;
	case FIELD_WORD:
		memcpy(&word, at, sizeof word);
		put_text(out, field->words[word]);
		break;
	case FIELD_LIST:
		put_list(out, (const struct access_list *)at);
		break;
	case FIELD_MAP:
		access_encode_json(field->fields, from, out);
		break;
	}
}

void access_encode_json(const struct access_field *fields, const void *from, struct buf *out)
{
	char before = '{';

	for (; fields->name; fields++) {
		if (!access_field_present(fields, from))
			continue;
		buf_byte(out, (uint8_t)before);
		put_text(out, fields->name);
		buf_byte(out, ':');
		put_value(fields, from, out);
		before = ',';
	}
	buf_byte(out, '}');
}

/* --- reading -------------------------------------------------------------------- */

static int read_map(const struct access_field *fields, json_t *map, void *into, struct fail *f);

static int read_hex(const struct access_field *field, json_t *value, void *into, struct fail *f)
{
	const char *text = json_string_value(value);

	if (!text || json_string_length(value) != 2 * field->size)
		return fail_set(f, EINVAL, "%s: expected %zu hexadecimal digits", field->name,
				2 * field->size);
	if (hex_decode(text, field->size, (uint8_t *)into + field->offset))
		return access_wrong(field, "digits 0-9 and a-f", f);
	return 0;
}

static int read_list(const struct access_field *field, json_t *value, void *into, struct fail *f)
{
	struct access_list *list = (struct access_list *)((char *)into + field->offset);
	size_t i;
	json_t *item;

	if (!json_is_array(value) || json_array_size(value) == 0)
		return access_wrong(field, "an array of texts", f);
	json_array_foreach(value, i, item)
	{
		if (!json_is_string(item))
			return access_wrong(field, "an array of texts", f);
		if (access_take_item(field, json_string_value(item), json_string_length(item), list,
				     f) != 0)
			return -1;
	}
	return 0;
}

static int read_value(const struct access_field *field, json_t *value, void *into, struct fail *f)
{
	switch (field->kind) {
	case FIELD_INTEGER:
		if (!json_is_integer(value))
			return access_wrong(field, "a whole number", f);
		return access_take_integer(field, json_integer_value(value), into, f);
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			return access_wrong(field, "true or false", f);
		*((int8_t *)into + field->offset) = json_is_true(value);
		return 0;
	case FIELD_TEXT:
	case FIELD_WORD:
		if (!json_is_string(value))
			return access_wrong(field, "a text", f);
		return access_take_text(field, json_string_value(value), json_string_length(value),
					into, f);
	case FIELD_BYTES:
		return read_hex(field, value, into, f);
	case FIELD_LIST:
		return read_list(field, value, into, f);
	case FIELD_MAP:
		if (!json_is_object(value))
			return access_wrong(field, "an object", f);
		return read_map(field->fields, value, into, f);
	}
	return -1;
}

static int find(const struct access_field *fields, const char *name)
{
	for (int i = 0; fields[i].name; i++)
		if (strcmp(fields[i].name, name) == 0)
			return i;
	return -1;
}

static int read_map(const struct access_field *fields, json_t *map, void *into, struct fail *f)
{
	uint32_t seen = 0;
	const char *name;
	json_t *value;

	json_object_foreach(map, name, value)
	{
		int i = find(fields, name);

		if (i < 0)
			return fail_set(f, EINVAL, "there is no field \"%.40s\"", name);
		if (read_value(&fields[i], value, into, f) != 0)
			return -1;
		seen |= UINT32_C(1) << i;
	}
	return access_check_seen(fields, seen, f);
}

int access_decode_json(const struct access_field *fields, const void *src, size_t len, void *into,
		       struct fail *f)
{
	json_error_t error;
	json_t *root = json_loadb(src, len, JSON_REJECT_DUPLICATES, &error);
	int status;

	if (!root)
		return fail_set(f, EINVAL, "byte %d: %s", error.position, error.text);
	status = json_is_object(root) ? read_map(fields, root, into, f)
				      : fail_set(f, EINVAL, "expected an object");
	json_decref(root);
	return status;
}
