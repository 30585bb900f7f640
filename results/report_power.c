/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_power - power over time: figure 7 of the gateway study, for the first cell of each
 * suite.
 *
 * Always as SVG. Where a trace is long and Debian's dygraphs is on this machine, its script is
 * written into the page too, and shows the same with a zoom; a page without a long trace has
 * no script at all.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/html_text.h"
#include "results/report_html.h"
#include "results/report_number.h"
#include "results/report_plot.h"

#define DRAWN      120  /* steps of the SVG and of the table */
#define LONG       2000 /* samples from which on a zoom is worth a script */
#define SCRIPT     "/usr/share/javascript/dygraphs/dygraph.min.js"
#define STYLE      "/usr/share/javascript/dygraphs/dygraph.min.css"
#define SCRIPT_MAX (1 << 20)

static bool is_long(const struct report *r)
{
	for (size_t i = 0; i < r->traces; i++)
		if (r->trace[i].samples >= LONG)
			return true;
	return false;
}

/* Whole, or nothing: a file that is missing or too long is no error. */
static bool append_file(const char *path, struct buf *out)
{
	FILE *file = fopen(path, "rb");
	char part[4096];
	size_t n, before = out->len;

	while (file && (n = fread(part, 1, sizeof(part), file)) > 0 &&
	       out->len < before + SCRIPT_MAX)
		buf_put(out, part, n);
	if (file)
		fclose(file);
	return out->len > before && out->len < before + SCRIPT_MAX;
}

bool report_has_script(const struct report *r)
{
	struct buf script = { 0 };
	bool found = is_long(r) && append_file(SCRIPT, &script);

	/* What would end the element early, or is not there, is not used. */
	found = found && !strstr(buf_text(&script), "</script") &&
		!strstr(buf_text(&script), "]]>");
	buf_release(&script);
	return found;
}

static const char *source_of(const struct report *r, const struct report_trace *t)
{
	return r->cell[t->cell].server.energy.source;
}

static void put_series(const struct report *r, const struct report_trace *t, struct buf *out)
{
	char name[240];

	buf_puts(out, "{\"name\":\"");
	report_line_name(r, &r->cell[t->cell].cell, name, sizeof(name));
	for (const char *c = name; *c; c++)
		if (*c != '"' && *c != '\\' && *c != '<' && *c != '&')
			buf_byte(out, (uint8_t)*c);
	buf_printf(out, " (%s)\",\"window\":", source_of(r, t));
	report_number(out, t->window_s);
	buf_puts(out, ",\"rows\":[");
	for (size_t i = 0; i < REPORT_TRACE_STEPS; i++) {
		if (!isfinite(t->step[i].mean_w))
			continue;
		buf_printf(out, "%s[%.6g,[%.5g,%.5g,%.5g]]",
			   out->data[out->len - 1] == '[' ? "" : ",",
			   report_trace_time_s(t, i, REPORT_TRACE_STEPS), t->step[i].low_w,
			   t->step[i].mean_w, t->step[i].high_w);
	}
	buf_puts(out, "]}");
}

/* The element is empty without JavaScript, and the drawing above it says the same. */
static void put_script(const struct report *r, struct buf *out)
{
	buf_puts(out, "<div id=\"zoom\"></div>\n<style>");
	append_file(STYLE, out);
	buf_puts(out, "</style>\n<script>//<![CDATA[\n");
	append_file(SCRIPT, out);
	buf_puts(out, "\nconst traces = [");
	for (size_t i = 0; i < r->traces; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		put_series(r, &r->trace[i], out);
	}
	buf_puts(out,
		 "];\n"
		 "for (const t of traces) {\n"
		 "const head = document.createElement('p'), box = document.createElement('div');\n"
		 "head.textContent = t.name + ': drag to zoom, double click to see all';\n"
		 "box.style.width = '100%'; box.style.height = '220px';\n"
		 "document.getElementById('zoom').append(head, box);\n"
		 "new Dygraph(box, t.rows, {labels: ['s', 'W'], customBars: true, ylabel: 'W',\n"
		 "xlabel: 's', underlayCallback: (c, area, g) => {\n"
		 "const a = g.toDomXCoord(0), b = g.toDomXCoord(t.window);\n"
		 "c.fillStyle = 'rgba(128, 128, 128, 0.2)'; c.fillRect(a, area.y, b - a, area.h); "
		 "}});\n"
		 "}\n//]]></script>\n");
}

static void fill_points(const struct report_trace *t, struct svg_point *point)
{
	struct report_step step[DRAWN];

	report_trace_merge(t, DRAWN, step);
	for (size_t i = 0; i < DRAWN; i++)
		point[i] = (struct svg_point){ report_trace_time_s(t, i, DRAWN), step[i].mean_w,
					       step[i].low_w, step[i].high_w, "" };
}

/* Traces of one source: measured and modelled power never share a drawing. */
static void put_plot(const struct report *r, const char *source, struct buf *out)
{
	struct svg_point *point = calloc(REPORT_TRACES * DRAWN, sizeof(*point));
	struct svg_series series[REPORT_TRACES] = { 0 };
	char id[48];
	struct svg_plot p = {
		.id = id,
		.title = "Power of the server over time",
		.description =
			"Idle, the measure window (shaded), and idle again, of one trial of "
			"each. A line is the mean of a step of time, a whisker what was lowest "
			"and highest in it.",
		.x = { .title = "s since the window began" },
		.y = { .title = "W", .tight = true },
		.series = series,
	};

	out->failed |= !point;
	snprintf(id, sizeof(id), "power-%s", source);
	for (size_t i = 0; i < r->traces && point; i++) {
		struct svg_series *one = &series[p.count];

		if (strcmp(source_of(r, &r->trace[i]), source))
			continue;
		one->point = point + p.count++ * DRAWN;
		one->points = DRAWN;
		one->line = one->bare = true;
		fill_points(&r->trace[i], point + (p.count - 1) * DRAWN);
		p.band_to = r->trace[i].window_s;
		report_line_name(r, &r->cell[r->trace[i].cell].cell, one->name, sizeof(one->name));
	}
	if (p.count)
		report_plot(&p, source, out);
	free(point);
}

void report_html_power(const struct report *r, struct buf *out)
{
	for (int s = 0; energy_sources[s]; s++)
		put_plot(r, energy_sources[s], out);
	if (report_has_script(r))
		put_script(r, out);
}
