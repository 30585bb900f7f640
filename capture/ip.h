/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip - IPv4 and IPv6 packets (RFC 791, RFC 8200) with extension headers, and their fragments.
 *
 * A datagram in fragments counts from the fragment that completes it. Knows nothing of
 * TCP or UDP.
 */
#ifndef CAPTURE_IP_H
#define CAPTURE_IP_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/link.h"

#define IP_FRAGMENTED_MAX 32 /* datagrams at once; the oldest gives way */
#define IP_DATAGRAM_BYTES 65536

struct ip_packet {
	uint8_t version; /* 4 or 6 */
	uint8_t protocol;
	uint8_t source[16], target[16]; /* IPv4 uses the first four, the rest is 0 */
	struct span payload;
};

struct ip_fragmented {
	bool used;
	struct ip_packet head; /* without payload */
	uint32_t id;
	uint32_t total_bytes; /* 0 until the last fragment came */
	uint64_t age;
	uint8_t *data;                           /* IP_DATAGRAM_BYTES */
	uint8_t have[IP_DATAGRAM_BYTES / 8 / 8]; /* a bit for each eight bytes */
};

struct ip_fragments {
	struct ip_fragmented slot[IP_FRAGMENTED_MAX];
	uint64_t age;
};

/*
 * True with a whole packet. Its payload borrows from s, or from f until the next call. Of
 * overlapping fragments the first copy counts.
 */
bool ip_parse(struct ip_fragments *f, struct span s, struct ip_packet *p);
void ip_fragments_release(struct ip_fragments *f);

#endif
