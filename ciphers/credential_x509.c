/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential_x509 - makes and judges X.509 certificates with libcrypto.
 *
 * RFC 5280: random serials of 127 bits, key identifiers, key usages. It knows no
 * file and no TLS.
 */
#include "ciphers/credential_x509.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ciphers/openssl_key.h"

#define ORGANISATION     "cipherwatt"
#define SERIAL_BITS      127
#define SECONDS_PER_DAY  86400
#define NOT_AFTER_LATEST "20371231235959Z" /* boards with a 32-bit time_t end in January 2038 */

void x509_pair_init(struct x509_pair *p)
{
	buf_init(&p->cert, 0);
	buf_init(&p->key, 0);
	p->key.secret = true;
}

void x509_pair_release(struct x509_pair *p)
{
	buf_release(&p->cert);
	buf_release(&p->key);
}

static int fail_crypto(struct fail *f, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_peek_error());

	ERR_clear_error();
	return fail_set(f, EIO, "making a credential: %s: %s", what,
			reason ? reason : "no reason given");
}

/* --- PEM ------------------------------------------------------------------ */

/* Without this a key with a pass phrase would ask for it on the terminal. */
static int no_pass_phrase(char *dst, int len, int writing, void *data)
{
	(void)dst, (void)len, (void)writing, (void)data;
	return -1;
}

static X509 *read_cert(struct buf *text)
{
	BIO *bio = BIO_new_mem_buf(text->data, (int)text->len);
	X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, no_pass_phrase, NULL) : NULL;

	BIO_free(bio);
	ERR_clear_error();
	return cert;
}

static EVP_PKEY *read_key(struct buf *text)
{
	BIO *bio = BIO_new_mem_buf(text->data, (int)text->len);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_pass_phrase, NULL) : NULL;

	BIO_free(bio);
	ERR_clear_error();
	return key;
}

static int take(BIO *bio, struct buf *out)
{
	char *data;
	long len = BIO_get_mem_data(bio, &data);

	buf_put(out, data, (size_t)len);
	return out->failed ? -1 : 0;
}

static int write_pair(X509 *cert, EVP_PKEY *key, struct x509_pair *out, struct fail *f)
{
	BIO *c = BIO_new(BIO_s_mem()), *k = BIO_new(BIO_s_secmem());
	int ret = -1;

	if (!c || !k || PEM_write_bio_X509(c, cert) != 1 ||
	    PEM_write_bio_PrivateKey(k, key, NULL, NULL, 0, NULL, NULL) != 1 ||
	    take(c, &out->cert) || take(k, &out->key))
		fail_crypto(f, "writing PEM");
	else
		ret = 0;
	BIO_free(c);
	BIO_free(k);
	return ret;
}

/* --- keys ----------------------------------------------------------------- */

static EVP_PKEY *make_key(const struct credential_kind *kind, struct fail *f)
{
	EVP_PKEY *key = openssl_key_make(kind);

	if (!key)
		fail_crypto(f, kind->name);
	return key;
}

/* EdDSA and the schemes of FIPS 204 and 205 hash by themselves and take no digest. */
static const EVP_MD *signing_hash(const struct credential_kind *kind)
{
	bool own = kind->key == KEY_ED25519 || kind->key == KEY_ED448 || !kind->signature_hash;

	return own ? NULL : EVP_get_digestbyname(kind->signature_hash);
}

/* --- certificates --------------------------------------------------------- */

static int set_serial(X509 *cert)
{
	BIGNUM *n = BN_new();
	int ok = n && BN_rand(n, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
		 BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));

	BN_free(n);
	return ok;
}

/* From a day ago, because the clock of a board without a battery may be behind. */
static int set_validity(X509 *cert, int days)
{
	ASN1_TIME *latest = ASN1_TIME_new();
	ASN1_TIME *until = X509_getm_notAfter(cert);
	int ok = latest && ASN1_TIME_set_string_X509(latest, NOT_AFTER_LATEST) == 1 &&
		 X509_time_adj_ex(X509_getm_notBefore(cert), (days < 0 ? days : 0) - 1, 0, NULL) &&
		 X509_time_adj_ex(until, days, 0, NULL);

	if (ok && ASN1_TIME_compare(until, latest) > 0)
		ok = X509_set1_notAfter(cert, latest);
	ASN1_TIME_free(latest);
	return ok;
}

static int set_name(X509_NAME *name, const char *common)
{
	return X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC,
					  (const unsigned char *)ORGANISATION, -1, -1, 0) &&
	       X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common,
					  -1, -1, 0);
}

static int add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX context;
	X509_EXTENSION *ext;
	int ok;

	X509V3_set_ctx_nodb(&context);
	X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
	ext = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	ok = ext && X509_add_ext(cert, ext, -1);
	X509_EXTENSION_free(ext);
	return ok;
}

