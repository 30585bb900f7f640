/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cipher - the catalogue's rows and the searches over them.
 *
 * Sources: the IANA registries "TLS Cipher Suites" and "TLS Supported Groups"
 * and the RFC named in each row. Strengths: NIST SP 800-57 part 1 revision 5,
 * table 2 (keys) and table 3 (hashes in HMAC and key derivation: SHA-1 counts
 * 128, SHA-256 and longer 256). What that table does not list:
 * - RSA moduli between two rows take the row they reach: 4096 bits is at least
 *   3072 and below 7680, so 128;
 * - X25519 and Ed25519 128, X448 224 (RFC 7748 section 7, RFC 8032 section 8);
 * - ChaCha20 256, by its key;
 * - the short tag of CCM_8 bounds one forgery attempt at 2^-64; it shortens no
 *   key, so the row keeps its cipher's strength.
 */
#include "ciphers/cipher.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define BIT(v) (uint16_t)(1u << (v))
#define V12    (BIT(TLS12) | BIT(DTLS12))
#define V13    (BIT(TLS13) | BIT(DTLS13))

const char *const tls_version_name[TLS_VERSIONS] = { [TLS_NONE] = "plain",
						     [TLS12] = "tls1.2",
						     [TLS13] = "tls1.3",
						     [DTLS12] = "dtls1.2",
						     [DTLS13] = "dtls1.3" };

bool tls_version_is_datagram(enum tls_version v)
{
	return v == DTLS12 || v == DTLS13;
}

