/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_core - /.well-known/core: which resources there are, in the link format of
 * RFC 6690, filtered by one query (section 4.1).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocols/coap.h"

bool coap_is_core(const char *target)
{
	size_t len = strlen(COAP_CORE_TARGET);

	return strncmp(target, COAP_CORE_TARGET, len) == 0 &&
	       (target[len] == '\0' || target[len] == '?');
}

/* One word of a list, or all of it: "a b" holds "b"; "ab*" holds what begins so. */
static bool holds(const char *words, const char *wanted, size_t len)
{
	bool prefix = len > 0 && wanted[len - 1] == '*';

	if (prefix)
		len--;
	while (words && *words) {
		size_t word = strcspn(words, " ");

		if ((prefix ? word >= len : word == len) && strncmp(words, wanted, len) == 0)
			return true;
		words += word + (words[word] == ' ');
	}
	return false;
}

static bool matches(const struct coap_link *l, const char *query)
{
	size_t name = strcspn(query, "=");
	const char *wanted = query + name + (query[name] == '=');
	size_t len = strcspn(wanted, "&");
	char format[12] = "";

	if (l->format != COAP_NO_FORMAT)
		snprintf(format, sizeof format, "%" PRIu32, l->format);
	if (name == 4 && strncmp(query, "href", 4) == 0)
		return holds(l->target, wanted, len);
	if (name == 2 && strncmp(query, "rt", 2) == 0)
		return holds(l->type, wanted, len);
	if (name == 2 && strncmp(query, "if", 2) == 0)
		return holds(l->interface, wanted, len);
	if (name == 2 && strncmp(query, "ct", 2) == 0)
		return holds(format, wanted, len);
	return false;
}

static void write_link(struct buf *b, const struct coap_link *l)
{
	buf_printf(b, "%s<%s>", b->len > 0 ? "," : "", l->target);
	if (l->type)
		buf_printf(b, ";rt=\"%s\"", l->type);
	if (l->interface)
		buf_printf(b, ";if=\"%s\"", l->interface);
	if (l->format != COAP_NO_FORMAT)
		buf_printf(b, ";ct=%" PRIu32, l->format);
	if (l->size_bytes > 0)
		buf_printf(b, ";sz=%" PRIu64, l->size_bytes);
	if (l->observable)
		buf_puts(b, ";obs");
}

void coap_core_write(struct buf *b, const char *target, const struct coap_link *links, size_t n)
{
	const char *query = strchr(target, '?');

	for (size_t i = 0; i < n; i++)
		if (!query || matches(&links[i], query + 1))
			write_link(b, &links[i]);
}
