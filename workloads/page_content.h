/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_content - what stands on a page: the same bytes for the same kind and size on
 * every machine and in every version, so that results can be compared.
 */
#ifndef WORKLOADS_PAGE_CONTENT_H
#define WORKLOADS_PAGE_CONTENT_H

#include <stddef.h>

enum page_kind {
	PAGE_JSON,   /* an array of sensor readings; padded with blanks inside the array */
	PAGE_TEXT,   /* prose-like sentences in lines */
	PAGE_RANDOM, /* incompressible */
	PAGE_KINDS
};

extern const char *const page_kind_name[PAGE_KINDS + 1]; /* ends with NULL */
extern const char *const page_content_type[PAGE_KINDS];

/* The kind called so, or PAGE_KINDS. */
enum page_kind page_kind_by_name(const char *name);

/*
 * Exactly len bytes. json is a valid JSON text from one byte on: "0" for a single byte,
 * an array else; no bytes at all are no JSON text.
 */
void page_fill(enum page_kind kind, char *dst, size_t len);

#endif
