/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_condition - "user.clearance >= point.security or ...": read into comparisons, and
 * asked in three values, for an attribute may be absent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "workloads/access_compiled.h"

#define NAMES_MAX  32
#define WORD_BYTES 64

#define ROW(NAME, TARGET, KIND, FIELD)                           \
	{                                                        \
		.name = NAME, .target = TARGET, .kind = KIND,    \
		.offset = offsetof(struct access_request, FIELD) \
	}

const struct access_attribute access_attributes[] = {
	{ "point.area", "areas", FIELD_TEXT, offsetof(struct access_request, point.area), true },
	{ "user.role", "roles", FIELD_TEXT, offsetof(struct access_request, user.role), true },
	ROW("user.id", "users", FIELD_TEXT, user.id),
	ROW("user.department", "departments", FIELD_TEXT, user.department),
	ROW("user.employment", "employments", FIELD_TEXT, user.employment),
	ROW("user.clearance", NULL, FIELD_INTEGER, user.clearance),
	ROW("point.id", "points", FIELD_TEXT, point.id),
	ROW("point.building", "buildings", FIELD_TEXT, point.building),
	ROW("point.kind", "kinds", FIELD_TEXT, point.kind),
	ROW("point.floor", NULL, FIELD_INTEGER, point.floor),
	ROW("point.security", NULL, FIELD_INTEGER, point.security),
	ROW("environment.direction", "directions", FIELD_TEXT, environment.direction),
	ROW("environment.emergency", NULL, FIELD_BOOL, environment.emergency),
	ROW("environment.occupancy", NULL, FIELD_INTEGER, environment.occupancy),
	ROW("environment.temperature", NULL, FIELD_INTEGER, environment.temperature_c),
	{ 0 },
};

static const char *const operators[] = {
	[IS] = "==",  [IS_NOT] = "!=",       [LESS] = "<", [LESS_OR_SAME] = "<=",
	[MORE] = ">", [MORE_OR_SAME] = ">=", NULL,
};

/* --- reading -------------------------------------------------------------------- */

struct words {
	struct access_policy *p;
	const struct yaml_node *at;
	const char *next;
	char word[WORD_BYTES];
	const char *from; /* of the word, in at->text */
};

static bool next_word(struct words *w)
{
	size_t len;

	w->from = w->next + strspn(w->next, " ");
	len = strcspn(w->from, " ");
	w->next = w->from + len;
	snprintf(w->word, sizeof w->word, "%.*s", (int)len, w->from);
	return len > 0;
}

/* At the word itself, as long as the condition stands on its line as it is. */
static int complain(struct words *w, const char *expected)
{
	int column = w->at->column + (int)(w->from - w->at->text);

	return yaml_note(&w->p->yaml, w->at->line, column, "\"%.40s\": expected %s", w->word,
			 expected);
}

