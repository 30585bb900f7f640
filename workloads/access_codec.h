/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_codec - a message by a const table of its fields, in JSON and in CBOR.
 *
 * One table drives writing and reading in both, so that they cannot say different things. JSON
 * has objects with names and bytes in hexadecimal; CBOR has maps with the small numbers of the
 * table as keys (definite lengths, no tags). Reading is strict: unknown fields, fields given
 * twice, missing ones, wrong types, lengths, ranges and words, and bytes behind the message
 * are refused with the field's name. Texts are printable ASCII.
 */
#ifndef WORKLOADS_ACCESS_CODEC_H
#define WORKLOADS_ACCESS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"
#include "workloads/access.h"

enum field_kind {
	FIELD_INTEGER, /* int64_t from min to max; FIELD_ABSENT */
	FIELD_BOOL,    /* int8_t 0 or 1; -1 absent */
	FIELD_TEXT,    /* char[size]; "" absent */
	FIELD_BYTES,   /* uint8_t[size]; always required */
	FIELD_WORD,    /* int, index in words */
	FIELD_LIST,    /* struct access_list of texts */
	FIELD_MAP      /* fields of its own, in the same struct */
};

#define FIELD_ABSENT INT64_MIN

#define ACCESS_LIST_MAX   8
#define ACCESS_WORD_BYTES 32
struct access_list {
	int count;
	char text[ACCESS_LIST_MAX][ACCESS_WORD_BYTES];
};

struct access_field {
	const char *name; /* NULL ends the table */
	int key;          /* in CBOR */
	enum field_kind kind;
	size_t offset, size;
	int64_t min, max;
	const char *const *words; /* ends with NULL */
	bool required;            /* of a map: one of its fields is */
	const struct access_field *fields;
};

/* Every field of a message absent, bytes zero, words 0. */
void access_blank(const struct access_field *fields, void *into);

/* Append the message, leaving out what is absent. */
void access_encode(enum access_encoding e, const struct access_field *fields, const void *from,
		   struct buf *out);

/* *into is blanked first. -1: f; what was read until then stays. */
int access_decode(enum access_encoding e, const struct access_field *fields, const void *src,
		  size_t len, void *into, struct fail *f);

/* --- for the two encodings -------------------------------------------------------- */

bool access_field_present(const struct access_field *field, const void *from);
/* Take a value that has the right type; -1: f names the field. */
int access_take_integer(const struct access_field *field, int64_t value, void *into,
			struct fail *f);
int access_take_text(const struct access_field *field, const char *text, size_t len, void *into,
		     struct fail *f);
int access_take_item(const struct access_field *field, const char *text, size_t len,
		     struct access_list *list, struct fail *f);
int access_wrong(const struct access_field *field, const char *expected, struct fail *f);
/* seen: bit per row. -1: a required one is missing. */
int access_check_seen(const struct access_field *fields, uint32_t seen, struct fail *f);

void access_encode_json(const struct access_field *fields, const void *from, struct buf *out);
int access_decode_json(const struct access_field *fields, const void *src, size_t len, void *into,
		       struct fail *f);
void access_encode_cbor(const struct access_field *fields, const void *from, struct buf *out);
int access_decode_cbor(const struct access_field *fields, const void *src, size_t len, void *into,
		       struct fail *f);

#endif
