/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_identity - who a context is and whom it believes: certificate and key, the
 * peer's authority and name, a pre-shared key.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "ciphers/openssl_domain.h"
#include "ciphers/openssl_key.h"

/* Whatever a client may show, whichever key the server has. */
#define CLIENT_SIGNATURES                                                                     \
	"ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:ed448:RSA-PSS+SHA256:RSA-PSS+SHA384:" \
	"RSA-PSS+SHA512:rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512:RSA+SHA256:" \
	"RSA+SHA384:RSA+SHA512"

/* --- certificates --------------------------------------------------------- */

static int check_own_key(SSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	const struct credential_kind *want = p->suite->credential, *is;
	EVP_PKEY *key = X509_get0_pubkey(SSL_CTX_get0_certificate(ctx));
	uint16_t bits;
	enum key_kind kind = openssl_key_kind(key, &bits);

	if (key && openssl_key_is(want, key))
		return 0;
	is = credential_kind_of_key(kind, bits);
	return fail_set(f, EINVAL,
			"%s holds a key of another kind (%s, %u bits); the credential in the suite "
			"is \"%s\"",
			p->cert_file, is ? is->name : "not in the catalogue", bits, want->name);
}

static int load_own(SSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	if (SSL_CTX_use_certificate_chain_file(ctx, p->cert_file) != 1)
		return openssl_fail(f, p->cert_file);
	if (SSL_CTX_use_PrivateKey_file(ctx, p->key_file, SSL_FILETYPE_PEM) != 1)
		return openssl_fail(f, p->key_file);
	/* What a client shows is no part of the suite. */
	return p->role == SERVER ? check_own_key(ctx, p, f) : 0;
}

static bool is_address(const char *name)
{
	unsigned char address[sizeof(struct in6_addr)];

	return name &&
	       (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1);
}

static int check_name(struct openssl_domain *o, const char *name, struct fail *f)
{
	X509_VERIFY_PARAM *check = SSL_CTX_get0_param(o->ctx);

	X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (o->name_is_address ? X509_VERIFY_PARAM_set1_ip_asc(check, name)
			       : X509_VERIFY_PARAM_set1_host(check, name, 0))
		return 0;
	return openssl_fail(f, name);
}

static int trust(struct openssl_domain *o, const struct tls_params *p, struct fail *f)
{
	int mode = SSL_VERIFY_PEER | (p->role == SERVER ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0);

	o->verify = true;
	SSL_CTX_set_verify(o->ctx, mode, NULL);
	if (SSL_CTX_load_verify_file(o->ctx, p->ca_file) != 1)
		return openssl_fail(f, p->ca_file);
	/* What the user names is trusted, an intermediate authority too: wolfSSL does the same. */
	X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(o->ctx), X509_V_FLAG_PARTIAL_CHAIN);
	if (p->role == CLIENT)
		return p->server_name ? check_name(o, p->server_name, f) : 0;
	if (SSL_CTX_set1_client_sigalgs_list(o->ctx, CLIENT_SIGNATURES) == 1)
		return 0;
	return openssl_fail(f, "signatures of clients");
}

/* --- a pre-shared key ----------------------------------------------------- */

static unsigned client_key(SSL *ssl, const char *hint, char *identity, unsigned identity_max,
			   unsigned char *psk, unsigned max)
{
	const struct assoc *a = openssl_assoc(ssl);
	const char *name = psk_client_identity(a);
	size_t len = strlen(name) + 1;

	(void)hint;
	if (len > identity_max)
		return 0;
	memcpy(identity, name, len);
	return (unsigned)psk_client_key(a, psk, max);
}

static unsigned server_key(SSL *ssl, const char *identity, unsigned char *psk, unsigned max)
{
	return (unsigned)psk_server_key(openssl_assoc(ssl), identity, psk, max);
}

static void share_key(SSL_CTX *ctx, const struct tls_params *p)
{
	if (p->role == SERVER)
		SSL_CTX_set_psk_server_callback(ctx, server_key);
	else
		SSL_CTX_set_psk_client_callback(ctx, client_key);
}

static int accept_any(X509_STORE_CTX *ctx, void *data)
{
	(void)ctx, (void)data;
	return 1;
}

int openssl_identity(struct openssl_domain *o, const struct tls_params *p, struct fail *f)
{
	if (p->suite && p->suite->cipher->auth == AUTH_PSK) {
		share_key(o->ctx, p);
		return 0;
	}
	o->name_is_address = is_address(p->server_name);
	if (p->cert_file && load_own(o->ctx, p, f))
		return -1;
	if (p->ca_file)
		return trust(o, p, f);
	/* The library would build a chain all the same, and then not look at it. */
	SSL_CTX_set_cert_verify_callback(o->ctx, accept_any, NULL);
	return 0;
}
