/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_key - keys of the catalogue's kinds, by OpenSSL's names of their types and
 * curves. It knows no certificate and no TLS.
 */
#include "ciphers/openssl_key.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <string.h>

#define CURVE_BYTES 64

/* EVP_PKEY_Q_keygen() takes a length for "RSA" alone. */
static EVP_PKEY *make_rsa(const struct credential_kind *kind)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, kind->algorithm, NULL);
	EVP_PKEY *key = NULL;

	if (ctx && EVP_PKEY_keygen_init(ctx) == 1 &&
	    EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, kind->key_bits) == 1)
		EVP_PKEY_generate(ctx, &key);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

EVP_PKEY *openssl_key_make(const struct credential_kind *kind)
{
	switch (kind->key) {
	case KEY_RSA:
	case KEY_RSA_PSS:
		return make_rsa(kind);
	case KEY_EC:
	case KEY_BRAINPOOL:
		return EVP_PKEY_Q_keygen(NULL, NULL, kind->algorithm, kind->curve);
	default:
		return EVP_PKEY_Q_keygen(NULL, NULL, kind->algorithm);
	}
}

/* Curves of NIST have two names. */
static bool curve_is(const char *name, EVP_PKEY *key)
{
	char curve[CURVE_BYTES] = "";
	int nid = EC_curve_nist2nid(name);
	size_t len = 0;

	if (EVP_PKEY_get_group_name(key, curve, sizeof(curve), &len) != 1)
		return false;
	return !strcmp(curve, name) || (nid != NID_undef && OBJ_sn2nid(curve) == nid);
}

bool openssl_key_is(const struct credential_kind *kind, EVP_PKEY *key)
{
	if (!kind->algorithm || !EVP_PKEY_is_a(key, kind->algorithm))
		return false;
	if (kind->key == KEY_RSA || kind->key == KEY_RSA_PSS)
		return EVP_PKEY_get_bits(key) == kind->key_bits;
	return !kind->curve || curve_is(kind->curve, key);
}

enum key_kind openssl_key_kind(EVP_PKEY *key, uint16_t *bits)
{
	*bits = 0;
	if (!key)
		return KEY_NONE;
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		if (openssl_key_is(k, key)) {
			*bits = k->key_bits;
			return k->key;
		}
	*bits = (uint16_t)EVP_PKEY_get_bits(key);
	if (EVP_PKEY_is_a(key, "RSA"))
		return KEY_RSA;
	if (EVP_PKEY_is_a(key, "RSA-PSS"))
		return KEY_RSA_PSS;
	if (EVP_PKEY_is_a(key, "EC"))
		return KEY_EC;
	*bits = 0;
	return KEY_NONE;
}

const char *openssl_key_refuses(const struct credential_kind *kind)
{
	EVP_PKEY_CTX *ctx =
		kind->algorithm ? EVP_PKEY_CTX_new_from_name(NULL, kind->algorithm, NULL) : NULL;
	bool known = !kind->algorithm || ctx;

	if (known && kind->curve && EC_curve_nist2nid(kind->curve) == NID_undef &&
	    OBJ_sn2nid(kind->curve) == NID_undef)
		known = false;
	EVP_PKEY_CTX_free(ctx);
	ERR_clear_error();
	return known ? NULL : "key type not built in";
}
