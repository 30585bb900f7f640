/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_domain - a WOLFSSL_CTX that can negotiate nothing but the suite asked for.
 *
 * One list of ciphers holds all versions here, so the version is pinned first by
 * the method. It knows no wire. Only names that begin with wolfSSL_ or wc_ are
 * called: the others belong to OpenSSL in this program.
 */
#include "ciphers/wolfssl_session.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wolfssl/wolfcrypt/ecc.h>

#define EC_BITS_MIN      224
#define RSA_BITS_MIN     1024
#define ALPN_ALERT_FATAL 2

static WOLFSSL_METHOD *method_of(const struct suite *s, enum role role)
{
	if (!s)
		return wolfSSLv23_client_method();
	switch (s->version) {
	case TLS12:
		/* A server is pinned to it by pin_server_group(). */
		return role == SERVER ? wolfSSLv23_server_method() : wolfTLSv1_2_client_method();
#ifdef WOLFSSL_TLS13
	case TLS13:
		return role == SERVER ? wolfTLSv1_3_server_method() : wolfTLSv1_3_client_method();
#endif
#ifdef WOLFSSL_DTLS
	case DTLS12:
		return role == SERVER ? wolfDTLSv1_2_server_method() : wolfDTLSv1_2_client_method();
#endif
	default:
		return NULL;
	}
}

static void start_library(void)
{
	wolfSSL_Init();
}

static WOLFSSL_CTX *new_context(const struct suite *s, enum role role)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	WOLFSSL_METHOD *method;

	pthread_once(&once, start_library);
	method = method_of(s, role);
	return method ? wolfSSL_CTX_new(method) : NULL;
}

/* --- what is asked for ---------------------------------------------------- */

static const char *refuses_key(const struct suite *s)
{
	const struct credential_kind *k = s->credential;

	switch (k->key) {
#ifdef RSA_MAX_SIZE
	case KEY_RSA:
		return k->key_bits > RSA_MAX_SIZE ? "RSA keys this long not built in" : NULL;
#endif
#ifndef HAVE_ED25519
	case KEY_ED25519:
		return "Ed25519 not built in";
#endif
#ifndef HAVE_ED448
	case KEY_ED448:
		return "Ed448 not built in";
#endif
	case KEY_BRAINPOOL:
		if (s->version == TLS13)
			return "no Brainpool signatures under TLS 1.3";
		return k->key_bits < 512 ? "it would sign with NIST's curve of this size" : NULL;
	case KEY_RSA_PSS:
		return "keys for RSA-PSS alone not built in";
	case KEY_MLDSA:
	case KEY_SLHDSA:
		return "key type not built in";
	default:
		return NULL;
	}
}

/* What is built in and does not work. */
static const char *refuses_cipher(const struct cipher *c)
{
#if LIBWOLFSSL_VERSION_HEX >= 0x05006000
	if (c->kx == KX_DHE_PSK && strstr(c->bulk, "CCM"))
		return "this release does not agree with itself on it";
#endif
	(void)c;
	return NULL;
}

const char *wolfssl_refuses(const struct suite *s)
{
	const char *why = NULL;
	WOLFSSL_CTX *ctx;

	if (suite_is_plain(s))
		return "plain runs on the null engine";
	ctx = new_context(s, CLIENT);
	if (!ctx)
		return "version not built in";
	if (wolfSSL_CTX_set_cipher_list(ctx, s->cipher->wolfssl) != WOLFSSL_SUCCESS)
		why = "cipher not built in";
	else if (!wolfssl_set_groups(ctx, &(struct tls_params){ .role = CLIENT, .suite = s }))
		why = "group not built in";
	else
		why = refuses_key(s);
	if (!why)
		why = refuses_cipher(s->cipher);
	if (!why)
		why = wolfssl_group_refuses(s);
	wolfSSL_CTX_free(ctx);
	return why;
}

static int pin(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	const struct suite *s = p->suite;
	char text[SUITE_TEXT_BYTES];

	wolfSSL_CTX_SetMinEccKey_Sz(ctx, EC_BITS_MIN);
	wolfSSL_CTX_SetMinRsaKey_Sz(ctx, RSA_BITS_MIN);
	if (wolfssl_set_groups(ctx, p) && (p->role == CLIENT || wolfssl_pin_server(ctx, s)) &&
	    wolfSSL_CTX_set_cipher_list(ctx, s->cipher->wolfssl) == WOLFSSL_SUCCESS)
		return 0;
	return fail_set(f, EPROTO, "wolfssl: cannot be set to %s", suite_format(s, text));
}

/* By our preference; given the list alone, the library would go by the client's. */
static int select_protocol(WOLFSSL *ssl, const unsigned char **out, unsigned char *out_len,
			   const unsigned char *in, unsigned int in_len, void *list)
{
	*out = alpn_select(list, in, in_len, out_len);
	if (*out)
		return 0;
	/* Only with a list of its own, in which nothing fits, does 5.5 send the alert. */
	wolfSSL_UseALPN(ssl, list, (unsigned)strlen(list), WOLFSSL_ALPN_FAILED_ON_MISMATCH);
	return ALPN_ALERT_FATAL;
}

static void set_alpn(WOLFSSL_CTX *ctx, const struct tls_params *p)
{
	if (p->alpn && p->role == SERVER)
		wolfSSL_CTX_set_alpn_select_cb(ctx, select_protocol, (void *)p->alpn);
}

#ifdef FP_ECC
static _Thread_local int domains_open;
#endif

int wolfssl_domain_open(struct domain *d)
{
	const struct tls_params *p = &d->params;
	struct wolfssl_domain *w = calloc(1, sizeof(*w));
	const char *why = p->suite ? wolfssl_refuses(p->suite) : NULL;

	if (!w)
		return fail_set(&d->fail, ENOMEM, "no memory for a context");
	d->impl = w;
#ifdef FP_ECC
	domains_open++;
#endif
	if (why)
		fail_set(&d->fail, EINVAL, "wolfssl does not offer this suite: %s", why);
	if (d->fail.code || tls_params_check(p, &d->fail))
		goto out;
	if (p->early_data_bytes) {
		fail_set(&d->fail, ENOSYS, "wolfssl: early data not built in");
		goto out;
	}
	w->record_bytes = p->record_bytes ? p->record_bytes : RECORD_BYTES_MAX;
	w->ctx = new_context(p->suite, p->role);
	if (!w->ctx) {
		fail_set(&d->fail, ENOMEM, "wolfssl: no memory for a context");
		goto out;
	}
	set_alpn(w->ctx, p);
	if (wolfssl_share_key(w->ctx, p, &d->fail) || (p->suite && pin(w->ctx, p, &d->fail)) ||
	    wolfssl_session_context(w->ctx, p, &d->fail) ||
	    wolfssl_listen_context(w, p, &d->fail) || wolfssl_identity(w, p, &d->fail))
		goto out;
	return 0;
out:
	wolfssl_domain_close(d);
	return -1;
}

void wolfssl_domain_close(struct domain *d)
{
	struct wolfssl_domain *w = d->impl;

	if (!w)
		return;
	wolfSSL_CTX_free(w->ctx);
	explicit_bzero(w->cookie_key, sizeof(w->cookie_key));
	free(w);
#ifdef FP_ECC
	/* Tables of points that the library keeps for each thread, and would leave behind. */
	if (--domains_open == 0)
		wc_ecc_fp_free();
#endif
	d->impl = NULL;
}
