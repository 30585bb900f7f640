/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_suites - the key `suites` of a group: texts, parts to be multiplied, or a class
 * of equal strength.
 *
 * A text that makes no suite is an error. Of a product the combinations that make
 * none are left out, as long as every part is known and some suite is left.
 */
#include <stdio.h>
#include <string.h>

#include "testbed/plan_read.h"

#define NAMES_MAX 128
#define PARTS_MAX 64 /* of one kind */

enum part { PART_VERSION, PART_CIPHER, PART_GROUP, PART_CREDENTIAL, PARTS };

struct product {
	const struct yaml_node *list[PARTS];
};

#define PART(NAME, INDEX)                                                          \
	{                                                                          \
		.name = (NAME), .kind = YAML_TEXT, .list = true, .required = true, \
		.offset = offsetof(struct product, list[INDEX])                    \
	}

static const struct yaml_key product_keys[] = {
	PART("versions", PART_VERSION),
	PART("ciphers", PART_CIPHER),
	PART("groups", PART_GROUP),
	PART("credentials", PART_CREDENTIAL),
	{ 0 },
};

/* --- names ---------------------------------------------------------------- */

static void all_names(enum part part, const char *names[NAMES_MAX])
{
	int n = 0;

	if (part == PART_VERSION)
		for (int v = TLS_NONE + 1; v < TLS_VERSIONS; v++)
			names[n++] = tls_version_name[v];
	else if (part == PART_CIPHER)
		for (const struct cipher *c = ciphers; c->id && n < NAMES_MAX - 1; c++)
			names[n++] = c->name;
	else if (part == PART_GROUP)
		for (const struct group *g = groups; g->name && n < NAMES_MAX - 1; g++)
			names[n++] = g->name;
	else
		for (const struct credential_kind *k = credential_kinds;
		     k->name && n < NAMES_MAX - 1; k++)
			names[n++] = k->name;
	names[n] = NULL;
}

static bool version_known(const char *text)
{
	for (int v = TLS_NONE + 1; v < TLS_VERSIONS; v++)
		if (!strcmp(tls_version_name[v], text))
			return true;
	return false;
}

static bool part_known(enum part part, const char *text)
{
	switch (part) {
	case PART_VERSION:
		return version_known(text);
	case PART_CIPHER:
		return cipher_by_name(text);
	case PART_GROUP:
		return group_by_name(text);
	default:
		return credential_kind_by_name(text);
	}
}

static int check_distinct(struct yaml *y, const struct yaml_node *list)
{
	const struct yaml_node *n, *other;

	if (list->children > PARTS_MAX)
		return yaml_error(y, list, "more than %d values in a list", PARTS_MAX);
	for (n = yaml_first(list); n; n = yaml_next(list, n))
		for (other = yaml_first(list); other != n; other = other->next)
			if (!strcmp(other->text, n->text))
				return yaml_error(y, n, "%s is in this list already, at %d:%d",
						  n->text, other->line, other->column);
	return 0;
}

static int check_parts(struct yaml *y, const struct product *product)
{
	static const char *const what[PARTS] = { "version", "cipher", "group", "credential" };
	int status = 0;

	for (int part = 0; part < PARTS; part++) {
		const struct yaml_node *list = product->list[part], *n;
		const char *names[NAMES_MAX];

		if (!list)
			continue;
		if (check_distinct(y, list))
			status = -1;
		all_names((enum part)part, names);
		for (n = yaml_first(list); n; n = yaml_next(list, n))
			if (!part_known((enum part)part, n->text))
				status = yaml_unknown(y, n, what[part], n->text, names);
	}
	return status;
}

/* --- suites --------------------------------------------------------------- */

static int add_suite(struct axis *a, struct yaml *y, const struct yaml_node *at,
		     const struct suite *suite)
{
	struct choice c = { .at = at, .suite = *suite };

	suite_format(suite, c.text);
	return axis_add(a, y, &c);
}

static int add_text(struct axis *a, struct yaml *y, const struct yaml_node *n)
{
	struct fail f = { 0 };
	struct suite suite;

	if (n->broken)
		return -1;
	if (n->shape != YAML_SCALAR || !*n->text)
		return yaml_error(y, n,
				  "suites: expected a suite such as "
				  "tls1.3:AES128-GCM-SHA256:x25519:p256, found %s",
				  yaml_shape_text(n));
	if (suite_parse(n->text, &suite, &f))
		return yaml_error(y, n, "%s", f.text);
	return add_suite(a, y, n, &suite);
}

/* The combination of four parts, where it makes a suite. at: its cipher, for messages. */
static int add_combination(struct axis *a, struct yaml *y,
			   const struct yaml_node *const part[PARTS])
{
	char text[SUITE_TEXT_BYTES];
	struct fail f = { 0 };
	struct suite suite;
	int len = snprintf(text, sizeof(text), "%s:%s:%s:%s", part[PART_VERSION]->text,
			   part[PART_CIPHER]->text, part[PART_GROUP]->text,
			   part[PART_CREDENTIAL]->text);

	if (len >= (int)sizeof(text) || suite_parse(text, &suite, &f))
		return 0;
	return add_suite(a, y, part[PART_CIPHER], &suite);
}

