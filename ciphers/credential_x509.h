/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential_x509 - X.509 certificates and their keys as PEM text: made, and judged.
 *
 * For credential.c only: no files, no cache. Exists where OpenSSL does.
 */
#ifndef CIPHERS_CREDENTIAL_X509_H
#define CIPHERS_CREDENTIAL_X509_H

#include "ciphers/cipher.h"
#include "lib/buf.h"
#include "lib/fail.h"

/* A certificate and its private key, PEM. */
struct x509_pair {
	struct buf cert, key;
};

void x509_pair_init(struct x509_pair *p);
/* Clears the key's memory. */
void x509_pair_release(struct x509_pair *p);

/* A self-signed authority whose key is of this kind. */
int x509_make_ca(const struct credential_kind *kind, struct x509_pair *out, struct fail *f);

#define X509_VALID_DAYS 3650

/* Which side shows it: stands in its extended key usage (RFC 5280 section 4.2.1.12). */
enum x509_use { X509_FOR_SERVER, X509_FOR_CLIENT };

/*
 * A certificate signed by ca, with a new key of this kind, for "localhost",
 * 127.0.0.1, ::1 and name (NULL: no more). It ends in valid_days, which a test may
 * put into the past.
 */
int x509_make_leaf(const struct credential_kind *kind, struct x509_pair *ca, const char *name,
		   enum x509_use use, int valid_days, struct x509_pair *out, struct fail *f);

enum x509_state {
	X509_GOOD,   /* of this kind, key and certificate belong together, valid for a day */
	X509_WORN,   /* made here, but of no use any more */
	X509_FOREIGN /* not readable, or not made here */
};

enum x509_state x509_judge_ca(const struct credential_kind *kind, struct x509_pair *p);
/* Good only when ca signed it and it is for name and use. */
enum x509_state x509_judge_leaf(const struct credential_kind *kind, struct x509_pair *ca,
				const char *name, enum x509_use use, struct x509_pair *p);

#endif
