/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_bulk - OpenSSL's ciphers over a buffer.
 *
 * Keys are set outside the operation, as in a TLS connection; the nonce, the associated
 * data and the tag are in it. It reads no clock.
 */
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/openssl_primitives.h"

/* What is not given is made: the cost depends on lengths alone. */
int openssl_bulk_new(struct primitive *p, size_t key_len)
{
	struct openssl_bulk *s = calloc(1, sizeof(*s));
	const struct known_input *known = &p->known;
	size_t tag = p->what.algorithm->tag_bytes, len = p->what.bytes;

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
	s->text_len = known->input ? known->input_len - (p->what.op == OP_OPEN ? tag : 0) : len;
	s->text = malloc(s->text_len + TAG_BYTES_MAX);
	s->sealed = malloc(s->text_len + TAG_BYTES_MAX);
	if (!s->text || !s->sealed)
		return primitive_broken(p, "no memory");
	primitive_fill(s->text, s->text_len);
	if (known->input && p->what.op == OP_OPEN)
		memcpy(s->sealed, known->input, known->input_len);
	else if (known->input)
		memcpy(s->text, known->input, known->input_len);
	return 0;
}

void openssl_bulk_close(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;

	if (!s)
		return;
	EVP_CIPHER_CTX_free(s->enc);
	EVP_CIPHER_CTX_free(s->dec);
	EVP_CIPHER_free(s->cipher);
	EVP_MD_CTX_free(s->hash);
	EVP_MD_CTX_free(s->second);
	EVP_MD_free(s->md);
	EVP_MAC_CTX_free(s->mac_ctx);
	EVP_MAC_free(s->mac);
	free(s->text);
	free(s->sealed);
	free(s);
	ERR_clear_error();
}

/* --- AEAD --------------------------------------------------------------------- */

static int seal_once(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	int tag = p->what.algorithm->tag_bytes, len = 0, end = 0;

	if (EVP_EncryptInit_ex2(s->enc, NULL, NULL, s->in.nonce, NULL) != 1 ||
	    (s->lengths_first &&
	     EVP_EncryptUpdate(s->enc, NULL, &len, NULL, (int)s->text_len) != 1) ||
	    (s->in.aad_len &&
	     EVP_EncryptUpdate(s->enc, NULL, &len, s->in.aad, (int)s->in.aad_len) != 1) ||
	    EVP_EncryptUpdate(s->enc, s->sealed, &len, s->text, (int)s->text_len) != 1 ||
	    EVP_EncryptFinal_ex(s->enc, s->sealed + len, &end) != 1 ||
	    EVP_CIPHER_CTX_ctrl(s->enc, EVP_CTRL_AEAD_GET_TAG, tag, s->sealed + s->text_len) != 1)
		return openssl_primitive_broken(p, "cannot seal");
	p->output = s->sealed;
	p->output_len = s->text_len + (size_t)tag;
	return 0;
}

static int open_once(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	int tag = p->what.algorithm->tag_bytes, len = 0, end = 0;

	if (EVP_DecryptInit_ex2(s->dec, NULL, NULL, s->in.nonce, NULL) != 1 ||
	    EVP_CIPHER_CTX_ctrl(s->dec, EVP_CTRL_AEAD_SET_TAG, tag, s->sealed + s->text_len) != 1 ||
	    (s->lengths_first &&
	     EVP_DecryptUpdate(s->dec, NULL, &len, NULL, (int)s->text_len) != 1) ||
	    (s->in.aad_len &&
	     EVP_DecryptUpdate(s->dec, NULL, &len, s->in.aad, (int)s->in.aad_len) != 1) ||
	    EVP_DecryptUpdate(s->dec, s->text, &len, s->sealed, (int)s->text_len) != 1 ||
	    /* CCM has checked the tag by now, and has no end. */
	    (!s->lengths_first && EVP_DecryptFinal_ex(s->dec, s->text + len, &end) != 1))
		return openssl_primitive_broken(p, "the record does not open");
	p->output = s->text;
	p->output_len = s->text_len;
	return 0;
}

