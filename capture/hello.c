/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hello - a cursor over the fields, then the extensions that matter here.
 */
#include "capture/hello.h"

#include <string.h>

#include "capture/bytes.h"

#define EXTENSION_EARLY_DATA 42
#define EXTENSION_VERSIONS   43
#define EXTENSION_CID        54
#define RANDOM_BYTES         32

/* SHA-256 of "HelloRetryRequest", RFC 8446 section 4.1.3. */
static const uint8_t retry_random[RANDOM_BYTES] = {
	0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
	0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
	0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
};

struct cursor {
	const uint8_t *p;
	size_t left;
	bool failed;
};

static const uint8_t *take(struct cursor *c, size_t len)
{
	const uint8_t *p = c->p;

	if (c->failed || len > c->left) {
		c->failed = true;
		return NULL;
	}
	c->p += len;
	c->left -= len;
	return p;
}

static uint32_t number(struct cursor *c, size_t width)
{
	const uint8_t *p = take(c, width);

	if (!p)
		return 0;
	return width == 1 ? p[0] : width == 2 ? be16(p) : be24(p);
}

static void skip_vector(struct cursor *c, size_t width)
{
	take(c, number(c, width));
}

/* Versions of the drafts of TLS 1.3 count as it. */
static uint32_t plain_version(uint32_t v)
{
	return v >> 8 == 0x7f ? VERSION_TLS13 : v;
}

static void read_extension(struct hello *h, uint32_t type, struct cursor body, bool is_server)
{
	if (type == EXTENSION_EARLY_DATA)
		h->early_data = true;
	else if (type == EXTENSION_VERSIONS && is_server && body.left == 2)
		h->version = plain_version(be16(body.p));
	else if (type == EXTENSION_CID && body.left && body.p[0] == body.left - 1)
		h->cid_bytes = body.p[0];
}

static bool read_extensions(struct cursor *c, struct hello *h, bool is_server)
{
	struct cursor all = { 0 };

	if (!c->left)
		return !c->failed;
	all.left = number(c, 2);
	all.p = take(c, all.left);
	while (!c->failed && all.left && !all.failed) {
		uint32_t type = number(&all, 2);
		size_t len = number(&all, 2);
		const uint8_t *p = take(&all, len);

		if (p)
			read_extension(h, type, (struct cursor){ p, len, false }, is_server);
	}
	return !c->failed && !all.failed;
}

bool hello_parse_client(const uint8_t *p, size_t len, bool is_dtls, struct hello *h)
{
	struct cursor c = { p, len, false };

	*h = (struct hello){ .cid_bytes = -1, .version = number(&c, 2) };
	h->random = take(&c, RANDOM_BYTES);
	skip_vector(&c, 1);
	if (is_dtls)
		skip_vector(&c, 1);
	skip_vector(&c, 2);
	skip_vector(&c, 1);
	return read_extensions(&c, h, false);
}

bool hello_parse_server(const uint8_t *p, size_t len, struct hello *h)
{
	struct cursor c = { p, len, false };

	*h = (struct hello){ .cid_bytes = -1, .version = plain_version(number(&c, 2)) };
	h->random = take(&c, RANDOM_BYTES);
	h->is_retry = h->random && !memcmp(h->random, retry_random, RANDOM_BYTES);
	/* Drafts of TLS 1.3 before 22 had neither session nor compression. */
	if (h->version == VERSION_TLS13) {
		h->suite = (uint16_t)number(&c, 2);
		return read_extensions(&c, h, true);
	}
	skip_vector(&c, 1);
	h->suite = (uint16_t)number(&c, 2);
	number(&c, 1);
	return read_extensions(&c, h, true);
}
