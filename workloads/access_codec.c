/* SPDX-License-Identifier: Apache-2.0 */
/* access_codec - what JSON and CBOR have in common: the fields, and what they may hold. */
#include "workloads/access_codec.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void blank_field(const struct access_field *field, char *at)
{
	const int64_t absent = FIELD_ABSENT;

	switch (field->kind) {
	case FIELD_INTEGER:
		memcpy(at, &absent, sizeof absent);
		break;
	case FIELD_BOOL:
		*(int8_t *)at = -1;
		break;
	case FIELD_LIST:
		((struct access_list *)at)->count = 0;
		break;
	case FIELD_WORD:
		memset(at, 0, sizeof(int));
		break;
	default:
		memset(at, 0, field->size);
	}
}

void access_blank(const struct access_field *fields, void *into)
{
	for (const struct access_field *x = fields; x->name; x++)
		if (x->kind == FIELD_MAP)
			access_blank(x->fields, into);
		else
			blank_field(x, (char *)into + x->offset);
}

static bool map_present(const struct access_field *fields, const void *from)
{
	for (; fields->name; fields++)
		if (access_field_present(fields, from))
			return true;
	return false;
}

bool access_field_present(const struct access_field *field, const void *from)
{
	const char *at = (const char *)from + field->offset;
	int64_t number;

	switch (field->kind) {
	case FIELD_INTEGER:
		memcpy(&number, at, sizeof number);
		return number != FIELD_ABSENT;
	case FIELD_BOOL:
		return *(const int8_t *)at >= 0;
	case FIELD_TEXT:
		return *at != '\0';
	case FIELD_LIST:
		return ((const struct access_list *)at)->count > 0;
	case FIELD_MAP:
		return field->required || map_present(field->fields, from);
	default:
		return true;
	}
}

int access_wrong(const struct access_field *field, const char *expected, struct fail *f)
{
	return fail_set(f, EINVAL, "%s: expected %s", field->name, expected);
}

int access_take_integer(const struct access_field *field, int64_t value, void *into, struct fail *f)
{
	if (value < field->min || value > field->max)
		return fail_set(f, ERANGE,
				"%s: %" PRId64 " is out of range; expected %" PRId64 " to %" PRId64,
				field->name, value, field->min, field->max);
	memcpy((char *)into + field->offset, &value, sizeof value);
	return 0;
}

static int copy_text(const struct access_field *field, const char *text, size_t len, char *dst,
		     size_t size, struct fail *f)
{
	if (len == 0 || len >= size)
		return fail_set(f, EINVAL, "%s: a text of %zu bytes; expected 1 to %zu",
				field->name, len, size - 1);
	for (size_t i = 0; i < len; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return access_wrong(field, "printable ASCII", f);
	memcpy(dst, text, len);
	dst[len] = '\0';
	return 0;
}

static int take_word(const struct access_field *field, const char *text, size_t len, void *into,
		     struct fail *f)
{
	for (int i = 0; field->words[i]; i++)
		if (strlen(field->words[i]) == len && memcmp(field->words[i], text, len) == 0) {
			memcpy((char *)into + field->offset, &i, sizeof i);
			return 0;
		}
	return access_wrong(field, "another word", f);
}

int access_take_text(const struct access_field *field, const char *text, size_t len, void *into,
		     struct fail *f)
{
	if (field->kind == FIELD_WORD)
		return take_word(field, text, len, into, f);
	return copy_text(field, text, len, (char *)into + field->offset, field->size, f);
}

int access_take_item(const struct access_field *field, const char *text, size_t len,
		     struct access_list *list, struct fail *f)
{
	if (list->count == ACCESS_LIST_MAX)
		return access_wrong(field, "at most 8 texts", f);
	if (copy_text(field, text, len, list->text[list->count], ACCESS_WORD_BYTES, f) != 0)
		return -1;
	list->count++;
	return 0;
}

int access_check_seen(const struct access_field *fields, uint32_t seen, struct fail *f)
{
	for (int i = 0; fields[i].name; i++)
		if (fields[i].required && !(seen >> i & 1))
			return fail_set(f, EINVAL, "%s is missing", fields[i].name);
	return 0;
}

void access_encode(enum access_encoding e, const struct access_field *fields, const void *from,
		   struct buf *out)
{
	if (e == ACCESS_CBOR)
		access_encode_cbor(fields, from, out);
	else
		access_encode_json(fields, from, out);
}

int access_decode(enum access_encoding e, const struct access_field *fields, const void *src,
		  size_t len, void *into, struct fail *f)
{
	access_blank(fields, into);
	return e == ACCESS_CBOR ? access_decode_cbor(fields, src, len, into, f)
				: access_decode_json(fields, src, len, into, f);
}
