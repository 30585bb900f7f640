/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_fields - header fields of HTTP/1.1 (RFC 9112 sections 5 and 6, RFC 9110):
 * the few that steer framing, persistence and content coding. One table row each.
 * It must not know events or answers.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "protocols/http1_parse.h"

static int bad(struct fail *f, int status, const char *what)
{
	fail_set(f, EPROTO, "%s", what);
	return status;
}

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t");
}

/* Cut blanks off the end. */
static void trim(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	text[len] = '\0';
}

/* The next element of a comma list, without blanks around it; empty ones are skipped. */
static char *next_element(char **list)
{
	while (*list) {
		char *element = skip_blanks(*list), *comma = strchr(element, ',');

		*list = comma ? comma + 1 : NULL;
		if (comma)
			*comma = '\0';
		trim(element);
		if (*element)
			return element;
	}
	return NULL;
}

static int read_host(struct http1_head *h, char *value, struct fail *f)
{
	if (++h->hosts > 1)
		return bad(f, 400, "more than one Host field");
	if (!http1_is_host(value, strlen(value)))
		return bad(f, 400, "the Host field is not a host and port");
	if (!h->absolute)
		h->host = value;
	return 0;
}

static int read_length(struct http1_head *h, char *value, struct fail *f)
{
	size_t digits = strspn(value, "0123456789");
	uint64_t length = 0;

	if (digits == 0 || value[digits] != '\0')
		return bad(f, 400, "Content-Length is not a number");
	for (size_t i = 0; i < digits; i++) {
		if (length > (UINT64_MAX - 9) / 10)
			return bad(f, 413, "Content-Length is beyond all bounds");
		length = length * 10 + (uint64_t)(value[i] - '0');
	}
	if (h->has_length && h->length != length)
		return bad(f, 400, "two Content-Length fields that differ");
	h->has_length = true;
	h->length = length;
	return 0;
}

static int read_transfer_coding(struct http1_head *h, char *value, struct fail *f)
{
	size_t len = strlen(value);

	if (h->has_coding)
		return bad(f, 400, "more than one Transfer-Encoding field");
	h->has_coding = true;
	h->chunked = strcasecmp(value, "chunked") == 0;
	if (h->chunked)
		return 0;
	if (len > 7 && strcasecmp(value + len - 7, "chunked") == 0)
		return bad(f, 501, "no transfer coding but chunked is known here");
	return bad(f, 400, "the last transfer coding is not chunked");
}

static int read_connection(struct http1_head *h, char *value, struct fail *f)
{
	char *option;

	while ((option = next_element(&value))) {
		if (!http1_is_token(option, strlen(option)))
			return bad(f, 400, "a Connection option is not a token");
		h->close |= strcasecmp(option, "close") == 0;
		h->keep |= strcasecmp(option, "keep-alive") == 0;
	}
	return 0;
}

/* "q=0.5": a weight of RFC 9110 section 12.4.2, and more than nothing. */
static bool weight_is_positive(const char *text)
{
	const char *digits = text + 3;
	size_t decimals;

	if (strncasecmp(text, "q=", 2) != 0 || (text[2] != '0' && text[2] != '1'))
		return false;
	if (*digits == '.')
		digits++;
	decimals = strspn(digits, text[2] == '1' ? "0" : "0123456789");
	if (digits[decimals] != '\0' || decimals > 3 || (decimals > 0 && text[3] != '.'))
		return false;
	return text[2] == '1' || strspn(digits, "0") < decimals;
}

/* An element that does not follow the grammar accepts nothing: identity is always right. */
static int read_accept_encoding(struct http1_head *h, char *value, struct fail *f)
{
	char *element;

	(void)f;
	while ((element = next_element(&value))) {
		char *parameter = strchr(element, ';');
		enum app_encoding coding;
		signed char accepted = 1;

		if (parameter) {
			*parameter++ = '\0';
			trim(element);
			accepted = weight_is_positive(skip_blanks(parameter));
		}
		coding = app_encoding_by_name(element);
		if (coding < APP_ENCODINGS)
			h->coding[coding] = accepted;
		else if (strcmp(element, "*") == 0)
			h->star = accepted;
	}
	return 0;
}

