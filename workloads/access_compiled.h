/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_compiled - a policy as arrays: what access_compile.c makes of the file and
 * access_decide.c asks. Internal to access_policy.
 */
#ifndef WORKLOADS_ACCESS_COMPILED_H
#define WORKLOADS_ACCESS_COMPILED_H

#include "workloads/access_policy.h"

enum combine { DENY_OVERRIDES, PERMIT_OVERRIDES, FIRST_APPLICABLE };

/* An attribute of a request, as conditions and targets call it. */
struct access_attribute {
	const char *name;   /* "user.role" */
	const char *target; /* "roles"; NULL: none */
	enum field_kind kind;
	size_t offset; /* in struct access_request */
	bool rbac;     /* model rbac has it too */
};
extern const struct access_attribute access_attributes[]; /* ends with a NULL name */
enum { ATTRIBUTE_AREA, ATTRIBUTE_ROLE, ATTRIBUTES_INDEXED };

struct span { /* of an array of the policy */
	int first, count;
};

struct match {
	const struct access_attribute *of;
	struct span texts; /* one of them */
};

enum operator{ IS, IS_NOT, LESS, LESS_OR_SAME, MORE, MORE_OR_SAME };

struct comparison {
	const struct access_attribute *left, *right; /* right NULL: the constant */
	enum operator op;
	int64_t number; /* of integers and bools */
	char text[ACCESS_NAME_BYTES];
};

struct hours {
	int from_minute, until_minute; /* until 1440; less than from: past midnight */
};

struct when {
	struct span hours;           /* none: the whole day */
	unsigned days;               /* bit 0: Monday */
	int64_t from_day, until_day; /* since 1970, both inclusive */
};

struct node {
	const char *name;
	const struct yaml_node *at;
	int parent;
	bool is_rule, permits;
	enum combine combine;
	struct span children;
	struct span indexed[ATTRIBUTES_INDEXED]; /* texts; none: any */
	struct span matches;
	struct when when;
	struct span clauses;            /* all must hold */
	struct span on_permit, on_deny; /* texts */
};

struct bucket {
	int node;
	int symbol[ATTRIBUTES_INDEXED];
	struct span children; /* of p->listed; count 0: the slot is empty */
};

struct symbol {
	const char *text; /* NULL: empty */
	int id;           /* from 1 */
};

/* Arrays grow by array_add(); their elements are found by index. */
struct array {
	void *item;
	int count, room;
	bool failed; /* for want of memory */
};

struct access_policy {
	struct yaml yaml; /* texts are borrowed from it */
	int64_t offset_s;
	enum access_model model;
	int rules;
	struct array nodes;       /* struct node; 0: the top */
	struct array texts;       /* const char * */
	struct array matches;     /* struct match */
	struct array hours;       /* struct hours */
	struct array clauses;     /* struct span: of comparisons, one of which must hold */
	struct array comparisons; /* struct comparison */
	struct symbol *symbols;
	struct bucket *buckets;
	int symbol_mask, bucket_mask; /* sizes less 1 */
	int *listed;
};

static inline const struct node *policy_node(const struct access_policy *p, int i)
{
	return (const struct node *)p->nodes.item + i;
}

static inline const char *policy_text(const struct access_policy *p, int i)
{
	return ((const char *const *)p->texts.item)[i];
}

/* A copy of *item at the end; its index, or -1 without memory. */
int array_add(struct array *a, const void *item, size_t size);

/* --- access_when.c: texts of a rule's time and conditions, with their errors ------ */

void access_read_when(struct access_policy *p, const struct yaml_node *at, struct when *w);
void access_read_offset(struct access_policy *p, const struct yaml_node *at);
bool access_when_holds(const struct access_policy *p, const struct when *w, int64_t now_ms);

/* --- access_condition.c ------------------------------------------------------------ */

enum truth { NO, YES, UNKNOWN };

void access_read_conditions(struct access_policy *p, const struct yaml_node *at,
			    struct span *clauses);
enum truth access_conditions_hold(const struct access_policy *p, const struct span *clauses,
				  const struct access_request *q);

/* --- access_index.c ---------------------------------------------------------------- */

/* Once all nodes are read. -1: no memory, or too many areas times roles. */
int access_index(struct access_policy *p, struct fail *f);
int access_symbol(const struct access_policy *p, const char *text); /* 0: in no target */
/* The children under this key; none: count 0. */
struct span access_lookup(const struct access_policy *p, int node, int area, int role);

#endif
