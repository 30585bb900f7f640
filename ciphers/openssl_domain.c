/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_domain - an SSL_CTX that can negotiate nothing but the suite asked for.
 *
 * Version, cipher lists, groups and signature schemes are all set explicitly, and
 * resumption is off unless tickets are asked for. It knows no wire.
 */
#include "ciphers/openssl_domain.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
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

/*
 * Under TLS 1.2 a server refuses an ECDSA certificate whose own curve is not in
 * the client's list (RFC 8422 section 5.1.1), so it stands there too, last; which
 * group was taken is checked after the handshake.
 */
static int set_groups(SSL_CTX *ctx, const struct suite *s, enum role role)
{
	char list[64];
	const char *curve = s->credential->key == KEY_EC ? s->credential->curve : NULL;
	bool add = role == CLIENT && curve && s->cipher->kx != KX_TLS13 &&
		   strcmp(curve, s->group->openssl);

	if (!s->group->id)
		return 1;
	snprintf(list, sizeof(list), "%s%s%s", s->group->openssl, add ? ":" : "", add ? curve : "");
	return SSL_CTX_set1_groups_list(ctx, list) == 1;
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

static int pin(SSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	const struct suite *s = p->suite;
	char text[SUITE_TEXT_BYTES];

	/* Above level 0 the library silently drops CCM_8 and 112-bit keys. */
	SSL_CTX_set_security_level(ctx, 0);
	if (SSL_CTX_set_min_proto_version(ctx, protocol[s->version]) == 1 &&
	    SSL_CTX_set_max_proto_version(ctx, protocol[s->version]) == 1 && set_ciphers(ctx, s) &&
	    set_groups(ctx, s, p->role))
		return 0;
	return openssl_fail(f, suite_format(s, text));
}

const char *openssl_refuses(const struct suite *s)
{
	const char *why = NULL;
	SSL_CTX *ctx;

	if (suite_is_plain(s))
		return "plain runs on the null engine";
	if (!protocol[s->version])
		return "no such version in this OpenSSL";
	if (s->cipher->auth == AUTH_PSK)
		return "no pre-shared keys in this program";
	/* It lets EdDSA certificates into TLS 1.2 by comparing with that version alone. */
	if (s->version == DTLS12 && s->credential->key == KEY_ED25519)
		return "no Ed25519 under DTLS 1.2";
	ctx = SSL_CTX_new(method_of(s));
	if (!ctx)
		return "no memory";
	SSL_CTX_set_security_level(ctx, 0);
	if (SSL_CTX_set_min_proto_version(ctx, protocol[s->version]) != 1)
		why = "version not built in";
	else if (!set_ciphers(ctx, s))
		why = "cipher not built in";
	else if (!set_groups(ctx, s, CLIENT))
		why = "group not built in";
	SSL_CTX_free(ctx);
	ERR_clear_error();
	return why;
}

/* --- the two roles -------------------------------------------------------- */

static int check_own_key(SSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	const struct credential_kind *want = p->suite->credential;
	EVP_PKEY *key = X509_get0_pubkey(SSL_CTX_get0_certificate(ctx));
	int bits = key ? EVP_PKEY_get_bits(key) : 0, type = key ? EVP_PKEY_get_base_id(key) : 0;
	const char *name = type == EVP_PKEY_RSA       ? "RSA"
			   : type == EVP_PKEY_EC      ? "EC"
			   : type == EVP_PKEY_ED25519 ? "Ed25519"
						      : "unknown";
	bool same = (want->key == KEY_RSA && type == EVP_PKEY_RSA && bits == want->key_bits) ||
		    (want->key == KEY_EC && type == EVP_PKEY_EC && bits == want->key_bits) ||
		    (want->key == KEY_ED25519 && type == EVP_PKEY_ED25519);

	if (same)
		return 0;
	return fail_set(f, EINVAL,
			"%s holds an %s key of %d bits; the credential in the suite is \"%s\"",
			p->cert_file, name, bits, want->name);
}

static int load_own(SSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	if (!p->cert_file || !p->key_file)
		return fail_set(f, EINVAL, "a server needs a certificate and a key file");
	if (SSL_CTX_use_certificate_chain_file(ctx, p->cert_file) != 1)
		return openssl_fail(f, p->cert_file);
	if (SSL_CTX_use_PrivateKey_file(ctx, p->key_file, SSL_FILETYPE_PEM) != 1)
		return openssl_fail(f, p->key_file);
	return check_own_key(ctx, p, f);
}

static int set_server(struct openssl_domain *o, const struct tls_params *p, struct fail *f)
{
	SSL_CTX *ctx = o->ctx;
	const unsigned char context[] = "cipherwatt";

	if (!p->suite)
		return fail_set(f, EINVAL, "a server needs a suite");
	SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_session_id_context(ctx, context, sizeof(context) - 1);
	if (p->tickets == 0)
		SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
	if (SSL_CTX_set_num_tickets(ctx, (size_t)p->tickets) != 1 ||
	    !set_signatures(ctx, p->suite->credential))
		return openssl_fail(f, "server context");
	return load_own(ctx, p, f);
}

static bool is_address(const char *name)
{
	unsigned char address[sizeof(struct in6_addr)];

	return name &&
	       (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1);
}

static int set_client(struct openssl_domain *o, const struct tls_params *p, struct fail *f)
{
	X509_VERIFY_PARAM *check = SSL_CTX_get0_param(o->ctx);

	/* No session is kept, so a ticket would be asked for in vain. */
	SSL_CTX_set_options(o->ctx, SSL_OP_NO_TICKET);
	o->name_is_address = is_address(p->server_name);
	if (!p->ca_file)
		return 0;
	o->verify = true;
	SSL_CTX_set_verify(o->ctx, SSL_VERIFY_PEER, NULL);
	if (SSL_CTX_load_verify_file(o->ctx, p->ca_file) != 1)
		return openssl_fail(f, p->ca_file);
	/* What the user names is trusted, an intermediate authority too: wolfSSL does the same. */
	X509_VERIFY_PARAM_set_flags(check, X509_V_FLAG_PARTIAL_CHAIN);
	if (!p->server_name)
		return 0;
	X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (o->name_is_address ? X509_VERIFY_PARAM_set1_ip_asc(check, p->server_name)
			       : X509_VERIFY_PARAM_set1_host(check, p->server_name, 0))
		return 0;
	return openssl_fail(f, p->server_name);
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
	if (alpn_check(p->alpn, f))
		return -1;
	if (p->role == SERVER)
		SSL_CTX_set_alpn_select_cb(ctx, select_protocol, (void *)p->alpn);
	else if (SSL_CTX_set_alpn_protos(ctx, list, (unsigned)alpn_encode(p->alpn, list)))
		return openssl_fail(f, "application protocols");
	return 0;
}

static void set_common(struct openssl_domain *o, const struct tls_params *p)
{
	SSL_CTX_set_mode(o->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
					 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					 SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(o->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_session_cache_mode(o->ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_read_ahead(o->ctx, 0);
	o->record_bytes = p->record_bytes ? p->record_bytes : RECORD_BYTES_MAX;
	if (o->record_bytes >= FRAGMENT_BYTES_MIN)
		SSL_CTX_set_max_send_fragment(o->ctx, (long)o->record_bytes);
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
	else if (p->record_bytes > RECORD_BYTES_MAX)
		fail_set(&d->fail, EINVAL, "a record takes at most %d bytes, not %zu",
			 RECORD_BYTES_MAX, p->record_bytes);
	if (d->fail.code)
		goto out;
	ERR_clear_error();
	o->lib = OSSL_LIB_CTX_new();
	o->ctx = o->lib ? SSL_CTX_new_ex(o->lib, NULL, method_of(p->suite)) : NULL;
	if (!o->ctx) {
		openssl_fail(&d->fail, "context");
		goto out;
	}
	set_common(o, p);
	if ((!p->suite || !pin(o->ctx, p, &d->fail)) && !set_alpn(o->ctx, p, &d->fail) &&
	    !(p->role == SERVER ? set_server(o, p, &d->fail) : set_client(o, p, &d->fail)))
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
	SSL_CTX_free(o->ctx);
	OSSL_LIB_CTX_free(o->lib);
	free(o);
	d->impl = NULL;
}
