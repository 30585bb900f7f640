/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alpn - reads, writes and compares lists of application protocols. Pure.
 */
#include "ciphers/alpn.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* The name at *list, which moves on to the next one, or to NULL. */
static const char *next_name(const char **list, size_t *len)
{
	const char *name = *list, *comma = strchr(name, ',');

	*len = comma ? (size_t)(comma - name) : strlen(name);
	*list = comma ? comma + 1 : NULL;
	return name;
}

static bool name_good(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)name[i]))
			return false;
	return len > 0 && len < ALPN_NAME_BYTES;
}

int alpn_check(const char *list, struct fail *f)
{
	const char *rest = list;
	size_t len;

	while (rest) {
		const char *name = next_name(&rest, &len);

		if (!name_good(name, len))
			return fail_set(f, EINVAL,
					"\"%.*s\" in the list \"%.60s\" is no name of an "
					"application protocol; expected like h2,http/1.1",
					(int)(len < 60 ? len : 60), name, list);
	}
	if (strlen(list) + 1 < ALPN_LIST_BYTES)
		return 0;
	return fail_set(f, EINVAL, "the list of application protocols \"%.40s...\" is too long",
			list);
}

size_t alpn_encode(const char *list, uint8_t dst[ALPN_LIST_BYTES])
{
	size_t at = 0, len;

	while (list) {
		const char *name = next_name(&list, &len);

		dst[at++] = (uint8_t)len;
		memcpy(dst + at, name, len);
		at += len;
	}
	return at;
}

static const uint8_t *find(const uint8_t *list, size_t list_len, const char *name, size_t len)
{
	for (size_t at = 0; at < list_len; at += 1u + list[at]) {
		if (list[at] >= list_len - at)
			return NULL;
		if (list[at] == len && !memcmp(list + at + 1, name, len))
			return list + at + 1;
	}
	return NULL;
}

const uint8_t *alpn_select(const char *ours, const uint8_t *theirs, size_t len, uint8_t *name_len)
{
	const uint8_t *found = NULL;
	size_t n = 0;

	while (ours && !found) {
		const char *name = next_name(&ours, &n);

		found = find(theirs, len, name, n);
	}
	*name_len = found ? (uint8_t)n : 0;
	return found;
}

void alpn_copy(char dst[ALPN_NAME_BYTES], const void *name, size_t len)
{
	size_t n = len < ALPN_NAME_BYTES - 1 ? len : ALPN_NAME_BYTES - 1;

	if (n)
		memcpy(dst, name, n);
	dst[n] = '\0';
}
