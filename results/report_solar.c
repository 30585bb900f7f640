/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_solar - the section "Sized for the sun": what panel and battery each suite needs at a
 * site, and the curves of equal reliability. Only where a site was given.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/html_text.h"
#include "results/report_html.h"
#include "results/report_plot.h"
#include "results/solar_design.h"

static void put_site(const struct solar_study *s, struct buf *out)
{
	const struct weather *w = s->weather;
	const struct weather_quality *q = &w->quality;

	char worst[96];

	solar_worst_text(s, worst, sizeof(worst));
	buf_puts(out, "<p>");
	html_printf(out,
		    "Site %.3f, %.3f (%s): %.1f kWh/m2 a year, %.2f a day in the panel's plane; "
		    "worst 1, 3, 5 and 7 days in a row %s. %.0f requests a day; at most %.3g %% of "
		    "the load's energy may be unmet.",
		    w->latitude_deg, w->longitude_deg, w->format, q->kwh_m2, s->mean_kwh_m2_day,
		    worst, s->settings.requests_per_day, 100 * s->settings.rules.lpsp_max);
	buf_puts(out, "</p>\n");
	for (int i = 0; i < q->notes; i++) {
		buf_puts(out, "<p class=\"faint\">");
		html_text(out, q->note[i]);
		buf_puts(out, "</p>\n");
	}
}

static void put_savings(const struct solar_study *s, struct buf *out)
{
	buf_puts(out, "<ul>\n");
	for (size_t i = 0; i < s->designs; i++) {
		struct buf text = { 0 };

		if (i == s->reference)
			continue;
		solar_saving(&s->design[i], &s->design[s->reference], &text);
		buf_puts(out, "<li>");
		html_text(out, buf_text(&text));
		buf_puts(out, ".</li>\n");
		buf_release(&text);
	}
	for (size_t i = 0; i < s->lefts; i++) {
		buf_puts(out, "<li>Left out: ");
		html_printf(out, "%s: %s", s->left[i].suite, s->left[i].reason);
		buf_puts(out, ".</li>\n");
	}
	buf_puts(out, "</ul>\n");
}

static void put_number(double value, int places, struct buf *out)
{
	char text[48];

	snprintf(text, sizeof(text), "%.*f", places, value);
	buf_printf(out, "<td class=\"n\">%s</td>", isnan(value) ? "" : text);
}

static void put_design(const struct solar_design *d, struct buf *out)
{
	buf_puts(out, "<tr><th scope=\"row\" class=\"suite\">");
	html_suite(out, d->cell);
	buf_puts(out, "</th>");
	put_number(d->idle_w, 3, out);
	put_number(d->net_mj.mean, 3, out);
	put_number(d->load_wh_per_day.lo, 3, out);
	put_number(d->load_wh_per_day.mean, 3, out);
	put_number(d->load_wh_per_day.hi, 3, out);
	put_number(d->panel_w, 1, out);
	put_number(d->battery_wh, 0, out);
	put_number(100 * d->year.lpsp, 3, out);
	put_number(d->year.hours_lost, 0, out);
	put_number(d->year.longest_h, 0, out);
	buf_puts(out, "</tr>\n");
}

static void put_designs(const struct solar_study *s, struct buf *out)
{
	static const char *const heads[] = {
		"idle W",     "net mJ/request", "load Wh/day from", "mean",      "to", "panel W",
		"battery Wh", "unmet %",        "hours lost",       "longest h", NULL
	};

	html_wide(out, "Panel and battery");
	buf_puts(out, "<table id=\"solar-designs\"><thead><tr><th scope=\"col\">cell</th>");
	for (int i = 0; heads[i]; i++)
		buf_printf(out, "<th scope=\"col\" class=\"n\">%s</th>", heads[i]);
	buf_puts(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < s->designs; i++)
		put_design(&s->design[i], out);
	buf_puts(out, "</tbody></table></div>\n");
}

/* Battery across, panel up: every point of a line lacks as little as the others. */
static void put_curves(const struct solar_study *s, struct buf *out)
{
	struct svg_series series[SVG_PLOT_SERIES + 1] = { 0 };
	struct svg_point(*point)[CURVE_POINTS] = calloc(SVG_PLOT_SERIES + 1, sizeof(*point));
	struct svg_plot plot = {
		.id = "solar-curves",
		.title = "Designs of equal reliability",
		.description = "Each line is a suite: with less battery it needs more panel. Left "
			       "and down "
			       "is cheaper.",
		.x = { .title = "battery, Wh" },
		.y = { .title = "panel, W" },
		.series = series,
	};

	out->failed |= !point;
	for (size_t i = 0; i < s->designs && point; i++) {
		const struct sizing *z = &s->design[i].sizing;
		struct svg_series *one = &series[plot.count];

		for (int k = 0; k < z->points; k++)
			point[plot.count][k] =
				(struct svg_point){ z->curve[k].battery_wh, z->curve[k].panel_w,
						    NAN, NAN, "" };
		snprintf(one->name, sizeof(one->name), "%s", s->design[i].suite);
		one->point = point[plot.count];
		one->points = (size_t)z->points;
		one->line = true;
		svg_plot_take(&plot, SVG_PLOT_SERIES);
	}
	if (plot.count)
		report_plot(&plot, s->source, out);
	free(point);
}

void report_html_solar(const struct report *r, struct buf *out)
{
	const struct solar_study *s = r->solar;
	struct buf idle = { 0 };

	if (!s)
		return;
	buf_puts(out, "<section id=\"solar\"><h2>Sized for the sun");
	report_html_badge(s->source, out);
	buf_puts(out, "</h2>\n");
	put_site(s, out);
	put_savings(s, out);
	put_designs(s, out);
	solar_idle_text(s, &idle);
	if (idle.len) {
		buf_puts(out, "<p>");
		html_text(out, buf_text(&idle));
		buf_puts(out, "</p>\n");
	}
	out->failed |= idle.failed;
	buf_release(&idle);
	put_curves(s, out);
	buf_puts(out, "</section>\n");
}
