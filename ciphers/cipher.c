/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cipher - searches over the catalogue, whose rows are in cipher_rows.c,
 * group_rows.c and credential_rows.c.
 */
#include "ciphers/catalogue.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

const char *const tls_version_name[TLS_VERSIONS] = { [TLS_NONE] = "plain",
						     [TLS12] = "tls1.2",
						     [TLS13] = "tls1.3",
						     [DTLS12] = "dtls1.2",
						     [DTLS13] = "dtls1.3" };

const char *const status_name[] = { "recommended", "legacy", "broken" };

bool tls_version_is_datagram(enum tls_version v)
{
	return v == DTLS12 || v == DTLS13;
}

bool cipher_is_forward_secret(const struct cipher *c)
{
	return c->kx != KX_NONE && c->kx != KX_RSA && c->kx != KX_PSK;
}

/* "AES_128_GCM_SHA256" finds TLS_AES_128_GCM_SHA256 too. */
static bool cipher_is(const struct cipher *c, const char *name)
{
	return !strcasecmp(c->name, name) || !strcasecmp(c->iana, name) ||
	       !strcasecmp(c->openssl, name) || !strcasecmp(c->wolfssl, name) ||
	       (c->kx == KX_TLS13 && !strcasecmp(c->iana + strlen("TLS_"), name));
}

const struct cipher *cipher_by_name_in(enum tls_version v, const char *name)
{
	for (const struct cipher *c = ciphers; c->id; c++)
		if ((c->versions & BIT(v)) && cipher_is(c, name))
			return c;
	return NULL;
}

const struct cipher *cipher_by_name(const char *name)
{
	for (const struct cipher *c = ciphers; c->id; c++)
		if (cipher_is(c, name))
			return c;
	return NULL;
}

const struct cipher *cipher_by_id(uint16_t id)
{
	for (const struct cipher *c = ciphers; c->id; c++)
		if (c->id == id)
			return c;
	return NULL;
}

const struct group *group_by_name(const char *name)
{
	for (const struct group *g = groups; g->name; g++)
		if (!strcasecmp(g->name, name) || !strcasecmp(g->iana, name) ||
		    !strcasecmp(g->openssl, name))
			return g;
	return NULL;
}

const struct group *group_by_id(uint16_t id)
{
	for (const struct group *g = groups; g->name; g++)
		if (g->id == id)
			return g;
	return NULL;
}

const struct credential_kind *credential_kind_by_name(const char *name)
{
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		if (!strcasecmp(k->name, name))
			return k;
	return NULL;
}

const struct credential_kind *credential_kind_of_key(enum key_kind key, unsigned key_bits)
{
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		if (k->key == key && k->key_bits == key_bits)
			return k;
	return NULL;
}
