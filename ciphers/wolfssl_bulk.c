/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_bulk - wolfSSL's ciphers over a buffer.
 *
 * Keys are set outside the operation, as in a TLS connection, but for ChaCha20-Poly1305,
 * whose function takes the key each time. It reads no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "ciphers/wolfssl_primitives.h"

#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

/* What one AEAD's functions are called. Each returns the library's error. */
struct wolfssl_aead_calls {
	const char *openssl; /* its name in struct algorithm */
	int (*start)(struct wolfssl_bulk *s);
	int (*seal)(struct wolfssl_bulk *s);
	int (*open)(struct wolfssl_bulk *s);
};

/* What is not given is made: the cost depends on lengths alone. */
int wolfssl_bulk_new(struct primitive *p, size_t key_len)
{
	struct wolfssl_bulk *s = calloc(1, sizeof(*s));
	const struct known_input *known = &p->known;
	size_t tag = p->what.algorithm->tag_bytes;
	bool opens = p->what.op == OP_OPEN && known->input;

	p->impl = s;
	if (!s)
		return primitive_broken(p, "no memory");
	primitive_fill(s->key, sizeof(s->key));
	primitive_fill(s->nonce, sizeof(s->nonce));
	primitive_fill(s->aad, sizeof(s->aad));
	s->in = (struct known_input){ .key = s->key,
				      .key_len = key_len,
				      .nonce = s->nonce,
				      .nonce_len = sizeof(s->nonce),
				      .aad = s->aad,
				      .aad_len = sizeof(s->aad) };
	if (known->key)
		s->in = *known;
	s->tag_len = (word32)tag;
	s->text_len = (word32)(known->input ? known->input_len - (opens ? tag : 0) : p->what.bytes);
	s->text = malloc(s->text_len + TAG_BYTES_MAX);
	s->sealed = malloc(s->text_len + TAG_BYTES_MAX);
	if (!s->text || !s->sealed)
		return primitive_broken(p, "no memory");
	primitive_fill(s->text, s->text_len);
	if (known->input)
		memcpy(opens ? s->sealed : s->text, known->input, known->input_len);
	return wolfssl_start(p, NULL);
}

void wolfssl_bulk_close(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;

	if (!s)
		return;
	if (s->has_aes)
		wc_AesFree(&s->aes);
	if (s->has_decryption)
		wc_AesFree(&s->decryption);
	if (s->has_hmac)
		wc_HmacFree(&s->hmac);
	free(s->text);
	free(s->sealed);
	free(s);
}

/* --- AEAD --------------------------------------------------------------------- */

static int start_aes(struct wolfssl_bulk *s)
{
	int ret = wc_AesInit(&s->aes, NULL, INVALID_DEVID);

	s->has_aes = !ret;
	return ret;
}

static int start_gcm(struct wolfssl_bulk *s)
{
	int ret = start_aes(s);

	return ret ? ret : wc_AesGcmSetKey(&s->aes, s->in.key, (word32)s->in.key_len);
}

static int seal_gcm(struct wolfssl_bulk *s)
{
	return wc_AesGcmEncrypt(&s->aes, s->sealed, s->text, s->text_len, s->in.nonce,
				(word32)s->in.nonce_len, s->sealed + s->text_len, s->tag_len,
				s->in.aad, (word32)s->in.aad_len);
}

static int open_gcm(struct wolfssl_bulk *s)
{
	return wc_AesGcmDecrypt(&s->aes, s->text, s->sealed, s->text_len, s->in.nonce,
				(word32)s->in.nonce_len, s->sealed + s->text_len, s->tag_len,
				s->in.aad, (word32)s->in.aad_len);
}

#if defined(HAVE_AESCCM)
static int start_ccm(struct wolfssl_bulk *s)
{
	int ret = start_aes(s);

	return ret ? ret : wc_AesCcmSetKey(&s->aes, s->in.key, (word32)s->in.key_len);
}

static int seal_ccm(struct wolfssl_bulk *s)
{
	return wc_AesCcmEncrypt(&s->aes, s->sealed, s->text, s->text_len, s->in.nonce,
				(word32)s->in.nonce_len, s->sealed + s->text_len, s->tag_len,
				s->in.aad, (word32)s->in.aad_len);
}

static int open_ccm(struct wolfssl_bulk *s)
{
	return wc_AesCcmDecrypt(&s->aes, s->text, s->sealed, s->text_len, s->in.nonce,
				(word32)s->in.nonce_len, s->sealed + s->text_len, s->tag_len,
				s->in.aad, (word32)s->in.aad_len);
}
#endif

#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
static int start_chacha(struct wolfssl_bulk *s)
{
	bool fits = s->in.key_len == CHACHA20_POLY1305_AEAD_KEYSIZE &&
		    s->in.nonce_len == CHACHA20_POLY1305_AEAD_IV_SIZE;

	return fits ? 0 : BAD_FUNC_ARG;
}

