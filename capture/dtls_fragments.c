/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtls_fragments - handshake messages put together from their fragments (RFC 6347 section 4.2.3).
 */
#include <stdlib.h>
#include <string.h>

#include "capture/bytes.h"
#include "capture/dtls.h"
#include "capture/hello.h"

#define HEADER_BYTES 12

struct fragment {
	uint8_t type;
	uint16_t number;
	uint32_t message_bytes, offset, bytes;
	const uint8_t *body;
};

static bool read_fragment(const uint8_t *p, size_t len, struct fragment *f)
{
	if (len < HEADER_BYTES)
		return false;
	*f = (struct fragment){ .type = p[0],
				.number = be16(p + 4),
				.message_bytes = be24(p + 1),
				.offset = be24(p + 6),
				.bytes = be24(p + 9),
				.body = p + HEADER_BYTES };
	return f->bytes <= len - HEADER_BYTES && f->offset <= f->message_bytes &&
	       f->bytes <= f->message_bytes - f->offset;
}

static void close_message(struct dtls_message *m)
{
	free(m->body);
	memset(m, 0, sizeof(*m));
}

static struct dtls_message *find(struct dtls_half *h, const struct fragment *f)
{
	for (int i = 0; i < DTLS_MESSAGES_OPEN; i++) {
		struct dtls_message *m = &h->open[i];

		if (m->used && m->number == f->number && m->type == f->type &&
		    m->bytes == f->message_bytes)
			return m;
	}
	return NULL;
}

static struct dtls_message *open_message(struct dtls_half *h, const struct fragment *f,
					 int64_t now_ns)
{
	struct dtls_message *m = &h->open[0];

	for (int i = 1; i < DTLS_MESSAGES_OPEN && m->used; i++)
		if (!h->open[i].used || h->open[i].age < m->age)
			m = &h->open[i];
	close_message(m);
	m->used = true;
	m->type = f->type;
	m->number = f->number;
	m->bytes = f->message_bytes;
	m->first_ns = now_ns;
	m->age = h->age++;
	if ((f->type == CLIENT_HELLO || f->type == SERVER_HELLO) && m->bytes &&
	    m->bytes <= HELLO_BYTES_MAX)
		m->body = calloc(1, m->bytes);
	return m;
}

/* Merge [from, to) into the sorted ranges; a piece too many is left out. */
static void cover(struct dtls_message *m, uint32_t from, uint32_t to)
{
	int i = 0, end;

	while (i < m->range_count && m->range[i].to < from)
		i++;
	for (end = i; end < m->range_count && m->range[end].from <= to; end++) {
		from = m->range[end].from < from ? m->range[end].from : from;
		to = m->range[end].to > to ? m->range[end].to : to;
	}
	if (end == i) {
		if (m->range_count == DTLS_RANGES_MAX)
			return;
		memmove(&m->range[i + 1], &m->range[i],
			(size_t)(m->range_count - i) * sizeof(m->range[0]));
		m->range_count++;
	} else {
		memmove(&m->range[i + 1], &m->range[end],
			(size_t)(m->range_count - end) * sizeof(m->range[0]));
		m->range_count -= end - i - 1;
	}
	m->range[i].from = from;
	m->range[i].to = to;
}

static bool is_whole(const struct dtls_message *m)
{
	return !m->bytes ||
	       (m->range_count == 1 && !m->range[0].from && m->range[0].to == m->bytes);
}

/* A server without state may use number 0 for two messages, so the type counts too. */
static bool was_done(struct dtls_half *h, uint16_t number, uint8_t type)
{
	for (uint32_t i = 0; i < DTLS_DONE_MAX && i < h->done_count; i++)
		if (h->done[i].number == number && h->done[i].type == type)
			return true;
	h->done[h->done_count % DTLS_DONE_MAX].number = number;
	h->done[h->done_count++ % DTLS_DONE_MAX].type = type;
	return false;
}

static void message_done(struct dtls_half *h, struct connection *c, int from,
			 struct dtls_message *d, int64_t now_ns)
{
	struct message m = { .first_ns = d->first_ns,
			     .time_ns = now_ns,
			     .bytes = d->bytes + HEADER_BYTES,
			     .from = (uint8_t)from,
			     .is_repeat = was_done(h, d->number, d->type) };

	handshake_add(c, &m, d->type, d->body, d->body ? d->bytes : 0);
	close_message(d);
}

void dtls_fragments(struct dtls_half *h, struct connection *c, int from, const uint8_t *p,
		    size_t len, int64_t now_ns)
{
	struct fragment f;

	while (read_fragment(p, len, &f)) {
		struct dtls_message *m = find(h, &f);

		if (!m)
			m = open_message(h, &f, now_ns);
		if (m->body && f.bytes)
			memcpy(m->body + f.offset, f.body, f.bytes);
		cover(m, f.offset, f.offset + f.bytes);
		if (is_whole(m))
			message_done(h, c, from, m, now_ns);
		p += HEADER_BYTES + f.bytes;
		len -= HEADER_BYTES + f.bytes;
	}
}

void dtls_state_release(struct dtls_state *s)
{
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < DTLS_MESSAGES_OPEN; i++)
			close_message(&s->half[side].open[i]);
}