static int set_cipher(const struct primitive *p, EVP_CIPHER_CTX *ctx, int encrypt)
{
	struct openssl_bulk *s = p->impl;
	int tag = p->what.algorithm->tag_bytes;

	return ctx && EVP_CipherInit_ex2(ctx, s->cipher, NULL, NULL, encrypt, NULL) == 1 &&
	       EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)s->in.nonce_len, NULL) == 1 &&
	       (!s->lengths_first ||
		EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag, NULL) == 1) &&
	       EVP_CipherInit_ex2(ctx, NULL, s->in.key, s->in.nonce, encrypt, NULL) == 1;
}

static int check_aead(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
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
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, a->openssl, NULL);
	struct openssl_bulk *s;

	if (!cipher)
		return primitive_absent(p);
	if (openssl_bulk_new(p, a->bits / 8)) {
		EVP_CIPHER_free(cipher);
		return -1;
	}
	s = p->impl;
	s->cipher = cipher;
	s->lengths_first = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
	s->enc = EVP_CIPHER_CTX_new();
	s->dec = EVP_CIPHER_CTX_new();
	if (!set_cipher(p, s->enc, 1) || !set_cipher(p, s->dec, 0))
		return openssl_primitive_broken(p, "cannot be set up");
	p->once = p->what.op == OP_SEAL ? seal_once : open_once;
	return check_aead(p);
}

/* --- single blocks --------------------------------------------------------------- */

static int encrypt_once(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	int len;

	if (EVP_EncryptUpdate(s->enc, s->sealed, &len, s->text, (int)s->text_len) != 1)
		return openssl_primitive_broken(p, "cannot encrypt");
	p->output = s->sealed;
	p->output_len = (size_t)len;
	return 0;
}

int openssl_start_blocks(struct primitive *p, EVP_CIPHER_CTX **ctx, int encrypt)
{
	struct openssl_bulk *s = p->impl;

	*ctx = EVP_CIPHER_CTX_new();
	if (!*ctx || EVP_CipherInit_ex2(*ctx, s->cipher, s->in.key, NULL, encrypt, NULL) != 1 ||
	    EVP_CIPHER_CTX_set_padding(*ctx, 0) != 1)
		return openssl_primitive_broken(p, "cannot be set up");
	return 0;
}

static int check_blocks(struct primitive *p)
{
	struct openssl_bulk *s = p->impl;
	uint8_t back[BLOCK_BYTES * 2];
	int len = 0;

	if (encrypt_once(p) || openssl_start_blocks(p, &s->dec, 0))
		return -1;
	if (p->output_len != s->text_len || !memcmp(s->sealed, s->text, BLOCK_BYTES) ||
	    EVP_DecryptUpdate(s->dec, back, &len, s->sealed, BLOCK_BYTES) != 1 ||
	    len != BLOCK_BYTES || memcmp(back, s->text, BLOCK_BYTES) != 0)
		return primitive_broken(p, "what was encrypted does not decrypt");
	return 0;
}

static int block_open(struct primitive *p)
{
	const struct algorithm *a = p->what.algorithm;
	struct openssl_bulk *s;

	if (openssl_bulk_new(p, a->bits / 8))
		return -1;
	s = p->impl;
	s->cipher = EVP_CIPHER_fetch(NULL, a->openssl, NULL);
	if (!s->cipher)
		return primitive_absent(p);
	p->once = encrypt_once;
	return openssl_start_blocks(p, &s->enc, 1) || check_blocks(p) ? -1 : 0;
}

const struct primitive_ops openssl_aead = { FAMILY_AEAD, aead_open, openssl_bulk_close };
const struct primitive_ops openssl_block = { FAMILY_BLOCK, block_open, openssl_bulk_close };
