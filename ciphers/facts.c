/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts - what a handshake agreed on, held against what was asked for.
 *
 * Pure: it knows the catalogue and no library.
 */
#include <errno.h>
#include <stdio.h>

#include "ciphers/engine.h"

static const char *version_text(enum tls_version v)
{
	return (unsigned)v < TLS_VERSIONS ? tls_version_name[v] : "?";
}

static const char *cipher_text(uint16_t id, char dst[16])
{
	const struct cipher *c = cipher_by_id(id);

	snprintf(dst, 16, "0x%04x", id);
	return c ? c->name : dst;
}

static const char *group_text(uint16_t id, char dst[16])
{
	const struct group *g = id ? group_by_id(id) : NULL;

	snprintf(dst, 16, "0x%04x", id);
	return g ? g->name : id ? dst : "?";
}

static const char *key_text(enum key_kind key, unsigned bits, char dst[16])
{
	static const char *const family[] = {
		[KEY_NONE] = "?",
		[KEY_RSA] = "rsa",
		[KEY_EC] = "ec",
		[KEY_ED25519] = "ed25519",
		[KEY_PSK] = "psk",
		[KEY_RSA_PSS] = "rsapss",
		[KEY_BRAINPOOL] = "brainpool",
		[KEY_ED448] = "ed448",
		[KEY_MLDSA] = "mldsa",
		[KEY_SLHDSA] = "slhdsa",
	};
	const struct credential_kind *k = credential_kind_of_key(key, bits);

	if (key == KEY_NONE || key == KEY_PSK || key == KEY_ED25519 || key == KEY_ED448)
		return family[key];
	snprintf(dst, 16, "%s%u", family[key], bits);
	return k ? k->name : dst;
}

static int differs(struct fail *f, const char *part, const char *asked, const char *got)
{
	return fail_set(f, EPROTO, "the handshake agreed on another %s: asked %s, negotiated %s",
			part, asked, got);
}

static bool key_unknown(const struct tls_facts *got, enum role role)
{
	return role == SERVER || got->resumed || got->peer_key == KEY_NONE;
}

static bool key_is(const struct credential_kind *kind, const struct tls_facts *got)
{
	return kind->key == got->peer_key && (!got->peer_key_bits || kind->key == KEY_PSK ||
					      kind->key_bits == got->peer_key_bits);
}

int facts_check(const struct suite *asked, const struct tls_facts *got, enum role role,
		struct fail *f)
{
	char text[16];

	if (got->version != asked->version)
		return differs(f, "version", version_text(asked->version),
			       version_text(got->version));
	if (suite_is_plain(asked))
		return 0;
	if (got->cipher_id != asked->cipher->id)
		return differs(f, "cipher", asked->cipher->name, cipher_text(got->cipher_id, text));
	if (got->group_id && got->group_id != asked->group->id)
		return differs(f, "group", asked->group->name, group_text(got->group_id, text));
	if (!key_unknown(got, role) && !key_is(asked->credential, got))
		return differs(f, "credential", asked->credential->name,
			       key_text(got->peer_key, got->peer_key_bits, text));
	return 0;
}

/* Some ciphers leave one answer only, which no library gives. */
static struct tls_facts implied(const struct tls_facts *got)
{
	const struct cipher *c = cipher_by_id(got->cipher_id);
	struct tls_facts facts = *got;

	if (c && c->auth == AUTH_PSK)
		facts.peer_key = KEY_PSK;
	return facts;
}

static bool has_no_group(uint16_t cipher_id)
{
	const struct cipher *c = cipher_by_id(cipher_id);

	return c && (c->kx == KX_PSK || c->kx == KX_RSA);
}

const char *facts_format(const struct tls_facts *negotiated, char dst[SUITE_TEXT_BYTES])
{
	struct tls_facts facts = implied(negotiated);
	const struct tls_facts *got = &facts;
	char cipher[16], group[16], key[16];

	if (got->version == TLS_NONE)
		snprintf(dst, SUITE_TEXT_BYTES, "plain");
	else
		snprintf(dst, SUITE_TEXT_BYTES, "%s:%s:%s:%s", version_text(got->version),
			 cipher_text(got->cipher_id, cipher),
			 has_no_group(got->cipher_id) ? "none" : group_text(got->group_id, group),
			 key_text(got->peer_key, got->peer_key_bits, key));
	return dst;
}
