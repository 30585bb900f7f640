/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_facts - what a connection agreed on, in IANA's numbers, and what
 * machine code the library chose for this processor.
 */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/openssl_key.h"
#include "ciphers/openssl_session.h"

static enum tls_version version_of(SSL *ssl)
{
	switch (SSL_version(ssl)) {
	case TLS1_2_VERSION:
		return TLS12;
	case TLS1_3_VERSION:
		return TLS13;
	case DTLS1_2_VERSION:
		return DTLS12;
	default:
		return TLS_NONE;
	}
}

static uint16_t id_of_group(const char *name)
{
	const struct group *g = name ? group_by_name(name) : NULL;

	return g ? g->id : 0;
}

#if OPENSSL_VERSION_NUMBER >= 0x30200000L
static uint16_t negotiated_group(SSL *ssl)
{
	return id_of_group(SSL_get0_group_name(ssl));
}
#else
/* Curves by number: NIST's have names of their own there. */
static uint16_t negotiated_group(SSL *ssl)
{
	int nid = (int)SSL_get_negotiated_group(ssl);

	/* Groups without an object number come with their IANA number in the low half. */
	if (nid & TLSEXT_nid_unknown)
		return (uint16_t)nid;
	switch (nid) {
	case NID_undef:
		return 0;
	case NID_X9_62_prime256v1:
		return 23;
	default:
		return id_of_group(OBJ_nid2sn(nid));
	}
}
#endif

/* Of finite-field DHE before TLS 1.3: the client sees the prime, the server has chosen it. */
static uint16_t prime_of(struct assoc *a)
{
	const struct suite *s = a->domain->params.suite;
	EVP_PKEY *key = NULL;
	char name[32] = "";
	uint16_t id;

	if (SSL_is_server(a->impl))
		return s->group->id;
	if (SSL_get_peer_tmp_key(a->impl, &key) != 1)
		return 0;
	EVP_PKEY_get_group_name(key, name, sizeof(name), NULL);
	id = id_of_group(name);
	EVP_PKEY_free(key);
	return id ? id : GROUP_NOT_REGISTERED;
}

static uint16_t group_of(struct assoc *a, const SSL_CIPHER *cipher)
{
	int kx = cipher ? SSL_CIPHER_get_kx_nid(cipher) : NID_undef;

	if (SSL_session_reused(a->impl) == 1 && SSL_version(a->impl) != TLS1_3_VERSION)
		return 0;
	return kx == NID_kx_dhe || kx == NID_kx_dhe_psk ? prime_of(a) : negotiated_group(a->impl);
}

/* RFC 8446 section 4.2.3. */
static uint16_t scheme_of(int type, int hash)
{
	static const struct {
		int type, hash;
		uint16_t id;
	} known[] = {
		{ EVP_PKEY_RSA, NID_sha1, 0x0201 },       { EVP_PKEY_EC, NID_sha1, 0x0203 },
		{ EVP_PKEY_RSA, NID_sha224, 0x0301 },     { EVP_PKEY_EC, NID_sha224, 0x0303 },
		{ EVP_PKEY_RSA, NID_sha256, 0x0401 },     { EVP_PKEY_EC, NID_sha256, 0x0403 },
		{ EVP_PKEY_RSA, NID_sha384, 0x0501 },     { EVP_PKEY_EC, NID_sha384, 0x0503 },
		{ EVP_PKEY_RSA, NID_sha512, 0x0601 },     { EVP_PKEY_EC, NID_sha512, 0x0603 },
		{ EVP_PKEY_RSA_PSS, NID_sha256, 0x0804 }, { EVP_PKEY_RSA_PSS, NID_sha384, 0x0805 },
		{ EVP_PKEY_RSA_PSS, NID_sha512, 0x0806 },
	};

	if (type == EVP_PKEY_ED25519)
		return 0x0807;
	if (type == EVP_PKEY_ED448)
		return 0x0808;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].type == type && known[i].hash == hash)
			return known[i].id;
	return 0;
}

/* What type and hash do not tell: the key's own OID, the curves of RFC 8734, FIPS 204. */
static uint16_t scheme_for_key(SSL *ssl, uint16_t scheme, enum key_kind key, uint16_t bits)
{
	switch (key) {
	case KEY_RSA_PSS:
		return scheme ? scheme + (0x0809 - 0x0804) : 0;
	case KEY_BRAINPOOL:
		return SSL_version(ssl) != TLS1_3_VERSION ? scheme
		       : bits == 256                      ? 0x081a
		       : bits == 384                      ? 0x081b
							  : 0x081c;
	case KEY_MLDSA:
		return bits == 44 ? 0x0904 : bits == 65 ? 0x0905 : 0x0906;
	default:
		return scheme;
	}
}

