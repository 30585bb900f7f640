/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cose - COSE_Sign1 and COSE_Encrypt0 (RFC 9052 sections 4.2 and 5.2): written, and read
 * without a copy. Reading and checking are two steps, because between them the reader must
 * find out whose key it is. Signatures are ES256; encryption is A128GCM or
 * AES-CCM-16-64-128. It must not know what is in a message.
 */
#ifndef WORKLOADS_COSE_H
#define WORKLOADS_COSE_H

#include "ciphers/object_crypto.h"
#include "lib/fail.h"
#include "workloads/cose_read.h"

/* IANA's registry "COSE Algorithms". */
enum cose_algorithm {
	COSE_ALGORITHM_NONE = 0,
	COSE_A128GCM = 1,
	COSE_ES256 = -7,
	COSE_AES_CCM_16_64_128 = 10
};

#define COSE_TAG_ENCRYPT0 16
#define COSE_TAG_SIGN1    18

/* Header parameters that we know. A span without bytes is absent. */
struct cose_header {
	int64_t algorithm; /* enum cose_algorithm; COSE_ALGORITHM_NONE: absent */
	struct cose_span key_id, iv, partial_iv;
	struct cose_span x5chain;    /* one certificate, DER (RFC 9360) */
	int64_t issued_s, expires_s; /* CWT claims iat and exp (RFC 9597); 0: absent */
};

/* What was read, all of it borrowed from the message. */
struct cose_message {
	struct cose_span protected; /* its bytes, without those of an empty map */
	struct cose_header head;    /* of both buckets */
	bool times_protected, chain_protected;
	struct cose_span payload; /* Sign1; Encrypt0: the ciphertext */
	struct cose_span signature;
};

/*
 * Append a tagged message. What stands in `secured` is protected, what in `open` not.
 * external: bytes that both sides know and that are signed or authenticated too.
 */
int cose_sign1(const struct cose_header *secured, const struct cose_header *open,
	       struct cose_span payload, struct cose_span external, const struct object_key *key,
	       struct buf *out, struct fail *f);
/* open->iv is the nonce to use. */
int cose_encrypt0(const struct cose_header *secured, const struct cose_header *open,
		  struct cose_span payload, struct cose_span external, const uint8_t *key,
		  struct buf *out, struct fail *f);

/*
 * -1: it is not such a message, tagged or not, to its last byte; or it has a header twice, or
 * a critical one that is not known here.
 */
int cose_read_sign1(const void *src, size_t len, struct cose_message *m, struct fail *f);
int cose_read_encrypt0(const void *src, size_t len, struct cose_message *m, struct fail *f);

int cose_verify_sign1(const struct cose_message *m, struct cose_span external,
		      const struct object_key *key, struct fail *f);
/* base_iv: what a partial IV of the message completes; may be absent. */
int cose_decrypt0(const struct cose_message *m, struct cose_span external, const uint8_t *key,
		  struct cose_span base_iv, struct buf *out, struct fail *f);

#endif
