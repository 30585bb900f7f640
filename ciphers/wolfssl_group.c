/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_group - pins the key exchange of a wolfSSL context to one group.
 *
 * A client lists it alone. A server needs more persuasion before TLS 1.3; each trick
 * stands with its reason. Only names that begin with wolfSSL_ or wc_ are called.
 */
#include "ciphers/wolfssl_domain.h"

#include <wolfssl/wolfcrypt/dh.h>

#define WIRE_VERSION_TLS12 0x0303

/* What wolfSSL calls a curve in its list, and how long a number in it is. */
static const struct curve {
	uint16_t id;
	const char *name;
	word16 bytes;
} curves[] = {
	{ 29, "X25519", 32 },
	{ 23, "secp256r1", 32 },
	{ 24, "secp384r1", 48 },
	{ 25, "secp521r1", 66 },
	{ 30, "X448", 56 },
	{ 21, "secp224r1", 28 },
	{ 26, "brainpoolP256r1", 32 },
	{ 27, "brainpoolP384r1", 48 },
	{ 28, "brainpoolP512r1", 64 },
	{ 0, NULL, 0 },
};

static const DhParams *prime_of(const struct group *g)
{
	switch (g->id) {
#ifdef HAVE_FFDHE_2048
	case 256:
		return wc_Dh_ffdhe2048_Get();
#endif
#ifdef HAVE_FFDHE_3072
	case 257:
		return wc_Dh_ffdhe3072_Get();
#endif
#ifdef HAVE_FFDHE_4096
	case 258:
		return wc_Dh_ffdhe4096_Get();
#endif
#ifdef HAVE_FFDHE_6144
	case 259:
		return wc_Dh_ffdhe6144_Get();
#endif
#ifdef HAVE_FFDHE_8192
	case 260:
		return wc_Dh_ffdhe8192_Get();
#endif
	default:
		return NULL;
	}
}

const char *wolfssl_group_refuses(const struct suite *s)
{
	const struct group *g = s->group;
	const struct curve *c = curves;

	if (s->cipher->kx == KX_ECDHE_PSK && (g->id == 29 || g->id == 30))
		return "no X25519 and no X448 with a pre-shared key";
	/* 5.5 would take NIST's curve of this size, 5.7 none. */
	if (s->version == TLS12 && g->id >= 26 && g->id <= 28)
		return "as a server it cannot be held to a Brainpool curve";
	if (g->kind == GROUP_FF)
		return prime_of(g) ? NULL : "prime not built in";
	while (c->id && c->id != g->id)
		c++;
	return g->kind == GROUP_NONE || c->id ? NULL : "group not built in";
}

/* The certificate's own curve, where it must be among the groups: before TLS 1.3. */
static const struct group *own_curve(const struct suite *s)
{
	enum key_kind key = s->credential->key;

	if (s->cipher->kx == KX_TLS13 || (key != KEY_EC && key != KEY_BRAINPOOL))
		return NULL;
	return group_by_name(s->credential->name);
}

/* The curves of NIST that a client's own certificate may be on: 256, 384, 521 bits. */
static const uint16_t usual_curves[] = { 23, 24, 25 };

static int add_once(int *list, int count, int id)
{
	for (int i = 0; i < count; i++)
		if (list[i] == id)
			return count;
	list[count] = id;
	return count + 1;
}

/* The group alone; under TLS 1.2 the curves of certificates too, last (RFC 8422, 5.1.1). */
int wolfssl_set_groups(WOLFSSL_CTX *ctx, const struct tls_params *p)
{
	const struct suite *s = p->suite;
	const struct group *own = own_curve(s);
	int list[8] = { s->group->id }, count = 1;

	if (!s->group->id)
		return 1;
	if (own)
		count = add_once(list, count, own->id);
	if (p->role == CLIENT && p->cert_file && s->cipher->kx == KX_ECDHE)
		for (int i = 0; i < 3; i++)
			count = add_once(list, count, usual_curves[i]);
	for (int i = 0; i < count; i++)
		if (wolfSSL_CTX_UseSupportedCurve(ctx, (word16)list[i]) != WOLFSSL_SUCCESS)
			return 0;
	/* The order of key shares; refused on a context without TLS 1.3. */
	return s->version != TLS13 || wolfSSL_CTX_set_groups(ctx, list, count) == WOLFSSL_SUCCESS;
}

/*
 * A TLS 1.2 server takes the client's curve whose size is nearest to a wanted one,
 * P-256 where X25519 was meant. So all other curves are switched off; the library
 * lets that be done only to a context that could still speak TLS 1.3. Under DTLS the
 * wanted size must do.
 */
static int pin_curve(WOLFSSL_CTX *ctx, const struct suite *s)
{
	const struct curve *c = curves;

	while (c->id && c->id != s->group->id)
		c++;
	if (!c->id)
		return 0;
	wolfSSL_CTX_SetTmpEC_DHE_Sz(ctx, c->bytes);
	return s->version != TLS12 || wolfSSL_CTX_set1_curves_list(ctx, c->name) == WOLFSSL_SUCCESS;
}

static int pin_prime(WOLFSSL_CTX *ctx, const struct suite *s)
{
	const DhParams *prime = prime_of(s->group);

	return prime && wolfSSL_CTX_SetTmpDH(ctx, prime->p, (int)prime->p_len, prime->g,
					     (int)prime->g_len) == WOLFSSL_SUCCESS;
}

int wolfssl_pin_server(WOLFSSL_CTX *ctx, const struct suite *s)
{
	if (s->version == TLS13)
		return 1;
	if (s->group->kind == GROUP_EC && !pin_curve(ctx, s))
		return 0;
	if (s->group->kind == GROUP_FF && !pin_prime(ctx, s))
		return 0;
	/* The context could speak more for pin_curve() alone. */
	return s->version != TLS12 ||
	       (wolfSSL_CTX_set_min_proto_version(ctx, WIRE_VERSION_TLS12) == WOLFSSL_SUCCESS &&
		wolfSSL_CTX_set_max_proto_version(ctx, WIRE_VERSION_TLS12) == WOLFSSL_SUCCESS);
}
