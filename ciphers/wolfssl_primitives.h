/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_primitives - what the files of wolfSSL's primitives share. For the wolfssl_*.c
 * that define them only.
 */
#ifndef CIPHERS_WOLFSSL_PRIMITIVES_H
#define CIPHERS_WOLFSSL_PRIMITIVES_H

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/random.h>

#include "ciphers/primitive.h"

/* Returns -1; the reason is `what` and what the library's error code means. */
int wolfssl_primitive_broken(struct primitive *p, const char *what, int error);
/* The library, started once; a generator of random numbers. Returns 0, or -1: p->fail. */
int wolfssl_start(struct primitive *p, WC_RNG *rng);

enum wc_HashType wolfssl_hash_of(const struct algorithm *a);

struct wolfssl_aead_calls;

#define KEY_BYTES_MAX 64
#define TAG_BYTES_MAX 16
#define BLOCK_BYTES   16

struct wolfssl_bulk {
	Aes aes, decryption;
	Hmac hmac;
	bool has_aes, has_decryption, has_hmac;
	const struct wolfssl_aead_calls *by;
	enum wc_HashType hash_type;
	uint8_t key[KEY_BYTES_MAX], nonce[RECORD_NONCE_BYTES], aad[RECORD_AAD_BYTES];
	struct known_input in;
	uint8_t *text, *sealed; /* the input; ciphertext with its tag */
	word32 text_len, tag_len, digest_len;
	uint8_t digest[WC_MAX_DIGEST_SIZE], other[WC_MAX_DIGEST_SIZE];
};

/* p->impl with keys and texts, known or made. */
int wolfssl_bulk_new(struct primitive *p, size_t key_len);
void wolfssl_bulk_close(struct primitive *p);
#if defined(HAVE_AES_ECB)
int wolfssl_start_blocks(struct primitive *p);
#endif

extern const struct primitive_ops wolfssl_rsa, wolfssl_ec, wolfssl_x, wolfssl_eddsa, wolfssl_ffdh,
	wolfssl_aead, wolfssl_block, wolfssl_hash, wolfssl_hmac, wolfssl_transcript;

#endif
