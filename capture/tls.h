/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls - records and handshake messages out of one direction's byte stream, SSL 2 to TLS 1.3.
 *
 * A message in the clear counts from the packet that completes its record (a peer cannot
 * read it before). Bodies are kept for hellos alone, so a certificate of any size costs no
 * memory. Knows nothing of TCP.
 */
#ifndef CAPTURE_TLS_H
#define CAPTURE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/connection.h"
#include "lib/buf.h"

enum tls_state { TLS_START, TLS_RECORDS, TLS_SSL2, TLS_DEAD };

struct handshake_reader {
	uint8_t header[4];
	int header_have;
	uint32_t left, bytes;
	int64_t first_ns;
	struct buf hello;
};

struct tls_half {
	enum tls_state state;
	bool is_midstream;   /* it did not begin with a SYN: a record may begin anywhere */
	bool changed_cipher; /* ChangeCipherSpec passed: TLS 1.2 and older encrypt from here */
	uint8_t header[5];
	uint32_t header_have, record_left, record_bytes;
	int64_t first_ns;  /* of the record's first byte */
	struct buf record; /* of handshake, alert and ChangeCipherSpec records; with keys of all */
	struct buf plain;  /* what was opened with keys */
	struct handshake_reader handshake;
};

void tls_half_release(struct tls_half *h);
/*
 * Bytes in order that arrived with a packet at now. What is no TLS ends the reading of
 * this direction and is noted in c.
 */
void tls_feed(struct tls_half *h, struct connection *c, int from, const uint8_t *p, size_t len,
	      int64_t now_ns);

/* For tls*.c */
bool ssl2_begins(const struct connection *c, const uint8_t header[5]);
/* A record of SSL 2 whose first byte of content is at p. */
void ssl2_record(struct tls_half *h, struct connection *c, struct message *m, const uint8_t *p,
		 size_t len);

#endif
