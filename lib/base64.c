/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64 - three bytes to four letters and back.
 */
#include "lib/base64.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const void *src, size_t len, struct buf *out)
{
	const uint8_t *at = src;
	for (; len; at += 3) {
		size_t n = len < 3 ? len : 3;
		uint32_t word = (uint32_t)at[0] << 16 | (n > 1 ? (uint32_t)at[1] << 8 : 0) |
				(n > 2 ? at[2] : 0);
		char quad[4] = { letters[word >> 18], letters[word >> 12 & 63],
				 n > 1 ? letters[word >> 6 & 63] : '=',
				 n > 2 ? letters[word & 63] : '=' };
		buf_put(out, quad, sizeof(quad));
		len -= n;
	}
}

static int letter_value(char c)
{
	const char *at = c ? strchr(letters, c) : NULL;
	return at ? (int)(at - letters) : -1;
}

/* How many letters of the quad carry bits; -1: not a quad. Padding only ends the last one. */
static int quad_value(const char *quad, bool last, uint32_t *word)
{
	int used = 4;
	if (last && quad[3] == '=')
		used = quad[2] == '=' ? 2 : 3;
	*word = 0;
	for (int i = 0; i < 4; i++) {
		int value = i < used ? letter_value(quad[i]) : 0;
		if (value < 0)
			return -1;
		*word = *word << 6 | (uint32_t)value;
	}
	uint32_t stray = used == 2 ? 0xffff : used == 3 ? 0xff : 0;
	return *word & stray ? -1 : used;
}

int base64_decode(const char *text, size_t len, struct buf *out, struct fail *f)
{
	if (len % 4)
		return fail_set(f, EINVAL, "base64: %zu letters, expected a multiple of 4", len);
	for (size_t i = 0; i < len; i += 4) {
		uint32_t word;
		int used = quad_value(text + i, i + 4 == len, &word);
		if (used < 0)
			return fail_set(f, EINVAL, "base64: wrong letters at offset %zu", i);
		uint8_t bytes[3] = { (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word };
		buf_put(out, bytes, (size_t)used - 1);
	}
	return out->failed ? fail_set(f, ENOMEM, "base64: no memory") : 0;
}
