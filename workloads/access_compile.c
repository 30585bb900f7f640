/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_compile - a policy file into the arrays of access_compiled.h. All errors of a file
 * are found at once, each with its line and column.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/access_compiled.h"

static const char *const combine_names[] = { [DENY_OVERRIDES] = "deny-overrides",
					     [PERMIT_OVERRIDES] = "permit-overrides",
					     [FIRST_APPLICABLE] = "first-applicable",
					     NULL };
static const char *const effects[] = { "permit", "deny", NULL };

/* --- tables --------------------------------------------------------------------- */

struct node_texts {
	char name[ACCESS_NAME_BYTES], combine[24], effect[8], utc_offset[8];
	const struct yaml_node *target, *when, *conditions, *obligations, *on_permit, *on_deny,
		*policies, *rules;
};

#define AT(FIELD)                                     \
	.offset = offsetof(struct node_texts, FIELD), \
	.size = sizeof(((struct node_texts *)0)->FIELD)
#define OF_POLICIES                                                                          \
	{ "combine", YAML_CHOICE, AT(combine), .choices = combine_names, .required = true }, \
		{ "target", YAML_NODE, AT(target) },                                         \
		{ "on_permit", YAML_TEXT, AT(on_permit), .list = true },                     \
		{ "on_deny", YAML_TEXT, AT(on_deny), .list = true },                         \
		{ "policies", YAML_NODE, AT(policies) },                                     \
	{                                                                                    \
		"rules", YAML_NODE, AT(rules)                                                \
	}

static const struct yaml_key top_keys[] = {
	{ "policy", YAML_TEXT, AT(name), .required = true },
	{ "utc_offset", YAML_TEXT, AT(utc_offset) },
	OF_POLICIES,
	{ 0 },
};

static const struct yaml_key policy_keys[] = {
	{ "name", YAML_TEXT, AT(name), .required = true },
	OF_POLICIES,
	{ 0 },
};

static const struct yaml_key rule_keys[] = {
	{ "name", YAML_TEXT, AT(name), .required = true },
	{ "effect", YAML_CHOICE, AT(effect), .choices = effects, .required = true },
	{ "target", YAML_NODE, AT(target) },
	{ "when", YAML_NODE, AT(when) },
	{ "conditions", YAML_TEXT, AT(conditions), .list = true },
	{ "obligations", YAML_TEXT, AT(obligations), .list = true },
	{ 0 },
};

/* --- arrays --------------------------------------------------------------------- */

int array_add(struct array *a, const void *item, size_t size)
{
	if (a->count == a->room) {
		int room = a->room ? 2 * a->room : 16;
		void *grown = realloc(a->item, (size_t)room * size);

		if (!grown) {
			a->failed = true;
			return -1;
		}
		a->item = grown;
		a->room = room;
	}
	memcpy((char *)a->item + (size_t)a->count * size, item, size);
	return a->count++;
}

static struct node *node_at(struct access_policy *p, int i)
{
	return (struct node *)p->nodes.item + i;
}

/* --- lists of texts --------------------------------------------------------------- */

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			return false;
	return true;
}

static struct span read_texts(struct access_policy *p, const struct yaml_node *list)
{
	struct span texts = { .first = p->texts.count };

	for (const struct yaml_node *t = yaml_first(list); t; t = yaml_next(list, t)) {
		if (strlen(t->text) >= ACCESS_NAME_BYTES || !is_printable(t->text))
			yaml_error(&p->yaml, t,
				   "\"%.40s\" cannot be asked for: expected printable ASCII of at "
				   "most %d bytes",
				   t->text, ACCESS_NAME_BYTES - 1);
		array_add(&p->texts, &t->text, sizeof t->text);
	}
	texts.count = p->texts.count - texts.first;
	return texts;
}

/* What a decision may carry has a bound: a rule's own and those of what it lies in. */
static void check_obligations(struct access_policy *p, const struct node *n)
{
	int permit = 0, deny = 0;

	for (const struct node *up = n;; up = policy_node(p, up->parent)) {
		permit += up->on_permit.count;
		deny += up->on_deny.count;
		if (up->parent < 0)
			break;
	}
	if (permit > ACCESS_LIST_MAX || deny > ACCESS_LIST_MAX)
		yaml_error(&p->yaml, n->at, "more than %d obligations come together here",
			   ACCESS_LIST_MAX);
}

