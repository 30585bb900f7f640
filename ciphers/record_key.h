/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_key - opens protected records of somebody else's association with the secrets that an
 * endpoint logged (SSLKEYLOGFILE). It makes no connection and keeps no state but the keys.
 *
 * TLS 1.3: RFC 8446 sections 5 and 7; TLS 1.2 and DTLS 1.2: RFC 5246 section 6, RFC 5288,
 * RFC 6655, RFC 7905, RFC 7366. Older versions, and DTLS 1.3, are not opened.
 */
#ifndef CIPHERS_RECORD_KEY_H
#define CIPHERS_RECORD_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ciphers/cipher.h"

#define RECORD_SECRET_MAX   64
#define RECORD_MASTER_BYTES 48
#define RECORD_RANDOM_BYTES 32

struct record_key;

/* What stands in front of a record; seq: of DTLS with its epoch in the upper 16 bits. */
struct record_head {
	uint64_t seq;
	uint8_t type;
	uint16_t version;
};

/* NULL: no OpenSSL in this build, or a cipher that it does not open. */
struct record_key *record_key_13(const struct cipher *c, const uint8_t *secret, size_t len);
/* of_client: for what the client sends. */
struct record_key *record_key_12(const struct cipher *c, const uint8_t master[RECORD_MASTER_BYTES],
				 const uint8_t client_random[RECORD_RANDOM_BYTES],
				 const uint8_t server_random[RECORD_RANDOM_BYTES], bool of_client);
void record_key_free(struct record_key *k); /* NULL is allowed */

/*
 * body without the header; dst takes len bytes. 0: dst_len bytes of content, and in type what
 * they are (in TLS 1.3 the type inside). -1: not authentic with this key and number.
 */
int record_key_open(struct record_key *k, const struct record_head *head, const uint8_t *body,
		    size_t len, uint8_t *dst, size_t *dst_len, uint8_t *type);

/* The next traffic secret, after a KeyUpdate, in its place. -1: as for NULL above. */
int record_secret_next(const struct cipher *c, uint8_t *secret, size_t len);

/* Can this build open anything? */
bool record_key_available(void);

#endif