static int multiply(struct axis *a, struct yaml *y, const struct product *product, int depth,
		    const struct yaml_node *part[PARTS])
{
	const struct yaml_node *list, *n;
	int status = 0;

	if (depth == PARTS)
		return add_combination(a, y, part);
	list = product->list[depth];
	for (n = yaml_first(list); n && !yaml_gave_up(y); n = yaml_next(list, n)) {
		part[depth] = n;
		if (multiply(a, y, product, depth + 1, part))
			status = -1;
	}
	return status;
}

static int read_product(struct axis *a, struct yaml *y, const struct yaml_node *map)
{
	const struct yaml_node *part[PARTS];
	struct product product = { 0 };

	if (yaml_check(y, map, product_keys, &product) || check_parts(y, &product) ||
	    multiply(a, y, &product, 0, part))
		return -1;
	if (!a->count)
		return yaml_error(y, map->key,
				  "no combination of these parts makes a suite; "
				  "`cipherwatt suites` lists those that exist");
	return 0;
}

/* --- a class of equal strength -------------------------------------------- */

struct class
{
	const struct yaml_node *strength;
	const struct yaml_node *list[PARTS]; /* NULL: the usual ones */
};

#define CLASS_PART(NAME, INDEX)                                  \
	{                                                        \
		.name = (NAME), .kind = YAML_TEXT, .list = true, \
		.offset = offsetof(struct class, list[INDEX])    \
	}

static const struct yaml_key class_keys[] = {
	{ .name = "strength",
	  .kind = YAML_INTEGER,
	  .list = true,
	  .required = true,
	  .min = 80,
	  .max = 256,
	  .offset = offsetof(struct class, strength) },
	CLASS_PART("versions", PART_VERSION),
	CLASS_PART("ciphers", PART_CIPHER),
	CLASS_PART("groups", PART_GROUP),
	CLASS_PART("credentials", PART_CREDENTIAL),
	{ 0 },
};

struct class_walk {
	const struct class *class;
	const struct yaml_node *strength;
	struct axis *axis;
	struct yaml *yaml;
};

static bool part_is(enum part part, const char *text, const struct suite *s)
{
	switch (part) {
	case PART_VERSION:
		return !strcmp(text, tls_version_name[s->version]);
	case PART_CIPHER:
		return cipher_by_name_in(s->version, text) == s->cipher;
	case PART_GROUP:
		return group_by_name(text) == s->group;
	default:
		return credential_kind_by_name(text) == s->credential;
	}
}

/* What is compared where nothing is listed: RSA and the curves of NIST and RFC 7748. */
static bool part_is_usual(enum part part, const struct suite *s)
{
	enum key_kind key = s->credential->key;

	switch (part) {
	case PART_VERSION:
		return !tls_version_is_datagram(s->version);
	case PART_CIPHER:
		return s->cipher->status == STATUS_RECOMMENDED;
	case PART_GROUP:
		return s->group->kind == GROUP_EC && !strstr(s->group->name, "brainpool");
	default:
		return key == KEY_RSA || key == KEY_EC || key == KEY_ED25519 || key == KEY_ED448;
	}
}

static bool part_fits(enum part part, const struct yaml_node *list, const struct suite *s)
{
	if (!list)
		return part_is_usual(part, s);
	for (const struct yaml_node *n = yaml_first(list); n; n = yaml_next(list, n))
		if (part_is(part, n->text, s))
			return true;
	return false;
}

static int visit_class(const struct suite *s, void *data)
{
	const struct class_walk *w = data;

	if (suite_is_plain(s) || !suite_is_even(s, (int)w->strength->value))
		return 0;
	for (int part = 0; part < PARTS; part++)
		if (!part_fits((enum part)part, w->class->list[part], s))
			return 0;
	return add_suite(w->axis, w->yaml, w->strength, s);
}

static int read_one_class(struct axis *a, struct yaml *y, const struct class *class,
			  const struct yaml_node *strength)
{
	struct class_walk walk = { class, strength, a, y };
	int before = a->count;

	if (strength->value != 80 && strength->value != 112 && strength->value != 128 &&
	    strength->value != 192 && strength->value != 256)
		return yaml_error(
			y, strength,
			"strength: the classes are 80, 112, 128, 192 and 256 bits, not %s",
			strength->text);
	if (suite_each(visit_class, &walk))
		return -1;
	if (a->count == before)
		return yaml_error(y, strength,
				  "no combination of these parts makes an even suite of %s bits",
				  strength->text);
	return 0;
}

static int read_class(struct axis *a, struct yaml *y, const struct yaml_node *map)
{
	const struct yaml_node *n;
	struct class class = { 0 };
	int status = 0;

	if (yaml_check(y, map, class_keys, &class) ||
	    check_parts(y, &(struct product){ { class.list[0], class.list[1], class.list[2],
						class.list[3] } }) ||
	    check_distinct(y, class.strength))
		return -1;
	for (n = yaml_first(class.strength); n; n = yaml_next(class.strength, n))
		if (read_one_class(a, y, &class, n))
			status = -1;
	return status;
}

int axis_read_suites(struct axis *a, struct yaml *y, const struct yaml_node *list)
{
	const struct yaml_node *n;
	int status = 0;

	if (list->shape == YAML_MAP)
		return yaml_find(list, "strength") ? read_class(a, y, list)
						   : read_product(a, y, list);
	if (list->shape == YAML_LIST && !list->child)
		return yaml_error(y, list,
				  "suites: the list is empty; expected at least one value");
	for (n = yaml_first(list); n; n = yaml_next(list, n))
		if (add_text(a, y, n))
			status = -1;
	return status;
}
