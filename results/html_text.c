/* SPDX-License-Identifier: Apache-2.0 */
/* html_text - text into a page, so that nothing in it can be markup. */
#include "results/html_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at text; 0: it is none. */
static int character_bytes(const unsigned char *text)
{
	int len = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;

	if (*text > 0xf4 || (*text == 0xe0 && text[1] < 0xa0) ||
	    (*text == 0xf0 && text[1] < 0x90) || (*text == 0xed && text[1] > 0x9f) ||
	    (*text == 0xf4 && text[1] > 0x8f))
		return 0;
	for (int i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

static const char *entity(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_text(struct buf *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		int len = character_bytes(at);
		const char *named = entity(*at);

		if (named)
			buf_puts(out, named);
		else if (len == 0 || (*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f)
			buf_puts(out, "\xef\xbf\xbd");
		else
			buf_put(out, at, (size_t)len);
		at += len ? len : 1;
	}
}

void html_suite(struct buf *out, const char *text)
{
	char part[256];

	while (*text) {
		size_t len = strcspn(text, ":");

		len += text[len] == ':';
		len = len < sizeof(part) ? len : sizeof(part) - 1;
		memcpy(part, text, len);
		part[len] = '\0';
		html_text(out, part);
		text += len;
		if (*text)
			buf_puts(out, "<wbr/>");
	}
}

void html_wide(struct buf *out, const char *label)
{
	buf_puts(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
	html_text(out, label);
	buf_puts(out, "\">");
}

void html_printf(struct buf *out, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	html_text(out, text);
}
