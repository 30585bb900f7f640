/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite - the grammar of a suite, which parts fit together, and its strength.
 *
 * Knows the catalogue and the rules of the RFCs; not which library can run it.
 */
#include "ciphers/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/opt.h"

#define PARTS     4
#define NAMES_MAX 256
#define EXAMPLE   "tls1.3:AES128-GCM-SHA256:x25519:p256"

static struct suite plain_suite(void)
{
	return (struct suite){ .version = TLS_NONE,
			       .group = group_by_name("none"),
			       .credential = credential_kind_by_name("none") };
}

static bool has_version(uint16_t versions, enum tls_version v)
{
	return versions & 1u << v;
}

/* --- do the parts fit ----------------------------------------------------- */

static bool credential_fits(const struct suite *s)
{
	enum key_kind key = s->credential->key;

	if (!has_version(s->credential->versions, s->version))
		return false;
	switch (s->cipher->auth) {
	case AUTH_RSA:
		/* A key for signatures alone decrypts nothing. */
		return key == KEY_RSA || (key == KEY_RSA_PSS && s->cipher->kx != KX_RSA);
	case AUTH_ECDSA:
		return key == KEY_EC || key == KEY_BRAINPOOL || key == KEY_ED25519 ||
		       key == KEY_ED448;
	case AUTH_PSK:
		return key == KEY_PSK;
	case AUTH_TLS13:
		return key != KEY_NONE && key != KEY_PSK;
	default:
		return false;
	}
}

static bool group_fits(const struct suite *s)
{
	enum group_kind kind = s->group->kind;

	if (!has_version(s->group->versions, s->version))
		return false;
	switch (s->cipher->kx) {
	case KX_TLS13:
		return kind != GROUP_NONE;
	case KX_ECDHE:
	case KX_ECDHE_PSK:
		return kind == GROUP_EC;
	case KX_DHE:
	case KX_DHE_PSK:
		return kind == GROUP_FF;
	default:
		return kind == GROUP_NONE;
	}
}

static bool suite_fits(const struct suite *s)
{
	return has_version(s->cipher->versions, s->version) && credential_fits(s) && group_fits(s);
}

/* --- reasons -------------------------------------------------------------- */

struct list {
	char text[200];
	size_t len;
};

static void list_add(struct list *l, const char *name)
{
	int n = snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s%s", l->len ? ", " : "",
			 name);

	if (n > 0 && l->len + (size_t)n < sizeof(l->text))
		l->len += (size_t)n;
	else
		l->text[l->len] = '\0';
}

static int fail_unknown(struct fail *f, const char *part, const char *value,
			const char *const *names)
{
	const char *near = opt_nearest(value, names);
	struct list all = { 0 };

	if (near)
		return fail_set(f, EINVAL, "unknown %s \"%.60s\" in a suite; did you mean \"%s\"?",
				part, value, near);
	for (int i = 0; names[i]; i++)
		list_add(&all, names[i]);
	return fail_set(f, EINVAL, "unknown %s \"%.60s\" in a suite; known: %s", part, value,
			all.text);
}

static int fail_credential(const struct suite *s, struct fail *f)
{
	struct list fits = { 0 };

	for (const struct credential_kind *k = credential_kinds; k->name; k++) {
		struct suite other = *s;

		other.credential = k;
		if (credential_fits(&other))
			list_add(&fits, k->name);
	}
	return fail_set(f, EINVAL,
			"credential \"%s\" cannot authenticate cipher \"%s\" in %s; fitting: %s",
			s->credential->name, s->cipher->name, tls_version_name[s->version],
			fits.text);
}

static int fail_group(const struct suite *s, struct fail *f)
{
	struct list fits = { 0 };

	for (const struct group *g = groups; g->name; g++) {
		struct suite other = *s;

		other.group = g;
		if (group_fits(&other))
			list_add(&fits, g->name);
	}
	return fail_set(f, EINVAL,
			"group \"%s\" cannot be used by cipher \"%s\" in %s; fitting: %s",
			s->group->name, s->cipher->name, tls_version_name[s->version], fits.text);
}

/* --- reading the parts ---------------------------------------------------- */

static int read_version(const char *text, struct suite *s, struct fail *f)
{
	for (int v = TLS_NONE + 1; v < TLS_VERSIONS; v++) {
		if (strcasecmp(tls_version_name[v], text))
			continue;
		s->version = (enum tls_version)v;
		return 0;
	}

	const char *names[TLS_VERSIONS + 1] = { 0 };

	memcpy(names, tls_version_name, sizeof(tls_version_name));
	return fail_unknown(f, "version", text, names);
}

static int fail_cipher(const struct suite *s, const char *text, struct fail *f)
{
	const struct cipher *elsewhere = cipher_by_name(text);
	const char *names[NAMES_MAX] = { 0 };
	struct list in = { 0 };
	int n = 0;

	if (!elsewhere) {
		for (const struct cipher *c = ciphers; c->id && n < NAMES_MAX - 1; c++)
			if (has_version(c->versions, s->version))
				names[n++] = c->name;
		return fail_unknown(f, "cipher", text, names);
	}
	for (int v = 0; v < TLS_VERSIONS; v++)
		if (has_version(elsewhere->versions, (enum tls_version)v))
			list_add(&in, tls_version_name[v]);
	return fail_set(f, EINVAL, "cipher \"%s\" does not exist in version %s, only in %s",
			elsewhere->name, tls_version_name[s->version], in.text);
}

