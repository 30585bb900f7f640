/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_exchange - OpenSSL's key agreement and key encapsulation. It reads no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "ciphers/openssl_primitives.h"

/* --- agreement ------------------------------------------------------------------ */

/* With the check of the peer's value that RFC 8446 section 4.2.8 and RFC 7748 ask for. */
static int agree_once(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	s->secret_len = sizeof(s->secret);
	if (EVP_PKEY_derive_init(s->ctx) != 1 || EVP_PKEY_derive_set_peer(s->ctx, s->peer) != 1 ||
	    EVP_PKEY_derive(s->ctx, s->secret, &s->secret_len) != 1)
		return openssl_primitive_broken(p, "no shared secret");
	p->output = s->secret;
	p->output_len = s->secret_len;
	return 0;
}

/* The same, seen from the peer's side. */
static int peer_agrees(struct primitive *p)
{
	struct openssl_key *s = p->impl;
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->peer, NULL);
	int ok;

	s->own_len = sizeof(s->own_secret);
	ok = ctx && EVP_PKEY_derive_init(ctx) == 1 && EVP_PKEY_derive_set_peer(ctx, s->key) == 1 &&
	     EVP_PKEY_derive(ctx, s->own_secret, &s->own_len) == 1;
	EVP_PKEY_CTX_free(ctx);
	if (!ok)
		return openssl_primitive_broken(p, "no shared secret");
	if (s->own_len != s->secret_len || memcmp(s->own_secret, s->secret, s->own_len) != 0)
		return primitive_broken(p, "the two sides' secrets differ");
	return 0;
}

int openssl_agree_open(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	s->key = openssl_own_key(p);
	s->peer = openssl_peer_key(p);
	s->ctx = s->key ? EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL) : NULL;
	if (!s->ctx || !s->peer)
		return openssl_primitive_broken(p, "no key");
	p->once = agree_once;
	/* Of a known answer's peer only the public half is there. */
	return agree_once(p) || (!p->known.peer && peer_agrees(p)) ? -1 : 0;
}

/* --- encapsulation ---------------------------------------------------------------- */

static int encaps_once(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	p->output_len = s->out_cap;
	s->secret_len = sizeof(s->secret);
	if (EVP_PKEY_encapsulate(s->ctx, s->out, &p->output_len, s->secret, &s->secret_len) != 1)
		return openssl_primitive_broken(p, "cannot encapsulate");
	return 0;
}

static int decaps_once(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	s->own_len = sizeof(s->own_secret);
	if (EVP_PKEY_decapsulate(s->ctx, s->own_secret, &s->own_len, s->wrapped, s->wrapped_len) !=
	    1)
		return openssl_primitive_broken(p, "cannot decapsulate");
	return 0;
}

static int start_encaps(struct primitive *p)
{
	struct openssl_key *s = p->impl;
	size_t len = 0;

	s->ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
	if (!s->ctx || EVP_PKEY_encapsulate_init(s->ctx, NULL) != 1 ||
	    EVP_PKEY_encapsulate(s->ctx, NULL, &len, NULL, &s->secret_len) != 1 ||
	    openssl_make_room(s, len))
		return openssl_primitive_broken(p, "cannot be set up");
	p->output = s->out;
	return 0;
}

static int start_decaps(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	EVP_PKEY_CTX_free(s->ctx);
	s->ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
	if (!s->ctx || EVP_PKEY_decapsulate_init(s->ctx, NULL) != 1)
		return openssl_primitive_broken(p, "cannot be set up");
	return 0;
}

static bool secrets_equal(const struct openssl_key *s)
{
	return s->own_len == s->secret_len && !memcmp(s->own_secret, s->secret, s->own_len);
}

/* A changed ciphertext gives another secret, or an error. */
static int check_decaps(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	s->wrapped = s->out;
	s->wrapped_len = p->output_len;
	if (start_decaps(p) || decaps_once(p))
		return -1;
	if (!secrets_equal(s))
		return primitive_broken(p, "the two sides' secrets differ");
	s->wrapped[0] ^= 1;
	if (!decaps_once(p) && secrets_equal(s))
		return primitive_broken(p, "a changed ciphertext gives the same secret");
	s->wrapped[0] ^= 1;
	fail_clear(&p->fail);
	return 0;
}

int openssl_kem_open(struct primitive *p)
{
	struct openssl_key *s = p->impl;

	s->key = openssl_own_key(p);
	if (!s->key)
		return openssl_primitive_broken(p, "no key");
	if (start_encaps(p) || encaps_once(p) || check_decaps(p))
		return -1;
	p->once = p->what.op == OP_ENCAPS ? encaps_once : decaps_once;
	if (p->what.op == OP_DECAPS)
		return 0;
	EVP_PKEY_CTX_free(s->ctx);
	free(s->out);
	return start_encaps(p);
}
