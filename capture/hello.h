/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hello - what a ClientHello and a ServerHello say (RFC 8446 section 4.1, RFC 6347 section 4.2.1,
 * RFC 9146 section 3), and the names of handshake messages.
 */
#ifndef CAPTURE_HELLO_H
#define CAPTURE_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/connection.h"

#define HELLO_BYTES_MAX 16384 /* a longer ClientHello is timed, but not read */

enum handshake_type {
	CLIENT_HELLO = 1,
	SERVER_HELLO = 2,
	HELLO_VERIFY_REQUEST = 3,
	HELLO_RETRY_REQUEST = 6, /* of drafts before 23; since then a ServerHello */
	FINISHED = 20,
};

struct hello {
	uint32_t version; /* selected (supported_versions first); of a ClientHello its legacy field
			   */
	uint16_t suite;   /* ServerHello only */
	bool is_retry;
	bool early_data;
	int cid_bytes;         /* of the connection id extension; -1 without it */
	const uint8_t *random; /* 32 bytes of the body that was read */
};

/* Read the body behind the handshake header; false when it is malformed. */
bool hello_parse_client(const uint8_t *p, size_t len, bool is_dtls, struct hello *h);
bool hello_parse_server(const uint8_t *p, size_t len, struct hello *h);

/* NULL for a number that is none of TLS's. either_side: client and server both send it. */
const char *handshake_name(uint8_t type, bool *either_side);

/*
 * A handshake message in the clear was completed. m has its times, bytes, sender and the
 * repeat mark; body is what was kept of it (hellos only).
 */
void handshake_add(struct connection *c, struct message *m, uint8_t type, const uint8_t *body,
		   size_t len);
/* The encrypted ones behind ChangeCipherSpec, normally Finished. */
void handshake_add_encrypted(struct connection *c, struct message *m);
/* An alert record; is_clear says that its two bytes can be read. */
void alert_add(struct connection *c, struct message *m, const uint8_t *body, size_t len,
	       bool is_clear);
/* A protected record of (D)TLS 1.3 whose content cannot be told without keys. */
void protected_add(struct connection *c, struct message *m);
/* The first one of each side is a message; every one is data. */
void application_add(struct connection *c, struct message *m);

#endif
