/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_primitives - what the files of OpenSSL's primitives share. For
 * the openssl_*.c that define them only.
 */
#ifndef CIPHERS_OPENSSL_PRIMITIVES_H
#define CIPHERS_OPENSSL_PRIMITIVES_H

#include <openssl/err.h>
#include <openssl/evp.h>

#include "ciphers/primitive.h"

/* Returns -1; the reason is `what` and what the library says. */
int openssl_primitive_broken(struct primitive *p, const char *what);

/* --- keys ----------------------------------------------------------------- */

#define SECRET_BYTES_MAX 1024 /* ffdhe8192 */

struct openssl_key {
	EVP_PKEY *key, *peer;
	EVP_PKEY_CTX *ctx;
	EVP_MD_CTX *md;
	uint8_t *out, *wrapped;
	size_t out_cap, wrapped_len;
	uint8_t message[SIGNED_BYTES];
	const uint8_t *tbs;
	size_t tbs_len;
	uint8_t secret[SECRET_BYTES_MAX], own_secret[SECRET_BYTES_MAX];
	size_t secret_len, own_len;
};

/* The key that is given, or a new one; NULL where the library refuses. */
EVP_PKEY *openssl_own_key(const struct primitive *p);
EVP_PKEY *openssl_peer_key(const struct primitive *p);
int openssl_make_room(struct openssl_key *s, size_t cap);
int openssl_signature_open(struct primitive *p);
int openssl_agree_open(struct primitive *p);
int openssl_kem_open(struct primitive *p);

/* --- buffers -------------------------------------------------------------- */

#define KEY_BYTES_MAX 64
#define TAG_BYTES_MAX 16
#define BLOCK_BYTES   16

struct openssl_bulk {
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *enc, *dec;
	EVP_MD *md;
	EVP_MD_CTX *hash, *second;
	EVP_MAC *mac;
	EVP_MAC_CTX *mac_ctx;
	uint8_t key[KEY_BYTES_MAX], nonce[RECORD_NONCE_BYTES], aad[RECORD_AAD_BYTES];
	struct known_input in;
	uint8_t *text, *sealed; /* the input, and behind it room; ciphertext with its tag */
	size_t text_len;
	bool lengths_first; /* CCM wants to know the length before the data */
	uint8_t digest[EVP_MAX_MD_SIZE], other[EVP_MAX_MD_SIZE];
};

/* p->impl with keys and texts, known or made. */
int openssl_bulk_new(struct primitive *p, size_t key_len);
void openssl_bulk_close(struct primitive *p);
int openssl_start_blocks(struct primitive *p, EVP_CIPHER_CTX **ctx, int encrypt);

extern const struct primitive_ops openssl_aead, openssl_block, openssl_hash, openssl_hmac,
	openssl_transcript;

#endif
