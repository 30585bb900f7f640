/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_rows - the key-exchange groups of the catalogue, a const row each.
 *
 * Sources: the IANA registry "TLS Supported Groups" and the RFC named in each row.
 * The Brainpool curves have other numbers in TLS 1.3 than before it (RFC 8734).
 *
 * Strength: NIST SP 800-57 part 1 revision 5, table 2. What it does not list: X25519
 * 128, X448 224 (RFC 7748 section 7); a modulus between two rows takes the row it
 * reaches (4096 bits: 128); ML-KEM its category of FIPS 203 (1, 3 and 5: 128, 192 and
 * 256); a hybrid the stronger of its two halves.
 *
 * Status: "recommended" is Y in IANA's column, or a KEM of FIPS 203, for which that
 * column still waits; the rest is "legacy".
 */
#include "ciphers/catalogue.h"

#define MLKEM  "FIPS 203"
#define HYBRID "RFC-ietf-tls-ecdhe-mlkem"

#include <stddef.h>

/* clang-format off */
const struct group groups[] = {
	{ 29, "x25519", "x25519", "X25519", 128, V12 | V13, "RFC 8422", GROUP_EC, STATUS_RECOMMENDED },
	{ 23, "p256", "secp256r1", "P-256", 128, V12 | V13, "RFC 8422", GROUP_EC, STATUS_RECOMMENDED },
	{ 24, "p384", "secp384r1", "P-384", 192, V12 | V13, "RFC 8422", GROUP_EC, STATUS_RECOMMENDED },
	{ 25, "p521", "secp521r1", "P-521", 256, V12 | V13, "RFC 8422", GROUP_EC, STATUS_LEGACY },
	{ 30, "x448", "x448", "X448", 224, V12 | V13, "RFC 8422", GROUP_EC, STATUS_RECOMMENDED },
	/* TLS 1.3 took it out of the list: RFC 8446 section 4.2.7. */
	{ 21, "p224", "secp224r1", "P-224", 112, V12, "RFC 4492", GROUP_EC, STATUS_LEGACY },
	{ 26, "brainpool256", "brainpoolP256r1", "brainpoolP256r1", 128, V12, "RFC 7027", GROUP_EC, STATUS_LEGACY },
	{ 27, "brainpool384", "brainpoolP384r1", "brainpoolP384r1", 192, V12, "RFC 7027", GROUP_EC, STATUS_LEGACY },
	{ 28, "brainpool512", "brainpoolP512r1", "brainpoolP512r1", 256, V12, "RFC 7027", GROUP_EC, STATUS_LEGACY },
	{ 31, "brainpool256tls13", "brainpoolP256r1tls13", "brainpoolP256r1tls13", 128, V13, "RFC 8734", GROUP_EC, STATUS_LEGACY },
	{ 32, "brainpool384tls13", "brainpoolP384r1tls13", "brainpoolP384r1tls13", 192, V13, "RFC 8734", GROUP_EC, STATUS_LEGACY },
	{ 33, "brainpool512tls13", "brainpoolP512r1tls13", "brainpoolP512r1tls13", 256, V13, "RFC 8734", GROUP_EC, STATUS_LEGACY },
	{ 256, "ffdhe2048", "ffdhe2048", "ffdhe2048", 112, V12 | V13, "RFC 7919", GROUP_FF, STATUS_LEGACY },
	{ 257, "ffdhe3072", "ffdhe3072", "ffdhe3072", 128, V12 | V13, "RFC 7919", GROUP_FF, STATUS_LEGACY },
	{ 258, "ffdhe4096", "ffdhe4096", "ffdhe4096", 128, V12 | V13, "RFC 7919", GROUP_FF, STATUS_LEGACY },
	{ 259, "ffdhe6144", "ffdhe6144", "ffdhe6144", 128, V12 | V13, "RFC 7919", GROUP_FF, STATUS_LEGACY },
	{ 260, "ffdhe8192", "ffdhe8192", "ffdhe8192", 192, V12 | V13, "RFC 7919", GROUP_FF, STATUS_LEGACY },
	{ 512, "mlkem512", "MLKEM512", "MLKEM512", 128, V13, MLKEM, GROUP_KEM, STATUS_RECOMMENDED },
	{ 513, "mlkem768", "MLKEM768", "MLKEM768", 192, V13, MLKEM, GROUP_KEM, STATUS_RECOMMENDED },
	{ 514, "mlkem1024", "MLKEM1024", "MLKEM1024", 256, V13, MLKEM, GROUP_KEM, STATUS_RECOMMENDED },
	{ 4587, "p256mlkem768", "SecP256r1MLKEM768", "SecP256r1MLKEM768", 192, V13, HYBRID, GROUP_KEM, STATUS_RECOMMENDED },
	{ 4588, "x25519mlkem768", "X25519MLKEM768", "X25519MLKEM768", 192, V13, HYBRID, GROUP_KEM, STATUS_RECOMMENDED },
	{ 4589, "p384mlkem1024", "SecP384r1MLKEM1024", "SecP384r1MLKEM1024", 256, V13, HYBRID, GROUP_KEM, STATUS_RECOMMENDED },
	{ 0, "none", "none", "none", 0, V12, NULL, GROUP_NONE, STATUS_RECOMMENDED },
	{ 0 }
};
/* clang-format on */
