/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link - a row for each link type: how long its header is and where it names the protocol.
 */
#include "capture/link.h"

#include <stddef.h>

#include "capture/bytes.h"

#define ETHERTYPE_IPV4  0x0800
#define ETHERTYPE_IPV6  0x86dd
#define ETHERTYPE_VLAN  0x8100
#define ETHERTYPE_QINQ  0x88a8
#define ETHERTYPE_QINQ1 0x9100
#define ETHERTYPE_MPLS  0x8847
#define ETHERTYPE_PPPOE 0x8864
#define PPP_IPV4        0x0021
#define PPP_IPV6        0x0057

struct link_row {
	int link_type;
	uint32_t header_bytes;
	int type_at; /* offset of the ethertype; -1: IP follows */
};

static const struct link_row rows[] = {
	{ 0, 4, -1 },   { 1, 14, 12 },   { 12, 0, -1 },  { 14, 0, -1 },  { 101, 0, -1 },
	{ 108, 4, -1 }, { 113, 16, 14 }, { 228, 0, -1 }, { 229, 0, -1 }, { 276, 20, 0 },
};

bool span_skip(struct span *s, uint32_t bytes)
{
	if (bytes > s->captured_bytes)
		return false;
	s->data += bytes;
	s->captured_bytes -= bytes;
	s->wire_bytes -= bytes;
	return true;
}

void span_bound(struct span *s, uint32_t wire_bytes)
{
	if (s->wire_bytes > wire_bytes)
		s->wire_bytes = wire_bytes;
	if (s->captured_bytes > s->wire_bytes)
		s->captured_bytes = s->wire_bytes;
}

static const struct link_row *find_row(int link_type)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].link_type == link_type)
			return &rows[i];
	return NULL;
}

bool link_type_known(int link_type)
{
	return find_row(link_type) != NULL;
}

static bool is_ip(const struct span *s)
{
	return s->captured_bytes && (s->data[0] >> 4 == 4 || s->data[0] >> 4 == 6);
}

/* RFC 2516: the length counts the PPP protocol and bounds what follows, padding excluded. */
static bool strip_pppoe(struct span *s)
{
	uint16_t len, protocol;

	if (s->captured_bytes < 8 || s->data[0] != 0x11 || s->data[1])
		return false;
	len = be16(s->data + 4);
	protocol = be16(s->data + 6);
	if (len < 2 || !span_skip(s, 8))
		return false;
	span_bound(s, len - 2u);
	return (protocol == PPP_IPV4 || protocol == PPP_IPV6) && is_ip(s);
}

static bool strip_mpls(struct span *s)
{
	while (s->captured_bytes >= 4) {
		bool is_last = s->data[2] & 1;

		span_skip(s, 4);
		if (is_last)
			return is_ip(s);
	}
	return false;
}

static bool strip_ethertype(uint16_t type, struct span *s)
{
	while (type == ETHERTYPE_VLAN || type == ETHERTYPE_QINQ || type == ETHERTYPE_QINQ1) {
		if (s->captured_bytes < 4)
			return false;
		type = be16(s->data + 2);
		span_skip(s, 4);
	}
	if (type == ETHERTYPE_PPPOE)
		return strip_pppoe(s);
	if (type == ETHERTYPE_MPLS)
		return strip_mpls(s);
	return (type == ETHERTYPE_IPV4 || type == ETHERTYPE_IPV6) && is_ip(s);
}

bool link_strip(int link_type, struct span *s)
{
	const struct link_row *row = find_row(link_type);
	uint16_t type = 0;

	if (!row || s->captured_bytes < row->header_bytes)
		return false;
	if (row->type_at >= 0)
		type = be16(s->data + row->type_at);
	span_skip(s, row->header_bytes);
	return row->type_at < 0 ? is_ip(s) : strip_ethertype(type, s);
}
