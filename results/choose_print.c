/* SPDX-License-Identifier: Apache-2.0 */
/* choose_print - a ranking as text and as JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"
#include "results/choose.h"
#include "results/choose_value.h"
#include "results/figure.h"
#include "results/report_tree.h"

#define CELL_BYTES 64

/* The constraints that an entry fails, with commas. */
static void put_failed(unsigned failed, struct buf *out)
{
	const char *between = "";

	for (int i = 0; i < CHOOSE_CONSTRAINTS; i++)
		if (failed & 1u << i) {
			buf_printf(out, "%s%s", between, choose_constraint_names[i]);
			between = ", ";
		}
}

/* Net energy may be negative, and so may what is reckoned from it. */
static bool reaches_zero(const struct choice *c, const struct choose_entry *e)
{
	return c->rules.weight[CHOOSE_NET_ENERGY] <= 0 && figure_reaches_zero(&e->value);
}

static void write_value(const struct choice *c, const struct choose_entry *e,
			char dst[FIGURE_BYTES])
{
	struct interval shown = e->value;

	if (reaches_zero(c, e))
		figure_cut(&shown);
	figure_range(&shown, dst);
}

static void entry_row(struct table *t, const struct choice *c, size_t at)
{
	const struct choose_entry *e = &c->entry[at];
	char place[CELL_BYTES], value[FIGURE_BYTES], bits[CELL_BYTES], p95[FIGURE_BYTES],
		times[FIGURE_BYTES], next[FIGURE_BYTES + 8] = "";
	const char *row[] = { place,     e->facts->suite,       value, next, bits, p95,
			      e->source, e->pareto ? "yes" : "" };

	snprintf(place, CELL_BYTES, "%zu", at + 1);
	write_value(c, e, value);
	if (at + 1 < c->entries && choose_alike(&e->against_next))
		snprintf(next, sizeof(next), "less than 0.1 %% apart");
	else if (at + 1 < c->entries && e->told) {
		figure_range(&e->against_next, times);
		snprintf(next, sizeof(next), "%s times", times);
	} else if (at + 1 < c->entries)
		snprintf(next, sizeof(next), "cannot be told apart");
	snprintf(bits, CELL_BYTES, "%lld", (long long)e->facts->strength_bits);
	figure_number(e->latency_us / 1000, p95);
	table_row(t, row);
}

static void put_entries(const struct choice *c, struct buf *out)
{
	const char *const heads[] = {
		">place",           "suite",        choose_value_head(&c->rules),
		"against the next", ">bits",        ">p95 ms",
		"energy",           "on the front", NULL
	};
	bool zero = false;
	struct table t;

	if (table_init(&t, heads) < 0) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < c->entries; i++) {
		entry_row(&t, c, i);
		zero |= reaches_zero(c, &c->entry[i]);
	}
	table_put(&t, table_print, out);
	if (zero)
		buf_printf(out, "%s\n", figure_zero);
	table_release(&t);
}

static void put_cost(const struct choice *c, const struct choose_cost *cost, struct buf *out)
{
	const struct choose_entry *e = &c->refused[cost->entry];
	char times[FIGURE_BYTES];

	buf_printf(out, "Without %s: %s%s", choose_constraint_names[cost->constraint],
		   e->facts->suite, c->entries ? ", " : " would be left\n");
	if (c->entries == 0)
		return;
	if (isnan(cost->times.mean))
		buf_puts(out, "whose difference to the first is not known\n");
	else if (choose_alike(&cost->times))
		buf_puts(out, "less than 0.1 % apart from the first\n");
	else if (!cost->told)
		buf_puts(out, "no difference to the first proven\n");
	else {
		figure_range(&cost->times, times);
		buf_printf(out, "%s times the value of the first\n", times);
	}
}

const char *choose_role_text(enum energy_role role)
{
	static const char *const roles[] = { "server", "client", "server and client" };

	return roles[role];
}

/* The first line says what figures these are. */
static void put_head(const struct choice *c, struct buf *out)
{
	char objective[192];

	choose_objective_text(&c->rules, objective, sizeof(objective));
	if (c->source[0])
		buf_printf(out, "Ranking on %s energy of campaign %s, by %s of the %s\n", c->source,
			   c->report->campaign.name, objective, choose_role_text(c->rules.role));
	else
		buf_printf(out, "Ranking of campaign %s by %s\n", c->report->campaign.name,
			   objective);
	if (c->rules.weight[CHOOSE_DAY] > 0)
		buf_printf(out,
			   "Idle power is %.3f W for all, the mean of what cells of this task "
			   "idled at\n",
			   c->rules.idle_w);
	if (!c->report->campaign.complete)
		buf_printf(out, "NOT COMPLETE: %" PRId64 " trials of the campaign are missing\n",
			   c->report->trials_missing);
	if (c->others)
		buf_printf(out,
			   "%zu cells differ from these in more than the suite and are not ranked: "
			   "--like "
			   "chooses others\n",
			   c->others);
}

