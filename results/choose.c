/* SPDX-License-Identifier: Apache-2.0 */
/* choose - who is ranked, in which order, and what can be told apart. */
#include "results/choose.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/choose_value.h"
#include "results/figure.h"
#include "results/stats.h"

#define DAY_S 86400

const char *const choose_constraint_names[] = {
	"--min-bits",     "--forward-secrecy",
	"--post-quantum", "--versions",
	"--keys",         "recommended only (lifted by --allow-legacy)",
	"--latency-max",  "--memory-max",
};

/* Does a list with commas name it? */
static bool names(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at && *at;) {
		size_t n = strcspn(at, ",");

		if (n == len && strncmp(at, word, n) == 0)
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

static int64_t memory_kib(const struct cell_summary *s, enum energy_role role)
{
	if (role == ROLE_BOTH)
		return s->server.rss_peak_kib > s->client.rss_peak_kib ? s->server.rss_peak_kib
								       : s->client.rss_peak_kib;
	return role == ROLE_CLIENT ? s->client.rss_peak_kib : s->server.rss_peak_kib;
}

/* What is not known does not fit. */
static bool fits_memory(const struct choose_rules *r, const struct cell_summary *s)
{
	int64_t kib = memory_kib(s, r->role);

	return kib > 0 && kib <= r->memory_bytes / 1024;
}

static unsigned failures(const struct choose_rules *r, const struct choose_facts *k,
			 const struct cell_summary *s)
{
	const bool fails[CHOOSE_CONSTRAINTS] = {
		[BY_STRENGTH] = k->strength_bits < r->strength_bits,
		[BY_SECRECY] = r->forward_secret && !k->forward_secret,
		[BY_QUANTUM] = r->post_quantum && !k->post_quantum,
		[BY_VERSION] = r->versions && !names(r->versions, k->version),
		[BY_KEY] = r->keys && !names(r->keys, k->key) && !names(r->keys, k->credential),
		[BY_STATUS] = !r->allow_legacy && strcmp(k->status, "recommended") != 0,
		[BY_LATENCY] = r->latency_us > 0 && !(s->response.p95 <= r->latency_us),
		[BY_MEMORY] = r->memory_bytes > 0 && !fits_memory(r, s),
	};
	unsigned failed = 0;

	for (int i = 0; i < CHOOSE_CONSTRAINTS; i++)
		failed |= fails[i] ? 1u << i : 0;
	return failed;
}

/* All that cells of one group have in common; plain has no library, so it fits any. */
static bool alike(const struct cell *a, const struct cell *b)
{
	bool plain = strcmp(a->suite, "plain") == 0 || strcmp(b->suite, "plain") == 0;

	for (const struct field *f = cell_fields; f->name; f++) {
		char left[192], right[192];
		bool engine = strstr(f->name, "engine") != NULL;

		if (strcmp(f->name, "name") == 0 || strcmp(f->name, "suite") == 0 ||
		    strcmp(f->name, "strength_bits") == 0 || (engine && plain))
			continue;
		figure_field(f, a, left, sizeof(left));
		figure_field(f, b, right, sizeof(right));
		if (strcmp(left, right) != 0)
			return false;
	}
	return true;
}

/* The cell that names the group: the first secure one, for plain would fit several. */
static const struct cell *find_group(const struct report *r, const struct choose_rules *rules)
{
	const struct cell *first = NULL;

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell *c = &r->cell[i].cell;

		if (rules->like && !strstr(c->name, rules->like))
			continue;
		if (strcmp(c->suite, "plain") != 0)
			return c;
		first = first ? first : c;
	}
	return first;
}

static void leave_out(struct choice *c, const struct cell *cell, const char *reason)
{
	struct choose_left *l = &c->left[c->lefts++];

	snprintf(l->suite, sizeof(l->suite), "%s", cell->suite);
	snprintf(l->reason, sizeof(l->reason), "%s", reason);
}

