/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_domain - an SSL_CTX that can negotiate nothing but the suite asked for.
 *
 * Version, cipher lists, groups and signature schemes are all set explicitly, and
 * resumption is off unless tickets are asked for. It knows no wire.
 */
#include "ciphers/openssl_key.h"
#include "ciphers/openssl_session.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAGMENT_BYTES_MIN 512 /* the least that SSL_CTX_set_max_send_fragment() takes */

static const int protocol[TLS_VERSIONS] = {
	[TLS12] = TLS1_2_VERSION,
	[TLS13] = TLS1_3_VERSION,
	[DTLS12] = DTLS1_2_VERSION,
};

static const SSL_METHOD *method_of(const struct suite *s)
{
	return s && tls_version_is_datagram(s->version) ? DTLS_method() : TLS_method();
}

/* --- what is asked for ---------------------------------------------------- */

/* Before TLS 1.3 a certificate's curve is one of the groups. */
static const char *own_curve(const struct suite *s)
{
	bool curve = s->credential->key == KEY_EC || s->credential->key == KEY_BRAINPOOL;

	return curve && s->cipher->kx != KX_TLS13 ? s->credential->curve : NULL;
}

static void list_add(char *list, size_t size, const char *name)
{
	size_t len = strlen(list);

	if (!strstr(list, name))
		snprintf(list + len, size - len, ":%s", name);
}

/*
 * Under TLS 1.2 each side refuses an ECDSA certificate whose curve is not in its own
 * and the peer's list (RFC 8422 section 5.1.1), so it stands there too, last; which
 * group was taken is checked after the handshake. Of a client's certificate the curve
 * is not known here: it may be any of the usual three.
 */
static int set_groups(SSL_CTX *ctx, const struct tls_params *p)
{
	const struct suite *s = p->suite;
	const char *curve = p->role == CLIENT ? own_curve(s) : NULL;
	bool client_shows = p->role == CLIENT ? p->cert_file != NULL : p->ca_file != NULL;
	char list[128];

	if (!s->group->id)
		return 1;
	snprintf(list, sizeof(list), "%s", s->group->openssl);
	if (curve)
		list_add(list, sizeof(list), curve);
	if (client_shows && s->cipher->kx == KX_ECDHE) {
		list_add(list, sizeof(list), "P-256");
		list_add(list, sizeof(list), "P-384");
		list_add(list, sizeof(list), "P-521");
	}
	return SSL_CTX_set1_groups_list(ctx, list) == 1;
}

/* The one prime that a server of finite-field DHE offers; before TLS 1.3 nobody negotiates it. */
static int set_prime(SSL_CTX *ctx, OSSL_LIB_CTX *lib, const struct suite *s)
{
	EVP_PKEY_CTX *making;
	EVP_PKEY *prime = NULL;
	OSSL_PARAM params[2];
	int ok;

	if (s->group->kind != GROUP_FF || s->cipher->kx == KX_TLS13)
		return 1;
	params[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME,
						     (char *)s->group->openssl, 0);
	params[1] = OSSL_PARAM_construct_end();
	making = EVP_PKEY_CTX_new_from_name(lib, "DH", NULL);
	ok = making && EVP_PKEY_paramgen_init(making) == 1 &&
	     EVP_PKEY_CTX_set_params(making, params) == 1 && EVP_PKEY_paramgen(making, &prime) == 1;
	EVP_PKEY_CTX_free(making);
	if (ok && SSL_CTX_set0_tmp_dh_pkey(ctx, prime) == 1)
		return 1;
	EVP_PKEY_free(prime);
	return 0;
}

static int set_ciphers(SSL_CTX *ctx, const struct suite *s)
{
	if (s->cipher->kx == KX_TLS13)
		return SSL_CTX_set_ciphersuites(ctx, s->cipher->openssl) == 1;
	/* Both lists are always live: the other must be empty, not its default. */
	return SSL_CTX_set_ciphersuites(ctx, "") == 1 &&
	       SSL_CTX_set_cipher_list(ctx, s->cipher->openssl) == 1;
}

