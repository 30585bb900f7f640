/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_signature - OpenSSL's signatures: over a digest (RSA, ECDSA) and over a message
 * (EdDSA, ML-DSA, SLH-DSA). It reads no clock.
 */
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "ciphers/openssl_primitives.h"

/* --- signatures over a digest: RSA, ECDSA ------------------------------------- */

static int sign_digest(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	p->output_len = s->out_cap;
	if (EVP_PKEY_sign(s->ctx, s->out, &p->output_len, s->tbs, s->tbs_len) != 1)
		return openssl_primitive_broken(p, "cannot sign");
	return 0;
}

static int verify_digest(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	if (EVP_PKEY_verify(s->ctx, s->out, p->output_len, s->tbs, s->tbs_len) != 1)
		return openssl_primitive_broken(p, "the signature does not verify");
	return 0;
}

/* TLS 1.3 signs with RSA by PSS alone, its salt as long as the hash: RFC 8446 section 4.2.3. */
static int set_up_digest(struct primitive *p, bool sign)
{
	struct openssl_key *s = p->impl;
	const struct algorithm *a = p->what.algorithm;
	OSSL_PARAM params[4], *next = params;

	EVP_PKEY_CTX_free(s->ctx);
	s->ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
	*next++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)a->hash, 0);
	if (a->family == FAMILY_RSA) {
		*next++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE,
							   (char *)OSSL_PKEY_RSA_PAD_MODE_PSS, 0);
		*next++ =
			OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN,
							 (char *)OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST,
							 0);
	}
	*next = OSSL_PARAM_construct_end();
	if (s->ctx && (sign ? EVP_PKEY_sign_init_ex(s->ctx, params)
			    : EVP_PKEY_verify_init_ex(s->ctx, params)) == 1)
		return 0;
	return openssl_primitive_broken(p, "cannot be set up");
}

/* --- signatures over a message: EdDSA, ML-DSA, SLH-DSA ----------------------------- */

static int sign_message(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	p->output_len = s->out_cap;
	if (EVP_DigestSignInit_ex(s->md, NULL, NULL, NULL, NULL, s->key, NULL) != 1 ||
	    EVP_DigestSign(s->md, s->out, &p->output_len, s->tbs, s->tbs_len) != 1)
		return openssl_primitive_broken(p, "cannot sign");
	return 0;
}

static int verify_message(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	if (EVP_DigestVerifyInit_ex(s->md, NULL, NULL, NULL, NULL, s->key, NULL) != 1 ||
	    EVP_DigestVerify(s->md, s->out, p->output_len, s->tbs, s->tbs_len) != 1)
		return openssl_primitive_broken(p, "the signature does not verify");
	return 0;
}

static int set_up_message(struct primitive *p, bool sign)
{
	struct openssl_key *s = p->impl;

	(void)sign;
	if (!s->md)
		s->md = EVP_MD_CTX_new();
	return s->md ? 0 : openssl_primitive_broken(p, "no memory");
}

/* --- either ------------------------------------------------------------------- */

static const struct signer {
	int (*set_up)(struct primitive *p, bool sign);
	int (*sign)(struct primitive *p);
	int (*verify)(struct primitive *p);
} of_digest = { set_up_digest, sign_digest, verify_digest },
  of_message = { set_up_message, sign_message, verify_message };

/* The last byte changes: of every encoding here it belongs to a number of the signature. */
static int check_signature(struct primitive *p, const struct signer *by)
{
	struct openssl_key *s = p->impl;
	int accepted;

	if (by->set_up(p, true) || by->sign(p) || by->set_up(p, false) || by->verify(p))
		return -1;
	s->out[p->output_len - 1] ^= 1;
	accepted = !by->verify(p);
	s->out[p->output_len - 1] ^= 1;
	if (accepted)
		return primitive_broken(p, "a changed signature verifies");
	fail_clear(&p->fail);
	return 0;
}

static void choose_tbs(struct primitive *p, bool digest)
{
	struct openssl_key *s = p->impl;

	primitive_fill(s->message, sizeof(s->message));
	s->tbs = p->known.input ? p->known.input : s->message;
	s->tbs_len = p->known.input ? p->known.input_len : sizeof(s->message);
	if (digest)
		s->tbs_len = (size_t)EVP_MD_get_size(EVP_get_digestbyname(p->what.algorithm->hash));
}

int openssl_signature_open(struct primitive *p)
{
	struct openssl_key *s = p->impl;
	const struct algorithm *a = p->what.algorithm;
	bool digest = a->family == FAMILY_RSA || a->family == FAMILY_EC;
	const struct signer *by = digest ? &of_digest : &of_message;

	choose_tbs(p, digest);
	s->key = openssl_own_key(p);
	if (!s->key || openssl_make_room(s, (size_t)EVP_PKEY_get_size(s->key)))
		return openssl_primitive_broken(p, "no key");
	p->output = s->out;
	if (check_signature(p, by))
		return -1;
	p->once = p->what.op == OP_SIGN ? by->sign : by->verify;
	return p->what.op == OP_SIGN ? by->set_up(p, true) : 0;
}
