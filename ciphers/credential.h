/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential - certificates and keys made on demand by a private CA, and cached.
 *
 * One CA per directory; one certificate and key per credential kind, valid for
 * the names "localhost", 127.0.0.1, ::1 and any name asked for. Keys are 0600.
 * Two processes may ask at once: files appear whole or not at all.
 * The CA key is of the same kind as the leaf it signs, so that a client that
 * verifies a P-256 chain verifies with P-256 (one CA per kind).
 */
#ifndef CIPHERS_CREDENTIAL_H
#define CIPHERS_CREDENTIAL_H

#include "ciphers/cipher.h"
#include "lib/fail.h"
#include "lib/path.h"

struct credential {
	const struct credential_kind *kind;
	char cert_file[PATH_BYTES]; /* PEM, leaf first, CA not included */
	char key_file[PATH_BYTES];  /* PEM, 0600 */
	char ca_file[PATH_BYTES];   /* PEM: what a client trusts */
};

/*
 * Find or make the credential of this kind in dir (NULL: the user's cache
 * directory) for `name` besides the loopback names (NULL: none). A cached one is
 * used only if it is still valid for a day, of this kind, and carries the name.
 */
int credential_get(const struct credential_kind *kind, const char *dir, const char *name,
		   struct credential *out, struct fail *f);

/* The same for what a client shows of itself, by the same authority. */
int credential_get_client(const struct credential_kind *kind, const char *dir,
			  struct credential *out, struct fail *f);

#endif
