/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_edwards - wolfSSL's Ed25519 and Ed448. It reads no clock.
 */
#include <stdlib.h>

#include "ciphers/wolfssl_primitives.h"

#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/ed448.h>

#if defined(HAVE_ED25519)

#define SIGNATURE_BYTES_MAX 128
#define PUBLIC_BYTES_MAX    64
#define ED25519_BITS        256

struct ed_state;

/* What one curve's functions are called. Each returns the library's error. */
struct edwards {
	int (*make)(struct ed_state *s, const struct known_input *known);
	int (*sign)(struct ed_state *s);
	int (*verify)(struct ed_state *s, int *good);
	int (*keygen)(struct ed_state *s);
};

struct ed_state {
	WC_RNG rng;
	const struct edwards *by;
	bool has_rng;
	ed25519_key key;
#if defined(HAVE_ED448)
	ed448_key key448;
#endif
	uint8_t made[SIGNED_BYTES], signature[SIGNATURE_BYTES_MAX];
	const uint8_t *message;
	word32 message_len, signature_len;
};

/* The seed that is given, or a new key. */
static int make_25519(struct ed_state *s, const struct known_input *known)
{
	uint8_t public[PUBLIC_BYTES_MAX];
	ed25519_key *key = &s->key;
	int ret = wc_ed25519_init(key);

	if (ret)
		return ret;
	if (!known->key)
		return wc_ed25519_make_key(&s->rng, ED25519_KEY_SIZE, key);
	ret = wc_ed25519_import_private_only(known->key, (word32)known->key_len, key);
	if (!ret)
		ret = wc_ed25519_make_public(key, public, ED25519_PUB_KEY_SIZE);
	return ret ? ret
		   : wc_ed25519_import_private_key(known->key, (word32)known->key_len, public,
						   ED25519_PUB_KEY_SIZE, key);
}

static int sign_25519(struct ed_state *s)
{
	return wc_ed25519_sign_msg(s->message, s->message_len, s->signature, &s->signature_len,
				   &s->key);
}

static int verify_25519(struct ed_state *s, int *good)
{
	return wc_ed25519_verify_msg(s->signature, s->signature_len, s->message, s->message_len,
				     good, &s->key);
}

static int keygen_25519(struct ed_state *s)
{
	ed25519_key key;
	int ret = wc_ed25519_init(&key);

	if (!ret)
		ret = wc_ed25519_make_key(&s->rng, ED25519_KEY_SIZE, &key);
	wc_ed25519_free(&key);
	return ret;
}

static const struct edwards of_25519 = { make_25519, sign_25519, verify_25519, keygen_25519 };

#if defined(HAVE_ED448)

static int make_448(struct ed_state *s, const struct known_input *known)
{
	uint8_t public[PUBLIC_BYTES_MAX];
	ed448_key *key = &s->key448;
	int ret = wc_ed448_init(key);

	if (ret)
		return ret;
	if (!known->key)
		return wc_ed448_make_key(&s->rng, ED448_KEY_SIZE, key);
	ret = wc_ed448_import_private_only(known->key, (word32)known->key_len, key);
	if (!ret)
		ret = wc_ed448_make_public(key, public, ED448_PUB_KEY_SIZE);
	return ret ? ret
		   : wc_ed448_import_private_key(known->key, (word32)known->key_len, public,
						 ED448_PUB_KEY_SIZE, key);
}

static int sign_448(struct ed_state *s)
{
	return wc_ed448_sign_msg(s->message, s->message_len, s->signature, &s->signature_len,
				 &s->key448, NULL, 0);
}

static int verify_448(struct ed_state *s, int *good)
{
	return wc_ed448_verify_msg(s->signature, s->signature_len, s->message, s->message_len, good,
				   &s->key448, NULL, 0);
}

static int keygen_448(struct ed_state *s)
{
	ed448_key key;
	int ret = wc_ed448_init(&key);

	if (!ret)
		ret = wc_ed448_make_key(&s->rng, ED448_KEY_SIZE, &key);
	wc_ed448_free(&key);
	return ret;
}

static const struct edwards of_448 = { make_448, sign_448, verify_448, keygen_448 };

#endif

static const struct edwards *curve_of(const struct algorithm *a)
{
#if defined(HAVE_ED448)
	if (a->bits != ED25519_BITS)
		return &of_448;
#endif
	return a->bits == ED25519_BITS ? &of_25519 : NULL;
}

static int sign_once(struct primitive *p)
{
	struct ed_state *s = p->impl;
	int ret;

	s->signature_len = sizeof(s->signature);
	ret = s->by->sign(s);
	p->output = s->signature;
	p->output_len = s->signature_len;
	return ret ? wolfssl_primitive_broken(p, "cannot sign", ret) : 0;
}

static int verify_once(struct primitive *p)
{
	struct ed_state *s = p->impl;
	int good = 0, ret = s->by->verify(s, &good);

	return !ret && good ? 0 : wolfssl_primitive_broken(p, "the signature does not verify", ret);
}

static int keygen_once(struct primitive *p)
{
	struct ed_state *s = p->impl;
	int ret = s->by->keygen(s);

	return ret ? wolfssl_primitive_broken(p, "no key", ret) : 0;
}

static int check(struct primitive *p)
{
	struct ed_state *s = p->impl;
	bool accepted;

	if (sign_once(p) || verify_once(p))
		return -1;
	s->signature[0] ^= 1;
	accepted = !verify_once(p);
	s->signature[0] ^= 1;
	if (accepted)
		return primitive_broken(p, "a changed signature verifies");
	fail_clear(&p->fail);
	p->once = p->what.op == OP_SIGN     ? sign_once
		  : p->what.op == OP_VERIFY ? verify_once
					    : keygen_once;
	return p->once(p);
}

static int ed_open(struct primitive *p)
{
	const struct edwards *by = curve_of(p->what.algorithm);
	struct ed_state *s;
	int ret;

	if (!by)
		return primitive_absent(p);
	s = calloc(1, sizeof(*s));
	p->impl = s;
	if (!s)
		return primitive_broken(p, "no memory");
	s->by = by;
	if (wolfssl_start(p, &s->rng))
		return -1;
	s->has_rng = true;
	primitive_fill(s->made, sizeof(s->made));
	s->message = p->known.input ? p->known.input : s->made;
	s->message_len = p->known.input ? (word32)p->known.input_len : sizeof(s->made);
	ret = by->make(s, &p->known);
	return ret ? wolfssl_primitive_broken(p, "no key", ret) : check(p);
}

static void ed_close(struct primitive *p)
{
	struct ed_state *s = p->impl;

	if (!s)
		return;
	wc_ed25519_free(&s->key);
#if defined(HAVE_ED448)
	wc_ed448_free(&s->key448);
#endif
	if (s->has_rng)
		wc_FreeRng(&s->rng);
	free(s);
}

const struct primitive_ops wolfssl_eddsa = { FAMILY_EDDSA, ed_open, ed_close };

#endif
