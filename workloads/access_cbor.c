/* SPDX-License-Identifier: Apache-2.0 */
/* access_cbor - messages of the access workload as CBOR. It must not know what they say. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "workloads/access_codec.h"
#include "workloads/cbor_item.h"

/* --- writing -------------------------------------------------------------------- */

static void put_integer(struct buf *out, const void *at)
{
	int64_t number;

	memcpy(&number, at, sizeof number);
	cbor_put_integer(out, number);
}

static void put_list(struct buf *out, const struct access_list *list)
{
	cbor_put_list(out, (size_t)list->count);
	for (int i = 0; i < list->count; i++)
		cbor_put_text(out, list->text[i]);
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
		cbor_put_bool(out, *(const int8_t *)at > 0);
		break;
	case FIELD_TEXT:
		cbor_put_text(out, at);
		break;
	case FIELD_BYTES:
		cbor_put_bytes(out, at, field->size);
		break;
	case FIELD_WORD:
		memcpy(&word, at, sizeof word);
		cbor_put_integer(out, word);
		break;
	case FIELD_LIST:
		put_list(out, (const struct access_list *)at);
		break;
	case FIELD_MAP:
		access_encode_cbor(field->fields, from, out);
		break;
	}
}

void access_encode_cbor(const struct access_field *fields, const void *from, struct buf *out)
{
	size_t pairs = 0;

	for (const struct access_field *x = fields; x->name; x++)
		pairs += access_field_present(x, from);
	cbor_put_map(out, pairs);
	for (const struct access_field *x = fields; x->name; x++) {
		if (!access_field_present(x, from))
			continue;
		cbor_put_integer(out, x->key);
		put_value(x, from, out);
	}
}

/* --- reading -------------------------------------------------------------------- */

static int read_map(const struct access_field *fields, struct cbor_reader *r, uint64_t pairs,
		    void *into, struct fail *f);

static int cut(struct fail *f)
{
	return fail_set(f, EINVAL, "the CBOR ends within the message, or is none");
}

static int read_word(const struct access_field *field, int64_t value, void *into, struct fail *f)
{
	int words = 0, word = (int)value;

	while (field->words[words])
		words++;
	if (value < 0 || value >= words)
		return access_wrong(field, "the number of a word", f);
	memcpy((char *)into + field->offset, &word, sizeof word);
	return 0;
}

static int read_bytes(const struct access_field *field, const struct cbor_item *i, void *into,
		      struct fail *f)
{
	if (i->kind != CBOR_BYTES || i->count != field->size)
		return fail_set(f, EINVAL, "%s: expected a string of %zu bytes", field->name,
				field->size);
	memcpy((char *)into + field->offset, i->at, field->size);
	return 0;
}

static int read_list(const struct access_field *field, struct cbor_reader *r,
		     const struct cbor_item *head, void *into, struct fail *f)
{
	struct access_list *list = (struct access_list *)((char *)into + field->offset);
	struct cbor_item i;

	if (head->kind != CBOR_LIST || head->count == 0 || head->count > ACCESS_LIST_MAX)
		return access_wrong(field, "an array of 1 to 8 texts", f);
	for (uint64_t n = 0; n < head->count; n++) {
		if (cbor_next(r, &i) != 0)
			return cut(f);
		if (i.kind != CBOR_TEXT)
			return access_wrong(field, "an array of texts", f);
		if (access_take_item(field, i.at, (size_t)i.count, list, f) != 0)
			return -1;
	}
	return 0;
}

static int read_value(const struct access_field *field, struct cbor_reader *r, void *into,
		      struct fail *f)
{
	struct cbor_item i;

	if (cbor_next(r, &i) != 0)
		return cut(f);
	switch (field->kind) {
	case FIELD_INTEGER:
		return i.kind == CBOR_INTEGER ? access_take_integer(field, i.value, into, f)
					      : access_wrong(field, "an integer", f);
	case FIELD_WORD:
		return i.kind == CBOR_INTEGER ? read_word(field, i.value, into, f)
					      : access_wrong(field, "an integer", f);
	case FIELD_BOOL:
		if (i.kind != CBOR_BOOL)
			return access_wrong(field, "true or false", f);
		*((int8_t *)into + field->offset) = (int8_t)i.value;
		return 0;
	case FIELD_TEXT:
		return i.kind == CBOR_TEXT ? access_take_text(field, i.at, (size_t)i.count, into, f)
					   : access_wrong(field, "a text", f);
	case FIELD_BYTES:
		return read_bytes(field, &i, into, f);
	case FIELD_LIST:
		return read_list(field, r, &i, into, f);
	case FIELD_MAP:
		return i.kind == CBOR_MAP ? read_map(field->fields, r, i.count, into, f)
					  : access_wrong(field, "a map", f);
	}
	return -1;
}

static int find(const struct access_field *fields, int64_t key)
{
	for (int i = 0; fields[i].name; i++)
		if (fields[i].key == key)
			return i;
	return -1;
}

static int read_map(const struct access_field *fields, struct cbor_reader *r, uint64_t pairs,
		    void *into, struct fail *f)
{
	uint32_t seen = 0;
	struct cbor_item key;

	for (uint64_t n = 0; n < pairs; n++) {
		int i;

		if (cbor_next(r, &key) != 0)
			return cut(f);
		if (key.kind != CBOR_INTEGER)
			return fail_set(f, EINVAL, "a key that is no integer");
		i = find(fields, key.value);
		if (i < 0)
			return fail_set(f, EINVAL, "there is no field %" PRId64, key.value);
		if (seen >> i & 1)
			return fail_set(f, EINVAL, "%s is given twice", fields[i].name);
		if (read_value(&fields[i], r, into, f) != 0)
			return -1;
		seen |= UINT32_C(1) << i;
	}
	return access_check_seen(fields, seen, f);
}

int access_decode_cbor(const struct access_field *fields, const void *src, size_t len, void *into,
		       struct fail *f)
{
	struct cbor_reader r = { src, len };
	struct cbor_item head;

	if (cbor_next(&r, &head) != 0)
		return cut(f);
	if (head.kind != CBOR_MAP)
		return fail_set(f, EINVAL, "expected a map");
	if (read_map(fields, &r, head.count, into, f) != 0)
		return -1;
	return r.len == 0 ? 0 : fail_set(f, EINVAL, "%zu bytes behind the message", r.len);
}
