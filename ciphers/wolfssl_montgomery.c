/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_montgomery - wolfSSL's X25519 and X448. It reads no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "ciphers/wolfssl_primitives.h"

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/curve448.h>

#if defined(HAVE_CURVE25519)

#define SECRET_BYTES_MAX 56
#define X25519_BITS      256

struct x_state;

/* What one curve's functions are called. Each returns the library's error. */
struct montgomery {
	/* own: with the private half; known: given as its 32 or 56 bytes, or NULL. */
	int (*make)(struct x_state *s, int which, const uint8_t *known, size_t len);
	int (*agree)(struct x_state *s, int which, uint8_t *secret, word32 *len);
	int (*keygen)(struct x_state *s);
	void (*release)(struct x_state *s);
};

enum { OWN, PEER, SIDES };

struct x_state {
	WC_RNG rng;
	const struct montgomery *by;
	bool has_rng;
	curve25519_key key[SIDES];
#if defined(HAVE_CURVE448)
	curve448_key key448[SIDES];
#endif
	uint8_t secret[SECRET_BYTES_MAX], other[SECRET_BYTES_MAX];
};

static int new_25519(struct x_state *s, curve25519_key *key)
{
	int ret = wc_curve25519_init(key);

#if defined(WOLFSSL_CURVE25519_BLINDING)
	if (!ret)
		ret = wc_curve25519_set_rng(key, &s->rng);
#endif
	return ret ? ret : wc_curve25519_make_key(&s->rng, CURVE25519_KEYSIZE, key);
}

static int make_25519(struct x_state *s, int which, const uint8_t *known, size_t len)
{
	curve25519_key *key = &s->key[which];
	int ret = new_25519(s, key);

	if (ret || !known)
		return ret;
	return which == OWN ? wc_curve25519_import_private_ex(known, (word32)len, key,
							      EC25519_LITTLE_ENDIAN)
			    : wc_curve25519_import_public_ex(known, (word32)len, key,
							     EC25519_LITTLE_ENDIAN);
}

static int agree_25519(struct x_state *s, int which, uint8_t *secret, word32 *len)
{
	return wc_curve25519_shared_secret_ex(&s->key[which], &s->key[!which], secret, len,
					      EC25519_LITTLE_ENDIAN);
}

static int keygen_25519(struct x_state *s)
{
	curve25519_key key;
	int ret = new_25519(s, &key);

	wc_curve25519_free(&key);
	return ret;
}

static void release_25519(struct x_state *s)
{
	for (int i = 0; i < SIDES; i++)
		wc_curve25519_free(&s->key[i]);
}

static const struct montgomery of_25519 = { make_25519, agree_25519, keygen_25519, release_25519 };

#if defined(HAVE_CURVE448)

static int make_448(struct x_state *s, int which, const uint8_t *known, size_t len)
{
	curve448_key *key = &s->key448[which];
	int ret = wc_curve448_init(key);

	if (!ret)
		ret = wc_curve448_make_key(&s->rng, CURVE448_KEY_SIZE, key);
	if (ret || !known)
		return ret;
	return which == OWN
		       ? wc_curve448_import_private_ex(known, (word32)len, key, EC448_LITTLE_ENDIAN)
		       : wc_curve448_import_public_ex(known, (word32)len, key, EC448_LITTLE_ENDIAN);
}

static int agree_448(struct x_state *s, int which, uint8_t *secret, word32 *len)
{
	return wc_curve448_shared_secret_ex(&s->key448[which], &s->key448[!which], secret, len,
					    EC448_LITTLE_ENDIAN);
}

static int keygen_448(struct x_state *s)
{
	curve448_key key;
	int ret = wc_curve448_init(&key);

	if (!ret)
		ret = wc_curve448_make_key(&s->rng, CURVE448_KEY_SIZE, &key);
	wc_curve448_free(&key);
	return ret;
}

static void release_448(struct x_state *s)
{
	for (int i = 0; i < SIDES; i++)
		wc_curve448_free(&s->key448[i]);
}

static const struct montgomery of_448 = { make_448, agree_448, keygen_448, release_448 };

#endif

static const struct montgomery *curve_of(const struct algorithm *a)
{
#if defined(HAVE_CURVE448)
	if (a->bits != X25519_BITS)
		return &of_448;
#endif
	return a->bits == X25519_BITS ? &of_25519 : NULL;
}

static int agree_once(struct primitive *p)
{
	struct x_state *s = p->impl;
	word32 len = sizeof(s->secret);
	int ret = s->by->agree(s, OWN, s->secret, &len);

	p->output = s->secret;
	p->output_len = len;
	return ret ? wolfssl_primitive_broken(p, "no shared secret", ret) : 0;
}

static int keygen_once(struct primitive *p)
{
	struct x_state *s = p->impl;
	int ret = s->by->keygen(s);

	return ret ? wolfssl_primitive_broken(p, "no key", ret) : 0;
}

/* Of a known answer's peer only the public half is there. */
static int check(struct primitive *p)
{
	struct x_state *s = p->impl;
	word32 len = sizeof(s->other);
	int ret;

	if (agree_once(p))
		return -1;
	if (!p->known.peer) {
		ret = s->by->agree(s, PEER, s->other, &len);
		if (ret)
			return wolfssl_primitive_broken(p, "no shared secret", ret);
		if (len != p->output_len || memcmp(s->other, s->secret, len) != 0)
			return primitive_broken(p, "the two sides' secrets differ");
	}
	p->once = p->what.op == OP_AGREE ? agree_once : keygen_once;
	return p->once(p);
}

static int x_open(struct primitive *p)
{
	const struct montgomery *by = curve_of(p->what.algorithm);
	const struct known_input *known = &p->known;
	struct x_state *s;
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
	ret = by->make(s, OWN, known->key, known->key_len);
	if (!ret)
		ret = by->make(s, PEER, known->peer, known->peer_len);
	return ret ? wolfssl_primitive_broken(p, "no key", ret) : check(p);
}

static void x_close(struct primitive *p)
{
	struct x_state *s = p->impl;

	if (!s)
		return;
	s->by->release(s);
	if (s->has_rng)
		wc_FreeRng(&s->rng);
	free(s);
}

const struct primitive_ops wolfssl_x = { FAMILY_X, x_open, x_close };

#endif