/* clang-format off */
const struct cipher ciphers[] = {
	/* TLS 1.3: RFC 8446 appendix B.4 */
	{ 0x1301, "AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256",
	  "TLS13-AES128-GCM-SHA256", KX_TLS13, AUTH_TLS13, "AES-128-GCM", "SHA256", true, 128, V13, "RFC 8446" },
	{ 0x1302, "AES256-GCM-SHA384", "TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384",
	  "TLS13-AES256-GCM-SHA384", KX_TLS13, AUTH_TLS13, "AES-256-GCM", "SHA384", true, 256, V13, "RFC 8446" },
	{ 0x1303, "CHACHA20-POLY1305-SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256",
	  "TLS13-CHACHA20-POLY1305-SHA256", KX_TLS13, AUTH_TLS13, "ChaCha20-Poly1305", "SHA256", true, 256, V13, "RFC 8446" },
	{ 0x1304, "AES128-CCM-SHA256", "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_SHA256",
	  "TLS13-AES128-CCM-SHA256", KX_TLS13, AUTH_TLS13, "AES-128-CCM", "SHA256", true, 128, V13, "RFC 8446" },
	{ 0x1305, "AES128-CCM8-SHA256", "TLS_AES_128_CCM_8_SHA256", "TLS_AES_128_CCM_8_SHA256",
	  "TLS13-AES128-CCM-8-SHA256", KX_TLS13, AUTH_TLS13, "AES-128-CCM-8", "SHA256", true, 128, V13, "RFC 8446" },

	/* TLS 1.2, ECDHE with an ECDSA or EdDSA certificate */
	{ 0xc02b, "ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256",
	  "ECDHE-ECDSA-AES128-GCM-SHA256", KX_ECDHE, AUTH_ECDSA, "AES-128-GCM", "SHA256", true, 128, V12, "RFC 5289" },
	{ 0xc02c, "ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384",
	  "ECDHE-ECDSA-AES256-GCM-SHA384", KX_ECDHE, AUTH_ECDSA, "AES-256-GCM", "SHA384", true, 256, V12, "RFC 5289" },
	{ 0xcca9, "ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305",
	  "ECDHE-ECDSA-CHACHA20-POLY1305", KX_ECDHE, AUTH_ECDSA, "ChaCha20-Poly1305", "SHA256", true, 256, V12, "RFC 7905" },
	{ 0xc0ac, "ECDHE-ECDSA-AES128-CCM", "TLS_ECDHE_ECDSA_WITH_AES_128_CCM", "ECDHE-ECDSA-AES128-CCM",
	  "ECDHE-ECDSA-AES128-CCM", KX_ECDHE, AUTH_ECDSA, "AES-128-CCM", "SHA256", true, 128, V12, "RFC 7251" },
	{ 0xc0ad, "ECDHE-ECDSA-AES256-CCM", "TLS_ECDHE_ECDSA_WITH_AES_256_CCM", "ECDHE-ECDSA-AES256-CCM",
	  "ECDHE-ECDSA-AES256-CCM", KX_ECDHE, AUTH_ECDSA, "AES-256-CCM", "SHA256", true, 256, V12, "RFC 7251" },
	{ 0xc0ae, "ECDHE-ECDSA-AES128-CCM8", "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8", "ECDHE-ECDSA-AES128-CCM8",
	  "ECDHE-ECDSA-AES128-CCM-8", KX_ECDHE, AUTH_ECDSA, "AES-128-CCM-8", "SHA256", true, 128, V12, "RFC 7251" },
	{ 0xc0af, "ECDHE-ECDSA-AES256-CCM8", "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", "ECDHE-ECDSA-AES256-CCM8",
	  "ECDHE-ECDSA-AES256-CCM-8", KX_ECDHE, AUTH_ECDSA, "AES-256-CCM-8", "SHA256", true, 256, V12, "RFC 7251" },
	{ 0xc009, "ECDHE-ECDSA-AES128-SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA",
	  "ECDHE-ECDSA-AES128-SHA", KX_ECDHE, AUTH_ECDSA, "AES-128-CBC", "SHA256", false, 128, V12, "RFC 8422" },
	{ 0xc00a, "ECDHE-ECDSA-AES256-SHA", "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA",
	  "ECDHE-ECDSA-AES256-SHA", KX_ECDHE, AUTH_ECDSA, "AES-256-CBC", "SHA256", false, 128, V12, "RFC 8422" },
	{ 0xc023, "ECDHE-ECDSA-AES128-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256",
	  "ECDHE-ECDSA-AES128-SHA256", KX_ECDHE, AUTH_ECDSA, "AES-128-CBC", "SHA256", false, 128, V12, "RFC 5289" },
	{ 0xc024, "ECDHE-ECDSA-AES256-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", "ECDHE-ECDSA-AES256-SHA384",
	  "ECDHE-ECDSA-AES256-SHA384", KX_ECDHE, AUTH_ECDSA, "AES-256-CBC", "SHA384", false, 256, V12, "RFC 5289" },

	/* TLS 1.2, ECDHE with an RSA certificate */
	{ 0xc02f, "ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
	  "ECDHE-RSA-AES128-GCM-SHA256", KX_ECDHE, AUTH_RSA, "AES-128-GCM", "SHA256", true, 128, V12, "RFC 5289" },
	{ 0xc030, "ECDHE-RSA-AES256-GCM-SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
	  "ECDHE-RSA-AES256-GCM-SHA384", KX_ECDHE, AUTH_RSA, "AES-256-GCM", "SHA384", true, 256, V12, "RFC 5289" },
	{ 0xcca8, "ECDHE-RSA-CHACHA20-POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305",
	  "ECDHE-RSA-CHACHA20-POLY1305", KX_ECDHE, AUTH_RSA, "ChaCha20-Poly1305", "SHA256", true, 256, V12, "RFC 7905" },
	{ 0xc013, "ECDHE-RSA-AES128-SHA", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA",
	  "ECDHE-RSA-AES128-SHA", KX_ECDHE, AUTH_RSA, "AES-128-CBC", "SHA256", false, 128, V12, "RFC 8422" },
	{ 0xc014, "ECDHE-RSA-AES256-SHA", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA",
	  "ECDHE-RSA-AES256-SHA", KX_ECDHE, AUTH_RSA, "AES-256-CBC", "SHA256", false, 128, V12, "RFC 8422" },
	{ 0xc027, "ECDHE-RSA-AES128-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256",
	  "ECDHE-RSA-AES128-SHA256", KX_ECDHE, AUTH_RSA, "AES-128-CBC", "SHA256", false, 128, V12, "RFC 5289" },
	{ 0xc028, "ECDHE-RSA-AES256-SHA384", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "ECDHE-RSA-AES256-SHA384",
	  "ECDHE-RSA-AES256-SHA384", KX_ECDHE, AUTH_RSA, "AES-256-CBC", "SHA384", false, 256, V12, "RFC 5289" },

	/* TLS 1.2, a pre-shared key */
	{ 0xc0a8, "PSK-AES128-CCM8", "TLS_PSK_WITH_AES_128_CCM_8", "PSK-AES128-CCM8",
	  "PSK-AES128-CCM-8", KX_PSK, AUTH_PSK, "AES-128-CCM-8", "SHA256", true, 128, V12, "RFC 6655" },
	{ 0x00a8, "PSK-AES128-GCM-SHA256", "TLS_PSK_WITH_AES_128_GCM_SHA256", "PSK-AES128-GCM-SHA256",
	  "PSK-AES128-GCM-SHA256", KX_PSK, AUTH_PSK, "AES-128-GCM", "SHA256", true, 128, V12, "RFC 5487" },
	{ 0xccac, "ECDHE-PSK-CHACHA20-POLY1305", "TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-PSK-CHACHA20-POLY1305",
	  "ECDHE-PSK-CHACHA20-POLY1305", KX_ECDHE_PSK, AUTH_PSK, "ChaCha20-Poly1305", "SHA256", true, 256, V12, "RFC 7905" },
	{ 0xc037, "ECDHE-PSK-AES128-CBC-SHA256", "TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256", "ECDHE-PSK-AES128-CBC-SHA256",
	  "ECDHE-PSK-AES128-CBC-SHA256", KX_ECDHE_PSK, AUTH_PSK, "AES-128-CBC", "SHA256", false, 128, V12, "RFC 5489" },
	{ 0 }
};

