/* SPDX-License-Identifier: Apache-2.0 */
/* report_html - what the files of the HTML page share. Not for anyone else. */
#ifndef RESULTS_REPORT_HTML_H
#define RESULTS_REPORT_HTML_H

#include "results/report.h"

extern const char report_style[]; /* CSS */

struct svg_chart;
/* A figure of bars with its legend, and the table behind it. source: "modelled", or "". */
void report_html_bars(const struct svg_chart *c, const char *title, const char *source,
		      struct buf *out);
void report_html_charts(const struct report *r, struct buf *out);
/* What a line of a plot stands for: "suite, engine, server, coding", as far as they differ. */
void report_line_name(const struct report *r, const struct cell *c, char *dst, size_t len);
/* What else tells cells apart, but the field of this name (may be ""): "payload 512 B". */
void report_task_name(const struct report *r, const struct cell *c, const char *but, char *dst,
		      size_t len);

/* Nothing where the campaign has no such cells. */
void report_html_power(const struct report *r, struct buf *out);
/* The page needs a script for it: a trace is long, and there is a library that zooms. */
bool report_has_script(const struct report *r);
void report_html_sweeps(const struct report *r, struct buf *out);
void report_html_fronts(const struct report *r, struct buf *out);
void report_html_curves(const struct report *r, struct buf *out);
void report_html_solar(const struct report *r, struct buf *out);
void report_html_budget(const struct report *r, struct buf *out);
void report_html_overview(const struct report *r, struct buf *out);
void report_html_nodes(const struct report *r, struct buf *out);
void report_html_settings(const struct report *r, struct buf *out);
void report_html_notes(const struct report *r, struct buf *out);
void report_html_invalid(const struct report *r, struct buf *out);
/* Every figure of the field table, a column for each cell. */
void report_html_all(const struct report *r, struct buf *out);

/* Cells of a table: requests per second, of the gross energy, and milliseconds of a percentile. */
void report_html_rate(const struct cell_summary *c, struct buf *out);
void report_html_per_mwh(const struct summary_energy *e, struct buf *out);
void report_html_percentile(const struct cell_summary *c, const char *percentile, double own_us,
			    struct buf *out);

/* "modelled" in a box, or nothing for a measured energy. */
void report_html_badge(const char *source, struct buf *out);

#endif
