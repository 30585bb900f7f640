/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_influx - figures in InfluxDB's line protocol: a point for each cell at the time the
 * campaign began. What was asked for is tags, every figure a field under its own name.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/calendar.h"
#include "results/report.h"
#include "results/report_number.h"

static void escape(struct buf *out, const char *text, const char *what)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '\n')
			c = ' ';
		if (strchr(what, c))
			buf_byte(out, '\\');
		buf_byte(out, (uint8_t)c);
	}
}

/*
 * An empty tag value is not allowed, and says nothing. A backslash cannot be escaped: at the end it
 * would take the delimiter with it, so a blank, escaped, stands behind it.
 */
static void put_tag(struct buf *out, const char *name, const char *value)
{
	if (!*value)
		return;
	buf_printf(out, ",%s=", name);
	escape(out, value, ", =");
	if (value[strlen(value) - 1] == '\\')
		buf_puts(out, "\\ ");
}

static void put_tags(const struct report *r, const struct cell *c, struct buf *out)
{
	put_tag(out, "campaign", r->campaign.name);
	for (const struct field *f = cell_fields; f->name; f++)
		if (f->kind == FIELD_TEXT)
			put_tag(out, f->name, field_text(f, c));
		else if (f->kind == FIELD_INT && field_known(f, c))
			buf_printf(out, ",%s=%" PRId64, f->name, (int64_t)field_number(f, c));
}

static void put_real(struct buf *out, const char *name, const char *tail, double value)
{
	if (!isfinite(value))
		return;
	buf_printf(out, ",%s%s=", name, tail);
	report_number(out, value);
}

static void put_text(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, ",%s=\"", name);
	escape(out, text, "\"\\");
	buf_byte(out, '"');
}

static void put_field(const char *name, const struct field *f, const void *base, void *data)
{
	const void *at = (const char *)base + f->offset;
	const struct interval *i = at;
	struct buf *out = data;

	switch (f->kind) {
	case FIELD_INT:
		if (field_known(f, base))
			buf_printf(out, ",%s=%" PRId64 "i", name, *(const int64_t *)at);
		break;
	case FIELD_REAL:
		put_real(out, name, "", *(const double *)at);
		break;
	case FIELD_BOOL:
		buf_printf(out, ",%s=%s", name, *(const bool *)at ? "true" : "false");
		break;
	case FIELD_TEXT:
	case FIELD_JSON:
		if (*field_text(f, base))
			put_text(out, name, field_text(f, base));
		break;
	case FIELD_INTERVAL:
		put_real(out, name, ".mean", i->mean);
		put_real(out, name, ".ci95_lo", i->lo);
		put_real(out, name, ".ci95_hi", i->hi);
		break;
	}
}

/* "2026-11-30T22:15:17Z"; false: the campaign does not say when. */
static bool read_start(const char *text, int64_t *s)
{
	const char *end = text + strlen(text);

	return calendar_read_time(&text, end, s) && strcmp(text, "Z") == 0;
}

int report_write_influx(const struct report *r, bool colour, struct buf *out)
{
	int64_t began_s;
	bool dated = read_start(r->campaign.started, &began_s);

	(void)colour;
	for (size_t i = 0; i < r->cells; i++) {
		buf_puts(out, "cipherwatt_cell");
		put_tags(r, &r->cell[i].cell, out);
		buf_printf(out, " complete=%s", r->campaign.complete ? "true" : "false");
		field_each(summary_parts + 1, &r->cell[i], put_field, out);
		if (dated)
			buf_printf(out, " %" PRId64 "000000000", began_s);
		buf_byte(out, '\n');
	}
	return out->failed ? -1 : 0;
}
