/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_words - what every format for people says alike: labels, the method, the
 * sentences of comparisons. Plain text; formats escape and wrap it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "results/figure.h"
#include "results/report.h"

static const struct {
	const char *name, *head;
} heads[] = {
	{ "client_engine", "client engine" },
	{ "server_under_test", "server" },
	{ "payload_bytes", "payload" },
	{ "payload_kind", "content" },
};

const char *report_head(const struct field *f)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (strcmp(heads[i].name, f->name) == 0)
			return heads[i].head;
	return f->name;
}

void report_dimension(const struct field *f, const struct cell *c, char *dst, size_t len)
{
	if (strcmp(f->name, "payload_bytes") == 0)
		units_format_bytes(c->payload_bytes, dst, len);
	else if (strcmp(f->name, "settings") == 0)
		report_settings(c, NULL, dst, len);
	else
		figure_field(f, c, dst, len);
}

void report_difference(const struct report *r, const struct field *f, const struct cell *c,
		       char *dst, size_t len)
{
	if (strcmp(f->name, "settings") == 0)
		report_settings(c, r->same_settings, dst, len);
	else
		report_dimension(f, c, dst, len);
}

/* A bare number or a bare "openssl" would not say what it is about. */
static bool needs_head(const struct field *f)
{
	return (f->kind != FIELD_TEXT && f->kind != FIELD_JSON) || strstr(f->name, "engine");
}

static void put_dimension(const struct report *r, const struct field *f, const struct cell *c,
			  char *dst, size_t len)
{
	size_t used = strlen(dst);
	char value[192];

	report_difference(r, f, c, value, sizeof(value));
	if (!*value)
		return;
	snprintf(dst + used, len - used, "%s%s%s%s", used ? ", " : "",
		 needs_head(f) ? report_head(f) : "", needs_head(f) ? " " : "", value);
}

/* No library; or a client with the server's, unless the server's is the question. */
static bool goes_without_saying(const struct field *f, const struct field *but,
				const struct cell *c)
{
	if (strstr(f->name, "engine") && strcmp(field_text(f, c), "null") == 0)
		return true;
	return strcmp(f->name, "client_engine") == 0 && strcmp(c->engine, c->client_engine) == 0 &&
	       !(but && strcmp(but->name, "engine") == 0);
}

void report_detail(const struct report *r, const struct cell *c, const struct field *but, char *dst,
		   size_t len)
{
	*dst = '\0';
	for (int i = 1; r->varying[i]; i++)
		if (r->varying[i] != but && !goes_without_saying(r->varying[i], but, c))
			put_dimension(r, r->varying[i], c, dst, len);
}

void report_common(const struct report *r, char *dst, size_t len)
{
	char value[512];
	size_t used = 0;

	*dst = '\0';
	if (r->constant[0] && r->cells)
		used = (size_t)snprintf(dst, len, "All cells: ");
	for (int i = 0; r->constant[i] && r->cells && used < len; i++) {
		report_dimension(r->constant[i], &r->cell[0].cell, value, sizeof(value));
		used += (size_t)snprintf(dst + used, len - used, "%s%s %s", i ? ", " : "",
					 report_head(r->constant[i]), value);
	}
	report_settings_in_common(r, value, sizeof(value));
	if (*value && used < len)
		snprintf(dst + used, len - used, "%s%s", used ? ", " : "All cells: ", value);
}

static void add_source(const struct summary_energy *e, char *dst, size_t len)
{
	size_t used = strlen(dst);

	if (summary_has_energy(e) && !strstr(dst, e->source))
		snprintf(dst + used, len - used, "%s%s", used ? " and " : "", e->source);
}

void report_sources(const struct report *r, char *dst, size_t len)
{
	*dst = '\0';
	for (size_t i = 0; i < r->cells; i++) {
		add_source(&r->cell[i].server.energy, dst, len);
		add_source(&r->cell[i].client.energy, dst, len);
	}
}

const char *report_limit(const struct cell_summary *c)
{
	return c->load_limited_trials ? "load-limited" : "";
}

bool report_warning(const struct report *r, char *dst, size_t len)
{
	char sources[64];

	report_sources(r, sources, sizeof(sources));
	if (!*sources || strcmp(sources, "measured") == 0)
		return false;
	if (strstr(sources, " and "))
		snprintf(dst, len,
			 "Energy is %s: each figure says which, and only measured comes from a "
			 "sensor",
			 sources);
	else
		snprintf(dst, len, "Energy is %s, not measured by a sensor", sources);
	return true;
}

static void put_trials(const struct report *r, struct buf *out)
{
	int64_t valid = r->trials - (int64_t)r->invalids;

	buf_printf(out,
		   "The campaign has %zu cells and %" PRId64
		   " blocks; a block is one trial of every cell, in random order (seed %" PRId64
		   "). %" PRId64 " trials are stored, %" PRId64
		   " of them valid; only those enter the figures.",
		   r->cells, r->campaign.blocks, r->campaign.seed, r->trials, valid);
	if (r->trials_missing)
		buf_printf(out, " %" PRId64 " trials are missing.", r->trials_missing);
	report_until(r, out);
	buf_byte(out, '\n');
}

/* power/model writes the basis: a board by its name, with nothing given in place of its figures. */
static bool rests_on_published(const struct summary_energy *e)
{
	return summary_is_modelled(e) && !strncmp(e->basis, "board ", 6) &&
	       !strstr(e->basis, "as given");
}

