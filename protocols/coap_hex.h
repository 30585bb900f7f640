/* SPDX-License-Identifier: Apache-2.0 */
/* coap_hex - for the tests: messages as people write them, "40 01 7d34 'temp'". */
#ifndef PROTOCOLS_COAP_HEX_H
#define PROTOCOLS_COAP_HEX_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Pairs of hex digits, blanks between, and 'text' as it stands. Returns the length. */
static inline size_t coap_hex(const char *text, uint8_t *dst)
{
	size_t n = 0;

	while (*text) {
		unsigned byte;

		if (*text == ' ') {
			text++;
		} else if (*text == '\'') {
			for (text++; *text != '\''; text++)
				dst[n++] = (uint8_t)*text;
			text++;
		} else {
			sscanf(text, "%2x", &byte);
			dst[n++] = (uint8_t)byte;
			text += 2;
		}
	}
	return n;
}

/* Lower-case digits without blanks. */
static inline const char *coap_unhex(const uint8_t *src, size_t len, char *dst)
{
	for (size_t i = 0; i < len; i++)
		sprintf(dst + 2 * i, "%02x", src[i]);
	dst[2 * len] = '\0';
	return dst;
}

#endif
