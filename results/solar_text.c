/* SPDX-License-Identifier: Apache-2.0 */
/* solar_text - a solar study for people: site, loads, designs, months, what a suite saves. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/table.h"
#include "results/solar_design.h"

static const char *const month_names[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

void solar_worst_text(const struct solar_study *s, char *dst, size_t len)
{
	double days = (double)s->weather->rows * s->weather->step_s / 86400;
	bool too_short = false;
	size_t used = 0;

	for (int i = 0; i < 4 && used < len; i++) {
		char number[32];

		snprintf(number, sizeof(number), "%.2f", s->worst_kwh_m2[i]);
		too_short |= isnan(s->worst_kwh_m2[i]);
		used += (size_t)snprintf(dst + used, len - used, "%s%s", i ? " " : "",
					 isnan(s->worst_kwh_m2[i]) ? "n/a" : number);
	}
	if (too_short && used < len)
		snprintf(dst + used, len - used, " (the file has %.1f days)", days);
}

static void put_site(const struct solar_study *s, struct buf *out)
{
	const struct weather *w = s->weather;
	const struct weather_quality *q = &w->quality;
	char worst[96];

	solar_worst_text(s, worst, sizeof(worst));
	buf_printf(out, "Site: %s%s%.3f, %.3f (%s, %.3g year%s%s, rows of %d min)\n", w->place,
		   w->place[0] ? ", " : "", w->latitude_deg, w->longitude_deg, w->format,
		   weather_years(w), weather_years(w) == 1 ? "" : "s",
		   w->typical ? ", typical: it understates long bad spells" : "", w->step_s / 60);
	buf_printf(out,
		   "Sun: %.1f kWh/m2 a year %s, %.2f a day in the panel's plane; worst 1, 3, 5, 7 "
		   "days: %s\n",
		   q->kwh_m2, w->in_plane ? "in the file's plane" : "horizontal",
		   s->mean_kwh_m2_day, worst);
	buf_printf(out,
		   "Quality: %zu rows missing, %zu dark by day, %zu filled (%.1f kWh/m2 without), ",
		   q->missing, q->dark, q->filled, q->raw_kwh_m2);
	if (isnan(q->noon_error_h))
		buf_puts(out, "too short to find noon in\n");
	else
		buf_printf(out, "sunshine %.2f h off noon\n", q->noon_error_h);
	for (int i = 0; i < q->notes; i++)
		buf_printf(out, "  note: %s\n", q->note[i]);
}

double solar_idle_share(const struct solar_design *d)
{
	return 24 * d->idle_w / d->load_wh_per_day.mean;
}

void solar_idle_text(const struct solar_study *s, struct buf *out)
{
	double least = 1, most = 0, uncertainty_pct = NAN;

	for (size_t i = 0; i < s->designs; i++) {
		least = fmin(least, solar_idle_share(&s->design[i]));
		most = fmax(most, solar_idle_share(&s->design[i]));
		uncertainty_pct = fmax(uncertainty_pct, s->design[i].uncertainty_pct);
	}
	if (!(least > 0.5) || !isfinite(uncertainty_pct))
		return;
	buf_printf(out, "Idle power is %.4g ", 100 * least);
	if (most - least >= 0.001)
		buf_printf(out, "to %.4g ", 100 * most);
	buf_printf(out,
		   "%% of the load. It is %s, with a standard uncertainty of %.2g %% that no "
		   "interval here holds: load, panel and battery may be off by as much, or twice "
		   "that.",
		   s->source, uncertainty_pct);
}

#define CELLS      10
#define CELL_BYTES 64

static void put_interval(char cell[CELL_BYTES], const struct interval *i)
{
	if (isnan(i->lo) || isnan(i->hi))
		snprintf(cell, CELL_BYTES, "%.3g (interval not known)", i->mean);
	else
		snprintf(cell, CELL_BYTES, "%.3g (%.3g to %.3g)", i->mean, i->lo, i->hi);
}

static void design_row(struct table *t, const struct solar_design *d)
{
	char cell[CELLS][CELL_BYTES];
	const char *row[CELLS + 1] = { d->cell };

	snprintf(cell[0], CELL_BYTES, "%.3f", d->idle_w);
	put_interval(cell[1], &d->net_mj);
	snprintf(cell[2], CELL_BYTES, "%.2f", d->load_wh_per_day.mean);
	snprintf(cell[3], CELL_BYTES, "%.1f", d->panel_w);
	snprintf(cell[4], CELL_BYTES, "%.0f", d->battery_wh);
	snprintf(cell[5], CELL_BYTES, "%.3f", 100 * d->year.lpsp);
	if (isnan(d->year_hi.lpsp))
		snprintf(cell[6], CELL_BYTES, "-");
	else
		snprintf(cell[6], CELL_BYTES, "%.3f to %.3f", 100 * d->year_lo.lpsp,
			 100 * d->year_hi.lpsp);
	snprintf(cell[7], CELL_BYTES, "%.3f", 100 * d->year_raw.lpsp);
	snprintf(cell[8], CELL_BYTES, "%.0f", d->year.hours_lost);
	snprintf(cell[9], CELL_BYTES, "%.0f", d->year.longest_h);
	for (int i = 0; i < CELLS; i++)
		row[i + 1] = cell[i];
	table_row(t, row);
}

static void put_designs(const struct solar_study *s, struct buf *out)
{
	static const char *const heads[] = { "cell",         ">idle W",          ">net mJ/request",
					     ">load Wh/day", ">panel W",         ">battery Wh",
					     ">unmet %",     ">of the interval", ">gaps kept",
					     ">hours lost",  ">longest h",       NULL };
	struct table t;

	if (table_init(&t, heads) < 0) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < s->designs; i++)
		design_row(&t, &s->design[i]);
	table_put(&t, table_print, out);
	table_release(&t);
}

static void put_months(const struct solar_design *d, struct buf *out)
{
	static const char *const heads[] = { "month",           ">sun kWh/m2/day",
					     ">panel Wh/day",   ">load Wh/day",
					     ">unused Wh/day",  ">hours lost",
					     ">least charge %", NULL };
	struct table t;

	if (table_init(&t, heads) < 0) {
		out->failed = true;
		return;
	}
	for (int i = 0; i < SOLAR_MONTHS; i++) {
		const struct solar_month *m = &d->year.month[i];
		char cell[6][CELL_BYTES];
		const char *row[] = { month_names[i], cell[0], cell[1], cell[2],
				      cell[3],        cell[4], cell[5] };

		if (m->days == 0)
			continue;
		snprintf(cell[0], CELL_BYTES, "%.2f", m->sun_kwh_m2_day);
		snprintf(cell[1], CELL_BYTES, "%.1f", m->panel_wh_day);
		snprintf(cell[2], CELL_BYTES, "%.1f", m->load_wh_day);
		snprintf(cell[3], CELL_BYTES, "%.1f", m->excess_wh_day);
		snprintf(cell[4], CELL_BYTES, "%.0f", m->hours_lost);
		snprintf(cell[5], CELL_BYTES, "%.0f", 100 * m->soc_min);
		table_row(&t, row);
	}
	table_put(&t, table_print, out);
	table_release(&t);
}

static void put_worksheet(const struct solar_study *s, struct buf *out)
{
	const struct solar_design *d = &s->design[s->reference];
	const struct sizing_quick *q = &d->sizing.quick;

	buf_printf(out,
		   "Worksheet for it: %s has %.2f peak sun hours a day; panel %.1f W, battery %.0f "
		   "Wh. The "
		   "design above is the simulation's, hour by hour.\n",
		   month_names[q->month - 1], q->sun_hours, q->panel_w, q->battery_wh);
	buf_printf(out, "Equal reliability, %.3g %% unmet (battery Wh: panel W):",
		   100 * s->settings.rules.lpsp_max);
	for (int i = 0; i < d->sizing.points; i += 3)
		buf_printf(out, "  %.0f: %.1f", d->sizing.curve[i].battery_wh,
			   d->sizing.curve[i].panel_w);
	buf_puts(out, "\n");
}

void solar_write_text(const struct solar_study *s, struct buf *out)
{
	struct buf idle = { 0 };

	buf_printf(out, "Panel and battery by suite, on %s energy of campaign %s\n", s->source,
		   s->report->campaign.name);
	if (!s->report->campaign.complete)
		buf_printf(out, "NOT COMPLETE: %" PRId64 " trials of the campaign are missing\n",
			   s->report->trials_missing);
	buf_puts(out, "\n");
	put_site(s, out);
	if (s->settings.system.other_load)
		buf_printf(out, "Other load of --load-profile, carried too: %.2f Wh a day\n",
			   s->other_wh_day);
	buf_printf(out, "Load: %.0f requests a day, unmet at most %.3g %% of the energy\n\n",
		   s->settings.requests_per_day, 100 * s->settings.rules.lpsp_max);
	put_designs(s, out);
	buf_puts(out,
		 "Unmet: share of the load's energy that was not there; of the interval: the same "
		 "with the lower and the upper end of the energy's interval; gaps kept: the same "
		 "with the weather file's gaps left as darkness. Hours lost: hours in which load "
		 "was "
		 "unmet; longest: the most of them in a row.\n");
	solar_idle_text(s, &idle);
	if (idle.len)
		buf_printf(out, "%s\n", buf_text(&idle));
	out->failed |= idle.failed;
	buf_release(&idle);
	if (!isnan(s->settings.idle_w))
		buf_puts(out, "The idle power was given (--idle-w); no trial is its source.\n");
	buf_printf(out, "\nMonths of %s, the largest load:\n", s->design[s->reference].suite);
	put_months(&s->design[s->reference], out);
	put_worksheet(s, out);
	buf_puts(out, "\n");
	for (size_t i = 0; i < s->designs; i++) {
		if (i == s->reference)
			continue;
		solar_saving(&s->design[i], &s->design[s->reference], out);
		buf_puts(out, ".\n");
	}
	for (size_t i = 0; i < s->lefts; i++)
		buf_printf(out, "left out: %s: %s\n", s->left[i].suite, s->left[i].reason);
}
