/* SPDX-License-Identifier: Apache-2.0 */
#include "testbed/choose_suite.h"

#include <stdio.h>
#include <string.h>

static const char *key_name(enum key_kind key)
{
	switch (key) {
	case KEY_RSA:
	case KEY_RSA_PSS:
		return "rsa";
	case KEY_EC:
	case KEY_BRAINPOOL:
		return "ecdsa";
	case KEY_ED25519:
	case KEY_ED448:
		return "eddsa";
	case KEY_PSK:
		return "psk";
	case KEY_MLDSA:
		return "mldsa";
	case KEY_SLHDSA:
		return "slhdsa";
	case KEY_NONE:
		break;
	}
	return "none";
}

bool choose_key_known(const char *name)
{
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		if (strcmp(key_name(k->key), name) == 0)
			return true;
	return false;
}

void choose_suite_facts(const char *suite, struct choose_facts *k)
{
	struct fail no = { 0 };
	struct suite s;

	*k = (struct choose_facts){ .version = "", .credential = "", .key = "", .status = "" };
	snprintf(k->suite, sizeof(k->suite), "%s", suite);
	if (suite_parse(suite, &s, &no) < 0)
		return;
	k->known = true;
	k->strength_bits = suite_strength_bits(&s);
	k->forward_secret = suite_is_forward_secret(&s);
	/* Against a quantum computer what was recorded is lost or kept by the key exchange. */
	k->post_quantum = s.group && s.group->kind == GROUP_KEM;
	k->version = tls_version_name[s.version];
	k->credential = s.credential->name;
	k->key = key_name(s.credential->key);
	k->status = status_name[suite_status(&s)];
}
