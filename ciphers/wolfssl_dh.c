/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_dh - wolfSSL's Diffie-Hellman over the groups of RFC 7919. It reads no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "ciphers/wolfssl_primitives.h"

#include <wolfssl/wolfcrypt/dh.h>

#if !defined(NO_DH)

#define NUMBER_BYTES_MAX 1024 /* ffdhe8192 */

enum { OWN, PEER, SIDES };

struct dh_state {
	WC_RNG rng;
	DhKey group;
	bool has_rng, has_group;
	uint8_t private[SIDES][NUMBER_BYTES_MAX], public[SIDES][NUMBER_BYTES_MAX];
	word32 private_len[SIDES], public_len[SIDES];
	uint8_t secret[NUMBER_BYTES_MAX], other[NUMBER_BYTES_MAX];
};

static int make(struct dh_state *s, int which)
{
	s->private_len[which] = s->public_len[which] = NUMBER_BYTES_MAX;
	return wc_DhGenerateKeyPair(&s->group, &s->rng, s->private[which], &s -> private_len[which],
				    s -> public[which], &s -> public_len[which]);
}

static int agree(struct dh_state *s, int which, uint8_t *secret, word32 *len)
{
	*len = NUMBER_BYTES_MAX;
	return wc_DhAgree(&s->group, secret, len, s->private[which], s -> private_len[which],
			  s -> public[!which], s -> public_len[!which]);
}

static int keygen_once(struct primitive *p)
{
	int ret = make(p->impl, OWN);

	return ret ? wolfssl_primitive_broken(p, "no key", ret) : 0;
}

static int agree_once(struct primitive *p)
{
	struct dh_state *s = p->impl;
	word32 len;
	int ret = agree(s, OWN, s->secret, &len);

	p->output = s->secret;
	p->output_len = len;
	return ret ? wolfssl_primitive_broken(p, "no shared secret", ret) : 0;
}

static int check(struct primitive *p)
{
	struct dh_state *s = p->impl;
	word32 len;
	int ret;

	if (keygen_once(p))
		return -1;
	ret = make(s, PEER);
	if (ret)
		return wolfssl_primitive_broken(p, "no key", ret);
	if (agree_once(p))
		return -1;
	ret = agree(s, PEER, s->other, &len);
	if (ret)
		return wolfssl_primitive_broken(p, "no shared secret", ret);
	if (len != p->output_len || memcmp(s->other, s->secret, len) != 0)
		return primitive_broken(p, "the two sides' secrets differ");
	p->once = p->what.op == OP_AGREE ? agree_once : keygen_once;
	return 0;
}

/* The names of the library's groups; 0 where this one was left out of the build. */
static int name_of(const struct algorithm *a)
{
	switch (a->bits) {
#if defined(HAVE_FFDHE_2048)
	case 2048:
		return WC_FFDHE_2048;
#endif
#if defined(HAVE_FFDHE_3072)
	case 3072:
		return WC_FFDHE_3072;
#endif
#if defined(HAVE_FFDHE_4096)
	case 4096:
		return WC_FFDHE_4096;
#endif
#if defined(HAVE_FFDHE_6144)
	case 6144:
		return WC_FFDHE_6144;
#endif
#if defined(HAVE_FFDHE_8192)
	case 8192:
		return WC_FFDHE_8192;
#endif
	default:
		return 0;
	}
}

static int dh_open(struct primitive *p)
{
	int ret, name = name_of(p->what.algorithm);
	struct dh_state *s;

	if (!name)
		return primitive_absent(p);
	s = calloc(1, sizeof(*s));
	p->impl = s;
	if (!s)
		return primitive_broken(p, "no memory");
	if (wolfssl_start(p, &s->rng))
		return -1;
	s->has_rng = true;
	ret = wc_InitDhKey(&s->group);
	s->has_group = !ret;
	if (!ret)
		ret = wc_DhSetNamedKey(&s->group, name);
	return ret ? wolfssl_primitive_broken(p, "no group", ret) : check(p);
}

static void dh_close(struct primitive *p)
{
	struct dh_state *s = p->impl;

	if (!s)
		return;
	if (s->has_group)
		wc_FreeDhKey(&s->group);
	if (s->has_rng)
		wc_FreeRng(&s->rng);
	free(s);
}

const struct primitive_ops wolfssl_ffdh = { FAMILY_FFDH, dh_open, dh_close };

#endif
