/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_ec - wolfSSL's ECDSA and ECDH over the curves of its table. It reads no clock.
 *
 * Built with FP_ECC, as Debian's is, the library keeps tables of the points it met last and
 * multiplies them several times as fast. A handshake's peer always comes with a new point,
 * so agreement goes round more peers than there are tables. Verification keeps one key, as
 * a client does that meets the same server again.
 */
#include <stdlib.h>
#include <string.h>

#include "ciphers/wolfssl_primitives.h"

#include <wolfssl/wolfcrypt/ecc.h>

#define PEERS 40 /* more than twice the tables kept (15, FP_ENTRIES) */

struct ec_state {
	WC_RNG rng;
	ecc_key key, peer[PEERS];
	bool has_rng;
	int keys, next; /* peers made; the one whose turn it is */
	int curve, bytes;
	uint8_t digest[WC_MAX_DIGEST_SIZE];
	word32 digest_len;
	uint8_t signature[ECC_MAX_SIG_SIZE];
	word32 signature_len;
	uint8_t secret[MAX_ECC_BYTES], other[MAX_ECC_BYTES];
};

static int make_key(struct ec_state *s, ecc_key *key)
{
	int ret = wc_ecc_init(key);

	if (!ret)
		ret = wc_ecc_make_key_ex(&s->rng, s->bytes, key, s->curve);
#ifdef ECC_TIMING_RESISTANT
	if (!ret)
		ret = wc_ecc_set_rng(key, &s->rng);
#endif
	return ret;
}

static int keygen_once(struct primitive *p)
{
	struct ec_state *s = p->impl;
	ecc_key key;
	int ret = make_key(s, &key);

	wc_ecc_free(&key);
	return ret ? wolfssl_primitive_broken(p, "no key", ret) : 0;
}

/* --- signatures ------------------------------------------------------------- */

static int sign_once(struct primitive *p)
{
	struct ec_state *s = p->impl;
	int ret;

	s->signature_len = sizeof(s->signature);
	ret = wc_ecc_sign_hash(s->digest, s->digest_len, s->signature, &s->signature_len, &s->rng,
			       &s->key);
	p->output = s->signature;
	p->output_len = s->signature_len;
	return ret ? wolfssl_primitive_broken(p, "cannot sign", ret) : 0;
}

static int verify_once(struct primitive *p)
{
	struct ec_state *s = p->impl;
	int good = 0, ret = wc_ecc_verify_hash(s->signature, s->signature_len, s->digest,
					       s->digest_len, &good, &s->key);

	return !ret && good ? 0 : wolfssl_primitive_broken(p, "the signature does not verify", ret);
}

static int check_signature(struct primitive *p)
{
	struct ec_state *s = p->impl;
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

/* --- agreement --------------------------------------------------------------- */

static int agree_once(struct primitive *p)
{
	struct ec_state *s = p->impl;
	word32 len = sizeof(s->secret);
	int ret = wc_ecc_shared_secret(&s->key, &s->peer[s->next], s->secret, &len);

	s->next = (s->next + 1) % PEERS;
	p->output = s->secret;
	p->output_len = len;
	return ret ? wolfssl_primitive_broken(p, "no shared secret", ret) : 0;
}

static int check_agreement(struct primitive *p)
{
	struct ec_state *s = p->impl;
	word32 len = sizeof(s->other);
	int ret;

	for (; s->keys < PEERS; s->keys++) {
		ret = make_key(s, &s->peer[s->keys]);
		if (ret) {
			wc_ecc_free(&s->peer[s->keys]);
			return wolfssl_primitive_broken(p, "no key", ret);
		}
	}
	if (agree_once(p))
		return -1;
	ret = wc_ecc_shared_secret(&s->peer[0], &s->key, s->other, &len);
	if (ret)
		return wolfssl_primitive_broken(p, "no shared secret", ret);
	if (len != p->output_len || memcmp(s->other, s->secret, len) != 0)
		return primitive_broken(p, "the two sides' secrets differ");
	return 0;
}

/* --- both ---------------------------------------------------------------------- */

static int choose(struct primitive *p)
{
	switch (p->what.op) {
	case OP_KEYGEN:
		p->once = keygen_once;
		return keygen_once(p) || check_signature(p) ? -1 : 0;
	case OP_AGREE:
		p->once = agree_once;
		return check_agreement(p);
	default:
		p->once = p->what.op == OP_SIGN ? sign_once : verify_once;
		return check_signature(p);
	}
}

static int ec_open(struct primitive *p)
{
	const struct algorithm *a = p->what.algorithm;
	int ret, curve = wc_ecc_get_curve_id_from_name(a->iana);
	struct ec_state *s;

	if (curve < 0)
		return primitive_absent(p);
	s = calloc(1, sizeof(*s));
	p->impl = s;
	if (!s)
		return primitive_broken(p, "no memory");
	if (wolfssl_start(p, &s->rng))
		return -1;
	s->has_rng = true;
	s->curve = curve;
	s->bytes = wc_ecc_get_curve_size_from_id(curve);
	s->digest_len = (word32)wc_HashGetDigestSize(wolfssl_hash_of(a));
	primitive_fill(s->digest, s->digest_len);
	ret = make_key(s, &s->key);
	return ret ? wolfssl_primitive_broken(p, "no key", ret) : choose(p);
}

static void ec_close(struct primitive *p)
{
	struct ec_state *s = p->impl;

	if (!s)
		return;
	for (int i = 0; i < s->keys; i++)
		wc_ecc_free(&s->peer[i]);
	wc_ecc_free(&s->key);
	if (s->has_rng)
		wc_FreeRng(&s->rng);
#ifdef FP_ECC
	/* Tables of points that the library keeps for each thread. */
	wc_ecc_fp_free();
#endif
	free(s);
}

const struct primitive_ops wolfssl_ec = { FAMILY_EC, ec_open, ec_close };
