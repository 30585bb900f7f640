/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body - a response's content checked as it streams by: length, and content codings decoded.
 *
 * Nothing is kept of the content. The decoders are made by body_init() and used again for each
 * body; brotli's has no such call and is made anew.
 */
#ifndef CLIENTS_BODY_H
#define CLIENTS_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"
#include "protocols/app.h"

struct body {
	void *decoder[APP_ENCODINGS]; /* NULL: a body coded so was not accepted */
	enum app_encoding encoding;
	bool ended;            /* the coded stream had its end */
	int64_t decoded_bytes; /* so far */
};

/* NULL when this program can decode it, else what it lacks. */
const char *body_refuses(enum app_encoding e);
/* With decoders for these, a bit per enum app_encoding. -1: no memory, or it was built without. */
int body_init(struct body *b, unsigned accepts, struct fail *f);
/* Accepts a zeroed struct. */
void body_release(struct body *b);
/* A new response with this coding. -1: it was not accepted, or no memory. */
int body_start(struct body *b, enum app_encoding encoding, struct fail *f);
/* -1: these bytes do not decode, or stand behind the end of the coded stream. */
int body_bytes(struct body *b, const void *src, size_t len, struct fail *f);
/* -1: the coded stream is cut short. */
int body_end(struct body *b, struct fail *f);

#endif
