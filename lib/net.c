/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net - getaddrinfo() and getnameinfo() with reasons that name the host.
 */
#include "lib/net.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/* RFC 1035, 2.3.4. */
#define LABEL_BYTES_MAX 63
#define NAME_BYTES_MAX  254

static int fail_resolve(struct fail *f, const char *host, int code)
{
	if (code == EAI_SYSTEM)
		return fail_set(f, errno, "cannot resolve host %s: %s", host, strerror(errno));
	return fail_set(f, EADDRNOTAVAIL, "cannot resolve host %s: %s", host, gai_strerror(code));
}

static bool is_ipv6(const char *host)
{
	size_t len = strcspn(host, "%");
	char literal[INET6_ADDRSTRLEN];
	struct in6_addr ignored;

	if (len >= sizeof(literal) || (host[len] && !host[len + 1]))
		return false;
	snprintf(literal, sizeof(literal), "%.*s", (int)len, host);
	return inet_pton(AF_INET6, literal, &ignored) == 1;
}

static bool is_label(const char *label, size_t len)
{
	if (!len || len > LABEL_BYTES_MAX || label[0] == '-' || label[len - 1] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)label[i]) && !strchr("-_", label[i]))
			return false;
	return true;
}

bool net_is_host(const char *host)
{
	struct in_addr ignored;
	const char *last = host;
	size_t len;

	if (strchr(host, ':'))
		return is_ipv6(host);
	if (inet_pton(AF_INET, host, &ignored) == 1)
		return true;
	if (strlen(host) > NAME_BYTES_MAX)
		return false;
	for (const char *label = host;; label += len + 1) {
		len = strcspn(label, ".");
		if (!is_label(label, len))
			return false;
		last = label;
		if (!label[len] || !label[len + 1]) /* a dot at the end is the root */
			break;
	}
	return last[strspn(last, "0123456789")] && last[strspn(last, "0123456789")] != '.';
}

int net_resolve(const char *host, uint16_t port, bool listening, struct net_address *dst, int max,
		struct fail *f)
{
	char service[8];
	snprintf(service, sizeof(service), "%u", port);
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICSERV | (listening ? AI_PASSIVE : 0) };
	struct addrinfo *list;
	int code = getaddrinfo(listening && !*host ? NULL : host, service, &hints, &list);
	if (code)
		return fail_resolve(f, host, code);
	int found = 0;
	for (const struct addrinfo *at = list; at && found < max; at = at->ai_next) {
		if (at->ai_family != AF_INET && at->ai_family != AF_INET6)
			continue;
		memset(&dst[found], 0, sizeof(dst[found]));
		memcpy(&dst[found].addr, at->ai_addr, at->ai_addrlen);
		dst[found++].len = at->ai_addrlen;
	}
	freeaddrinfo(list);
	return found ? found : fail_resolve(f, host, EAI_NONAME);
}

const char *net_format(const struct net_address *a, char dst[NET_TEXT_BYTES])
{
	char host[NET_TEXT_BYTES - 12], port[8];
	if (getnameinfo((const struct sockaddr *)&a->addr, a->len, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(dst, NET_TEXT_BYTES, "?");
	else
		snprintf(dst, NET_TEXT_BYTES, a->addr.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
			 host, port);
	return dst;
}