void choose_write_text(const struct choice *c, struct buf *out)
{
	put_head(c, out);
	if (c->entries == 0)
		buf_puts(out, "\nNo suite meets all constraints.\n\n");
	else {
		const struct choose_entry *first = &c->entry[0];

		buf_printf(out, "Cell of the first: %s\n\n",
			   c->report->cell[first->cell].cell.name);
		put_entries(c, out);
		buf_puts(out, "\n");
	}
	for (size_t i = 0; i < c->costs; i++)
		put_cost(c, &c->cost[i], out);
	for (size_t i = 0; i < c->refusals; i++) {
		buf_printf(out, "refused: %s: ", c->refused[i].facts->suite);
		put_failed(c->refused[i].failed, out);
		buf_puts(out, "\n");
	}
	for (size_t i = 0; i < c->lefts; i++)
		buf_printf(out, "left out: %s: %s\n", c->left[i].suite, c->left[i].reason);
}

static json_t *failed_of(unsigned failed)
{
	json_t *list = json_array();

	for (int i = 0; i < CHOOSE_CONSTRAINTS; i++)
		if (failed & 1u << i)
			json_array_append_new(list, json_string(choose_constraint_names[i]));
	return list;
}

static json_t *entry_of(const struct choice *c, const struct choose_entry *e)
{
	return json_pack("{s:o, s:o, s:o, s:I, s:b, s:b, s:s, s:o, s:o, s:s, s:b, s:o, s:b, s:o}",
			 "suite", report_tree_text(e->facts->suite), "cell",
			 report_tree_text(c->report->cell[e->cell].cell.name), "value",
			 report_tree_interval(&e->value), "strength_bits",
			 (json_int_t)e->facts->strength_bits, "forward_secrecy",
			 e->facts->forward_secret, "post_quantum", e->facts->post_quantum, "status",
			 e->facts->status, "p95_us", report_tree_number(e->latency_us),
			 "requests_per_mwh", report_tree_number(e->requests_per_mwh), "energy",
			 e->source, "pareto", e->pareto, "against_next",
			 report_tree_interval(&e->against_next), "told_apart", e->told, "failed",
			 failed_of(e->failed));
}

static json_t *entries_of(const struct choice *c, const struct choose_entry *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, entry_of(c, &list[i]));
	return array;
}

static json_t *costs_of(const struct choice *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->costs; i++) {
		const struct choose_cost *k = &c->cost[i];

		json_array_append_new(array,
				      json_pack("{s:s, s:o, s:o, s:b}", "constraint",
						choose_constraint_names[k->constraint], "suite",
						report_tree_text(c->refused[k->entry].facts->suite),
						"times", report_tree_interval(&k->times),
						"told_apart", k->told));
	}
	return array;
}

static json_t *asked(const char *text)
{
	return text ? report_tree_text(text) : json_null();
}

/* Every option that a ranking rests on, as it was asked for; null: nothing was. */
static json_t *options_of(const struct choose_rules *r)
{
	json_t *objective = json_object();

	for (int i = 0; i < CHOOSE_OBJECTIVES; i++)
		if (r->weight[i] > 0)
			json_object_set_new(objective, choose_objective_names[i],
					    json_real(r->weight[i]));
	return json_pack("{s:o, s:o, s:o, s:s, s:f, s:I, s:b, s:b, s:o, s:o, s:o, s:o, s:b, s:s}",
			 "campaign", asked(r->campaign), "like", asked(r->like), "objective",
			 objective, "role", role_names[r->role], "requests_per_day",
			 r->requests_per_day, "min_bits", (json_int_t)r->strength_bits,
			 "forward_secrecy", r->forward_secret, "post_quantum", r->post_quantum,
			 "versions", asked(r->versions), "keys", asked(r->keys), "latency_max_us",
			 r->latency_us > 0 ? json_real(r->latency_us) : json_null(),
			 "memory_max_bytes",
			 r->memory_bytes > 0 ? json_integer(r->memory_bytes) : json_null(),
			 "allow_legacy", r->allow_legacy, "energy_source",
			 r->source ? r->source : "best");
}

static json_t *campaign_of(const struct choice *c)
{
	const struct campaign *k = &c->report->campaign;

	return json_pack("{s:o, s:o, s:I}", "name", report_tree_text(k->name), "started",
			 report_tree_text(k->started), "id", (json_int_t)c->report->id);
}

int choose_write_json(const struct choice *c, struct buf *out)
{
	bool by_day = c->rules.weight[CHOOSE_DAY] > 0;
	json_t *left = json_array();
	char objective[192];

	choose_objective_text(&c->rules, objective, sizeof(objective));
	for (size_t i = 0; i < c->lefts; i++)
		json_array_append_new(left, json_pack("{s:o, s:o}", "suite",
						      report_tree_text(c->left[i].suite), "reason",
						      report_tree_text(c->left[i].reason)));
	report_tree_put(
		out,
		json_pack("{s:s, s:o, s:o, s:b, s:o, s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:I}",
			  "schema", "cipherwatt/1", "campaign", campaign_of(c), "options",
			  options_of(&c->rules), "complete", (int)c->report->campaign.complete,
			  "energy", c->source[0] ? json_string(c->source) : json_null(),
			  "objective", objective, "unit", choose_unit(&c->rules), "idle_w",
			  report_tree_number(by_day ? c->rules.idle_w : NAN), "ranking",
			  entries_of(c, c->entry, c->entries), "refused",
			  entries_of(c, c->refused, c->refusals), "costs", costs_of(c), "left_out",
			  left, "other_cells", (json_int_t)c->others),
		false);
	return out->failed ? -1 : 0;
}
