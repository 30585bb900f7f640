/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap - messages taken apart and put together (RFC 7252 section 3), options one by one
 * with every delta and length checked, and the value of a Block option.
 */
#include "protocols/coap.h"

#include <string.h>

#define MARKER            0xff
#define OPTION_NUMBER_MAX 65535

/* --- reading --------------------------------------------------------------------------- */

/* A delta or length nibble with its extension (section 3.1). -1: reserved, or cut off. */
static int32_t read_extended(unsigned nibble, const uint8_t *src, size_t len, size_t *at)
{
	uint32_t value;

	if (nibble < 13)
		return (int32_t)nibble;
	if (nibble == 13) {
		if (len - *at < 1)
			return -1;
		return 13 + src[(*at)++];
	}
	if (nibble == 15 || len - *at < 2)
		return -1;
	value = (uint32_t)src[*at] << 8 | src[*at + 1];
	*at += 2;
	return (int32_t)(value + 269);
}

/* The option at *at, which is not the marker. -1: malformed. */
static int read_option(const uint8_t *src, size_t len, size_t *at, struct coap_option *o)
{
	unsigned head = src[(*at)++];
	int32_t delta = read_extended(head >> 4, src, len, at), bytes;

	if (delta < 0)
		return -1;
	bytes = read_extended(head & 15, src, len, at);
	if (bytes < 0 || (size_t)bytes > len - *at)
		return -1;
	o->number += (uint32_t)delta;
	o->value = src + *at;
	o->value_bytes = (size_t)bytes;
	*at += (size_t)bytes;
	return o->number <= OPTION_NUMBER_MAX ? 0 : -1;
}

int coap_parse_body(const uint8_t *src, size_t len, struct coap_message *m)
{
	struct coap_option o = { 0 };
	size_t at = 0;

	while (at < len && src[at] != MARKER)
		if (read_option(src, len, &at, &o) != 0)
			return -1;
	m->options = src;
	m->options_bytes = at;
	m->payload = NULL;
	m->payload_bytes = 0;
	if (at == len)
		return 0;
	m->payload = src + at + 1;
	m->payload_bytes = len - at - 1;
	return m->payload_bytes > 0 ? 0 : -1;
}

/* RFC 7252 table 1, and the reserved classes of section 3. */
static bool fits_type(enum coap_type type, uint8_t code)
{
	if (code == COAP_EMPTY)
		return type != COAP_NON;
	if (coap_is_request(code))
		return type == COAP_CON || type == COAP_NON;
	return coap_is_response(code) && type != COAP_RST;
}

enum coap_verdict coap_parse(const void *datagram, size_t len, struct coap_message *m)
{
	const uint8_t *b = datagram;

	if (len < COAP_HEAD_BYTES || b[0] >> 6 != 1)
		return COAP_NOT_COAP;
	*m = (struct coap_message){ .type = (enum coap_type)(b[0] >> 4 & 3),
				    .code = b[1],
				    .id = (uint16_t)(b[2] << 8 | b[3]),
				    .token_bytes = b[0] & 15 };
	if (m->token_bytes > COAP_TOKEN_BYTES_MAX || !fits_type(m->type, m->code) ||
	    len < COAP_HEAD_BYTES + (size_t)m->token_bytes ||
	    (m->code == COAP_EMPTY && len > COAP_HEAD_BYTES)) {
		m->token_bytes = 0;
		return COAP_MALFORMED;
	}
	memcpy(m->token, b + COAP_HEAD_BYTES, m->token_bytes);
	b += COAP_HEAD_BYTES + m->token_bytes;
	len -= COAP_HEAD_BYTES + (size_t)m->token_bytes;
	return coap_parse_body(b, len, m) == 0 ? COAP_GOOD : COAP_MALFORMED;
}

bool coap_walk_next(struct coap_walk *w, struct coap_option *o)
{
	o->number = w->number;
	if (w->at >= w->m->options_bytes ||
	    read_option(w->m->options, w->m->options_bytes, &w->at, o) != 0)
		return false;
	w->number = o->number;
	return true;
}

uint32_t coap_uint(const struct coap_option *o)
{
	uint32_t value = 0;

	for (size_t i = 0; i < o->value_bytes; i++)
		value = value << 8 | o->value[i];
	return value;
}

/* --- writing ------------------------------------------------------------------------------ */

static void put(struct coap_writer *w, const void *src, size_t len)
{
	if (w->failed || len > w->cap - w->len) {
		w->failed = true;
		return;
	}
	if (len > 0)
		memcpy(w->dst + w->len, src, len);
	w->len += len;
}

void coap_write_head(struct coap_writer *w, enum coap_type type, uint8_t code, uint16_t id,
		     const uint8_t *token, size_t token_bytes)
{
	uint8_t head[COAP_HEAD_BYTES] = { (uint8_t)(1 << 6 | (unsigned)type << 4 | token_bytes),
					  code, (uint8_t)(id >> 8), (uint8_t)id };

	put(w, head, sizeof head);
	put(w, token, token_bytes);
	w->number = 0;
}

/* Nibble of a delta or length; what extends it goes to dst. */
static unsigned extend(size_t value, uint8_t *dst, size_t *at)
{
	if (value < 13)
		return (unsigned)value;
	if (value < 269) {
		dst[(*at)++] = (uint8_t)(value - 13);
		return 13;
	}
	dst[(*at)++] = (uint8_t)((value - 269) >> 8);
	dst[(*at)++] = (uint8_t)(value - 269);
	return 14;
}

void coap_write_option(struct coap_writer *w, uint32_t number, const void *value, size_t bytes)
{
	uint8_t head[5];
	size_t at = 1, before = w->len;

	if (number < w->number || number > OPTION_NUMBER_MAX || bytes > 65535 + 269) {
		w->failed = true;
		return;
	}
	head[0] = (uint8_t)(extend(number - w->number, head, &at) << 4);
	head[0] |= (uint8_t)extend(bytes, head, &at);
	put(w, head, at);
	put(w, value, bytes);
	if (w->failed)
		w->len = before;
	else
		w->number = number;
}

void coap_write_uint(struct coap_writer *w, uint32_t number, uint32_t value)
{
	uint8_t bytes[4] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
			     (uint8_t)value };
	size_t zeros = 0;

	while (zeros < 4 && bytes[zeros] == 0)
		zeros++;
	coap_write_option(w, number, bytes + zeros, 4 - zeros);
}

void coap_write_payload(struct coap_writer *w, const void *payload, size_t bytes)
{
	static const uint8_t marker = MARKER;

	if (bytes == 0)
		return;
	if (w->failed || bytes + 1 > w->cap - w->len) {
		w->failed = true;
		return;
	}
	put(w, &marker, 1);
	put(w, payload, bytes);
}

/* --- blocks -------------------------------------------------------------------------------- */

int coap_block_read(const struct coap_option *o, struct coap_block *b)
{
	uint32_t value = coap_uint(o);

	*b = (struct coap_block){
		.present = true, .more = value >> 3 & 1, .szx = value & 7, .number = value >> 4
	};
	return o->value_bytes <= 3 ? 0 : -1;
}

uint32_t coap_block_value(const struct coap_block *b)
{
	return b->number << 4 | (uint32_t)b->more << 3 | b->szx;
}

uint8_t coap_szx(size_t bytes)
{
	uint8_t szx = 0;

	while (szx < 6 && coap_block_bytes((uint8_t)(szx + 1)) <= bytes)
		szx++;
	return szx;
}