/* A model's is no instrument's: it is how far apart those are who measured such a board. */
static void put_uncertainty(const struct summary_energy *e, struct buf *out)
{
	if (!isfinite(e->uncertainty_pct))
		buf_printf(out,
			   " Nobody said how good %s: the uncertainty of the energy is not known, "
			   "and no interval has it in it.",
			   summary_is_modelled(e) ? "these watts are" : "the instrument is");
	else if (rests_on_published(e))
		buf_printf(out,
			   " Published figures of such boards differ by up to %.2g %% from those "
			   "used; standard uncertainty of the gross energy %.2g %%, apart from "
			   "the intervals.",
			   e->uncertainty_pct * sqrt(3), e->uncertainty_pct);
	else
		buf_printf(out,
			   " %s standard uncertainty of the gross energy is %.2g %%, apart from "
			   "the intervals.",
			   summary_is_modelled(e) ? "The" : "The instrument's", e->uncertainty_pct);
}

/* Every different basis once. */
static void put_bases(const struct report *r, bool client, struct buf *out)
{
	const char *said = "";

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell_summary *c = &r->cell[i];
		const struct summary_energy *e = client ? &c->client.energy : &c->server.energy;

		if (!summary_has_energy(e) || strcmp(said, e->basis) == 0)
			continue;
		said = e->basis;
		buf_printf(out, "Energy of the %s is %s: %s.", client ? "client" : "server",
			   e->source, *e->basis ? e->basis : "its basis was not recorded");
		if (summary_is_modelled(e))
			buf_puts(out, " No sensor measured it, so it says how the model answers, "
				      "not what a board draws.");
		put_uncertainty(e, out);
		buf_byte(out, '\n');
	}
}

static void find_zero(const char *name, const struct field *f, const void *base, void *data)
{
	(void)name;
	if (f->kind == FIELD_INTERVAL && !(f->flags & FIELD_SIGNED))
		*(bool *)data |=
			figure_reaches_zero((const void *)((const char *)base + f->offset));
}

static bool reaches_zero(const struct report *r)
{
	bool found = false;

	for (size_t i = 0; i < r->cells && !found; i++)
		field_each(summary_parts, &r->cell[i], find_zero, &found);
	return found;
}

void report_method(const struct report *r, struct buf *out)
{
	char sources[64];

	put_trials(r, out);
	buf_puts(out, "± and brackets are 95 % intervals over trials: Student's t for means, "
		      "Fieller's for ratios. \"± ?\" means that there is none: one trial gives no "
		      "interval, and a ratio's has no bounds where its divisor varies too much. A "
		      "bootstrap's intervals (BCa, by a fixed seed) stand beside them in --format "
		      "json; of few trials they cover less than 95 %, so they are not shown.\n");
	if (reaches_zero(r))
		buf_printf(out, "%s --format json has it as computed.\n", figure_zero);
	buf_puts(out,
		 "Requests per second, per CPU second and per mWh are of what was completed in the "
		 "window, whenever it was begun. Response time runs from when a request was due to "
		 "its last byte; percentiles "
		 "come from the trials' merged histograms, right to 0.1 %.\n");
	report_servers(r, out);
	report_sources(r, sources, sizeof(sources));
	if (!*sources) {
		buf_puts(out, "No energy was metered.\n");
		return;
	}
	buf_puts(out, "Requests per mWh are of gross energy: idle is in it. Idle was measured "
		      "before and after each trial; net is gross less idle.\n");
	put_bases(r, false, out);
	put_bases(r, true, out);
}

static bool proven(const struct interval *i)
{
	return i->lo > 1 || i->hi < 1;
}

static void put_energy(const struct report *r, const struct report_comparison *c, struct buf *out)
{
	const struct summary_energy *e = &r->cell[c->cell].server.energy;
	char range[FIGURE_BYTES];

	if (!isfinite(c->energy.lo))
		return;
	figure_range(&c->energy, range);
	if (proven(&c->energy))
		buf_printf(out, "; %s times the requests per %s mWh", range, e->source);
	else
		buf_printf(out, "; no difference proven in requests per %s mWh: %s times",
			   e->source, range);
}

static bool engine_varies(const struct report *r)
{
	for (int i = 0; r->varying[i]; i++)
		if (!strcmp(r->varying[i]->name, "engine"))
			return true;
	return false;
}

/*
 * Plain has no library, so what both cells have in common does not name one; the reference
 * does.
 */
static void put_engine(const struct report *r, const struct cell *reference, char *dst, size_t len)
{
	size_t used = strlen(dst);

	if (engine_varies(r))
		snprintf(dst + used, len - used, " with %s", reference->engine);
}

void report_sentence(const struct report *r, const struct report_comparison *c, struct buf *out)
{
	const struct cell *cell = &r->cell[c->cell].cell, *reference = &r->cell[c->reference].cell;
	char a[192], b[192], detail[512], range[FIGURE_BYTES];
	bool suite = strcmp(c->differ->name, "suite") == 0;
	bool bare = strcmp(cell->engine, "null") == 0 && strcmp(reference->engine, "null") != 0;

	report_difference(r, c->differ, cell, a, sizeof(a));
	report_difference(r, c->differ, reference, b, sizeof(b));
	report_detail(r, bare ? cell : reference, c->differ, detail, sizeof(detail));
	if (bare)
		put_engine(r, reference, b, sizeof(b));
	if (!suite)
		buf_printf(out, "With %s, ", cell->suite);
	figure_range(&c->cpu, range);
	if (proven(&c->cpu))
		buf_printf(out, "%s does %s times the requests per server CPU second of %s", a,
			   range, b);
	else
		buf_printf(out,
			   "%s and %s: no difference proven in requests per server CPU second, "
			   "%s times",
			   a, b, range);
	put_energy(r, c, out);
	if (*detail)
		buf_printf(out, " (%s)", detail);
	buf_byte(out, '.');
}