/* The credential's own hash first; the rest stay, for chains signed otherwise. */
static int set_signatures(SSL_CTX *ctx, const struct credential_kind *kind)
{
	static const char *const hashes[] = { "SHA256", "SHA384", "SHA512" };
	char own[64] = "", rest[192] = "", list[256];

	if (kind->key == KEY_RSA_PSS)
		return SSL_CTX_set1_sigalgs_list(ctx, "rsa_pss_pss_sha256:rsa_pss_pss_sha384:"
						      "rsa_pss_pss_sha512") == 1;
	if (kind->key != KEY_RSA && kind->key != KEY_EC)
		return 1;
	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		const char *h = hashes[i];
		bool first = !strcmp(h, kind->signature_hash);
		char *dst = first ? own : rest + strlen(rest);
		size_t len = first ? sizeof(own) : sizeof(rest) - strlen(rest);

		if (kind->key == KEY_RSA)
			snprintf(dst, len, "%sRSA-PSS+%s:RSA+%s", first ? "" : ":", h, h);
		else
			snprintf(dst, len, "%sECDSA+%s", first ? "" : ":", h);
	}
	snprintf(list, sizeof(list), "%s%s", own, rest);
	return SSL_CTX_set1_sigalgs_list(ctx, list) == 1;
}

static int pin(SSL_CTX *ctx, OSSL_LIB_CTX *lib, const struct tls_params *p, struct fail *f)
{
	const struct suite *s = p->suite;
	char text[SUITE_TEXT_BYTES];

	/* Above level 0 the library silently drops CCM_8 and 112-bit keys. */
	SSL_CTX_set_security_level(ctx, 0);
	if (SSL_CTX_set_min_proto_version(ctx, protocol[s->version]) == 1 &&
	    SSL_CTX_set_max_proto_version(ctx, protocol[s->version]) == 1 && set_ciphers(ctx, s) &&
	    set_groups(ctx, p) &&
	    (p->role == CLIENT || (set_signatures(ctx, s->credential) && set_prime(ctx, lib, s))))
		return 0;
	return openssl_fail(f, suite_format(s, text));
}

/* Schemes that not every release has: RFC 8734, FIPS 204. */
static bool knows_scheme(SSL_CTX *ctx, const struct suite *s)
{
	const struct credential_kind *k = s->credential;
	char scheme[64];

	if (k->key == KEY_BRAINPOOL && s->version == TLS13) {
		int len = snprintf(scheme, sizeof(scheme), "ecdsa_%stls13_", k->curve);

		for (const char *c = k->signature_hash; *c; c++)
			scheme[len++] = (char)tolower((unsigned char)*c);
		scheme[len] = '\0';
		return SSL_CTX_set1_sigalgs_list(ctx, scheme) == 1;
	}
	if (k->key == KEY_MLDSA || k->key == KEY_SLHDSA)
		return SSL_CTX_set1_sigalgs_list(ctx, k->name) == 1;
	return true;
}

const char *openssl_refuses(const struct suite *s)
{
	const char *why = NULL;
	SSL_CTX *ctx;

	if (suite_is_plain(s))
		return "plain runs on the null engine";
	if (!protocol[s->version])
		return "no such version in this OpenSSL";
	/* It lets these into TLS 1.2 by comparing with the number of that version alone. */
	if (s->version == DTLS12 &&
	    (s->credential->key == KEY_ED25519 || s->credential->key == KEY_ED448 ||
	     s->credential->key == KEY_RSA_PSS))
		return "no EdDSA and no keys for RSA-PSS alone under DTLS 1.2";
	why = openssl_key_refuses(s->credential);
	if (why)
		return why;
	ctx = SSL_CTX_new(method_of(s));
	if (!ctx)
		return "no memory";
	SSL_CTX_set_security_level(ctx, 0);
	if (SSL_CTX_set_min_proto_version(ctx, protocol[s->version]) != 1)
		why = "version not built in";
	else if (!set_ciphers(ctx, s))
		why = "cipher not built in";
	else if (!set_groups(ctx, &(struct tls_params){ .role = CLIENT, .suite = s }))
		why = "group not built in";
	else if (!knows_scheme(ctx, s))
		why = "no signature scheme for this key built in";
	SSL_CTX_free(ctx);
	ERR_clear_error();
	return why;
}

