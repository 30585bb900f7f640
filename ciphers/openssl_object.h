/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_object - what the two files behind object_crypto.h share. For openssl_object.c and
 * openssl_trust.c only.
 */
#ifndef CIPHERS_OPENSSL_OBJECT_H
#define CIPHERS_OPENSSL_OBJECT_H

#include <openssl/evp.h>

#include "ciphers/object_crypto.h"

struct object_key {
	EVP_PKEY *key;
};

/* Takes the key over, also when there is no memory: NULL. NULL gives NULL. */
struct object_key *openssl_object_key(EVP_PKEY *key);

/* "WHAT: the reason in the error queue", which is empty afterwards. Returns -1. */
int openssl_object_fail(struct fail *f, const char *what);

#endif