static bool is_address(const char *name)
{
	unsigned char address[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static int add_names(X509 *cert, X509 *issuer, const char *name)
{
	char value[512];

	snprintf(value, sizeof(value), "DNS:localhost,IP:127.0.0.1,IP:::1%s%s",
		 !name              ? ""
		 : is_address(name) ? ",IP:"
				    : ",DNS:",
		 name ? name : "");
	return add_extension(cert, issuer, NID_subject_alt_name, value);
}

static X509 *new_cert(EVP_PKEY *key, const char *common, int days)
{
	X509 *cert = X509_new();

	if (cert && X509_set_version(cert, X509_VERSION_3) && set_serial(cert) &&
	    set_validity(cert, days) && set_name(X509_get_subject_name(cert), common) &&
	    X509_set_pubkey(cert, key))
		return cert;
	X509_free(cert);
	return NULL;
}

int x509_make_ca(const struct credential_kind *kind, struct x509_pair *out, struct fail *f)
{
	EVP_PKEY *key = make_key(kind, f);
	X509 *cert = NULL;
	char common[64];
	int ret = -1;

	if (!key)
		return -1;
	snprintf(common, sizeof(common), "cipherwatt test authority %s", kind->name);
	cert = new_cert(key, common, X509_VALID_DAYS);
	if (!cert || !X509_set_issuer_name(cert, X509_get_subject_name(cert)) ||
	    !add_extension(cert, cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
	    !add_extension(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign") ||
	    !add_extension(cert, cert, NID_subject_key_identifier, "hash") ||
	    !add_extension(cert, cert, NID_authority_key_identifier, "keyid:always") ||
	    !X509_sign(cert, key, signing_hash(kind)))
		fail_crypto(f, "authority");
	else
		ret = write_pair(cert, key, out, f);
	X509_free(cert);
	EVP_PKEY_free(key);
	return ret;
}

/* An RSA key may be asked to decrypt too: key transport of TLS 1.2. */
static const char *key_usage(const struct credential_kind *kind)
{
	return kind->key == KEY_RSA ? "critical,digitalSignature,keyEncipherment"
				    : "critical,digitalSignature";
}

static int sign_leaf(const struct credential_kind *kind, X509 *cert, X509 *issuer,
		     EVP_PKEY *issuer_key, const char *name, enum x509_use use)
{
	return X509_set_issuer_name(cert, X509_get_subject_name(issuer)) &&
	       add_extension(cert, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
	       add_extension(cert, issuer, NID_key_usage, key_usage(kind)) &&
	       add_extension(cert, issuer, NID_ext_key_usage,
			     use == X509_FOR_CLIENT ? "clientAuth" : "serverAuth") &&
	       add_extension(cert, issuer, NID_subject_key_identifier, "hash") &&
	       add_extension(cert, issuer, NID_authority_key_identifier, "keyid:always") &&
	       add_names(cert, issuer, name) && X509_sign(cert, issuer_key, signing_hash(kind));
}

int x509_make_leaf(const struct credential_kind *kind, struct x509_pair *ca, const char *name,
		   enum x509_use use, int valid_days, struct x509_pair *out, struct fail *f)
{
	X509 *issuer = read_cert(&ca->cert);
	EVP_PKEY *issuer_key = read_key(&ca->key), *key = make_key(kind, f);
	X509 *cert = key ? new_cert(key, name ? name : "localhost", valid_days) : NULL;
	int ret = -1;

	if (!issuer || !issuer_key || !cert ||
	    !sign_leaf(kind, cert, issuer, issuer_key, name, use))
		fail_crypto(f, "certificate");
	else
		ret = write_pair(cert, key, out, f);
	X509_free(cert);
	X509_free(issuer);
	EVP_PKEY_free(issuer_key);
	EVP_PKEY_free(key);
	return ret;
}

/* --- judging -------------------------------------------------------------- */

static bool made_here(X509 *cert)
{
	char text[64] = "";

	X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_organizationName, text,
				  sizeof(text));
	return !strcmp(text, ORGANISATION);
}

static bool valid_for_a_day(X509 *cert)
{
	time_t tomorrow = time(NULL) + SECONDS_PER_DAY;

	return X509_cmp_current_time(X509_get0_notBefore(cert)) < 0 &&
	       X509_cmp_time(X509_get0_notAfter(cert), &tomorrow) > 0;
}

static bool is_for(X509 *cert, const char *name)
{
	if (!name)
		return true;
	return is_address(name) ? X509_check_ip_asc(cert, name, 0) == 1
				: X509_check_host(cert, name, 0, 0, NULL) == 1;
}

static bool may_serve(const struct credential_kind *kind, X509 *cert, enum x509_use use)
{
	uint32_t extended = use == X509_FOR_CLIENT ? XKU_SSL_CLIENT : XKU_SSL_SERVER;
	uint32_t plain = kind->key == KEY_RSA ? KU_KEY_ENCIPHERMENT : KU_DIGITAL_SIGNATURE;

	return X509_get_extended_key_usage(cert) & extended && X509_get_key_usage(cert) & plain;
}

/* issuer NULL: signed by itself. */
static enum x509_state judge(const struct credential_kind *kind, X509 *issuer, const char *name,
			     struct x509_pair *p)
{
	X509 *cert = read_cert(&p->cert);
	EVP_PKEY *key = read_key(&p->key);
	enum x509_state state = X509_FOREIGN;

	if (cert && key && made_here(cert)) {
		EVP_PKEY *signer = X509_get0_pubkey(issuer ? issuer : cert);

		state = X509_WORN;
		if (openssl_key_is(kind, key) && X509_check_private_key(cert, key) == 1 && signer &&
		    X509_verify(cert, signer) == 1 && valid_for_a_day(cert) && is_for(cert, name))
			state = X509_GOOD;
	}
	X509_free(cert);
	EVP_PKEY_free(key);
	ERR_clear_error();
	return state;
}

enum x509_state x509_judge_ca(const struct credential_kind *kind, struct x509_pair *p)
{
	return judge(kind, NULL, NULL, p);
}

enum x509_state x509_judge_leaf(const struct credential_kind *kind, struct x509_pair *ca,
				const char *name, enum x509_use use, struct x509_pair *p)
{
	X509 *issuer = read_cert(&ca->cert), *cert = read_cert(&p->cert);
	enum x509_state state = issuer ? judge(kind, issuer, name, p) : X509_FOREIGN;

	if (state == X509_GOOD && !may_serve(kind, cert, use))
		state = X509_WORN;
	X509_free(cert);
	X509_free(issuer);
	return state;
}
