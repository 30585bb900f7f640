/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap - header, token, options and payload marker, each against the datagram's end.
 */
#include "capture/coap_seen.h"

#include <stdio.h>

#include "capture/bytes.h"

#define HEADER_BYTES 4
#define TOKEN_MAX    8
#define PAYLOAD_MARK 0xff
#define NIBBLE_ONE   13 /* one byte more, RFC 7252 section 3.1 */
#define NIBBLE_TWO   14
#define METHOD_LAST  7

/* The extended length or delta; -1 when it does not fit or is reserved. */
static int extended(uint8_t nibble, const uint8_t *p, size_t len, size_t *pos)
{
	int value;

	if (nibble < NIBBLE_ONE)
		return nibble;
	if (nibble == NIBBLE_ONE && len - *pos >= 1)
		return p[(*pos)++] + 13;
	if (nibble != NIBBLE_TWO || len - *pos < 2)
		return -1;
	value = be16(p + *pos) + 269;
	*pos += 2;
	return value;
}

static bool options_are_whole(const uint8_t *p, size_t len, size_t pos)
{
	while (pos < len) {
		uint8_t first = p[pos++];
		int value;

		if (first == PAYLOAD_MARK)
			return pos < len;
		if (extended(first >> 4, p, len, &pos) < 0)
			return false;
		value = extended(first & 15, p, len, &pos);
		if (value < 0 || (size_t)value > len - pos)
			return false;
		pos += (size_t)value;
	}
	return true;
}

static bool code_is_known(uint8_t code, size_t len)
{
	uint8_t class = code >> 5;

	if (!code)
		return len == HEADER_BYTES;
	return class ? class == 2 || class == 4 || class == 5 : code <= METHOD_LAST;
}

bool coap_seen_parse(const uint8_t *p, size_t len, struct coap_header *h)
{
	size_t token;

	if (len < HEADER_BYTES || p[0] >> 6 != 1 || !code_is_known(p[1], len))
		return false;
	token = p[0] & 15;
	if (token > TOKEN_MAX || token > len - HEADER_BYTES)
		return false;
	*h = (struct coap_header){ p[0] >> 4 & 3, p[1], be16(p + 2) };
	return options_are_whole(p, len, HEADER_BYTES + token);
}

bool coap_seen_is_request(const struct coap_header *h)
{
	return h->code && h->code < 32;
}

void coap_seen_name(uint8_t type, uint8_t code, char *dst, size_t size)
{
	static const char *const types[] = { "CON", "NON", "ACK", "RST" };
	static const char *const methods[] = { "empty",  "GET",   "POST",  "PUT",
					       "DELETE", "FETCH", "PATCH", "iPATCH" };

	if (code <= METHOD_LAST)
		snprintf(dst, size, "%s %s", types[type & 3], methods[code]);
	else
		snprintf(dst, size, "%s %u.%02u", types[type & 3], code >> 5, code & 31u);
}
