/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_naive_test - random policies, compiled and indexed, against a plain reading of the same
 * tree: every child one after the other, no index and no early end, combined by the text of
 * XACML 3.0 appendix C.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "workloads/access_policy.h"
#include "workloads/access_sample.h"

#define POLICIES  400
#define ASKED     60
#define NODES_MAX 400
#define WORDS     5
#define DEPTH     3

/* What random nodes are made of. A mask of 0 names nothing: any. */
struct plain {
	bool is_rule, permits;
	int combine; /* 0 deny-overrides, 1 permit-overrides, 2 first-applicable */
	unsigned areas, roles, directions;
	int clearance_min; /* -1: no condition */
	int occupancy_min; /* -1: no condition; its attribute may be absent */
	int parent, first, children;
};

struct tree {
	struct plain node[NODES_MAX];
	int count;
};

enum plain_verdict { NOT, P, D, I_P, I_D, I_DP };

struct plain_result {
	enum plain_verdict v;
	int rule;
};

static const char *const combines[] = { "deny-overrides", "permit-overrides", "first-applicable" };

/* --- growing a tree --------------------------------------------------------------- */

static unsigned mask(struct rng *r, int words)
{
	return rng_below(r, 2) ? 0 : (unsigned)rng_below(r, UINT64_C(1) << words);
}

static void grow(struct tree *t, struct rng *r, int i, int depth)
{
	bool rules = depth == DEPTH || rng_below(r, 2);
	int many = 1 + (int)rng_below(r, rules ? 8 : 4);

	if (t->count + many > NODES_MAX)
		many = NODES_MAX - t->count;
	rules |= t->count + many * 3 > NODES_MAX;
	t->node[i].first = t->count;
	t->node[i].children = many;
	t->count += many;
	for (int c = 0; c < many; c++) {
		int at = t->node[i].first + c;

		t->node[at] = (struct plain){
			.is_rule = rules,
			.permits = rng_below(r, 2),
			.combine = (int)rng_below(r, 3),
			.areas = mask(r, WORDS),
			.roles = mask(r, WORDS),
			.directions = rng_below(r, 4) ? 0 : mask(r, 2),
			.clearance_min = rules && rng_below(r, 3) == 0 ? (int)rng_below(r, 10) : -1,
			.occupancy_min = rules && rng_below(r, 4) == 0 ? (int)rng_below(r, 10) : -1,
			.parent = i,
		};
		if (!rules)
			grow(t, r, at, depth + 1);
	}
}

static void put_words(struct buf *out, const char *key, unsigned set)
{
	const char *before = "[";

	if (!set)
		return;
	buf_printf(out, "%s: ", key);
	for (int i = 0; i < WORDS; i++)
		if (set >> i & 1) {
			buf_printf(out, "%sw%d", before, i);
			before = ", ";
		}
	buf_puts(out, "], ");
}

static void put_target(struct buf *out, const struct plain *n)
{
	buf_puts(out, "target: {");
	put_words(out, "areas", n->areas);
	put_words(out, "roles", n->roles);
	if (n->directions)
		buf_printf(out, "directions: [%s%s]", n->directions & 1 ? "in, " : "",
			   n->directions & 2 ? "out" : "");
	buf_puts(out, "}");
}

static void put_rule(struct buf *out, const struct plain *n)
{
	buf_printf(out, ", effect: %s, ", n->permits ? "permit" : "deny");
	put_target(out, n);
	if (n->clearance_min < 0 && n->occupancy_min < 0)
		return;
	buf_puts(out, ", conditions: [");
	if (n->clearance_min >= 0)
		buf_printf(out, "user.clearance >= %d, ", n->clearance_min);
	if (n->occupancy_min >= 0)
		buf_printf(out, "environment.occupancy >= %d", n->occupancy_min);
	buf_puts(out, "]");
}

/* In flow style, which needs no indenting. */
static void put_node(struct buf *out, const struct tree *t, int i)
{
	const struct plain *n = &t->node[i];

	buf_printf(out, "{%s: n%d", i ? "name" : "policy", i);
	if (n->is_rule) {
		put_rule(out, n);
	} else {
		buf_printf(out, ", combine: %s, ", combines[n->combine]);
		put_target(out, n);
		buf_printf(out, ", %s: [", t->node[n->first].is_rule ? "rules" : "policies");
		for (int c = 0; c < n->children; c++) {
			put_node(out, t, n->first + c);
			buf_puts(out, ",\n");
		}
		buf_puts(out, "]");
	}
	buf_puts(out, "}");
}

/* --- asking it plainly -------------------------------------------------------------- */

static int word_of(const char *text)
{
	return text[0] == 'w' ? text[1] - '0' : -1;
}

static int in_mask(unsigned set, int word)
{
	return !set || (word >= 0 && (set >> word & 1));
}

/* 1, 0, or -1: in doubt. */
static int applies(const struct plain *n, const struct access_request *q)
{
	const char *direction = q->environment.direction;
	int at = strcmp(direction, "in") == 0 ? 0 : 1;

	if (!in_mask(n->areas, word_of(q->point.area)) || !in_mask(n->roles, word_of(q->user.role)))
		return 0;
	if (n->directions && !*direction)
		return -1;
	return in_mask(n->directions, at);
}

static struct plain_result plain_ask(const struct tree *t, int i, const struct access_request *q);

