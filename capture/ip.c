/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip - headers first, then the fragments' table.
 */
#include "capture/ip.h"

#include <stdlib.h>
#include <string.h>

#include "capture/bytes.h"

#define NEXT_HOP       0
#define NEXT_ROUTING   43
#define NEXT_FRAGMENT  44
#define NEXT_AH        51
#define NEXT_OPTIONS   60
#define EXTENSIONS_MAX 16

struct fragment {
	bool present, more;
	uint32_t offset_bytes, id;
};

/* The total length is 0 in packets that the sender's card was to cut up. */
static bool parse_v4(struct span *s, struct ip_packet *p, struct fragment *g)
{
	const uint8_t *h = s->data;
	uint32_t header_bytes, total;

	if (s->captured_bytes < 20)
		return false;
	header_bytes = (h[0] & 15u) * 4;
	total = be16(h + 2);
	if (total)
		span_bound(s, total);
	g->offset_bytes = (be16(h + 6) & 0x1fffu) * 8;
	g->more = h[6] & 0x20;
	g->present = g->more || g->offset_bytes;
	g->id = be16(h + 4);
	p->version = 4;
	p->protocol = h[9];
	memcpy(p->source, h + 12, 4);
	memcpy(p->target, h + 16, 4);
	return header_bytes >= 20 && span_skip(s, header_bytes);
}

static bool skip_extensions(struct span *s, struct ip_packet *p, struct fragment *g)
{
	for (int i = 0; i < EXTENSIONS_MAX; i++) {
		const uint8_t *h = s->data;
		uint8_t kind = p->protocol;

		if (kind != NEXT_HOP && kind != NEXT_ROUTING && kind != NEXT_FRAGMENT &&
		    kind != NEXT_AH && kind != NEXT_OPTIONS)
			return true;
		if (s->captured_bytes < 8)
			return false;
		p->protocol = h[0];
		if (kind == NEXT_FRAGMENT) {
			g->offset_bytes = be16(h + 2) & 0xfff8u;
			g->more = h[3] & 1;
			g->present = g->more || g->offset_bytes;
			g->id = be32(h + 4);
			span_skip(s, 8);
			/* What follows in a later fragment is no header. */
			if (g->present)
				return true;
		} else if (!span_skip(s, kind == NEXT_AH ? (h[1] + 2u) * 4 : (h[1] + 1u) * 8)) {
			return false;
		}
	}
	return false;
}

static bool parse_v6(struct span *s, struct ip_packet *p, struct fragment *g)
{
	const uint8_t *h = s->data;
	uint32_t payload_bytes;

	if (s->captured_bytes < 40)
		return false;
	payload_bytes = be16(h + 4);
	p->version = 6;
	p->protocol = h[6];
	memcpy(p->source, h + 8, 16);
	memcpy(p->target, h + 24, 16);
	span_skip(s, 40);
	if (payload_bytes)
		span_bound(s, payload_bytes);
	return skip_extensions(s, p, g);
}

static bool same_datagram(const struct ip_fragmented *d, const struct ip_packet *p, uint32_t id)
{
	return d->used && d->id == id && d->head.version == p->version &&
	       d->head.protocol == p->protocol && !memcmp(d->head.source, p->source, 16) &&
	       !memcmp(d->head.target, p->target, 16);
}

static struct ip_fragmented *slot_for(struct ip_fragments *f, const struct ip_packet *p,
				      uint32_t id)
{
	struct ip_fragmented *d = &f->slot[0];

	for (int i = 0; i < IP_FRAGMENTED_MAX; i++)
		if (same_datagram(&f->slot[i], p, id))
			return &f->slot[i];
	for (int i = 1; i < IP_FRAGMENTED_MAX; i++)
		if (f->slot[i].used < d->used ||
		    (f->slot[i].used == d->used && f->slot[i].age < d->age))
			d = &f->slot[i];
	if (!d->data && !(d->data = malloc(IP_DATAGRAM_BYTES)))
		return NULL;
	d->used = true;
	d->head = *p;
	d->id = id;
	d->total_bytes = 0;
	d->age = f->age++;
	memset(d->have, 0, sizeof(d->have));
	return d;
}

static bool has_unit(const struct ip_fragmented *d, uint32_t unit)
{
	return d->have[unit / 8] & 1u << unit % 8;
}

static void store_fragment(struct ip_fragmented *d, const struct fragment *g, const struct span *s)
{
	for (uint32_t at = 0; at < s->captured_bytes; at += 8) {
		uint32_t unit = (g->offset_bytes + at) / 8;
		uint32_t left = s->captured_bytes - at;

		if (has_unit(d, unit))
			continue;
		memmove(d->data + (size_t)unit * 8, s->data + at, left < 8 ? left : 8);
		d->have[unit / 8] |= (uint8_t)(1u << unit % 8);
	}
	if (!g->more)
		d->total_bytes = g->offset_bytes + s->captured_bytes;
}

static bool is_whole(const struct ip_fragmented *d)
{
	if (!d->total_bytes)
		return false;
	for (uint32_t unit = 0; unit * 8 < d->total_bytes; unit++)
		if (!has_unit(d, unit))
			return false;
	return true;
}

static bool add_fragment(struct ip_fragments *f, const struct fragment *g, const struct span *s,
			 struct ip_packet *p)
{
	struct ip_fragmented *d;

	if (s->captured_bytes < s->wire_bytes || !s->captured_bytes ||
	    (g->more && s->captured_bytes % 8) ||
	    g->offset_bytes + s->captured_bytes > IP_DATAGRAM_BYTES)
		return false;
	d = slot_for(f, p, g->id);
	if (!d)
		return false;
	store_fragment(d, g, s);
	if (!is_whole(d))
		return false;
	/* Free, but the last to be used again: a packet inside it may be a fragment itself. */
	d->used = false;
	d->age = f->age++;
	p->payload = (struct span){ d->data, d->total_bytes, d->total_bytes };
	return true;
}

bool ip_parse(struct ip_fragments *f, struct span s, struct ip_packet *p)
{
	struct fragment g = { 0 };
	bool is_good;

	memset(p, 0, sizeof(*p));
	if (!s.captured_bytes)
		return false;
	is_good = s.data[0] >> 4 == 4   ? parse_v4(&s, p, &g)
		  : s.data[0] >> 4 == 6 ? parse_v6(&s, p, &g)
					: false;
	if (!is_good)
		return false;
	if (g.present)
		return add_fragment(f, &g, &s, p);
	p->payload = s;
	return true;
}

void ip_fragments_release(struct ip_fragments *f)
{
	for (int i = 0; i < IP_FRAGMENTED_MAX; i++)
		free(f->slot[i].data);
	memset(f, 0, sizeof(*f));
}
