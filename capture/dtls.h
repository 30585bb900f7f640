/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtls - records and handshake messages out of datagrams, DTLS 1.0 to 1.3 (RFC 6347, RFC 9147),
 * connection ids (RFC 9146) included.
 *
 * Fragments may come in any order, overlap and come again: a message counts from the datagram
 * that completes it. Knows nothing of UDP.
 */
#ifndef CAPTURE_DTLS_H
#define CAPTURE_DTLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/connection.h"

#define DTLS_MESSAGES_OPEN 4  /* in parts at once, a direction; the oldest gives way */
#define DTLS_RANGES_MAX    32 /* of one message; more pieces than that are not waited for */
#define DTLS_DONE_MAX      16 /* completed message numbers that are remembered */

struct dtls_message {
	bool used;
	uint8_t type;
	uint16_t number;
	uint32_t bytes;
	int64_t first_ns;
	uint32_t age;
	struct {
		uint32_t from, to;
	} range[DTLS_RANGES_MAX]; /* sorted, apart */
	int range_count;
	uint8_t *body; /* of hellos, up to HELLO_BYTES_MAX; else NULL */
};

struct dtls_half {
	struct dtls_message open[DTLS_MESSAGES_OPEN];
	struct {
		uint16_t number;
		uint8_t type;
	} done[DTLS_DONE_MAX]; /* a ring */
	uint32_t done_count, age;
};

struct dtls_state {
	struct dtls_half half[2];
};

/* The datagram begins with a whole record in the clear whose header can be DTLS's. */
bool dtls_begins(const uint8_t *p, size_t len);
/* What is no record (STUN, RTP between) is passed over. */
void dtls_datagram(struct dtls_state *s, struct connection *c, int from, const uint8_t *p,
		   size_t len, int64_t now_ns);
void dtls_state_release(struct dtls_state *s);

/* For dtls.c: the fragments of one handshake record in the clear. */
void dtls_fragments(struct dtls_half *h, struct connection *c, int from, const uint8_t *p,
		    size_t len, int64_t now_ns);

#endif
