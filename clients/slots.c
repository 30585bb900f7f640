/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots - counters in a row, read from the top.
 */
#include "clients/slots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"

int slots_init(struct slots *s)
{
	*s = (struct slots){ .slot = calloc(SLOTS, sizeof(*s->slot)) };
	return s->slot ? 0 : -1;
}

void slots_release(struct slots *s)
{
	free(s->slot);
	*s = (struct slots){ 0 };
}

void slots_add(struct slots *s, int64_t ns)
{
	int64_t at = ns / SLOT_NS;

	if (ns < 0)
		return;
	s->slot[at < SLOTS ? at : SLOTS - 1]++;
	s->count++;
	s->sum_ns += ns;
	if (ns > s->max_ns)
		s->max_ns = ns;
}

void slots_merge(struct slots *into, const struct slots *from)
{
	for (int i = 0; i < SLOTS; i++)
		into->slot[i] += from->slot[i];
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
}

int64_t slots_percentile_ms(const struct slots *s, int per_mille)
{
	int64_t rank = s->count * (1000 - per_mille) / 1000, seen = 0, ns;
	int i = SLOTS;

	if (!s->count)
		return -1;
	while (seen <= rank)
		seen += s->slot[--i];
	ns = (i + 1) * SLOT_NS - 1;
	return (ns < s->max_ns ? ns : s->max_ns) / NS_PER_MS;
}

double slots_average_ms(const struct slots *s)
{
	return s->count ? (double)(s->sum_ns / NS_PER_MS) / (double)s->count : NAN;
}

const char *slots_format(const struct slots *s, char dst[SLOTS_BYTES])
{
	double average_ms = slots_average_ms(s);
	char average[40];

	if (!s->count) {
		snprintf(dst, SLOTS_BYTES, "no values available!");
		return dst;
	}
	if (average_ms < 1)
		snprintf(average, sizeof(average), "sum.: %lld",
			 (long long)(s->sum_ns / NS_PER_MS));
	else
		snprintf(average, sizeof(average), "avg.: %.2f", average_ms);
	snprintf(dst, SLOTS_BYTES,
		 "#: %lld, %s ms, 95%%: %lld ms, 99%%: %lld ms, 99.9%%: %lld ms, max.: %lld ms",
		 (long long)s->count, average, (long long)slots_percentile_ms(s, 950),
		 (long long)slots_percentile_ms(s, 990), (long long)slots_percentile_ms(s, 999),
		 (long long)(s->max_ns / NS_PER_MS));
	return dst;
}