/* --- targets -------------------------------------------------------------------- */

struct target_lists {
	const struct yaml_node *list[16];
};

static void target_keys(enum access_model m, struct yaml_key *keys)
{
	for (int i = 0; access_attributes[i].name; i++)
		if (access_attributes[i].target && (m == ACCESS_ABAC || access_attributes[i].rbac))
			*keys++ = (struct yaml_key){
				.name = access_attributes[i].target,
				.kind = YAML_TEXT,
				.offset = offsetof(struct target_lists, list) +
					  (size_t)i * sizeof(struct yaml_node *),
				.list = true,
			};
	*keys = (struct yaml_key){ 0 };
}

static void read_target(struct access_policy *p, const struct yaml_node *at, struct node *n)
{
	struct target_lists t = { 0 };
	struct yaml_key keys[17];

	n->matches.first = p->matches.count;
	target_keys(p->model, keys);
	if (!at || yaml_check(&p->yaml, at, keys, &t) != 0)
		return;
	for (int i = 0; access_attributes[i].name; i++) {
		struct match m = { .of = &access_attributes[i] };

		if (!t.list[i])
			continue;
		m.texts = read_texts(p, t.list[i]);
		if (i < ATTRIBUTES_INDEXED)
			n->indexed[i] = m.texts;
		else
			array_add(&p->matches, &m, sizeof m);
	}
	n->matches.count = p->matches.count - n->matches.first;
}

/* --- nodes ---------------------------------------------------------------------- */

/* Room for all children side by side, before any of their own. */
static void add_children(struct access_policy *p, const struct yaml_node *list, int parent,
			 bool are_rules)
{
	int first = p->nodes.count;

	for (const struct yaml_node *at = list->child; at; at = at->next) {
		struct node n = { .at = at, .parent = parent, .is_rule = are_rules };

		array_add(&p->nodes, &n, sizeof n);
	}
	node_at(p, parent)->children = (struct span){ first, p->nodes.count - first };
}

static void check_name(struct access_policy *p, int i, const struct yaml_node *at)
{
	struct node *n = node_at(p, i);

	if (!is_printable(n->name) || strpbrk(n->name, "/ "))
		yaml_error(&p->yaml, at,
			   "\"%.40s\" is no name: expected ASCII without blanks and /", n->name);
	for (int before = n->parent < 0 ? i : policy_node(p, n->parent)->children.first; before < i;
	     before++)
		if (policy_node(p, before)->name &&
		    strcmp(policy_node(p, before)->name, n->name) == 0)
			yaml_error(&p->yaml, at, "the name \"%s\" is given twice, first on line %d",
				   n->name, policy_node(p, before)->at->line);
}

static void name_node(struct access_policy *p, int i, const char *key)
{
	const struct yaml_node *at = yaml_find(node_at(p, i)->at, key);

	if (!at || at->shape != YAML_SCALAR)
		return;
	node_at(p, i)->name = at->text;
	check_name(p, i, at);
}

static void read_children(struct access_policy *p, int i, const struct node_texts *t)
{
	const struct yaml_node *at = node_at(p, i)->at, *list = t->rules ? t->rules : t->policies;

	if (!t->rules == !t->policies)
		yaml_error(&p->yaml, at, "expected either \"policies\" or \"rules\"");
	else if (list->shape != YAML_LIST || !list->child)
		yaml_error(&p->yaml, list, "expected a list, found %s",
			   list->shape == YAML_LIST ? "an empty one" : yaml_shape_text(list));
	else
		add_children(p, list, i, t->rules);
}

static void refuse_attributes(struct access_policy *p, const struct node_texts *t)
{
	const struct yaml_node *both[] = { t->when, t->conditions };

	for (int i = 0; i < 2; i++)
		if (both[i] && p->model == ACCESS_RBAC)
			yaml_error(&p->yaml, both[i]->key ? both[i]->key : both[i],
				   "a role-based policy knows areas and roles only");
}

