/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link - from a captured frame to the IP packet in it.
 *
 * Link types by their LINKTYPE_ number: NULL 0, EN10MB 1, RAW 12, 14 and 101, LOOP 108,
 * LINUX_SLL 113, IPV4 228, IPV6 229, LINUX_SLL2 276; and what may stand between: any number of
 * VLAN tags, MPLS labels, PPPoE. Knows nothing of IP but its version number.
 */
#ifndef CAPTURE_LINK_H
#define CAPTURE_LINK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A part of a packet. wire_bytes may be more than captured_bytes where the capture kept
 * only the front; never less.
 */
struct span {
	const uint8_t *data;
	uint32_t captured_bytes, wire_bytes;
};

/* Step over bytes bytes, or false when so many were not captured. */
bool span_skip(struct span *s, uint32_t bytes);
/* Let it be no longer than wire_bytes. */
void span_bound(struct span *s, uint32_t wire_bytes);

bool link_type_known(int link_type);
/* From frame to IP packet; false when there is none (ARP, cut, unknown). */
bool link_strip(int link_type, struct span *s);

#endif
