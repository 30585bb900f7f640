/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_csv - a row for each cell, by RFC 4180: CRLF, quotes where needed.
 *
 * Column names carry their units. An interval is three columns; unknown is empty.
 */
#include <inttypes.h>
#include <string.h>

#include "results/report.h"
#include "results/report_number.h"

static void put_text(struct buf *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		buf_puts(out, text);
		return;
	}
	buf_byte(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_byte(out, '"');
		buf_byte(out, (uint8_t)*text);
	}
	buf_byte(out, '"');
}

static void put_head(const char *name, const struct field *f, const void *base, void *data)
{
	(void)base;
	if (f->kind == FIELD_INTERVAL)
		buf_printf(data, ",%s.mean,%s.ci95_lo,%s.ci95_hi", name, name, name);
	else
		buf_printf(data, ",%s", name);
}

static void put_value(const char *name, const struct field *f, const void *base, void *data)
{
	const void *at = (const char *)base + f->offset;
	struct buf *out = data;

	(void)name;
	buf_byte(out, ',');
	if (f->kind == FIELD_INTERVAL) {
		const struct interval *i = at;

		report_number(out, i->mean);
		buf_byte(out, ',');
		report_number(out, i->lo);
		buf_byte(out, ',');
		report_number(out, i->hi);
	} else if (f->kind == FIELD_TEXT || f->kind == FIELD_JSON) {
		put_text(out, field_text(f, base));
	} else if (f->kind == FIELD_BOOL) {
		buf_puts(out, *(const bool *)at ? "true" : "false");
	} else if (f->kind == FIELD_REAL) {
		report_number(out, *(const double *)at);
	} else if (field_known(f, base)) {
		buf_printf(out, "%" PRId64, *(const int64_t *)at);
	}
}

int report_write_csv(const struct report *r, bool colour, struct buf *out)
{
	(void)colour;
	buf_puts(out, "campaign,complete");
	field_each(summary_parts, NULL, put_head, out);
	buf_puts(out, "\r\n");
	for (size_t i = 0; i < r->cells; i++) {
		put_text(out, r->campaign.name);
		buf_puts(out, r->campaign.complete ? ",true" : ",false");
		field_each(summary_parts, &r->cell[i], put_value, out);
		buf_puts(out, "\r\n");
	}
	return out->failed ? -1 : 0;
}