static void read_rule(struct access_policy *p, int i)
{
	struct node *n = node_at(p, i);
	struct node_texts t = { 0 };

	p->rules++;
	if (yaml_check(&p->yaml, n->at, rule_keys, &t) != 0)
		return;
	name_node(p, i, "name");
	refuse_attributes(p, &t);
	n->permits = strcmp(t.effect, "permit") == 0;
	read_target(p, t.target, n);
	access_read_when(p, t.when, &n->when);
	access_read_conditions(p, t.conditions, &n->clauses);
	*(n->permits ? &n->on_permit : &n->on_deny) = read_texts(p, t.obligations);
	check_obligations(p, n);
}

static void read_policy(struct access_policy *p, int i)
{
	struct node *n = node_at(p, i);
	struct node_texts t = { 0 };

	if (yaml_check(&p->yaml, n->at, i ? policy_keys : top_keys, &t) != 0)
		return;
	name_node(p, i, i ? "name" : "policy");
	while (strcmp(combine_names[n->combine], t.combine) != 0)
		n->combine++;
	if (i == 0)
		access_read_offset(p, yaml_find(n->at, "utc_offset"));
	read_target(p, t.target, n);
	n->on_permit = read_texts(p, t.on_permit);
	n->on_deny = read_texts(p, t.on_deny);
	check_obligations(p, n);
	read_children(p, i, &t);
}

static void read_nodes(struct access_policy *p)
{
	struct node top = { .at = p->yaml.root, .parent = -1 };

	array_add(&p->nodes, &top, sizeof top);
	for (int i = 0; i < p->nodes.count && !yaml_gave_up(&p->yaml); i++)
		if (policy_node(p, i)->is_rule)
			read_rule(p, i);
		else
			read_policy(p, i);
}

/* --- the whole -------------------------------------------------------------------- */

static int fail_of_file(struct access_policy *p, struct buf *report, struct fail *f)
{
	struct buf own = { 0 }, *out = report ? report : &own;
	size_t begin = out->len;

	yaml_report(&p->yaml, out);
	fail_set(f, EINVAL, "%.*s", (int)strcspn(buf_text(out) + begin, "\n"),
		 buf_text(out) + begin);
	buf_release(&own);
	return -1;
}

static bool without_memory(const struct access_policy *p)
{
	return p->nodes.failed || p->texts.failed || p->matches.failed || p->hours.failed ||
	       p->clauses.failed || p->comparisons.failed;
}

static int compile(struct access_policy *p, int opened, struct buf *report, struct fail *f)
{
	if (opened == 0)
		read_nodes(p);
	if (p->yaml.errors)
		return fail_of_file(p, report, f);
	if (without_memory(p))
		return fail_set(f, ENOMEM, "no memory for the policy");
	return access_index(p, f);
}

static struct access_policy *finish(struct access_policy *p, int opened, struct buf *report,
				    struct fail *f)
{
	if (compile(p, opened, report, f) == 0)
		return p;
	access_policy_close(p);
	return NULL;
}

struct access_policy *access_policy_open_text(const char *name, const char *text,
					      enum access_model m, struct buf *report,
					      struct fail *f)
{
	struct access_policy *p = calloc(1, sizeof *p);

	if (!p) {
		fail_set(f, ENOMEM, "no memory for the policy");
		return NULL;
	}
	p->model = m;
	return finish(p, yaml_open_text(&p->yaml, name, text), report, f);
}

struct access_policy *access_policy_open(const char *file, enum access_model m, struct buf *report,
					 struct fail *f)
{
	struct access_policy *p;

	if (!file)
		return access_policy_open_text(
			"built-in policy",
			m == ACCESS_RBAC ? access_policy_rbac : access_policy_abac, m, report, f);
	p = calloc(1, sizeof *p);
	if (!p) {
		fail_set(f, ENOMEM, "no memory for the policy");
		return NULL;
	}
	p->model = m;
	return finish(p, yaml_open(&p->yaml, file), report, f);
}

void access_policy_close(struct access_policy *p)
{
	if (!p)
		return;
	yaml_close(&p->yaml);
	free(p->nodes.item);
	free(p->texts.item);
	free(p->matches.item);
	free(p->hours.item);
	free(p->clauses.item);
	free(p->comparisons.item);
	free(p->symbols);
	free(p->buckets);
	free(p->listed);
	free(p);
}

int access_policy_rules(const struct access_policy *p)
{
	return p->rules;
}
