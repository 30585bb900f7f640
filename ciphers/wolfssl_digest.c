/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_digest - wolfSSL's hashes and MACs over a buffer, and a handshake's transcript.
 * It reads no clock.
 */
#include <string.h>

#include "ciphers/wolfssl_primitives.h"

/* --- hash and MAC ------------------------------------------------------------------ */

static int hash_parts(struct wolfssl_bulk *s, word32 first, uint8_t *dst)
{
	wc_HashAlg hash;
	int ret = wc_HashInit(&hash, s->hash_type);

	if (ret)
		return ret;
	ret = wc_HashUpdate(&hash, s->hash_type, s->text, first);
	if (!ret && first < s->text_len)
		ret = wc_HashUpdate(&hash, s->hash_type, s->text + first, s->text_len - first);
	if (!ret)
		ret = wc_HashFinal(&hash, s->hash_type, dst);
	wc_HashFree(&hash, s->hash_type);
	return ret;
}

static int hash_once(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	int ret = hash_parts(s, s->text_len, s->digest);

	p->output = s->digest;
	p->output_len = s->digest_len;
	return ret ? wolfssl_primitive_broken(p, "cannot hash", ret) : 0;
}

static int start_hash(struct primitive *p, size_t key_len)
{
	struct wolfssl_bulk *s;

	if (wolfssl_bulk_new(p, key_len))
		return -1;
	s = p->impl;
	s->hash_type = wolfssl_hash_of(p->what.algorithm);
	s->digest_len = (word32)wc_HashGetDigestSize(s->hash_type);
	return 0;
}

static int hash_open(struct primitive *p)
{
	struct wolfssl_bulk *s;
	int ret;

	if (start_hash(p, 0) || hash_once(p))
		return -1;
	s = p->impl;
	ret = hash_parts(s, s->text_len / 2, s->other);
	if (ret || memcmp(s->other, s->digest, s->digest_len) != 0)
		return wolfssl_primitive_broken(p, "in two parts it hashes to another value", ret);
	p->once = hash_once;
	return 0;
}

const struct primitive_ops wolfssl_hash = { FAMILY_HASH, hash_open, wolfssl_bulk_close };

static int mac_parts(struct wolfssl_bulk *s, word32 first, uint8_t *dst)
{
	int ret = wc_HmacUpdate(&s->hmac, s->text, first);

	if (!ret && first < s->text_len)
		ret = wc_HmacUpdate(&s->hmac, s->text + first, s->text_len - first);
	return ret ? ret : wc_HmacFinal(&s->hmac, dst);
}

static int mac_once(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	int ret = mac_parts(s, s->text_len, s->digest);

	p->output = s->digest;
	p->output_len = s->digest_len;
	return ret ? wolfssl_primitive_broken(p, "cannot authenticate", ret) : 0;
}

static int hmac_open(struct primitive *p)
{
	struct wolfssl_bulk *s;
	int ret;

	if (start_hash(p, p->what.algorithm->bits / 8))
		return -1;
	s = p->impl;
	ret = wc_HmacInit(&s->hmac, NULL, INVALID_DEVID);
	s->has_hmac = !ret;
	if (!ret)
		ret = wc_HmacSetKey(&s->hmac, (int)s->hash_type, s->in.key, (word32)s->in.key_len);
	if (ret)
		return wolfssl_primitive_broken(p, "cannot be set up", ret);
	p->once = mac_once;
	if (mac_once(p))
		return -1;
	ret = mac_parts(s, s->text_len / 2, s->other);
	if (ret || memcmp(s->other, s->digest, s->digest_len) != 0)
		return wolfssl_primitive_broken(p, "in two parts it gives another value", ret);
	return 0;
}

const struct primitive_ops wolfssl_hmac = { FAMILY_HMAC, hmac_open, wolfssl_bulk_close };

/* --- a handshake's transcript --------------------------------------------------------- */

#if defined(HAVE_AES_ECB)

/* After the messages that end a flight one block is encrypted, three in all. */
static bool block_follows(int chunk)
{
	return chunk == 4 || chunk == 8 || chunk == TRANSCRIPT_CHUNKS - 1;
}

static int hash_transcript(struct wolfssl_bulk *s, wc_HashAlg *hash)
{
	const uint8_t *at = s->text;
	uint8_t block[BLOCK_BYTES];
	int ret = 0;

	for (int i = 0; i < TRANSCRIPT_CHUNKS && !ret; i++) {
		word32 len = (word32)transcript_chunk_bytes[i];

		ret = wc_HashUpdate(hash, s->hash_type, at, len);
		if (!ret && block_follows(i))
			ret = wc_AesEcbEncrypt(&s->aes, block, at, BLOCK_BYTES);
		at += len;
	}
	return ret ? ret : wc_HashFinal(hash, s->hash_type, s->digest);
}

static int transcript_once(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	wc_HashAlg hash;
	int ret = wc_HashInit(&hash, s->hash_type);

	if (!ret)
		ret = hash_transcript(s, &hash);
	wc_HashFree(&hash, s->hash_type);
	if (!ret)
		ret = wc_HashInit(&hash, s->hash_type);
	if (!ret)
		ret = wc_HashUpdate(&hash, s->hash_type, s->text, TRANSCRIPT_SECOND_BYTES);
	if (!ret)
		ret = wc_HashFinal(&hash, s->hash_type, s->other);
	wc_HashFree(&hash, s->hash_type);
	p->output = s->digest;
	p->output_len = s->digest_len;
	return ret ? wolfssl_primitive_broken(p, "cannot hash", ret) : 0;
}

static int transcript_open(struct primitive *p)
{
	struct wolfssl_bulk *s;
	int ret;

	if (start_hash(p, BLOCK_BYTES) || wolfssl_start_blocks(p) || transcript_once(p))
		return -1;
	s = p->impl;
	p->once = transcript_once;
	ret = hash_parts(s, s->text_len, s->other);
	if (ret || memcmp(s->other, s->digest, s->digest_len) != 0)
		return wolfssl_primitive_broken(p, "in one part it hashes to another value", ret);
	return 0;
}

const struct primitive_ops wolfssl_transcript = { FAMILY_TRANSCRIPT, transcript_open,
						  wolfssl_bulk_close };

#endif