/* Of the group's cells: measured energy if any has it. */
static void find_source(struct choice *c, const struct cell *group)
{
	const char *source = c->rules.source;

	c->source[0] = '\0';
	if (!choose_needs_energy(&c->rules))
		return;
	for (size_t i = 0; i < c->report->cells && !source; i++)
		if (alike(&c->report->cell[i].cell, group) &&
		    strcmp(choose_source(&c->report->cell[i], c->rules.role), "measured") == 0)
			source = "measured";
	snprintf(c->source, sizeof(c->source), "%s", source ? source : "modelled");
}

/* false: it cannot be ranked, and why. */
static bool rankable(const struct choice *c, const struct cell_summary *s,
		     const struct choose_facts *k, char *reason, size_t len)
{
	const char *source = choose_source(s, c->rules.role);
	double asked = c->rules.weight[CHOOSE_DAY] > 0 ? c->rules.requests_per_day / DAY_S : 0;

	if (!k->known)
		snprintf(reason, len, "the catalogue does not know it");
	else if (s->valid_trials == 0)
		snprintf(reason, len, "no valid trial");
	else if (c->source[0] && strcmp(source, c->source) != 0)
		snprintf(reason, len, "its energy is %s, not %s", source, c->source);
	else if (asked > s->requests_per_s.mean)
		snprintf(reason, len, "the day asks for %.3g requests/s, the cell did %.3g", asked,
			 s->requests_per_s.mean);
	else if (isnan(choose_value(&c->rules, s).mean) && summary_is_uncounted(s))
		snprintf(reason, len,
			 "an older version stored it without counting completed requests; run it "
			 "again");
	else if (isnan(choose_value(&c->rules, s).mean))
		snprintf(reason, len, "the objective is not known of it");
	else
		return true;
	return false;
}

static void enter(struct choice *c, size_t at, const struct choose_facts *k)
{
	const struct cell_summary *s = &c->report->cell[at];
	struct choose_entry e = { .cell = at,
				  .facts = k,
				  .failed = failures(&c->rules, k, s),
				  .value = choose_value(&c->rules, s),
				  .better_is_more = choose_more_is_better(&c->rules),
				  .latency_us = s->response.p95,
				  .source = choose_source(s, c->rules.role),
				  .requests_per_mwh = choose_energy(&c->rules, s) };

	if (e.failed)
		c->refused[c->refusals++] = e;
	else
		c->entry[c->entries++] = e;
}

/*
 * The board's, not the suite's, as in solar_design: what two cells idled at differently is drift,
 * and must not look like energy that a suite saves.
 */
static void share_idle(struct choice *c, const struct cell *group, const struct choose_facts *facts)
{
	double sum_w = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->report->cells; i++) {
		const struct cell_summary *s = &c->report->cell[i];
		char reason[192];

		c->rules.idle_w = role_idle_w(s, c->rules.role); /* for rankable(): its own */
		if (!alike(&s->cell, group) || !rankable(c, s, &facts[i], reason, sizeof(reason)))
			continue;
		sum_w += c->rules.idle_w;
		n++;
	}
	c->rules.idle_w = n ? sum_w / (double)n : NAN;
}

static int by_value(const void *left, const void *right)
{
	const struct choose_entry *l = left, *r = right;
	int order = (l->value.mean < r->value.mean) - (l->value.mean > r->value.mean);

	if (order == 0)
		return (l->cell > r->cell) - (l->cell < r->cell);
	return l->better_is_more ? order : -order;
}

static struct interval times(const struct choice *c, const struct choose_entry *a,
			     const struct choose_entry *b)
{
	return choose_times(&c->rules, &c->report->cell[a->cell], &c->report->cell[b->cell]);
}

bool choose_alike(const struct interval *times)
{
	return fabs(times->mean - 1) < CHOOSE_ALIKE && fabs(times->lo - 1) < CHOOSE_ALIKE &&
	       fabs(times->hi - 1) < CHOOSE_ALIKE;
}

static bool tells_apart(const struct interval *i)
{
	return (i->lo > 1 || i->hi < 1) && !choose_alike(i);
}

