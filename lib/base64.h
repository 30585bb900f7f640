/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64 - bytes as text inside JSON (RFC 4648 section 4, with padding).
 *
 * Decoding is strict: no blanks, no missing padding, no stray bits.
 */
#ifndef LIB_BASE64_H
#define LIB_BASE64_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/fail.h"

/* Append the text of len bytes. */
void base64_encode(const void *src, size_t len, struct buf *out);

/* Append the bytes of a text; -1 with the offset of what is wrong. */
int base64_decode(const char *text, size_t len, struct buf *out, struct fail *f);

#endif