static int read_expect(struct http1_head *h, char *value, struct fail *f)
{
	if (h->minor == 0)
		return 0;
	if (strcasecmp(value, "100-continue") != 0)
		return bad(f, 417, "no expectation but 100-continue can be met");
	h->expect_continue = true;
	return 0;
}

static int read_content_type(struct http1_head *h, char *value, struct fail *f)
{
	(void)f;
	h->content_type = value;
	return 0;
}

static int read_content_encoding(struct http1_head *h, char *value, struct fail *f)
{
	enum app_encoding coding = *value ? app_encoding_by_name(value) : APP_IDENTITY;

	if (coding == APP_ENCODINGS)
		return bad(f, 415, "the content coding is not gzip, br, zstd or identity");
	if (coding != APP_IDENTITY)
		h->encoding = coding;
	return 0;
}

enum { REQUEST = 1 << APP_SERVER, RESPONSE = 1 << APP_CLIENT };

static const struct {
	const char *name;
	unsigned halves; /* a server reads REQUEST, a client RESPONSE */
	int (*read)(struct http1_head *h, char *value, struct fail *f);
} fields[] = {
	{ "host", REQUEST, read_host },
	{ "content-length", REQUEST | RESPONSE, read_length },
	{ "transfer-encoding", REQUEST | RESPONSE, read_transfer_coding },
	{ "connection", REQUEST | RESPONSE, read_connection },
	{ "accept-encoding", REQUEST, read_accept_encoding },
	{ "expect", REQUEST, read_expect },
	{ "content-type", REQUEST | RESPONSE, read_content_type },
	{ "content-encoding", REQUEST | RESPONSE, read_content_encoding },
};

/* "name: value" in two texts. */
static int split_field(char *line, size_t len, char **value, struct fail *f)
{
	char *colon = memchr(line, ':', len);

	if (line[0] == ' ' || line[0] == '\t')
		return bad(f, 400, "a header field is folded over two lines");
	if (!colon || !http1_is_token(line, (size_t)(colon - line)))
		return bad(f, 400, "a header field is not \"name: value\"");
	*colon = '\0';
	*value = skip_blanks(colon + 1);
	trim(*value);
	return 0;
}

int http1_field(struct http1_head *h, enum app_half half, char *line, size_t len, struct fail *f)
{
	char *value;
	int status = split_field(line, len, &value, f);

	for (size_t i = 0; status == 0 && i < sizeof fields / sizeof *fields; i++)
		if ((fields[i].halves & (1u << half)) && strcasecmp(fields[i].name, line) == 0)
			return fields[i].read(h, value, f);
	return status;
}

int http1_trailer(char *line, size_t len, struct fail *f)
{
	char *value;

	return split_field(line, len, &value, f);
}

int http1_request_check(const struct http1_head *h, struct fail *f)
{
	if (h->minor == 1 && h->hosts == 0)
		return bad(f, 400, "an HTTP/1.1 request without a Host field");
	if (h->has_coding && h->has_length)
		return bad(f, 400, "Transfer-Encoding and Content-Length together");
	if (h->has_coding && h->minor == 0)
		return bad(f, 400, "Transfer-Encoding in an HTTP/1.0 request");
	return 0;
}

bool http1_persistent(const struct http1_head *h)
{
	return !h->close && (h->minor == 1 || h->keep);
}

unsigned http1_accepts(const struct http1_head *h)
{
	unsigned accepts = 1u << APP_IDENTITY;

	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++)
		if (h->coding[e] > 0 || (h->coding[e] < 0 && h->star > 0))
			accepts |= 1u << e;
	return accepts;
}