/*
 * Not worse in anything, and better in something. Energies of two sources are not compared: then
 * neither can be ruled out.
 */
static bool dominates(const struct choose_entry *a, const struct choose_entry *b)
{
	double more = a->requests_per_mwh - b->requests_per_mwh;
	double sooner = b->latency_us - a->latency_us;
	int64_t stronger = a->facts->strength_bits - b->facts->strength_bits;

	return strcmp(a->source, b->source) == 0 && more >= 0 && sooner >= 0 && stronger >= 0 &&
	       (more > 0 || sooner > 0 || stronger > 0);
}

static void find_front(struct choice *c)
{
	for (size_t i = 0; i < c->entries; i++) {
		c->entry[i].pareto = true;
		for (size_t k = 0; k < c->entries; k++)
			if (dominates(&c->entry[k], &c->entry[i]))
				c->entry[i].pareto = false;
	}
}

/* The best that one constraint alone keeps out, and how it compares with the best allowed. */
static void find_costs(struct choice *c)
{
	for (int i = 0; i < CHOOSE_CONSTRAINTS; i++) {
		struct choose_cost cost = { .constraint = (enum choose_constraint)i };
		size_t k = 0;

		while (k < c->refusals && c->refused[k].failed != 1u << i)
			k++;
		if (k == c->refusals)
			continue;
		cost.entry = k;
		cost.times = (struct interval){ NAN, NAN, NAN, 0 };
		if (c->entries) {
			cost.times = times(c, &c->refused[k], &c->entry[0]);
			cost.told = tells_apart(&cost.times);
		}
		c->cost[c->costs++] = cost;
	}
}

static void rank(struct choice *c)
{
	qsort(c->entry, c->entries, sizeof(*c->entry), by_value);
	qsort(c->refused, c->refusals, sizeof(*c->refused), by_value);
	for (size_t i = 0; i + 1 < c->entries; i++) {
		c->entry[i].against_next = times(c, &c->entry[i], &c->entry[i + 1]);
		c->entry[i].told = tells_apart(&c->entry[i].against_next);
	}
	find_front(c);
	find_costs(c);
}

static int allocate(struct choice *c, struct fail *f)
{
	size_t n = c->report->cells + 1;

	c->entry = calloc(n, sizeof(*c->entry));
	c->refused = calloc(n, sizeof(*c->refused));
	c->left = calloc(n, sizeof(*c->left));
	if (c->entry && c->refused && c->left)
		return 0;
	choose_release(c);
	return fail_set(f, ENOMEM, "no memory to rank %zu cells", n - 1);
}

int choose_make(struct choice *c, const struct report *r, const struct choose_facts *facts,
		const struct choose_rules *rules, struct fail *f)
{
	const struct cell *group = find_group(r, rules);

	*c = (struct choice){ .report = r, .rules = *rules };
	if (!group)
		return fail_set(f, ENOENT, "no cell%s%s in the campaign",
				rules->like ? " like " : "", rules->like ? rules->like : "");
	if (allocate(c, f) < 0)
		return -1;
	find_source(c, group);
	if (rules->weight[CHOOSE_DAY] > 0)
		share_idle(c, group, facts);
	for (size_t i = 0; i < r->cells; i++) {
		char reason[192];

		if (!alike(&r->cell[i].cell, group))
			c->others++;
		else if (rankable(c, &r->cell[i], &facts[i], reason, sizeof(reason)))
			enter(c, i, &facts[i]);
		else
			leave_out(c, &r->cell[i].cell, reason);
	}
	if (c->entries + c->refusals == 0) {
		fail_set(f, ENOENT, "nothing to rank: %s: %s", c->left[0].suite, c->left[0].reason);
		choose_release(c);
		return -1;
	}
	rank(c);
	return 0;
}

void choose_release(struct choice *c)
{
	free(c->entry);
	free(c->refused);
	free(c->left);
	*c = (struct choice){ 0 };
}
