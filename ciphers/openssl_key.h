/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_key - keys of the catalogue's kinds in OpenSSL's hands: made, and told apart.
 *
 * For openssl_*.c and credential_x509.c only.
 */
#ifndef CIPHERS_OPENSSL_KEY_H
#define CIPHERS_OPENSSL_KEY_H

#include <openssl/evp.h>

#include "ciphers/cipher.h"

/* NULL, and the reason in the thread's error queue. The caller's to free. */
EVP_PKEY *openssl_key_make(const struct credential_kind *kind);

bool openssl_key_is(const struct credential_kind *kind, EVP_PKEY *key);

/* The kind of a key; *bits as the catalogue counts them. KEY_NONE where it is in no family. */
enum key_kind openssl_key_kind(EVP_PKEY *key, uint16_t *bits);

/* Can this library make and use such keys? NULL, else why not. */
const char *openssl_key_refuses(const struct credential_kind *kind);

#endif
