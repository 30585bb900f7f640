/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_domain - a WOLFSSL_CTX that can negotiate nothing but the suite asked for.
 *
 * One list of ciphers holds all versions here, so the version is pinned first by
 * the method. It knows no wire. Only names that begin with wolfSSL_ or wc_ are
 * called: the others belong to OpenSSL in this program.
 */
#include "ciphers/wolfssl_domain.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/ecc.h>

#include "lib/path.h"

#define CERT_BYTES_MAX      8192
#define CERT_FILE_BYTES_MAX 1048576
#define EC_BITS_MIN         224
#define RSA_BITS_MIN        2048
#define WIRE_VERSION_TLS12  0x0303
#define ALPN_ALERT_FATAL    2

/* What wolfSSL calls a group in its list of curves, and how long a number in it is. */
static const struct curve {
	uint16_t id;
	const char *name;
	word16 bytes;
} curves[] = {
	{ 29, "X25519", 32 },    { 23, "secp256r1", 32 }, { 24, "secp384r1", 48 },
	{ 25, "secp521r1", 66 }, { 30, "X448", 56 },      { 21, "secp224r1", 28 },
	{ 0, NULL, 0 },
};

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

/* The group alone; under TLS 1.2 an ECDSA certificate's own curve too, last (RFC 8422, 5.1.1). */
static int set_groups(WOLFSSL_CTX *ctx, const struct suite *s)
{
	const struct credential_kind *k = s->credential;
	const struct group *own =
		k->key == KEY_EC && s->cipher->kx != KX_TLS13 ? group_by_name(k->name) : NULL;
	int list[2] = { s->group->id, own ? own->id : 0 };
	int count = own && own != s->group ? 2 : 1;

	if (!s->group->id)
		return 1;
	for (int i = 0; i < count; i++)
		if (wolfSSL_CTX_UseSupportedCurve(ctx, (word16)list[i]) != WOLFSSL_SUCCESS)
			return 0;
	/* The order of key shares; refused on a context without TLS 1.3. */
	return s->version != TLS13 || wolfSSL_CTX_set_groups(ctx, list, count) == WOLFSSL_SUCCESS;
}

static const char *refuses_key(const struct credential_kind *k)
{
#ifdef RSA_MAX_SIZE
	if (k->key == KEY_RSA && k->key_bits > RSA_MAX_SIZE)
		return "RSA keys this long not built in";
#endif
#ifndef HAVE_ED25519
	if (k->key == KEY_ED25519)
		return "Ed25519 not built in";
#endif
	return NULL;
}

const char *wolfssl_refuses(const struct suite *s)
{
	const char *why = NULL;
	WOLFSSL_CTX *ctx;

	if (suite_is_plain(s))
		return "plain runs on the null engine";
	if (s->cipher->auth == AUTH_PSK)
		return "no pre-shared keys in this program";
	ctx = new_context(s, CLIENT);
	if (!ctx)
		return "version not built in";
	if (wolfSSL_CTX_set_cipher_list(ctx, s->cipher->wolfssl) != WOLFSSL_SUCCESS)
		why = "cipher not built in";
	else if (!set_groups(ctx, s))
		why = "group not built in";
	else
		why = refuses_key(s->credential);
	wolfSSL_CTX_free(ctx);
	return why;
}

/*
 * A TLS 1.2 server takes the client's curve whose size is nearest to a wanted one,
 * P-256 where X25519 was meant. So all other curves are switched off; the library
 * lets that be done only to a context that could still speak TLS 1.3, which is why
 * the version is cut down afterwards. Under DTLS the wanted size must do.
 */
static int pin_server_group(WOLFSSL_CTX *ctx, const struct suite *s)
{
	const struct curve *c = curves;

	while (c->id && c->id != s->group->id)
		c++;
	if (!c->id)
		return 0;
	if (s->version == TLS13)
		return 1;
	wolfSSL_CTX_SetTmpEC_DHE_Sz(ctx, c->bytes);
	if (s->version != TLS12)
		return 1;
	return wolfSSL_CTX_set1_curves_list(ctx, c->name) == WOLFSSL_SUCCESS &&
	       wolfSSL_CTX_set_min_proto_version(ctx, WIRE_VERSION_TLS12) == WOLFSSL_SUCCESS &&
	       wolfSSL_CTX_set_max_proto_version(ctx, WIRE_VERSION_TLS12) == WOLFSSL_SUCCESS;
}

