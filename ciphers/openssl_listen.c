/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_listen - a DTLS server that answers ClientHellos without keeping anything until a
 * cookie comes back (RFC 6347 section 4.2.1).
 *
 * The cookie is a keyed hash of the peer's address, under a secret of the domain's own.
 * Of at most 32 bytes: wolfSSL's client keeps no more.
 */
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "ciphers/openssl_domain.h"

_Static_assert(OPENSSL_COOKIE_BYTES <= 32, "what wolfSSL's client keeps");

static int make_cookie(struct openssl_domain *o, uint8_t cookie[OPENSSL_COOKIE_BYTES])
{
	size_t len = 0;

	/* Outside a call of listen there is no peer, hence no cookie. */
	return o->peer &&
	       EVP_Q_mac(o->lib, "HMAC", NULL, "SHA256", NULL, o->cookie_key, sizeof(o->cookie_key),
			 o->peer, o->peer_len, cookie, OPENSSL_COOKIE_BYTES, &len) &&
	       len == OPENSSL_COOKIE_BYTES;
}

static int give_cookie(SSL *ssl, unsigned char *cookie, unsigned *len)
{
	struct openssl_domain *o = openssl_assoc(ssl)->domain->impl;

	*len = OPENSSL_COOKIE_BYTES;
	return make_cookie(o, cookie);
}

static int check_cookie(SSL *ssl, const unsigned char *cookie, unsigned len)
{
	struct openssl_domain *o = openssl_assoc(ssl)->domain->impl;
	uint8_t right[OPENSSL_COOKIE_BYTES];

	return len == sizeof(right) && make_cookie(o, right) &&
	       CRYPTO_memcmp(cookie, right, sizeof(right)) == 0;
}

int openssl_listen_context(struct openssl_domain *o, const struct tls_params *p, struct fail *f)
{
	if (p->role != SERVER || !p->suite || !tls_version_is_datagram(p->suite->version))
		return 0;
	o->nobody = BIO_ADDR_new();
	if (!o->nobody || RAND_bytes_ex(o->lib, o->cookie_key, sizeof(o->cookie_key), 0) != 1)
		return openssl_fail(f, "cookie");
	SSL_CTX_set_cookie_generate_cb(o->ctx, give_cookie);
	SSL_CTX_set_cookie_verify_cb(o->ctx, check_cookie);
	return 0;
}

enum step openssl_listen(struct assoc *a, const void *peer, size_t len)
{
	struct openssl_domain *o = a->domain->impl;
	enum step step = STEP_IN;
	int ret;

	openssl_forget_errors();
	o->peer = peer;
	o->peer_len = len;
	ret = DTLSv1_listen(a->impl, o->nobody);
	if (ret < 0) {
		openssl_fail_step(a, "first hello");
		step = STEP_FAILED;
	} else if (ret > 0) {
		/* The state machine checks the cookie once more, so it goes on while it can. */
		step = openssl_settle(a, SSL_do_handshake(a->impl), "handshake");
		step = step == STEP_IN || step == STEP_OUT ? STEP_DONE : step;
	}
	o->peer = NULL;
	openssl_forget_errors();
	return step;
}
