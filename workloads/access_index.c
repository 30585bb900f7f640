/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_index - the children of every node by their areas and roles. It must not know how
 * they are combined.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/access_compiled.h"

#define ENTRIES_MAX 4000000

struct entry {
	int node, symbol[ATTRIBUTES_INDEXED], child;
};

/* Of the policy's own words: nobody outside chooses them. */
static uint32_t mix(uint32_t a, uint32_t b)
{
	uint64_t x = (a + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9) + b;

	x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(x >> 32);
}

static uint32_t hash_text(const char *text)
{
	uint32_t h = 0;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x01000193u;
	return mix(h, 0);
}

static int power_above(int count)
{
	int size = 16;

	while (size < 2 * count)
		size *= 2;
	return size;
}

/* --- symbols -------------------------------------------------------------------- */

static struct symbol *symbol_slot(const struct access_policy *p, const char *text)
{
	uint32_t i = hash_text(text);

	for (;; i++) {
		struct symbol *s = &p->symbols[i & (uint32_t)p->symbol_mask];

		if (!s->text || strcmp(s->text, text) == 0)
			return s;
	}
}

int access_symbol(const struct access_policy *p, const char *text)
{
	return symbol_slot(p, text)->id;
}

static void add_symbols(struct access_policy *p, const struct span *texts, int *last)
{
	for (int i = 0; i < texts->count; i++) {
		struct symbol *s = symbol_slot(p, policy_text(p, texts->first + i));

		if (!s->text)
			*s = (struct symbol){ policy_text(p, texts->first + i), ++*last };
	}
}

static int make_symbols(struct access_policy *p)
{
	int size = power_above(p->texts.count + 1), last = 0;

	p->symbols = calloc((size_t)size, sizeof *p->symbols);
	if (!p->symbols)
		return -1;
	p->symbol_mask = size - 1;
	for (int i = 0; i < p->nodes.count; i++)
		for (int a = 0; a < ATTRIBUTES_INDEXED; a++)
			add_symbols(p, &policy_node(p, i)->indexed[a], &last);
	return 0;
}

/* --- entries -------------------------------------------------------------------- */

static int symbol_of(const struct access_policy *p, const struct span *texts, int i)
{
	return texts->count ? access_symbol(p, policy_text(p, texts->first + i)) : 0;
}

/* One entry for each of its areas with each of its roles. */
static void add_entries(const struct access_policy *p, int child, struct array *entries)
{
	const struct node *n = policy_node(p, child);
	const struct span *area = &n->indexed[ATTRIBUTE_AREA], *role = &n->indexed[ATTRIBUTE_ROLE];

	for (int a = 0; a == 0 || a < area->count; a++)
		for (int r = 0; r == 0 || r < role->count; r++) {
			struct entry e = { n->parent,
					   { symbol_of(p, area, a), symbol_of(p, role, r) },
					   child };

			if (entries->count < ENTRIES_MAX)
				array_add(entries, &e, sizeof e);
			else
				entries->failed = true;
		}
}

static int compare_entries(const void *a, const void *b)
{
	const int *x = a, *y = b;

	for (size_t i = 0; i < sizeof(struct entry) / sizeof(int); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static bool same_key(const struct entry *a, const struct entry *b)
{
	return a->node == b->node && memcmp(a->symbol, b->symbol, sizeof a->symbol) == 0;
}

/* --- buckets -------------------------------------------------------------------- */

static struct bucket *bucket_slot(const struct access_policy *p, int node, int area, int role)
{
	uint32_t i = mix(mix((uint32_t)node, (uint32_t)area), (uint32_t)role);

	for (;; i++) {
		struct bucket *b = &p->buckets[i & (uint32_t)p->bucket_mask];

		if (!b->children.count ||
		    (b->node == node && b->symbol[0] == area && b->symbol[1] == role))
			return b;
	}
}

struct span access_lookup(const struct access_policy *p, int node, int area, int role)
{
	return bucket_slot(p, node, area, role)->children;
}

static void fill_buckets(struct access_policy *p, const struct entry *e, int count)
{
	for (int i = 0; i < count; i++) {
		struct bucket *b = bucket_slot(p, e[i].node, e[i].symbol[0], e[i].symbol[1]);

		if (i == 0 || !same_key(&e[i - 1], &e[i]))
			*b = (struct bucket){ e[i].node,
					      { e[i].symbol[0], e[i].symbol[1] },
					      { i, 0 } };
		p->listed[i] = e[i].child;
		b->children.count++;
	}
}

/* Sorted, and none twice: a target may name an area twice. */
static int tidy(struct entry *e, int count)
{
	int kept = 0;

	if (count)
		qsort(e, (size_t)count, sizeof *e, compare_entries);
	for (int i = 0; i < count; i++)
		if (i == 0 || compare_entries(&e[i - 1], &e[i]) != 0)
			e[kept++] = e[i];
	return kept;
}

static int make_buckets(struct access_policy *p, struct array *entries, struct fail *f)
{
	int count = tidy(entries->item, entries->count), size = power_above(count);

	p->buckets = calloc((size_t)size, sizeof *p->buckets);
	p->listed = calloc((size_t)count + 1, sizeof *p->listed);
	if (!p->buckets || !p->listed)
		return fail_set(f, ENOMEM, "no memory for the policy");
	p->bucket_mask = size - 1;
	fill_buckets(p, entries->item, count);
	return 0;
}

int access_index(struct access_policy *p, struct fail *f)
{
	struct array entries = { 0 };
	int status = 0;

	if (make_symbols(p) != 0)
		return fail_set(f, ENOMEM, "no memory for the policy");
	for (int i = 1; i < p->nodes.count; i++)
		add_entries(p, i, &entries);
	if (entries.failed)
		status = fail_set(f, E2BIG,
				  "the targets of the policy name too many pairs of area and role; "
				  "expected at most %d",
				  ENTRIES_MAX);
	else
		status = make_buckets(p, &entries, f);
	free(entries.item);
	return status;
}
