/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_decide - what a compiled policy says to a request. It must not know files, users or
 * clocks.
 */
#include <stdio.h>
#include <string.h>

#include "workloads/access_compiled.h"

/* XACML 3.0 section 7.10: in doubt a rule may have said permit, deny, or either. */
enum verdict { NOTHING, PERMIT, DENY, DOUBT_PERMIT, DOUBT_DENY, DOUBT_EITHER };

struct result {
	enum verdict verdict;
	int rule; /* that brought it; of NOTHING: none */
};

struct asking {
	const struct access_policy *policy;
	const struct access_request *request;
	int64_t now_ms;
	int symbol[ATTRIBUTES_INDEXED];
};

static struct result ask(const struct asking *k, int node);

/* --- targets -------------------------------------------------------------------- */

static enum truth list_holds(const struct access_policy *p, const struct match *m, const char *text)
{
	if (!*text)
		return UNKNOWN;
	for (int i = 0; i < m->texts.count; i++)
		if (strcmp(policy_text(p, m->texts.first + i), text) == 0)
			return YES;
	return NO;
}

/* Areas and roles are the index's. */
static enum truth target_holds(const struct asking *k, const struct node *n)
{
	const struct match *m = (const struct match *)k->policy->matches.item + n->matches.first;
	enum truth all = YES;

	for (int i = 0; i < n->matches.count; i++) {
		const char *text = (const char *)k->request + m[i].of->offset;
		enum truth one = list_holds(k->policy, &m[i], text);

		if (one == NO)
			return NO;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return all;
}

/* --- rules ---------------------------------------------------------------------- */

static struct result ask_rule(const struct asking *k, int i)
{
	const struct node *n = policy_node(k->policy, i);
	enum truth target = target_holds(k, n), conditions;

	if (target == NO || !access_when_holds(k->policy, &n->when, k->now_ms))
		return (struct result){ NOTHING, -1 };
	conditions = access_conditions_hold(k->policy, &n->clauses, k->request);
	if (conditions == NO)
		return (struct result){ NOTHING, -1 };
	if (target == UNKNOWN || conditions == UNKNOWN)
		return (struct result){ n->permits ? DOUBT_PERMIT : DOUBT_DENY, i };
	return (struct result){ n->permits ? PERMIT : DENY, i };
}

/* --- combination ---------------------------------------------------------------- */

/* What has been heard of an overriding combination. */
struct heard {
	struct result first[DOUBT_EITHER + 1]; /* of each verdict */
};

static void hear(struct heard *h, struct result r)
{
	if (h->first[r.verdict].verdict == NOTHING)
		h->first[r.verdict] = r;
}

static bool was_heard(const struct heard *h, enum verdict v)
{
	return h->first[v].verdict != NOTHING;
}

/*
 * XACML 3.0 appendix C.2 and C.4. strong overrides; weak is the other. In doubt alone, strong
 * and weak may still come out either way.
 */
static struct result weigh(const struct heard *h, enum verdict strong, enum verdict weak)
{
	enum verdict doubt_strong = strong == DENY ? DOUBT_DENY : DOUBT_PERMIT;
	enum verdict doubt_weak = weak == DENY ? DOUBT_DENY : DOUBT_PERMIT;
	struct result r = h->first[doubt_strong];

	if (was_heard(h, strong))
		return h->first[strong];
	if (was_heard(h, DOUBT_EITHER))
		return h->first[DOUBT_EITHER];
	if (was_heard(h, doubt_strong)) {
		if (was_heard(h, weak) || was_heard(h, doubt_weak))
			r.verdict = DOUBT_EITHER;
		return r;
	}
	if (was_heard(h, weak))
		return h->first[weak];
	return h->first[doubt_weak];
}

/* --- children ------------------------------------------------------------------- */

/* The children that may apply, in the order of the file, out of up to four sorted lists. */
struct candidates {
	const int *at[4], *end[4];
	int lists;
};

static void find_candidates(const struct asking *k, int node, struct candidates *c)
{
	c->lists = 0;
	for (int pick = 0; pick < 4; pick++) {
		int area = pick & 1 ? k->symbol[ATTRIBUTE_AREA] : 0;
		int role = pick & 2 ? k->symbol[ATTRIBUTE_ROLE] : 0;
		struct span s;

		if ((pick & 1 && !area) || (pick & 2 && !role))
			continue;
		s = access_lookup(k->policy, node, area, role);
		if (!s.count)
			continue;
		c->at[c->lists] = k->policy->listed + s.first;
		c->end[c->lists++] = k->policy->listed + s.first + s.count;
	}
}

/* -1: no more. */
static int next_candidate(struct candidates *c)
{
	int least = -1, from = 0;

	for (int i = 0; i < c->lists; i++)
		if (c->at[i] < c->end[i] && (least < 0 || *c->at[i] < least)) {
			least = *c->at[i];
			from = i;
		}
	if (least >= 0)
		c->at[from]++;
	return least;
}

static struct result ask_first(const struct asking *k, struct candidates *c)
{
	struct result r = { NOTHING, -1 };

