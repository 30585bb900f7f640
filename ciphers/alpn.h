/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alpn - lists of application protocols, as text and as RFC 7301 writes them.
 *
 * A list is text such as "h2,http/1.1", the preferred name first. Knows no
 * library: both engines select by the same rule.
 */
#ifndef CIPHERS_ALPN_H
#define CIPHERS_ALPN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"

#define ALPN_NAME_BYTES 16 /* a name and its end: longer ones are refused */
#define ALPN_LIST_BYTES 128

/* 0 when every name of the list is one to fifteen printable characters. */
int alpn_check(const char *list, struct fail *f);

/* The list as it stands in a hello, each name behind its length: how many bytes. */
size_t alpn_encode(const char *list, uint8_t dst[ALPN_LIST_BYTES]);

/*
 * The first name of our list that is in theirs (encoded): points into theirs; NULL
 * when there is none, or when theirs is malformed before a match.
 */
const uint8_t *alpn_select(const char *ours, const uint8_t *theirs, size_t len, uint8_t *name_len);

/* One name that is not terminated, into the facts; a longer one is cut. */
void alpn_copy(char dst[ALPN_NAME_BYTES], const void *name, size_t len);

#endif
