/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite - the thing compared: version, cipher, key-exchange group and credential.
 *
 * Written VERSION:CIPHER:GROUP:CREDENTIAL, for example
 * "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256" or
 * "tls1.3:AES128-GCM-SHA256:x25519:rsa3072"; "plain" is no security at all.
 */
#ifndef CIPHERS_SUITE_H
#define CIPHERS_SUITE_H

#include "ciphers/cipher.h"
#include "lib/fail.h"

struct suite {
	enum tls_version version;    /* TLS_NONE: plain */
	const struct cipher *cipher; /* NULL when plain; group and credential are then "none" */
	const struct group *group;
	const struct credential_kind *credential;
};

#define SUITE_TEXT_BYTES 128

/*
 * Every part is checked, and that they fit together (an RSA certificate cannot
 * sign an ECDHE-ECDSA handshake; a TLS 1.3 cipher does not exist in TLS 1.2). The
 * reason names the part, what is wrong and what would fit.
 */
int suite_parse(const char *text, struct suite *s, struct fail *f);

/* The one canonical spelling; dst takes SUITE_TEXT_BYTES. Returns dst. */
const char *suite_format(const struct suite *s, char *dst);

bool suite_is_plain(const struct suite *s);
bool suite_equal(const struct suite *a, const struct suite *b);

/*
 * The weakest of key exchange, credential, cipher and hash, in bits, by NIST
 * SP 800-57 part 1 revision 5, table 2; 0 for plain.
 */
int suite_strength_bits(const struct suite *s);

/* The class of equal strength: 80, 112, 128, 192 or 256, the highest reached; 0 for plain. */
int suite_strength_class(const struct suite *s);

/*
 * Is it of this class with no part stronger than the class needs? So that two such
 * suites differ in kind, not in strength. Groups begin at 112 bits and ciphers in use
 * at 128, and none of these lies between 128 and 256: there the next higher serves.
 */
bool suite_is_even(const struct suite *s, int class_bits);

bool suite_is_forward_secret(const struct suite *s);

/* The worst of its parts; plain, which protects nothing, counts as broken. */
enum status suite_status(const struct suite *s);

/*
 * Every suite that the catalogue's rows can form and that makes sense, in a fixed
 * order, plain first. Calls visit until it returns non-zero, and returns that.
 */
int suite_each(int (*visit)(const struct suite *s, void *data), void *data);

#endif
