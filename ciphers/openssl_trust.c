/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_trust - certificates of those who secure objects, and the authorities that vouch
 * for them, with libcrypto. Nothing of the system's own authorities is trusted.
 */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/object_crypto.h"
#include "ciphers/openssl_object.h"

struct object_trust {
	X509_STORE *store;
	X509_STORE_CTX *check;
};

/* --- certificates --------------------------------------------------------------------- */

static X509 *read_pem(const char *file, struct fail *f)
{
	BIO *bio = BIO_new_file(file, "r");
	X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;

	BIO_free(bio);
	if (!cert)
		openssl_object_fail(f, file);
	return cert;
}

static int take(X509 *cert, struct object_certificate *out)
{
	const ASN1_OCTET_STRING *id = X509_get0_subject_key_id(cert);
	int id_len = id ? ASN1_STRING_length(id) : 0, len = i2d_X509(cert, NULL);
	unsigned char *dst = len > 0 ? buf_reserve(&out->der, (size_t)len) : NULL;

	if (id_len <= 0 || id_len > OBJECT_KEY_ID_BYTES || !dst || i2d_X509(cert, &dst) != len)
		return -1;
	out->der.len += (size_t)len;
	memcpy(out->key_id, ASN1_STRING_get0_data(id), (size_t)id_len);
	out->key_id_bytes = (size_t)id_len;
	return 0;
}

int object_certificate_read(const char *pem_file, struct object_certificate *out, struct fail *f)
{
	X509 *cert = read_pem(pem_file, f);
	int ret = cert ? take(cert, out) : -1;

	if (cert && ret)
		fail_set(f, EINVAL, "%s: the certificate has no subject key identifier", pem_file);
	X509_free(cert);
	return ret;
}

void object_certificate_release(struct object_certificate *c)
{
	buf_release(&c->der);
	*c = (struct object_certificate){ 0 };
}

struct object_key *object_certificate_key(const struct object_certificate *c, struct fail *f)
{
	const unsigned char *at = (const unsigned char *)c->der.data;
	X509 *cert = d2i_X509(NULL, &at, (long)c->der.len);
	struct object_key *k = cert ? openssl_object_key(X509_get_pubkey(cert)) : NULL;

	X509_free(cert);
	if (!k)
		openssl_object_fail(f, "the key of a certificate");
	return k;
}

/* --- trust ---------------------------------------------------------------------------- */

static int add_authorities(X509_STORE *store, const char *file, struct fail *f)
{
	BIO *bio = BIO_new_file(file, "r");
	X509 *cert;
	int n = 0;

	while (bio && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		n += X509_STORE_add_cert(store, cert) == 1;
		X509_free(cert);
	}
	BIO_free(bio);
	if (n == 0)
		return openssl_object_fail(f, file);
	ERR_clear_error();
	return 0;
}

struct object_trust *object_trust_open(const char *ca_file, struct fail *f)
{
	struct object_trust *t = calloc(1, sizeof *t);

	if (t) {
		t->store = X509_STORE_new();
		t->check = X509_STORE_CTX_new();
	}
	if (t && t->store && t->check && add_authorities(t->store, ca_file, f) == 0)
		return t;
	fail_set(f, ENOMEM, "no memory for the authorities of %.100s", ca_file);
	object_trust_close(t);
	return NULL;
}

void object_trust_close(struct object_trust *t)
{
	if (!t)
		return;
	X509_STORE_CTX_free(t->check);
	X509_STORE_free(t->store);
	free(t);
}

static bool may_sign(X509 *cert, enum object_role role)
{
	uint32_t wanted = role == OBJECT_CLIENT ? XKU_SSL_CLIENT : XKU_SSL_SERVER;

	return X509_get_extended_key_usage(cert) & wanted &&
	       X509_get_extension_flags(cert) & EXFLAG_XKUSAGE &&
	       X509_get_key_usage(cert) & KU_DIGITAL_SIGNATURE && X509_check_ca(cert) == 0;
}

static int verify(struct object_trust *t, X509 *cert, enum object_role role, struct fail *f)
{
	int ret = 0;

	if (!may_sign(cert, role))
		return fail_set(f, EACCES, "the certificate may not sign as a %s",
				role == OBJECT_CLIENT ? "client" : "server");
	if (X509_STORE_CTX_init(t->check, t->store, cert, NULL) != 1)
		return openssl_object_fail(f, "checking a certificate");
	X509_STORE_CTX_set_purpose(t->check, role == OBJECT_CLIENT ? X509_PURPOSE_SSL_CLIENT
								   : X509_PURPOSE_SSL_SERVER);
	if (X509_verify_cert(t->check) != 1)
		ret = fail_set(f, EACCES, "the certificate is not to be trusted: %s",
			       X509_verify_cert_error_string(X509_STORE_CTX_get_error(t->check)));
	X509_STORE_CTX_cleanup(t->check);
	return ret;
}

struct object_key *object_trust_check(struct object_trust *t, const void *der, size_t len,
				      enum object_role role, struct fail *f)
{
	const unsigned char *at = der;
	X509 *cert = d2i_X509(NULL, &at, (long)len);
	struct object_key *k = NULL;

	if (!cert || at != (const unsigned char *)der + len)
		fail_set(f, EBADMSG, "what should be a certificate is none");
	else if (verify(t, cert, role, f) == 0)
		k = openssl_object_key(X509_get_pubkey(cert));
	X509_free(cert);
	ERR_clear_error();
	return k;
}
