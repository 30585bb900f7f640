/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtls_record - what the head of a datagram tells before any key is known: is it DTLS at all,
 * of which epoch, is it a ClientHello and whose (RFC 6347 sections 4.1 and 4.2, RFC 9147 section
 * 4). For who sorts datagrams to associations, and for the engines, whose libraries give up over
 * records that RFC 6347 (section 4.1.2.7) wants dropped. It decrypts nothing and keeps nothing.
 */
#ifndef CIPHERS_DTLS_RECORD_H
#define CIPHERS_DTLS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ciphers/cipher.h"

#define DTLS_RANDOM_BYTES 32
#define DTLS_HEAD_BYTES   13 /* of a record up to DTLS 1.2 */

enum dtls_content {
	DTLS_CHANGE_CIPHER_SPEC = 20,
	DTLS_ALERT = 21,
	DTLS_HANDSHAKE = 22,
	DTLS_APPLICATION_DATA = 23,
	DTLS_UNIFIED = 0x20 /* of DTLS 1.3, encrypted: 0b001CSLEE; the epoch is its low 2 bits */
};

struct dtls_record {
	enum dtls_content content;
	uint16_t epoch;
	/* Up to DTLS 1.2, 0 of DTLS_UNIFIED: epoch and number as one that grows; its length. */
	uint64_t number;
	size_t bytes;
	/* It begins with a handshake message in the clear, or with a part of one from there on. */
	bool is_message;
	uint16_t message_seq; /* of a ClientHello 0: the first; 1: behind a HelloVerifyRequest */
	uint32_t fragment_at; /* bytes of the message before this part */
	/* A ClientHello whole in this record, which is all that is answered without keeping it. */
	bool is_hello;
	const uint8_t *random; /* DTLS_RANDOM_BYTES of it */
};

/* false: no datagram of DTLS 1.x, or one whose first record is cut short. r points into src. */
bool dtls_record_read(const uint8_t *src, size_t len, struct dtls_record *r);

/*
 * Could the body of a protected record of DTLS 1.2 be of so many bytes? Under an AEAD cipher that
 * is its tag and, but for ChaCha20-Poly1305, half of its nonce (RFC 5288, RFC 6655, RFC 7905); else
 * whole blocks, one of them explicit, with the MAC among them or behind (RFC 5246 section 6.2.3.2,
 * RFC 7366). c is NULL where no cipher is agreed yet: then the longest of the former.
 */
bool dtls_may_be_sealed(const struct cipher *c, size_t body);

#endif
