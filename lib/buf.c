/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf - growth by doubling, one byte kept free behind the content for buf_text().
 *
 * The first failure sticks: after it nothing more is appended, so a reader never
 * sees a text with a hole in the middle.
 */
#include "lib/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 256

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

/* Behind the content there may be what a reader put into reserved room. */
static void wipe(struct buf *b, size_t from)
{
	if (b->secret && b->data)
		explicit_bzero(b->data + from, b->cap - from);
}

void buf_release(struct buf *b)
{
	wipe(b, 0);
	free(b->data);
	*b = (struct buf){ .max = b->max, .secret = b->secret };
}

void buf_clear(struct buf *b)
{
	wipe(b, 0);
	b->len = 0;
	b->failed = false;
}

static size_t next_cap(size_t cap, size_t need)
{
	if (!cap)
		cap = FIRST_BYTES;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	return cap;
}

/* Room for len more bytes and a NUL. */
static bool grow(struct buf *b, size_t len)
{
	size_t need, cap;
	char *data;

	if (b->failed)
		return false;
	if (__builtin_add_overflow(b->len, len, &need) || need == SIZE_MAX ||
	    (b->max && need > b->max)) {
		b->failed = true;
		return false;
	}
	if (need < b->cap)
		return true;
	cap = next_cap(b->cap, need + 1);
	data = b->secret ? malloc(cap) : realloc(b->data, cap);
	if (!data) {
		b->failed = true;
		return false;
	}
	if (b->secret) {
		if (b->len)
			memcpy(data, b->data, b->len);
		wipe(b, 0);
		free(b->data);
	}
	b->data = data;
	b->cap = cap;
	return true;
}

void *buf_reserve(struct buf *b, size_t len)
{
	return grow(b, len) ? b->data + b->len : NULL;
}

void buf_put(struct buf *b, const void *src, size_t len)
{
	if (!len || !grow(b, len))
		return;
	memcpy(b->data + b->len, src, len);
	b->len += len;
}

void buf_puts(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text));
}

void buf_byte(struct buf *b, uint8_t byte)
{
	buf_put(b, &byte, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		b->failed = true;
	if (len < 0 || !grow(b, (size_t)len))
		return;
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)len;
}

void buf_drop(struct buf *b, size_t len)
{
	if (len > b->len)
		len = b->len;
	if (!len)
		return;
	b->len -= len;
	memmove(b->data, b->data + len, b->len);
	wipe(b, b->len);
}

const char *buf_text(struct buf *b)
{
	if (!b->len || !grow(b, 0))
		return "";
	b->data[b->len] = '\0';
	return b->data;
}
