/* SPDX-License-Identifier: Apache-2.0 */
/* hex - without the locale, and without a format for each byte. */
#include "lib/hex.h"

int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int hex_decode(const char *text, size_t len, uint8_t *dst)
{
	for (size_t i = 0; i < len; i++) {
		int high = hex_value(text[2 * i]), low = high < 0 ? -1 : hex_value(text[2 * i + 1]);

		if (low < 0)
			return -1;
		dst[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

void hex_encode(const void *src, size_t len, char *dst)
{
	static const char digit[] = "0123456789abcdef";
	const uint8_t *at = src;

	for (size_t i = 0; i < len; i++) {
		*dst++ = digit[at[i] >> 4];
		*dst++ = digit[at[i] & 15];
	}
	*dst = '\0';
}