static int pin(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	const struct suite *s = p->suite;
	char text[SUITE_TEXT_BYTES];

	wolfSSL_CTX_SetMinEccKey_Sz(ctx, EC_BITS_MIN);
	wolfSSL_CTX_SetMinRsaKey_Sz(ctx, RSA_BITS_MIN);
	if (set_groups(ctx, s) && (p->role == CLIENT || pin_server_group(ctx, s)) &&
	    wolfSSL_CTX_set_cipher_list(ctx, s->cipher->wolfssl) == WOLFSSL_SUCCESS)
		return 0;
	return fail_set(f, EPROTO, "wolfssl: cannot be set to %s", suite_format(s, text));
}

/* --- the two roles -------------------------------------------------------- */

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

static void set_tickets(WOLFSSL_CTX *ctx, int tickets)
{
	if (tickets > 0) {
		wolfSSL_CTX_set_num_tickets(ctx, (size_t)tickets);
		return;
	}
	wolfSSL_CTX_NoTicketTLSv12(ctx);
	wolfSSL_CTX_no_ticket_TLSv13(ctx);
}

static int set_server(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	int ret;

	if (!p->suite)
		return fail_set(f, EINVAL, "a server needs a suite");
	if (!p->cert_file || !p->key_file)
		return fail_set(f, EINVAL, "a server needs a certificate and a key file");
	set_tickets(ctx, p->tickets);
	ret = wolfSSL_CTX_use_certificate_chain_file(ctx, p->cert_file);
	if (ret != WOLFSSL_SUCCESS)
		return fail_file(f, p->cert_file, "certificate", ret);
	ret = wolfSSL_CTX_use_PrivateKey_file(ctx, p->key_file, WOLFSSL_FILETYPE_PEM);
	if (ret != WOLFSSL_SUCCESS)
		return fail_file(f, p->key_file, "key", ret);
	if (wolfSSL_CTX_check_private_key(ctx) != WOLFSSL_SUCCESS)
		return fail_set(f, EINVAL, "%s is not the key of %s", p->key_file, p->cert_file);
	return check_own_key(p, f);
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

static int set_client(struct wolfssl_domain *w, const struct tls_params *p, struct fail *f)
{
	int ret;

	read_address(w, p->server_name);
	if (!p->ca_file) {
		wolfSSL_CTX_set_verify(w->ctx, WOLFSSL_VERIFY_NONE, NULL);
		return 0;
	}
	wolfSSL_CTX_set_verify(w->ctx, WOLFSSL_VERIFY_PEER, NULL);
	ret = wolfSSL_CTX_load_verify_locations(w->ctx, p->ca_file, NULL);
	return ret == WOLFSSL_SUCCESS ? 0 : fail_file(f, p->ca_file, "certificate", ret);
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

static int set_alpn(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	if (!p->alpn)
		return 0;
	if (p->role == SERVER)
		wolfSSL_CTX_set_alpn_select_cb(ctx, select_protocol, (void *)p->alpn);
	return alpn_check(p->alpn, f);
}

int wolfssl_domain_open(struct domain *d)
{
	const struct tls_params *p = &d->params;
	struct wolfssl_domain *w = calloc(1, sizeof(*w));
	const char *why = p->suite ? wolfssl_refuses(p->suite) : NULL;

	if (!w)
		return fail_set(&d->fail, ENOMEM, "no memory for a context");
	d->impl = w;
	if (why)
		fail_set(&d->fail, EINVAL, "wolfssl does not offer this suite: %s", why);
	else if (p->record_bytes > RECORD_BYTES_MAX)
		fail_set(&d->fail, EINVAL, "a record takes at most %d bytes, not %zu",
			 RECORD_BYTES_MAX, p->record_bytes);
	if (d->fail.code)
		goto out;
	w->record_bytes = p->record_bytes ? p->record_bytes : RECORD_BYTES_MAX;
	w->ctx = new_context(p->suite, p->role);
	if (!w->ctx) {
		fail_set(&d->fail, ENOMEM, "wolfssl: no memory for a context");
		goto out;
	}
	wolfSSL_CTX_set_session_cache_mode(w->ctx,
					   WOLFSSL_SESS_CACHE_OFF | WOLFSSL_SESS_CACHE_NO_INTERNAL);
	if ((!p->suite || !pin(w->ctx, p, &d->fail)) && !set_alpn(w->ctx, p, &d->fail) &&
	    !(p->role == SERVER ? set_server(w->ctx, p, &d->fail) : set_client(w, p, &d->fail)))
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
	free(w);
#ifdef FP_ECC
	/* Tables of points that the library keeps for each thread, and would leave behind. */
	wc_ecc_fp_free();
#endif
	d->impl = NULL;
}