	for (int child; r.verdict == NOTHING && (child = next_candidate(c)) >= 0;)
		r = ask(k, child);
	return r;
}

static struct result ask_all(const struct asking *k, struct candidates *c, enum verdict strong,
			     enum verdict weak)
{
	struct heard h = { 0 };

	for (int child; !was_heard(&h, strong) && (child = next_candidate(c)) >= 0;)
		hear(&h, ask(k, child));
	return weigh(&h, strong, weak);
}

static struct result ask_children(const struct asking *k, int node)
{
	struct candidates c;

	find_candidates(k, node, &c);
	switch (policy_node(k->policy, node)->combine) {
	case DENY_OVERRIDES:
		return ask_all(k, &c, DENY, PERMIT);
	case PERMIT_OVERRIDES:
		return ask_all(k, &c, PERMIT, DENY);
	default:
		return ask_first(k, &c);
	}
}

static struct result ask(const struct asking *k, int node)
{
	const struct node *n = policy_node(k->policy, node);
	enum truth target;
	struct result r;

	if (n->is_rule)
		return ask_rule(k, node);
	target = target_holds(k, n);
	if (target == NO)
		return (struct result){ NOTHING, -1 };
	r = ask_children(k, node);
	/* XACML 3.0 table 7: whether it applies at all is in doubt. */
	if (target == UNKNOWN && r.verdict == PERMIT)
		r.verdict = DOUBT_PERMIT;
	else if (target == UNKNOWN && r.verdict == DENY)
		r.verdict = DOUBT_DENY;
	return r;
}

/* --- the answer ----------------------------------------------------------------- */

static bool names(const struct access_policy *p, const struct span *texts, const char *text)
{
	for (int i = 0; i < texts->count; i++)
		if (strcmp(policy_text(p, texts->first + i), text) == 0)
			return true;
	return texts->count == 0;
}

/* The top is nobody's child, so no index has looked at its areas and roles. */
static bool top_applies(const struct asking *k)
{
	const struct node *n = policy_node(k->policy, 0);

	return names(k->policy, &n->indexed[ATTRIBUTE_AREA], k->request->point.area) &&
	       names(k->policy, &n->indexed[ATTRIBUTE_ROLE], k->request->user.role);
}

static void add_obligations(const struct access_policy *p, int rule, bool permits,
			    struct access_list *list)
{
	for (const struct node *n = policy_node(p, rule);; n = policy_node(p, n->parent)) {
		const struct span *texts = permits ? &n->on_permit : &n->on_deny;

		for (int i = 0; i < texts->count; i++)
			snprintf(list->text[list->count++], ACCESS_WORD_BYTES, "%s",
				 policy_text(p, texts->first + i));
		if (n->parent < 0)
			return;
	}
}

void access_policy_decide(const struct access_policy *p, const struct access_request *q,
			  int64_t now_ms, struct access_answer *a)
{
	struct asking k = { .policy = p, .request = q, .now_ms = now_ms };
	struct result r = { NOTHING, -1 };
	const struct node *rule;

	k.symbol[ATTRIBUTE_AREA] = access_symbol(p, q->point.area);
	k.symbol[ATTRIBUTE_ROLE] = access_symbol(p, q->user.role);
	if (top_applies(&k))
		r = ask(&k, 0);
	a->obligations.count = 0;
	a->rule[0] = '\0';
	a->outcome = ACCESS_NOT_APPLICABLE;
	a->reason = ACCESS_NO_RULE;
	if (r.verdict == NOTHING)
		return;
	a->outcome = r.verdict == PERMIT ? ACCESS_PERMIT : ACCESS_DENY;
	a->reason = r.verdict > DENY ? ACCESS_IN_DOUBT : ACCESS_BY_RULE;
	rule = policy_node(p, r.rule);
	snprintf(a->rule, sizeof a->rule, "%s/%s", policy_node(p, rule->parent)->name, rule->name);
	if (a->reason == ACCESS_BY_RULE)
		add_obligations(p, r.rule, r.verdict == PERMIT, &a->obligations);
}
