/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_parse - lines and start lines of HTTP/1.1 (RFC 9112 sections 2 to 4).
 * It must not know what the fields mean: http1_fields.c does.
 */
#include "protocols/http1_parse.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "protocols/url.h"

/* Bytes that may stand in a line: HTAB, SP, VCHAR and obs-text. */
static bool is_line_byte(char c)
{
	unsigned char u = (unsigned char)c;

	return u == '\t' || (u >= ' ' && u != 0x7f);
}

enum http1_line http1_lines_take(struct http1_lines *l, const char *src, size_t len, size_t *taken)
{
	size_t i = 0;

	while (i < len && l->len < l->cap) {
		char c = src[i++];
		bool after_cr = l->len > l->start && l->base[l->len - 1] == '\r';

		*taken = i;
		l->base[l->len++] = c;
		if (after_cr && c == '\n') {
			l->base[l->len - 2] = '\0';
			return HTTP1_LINE_DONE;
		}
		if (after_cr || (!is_line_byte(c) && c != '\r'))
			return HTTP1_LINE_BAD;
	}
	*taken = i;
	return l->len < l->cap ? HTTP1_LINE_MORE : HTTP1_LINE_FULL;
}

size_t http1_lines_length(const struct http1_lines *l)
{
	return l->len - l->start - 2;
}

void http1_lines_next(struct http1_lines *l)
{
	l->start = l->len;
}

void http1_lines_clear(struct http1_lines *l)
{
	l->len = l->start = 0;
}

void http1_head_clear(struct http1_head *h)
{
	*h = (struct http1_head){ .star = -1 };
	memset(h->coding, -1, sizeof h->coding);
}

bool http1_is_token(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0' ||
		    (!isalnum((unsigned char)text[i]) && !strchr("!#$%&'*+-.^_`|~", text[i])))
			return false;
	return len > 0;
}

bool http1_is_host(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0' ||
		    (!isalnum((unsigned char)text[i]) && !strchr("-._~!$&'()*+,;=:[]%", text[i])))
			return false;
	return true;
}

static int bad(struct fail *f, int status, const char *what)
{
	fail_set(f, EPROTO, "%s", what);
	return status;
}

static int read_version(struct http1_head *h, const char *text, struct fail *f)
{
	if (strncmp(text, "HTTP/", 5) != 0 || strlen(text) != 8 || text[6] != '.' ||
	    !isdigit((unsigned char)text[5]) || !isdigit((unsigned char)text[7]))
		return bad(f, 400, "the version is not written as in \"HTTP/1.1\"");
	if (text[5] != '1')
		return bad(f, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
	/* RFC 9110 section 2.5: a higher minor version is read as the highest known. */
	h->minor = text[7] == '0' ? 0 : 1;
	return 0;
}

/* Methods that are known to exist; the rest is 501 (RFC 9110 section 9.1). */
static const struct {
	const char *name;
	enum app_method method;
} methods[] = {
	{ "GET", APP_GET },
	{ "HEAD", APP_HEAD },
	{ "POST", APP_POST },
	{ "OPTIONS", APP_OPTIONS },
	{ "PUT", APP_METHOD_OTHER },
	{ "DELETE", APP_METHOD_OTHER },
	{ "PATCH", APP_METHOD_OTHER },
	{ "TRACE", APP_METHOD_OTHER },
};

static int read_method(struct http1_head *h, const char *name, struct fail *f)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i].name, name) == 0) {
			h->method = methods[i].method;
			return 0;
		}
	if (!http1_is_token(name, strlen(name)))
		return bad(f, 400, "the method is not a token");
	return bad(f, 501, "the method is not one of HTTP's");
}

/*
 * "http://host/path": the authority moves to the front of the text, which leaves room
 * for the "/" that a target without a path needs before its query.
 */
static int read_absolute(struct http1_head *h, char *text, struct fail *f)
{
	char *authority = strstr(text, "://") + 3, *rest = authority + strcspn(authority, "/?");
	size_t len = (size_t)(rest - authority);

	if (len == 0 || !http1_is_host(authority, len))
		return bad(f, 400, "the target's host is not well formed");
	memmove(text, authority, len);
	text[len] = '\0';
	h->host = text;
	h->absolute = true;
	if (*rest == '\0' && h->method == APP_OPTIONS) {
		h->target = "*";
		return 0;
	}
	if (*rest != '/')
		*--rest = '/';
	h->target = rest;
	return 0;
}

static int read_target(struct http1_head *h, char *text, struct fail *f)
{
	int status = 0;

	h->target = text;
	if (strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0)
		status = read_absolute(h, text, f);
	if (status != 0)
		return status;
	if (strlen(h->target) >= APP_TARGET_BYTES)
		return bad(f, 414, "the target is longer than 1023 bytes");
	if (strcmp(h->target, "*") == 0 && h->method == APP_OPTIONS)
		return 0;
	if (!url_is_target(h->target, strlen(h->target)))
		return bad(f, 400, "the target is neither a path nor an http URL");
	return 0;
}

int http1_request_line(struct http1_head *h, char *line, size_t len, struct fail *f)
{
	char *target = memchr(line, ' ', len), *version;
	int status;

	if (!target)
		return bad(f, 400, "a request line is METHOD TARGET VERSION");
	*target++ = '\0';
	version = strchr(target, ' ');
	if (!version || strchr(version + 1, ' '))
		return bad(f, 400, "a request line is METHOD TARGET VERSION, one space between");
	*version++ = '\0';
	status = read_version(h, version, f);
	if (status == 0)
		status = read_method(h, line, f);
	return status ? status : read_target(h, target, f);
}

int http1_status_line(struct http1_head *h, char *line, size_t len, struct fail *f)
{
	char *code = line + 9;
	int status;

	if (len < 12 || line[8] != ' ' || (line[12] != ' ' && line[12] != '\0'))
		return bad(f, 400, "the answer does not begin with a status line");
	line[8] = '\0';
	status = read_version(h, line, f);
	if (status != 0)
		return status;
	for (int i = 0; i < 3; i++) {
		if (!isdigit((unsigned char)code[i]))
			return bad(f, 400, "the status is not a number of three digits");
		h->status = h->status * 10 + (code[i] - '0');
	}
	if (h->status < 100 || h->status > 599)
		return bad(f, 400, "the status is not between 100 and 599");
	return 0;
}