static struct plain_result plain_rule(const struct plain *n, int i, int target,
				      const struct access_request *q)
{
	const struct plain_result no = { NOT, -1 };
	bool doubt = target < 0;

	if (n->clearance_min >= 0 && q->user.clearance < n->clearance_min)
		return no;
	if (n->occupancy_min >= 0 && q->environment.occupancy == FIELD_ABSENT)
		doubt = true;
	else if (n->occupancy_min >= 0 && q->environment.occupancy < n->occupancy_min)
		return no;
	return (struct plain_result){ n->permits ? (doubt ? I_P : P) : (doubt ? I_D : D), i };
}

static struct plain_result first_of(const struct plain_result *all, int count, unsigned kinds)
{
	for (int i = 0; i < count; i++)
		if (kinds >> all[i].v & 1)
			return all[i];
	return (struct plain_result){ NOT, -1 };
}

static bool any(const struct plain_result *all, int count, unsigned kinds)
{
	return first_of(all, count, kinds).v != NOT;
}

static struct plain_result combine(int how, const struct plain_result *all, int count)
{
	enum plain_verdict strong = how == 0 ? D : P, weak = how == 0 ? P : D;
	enum plain_verdict doubt_strong = how == 0 ? I_D : I_P, doubt_weak = how == 0 ? I_P : I_D;
	struct plain_result r;

	if (how == 2)
		return first_of(all, count, ~1u);
	if (any(all, count, 1u << strong))
		return first_of(all, count, 1u << strong);
	if (any(all, count, 1u << I_DP))
		return first_of(all, count, 1u << I_DP);
	r = first_of(all, count, 1u << doubt_strong);
	if (r.v != NOT) {
		if (any(all, count, 1u << doubt_weak | 1u << weak))
			r.v = I_DP;
		return r;
	}
	if (any(all, count, 1u << weak))
		return first_of(all, count, 1u << weak);
	return first_of(all, count, 1u << doubt_weak);
}

static struct plain_result plain_ask(const struct tree *t, int i, const struct access_request *q)
{
	const struct plain *n = &t->node[i];
	struct plain_result all[8], r;
	int target = applies(n, q);

	if (target == 0)
		return (struct plain_result){ NOT, -1 };
	if (n->is_rule)
		return plain_rule(n, i, target, q);
	for (int c = 0; c < n->children; c++)
		all[c] = plain_ask(t, n->first + c, q);
	r = combine(n->combine, all, n->children);
	if (target < 0 && r.v == P)
		r.v = I_P;
	if (target < 0 && r.v == D)
		r.v = I_D;
	return r;
}

/* --- both --------------------------------------------------------------------------- */

static struct access_request random_request(struct rng *r)
{
	struct access_request q = sample_request();

	snprintf(q.user.role, sizeof q.user.role, "w%d", (int)rng_below(r, WORDS + 1));
	snprintf(q.point.area, sizeof q.point.area, "w%d", (int)rng_below(r, WORDS + 1));
	q.user.clearance = (int64_t)rng_below(r, 10);
	q.environment.occupancy = rng_below(r, 3) ? (int64_t)rng_below(r, 10) : FIELD_ABSENT;
	snprintf(q.environment.direction, sizeof q.environment.direction, "%s",
		 (const char *const[]){ "in", "out", "" }[rng_below(r, 3)]);
	return q;
}

static void compare(const struct tree *t, const struct access_policy *p, struct buf *text,
		    struct rng *rng, int *count)
{
	struct access_request q = random_request(rng);
	struct plain_result want = plain_ask(t, 0, &q);
	char rule[48] = "";
	struct access_answer a;

	access_policy_decide(p, &q, SAMPLE_NOW_MS, &a);
	if (want.rule >= 0)
		snprintf(rule, sizeof rule, "n%d/n%d", t->node[want.rule].parent, want.rule);
	count[want.v]++;
	if (a.outcome != (want.v == NOT ? ACCESS_NOT_APPLICABLE
			  : want.v == P ? ACCESS_PERMIT
					: ACCESS_DENY) ||
	    (a.reason == ACCESS_IN_DOUBT) != (want.v > D) || strcmp(a.rule, rule) != 0)
		fail_msg("%s by %s %s, expected verdict %d by %s:\n%s",
			 access_outcome_name[a.outcome], access_reason_name[a.reason], a.rule,
			 want.v, rule, buf_text(text));
}

static void random_policies(void **state)
{
	struct rng rng = testing_rng("access policies");
	int count[I_DP + 1] = { 0 };
	struct buf text = { 0 };

	(void)state;
	for (int n = 0; n < POLICIES; n++) {
		static struct tree t;
		struct access_policy *p;
		struct fail f = { 0 };

		t.count = 1;
		t.node[0] = (struct plain){ .combine = (int)rng_below(&rng, 3),
					    .parent = -1,
					    .areas = rng_below(&rng, 4) ? 0 : mask(&rng, WORDS) };
		grow(&t, &rng, 0, 0);
		buf_clear(&text);
		put_node(&text, &t, 0);
		p = access_policy_open_text("random", buf_text(&text), ACCESS_ABAC, NULL, &f);
		if (!p)
			fail_msg("%s\n%s", f.text, buf_text(&text));
		for (int i = 0; i < ASKED; i++)
			compare(&t, p, &text, &rng, count);
		access_policy_close(p);
	}
	for (int v = NOT; v <= I_DP; v++)
		assert_true(count[v] > POLICIES * ASKED / 200);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_policies) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