static int read_cipher(const char *text, struct suite *s, struct fail *f)
{
	s->cipher = cipher_by_name_in(s->version, text);
	return s->cipher ? 0 : fail_cipher(s, text, f);
}

static int read_group(const char *text, struct suite *s, struct fail *f)
{
	const char *names[NAMES_MAX] = { 0 };
	int n = 0;

	s->group = group_by_name(text);
	if (s->group)
		return group_fits(s) ? 0 : fail_group(s, f);
	for (const struct group *g = groups; g->name; g++)
		names[n++] = g->name;
	return fail_unknown(f, "group", text, names);
}

static int read_credential(const char *text, struct suite *s, struct fail *f)
{
	const char *names[NAMES_MAX] = { 0 };
	int n = 0;

	s->credential = credential_kind_by_name(text);
	if (s->credential)
		return credential_fits(s) ? 0 : fail_credential(s, f);
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		names[n++] = k->name;
	return fail_unknown(f, "credential", text, names);
}

/* How many parts there are; the first PARTS start at part[]. Cuts text up. */
static int split(char *text, char *part[PARTS])
{
	int n = 0;

	for (char *next = text; next; n++) {
		char *one = strsep(&next, ":");

		if (n < PARTS)
			part[n] = one;
	}
	return n;
}

int suite_parse(const char *text, struct suite *s, struct fail *f)
{
	static int (*const read_part[PARTS])(const char *, struct suite *,
					     struct fail *) = { read_version, read_cipher,
								read_group, read_credential };
	char copy[SUITE_TEXT_BYTES], *part[PARTS];
	struct suite read = plain_suite();
	size_t len = strlen(text);
	int parts;

	if (!strcasecmp(text, "plain")) {
		*s = read;
		return 0;
	}
	if (len >= sizeof(copy))
		return fail_set(f, EINVAL, "suite \"%.40s...\" is too long; expected like " EXAMPLE,
				text);
	memcpy(copy, text, len + 1);
	parts = split(copy, part);
	if (parts != PARTS)
		return fail_set(f, EINVAL,
				"suite \"%s\" has %d part%s, expected \"plain\" or four: "
				"VERSION:CIPHER:GROUP:CREDENTIAL, for example " EXAMPLE,
				text, parts, parts == 1 ? "" : "s");
	for (int i = 0; i < PARTS; i++)
		if (read_part[i](part[i], &read, f))
			return -1;
	*s = read;
	return 0;
}

/* --- the rest ------------------------------------------------------------- */

bool suite_is_plain(const struct suite *s)
{
	return s->version == TLS_NONE;
}

const char *suite_format(const struct suite *s, char *dst)
{
	if (suite_is_plain(s))
		snprintf(dst, SUITE_TEXT_BYTES, "plain");
	else
		snprintf(dst, SUITE_TEXT_BYTES, "%s:%s:%s:%s", tls_version_name[s->version],
			 s->cipher->name, s->group->name, s->credential->name);
	return dst;
}

bool suite_equal(const struct suite *a, const struct suite *b)
{
	if (suite_is_plain(a) || suite_is_plain(b))
		return suite_is_plain(a) && suite_is_plain(b);
	return a->version == b->version && a->cipher == b->cipher && a->group == b->group &&
	       a->credential == b->credential;
}

int suite_strength_bits(const struct suite *s)
{
	int bits;

	if (suite_is_plain(s))
		return 0;
	bits = s->cipher->strength_bits;
	if (s->group->id && s->group->strength_bits < bits)
		bits = s->group->strength_bits;
	if (s->credential->strength_bits < bits)
		bits = s->credential->strength_bits;
	return bits;
}

static int class_of(int bits)
{
	static const int classes[] = { 256, 192, 128, 112 };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (bits >= classes[i])
			return classes[i];
	return bits ? 80 : 0;
}

int suite_strength_class(const struct suite *s)
{
	return class_of(suite_strength_bits(s));
}

bool suite_is_even(const struct suite *s, int class_bits)
{
	int group = class_bits < 112 ? 112 : class_bits;
	int cipher = class_bits <= 128 ? 128 : 256;

	if (suite_is_plain(s))
		return class_bits == 0;
	return class_of(s->cipher->strength_bits) == cipher &&
	       class_of(s->credential->strength_bits) == class_bits &&
	       (!s->group->id || class_of(s->group->strength_bits) == group);
}

bool suite_is_forward_secret(const struct suite *s)
{
	return !suite_is_plain(s) && cipher_is_forward_secret(s->cipher);
}

static enum status worse(enum status a, enum status b)
{
	return a > b ? a : b;
}

enum status suite_status(const struct suite *s)
{
	if (suite_is_plain(s))
		return STATUS_BROKEN;
	return worse(s->cipher->status, worse(s->group->status, s->credential->status));
}

static int each_of_cipher(struct suite *s, int (*visit)(const struct suite *, void *), void *data)
{
	int stop = 0;

	for (s->group = groups; s->group->name && !stop; s->group++)
		for (s->credential = credential_kinds; s->credential->name && !stop;
		     s->credential++)
			if (suite_fits(s))
				stop = visit(s, data);
	return stop;
}

int suite_each(int (*visit)(const struct suite *s, void *data), void *data)
{
	struct suite s = plain_suite();
	int stop = visit(&s, data);

	for (int v = TLS_NONE + 1; v < TLS_VERSIONS && !stop; v++) {
		s.version = (enum tls_version)v;
		for (s.cipher = ciphers; s.cipher->id && !stop; s.cipher++)
			if (has_version(s.cipher->versions, s.version))
				stop = each_of_cipher(&s, visit, data);
	}
	return stop;
}