static const struct access_attribute *attribute(const char *name)
{
	for (const struct access_attribute *a = access_attributes; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

static int unknown_attribute(struct words *w)
{
	const char *names[NAMES_MAX] = { 0 };
	struct yaml_node place = *w->at;

	for (int i = 0; access_attributes[i].name && i < NAMES_MAX - 1; i++)
		names[i] = access_attributes[i].name;
	place.column += (int)(w->from - w->at->text);
	return yaml_unknown(&w->p->yaml, &place, "attribute", w->word, names);
}

static bool looks_like_attribute(const char *word)
{
	return strncmp(word, "user.", 5) == 0 || strncmp(word, "point.", 6) == 0 ||
	       strncmp(word, "environment.", 12) == 0;
}

static int read_constant(struct words *w, struct comparison *c)
{
	struct fail f = { 0 };

	if (c->left->kind == FIELD_INTEGER) {
		if (units_integer(w->word, INT64_MIN + 1, INT64_MAX, &c->number, &f) == 0)
			return 0;
		return complain(w, "a whole number or an attribute that is one");
	}
	if (c->left->kind == FIELD_BOOL) {
		c->number = strcmp(w->word, "true") == 0;
		return c->number || strcmp(w->word, "false") == 0 ? 0
								  : complain(w, "true or false");
	}
	if (strlen(w->word) >= sizeof c->text)
		return complain(w, "a word of at most 31 bytes");
	memcpy(c->text, w->word, strlen(w->word) + 1);
	return 0;
}

static int read_right(struct words *w, struct comparison *c)
{
	if (!next_word(w))
		return complain(w, "a value or an attribute at the end");
	if (!looks_like_attribute(w->word))
		return read_constant(w, c);
	c->right = attribute(w->word);
	if (!c->right)
		return unknown_attribute(w);
	return c->right->kind == c->left->kind ? 0 : complain(w, "an attribute of the same kind");
}

static int read_comparison(struct words *w, struct comparison *c)
{
	int op = 0;

	*c = (struct comparison){ 0 };
	if (!next_word(w))
		return complain(w, "an attribute such as user.clearance");
	c->left = attribute(w->word);
	if (!c->left)
		return unknown_attribute(w);
	next_word(w);
	while (operators[op] && strcmp(operators[op], w->word) != 0)
		op++;
	if (!operators[op])
		return complain(w, "==, !=, <, <=, > or >=");
	c->op = (enum operator)op;
	if (c->left->kind != FIELD_INTEGER && c->op > IS_NOT)
		return complain(w, "== or !=: only numbers have an order");
	return read_right(w, c);
}

static int read_clause(struct access_policy *p, const struct yaml_node *at)
{
	struct words w = { .p = p, .at = at, .next = at->text };
	struct span clause = { .first = p->comparisons.count };
	struct comparison c;

	do {
		if (read_comparison(&w, &c) != 0)
			return -1;
		array_add(&p->comparisons, &c, sizeof c);
	} while (next_word(&w) && strcmp(w.word, "or") == 0);
	if (*w.word)
		return complain(&w, "\"or\" or the end");
	clause.count = p->comparisons.count - clause.first;
	return array_add(&p->clauses, &clause, sizeof clause);
}

void access_read_conditions(struct access_policy *p, const struct yaml_node *at,
			    struct span *clauses)
{
	clauses->first = p->clauses.count;
	for (const struct yaml_node *c = yaml_first(at); c; c = yaml_next(at, c))
		read_clause(p, c);
	clauses->count = p->clauses.count - clauses->first;
}

/* --- asking --------------------------------------------------------------------- */

/* The number of an integer or bool; false: the request has none. */
static bool number_of(const struct access_attribute *a, const struct access_request *q,
		      int64_t *number)
{
	const char *at = (const char *)q + a->offset;

	if (a->kind == FIELD_BOOL)
		*number = *(const int8_t *)at;
	else
		memcpy(number, at, sizeof *number);
	return a->kind == FIELD_BOOL ? *number >= 0 : *number != FIELD_ABSENT;
}

static bool ordered(enum operator op, int order)
{
	switch (op) {
	case IS:
		return order == 0;
	case IS_NOT:
		return order != 0;
	case LESS:
		return order < 0;
	case LESS_OR_SAME:
		return order <= 0;
	case MORE:
		return order > 0;
	case MORE_OR_SAME:
		return order >= 0;
	}
	return false;
}

static enum truth texts_hold(const struct comparison *c, const struct access_request *q)
{
	const char *left = (const char *)q + c->left->offset;
	const char *right = c->right ? (const char *)q + c->right->offset : c->text;

	if (!*left || !*right)
		return UNKNOWN;
	return ordered(c->op, strcmp(left, right)) ? YES : NO;
}

static enum truth comparison_holds(const struct comparison *c, const struct access_request *q)
{
	int64_t left, right = c->number;

	if (c->left->kind == FIELD_TEXT)
		return texts_hold(c, q);
	if (!number_of(c->left, q, &left) || (c->right && !number_of(c->right, q, &right)))
		return UNKNOWN;
	return ordered(c->op, (left > right) - (left < right)) ? YES : NO;
}

static enum truth clause_holds(const struct access_policy *p, const struct span *clause,
			       const struct access_request *q)
{
	const struct comparison *c = (const struct comparison *)p->comparisons.item + clause->first;
	enum truth all = NO;

	for (int i = 0; i < clause->count; i++) {
		enum truth one = comparison_holds(&c[i], q);

		if (one == YES)
			return YES;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return all;
}

enum truth access_conditions_hold(const struct access_policy *p, const struct span *clauses,
				  const struct access_request *q)
{
	const struct span *clause = (const struct span *)p->clauses.item + clauses->first;
	enum truth all = YES;

	for (int i = 0; i < clauses->count; i++) {
		enum truth one = clause_holds(p, &clause[i], q);

		if (one == NO)
			return NO;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return all;
}
