/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline - packets in, connections out: when each handshake message passed.
 *
 * The one place that knows every layer: link, IP (also inside GTP-U and IP), TCP or UDP, then
 * TLS, DTLS or CoAP. Neither prints nor reads files. Messages are those that can be read
 * without keys, or with those of a key log.
 */
#ifndef CAPTURE_TIMELINE_H
#define CAPTURE_TIMELINE_H

#include "capture/file.h"
#include "capture/ip.h"
#include "capture/stream.h"

struct timeline {
	struct ip_fragments fragments;
	struct stream_table table;
	int64_t origin_ns; /* of the first packet */
	uint64_t packets;
	uint64_t unknown_link; /* packets of a link type that is not read */
	int unknown_link_type; /* the last of them */
};

/* closed is called for each connection at its end; what it gets is valid during the call. */
void timeline_init(struct timeline *t, void (*closed)(void *data, const struct connection *c),
		   void *data);
/* Secrets for the connections that follow; borrowed, and may grow. After timeline_init(). */
void timeline_keys(struct timeline *t, struct keylog *keys);
/* Also report TCP connections that are no TLS: their protocol is CONN_NONE. */
void timeline_plain(struct timeline *t);
void timeline_packet(struct timeline *t, const struct capture_packet *p);
/* Closes every connection; the counts stay. timeline_init() makes it ready for another capture. */
void timeline_end(struct timeline *t);
/*
 * Close what has ended and was silent for linger_ns, and what was silent for silence_ns, at
 * now: for captures that have no end.
 */
void timeline_expire(struct timeline *t, int64_t now_ns, int64_t linger_ns, int64_t silence_ns);
/*
 * Every packet of a capture, then timeline_end(). -1 where it is
 * damaged: what stood before has been reported.
 */
int timeline_read(struct timeline *t, struct capture_file *file);

#endif