static int select_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
			   const unsigned char *in, unsigned int in_len, void *list)
{
	(void)ssl;
	*out = alpn_select(list, in, in_len, out_len);
	return *out ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int set_alpn(SSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	uint8_t list[ALPN_LIST_BYTES];

	if (!p->alpn)
		return 0;
	if (p->role == SERVER)
		SSL_CTX_set_alpn_select_cb(ctx, select_protocol, (void *)p->alpn);
	else if (SSL_CTX_set_alpn_protos(ctx, list, (unsigned)alpn_encode(p->alpn, list)))
		return openssl_fail(f, "application protocols");
	return 0;
}

static void set_common(struct openssl_domain *o, const struct tls_params *p)
{
	size_t mtu = p->mtu ? p->mtu : DTLS_MTU_BYTES;

	SSL_CTX_set_mode(o->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
					 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					 SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(o->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
					    SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_read_ahead(o->ctx, 0);
	o->record_bytes = p->record_bytes ? p->record_bytes : RECORD_BYTES_MAX;
	/* No record is longer than a datagram; the library makes room for what is said here. */
	if (p->suite && tls_version_is_datagram(p->suite->version) && o->record_bytes > mtu)
		o->record_bytes = mtu;
	if (o->record_bytes >= FRAGMENT_BYTES_MIN)
		SSL_CTX_set_max_send_fragment(o->ctx, (long)o->record_bytes);
}

/* From 3.2 on the library finds a decoder once and remembers it. */
static void make_library(struct openssl_domain *o, const struct tls_params *p)
{
	bool slow = OPENSSL_VERSION_NUMBER < 0x30200000L;

	o->lib = OSSL_LIB_CTX_new();
	if (o->lib && slow && p->role == CLIENT && !p->cert_file)
		o->lean = openssl_lean_load(o->lib, p->suite);
}

int openssl_domain_open(struct domain *d)
{
	const struct tls_params *p = &d->params;
	struct openssl_domain *o = calloc(1, sizeof(*o));
	const char *why = p->suite ? openssl_refuses(p->suite) : NULL;

	if (!o)
		return fail_set(&d->fail, ENOMEM, "no memory for a context");
	d->impl = o;
	if (why)
		fail_set(&d->fail, EINVAL, "openssl does not offer this suite: %s", why);
	if (d->fail.code || tls_params_check(p, &d->fail))
		goto out;
	ERR_clear_error();
	make_library(o, p);
	o->ctx = o->lib ? SSL_CTX_new_ex(o->lib, NULL, method_of(p->suite)) : NULL;
	if (!o->ctx) {
		openssl_fail(&d->fail, "context");
		goto out;
	}
	set_common(o, p);
	openssl_observe(o->ctx, p);
	if ((p->suite && pin(o->ctx, o->lib, p, &d->fail)) || set_alpn(o->ctx, p, &d->fail) ||
	    openssl_session_context(o->ctx, p, &d->fail) ||
	    openssl_listen_context(o, p, &d->fail) || openssl_identity(o, p, &d->fail))
		goto out;
	return 0;
out:
	openssl_domain_close(d);
	return -1;
}

void openssl_domain_close(struct domain *d)
{
	struct openssl_domain *o = d->impl;

	if (!o)
		return;
	BIO_ADDR_free(o->nobody);
	SSL_CTX_free(o->ctx);
	openssl_lean_unload(o->lean);
	OSSL_LIB_CTX_free(o->lib);
	openssl_lean_free(o->lean);
	OPENSSL_cleanse(o->cookie_key, sizeof(o->cookie_key));
	free(o);
	d->impl = NULL;
}
