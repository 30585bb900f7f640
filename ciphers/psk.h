/* SPDX-License-Identifier: Apache-2.0 */
/*
 * psk - pre-shared keys and the identities they go by: one, or a server's table of many.
 *
 * An identity that a server does not know is answered like a known one with a wrong key:
 * with a key that nobody has (RFC 4279 section 2), so that nobody can ask who exists.
 */
#ifndef CIPHERS_PSK_H
#define CIPHERS_PSK_H

#include <stddef.h>
#include <stdint.h>

#define PSK_BYTES_MIN    16 /* what the credential "psk" promises: 128 bits */
#define PSK_BYTES_MAX    64
#define PSK_IDENTITY_MAX 127

struct psk {
	char identity[PSK_IDENTITY_MAX + 1];
	uint8_t key[PSK_BYTES_MAX];
	size_t key_bytes;
};

struct psk_table {
	struct psk *row; /* in the order they came */
	size_t rows;
	uint32_t *by_name; /* the same, sorted by identity; NULL until psk_table_sort() */
};

/* A copy of the row at the end; what was sorted no longer is. -1: no memory. */
int psk_table_add(struct psk_table *t, const struct psk *row);
/* Before the first search. -1: no memory. */
int psk_table_sort(struct psk_table *t);
/* NULL: it has no such identity. */
const struct psk *psk_table_find(const struct psk_table *t, const char *identity);
/* The first identity that stands there twice; NULL: none does. Sorted before. */
const char *psk_table_double(const struct psk_table *t);
/* Clears the keys. Accepts a zeroed struct. */
void psk_table_release(struct psk_table *t);

struct assoc;

/* What a client shows: the association's own, else the domain's. The key's bytes. */
const char *psk_client_identity(const struct assoc *a);
size_t psk_client_key(const struct assoc *a, uint8_t *key, size_t max);
/* The key of this identity, or one that nobody has; 0: it does not fit max. */
size_t psk_server_key(const struct assoc *a, const char *identity, uint8_t *key, size_t max);

#endif
