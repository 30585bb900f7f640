/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_prometheus - figures in Prometheus' text format, for node_exporter's textfile
 * collector.
 *
 * One gauge for each number of the field table, in base units as that world wants them
 * (seconds, joules, bytes, ratios), a sample for each cell. An interval is three
 * gauges. What tells cells apart is in cipherwatt_cell_info's labels; energy carries its source
 * as a label, so a modelled figure says so. Unknown figures are left out.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/report.h"
#include "results/report_number.h"

/* How a unit is written in our names, what takes its place, and by how much. */
static const struct base {
	const char *unit, *token, *base;
	double factor;
} bases[] = {
	{ "us", "us", "seconds", 1e-6 },      { "s", "s", "seconds", 1 },
	{ "mWh", "mwh", "joules", 3.6 },      { "mJ", "mj", "joules", 1e-3 },
	{ "KiB", "kib", "bytes", 1024 },      { "bytes", "bytes", "bytes", 1 },
	{ "pct", "pct", "ratio", 0.01 },      { "1/s", "s", "second", 1 },
	{ "1/mWh", "mwh", "joule", 1 / 3.6 },
};

static const struct base *base_of(const struct field *f)
{
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		if (strcmp(bases[i].unit, f->unit) == 0)
			return &bases[i];
	return NULL;
}

/* "per second" stays where it was; a base unit alone goes to the end. */
static bool is_rate(const struct base *b)
{
	return b->unit[0] == '1';
}

/* Cuts the token out of the name where it stands as a word, or puts another in its place. */
static void cut_token(char *name, size_t room, const char *token, const char *instead)
{
	size_t len = strlen(token);
	char rest[FIELD_NAME_BYTES];

	for (char *at = name; (at = strstr(at, token)); at++) {
		bool begins = at > name && at[-1] == '_';

		if (!begins || (at[len] && at[len] != '_'))
			continue;
		snprintf(rest, sizeof(rest), "%s", at + len);
		at -= *instead == '\0';
		snprintf(at, room - (size_t)(at - name), "%s%s", instead, rest);
		return;
	}
}

/* "server.energy.gross_mwh" becomes "cipherwatt_server_energy_gross_joules". */
static void metric_name(const char *name, const struct field *f, const char *tail, char *dst,
			size_t len)
{
	const struct base *b = base_of(f);
	char words[FIELD_NAME_BYTES];

	snprintf(words, sizeof(words), "%s", name);
	for (char *c = words; *c; c++)
		*c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
	if (b)
		cut_token(words, sizeof(words), b->token, is_rate(b) ? b->base : "");
	snprintf(dst, len, "cipherwatt_%s%s%s%s", words, tail, b && !is_rate(b) ? "_" : "",
		 b && !is_rate(b) ? b->base : "");
}

static void put_label_value(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			buf_byte(out, '\\');
		if (*text == '\n')
			buf_puts(out, "\\n");
		else
			buf_byte(out, (uint8_t)*text);
	}
}

static void put_label(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s=\"", name);
	put_label_value(out, value);
	buf_byte(out, '"');
}

static const char *energy_of(const char *name, const struct cell_summary *c)
{
	if (strncmp(name, "server.energy.", 14) == 0)
		return c->server.energy.source;
	return strncmp(name, "client.energy.", 14) == 0 ? c->client.energy.source : NULL;
}

static void put_labels(const struct report *r, const char *name, const struct cell_summary *c,
		       struct buf *out)
{
	const char *energy = energy_of(name, c);

	buf_byte(out, '{');
	put_label(out, "campaign", r->campaign.name);
	buf_byte(out, ',');
	put_label(out, "cell", c->cell.name);
	if (energy) {
		buf_byte(out, ',');
		put_label(out, "energy", energy);
	}
	buf_puts(out, "} ");
}

/* What was asked for, once for each cell; others are joined with it on campaign and cell. */
static void put_info(const struct report *r, const struct cell *c, struct buf *out)
{
	char number[32];

	buf_puts(out, "cipherwatt_cell_info{");
	put_label(out, "campaign", r->campaign.name);
	buf_byte(out, ',');
	put_label(out, "cell", c->name);
	for (const struct field *f = cell_fields; f->name; f++) {
		if (f->kind == FIELD_JSON || !strcmp(f->name, "name"))
			continue;
		buf_byte(out, ',');
		*number = '\0';
		if (f->kind != FIELD_TEXT && field_known(f, c))
			snprintf(number, sizeof(number), "%.15g", field_number(f, c));
		put_label(out, f->name, f->kind == FIELD_TEXT ? field_text(f, c) : number);
	}
	buf_puts(out, "} 1\n");
}

struct writing {
	const struct report *report;
	struct buf *out;
};

/* part: 0 the value or mean, 1 and 2 the interval's bounds. */
static double value_of(const struct field *f, const void *base, int part)
{
	const struct interval *i = (const void *)((const char *)base + f->offset);

	if (f->kind != FIELD_INTERVAL)
		return field_number(f, base);
	return part == 0 ? i->mean : part == 1 ? i->lo : i->hi;
}

static void put_metric(struct writing *w, const char *name, const struct field *f, size_t place,
		       int part)
{
	static const char *const tails[] = { "", "_ci95_low", "_ci95_high" };
	static const char *const helps[] = { "", " (lower end of the 95 % interval)",
					     " (upper end of the 95 % interval)" };
	const struct base *b = base_of(f);
	char metric[FIELD_NAME_BYTES + 48];
	bool begun = false;

	metric_name(name, f, tails[part], metric, sizeof(metric));
	for (size_t i = 0; i < w->report->cells; i++) {
		const struct cell_summary *c = &w->report->cell[i];
		double value = value_of(f, (const char *)c + place, part);

		if (!isfinite(value))
			continue;
		if (!begun)
			buf_printf(w->out, "# HELP %s %s%s\n# TYPE %s gauge\n", metric, f->help,
				   helps[part], metric);
		begun = true;
		buf_puts(w->out, metric);
		put_labels(w->report, name, c, w->out);
		report_number(w->out, value * (b ? b->factor : 1));
		buf_byte(w->out, '\n');
	}
}

static void put_field(const char *name, const struct field *f, const void *base, void *data)
{
	struct writing *w = data;
	/* base is within the first cell; the same place in the others is as far from theirs. */
	size_t place = (size_t)((const char *)base - (const char *)&w->report->cell[0]);

	if (f->kind == FIELD_TEXT || f->kind == FIELD_JSON)
		return;
	for (int part = 0; part < (f->kind == FIELD_INTERVAL ? 3 : 1); part++)
		put_metric(w, name, f, place, part);
}

int report_write_prometheus(const struct report *r, bool colour, struct buf *out)
{
	struct writing w = { r, out };

	(void)colour;
	buf_puts(out, "# HELP cipherwatt_campaign_complete 0 while trials of the campaign are "
		      "missing\n# TYPE cipherwatt_campaign_complete gauge\n"
		      "cipherwatt_campaign_complete{");
	put_label(out, "campaign", r->campaign.name);
	buf_printf(out, "} %d\n", r->campaign.complete);
	if (r->cells)
		buf_puts(out, "# HELP cipherwatt_cell_info What was asked for in a cell\n"
			      "# TYPE cipherwatt_cell_info gauge\n");
	for (size_t i = 0; i < r->cells; i++)
		put_info(r, &r->cell[i].cell, out);
	/* The first part is the cell itself. */
	if (r->cells)
		field_each(summary_parts + 1, &r->cell[0], put_field, &w);
	return out->failed ? -1 : 0;
}
