/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cipher - the catalogue: const rows of protocol versions, cipher suites of the
 * IANA registry, key-exchange groups and credential kinds.
 *
 * Facts only, taken from the registries and the RFC named in the row. Whether a
 * library can run a row is asked of the engine, not stored here.
 */
#ifndef CIPHERS_CIPHER_H
#define CIPHERS_CIPHER_H

#include <stdbool.h>
#include <stdint.h>

enum tls_version { TLS_NONE, TLS12, TLS13, DTLS12, DTLS13, TLS_VERSIONS };

/* "plain", "tls1.2", "tls1.3", "dtls1.2", "dtls1.3". */
extern const char *const tls_version_name[TLS_VERSIONS];
bool tls_version_is_datagram(enum tls_version v);

enum kx { KX_NONE, KX_TLS13, KX_ECDHE, KX_DHE, KX_RSA, KX_PSK, KX_DHE_PSK, KX_ECDHE_PSK };
enum auth { AUTH_NONE, AUTH_TLS13, AUTH_RSA, AUTH_ECDSA, AUTH_PSK };

/* What today's rules say of a row; how each is decided stands with the rows. */
enum status { STATUS_RECOMMENDED, STATUS_LEGACY, STATUS_BROKEN };
extern const char *const status_name[]; /* "recommended", "legacy", "broken" */

/* One cipher suite of the IANA registry. */
struct cipher {
	uint16_t id;         /* IANA value; 0x0000 ends the table */
	const char *name;    /* ours in a suite, unique in a version: "AES128-GCM-SHA256" */
	const char *iana;    /* "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" */
	const char *openssl; /* "ECDHE-ECDSA-AES128-GCM-SHA256" */
	const char *wolfssl; /* its spelling there */
	enum kx kx;
	enum auth auth;
	const char *bulk; /* "AES-128-GCM" */
	const char *hash; /* of the PRF or HKDF: "SHA256" */
	bool aead;
	uint16_t strength_bits; /* of the bulk cipher and hash together */
	uint16_t versions;      /* bit per enum tls_version */
	const char *rfc;        /* "RFC 5289" */
	enum status status;
};

/* Is a stolen long-term key of no use against what was recorded before? */
bool cipher_is_forward_secret(const struct cipher *c);

enum group_kind { GROUP_NONE, GROUP_EC, GROUP_FF, GROUP_KEM };

/* A supported group: curve, finite field, or KEM. */
struct group {
	uint16_t id;            /* IANA value; 0 for "none" */
	const char *name;       /* ours: "x25519", "p256", "none" */
	const char *iana;       /* "x25519", "secp256r1" */
	const char *openssl;    /* "X25519", "P-256" */
	uint16_t strength_bits; /* 0 for "none": it weakens nothing */
	uint16_t versions;      /* bit per enum tls_version */
	const char *rfc;
	enum group_kind kind;
	enum status status;
};

enum key_kind {
	KEY_NONE,
	KEY_RSA,
	KEY_EC, /* the curves of NIST */
	KEY_ED25519,
	KEY_PSK,
	KEY_RSA_PSS, /* a key for RSASSA-PSS alone, by its OID */
	KEY_BRAINPOOL,
	KEY_ED448,
	KEY_MLDSA,
	KEY_SLHDSA,
};

/* What an association authenticates with. */
struct credential_kind {
	const char *name; /* "rsa2048", "p256", "ed25519", "psk", "none"; NULL ends the table */
	enum key_kind key;
	/* Modulus or field size; of ML-DSA its number, of SLH-DSA one of our own. */
	uint16_t key_bits;
	const char *curve; /* OpenSSL's name of the curve, or NULL */
	uint16_t strength_bits;
	const char *signature_hash; /* of the certificate's own signature: "SHA256", "SHA384",
				       "SHA512" */
	uint16_t versions;          /* bit per enum tls_version: where such a key can sign */
	const char *algorithm;      /* OpenSSL's name of the key's type, or NULL */
	enum status status;
};

extern const struct cipher ciphers[];
extern const struct group groups[]; /* ends with name NULL */
extern const struct credential_kind credential_kinds[];

/* By IANA, OpenSSL or wolfSSL spelling, and for TLS 1.3 without "TLS_" too; any case. */
const struct cipher *cipher_by_name(const char *name);
/* Only among the ciphers of one version, where short names are unique. */
const struct cipher *cipher_by_name_in(enum tls_version v, const char *name);
const struct cipher *cipher_by_id(uint16_t id);
const struct group *group_by_name(const char *name);
const struct group *group_by_id(uint16_t id);
const struct credential_kind *credential_kind_by_name(const char *name);
/* NULL where the catalogue has no such key. */
const struct credential_kind *credential_kind_of_key(enum key_kind key, unsigned key_bits);

#endif
