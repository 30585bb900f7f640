/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_compare - cells that differ in one thing only, compared with intervals.
 *
 * Of each group of such cells the campaign's first is the reference; of suites the first
 * that is not plain. Intervals are 95 % each, not of all comparisons together.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/figure.h"
#include "results/report.h"
#include "results/stats.h"

/* What a reader asks about; payload, clients and connection change the task itself. */
static const char *const questions[] = { "suite", "engine", "server_under_test", "encoding" };

/* Cells of one key differ in the question only. */
struct keyed {
	char key[640];
	size_t cell;
};

static bool is_plain(const struct cell *c)
{
	return strcmp(c->suite, "plain") == 0;
}

/*
 * No library does plain, so its cells name none. Suites are compared with it as if it
 * had been the library of the campaign's first secure cell.
 */
static const struct cell *engine_of(const struct report *r, const struct field *differ,
				    const struct cell *c)
{
	if (strcmp(differ->name, "suite") != 0 || !is_plain(c))
		return c;
	for (size_t i = 0; i < r->cells; i++)
		if (!is_plain(&r->cell[i].cell))
			return &r->cell[i].cell;
	return c;
}

static void make_key(const struct report *r, const struct field *differ, const struct cell *c,
		     struct keyed *k)
{
	const struct cell *engine = engine_of(r, differ, c);
	char value[192];
	size_t used = 0;

	for (const struct field *f = cell_fields; f->name && used < sizeof(k->key); f++) {
		bool follows =
			strcmp(f->name, "name") == 0 || strcmp(f->name, "strength_bits") == 0;

		if (f == differ || follows)
			continue;
		figure_field(f, strstr(f->name, "engine") ? engine : c, value, sizeof(value));
		used += (size_t)snprintf(k->key + used, sizeof(k->key) - used, "%s\n", value);
	}
}

static int by_key(const void *left, const void *right)
{
	const struct keyed *l = left, *r = right;
	int order = strcmp(l->key, r->key);

	return order ? order : (l->cell > r->cell) - (l->cell < r->cell);
}

/* Groups are in the campaign's order, so whoever writes it names the reference. */
static size_t find_reference(const struct report *r, const struct field *differ,
			     const struct keyed *group, size_t count)
{
	for (size_t i = 0; i < count && strcmp(differ->name, "suite") == 0; i++)
		if (!is_plain(&r->cell[group[i].cell].cell))
			return group[i].cell;
	return group[0].cell;
}

static bool same_energy(const struct summary_energy *a, const struct summary_energy *b)
{
	return summary_has_energy(a) && summary_has_energy(b) &&
	       strcmp(a->source, b->source) == 0 && strcmp(a->basis, b->basis) == 0;
}

/* Blocks in which both trials are valid; columns of cpu a, cpu b, energy a, energy b. */
static size_t pair(const struct cell_summary *a, const struct cell_summary *b, double *column[4])
{
	size_t n = 0;

	for (int64_t i = 0; i < a->trials; i++) {
		const struct summary_point *p = &a->points[i];
		const struct summary_point *q = p->valid ? summary_point_of(b, p->block) : NULL;

		if (!q)
			continue;
		column[0][n] = p->requests / p->cpu_s[0];
		column[1][n] = q->requests / q->cpu_s[0];
		column[2][n] = p->requests / p->gross_mwh[0];
		column[3][n++] = q->requests / q->gross_mwh[0];
	}
	return n;
}

static int compare(const struct report *r, struct report_comparison *c)
{
	const struct cell_summary *a = &r->cell[c->cell], *b = &r->cell[c->reference];
	size_t room = (size_t)a->trials + 1;
	double *all = calloc(4 * room, sizeof(*all));
	double *column[4] = { all, all + room, all + 2 * room, all + 3 * room };
	size_t n;

	if (!all)
		return -1;
	n = pair(a, b, column);
	c->cpu = stats_ratio_paired(column[0], column[1], n);
	c->energy = stats_ratio_paired(column[2], column[3], n);
	if (!same_energy(&a->server.energy, &b->server.energy))
		c->energy = (struct interval){ NAN, NAN, NAN, 0 };
	free(all);
	return 0;
}

static int add_comparison(struct report *r, const struct field *differ, size_t cell,
			  size_t reference)
{
	struct report_comparison c = { .cell = cell, .reference = reference, .differ = differ };
	struct report_comparison *grown;

	if (compare(r, &c) < 0)
		return -1;
	if (!isfinite(c.cpu.lo))
		return 0;
	grown = reallocarray(r->comparison, r->comparisons + 1, sizeof(*grown));
	if (!grown)
		return -1;
	r->comparison = grown;
	grown[r->comparisons++] = c;
	return 0;
}

static int compare_group(struct report *r, const struct field *differ, const struct keyed *group,
			 size_t count)
{
	size_t reference = find_reference(r, differ, group, count);

	for (size_t i = 0; i < count; i++)
		if (group[i].cell != reference &&
		    add_comparison(r, differ, group[i].cell, reference) < 0)
			return -1;
	return 0;
}

static int by_cell(const void *left, const void *right)
{
	const struct report_comparison *l = left, *r = right;

	if (l->reference != r->reference)
		return l->reference > r->reference ? 1 : -1;
	return (l->cell > r->cell) - (l->cell < r->cell);
}

static int ask(struct report *r, const struct field *differ)
{
	struct keyed *keyed = calloc(r->cells + 1, sizeof(*keyed));
	int status = keyed ? 0 : -1;
	size_t from = 0, before = r->comparisons;

	for (size_t i = 0; i < r->cells && keyed; i++) {
		make_key(r, differ, &r->cell[i].cell, &keyed[i]);
		keyed[i].cell = i;
	}
	if (keyed)
		qsort(keyed, r->cells, sizeof(*keyed), by_key);
	for (size_t i = 1; i <= r->cells && status == 0; i++)
		if (i == r->cells || strcmp(keyed[i].key, keyed[from].key) != 0) {
			status = compare_group(r, differ, keyed + from, i - from);
			from = i;
		}
	if (r->comparisons > before)
		qsort(r->comparison + before, r->comparisons - before, sizeof(*r->comparison),
		      by_cell);
	free(keyed);
	return status;
}

static bool is_question(const struct field *f)
{
	for (size_t q = 0; q < sizeof(questions) / sizeof(*questions); q++)
		if (strcmp(f->name, questions[q]) == 0)
			return true;
	return false;
}

int report_compare(struct report *r, struct fail *f)
{
	for (int d = 0; r->varying[d]; d++)
		if (is_question(r->varying[d]) && ask(r, r->varying[d]) < 0)
			return fail_set(f, ENOMEM, "no memory for the report");
	return 0;
}
