/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_digest - OpenSSL's hashes and MACs over a buffer, and a handshake's transcript.
 * It reads no clock.
 */
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

#include "ciphers/openssl_primitives.h"

/* --- hash and MAC ------------------------------------------------------------------ */

static int hash_parts(struct openssl_bulk *s, size_t first, uint8_t *dst, unsigned *len)
{
	return EVP_DigestInit_ex2(s->hash, s->md, NULL) == 1 &&
	       EVP_DigestUpdate(s->hash, s->text, first) == 1 &&
	       (first == s->text_len ||
		EVP_DigestUpdate(s->hash, s->text + first, s->text_len - first) == 1) &&
	       EVP_DigestFinal_ex(s->hash, dst, len) == 1;
}

static int hash_once(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	unsigned len = 0;

	if (!hash_parts(s, s->text_len, s->digest, &len))
		return openssl_primitive_broken(p, "cannot hash");
	p->output = s->digest;
	p->output_len = len;
	return 0;
}

static int check_hash(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	unsigned len = 0;

	if (hash_once(p))
		return -1;
	if (!hash_parts(s, s->text_len / 2, s->other, &len) || len != p->output_len ||
	    memcmp(s->other, s->digest, len) != 0)
		return primitive_broken(p, "in two parts it hashes to another value");
	return 0;
}

static int start_hash(struct primitive *p)
{
	struct openssl_bulk *s;

	if (openssl_bulk_new(p, 0))
		return -1;
	s = p->impl;
	s->md = EVP_MD_fetch(NULL, p->what.algorithm->hash, NULL);
	s->hash = EVP_MD_CTX_new();
	s->second = EVP_MD_CTX_new();
	if (!s->md)
		return primitive_absent(p);
	return s->hash && s->second ? 0 : primitive_broken(p, "no memory");
}

static int hash_open(struct primitive *p)
{
	p->once = hash_once;
	return start_hash(p) || check_hash(p) ? -1 : 0;
}

static int mac_parts(struct openssl_bulk *s, size_t first, uint8_t *dst, size_t *len)
{
	return EVP_MAC_init(s->mac_ctx, NULL, 0, NULL) == 1 &&
	       EVP_MAC_update(s->mac_ctx, s->text, first) == 1 &&
	       (first == s->text_len ||
		EVP_MAC_update(s->mac_ctx, s->text + first, s->text_len - first) == 1) &&
	       EVP_MAC_final(s->mac_ctx, dst, len, EVP_MAX_MD_SIZE) == 1;
}

static int mac_once(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;

	if (!mac_parts(s, s->text_len, s->digest, &p->output_len))
		return openssl_primitive_broken(p, "cannot authenticate");
	p->output = s->digest;
	return 0;
}

static int check_mac(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	size_t len = 0;

	if (mac_once(p))
		return -1;
	if (!mac_parts(s, s->text_len / 2, s->other, &len) || len != p->output_len ||
	    memcmp(s->other, s->digest, len) != 0)
		return primitive_broken(p, "in two parts it gives another value");
	return 0;
}

static int hmac_open(struct primitive *p)
{
	const struct algorithm *a = p->what.algorithm;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)a->hash, 0),
		OSSL_PARAM_END,
	};
	struct openssl_bulk *s;

	if (openssl_bulk_new(p, a->bits / 8))
		return -1;
	s = p->impl;
	s->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	if (!s->mac)
		return primitive_absent(p);
	s->mac_ctx = EVP_MAC_CTX_new(s->mac);
	if (!s->mac_ctx || EVP_MAC_init(s->mac_ctx, s->in.key, s->in.key_len, params) != 1)
		return openssl_primitive_broken(p, "cannot be set up");
	p->once = mac_once;
	return check_mac(p);
}

/* --- a handshake's transcript --------------------------------------------------------- */

/* After the messages that end a flight one block is encrypted, three in all. */
static bool block_follows(int chunk)
{
	return chunk == 4 || chunk == 8 || chunk == TRANSCRIPT_CHUNKS - 1;
}

static int transcript_once(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	const uint8_t *at = s->text;
	uint8_t block[BLOCK_BYTES * 2];
	unsigned len = 0;
	int n, ok = EVP_DigestInit_ex2(s->hash, s->md, NULL) == 1;

	for (int i = 0; i < TRANSCRIPT_CHUNKS && ok; i++) {
		ok = EVP_DigestUpdate(s->hash, at, transcript_chunk_bytes[i]) == 1;
		if (ok && block_follows(i))
			ok = EVP_EncryptUpdate(s->enc, block, &n, at, BLOCK_BYTES) == 1;
		at += transcript_chunk_bytes[i];
	}
	ok = ok && EVP_DigestFinal_ex(s->hash, s->digest, &len) == 1 &&
	     EVP_DigestInit_ex2(s->second, s->md, NULL) == 1 &&
	     EVP_DigestUpdate(s->second, s->text, TRANSCRIPT_SECOND_BYTES) == 1 &&
	     EVP_DigestFinal_ex(s->second, s->other, NULL) == 1;
	p->output = s->digest;
	p->output_len = len;
	return ok ? 0 : openssl_primitive_broken(p, "cannot hash");
}

static int transcript_open(struct primitive *p)
{
	struct openssl_bulk *s;
	unsigned len = 0;

	if (start_hash(p))
		return -1;
	s = p->impl;
	s->cipher = EVP_CIPHER_fetch(NULL, "AES-128-ECB", NULL);
	if (!s->cipher)
		return primitive_absent(p);
	if (openssl_start_blocks(p, &s->enc, 1) || transcript_once(p))
		return -1;
	p->once = transcript_once;
	if (!hash_parts(s, s->text_len, s->other, &len) || memcmp(s->other, s->digest, len) != 0)
		return primitive_broken(p, "in one part it hashes to another value");
	return 0;
}

const struct primitive_ops openssl_hash = { FAMILY_HASH, hash_open, openssl_bulk_close };
const struct primitive_ops openssl_hmac = { FAMILY_HMAC, hmac_open, openssl_bulk_close };
const struct primitive_ops openssl_transcript = { FAMILY_TRANSCRIPT, transcript_open,
						  openssl_bulk_close };
