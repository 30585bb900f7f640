/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace - a growing array of samples. It must not know what the codes mean.
 */
#include "power/trace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CAP_LEAST 64

int trace_init(struct trace *t, const struct meter_facts *facts, size_t cap)
{
	*t = (struct trace){ .facts = *facts };
	if (cap > SIZE_MAX / sizeof *t->sample)
		return -1;
	if (cap == 0)
		return 0;
	t->sample = malloc(cap * sizeof *t->sample);
	if (t->sample == NULL)
		return -1;
	/* Touched now, so that no page fault falls into the measure window. */
	memset(t->sample, 0, cap * sizeof *t->sample);
	t->cap = cap;
	return 0;
}

void trace_release(struct trace *t)
{
	free(t->sample);
	t->sample = NULL;
	t->count = t->cap = 0;
}

static int grow(struct trace *t)
{
	size_t cap = t->cap < CAP_LEAST ? CAP_LEAST : t->cap * 2;
	struct sample *more;

	if (cap > SIZE_MAX / sizeof *more)
		return -1;
	more = realloc(t->sample, cap * sizeof *more);
	if (more == NULL)
		return -1;
	t->sample = more;
	t->cap = cap;
	return 0;
}

int trace_add(struct trace *t, const struct sample *s)
{
	if (t->count == t->cap && grow(t) != 0)
		return -1;
	t->sample[t->count++] = *s;
	return 0;
}