/* The server signs, the client checks: one signature, seen from either side. */
static uint16_t signature_of(SSL *ssl, enum key_kind key, uint16_t bits)
{
	int type = 0, hash = 0;

	if (SSL_is_server(ssl)) {
		if (SSL_get_signature_type_nid(ssl, &type) != 1)
			return 0;
		SSL_get_signature_nid(ssl, &hash);
	} else {
		if (SSL_get_peer_signature_type_nid(ssl, &type) != 1)
			return 0;
		SSL_get_peer_signature_nid(ssl, &hash);
	}
	return scheme_for_key(ssl, scheme_of(type, hash), key, bits);
}

/* The kind that the suite names first: looking for it among all takes long. */
static void peer_key_of(struct assoc *a, struct tls_facts *facts)
{
	const struct suite *s = a->domain->params.suite;
	X509 *cert = SSL_get0_peer_certificate(a->impl);
	EVP_PKEY *key = cert ? X509_get0_pubkey(cert) : NULL;

	if (s && key && openssl_key_is(s->credential, key)) {
		facts->peer_key = s->credential->key;
		facts->peer_key_bits = s->credential->key_bits;
	} else if (key) {
		facts->peer_key = openssl_key_kind(key, &facts->peer_key_bits);
	}
}

/* A server's own key is of the kind that its suite names. */
static uint16_t server_signature(struct assoc *a, const struct tls_facts *facts)
{
	const struct suite *s = a->domain->params.suite;

	return SSL_is_server(a->impl)
		       ? signature_of(a->impl, s->credential->key, s->credential->key_bits)
		       : signature_of(a->impl, facts->peer_key, facts->peer_key_bits);
}

void openssl_facts(struct assoc *a, struct tls_facts *facts)
{
	SSL *ssl = a->impl;
	const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
	const unsigned char *protocol;
	unsigned int len;

	*facts = (struct tls_facts){
		.version = version_of(ssl),
		.cipher_id = cipher ? SSL_CIPHER_get_protocol_id(cipher) : 0,
		.group_id = group_of(a, cipher),
		.resumed = SSL_session_reused(ssl) == 1,
		.unfinished = openssl_answers_early(a),
		.early_data = SSL_get_early_data_status(ssl) == SSL_EARLY_DATA_ACCEPTED,
	};
	peer_key_of(a, facts);
	facts->signature_id = server_signature(a, facts);
	SSL_get0_alpn_selected(ssl, &protocol, &len);
	alpn_copy(facts->alpn, protocol, len);
}

/* --- machine code --------------------------------------------------------- */

struct capability {
	int word, bit;
	const char *name;
};

/* Bits of OPENSSL_ia32cap, two 64-bit words: OPENSSL_ia32cap(3). */
static const struct capability x86[] = {
	{ 0, 57, "AES-NI" }, { 0, 33, "PCLMULQDQ" }, { 0, 41, "SSSE3" }, { 0, 60, "AVX" },
	{ 1, 5, "AVX2" },    { 1, 8, "BMI2" },       { 1, 19, "ADX" },   { 1, 29, "SHA" },
	{ 1, 16, "AVX512" }, { 1, 41, "VAES" },      { 0, 0, NULL },
};

/* Bits of OPENSSL_armcap. */
static const struct capability arm[] = {
	{ 0, 0, "NEON" },  { 0, 2, "AES" },    { 0, 3, "SHA1" }, { 0, 4, "SHA256" },
	{ 0, 5, "PMULL" }, { 0, 6, "SHA512" }, { 0, 0, NULL },
};

static char build_text[256];

static void describe(const struct capability *table, const unsigned long long word[2])
{
	size_t len = 0;

	for (const struct capability *c = table; c->name; c++)
		if (word[c->word] >> c->bit & 1)
			len += (size_t)snprintf(build_text + len, sizeof(build_text) - len, "%s%s",
						len ? ", " : "", c->name);
	if (!len)
		snprintf(build_text, sizeof(build_text), "plain C");
}

static void find_build(void)
{
	const char *settings = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
	const char *value = settings ? strchr(settings, '=') : NULL;
	unsigned long long word[2] = { 0 };
	char *end = NULL;

	if (!value) {
		snprintf(build_text, sizeof(build_text), "plain C");
		return;
	}
	word[0] = strtoull(value + 1, &end, 16);
	if (*end == ':')
		word[1] = strtoull(end + 1, NULL, 16);
	if (!strncmp(settings, "OPENSSL_ia32cap", strlen("OPENSSL_ia32cap")))
		describe(x86, word);
	else if (!strncmp(settings, "OPENSSL_armcap", strlen("OPENSSL_armcap")))
		describe(arm, word);
	else
		snprintf(build_text, sizeof(build_text), "%.200s", settings);
}

const char *openssl_build(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_build);
	return build_text;
}
