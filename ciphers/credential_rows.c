/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential_rows - the kinds of credential in the catalogue, a const row each.
 *
 * Strength: NIST SP 800-57 part 1 revision 5, table 2. What it does not list: RSA
 * moduli between two rows take the row they reach (4096 bits: 128); Ed25519 128, Ed448
 * 224 (RFC 8032 section 8); ML-DSA and SLH-DSA their category of FIPS 204 and FIPS 205
 * (ML-DSA-44 has category 2, which lies between 128 and 192 bits and counts 128).
 *
 * Status: "recommended" is Y in IANA's column of "TLS SignatureScheme", or a scheme of
 * FIPS 204 or 205, for which it still waits; "broken" is below the 112 bits that RFC
 * 9325 section 4.1 demands; the rest is "legacy".
 */
#include "ciphers/catalogue.h"

#include <stddef.h>

#define REC STATUS_RECOMMENDED
#define LEG STATUS_LEGACY
#define BRO STATUS_BROKEN

/* clang-format off */
const struct credential_kind credential_kinds[] = {
	{ "rsa1024", KEY_RSA, 1024, NULL, 80, "SHA256", V12 | V13, "RSA", BRO },
	{ "rsa2048", KEY_RSA, 2048, NULL, 112, "SHA256", V12 | V13, "RSA", REC },
	{ "rsa3072", KEY_RSA, 3072, NULL, 128, "SHA256", V12 | V13, "RSA", REC },
	{ "rsa4096", KEY_RSA, 4096, NULL, 128, "SHA256", V12 | V13, "RSA", REC },
	{ "rsa7680", KEY_RSA, 7680, NULL, 192, "SHA384", V12 | V13, "RSA", REC },
	{ "rsa15360", KEY_RSA, 15360, NULL, 256, "SHA512", V12 | V13, "RSA", REC },
	{ "rsapss2048", KEY_RSA_PSS, 2048, NULL, 112, "SHA256", V12 | V13, "RSA-PSS", REC },
	{ "rsapss3072", KEY_RSA_PSS, 3072, NULL, 128, "SHA256", V12 | V13, "RSA-PSS", REC },
	{ "rsapss4096", KEY_RSA_PSS, 4096, NULL, 128, "SHA256", V12 | V13, "RSA-PSS", REC },
	/* No signature scheme of TLS 1.3 takes this curve: RFC 8446 section 4.2.3. */
	{ "p224", KEY_EC, 224, "P-224", 112, "SHA256", V12, "EC", LEG },
	{ "p256", KEY_EC, 256, "P-256", 128, "SHA256", V12 | V13, "EC", REC },
	{ "p384", KEY_EC, 384, "P-384", 192, "SHA384", V12 | V13, "EC", REC },
	{ "p521", KEY_EC, 521, "P-521", 256, "SHA512", V12 | V13, "EC", LEG },
	{ "brainpool256", KEY_BRAINPOOL, 256, "brainpoolP256r1", 128, "SHA256", V12 | V13, "EC", LEG },
	{ "brainpool384", KEY_BRAINPOOL, 384, "brainpoolP384r1", 192, "SHA384", V12 | V13, "EC", LEG },
	{ "brainpool512", KEY_BRAINPOOL, 512, "brainpoolP512r1", 256, "SHA512", V12 | V13, "EC", LEG },
	{ "ed25519", KEY_ED25519, 256, NULL, 128, "SHA512", V12 | V13, "ED25519", REC },
	{ "ed448", KEY_ED448, 456, NULL, 224, "SHAKE256", V12 | V13, "ED448", REC },
	{ "mldsa44", KEY_MLDSA, 44, NULL, 128, NULL, V13, "ML-DSA-44", REC },
	{ "mldsa65", KEY_MLDSA, 65, NULL, 192, NULL, V13, "ML-DSA-65", REC },
	{ "mldsa87", KEY_MLDSA, 87, NULL, 256, NULL, V13, "ML-DSA-87", REC },
	{ "slhdsa-sha2-128s", KEY_SLHDSA, 1, NULL, 128, NULL, V13, "SLH-DSA-SHA2-128s", REC },
	{ "slhdsa-sha2-128f", KEY_SLHDSA, 2, NULL, 128, NULL, V13, "SLH-DSA-SHA2-128f", REC },
	{ "slhdsa-sha2-192s", KEY_SLHDSA, 3, NULL, 192, NULL, V13, "SLH-DSA-SHA2-192s", REC },
	{ "slhdsa-sha2-192f", KEY_SLHDSA, 4, NULL, 192, NULL, V13, "SLH-DSA-SHA2-192f", REC },
	{ "slhdsa-sha2-256s", KEY_SLHDSA, 5, NULL, 256, NULL, V13, "SLH-DSA-SHA2-256s", REC },
	{ "slhdsa-sha2-256f", KEY_SLHDSA, 6, NULL, 256, NULL, V13, "SLH-DSA-SHA2-256f", REC },
	{ "slhdsa-shake-128s", KEY_SLHDSA, 7, NULL, 128, NULL, V13, "SLH-DSA-SHAKE-128s", REC },
	{ "slhdsa-shake-128f", KEY_SLHDSA, 8, NULL, 128, NULL, V13, "SLH-DSA-SHAKE-128f", REC },
	{ "slhdsa-shake-192s", KEY_SLHDSA, 9, NULL, 192, NULL, V13, "SLH-DSA-SHAKE-192s", REC },
	{ "slhdsa-shake-192f", KEY_SLHDSA, 10, NULL, 192, NULL, V13, "SLH-DSA-SHAKE-192f", REC },
	{ "slhdsa-shake-256s", KEY_SLHDSA, 11, NULL, 256, NULL, V13, "SLH-DSA-SHAKE-256s", REC },
	{ "slhdsa-shake-256f", KEY_SLHDSA, 12, NULL, 256, NULL, V13, "SLH-DSA-SHAKE-256f", REC },
	{ "psk", KEY_PSK, 128, NULL, 128, NULL, V12, NULL, REC },
	{ "none", KEY_NONE, 0, NULL, 0, NULL, 0, NULL, REC },
	{ 0 }
};
/* clang-format on */
