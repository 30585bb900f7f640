/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url - SCHEME://HOST[:PORT][/TARGET] taken apart and put together again (RFC 3986,
 * and RFC 7252 and 8323 for the coap schemes). It must not resolve names.
 */
#include "protocols/url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const url_scheme_name[URL_SCHEMES] = { "http",  "https",    "coap",
						   "coaps", "coap+tcp", "coaps+tcp" };

static const struct {
	uint16_t port;
	bool secure, datagram;
} scheme_row[URL_SCHEMES] = {
	[URL_HTTP] = { 80, false, false },       [URL_HTTPS] = { 443, true, false },
	[URL_COAP] = { 5683, false, true },      [URL_COAPS] = { 5684, true, true },
	[URL_COAP_TCP] = { 5683, false, false }, [URL_COAPS_TCP] = { 5684, true, false },
};

bool url_is_secure(const struct url *u)
{
	return scheme_row[u->scheme].secure;
}

bool url_is_datagram(const struct url *u)
{
	return scheme_row[u->scheme].datagram;
}

static bool is_hex(char c)
{
	return isxdigit((unsigned char)c) != 0;
}

bool url_is_target(const char *text, size_t len)
{
	if (len == 0 || text[0] != '/')
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '%') {
			if (len - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))
				return false;
			i += 2;
		} else if (c == '\0' ||
			   (!isalnum((unsigned char)c) && !strchr("-._~!$&'()*+,;=:@/?", c))) {
			return false;
		}
	}
	return true;
}

/* Labels of letters, digits, '-' and '_', none empty. */
static bool is_name(const char *host, size_t len)
{
	size_t label = 0;

	for (size_t i = 0; i < len; i++) {
		if (host[i] == '.' ? label == 0 || i + 1 == len
				   : !isalnum((unsigned char)host[i]) && !strchr("-_", host[i]))
			return false;
		label = host[i] == '.' ? 0 : label + 1;
		if (label > 63)
			return false;
	}
	return len > 0 && len <= 253;
}

/* A last label of digits alone can only be an IPv4 address. */
static bool looks_like_ipv4(const char *host)
{
	const char *dot = strrchr(host, '.');
	const char *last = dot ? dot + 1 : host;

	return *last != '\0' && last[strspn(last, "0123456789")] == '\0';
}

static int read_scheme(const char **text, struct url *u, struct fail *f)
{
	const char *colon = strstr(*text, "://");
	size_t len = colon ? (size_t)(colon - *text) : 0;

	for (int i = 0; colon && i < URL_SCHEMES; i++)
		if (strlen(url_scheme_name[i]) == len &&
		    strncasecmp(*text, url_scheme_name[i], len) == 0) {
			u->scheme = (enum url_scheme)i;
			*text = colon + 3;
			return 0;
		}
	return fail_set(f, EINVAL,
			"it must start with http://, https://, coap://, coaps://, coap+tcp:// or "
			"coaps+tcp://");
}

static int read_bracketed(const char **text, struct url *u, struct fail *f)
{
	const char *end = strchr(*text, ']');
	size_t len = end ? (size_t)(end - *text - 1) : 0;
	struct in6_addr address;

	if (!end)
		return fail_set(f, EINVAL, "the bracket of the IPv6 address is not closed");
	if (len < sizeof u->host) {
		memcpy(u->host, *text + 1, len);
		u->host[len] = '\0';
	}
	if (len >= sizeof u->host || inet_pton(AF_INET6, u->host, &address) != 1)
		return fail_set(f, EINVAL, "what stands in brackets is not an IPv6 address");
	inet_ntop(AF_INET6, &address, u->host, sizeof u->host);
	*text = end + 1;
	return 0;
}

static int read_host(const char **text, struct url *u, struct fail *f)
{
	size_t len = strcspn(*text, ":/?#");
	struct in_addr address;

	if (**text == '[')
		return read_bracketed(text, u, f);
	if (len == 0)
		return fail_set(f, EINVAL, "the host is missing");
	if (!is_name(*text, len))
		return fail_set(f, EINVAL,
				"\"%.*s\" is not a host name, an IPv4 address or an IPv6 address "
				"in brackets",
				(int)(len < 80 ? len : 80), *text);
	for (size_t i = 0; i < len; i++)
		u->host[i] = (char)tolower((unsigned char)(*text)[i]);
	u->host[len] = '\0';
	if (looks_like_ipv4(u->host) && inet_pton(AF_INET, u->host, &address) != 1)
		return fail_set(f, EINVAL, "\"%.80s\" is not an IPv4 address", u->host);
	*text += len;
	return 0;
}

static int read_port(const char **text, struct url *u, struct fail *f)
{
	size_t len;
	long port = 0;

	u->port = scheme_row[u->scheme].port;
	if (**text != ':')
		return 0;
	(*text)++;
	len = strspn(*text, "0123456789");
	for (size_t i = 0; i < len && port <= 65535; i++)
		port = port * 10 + ((*text)[i] - '0');
	if (len == 0 || port > 65535)
		return fail_set(f, EINVAL, "the port must be a number from 0 to 65535");
	u->port = (uint16_t)port;
	u->port_given = true;
	*text += len;
	return 0;
}

static int read_target(const char *text, struct url *u, struct fail *f)
{
	size_t slash = *text == '/' ? 0 : 1, len = strlen(text);

	if (*text != '\0' && *text != '/' && *text != '?' && *text != '#')
		return fail_set(f, EINVAL, "\"%.80s\" after the host is neither a port nor a path",
				text);
	if (strchr(text, '#'))
		return fail_set(f, EINVAL, "a fragment (\"#...\") is never sent: leave it out");
	if (slash + len >= sizeof u->target)
		return fail_set(f, EINVAL, "path and query are longer than %zu characters",
				sizeof u->target - 1);
	u->target[0] = '/';
	memcpy(u->target + slash, text, len + 1);
	if (!url_is_target(u->target, slash + len))
		return fail_set(f, EINVAL,
				"path or query hold a character that must be written as %%XX");
	return 0;
}

static int read_parts(const char *text, struct url *u, struct fail *f)
{
	size_t authority;

	if (read_scheme(&text, u, f) != 0)
		return -1;
	authority = strcspn(text, "/?#");
	if (memchr(text, '@', authority))
		return fail_set(f, EINVAL, "user names in URLs are not supported");
	if (read_host(&text, u, f) != 0 || read_port(&text, u, f) != 0)
		return -1;
	return read_target(text, u, f);
}

int url_parse(const char *text, struct url *u, struct fail *f)
{
	struct url parsed = { 0 };

	if (read_parts(text, &parsed, f) != 0)
		return fail_within(f, "URL \"%.120s\"", text);
	*u = parsed;
	return 0;
}

const char *url_format(const struct url *u, char *dst)
{
	bool ipv6 = strchr(u->host, ':') != NULL;
	char port[8] = "";

	if (u->port != scheme_row[u->scheme].port)
		snprintf(port, sizeof port, ":%u", u->port);
	snprintf(dst, URL_TEXT_BYTES, "%s://%s%s%s%s%s", url_scheme_name[u->scheme],
		 ipv6 ? "[" : "", u->host, ipv6 ? "]" : "", port, u->target);
	return dst;
}
