/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_crypto - what secured objects (messages, not connections) need of a library:
 * signatures, authenticated encryption, certificates and whom they may be trusted to
 * speak for. It must not know how an object is written. Exists where OpenSSL does.
 *
 * Keys and authorities may be used by one thread at a time.
 */
#ifndef CIPHERS_OBJECT_CRYPTO_H
#define CIPHERS_OBJECT_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"

/* --- signatures: ECDSA with SHA-256 on P-256, r and s of 32 bytes each (RFC 9053 2.1) --- */

#define OBJECT_SIGNATURE_BYTES 64

struct object_key;

/* A private key from a PEM file. NULL, with the reason in f. Of any kind; only P-256 signs. */
struct object_key *object_key_read(const char *pem_file, struct fail *f);
void object_key_free(struct object_key *k); /* NULL is well */
/* A reference to OpenSSL's own key (EVP_PKEY), the caller's, for a library that takes one. */
void *object_key_native(const struct object_key *k);

int object_sign(const struct object_key *k, const void *src, size_t len,
		uint8_t signature[OBJECT_SIGNATURE_BYTES], struct fail *f);
/* false also where the key is of another kind. */
bool object_verify(const struct object_key *k, const void *src, size_t len,
		   const uint8_t signature[OBJECT_SIGNATURE_BYTES]);

/* --- authenticated encryption --------------------------------------------------------- */

struct object_aead {
	const char *name;   /* "A128GCM", as RFC 9053 section 4 calls it */
	const char *cipher; /* OpenSSL's name */
	int key_bytes, nonce_bytes, tag_bytes;
	bool ccm;
};

extern const struct object_aead object_a128gcm;
extern const struct object_aead object_aes_ccm_16_64_128;

/* Appends the sealed bytes and their tag. */
int object_seal(const struct object_aead *a, const uint8_t *key, const uint8_t *nonce,
		const void *aad, size_t aad_len, const void *src, size_t len, struct buf *out,
		struct fail *f);
/* Appends what was sealed; -1 and nothing when one bit is another. */
int object_unseal(const struct object_aead *a, const uint8_t *key, const uint8_t *nonce,
		  const void *aad, size_t aad_len, const void *src, size_t len, struct buf *out,
		  struct fail *f);

/* --- certificates --------------------------------------------------------------------- */

#define OBJECT_KEY_ID_BYTES 64

struct object_certificate {
	struct buf der;
	uint8_t key_id[OBJECT_KEY_ID_BYTES]; /* subject key identifier, RFC 5280 4.2.1.2 */
	size_t key_id_bytes;
};

/* The first certificate of a PEM file; one without an identifier is refused. */
int object_certificate_read(const char *pem_file, struct object_certificate *out, struct fail *f);
void object_certificate_release(struct object_certificate *c);
/* Its public key, the caller's to free; NULL, and the reason in f. */
struct object_key *object_certificate_key(const struct object_certificate *c, struct fail *f);

/* What its holder may be, by the extended key usage. */
enum object_role { OBJECT_CLIENT, OBJECT_SERVER };

struct object_trust;

/* The authorities of a PEM file, and no others. */
struct object_trust *object_trust_open(const char *ca_file, struct fail *f);
void object_trust_close(struct object_trust *t); /* NULL is well */
/*
 * Is this DER certificate, to its last byte, signed by one of the authorities, valid now,
 * and one that may sign as this role? Then its public key, the caller's to free; else NULL.
 */
struct object_key *object_trust_check(struct object_trust *t, const void *der, size_t len,
				      enum object_role role, struct fail *f);

/* --- the rest ------------------------------------------------------------------------- */

#define OBJECT_SHA1_BYTES 20

int object_random(void *dst, size_t len, struct fail *f);
int object_sha1(const void *src, size_t len, uint8_t digest[OBJECT_SHA1_BYTES], struct fail *f);
/* In a time that does not tell where they differ. */
bool object_same(const void *a, const void *b, size_t len);
void object_wipe(void *p, size_t len);
/* What others (xmlsec) left in this thread's error queue, which a TLS engine would find. */
void object_forget_errors(void);

#endif
