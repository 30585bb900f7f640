/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf - a growing byte buffer with a limit and a sticky error.
 *
 * Writers append without checking; the owner asks once, at the end, whether
 * `failed` is set (no memory, or more than `max` bytes).  A zeroed struct with
 * max set is a valid empty buffer.  data is not NUL-terminated except by
 * buf_text().
 */
#ifndef LIB_BUF_H
#define LIB_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;
	size_t len, cap;
	size_t max; /* bytes; 0 means no limit */
	bool failed;
	bool secret; /* memory it no longer needs, emptied, outgrown or released, is wiped */
};

void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b);
/* Empty it, keep its memory. */
void buf_clear(struct buf *b);
void buf_put(struct buf *b, const void *src, size_t len);
void buf_puts(struct buf *b, const char *text);
void buf_byte(struct buf *b, uint8_t byte);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Room for len more bytes, or NULL; the caller then adds to len itself. */
void *buf_reserve(struct buf *b, size_t len);
/* Drop len bytes from the front. */
void buf_drop(struct buf *b, size_t len);
/* The content as a NUL-terminated text, "" when empty or failed; valid until the next change. */
const char *buf_text(struct buf *b);

#endif
