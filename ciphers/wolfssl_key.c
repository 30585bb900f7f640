/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_key - the kind and length of the key in a certificate.
 *
 * Read from its DER (RFC 5280 section 4.1, RFC 3279 section 2.3.1, RFC 5480 section
 * 2.2, RFC 8410 section 3): wolfSSL 5.5 cannot make its WOLFSSL_X509 from an Ed25519
 * certificate, and its length of a key is the length of a signature.
 */
#include "ciphers/wolfssl_domain.h"

#include <string.h>

#define TAG_INTEGER    0x02
#define TAG_BIT_STRING 0x03
#define TAG_OID        0x06
#define TAG_SEQUENCE   0x30
#define TAG_VERSION    0xa0
#define ED25519_BITS   256
#define ED448_BITS     456

struct der {
	const uint8_t *at, *end;
};

/* Take one element of this tag from `in`, whose content then is `out`. */
static bool der_take(struct der *in, uint8_t tag, struct der *out)
{
	size_t len;

	if (in->end - in->at < 2 || *in->at != tag)
		return false;
	len = in->at[1];
	in->at += 2;
	if (len & 0x80) {
		size_t bytes = len & 0x7f;

		if (bytes > 2 || (size_t)(in->end - in->at) < bytes)
			return false;
		for (len = 0; bytes; bytes--)
			len = len << 8 | *in->at++;
	}
	if ((size_t)(in->end - in->at) < len)
		return false;
	*out = (struct der){ in->at, in->at + len };
	in->at += len;
	return true;
}

/* The SubjectPublicKeyInfo of a certificate. */
static bool find_key_info(struct der all, struct der *info)
{
	struct der cert, body, skipped;

	if (!der_take(&all, TAG_SEQUENCE, &cert) || !der_take(&cert, TAG_SEQUENCE, &body))
		return false;
	der_take(&body, TAG_VERSION, &skipped);
	/* Serial number; signature algorithm, issuer, validity, subject. */
	if (!der_take(&body, TAG_INTEGER, &skipped))
		return false;
	for (int i = 0; i < 4; i++)
		if (!der_take(&body, TAG_SEQUENCE, &skipped))
			return false;
	return der_take(&body, TAG_SEQUENCE, info);
}

/* RFC 5639 section 4.1: ecStdCurvesAndGeneration 8 1. */
static bool is_brainpool(struct der parameters)
{
	static const uint8_t arc[] = { 0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01 };
	struct der oid;

	return der_take(&parameters, TAG_OID, &oid) && (size_t)(oid.end - oid.at) > sizeof(arc) &&
	       !memcmp(oid.at, arc, sizeof(arc));
}

/* The kind, by the algorithm's identifier; key is the key itself. */
static enum key_kind open_key_info(struct der info, struct der *key)
{
	static const struct {
		enum key_kind kind;
		size_t len;
		uint8_t oid[9];
	} known[] = {
		{ KEY_RSA, 9, { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01 } },
		{ KEY_EC, 7, { 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01 } },
		{ KEY_RSA_PSS, 9, { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a } },
		{ KEY_ED25519, 3, { 0x2b, 0x65, 0x70 } },
		{ KEY_ED448, 3, { 0x2b, 0x65, 0x71 } },
	};
	struct der algorithm, oid;

	if (!der_take(&info, TAG_SEQUENCE, &algorithm) || !der_take(&algorithm, TAG_OID, &oid) ||
	    !der_take(&info, TAG_BIT_STRING, key) || key->at == key->end)
		return KEY_NONE;
	key->at++; /* the count of unused bits */
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((size_t)(oid.end - oid.at) == known[i].len &&
		    !memcmp(oid.at, known[i].oid, known[i].len))
			return known[i].kind == KEY_EC && is_brainpool(algorithm) ? KEY_BRAINPOOL
										  : known[i].kind;
	return KEY_NONE;
}

static uint16_t rsa_bits(struct der key)
{
	struct der body, modulus;

	if (!der_take(&key, TAG_SEQUENCE, &body) || !der_take(&body, TAG_INTEGER, &modulus))
		return 0;
	while (modulus.at < modulus.end && !*modulus.at)
		modulus.at++;
	if (modulus.at == modulus.end)
		return 0;
	return (uint16_t)((modulus.end - modulus.at) * 8 - (__builtin_clz(*modulus.at) - 24));
}

/* An uncompressed point is 0x04 and two numbers; only P-521 does not fill its bytes. */
static uint16_t ec_bits(struct der key)
{
	size_t bytes = (size_t)(key.end - key.at) / 2;

	return bytes == 66 ? 521 : (uint16_t)(bytes * 8);
}

enum key_kind wolfssl_key_of(const uint8_t *cert, size_t len, uint16_t *bits)
{
	struct der info, key;
	enum key_kind kind;

	*bits = 0;
	if (!cert || !find_key_info((struct der){ cert, cert + len }, &info))
		return KEY_NONE;
	kind = open_key_info(info, &key);
	if (kind == KEY_RSA || kind == KEY_RSA_PSS)
		*bits = rsa_bits(key);
	else if (kind == KEY_EC || kind == KEY_BRAINPOOL)
		*bits = ec_bits(key);
	else if (kind == KEY_ED25519)
		*bits = ED25519_BITS;
	else if (kind == KEY_ED448)
		*bits = ED448_BITS;
	return kind;
}
