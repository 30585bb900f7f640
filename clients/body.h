/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body - a response's content checked as it streams by: length, and gzip decoded.
 *
 * Nothing is kept of the content. The decoder's memory is made by body_init() and used
 * again for each body.
 */
#ifndef CLIENTS_BODY_H
#define CLIENTS_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"
#include "protocols/app.h"

struct body {
	void *inflater; /* NULL: content codings are not decoded */
	enum app_encoding encoding;
	bool ended;            /* the coded stream had its end */
	int64_t decoded_bytes; /* so far */
};

/* With a decoder. -1: no memory. */
int body_init(struct body *b, struct fail *f);
void body_release(struct body *b);
/* A new response with this coding. */
void body_start(struct body *b, enum app_encoding encoding);
int body_bytes(struct body *b, const void *src, size_t len, struct fail *f);
/* -1: the coded stream is cut short. */
int body_end(struct body *b, struct fail *f);

#endif
