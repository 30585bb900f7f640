/* SPDX-License-Identifier: Apache-2.0 */
/* catalogue - how the files with rows write the versions a row is for. For them and cipher.c. */
#ifndef CIPHERS_CATALOGUE_H
#define CIPHERS_CATALOGUE_H

#include "ciphers/cipher.h"

#define BIT(v) (uint16_t)(1u << (v))
#define V12    (BIT(TLS12) | BIT(DTLS12))
#define V13    (BIT(TLS13) | BIT(DTLS13))

#endif
