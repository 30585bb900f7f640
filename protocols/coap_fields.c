/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_fields - what the options of a message say, in one walk, and request targets as
 * options and back (RFC 7252 sections 5.4, 5.10, 6.4 and 6.5).
 */
#include <ctype.h>
#include <string.h>

#include "lib/hex.h"
#include "protocols/coap.h"

/* Bits of numbers below 64: may stand more than once. */
static const uint64_t repeatable = 1ull << COAP_IF_MATCH | 1ull << COAP_ETAG |
				   1ull << COAP_LOCATION_PATH | 1ull << COAP_URI_PATH |
				   1ull << COAP_URI_QUERY | 1ull << COAP_LOCATION_QUERY;

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const uint8_t *src, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ src[i]) * 0x100000001b3u;
	return hash;
}

static void add_to_key(struct coap_fields *f, const struct coap_option *o)
{
	uint8_t head[4] = { (uint8_t)(o->number >> 8), (uint8_t)o->number,
			    (uint8_t)(o->value_bytes >> 8), (uint8_t)o->value_bytes };

	if (coap_is_no_cache_key(o->number) || o->number == COAP_BLOCK1 ||
	    o->number == COAP_BLOCK2 || o->number == COAP_OBSERVE)
		return;
	f->key = mix(mix(f->key, head, sizeof head), o->value, o->value_bytes);
}

/* One that is known and of a lawful length. false: its value is outside its bounds. */
static bool take_known(struct coap_fields *f, const struct coap_option *o)
{
	switch (o->number) {
	case COAP_URI_HOST:
		f->host = o->value;
		f->host_bytes = o->value_bytes;
		return !memchr(o->value, 0, o->value_bytes);
	case COAP_ETAG:
		if (f->etag_bytes == 0) {
			f->etag_bytes = o->value_bytes;
			memcpy(f->etag, o->value, o->value_bytes);
		}
		return true;
	case COAP_OBSERVE:
		f->observed = true;
		f->observe = coap_uint(o);
		return true;
	case COAP_URI_PORT:
		f->port = coap_uint(o);
		return true;
	case COAP_CONTENT_FORMAT:
		f->format = coap_uint(o);
		return true;
	case COAP_MAX_AGE:
		f->max_age_s = coap_uint(o);
		return true;
	case COAP_ACCEPT:
		f->accept = coap_uint(o);
		return true;
	case COAP_BLOCK2:
		return coap_block_read(o, &f->block2) == 0;
	case COAP_BLOCK1:
		return coap_block_read(o, &f->block1) == 0;
	case COAP_SIZE2:
		f->sized2 = true;
		f->size2 = coap_uint(o);
		return true;
	case COAP_SIZE1:
		f->sized1 = true;
		f->size1 = coap_uint(o);
		return true;
	case COAP_IF_MATCH:
	case COAP_IF_NONE_MATCH:
		f->conditional = true;
		return true;
	case COAP_PROXY_URI:
	case COAP_PROXY_SCHEME:
		f->proxied = true;
		return true;
	default:
		return true;
	}
}

static void take(struct coap_fields *f, const struct coap_option *o, bool again)
{
	bool good = coap_option_name(o->number) != NULL &&
		    coap_option_length_ok(o->number, o->value_bytes) &&
		    (!again || (o->number < 64 && repeatable >> o->number & 1));

	add_to_key(f, o);
	if (good)
		good = take_known(f, o);
	if (!good && coap_is_critical(o->number) && f->refused == 0)
		f->refused = o->number;
}

void coap_fields_read(const struct coap_message *m, struct coap_fields *f)
{
	struct coap_walk walk = { .m = m };
	struct coap_option o;
	uint32_t last = 0;

	*f = (struct coap_fields){ .format = COAP_NO_FORMAT,
				   .accept = COAP_NO_FORMAT,
				   .max_age_s = 60,
				   .key = mix(0xcbf29ce484222325u, &m->code, 1) };
	while (coap_walk_next(&walk, &o)) {
		take(f, &o, o.number == last);
		last = o.number;
	}
}

/* --- targets --------------------------------------------------------------------------- */

static bool plain_in_target(uint8_t c, bool query)
{
	if (isalnum(c) || (c && strchr("-._~!$'()*+,;=:@", c)))
		return true;
	return query ? c == '/' || c == '?' : c == '&';
}

static bool put_escaped(char *dst, size_t cap, size_t *at, const struct coap_option *o)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < o->value_bytes; i++) {
		uint8_t c = o->value[i];
		bool plain = plain_in_target(c, o->number == COAP_URI_QUERY);

		if (cap - *at <= (plain ? 1u : 3u))
			return false;
		if (plain) {
			dst[(*at)++] = (char)c;
		} else {
			dst[(*at)++] = '%';
			dst[(*at)++] = hex[c >> 4];
			dst[(*at)++] = hex[c & 15];
		}
	}
	return true;
}

static bool is_dots(const struct coap_option *o)
{
	return (o->value_bytes == 1 && o->value[0] == '.') ||
	       (o->value_bytes == 2 && o->value[0] == '.' && o->value[1] == '.');
}

int coap_target_read(const struct coap_message *m, char *dst, size_t cap)
{
	struct coap_walk walk = { .m = m };
	struct coap_option o;
	size_t at = 0;
	bool query = false;

	if (cap < 2)
		return -1;
	while (coap_walk_next(&walk, &o) && o.number <= COAP_URI_QUERY) {
		if (o.number != COAP_URI_PATH && o.number != COAP_URI_QUERY)
			continue;
		if (o.number == COAP_URI_PATH && is_dots(&o))
			return -1;
		if (o.number == COAP_URI_QUERY && at == 0)
			dst[at++] = '/';
		if (cap - at <= 1)
			return -1;
		dst[at++] = o.number == COAP_URI_PATH ? '/' : query ? '&' : '?';
		query = o.number == COAP_URI_QUERY;
		if (!put_escaped(dst, cap, &at, &o))
			return -1;
	}
	if (at == 0)
		dst[at++] = '/';
	dst[at] = '\0';
	return 0;
}

/* One segment or one argument, its escapes resolved. */
static int write_part(struct coap_writer *w, uint32_t number, const char *part, size_t len)
{
	uint8_t value[255];
	size_t bytes = 0;

	for (size_t i = 0; i < len; i++) {
		if (bytes == sizeof value)
			return -1;
		if (part[i] == '%' && len - i >= 3 &&
		    hex_decode(part + i + 1, 1, &value[bytes]) == 0) {
			bytes++;
			i += 2;
		} else {
			value[bytes++] = (uint8_t)part[i];
		}
	}
	coap_write_option(w, number, value, bytes);
	return 0;
}

int coap_target_write_path(struct coap_writer *w, const char *target)
{
	size_t path = strcspn(target, "?");

	/* Section 6.4 step 8: the path "/" alone has no option. */
	for (size_t at = 1; path > 1 && at <= path;) {
		size_t len = strcspn(target + at, "/?");

		if (write_part(w, COAP_URI_PATH, target + at, len) != 0)
			return -1;
		at += len + 1;
	}
	return 0;
}

int coap_target_write_query(struct coap_writer *w, const char *target)
{
	const char *part = strchr(target, '?');

	while (part) {
		size_t len = strcspn(part + 1, "&");

		if (write_part(w, COAP_URI_QUERY, part + 1, len) != 0)
			return -1;
		part = part[1 + len] == '&' ? part + 1 + len : NULL;
	}
	return 0;
}
