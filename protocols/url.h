/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url - the URLs that serve and load take: SCHEME://HOST[:PORT][/TARGET].
 *
 * HOST is a name, an IPv4 address or an IPv6 address in brackets. User
 * information and fragments are refused. Nothing is resolved here.
 */
#ifndef PROTOCOLS_URL_H
#define PROTOCOLS_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"

enum url_scheme {
	URL_HTTP,
	URL_HTTPS,
	URL_COAP,
	URL_COAPS,
	URL_COAP_TCP,
	URL_COAPS_TCP,
	URL_SCHEMES
};

struct url {
	enum url_scheme scheme;
	char host[256];    /* without brackets */
	uint16_t port;     /* the scheme's own where none was written */
	bool port_given;   /* so that ":0" can ask for a free one */
	char target[1024]; /* "/" where none was written; query included */
};

extern const char *const url_scheme_name[URL_SCHEMES];
bool url_is_secure(const struct url *u);
bool url_is_datagram(const struct url *u);
/* Path and query in origin form, character by character as in RFC 3986 (section 3.3, 3.4). */
bool url_is_target(const char *text, size_t len);

int url_parse(const char *text, struct url *u, struct fail *f);
/* Canonical text; brackets around IPv6. dst should take URL_TEXT_BYTES. Returns dst. */
#define URL_TEXT_BYTES 1400
const char *url_format(const struct url *u, char *dst);

#endif
