/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_primitives - OpenSSL's primitives: the list of what it can do, and keys, found and
 * generated.
 *
 * All algorithms are fetched by name at run time, so that one source serves 3.0 and what
 * came later; what the library does not know is absent, no error. It reads no clock.
 */
#include "ciphers/openssl_primitives.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/openssl_domain.h"

int openssl_primitive_broken(struct primitive *p, const char *what)
{
	char text[OPERATION_TEXT_BYTES + 64];
	char name[OPERATION_TEXT_BYTES];

	snprintf(text, sizeof(text), "%s: %s", operation_format(&p->what, name), what);
	return openssl_fail(&p->fail, text);
}

/* --- keys ----------------------------------------------------------------- */

static const char *type_of(const struct algorithm *a)
{
	return a->family == FAMILY_EC ? "EC" : a->family == FAMILY_FFDH ? "DH" : a->openssl;
}

/* A context that generates keys of this kind; NULL where the library does not know it. */
static EVP_PKEY_CTX *generator(const struct algorithm *a)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type_of(a), NULL);
	OSSL_PARAM params[2] = { OSSL_PARAM_END, OSSL_PARAM_END };
	size_t bits = a->bits;

	if (a->family == FAMILY_RSA)
		params[0] = OSSL_PARAM_construct_size_t(OSSL_PKEY_PARAM_RSA_BITS, &bits);
	else if (a->family == FAMILY_EC || a->family == FAMILY_FFDH)
		params[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
							     (char *)a->openssl, 0);
	if (ctx && EVP_PKEY_keygen_init(ctx) == 1 &&
	    (!params[0].key || EVP_PKEY_CTX_set_params(ctx, params) == 1))
		return ctx;
	EVP_PKEY_CTX_free(ctx);
	return NULL;
}

static EVP_PKEY *generate(const struct algorithm *a)
{
	EVP_PKEY_CTX *ctx = generator(a);
	EVP_PKEY *key = NULL;

	if (ctx)
		EVP_PKEY_generate(ctx, &key);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

static EVP_PKEY *read_pem(const struct known_input *known)
{
	BIO *bio = BIO_new_mem_buf(known->key, (int)known->key_len);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;

	BIO_free(bio);
	return key;
}

EVP_PKEY *openssl_own_key(const struct primitive *p)
{
	const struct algorithm *a = p->what.algorithm;

	if (!p->known.key)
		return generate(a);
	if (a->family == FAMILY_RSA)
		return read_pem(&p->known);
	return EVP_PKEY_new_raw_private_key_ex(NULL, a->openssl, NULL, p->known.key,
					       p->known.key_len);
}

EVP_PKEY *openssl_peer_key(const struct primitive *p)
{
	if (!p->known.peer)
		return generate(p->what.algorithm);
	return EVP_PKEY_new_raw_public_key_ex(NULL, p->what.algorithm->openssl, NULL, p->known.peer,
					      p->known.peer_len);
}

int openssl_make_room(struct openssl_key *s, size_t cap)
{
	s->out = malloc(cap);
	s->out_cap = cap;
	return s->out ? 0 : -1;
}

/* --- generation ----------------------------------------------------------- */

static int keygen_once(struct primitive *p)
{
	struct openssl_key *s = p->impl;
	EVP_PKEY *key = NULL;

	if (EVP_PKEY_generate(s->ctx, &key) != 1)
		return openssl_primitive_broken(p, "no key");
	EVP_PKEY_free(key);
	return 0;
}

static int keygen_open(struct primitive *p)
{
	struct openssl_key *s = p->impl;
	EVP_PKEY *other = NULL;
	int same;

	s->ctx = generator(p->what.algorithm);
	if (!s->ctx || EVP_PKEY_generate(s->ctx, &s->key) != 1 ||
	    EVP_PKEY_generate(s->ctx, &other) != 1)
		return openssl_primitive_broken(p, "no key");
	same = EVP_PKEY_eq(s->key, other);
	EVP_PKEY_free(other);
	p->once = keygen_once;
	return same == 1 ? primitive_broken(p, "two keys are the same") : 0;
}

/* --- the rows ------------------------------------------------------------------------ */

/* Known to the library by name, and by a key that can be made with it. */
static bool library_has(const struct algorithm *a)
{
	EVP_PKEY_CTX *ctx;

	ERR_clear_error();
	ctx = generator(a);
	ERR_clear_error();
	EVP_PKEY_CTX_free(ctx);
	return ctx;
}

static int key_open(struct primitive *p)
{
	if (!library_has(p->what.algorithm))
		return primitive_absent(p);
	p->impl = calloc(1, sizeof(struct openssl_key));
	if (!p->impl)
		return primitive_broken(p, "no memory");
	switch (p->what.op) {
	case OP_KEYGEN:
		return keygen_open(p);
	case OP_AGREE:
		return openssl_agree_open(p);
	case OP_ENCAPS:
	case OP_DECAPS:
		return openssl_kem_open(p);
	default:
		return openssl_signature_open(p);
	}
}

static void key_close(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	if (!s)
		return;
	EVP_PKEY_CTX_free(s->ctx);
	EVP_MD_CTX_free(s->md);
	EVP_PKEY_free(s->key);
	EVP_PKEY_free(s->peer);
	free(s->out);
	OPENSSL_cleanse(s, sizeof(*s));
	free(s);
	ERR_clear_error();
}

static const struct primitive_ops rsa = { FAMILY_RSA, key_open, key_close };
static const struct primitive_ops ec = { FAMILY_EC, key_open, key_close };
static const struct primitive_ops ffdh = { FAMILY_FFDH, key_open, key_close };
static const struct primitive_ops x = { FAMILY_X, key_open, key_close };
static const struct primitive_ops eddsa = { FAMILY_EDDSA, key_open, key_close };
static const struct primitive_ops pqsig = { FAMILY_PQSIG, key_open, key_close };
static const struct primitive_ops kem = { FAMILY_KEM, key_open, key_close };

const struct primitive_ops *const openssl_primitives[] = {
	&rsa,           &ec,           &ffdh,         &x,
	&eddsa,         &pqsig,        &kem,          &openssl_aead,
	&openssl_block, &openssl_hash, &openssl_hmac, &openssl_transcript,
	NULL,
};
