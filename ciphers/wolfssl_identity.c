/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_identity - who a context is and whom it believes: certificate and key, the
 * peer's authority and name, a pre-shared key.
 */
#include "ciphers/wolfssl_domain.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wolfssl/wolfcrypt/asn_public.h>

#include "lib/path.h"

#define CERT_BYTES_MAX      16384
#define CERT_FILE_BYTES_MAX 1048576

/* --- certificates --------------------------------------------------------- */

/* wolfSSL says only that it failed: say whether the file can be read at all. */
static int fail_file(struct fail *f, const char *path, const char *what, int error)
{
	char text[WOLFSSL_MAX_ERROR_SZ] = "";

	if (access(path, R_OK))
		return fail_set(f, errno, "%s: %s", path, strerror(errno));
	if (error < 0)
		wolfSSL_ERR_error_string_n((unsigned long)-error, text, sizeof(text));
	return fail_set(f, EPROTO, "wolfssl: %s: no usable %s in it%s%s", path, what,
			*text ? ": " : "", text);
}

/* The first certificate of the file, which the library has already taken. */
static int own_key_of(const char *path, enum key_kind *key, uint16_t *bits, struct fail *f)
{
	uint8_t der[CERT_BYTES_MAX];
	struct buf pem;
	int len = -1;

	buf_init(&pem, 0);
	if (!path_read(path, CERT_FILE_BYTES_MAX, &pem, f))
		len = wc_CertPemToDer((const unsigned char *)pem.data, (int)pem.len, der,
				      sizeof(der), CERT_TYPE);
	buf_release(&pem);
	if (len < 0)
		return fail_set(f, EPROTO, "wolfssl: %s: no usable certificate in it", path);
	*key = wolfssl_key_of(der, (size_t)len, bits);
	return 0;
}

static int check_own_key(const struct tls_params *p, struct fail *f)
{
	const struct credential_kind *want = p->suite->credential, *is;
	enum key_kind key;
	uint16_t bits;

	if (own_key_of(p->cert_file, &key, &bits, f))
		return -1;
	if (key == want->key && bits == want->key_bits)
		return 0;
	is = credential_kind_of_key(key, bits);
	return fail_set(f, EINVAL,
			"%s holds a key of another kind (%s, %u bits); the credential in the suite "
			"is \"%s\"",
			p->cert_file, is ? is->name : "not in the catalogue", bits, want->name);
}

static int load_own(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	int ret = wolfSSL_CTX_use_certificate_chain_file(ctx, p->cert_file);

	if (ret != WOLFSSL_SUCCESS)
		return fail_file(f, p->cert_file, "certificate", ret);
	ret = wolfSSL_CTX_use_PrivateKey_file(ctx, p->key_file, WOLFSSL_FILETYPE_PEM);
	if (ret != WOLFSSL_SUCCESS)
		return fail_file(f, p->key_file, "key", ret);
	if (wolfSSL_CTX_check_private_key(ctx) != WOLFSSL_SUCCESS)
		return fail_set(f, EINVAL, "%s is not the key of %s", p->key_file, p->cert_file);
	/* What a client shows is no part of the suite. */
	return p->role == SERVER ? check_own_key(p, f) : 0;
}

/*
 * The library compares addresses as text, in the form it gives those of a
 * certificate: IPv6 as eight groups of four digits.
 */
static void read_address(struct wolfssl_domain *w, const char *name)
{
	struct in6_addr six;
	struct in_addr four;
	size_t len = 0;

	if (name && inet_pton(AF_INET, name, &four) == 1)
		inet_ntop(AF_INET, &four, w->address, sizeof(w->address));
	if (!name || inet_pton(AF_INET6, name, &six) != 1)
		return;
	for (size_t i = 0; i < sizeof(six.s6_addr); i += 2)
		len += (size_t)snprintf(w->address + len, sizeof(w->address) - len, "%s%02X%02X",
					i ? ":" : "", six.s6_addr[i], six.s6_addr[i + 1]);
}

static int trust(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	int mode =
		WOLFSSL_VERIFY_PEER | (p->role == SERVER ? WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0);
	int ret;

	wolfSSL_CTX_set_verify(ctx, p->ca_file ? mode : WOLFSSL_VERIFY_NONE, NULL);
	if (!p->ca_file)
		return 0;
	ret = wolfSSL_CTX_load_verify_locations(ctx, p->ca_file, NULL);
	return ret == WOLFSSL_SUCCESS ? 0 : fail_file(f, p->ca_file, "certificate", ret);
}

int wolfssl_identity(struct wolfssl_domain *w, const struct tls_params *p, struct fail *f)
{
	if (p->role == CLIENT)
		read_address(w, p->server_name);
	if (p->suite && p->suite->cipher->auth == AUTH_PSK)
		return 0;
	if (p->cert_file && load_own(w->ctx, p, f))
		return -1;
	return trust(w->ctx, p, f);
}

/* --- a pre-shared key ----------------------------------------------------- */

#ifdef NO_PSK
int wolfssl_share_key(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	(void)ctx;
	if (!p->suite || p->suite->cipher->auth != AUTH_PSK)
		return 0;
	return fail_set(f, ENOSYS, "wolfssl: pre-shared keys not built in");
}
#else
static unsigned client_key(WOLFSSL *ssl, const char *hint, char *identity, unsigned identity_max,
			   unsigned char *psk, unsigned max)
{
	const struct assoc *a = wolfSSL_GetIOReadCtx(ssl);
	const char *name = psk_client_identity(a);
	size_t len = strlen(name) + 1;

	(void)hint;
	if (len > identity_max)
		return 0;
	memcpy(identity, name, len);
	return (unsigned)psk_client_key(a, psk, max);
}

static unsigned server_key(WOLFSSL *ssl, const char *identity, unsigned char *psk, unsigned max)
{
	return (unsigned)psk_server_key(wolfSSL_GetIOReadCtx(ssl), identity, psk, max);
}

/* Before the cipher list: setting a callback makes the list anew. */
int wolfssl_share_key(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	(void)f;
	if (!p->suite || p->suite->cipher->auth != AUTH_PSK)
		return 0;
	if (p->role == SERVER)
		wolfSSL_CTX_set_psk_server_callback(ctx, server_key);
	else
		wolfSSL_CTX_set_psk_client_callback(ctx, client_key);
	return 0;
}
#endif
