/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan - the order of trials, the choice of cells and how long it all takes.
 *
 * Every block draws from a seed of its own, itself drawn from the plan's: a block
 * more at the end leaves the earlier ones as they were. Must not know files.
 */
#include "testbed/plan.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"

#define NEAR_MAX 3

void plan_release(struct plan *p)
{
	for (int i = 0; i < p->cells; i++)
		free(p->cell[i].unavailable);
	free(p->cell);
	free(p->order);
	for (int i = 0; i < p->words; i++)
		free(p->word[i]);
	free(p->word);
	buf_release(&p->text);
	*p = (struct plan){ 0 };
}

const char *plan_word(struct plan *p, const char *text)
{
	char **grown;

	for (int i = 0; i < p->words; i++)
		if (!strcmp(p->word[i], text))
			return p->word[i];
	grown = realloc(p->word, (size_t)(p->words + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	p->word = grown;
	p->word[p->words] = strdup(text);
	return p->word[p->words] ? p->word[p->words++] : NULL;
}

int plan_draw(struct plan *p, struct fail *f)
{
	size_t cells = (size_t)p->cells, blocks = (size_t)plan_blocks(p);
	struct rng seeds, block;
	int *order;

	if (cells * blocks > PLAN_TRIALS_MAX)
		return fail_set(f, EINVAL, "%d blocks of %d cells are more than %d trials",
				plan_blocks(p), p->cells, PLAN_TRIALS_MAX);
	order = calloc(cells * blocks + 1, sizeof(*order));
	if (!order)
		return fail_set(f, ENOMEM, "no memory left for %d blocks of %d cells",
				plan_blocks(p), p->cells);
	rng_seed(&seeds, (uint64_t)p->seed);
	for (size_t b = 0; b < blocks; b++) {
		for (size_t i = 0; i < cells; i++)
			order[b * cells + i] = (int)i;
		rng_seed(&block, rng_next(&seeds));
		rng_shuffle(&block, order + b * cells, cells, sizeof(*order));
	}
	free(p->order);
	p->order = order;
	return 0;
}

/* --- a choice of cells ---------------------------------------------------- */

/* The longest run of letters that two texts have in common. */
static int common(const char *a, const char *b)
{
	int longest = 0;

	for (; *a; a++)
		for (const char *from = b; *from; from++) {
			int n = 0;

			while (a[n] && a[n] == from[n])
				n++;
			if (n > longest)
				longest = n;
		}
	return longest;
}

static int fail_no_match(const struct plan *p, const char *pattern, struct fail *f)
{
	const char *near[NEAR_MAX] = { "", "", "" };
	int score[NEAR_MAX] = { 0 };

	for (int i = 0; i < p->cells; i++) {
		int s = common(pattern, p->cell[i].cell.name), at = NEAR_MAX;

		while (at > 0 && s > score[at - 1])
			at--;
		for (int j = NEAR_MAX - 1; j > at; j--) {
			near[j] = near[j - 1];
			score[j] = score[j - 1];
		}
		if (at < NEAR_MAX) {
			near[at] = p->cell[i].cell.name;
			score[at] = s;
		}
	}
	return fail_set(f, EINVAL, "\"%.60s\" matches no cell (* stands for anything)%s%s%s%s%s%s",
			pattern, *near[0] ? "; near: " : "", near[0], *near[1] ? ", " : "", near[1],
			*near[2] ? ", " : "", near[2]);
}

static int mark_matches(const struct plan *p, const char *pattern, bool *keep, struct fail *f)
{
	bool any = false;

	for (int i = 0; i < p->cells; i++)
		if (!fnmatch(pattern, p->cell[i].cell.name, 0))
			any = keep[i] = true;
	return any ? 0 : fail_no_match(p, pattern, f);
}

static void keep_marked(struct plan *p, const bool *keep)
{
	int kept = 0;

	for (int i = 0; i < p->cells; i++)
		if (keep[i])
			p->cell[kept++] = p->cell[i];
		else
			free(p->cell[i].unavailable);
	p->cells = kept;
}

int plan_only(struct plan *p, const char *patterns, struct fail *f)
{
	char *copy = strdup(patterns), *next = copy, *pattern;
	bool *keep = calloc((size_t)p->cells + 1, sizeof(*keep));
	int status = 0;

	if (!copy || !keep)
		status = fail_set(f, ENOMEM, "no memory left to choose cells");
	while (!status && (pattern = strsep(&next, ",")))
		status = mark_matches(p, pattern, keep, f);
	if (!status) {
		keep_marked(p, keep);
		status = plan_draw(p, f);
	}
	free(copy);
	free(keep);
	return status;
}

/* --- how long ------------------------------------------------------------- */

struct phase_times plan_times(const struct plan *p, const struct plan_cell *c)
{
	const char *driver = setting_of(c, "driver"), *count = setting_of(c, "count");
	struct phase_times t = p->times;

	if (count) {
		t.count = strtoll(count, NULL, 10);
		t.measure_ns = 0;
		t.overtime_ns = p->count_overtime_ns;
	}
	if (driver && strcmp(driver, "builtin")) {
		t.warmup_ns = 0;
		t.overtime_ns += t.measure_ns;
	}
	return t;
}

/* A campaign of years is no more than INT64_MAX. */
static int64_t add_saturated(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t plan_duration_ns(const struct plan *p)
{
	int64_t block_ns = 0, all_ns;

	for (int i = 0; i < p->cells; i++) {
		struct phase_times t = plan_times(p, &p->cell[i]);

		if (!p->cell[i].unavailable)
			block_ns =
				add_saturated(block_ns, t.settle_ns + 2 * t.idle_ns + t.warmup_ns +
								t.measure_ns + t.cool_ns);
	}
	return __builtin_mul_overflow(block_ns, p->blocks, &all_ns) ? INT64_MAX : all_ns;
}
