/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_rsa - wolfSSL's RSA signatures (PSS, the only kind that TLS 1.3 makes: RFC 8446
 * section 4.2.3). It reads no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "ciphers/wolfssl_primitives.h"

#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/rsa.h>

#define DER_BYTES_MAX     8192
#define MODULUS_BYTES_MAX (RSA_MAX_SIZE / 8)

struct rsa_state {
	WC_RNG rng;
	RsaKey key;
	bool has_rng, has_key;
	enum wc_HashType hash;
	int mgf;
	uint8_t digest[WC_MAX_DIGEST_SIZE];
	word32 digest_len;
	uint8_t signature[MODULUS_BYTES_MAX], opened[MODULUS_BYTES_MAX];
	word32 signature_len;
};

static int sign_once(struct primitive *p)
{
	struct rsa_state *s = p->impl;
	int ret = wc_RsaPSS_Sign(s->digest, s->digest_len, s->signature, sizeof(s->signature),
				 s->hash, s->mgf, &s->key, &s->rng);

	if (ret <= 0)
		return wolfssl_primitive_broken(p, "cannot sign", ret);
	s->signature_len = (word32)ret;
	p->output = s->signature;
	p->output_len = s->signature_len;
	return 0;
}

static int verify_once(struct primitive *p)
{
	struct rsa_state *s = p->impl;
	int ret =
		wc_RsaPSS_VerifyCheck(s->signature, s->signature_len, s->opened, sizeof(s->opened),
				      s->digest, s->digest_len, s->hash, s->mgf, &s->key);

	return ret > 0 ? 0 : wolfssl_primitive_broken(p, "the signature does not verify", ret);
}

static int read_key(struct primitive *p)
{
	struct rsa_state *s = p->impl;
	uint8_t der[DER_BYTES_MAX];
	word32 at = 0;
	int ret;

	if (!p->known.key)
		return wc_MakeRsaKey(&s->key, p->what.algorithm->bits, WC_RSA_EXPONENT, &s->rng);
	ret = wc_KeyPemToDer(p->known.key, (int)p->known.key_len, der, sizeof(der), NULL);
	if (ret > 0)
		ret = wc_RsaPrivateKeyDecode(der, &at, &s->key, (word32)ret);
	explicit_bzero(der, sizeof(der));
	return ret;
}

static int check(struct primitive *p)
{
	struct rsa_state *s = p->impl;
	bool accepted;

	if (sign_once(p) || verify_once(p))
		return -1;
	s->signature[s->signature_len - 1] ^= 1;
	accepted = !verify_once(p);
	s->signature[s->signature_len - 1] ^= 1;
	if (accepted)
		return primitive_broken(p, "a changed signature verifies");
	fail_clear(&p->fail);
	return 0;
}

static int rsa_open(struct primitive *p)
{
	const struct algorithm *a = p->what.algorithm;
	struct rsa_state *s;
	int ret;

	if (a->bits > RSA_MAX_SIZE)
		return primitive_absent(p);
	s = calloc(1, sizeof(*s));
	p->impl = s;
	if (!s)
		return primitive_broken(p, "no memory");
	if (wolfssl_start(p, &s->rng))
		return -1;
	s->has_rng = true;
	s->hash = wolfssl_hash_of(a);
	s->mgf = s->hash == WC_HASH_TYPE_SHA384 ? WC_MGF1SHA384 : WC_MGF1SHA256;
	s->digest_len = (word32)wc_HashGetDigestSize(s->hash);
	primitive_fill(s->digest, s->digest_len);
	ret = wc_InitRsaKey(&s->key, NULL);
	s->has_key = !ret;
	if (!ret)
		ret = read_key(p);
#ifdef WC_RSA_BLINDING
	if (!ret)
		ret = wc_RsaSetRNG(&s->key, &s->rng);
#endif
	if (ret)
		return wolfssl_primitive_broken(p, "no key", ret);
	p->once = p->what.op == OP_SIGN ? sign_once : verify_once;
	return check(p);
}

static void rsa_close(struct primitive *p)
{
	struct rsa_state *s = p->impl;

	if (!s)
		return;
	if (s->has_key)
		wc_FreeRsaKey(&s->key);
	if (s->has_rng)
		wc_FreeRng(&s->rng);
	free(s);
}

const struct primitive_ops wolfssl_rsa = { FAMILY_RSA, rsa_open, rsa_close };
