/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers - a tree in which no timer is due before its parent.
 *
 * child is a timer's first child, next its next sibling, prev its previous
 * sibling or, for a first child, its parent.  Nothing recurses: a root may have
 * as many children as there are timers.
 */
#include "lib/timers.h"

/* Two roots into one: the later becomes the first child of the earlier. */
static struct loop_timer *meld(struct loop_timer *a, struct loop_timer *b)
{
	struct loop_timer *earlier = b, *later = a;

	if (!a || !b)
		return a ? a : b;
	if (a->due_ns <= b->due_ns) {
		earlier = a;
		later = b;
	}
	later->prev = earlier;
	later->next = earlier->child;
	if (later->next)
		later->next->prev = later;
	earlier->child = later;
	return earlier;
}

/* A timer without its siblings, which are left in *rest. */
static struct loop_timer *cut_first(struct loop_timer **rest)
{
	struct loop_timer *t = *rest;

	if (!t)
		return NULL;
	*rest = t->next;
	t->next = t->prev = NULL;
	return t;
}

/* Melding in pairs first is what keeps the tree shallow. */
static struct loop_timer *meld_siblings(struct loop_timer *siblings)
{
	struct loop_timer *pairs = NULL, *root = NULL;

	while (siblings) {
		struct loop_timer *one = cut_first(&siblings), *two = cut_first(&siblings);
		struct loop_timer *pair = meld(one, two);

		pair->next = pairs;
		pairs = pair;
	}
	while (pairs)
		root = meld(root, cut_first(&pairs));
	return root;
}

void timers_add(struct loop_timer **first, struct loop_timer *t)
{
	t->child = t->next = t->prev = NULL;
	*first = meld(*first, t);
}

void timers_remove(struct loop_timer **first, struct loop_timer *t)
{
	struct loop_timer *below = meld_siblings(t->child);

	if (*first == t) {
		*first = below;
	} else {
		if (t->prev->child == t)
			t->prev->child = t->next;
		else
			t->prev->next = t->next;
		if (t->next)
			t->next->prev = t->prev;
		*first = meld(*first, below);
	}
	t->child = t->next = t->prev = NULL;
}