static int seal_chacha(struct wolfssl_bulk *s)
{
	return wc_ChaCha20Poly1305_Encrypt(s->in.key, s->in.nonce, s->in.aad, (word32)s->in.aad_len,
					   s->text, s->text_len, s->sealed,
					   s->sealed + s->text_len);
}

static int open_chacha(struct wolfssl_bulk *s)
{
	return wc_ChaCha20Poly1305_Decrypt(s->in.key, s->in.nonce, s->in.aad, (word32)s->in.aad_len,
					   s->sealed, s->text_len, s->sealed + s->text_len,
					   s->text);
}
#endif

static const struct wolfssl_aead_calls aeads[] = {
	{ "AES-128-GCM", start_gcm, seal_gcm, open_gcm },
	{ "AES-256-GCM", start_gcm, seal_gcm, open_gcm },
#if defined(HAVE_AESCCM)
	{ "AES-128-CCM", start_ccm, seal_ccm, open_ccm },
	{ "AES-256-CCM", start_ccm, seal_ccm, open_ccm },
#endif
#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
	{ "ChaCha20-Poly1305", start_chacha, seal_chacha, open_chacha },
#endif
	{ NULL, NULL, NULL, NULL },
};

static int seal_once(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	int ret = s->by->seal(s);

	p->output = s->sealed;
	p->output_len = s->text_len + s->tag_len;
	return ret ? wolfssl_primitive_broken(p, "cannot seal", ret) : 0;
}

static int open_once(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	int ret = s->by->open(s);

	p->output = s->text;
	p->output_len = s->text_len;
	return ret ? wolfssl_primitive_broken(p, "the record does not open", ret) : 0;
}

static int check_aead(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	bool accepted;

	if (p->what.op == OP_SEAL || !p->known.input)
		if (seal_once(p))
			return -1;
	if (open_once(p))
		return -1;
	s->sealed[s->text_len / 2] ^= 1;
	accepted = !open_once(p);
	s->sealed[s->text_len / 2] ^= 1;
	if (accepted)
		return primitive_broken(p, "a changed record opens");
	fail_clear(&p->fail);
	/* A failed opening may have wiped the text. */
	return open_once(p);
}

static int aead_open(struct primitive *p)
{
	const struct algorithm *a = p->what.algorithm;
	const struct wolfssl_aead_calls *by = aeads;
	struct wolfssl_bulk *s;
	int ret;

	while (by->openssl && strcmp(by->openssl, a->openssl) != 0)
		by++;
	if (!by->openssl)
		return primitive_absent(p);
	if (wolfssl_bulk_new(p, a->bits / 8))
		return -1;
	s = p->impl;
	s->by = by;
	ret = by->start(s);
	if (ret)
		return wolfssl_primitive_broken(p, "cannot be set up", ret);
	p->once = p->what.op == OP_SEAL ? seal_once : open_once;
	return check_aead(p);
}

const struct primitive_ops wolfssl_aead = { FAMILY_AEAD, aead_open, wolfssl_bulk_close };

/* --- single blocks --------------------------------------------------------------- */

#if defined(HAVE_AES_ECB)

static int encrypt_once(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	int ret = wc_AesEcbEncrypt(&s->aes, s->sealed, s->text, s->text_len);

	p->output = s->sealed;
	p->output_len = s->text_len;
	return ret ? wolfssl_primitive_broken(p, "cannot encrypt", ret) : 0;
}

int wolfssl_start_blocks(struct primitive *p)
{
	struct wolfssl_bulk *s = p->impl;
	word32 len = (word32)s->in.key_len;
	int ret = start_aes(s);

	if (!ret)
		ret = wc_AesSetKey(&s->aes, s->in.key, len, NULL, AES_ENCRYPTION);
	if (!ret)
		ret = wc_AesInit(&s->decryption, NULL, INVALID_DEVID);
	s->has_decryption = !ret;
	if (!ret)
		ret = wc_AesSetKey(&s->decryption, s->in.key, len, NULL, AES_DECRYPTION);
	return ret ? wolfssl_primitive_broken(p, "cannot be set up", ret) : 0;
}

static int block_open(struct primitive *p)
{
	struct wolfssl_bulk *s;
	uint8_t back[BLOCK_BYTES];
	int ret;

	if (wolfssl_bulk_new(p, p->what.algorithm->bits / 8) || wolfssl_start_blocks(p) ||
	    encrypt_once(p))
		return -1;
	s = p->impl;
	ret = wc_AesEcbDecrypt(&s->decryption, back, s->sealed, BLOCK_BYTES);
	if (ret || !memcmp(s->sealed, s->text, BLOCK_BYTES) ||
	    memcmp(back, s->text, BLOCK_BYTES) != 0)
		return wolfssl_primitive_broken(p, "what was encrypted does not decrypt", ret);
	p->once = encrypt_once;
	return 0;
}

const struct primitive_ops wolfssl_block = { FAMILY_BLOCK, block_open, wolfssl_bulk_close };

#endif