const struct group groups[] = {
	{ 29, "x25519", "x25519", "X25519", 128, V12 | V13, "RFC 8422" },
	{ 23, "p256", "secp256r1", "P-256", 128, V12 | V13, "RFC 8422" },
	{ 24, "p384", "secp384r1", "P-384", 192, V12 | V13, "RFC 8422" },
	{ 25, "p521", "secp521r1", "P-521", 256, V12 | V13, "RFC 8422" },
	{ 30, "x448", "x448", "X448", 224, V12 | V13, "RFC 8422" },
	/* TLS 1.3 took it out of the list: RFC 8446 section 4.2.7. */
	{ 21, "p224", "secp224r1", "P-224", 112, V12, "RFC 4492" },
	{ 0, "none", "none", "none", 0, V12, NULL },
	{ 0 }
};

const struct credential_kind credential_kinds[] = {
	{ "rsa2048", KEY_RSA, 2048, NULL, 112, "SHA256", V12 | V13 },
	{ "rsa3072", KEY_RSA, 3072, NULL, 128, "SHA256", V12 | V13 },
	{ "rsa4096", KEY_RSA, 4096, NULL, 128, "SHA256", V12 | V13 },
	{ "rsa7680", KEY_RSA, 7680, NULL, 192, "SHA384", V12 | V13 },
	/* No signature scheme of TLS 1.3 takes this curve: RFC 8446 section 4.2.3. */
	{ "p224", KEY_EC, 224, "P-224", 112, "SHA256", V12 },
	{ "p256", KEY_EC, 256, "P-256", 128, "SHA256", V12 | V13 },
	{ "p384", KEY_EC, 384, "P-384", 192, "SHA384", V12 | V13 },
	{ "p521", KEY_EC, 521, "P-521", 256, "SHA512", V12 | V13 },
	{ "ed25519", KEY_ED25519, 256, NULL, 128, "SHA512", V12 | V13 },
	{ "psk", KEY_PSK, 128, NULL, 128, NULL, V12 },
	{ "none", KEY_NONE, 0, NULL, 0, NULL, 0 },
	{ 0 }
};
/* clang-format on */

/* "AES_128_GCM_SHA256" finds TLS_AES_128_GCM_SHA256 too. */
static bool cipher_is(const struct cipher *c, const char *name)
{
	return !strcasecmp(c->name, name) || !strcasecmp(c->iana, name) ||
	       !strcasecmp(c->openssl, name) || !strcasecmp(c->wolfssl, name) ||
	       (c->kx == KX_TLS13 && !strcasecmp(c->iana + strlen("TLS_"), name));
}

const struct cipher *cipher_by_name_in(enum tls_version v, const char *name)
{
	for (const struct cipher *c = ciphers; c->id; c++)
		if ((c->versions & BIT(v)) && cipher_is(c, name))
			return c;
	return NULL;
}

const struct cipher *cipher_by_name(const char *name)
{
	for (const struct cipher *c = ciphers; c->id; c++)
		if (cipher_is(c, name))
			return c;
	return NULL;
}

const struct cipher *cipher_by_id(uint16_t id)
{
	for (const struct cipher *c = ciphers; c->id; c++)
		if (c->id == id)
			return c;
	return NULL;
}

const struct group *group_by_name(const char *name)
{
	for (const struct group *g = groups; g->name; g++)
		if (!strcasecmp(g->name, name) || !strcasecmp(g->iana, name) ||
		    !strcasecmp(g->openssl, name))
			return g;
	return NULL;
}

const struct group *group_by_id(uint16_t id)
{
	for (const struct group *g = groups; g->name; g++)
		if (g->id == id)
			return g;
	return NULL;
}

const struct credential_kind *credential_kind_by_name(const char *name)
{
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		if (!strcasecmp(k->name, name))
			return k;
	return NULL;
}

const struct credential_kind *credential_kind_of_key(enum key_kind key, unsigned key_bits)
{
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		if (k->key == key && k->key_bits == key_bits)
			return k;
	return NULL;
}
