/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_chunks - the chunked transfer coding (RFC 9112 section 7.1), a byte at a time
 * but for the data. Extensions are checked and dropped, and may not go on for ever.
 * It must not know what the content is for.
 */
#include <string.h>

#include "lib/hex.h"
#include "protocols/http1_parse.h"

#define SIZE_DIGITS_MAX     16 /* what fits 64 bits */
#define EXTENSION_BYTES_MAX 4096

static enum http1_chunk size_byte(struct http1_chunks *c, char byte)
{
	int value = hex_value(byte);

	if (value >= 0) {
		c->left = c->left << 4 | (unsigned)value;
		return ++c->digits <= SIZE_DIGITS_MAX ? HTTP1_CHUNK_MORE : HTTP1_CHUNK_BAD;
	}
	if (c->digits == 0 || (byte != '\r' && byte != ';'))
		return HTTP1_CHUNK_BAD;
	c->state = byte == ';' ? CHUNK_EXTENSION : CHUNK_SIZE_END;
	return HTTP1_CHUNK_MORE;
}

static enum http1_chunk extension_byte(struct http1_chunks *c, char byte)
{
	unsigned char u = (unsigned char)byte;

	if (byte == '\r') {
		c->state = CHUNK_SIZE_END;
		return HTTP1_CHUNK_MORE;
	}
	if ((u < ' ' && u != '\t') || u == 0x7f || ++c->extension_bytes > EXTENSION_BYTES_MAX)
		return HTTP1_CHUNK_BAD;
	return HTTP1_CHUNK_MORE;
}

static enum http1_chunk frame_byte(struct http1_chunks *c, char byte)
{
	switch (c->state) {
	case CHUNK_SIZE:
		return size_byte(c, byte);
	case CHUNK_EXTENSION:
		return extension_byte(c, byte);
	case CHUNK_SIZE_END:
		if (byte != '\n')
			return HTTP1_CHUNK_BAD;
		c->state = c->left > 0 ? CHUNK_DATA : CHUNK_LAST;
		return c->left > 0 ? HTTP1_CHUNK_MORE : HTTP1_CHUNK_LAST;
	case CHUNK_DATA_CR:
		c->state = CHUNK_DATA_END;
		return byte == '\r' ? HTTP1_CHUNK_MORE : HTTP1_CHUNK_BAD;
	case CHUNK_DATA_END:
		c->state = CHUNK_SIZE;
		c->digits = 0;
		return byte == '\n' ? HTTP1_CHUNK_MORE : HTTP1_CHUNK_BAD;
	case CHUNK_DATA:
	case CHUNK_LAST:
		break;
	}
	return HTTP1_CHUNK_BAD;
}

enum http1_chunk http1_chunks_take(struct http1_chunks *c, const char *src, size_t len,
				   size_t *taken, size_t *data_len)
{
	enum http1_chunk result = HTTP1_CHUNK_MORE;
	size_t i = 0;

	*data_len = 0;
	while (i < len && c->state != CHUNK_DATA && result == HTTP1_CHUNK_MORE)
		result = frame_byte(c, src[i++]);
	if (result == HTTP1_CHUNK_MORE && c->state == CHUNK_DATA && i < len) {
		*data_len = len - i < c->left ? len - i : (size_t)c->left;
		c->left -= *data_len;
		if (c->left == 0)
			c->state = CHUNK_DATA_CR;
		i += *data_len;
		result = HTTP1_CHUNK_DATA;
	}
	*taken = i;
	return result;
}
