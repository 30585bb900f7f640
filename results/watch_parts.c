/* SPDX-License-Identifier: Apache-2.0 */
/* watch_parts - state, facts and tables of the live page. */
#include "results/watch_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/units.h"
#include "results/figure.h"
#include "results/html_text.h"

#define LAST_SHOWN 10

/* --- how it stands ------------------------------------------------------------- */

static const char *const state_words[] = {
	[WATCH_WAITING] = "waiting for a run to begin",
	[WATCH_TROUBLE] = "the database cannot be read",
	[WATCH_RUNNING] = "running",
	[WATCH_OTHER] = "not complete",
	[WATCH_INTERRUPTED] = "interrupted",
	[WATCH_ENDED] = "ended",
};

void watch_put_status(const struct watch_view *v, int64_t wall_ns, struct buf *out)
{
	buf_puts(out, state_words[watch_state(v, wall_ns)]);
	if (v->report)
		buf_printf(out, ": %" PRId64 " of %s%" PRId64 " trials", v->report->trials,
			   v->may_grow ? "at least " : "", watch_total(v));
}

static const char *const state_advice[] = {
	[WATCH_RUNNING] = NULL,
	[WATCH_ENDED] = NULL,
	[WATCH_WAITING] = "This page changes by itself as soon as there is something to show.",
	[WATCH_TROUBLE] = "It is tried again when the file changes.",
	[WATCH_OTHER] = "A run is writing to this database, which holds a newer campaign too: it "
			"may be of that.",
	[WATCH_INTERRUPTED] = "No run is writing to the database. What is stored is whole; "
			      "`cipherwatt run CAMPAIGN.yaml --db DB --resume` goes on with it.",
};

static void put_advice(const struct watch_view *v, enum watch_state state, struct buf *out)
{
	if (v->fail.code) {
		buf_puts(out, "<p>");
		html_text(out, v->fail.text);
		buf_puts(out, "</p>\n");
	}
	if (state_advice[state])
		buf_printf(out, "<p>%s</p>\n", state_advice[state]);
}

/* --- what is known of it -------------------------------------------------------- */

static void put_fact(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "<dt>%s</dt><dd>", name);
	html_text(out, text);
	buf_puts(out, "</dd>\n");
}

static int64_t whole_seconds(int64_t ns)
{
	return (ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
}

static void put_left(const struct watch_view *v, struct buf *out)
{
	char left[32], each[32], text[160];
	int64_t left_ns = watch_left_ns(v);

	units_format_duration(whole_seconds(left_ns), left, sizeof(left));
	units_format_duration(watch_trial_ns(v), each, sizeof(each));
	if (v->may_grow && !v->report->trials_missing)
		snprintf(text, sizeof(text),
			 "not known: blocks are added until the figures are known well enough");
	else if (left_ns < 0)
		snprintf(text, sizeof(text), "not known yet: it is told from the trials stored");
	else
		snprintf(text, sizeof(text), "%s%s, at %s a trial (median)",
			 v->may_grow ? "at least " : "", left, each);
	put_fact(out, "time left", text);
}

static void put_silence(const struct watch_view *v, int64_t wall_ns, struct buf *out)
{
	char text[64], ago[32];
	int64_t silent_ns = watch_silent_ns(v, wall_ns);

	if (silent_ns < 0)
		return;
	units_format_duration(silent_ns / NS_PER_S * NS_PER_S, ago, sizeof(ago));
	snprintf(text, sizeof(text), "%s ago", ago);
	put_fact(out, "last written", silent_ns < NS_PER_S ? "just now" : text);
}

static int64_t valid_trials(const struct report *r)
{
	int64_t valid = 0;

	for (size_t i = 0; i < r->cells; i++)
		valid += r->cell[i].valid_trials;
	return valid;
}

static void put_campaign(const struct watch_view *v, struct buf *out)
{
	const struct report *r = v->report;
	char text[160];

	snprintf(text, sizeof(text), "%" PRId64 " of %" PRId64, valid_trials(r), r->trials);
	put_fact(out, "valid trials", text);
	put_fact(out, "started", r->campaign.started);
	snprintf(text, sizeof(text), "%" PRId64, r->campaign.seed);
	put_fact(out, "seed", text);
	snprintf(text, sizeof(text), "%zu, in %" PRId64 " blocks", r->cells, r->campaign.blocks);
	put_fact(out, "cells", text);
}

static void put_progress(const struct watch_view *v, struct buf *out)
{
	if (watch_total(v) > 0)
		buf_printf(out,
			   "<progress aria-label=\"Trials stored\" max=\"%" PRId64
			   "\" value=\"%" PRId64 "\"></progress>\n",
			   watch_total(v), v->report->trials);
}

void watch_put_facts(const struct watch_view *v, int64_t wall_ns, struct buf *out)
{
	enum watch_state state = watch_state(v, wall_ns);
	char warning[256];

	if (v->report)
		put_progress(v, out);
	put_advice(v, state, out);
	if (v->report && report_warning(v->report, warning, sizeof(warning)))
		buf_printf(out, "<p class=\"warn\">%s.</p>\n", warning);
	buf_puts(out, "<dl>\n");
	if (state == WATCH_RUNNING)
		put_left(v, out);
	if (v->report && state != WATCH_ENDED)
		put_silence(v, wall_ns, out);
	if (v->report)
		put_campaign(v, out);
	put_fact(out, "database", *v->database ? v->database : "none yet");
	buf_puts(out, "</dl>\n");
}

/* --- the last trials ------------------------------------------------------------- */

/* Lines may break behind each part of the name, which is long. */
static void put_cell_name(const char *name, struct buf *out)
{
	char part[sizeof(((struct watch_trial *)0)->cell)];

	while (*name) {
		size_t len = strcspn(name, "/");

		len += name[len] == '/';
		snprintf(part, sizeof(part), "%.*s", (int)len, name);
		html_suite(out, part);
		name += len;
		if (*name)
			buf_puts(out, "<wbr/>");
	}
}

static void put_trial(const struct watch_trial *t, struct buf *out)
{
	const char *time = strchr(t->started, 'T');

	buf_puts(out, "<tr><th scope=\"row\" class=\"suite\">");
	put_cell_name(t->cell, out);
	buf_printf(out, "</th><td class=\"n\">%" PRId64 "</td><td>", t->block + 1);
	html_text(out, time ? time + 1 : t->started);
	buf_puts(out, "</td><td>");
	if (t->valid)
		buf_puts(out, "valid");
	else
		buf_puts(out, "<span class=\"badge\">not valid</span> ");
	if (!t->valid)
		html_text(out, *t->reason ? t->reason : "no reason was recorded");
	buf_puts(out, "</td></tr>\n");
}

void watch_put_last(const struct watch_view *v, int64_t wall_ns, struct buf *out)
{
	int shown = v->trials < LAST_SHOWN ? v->trials : LAST_SHOWN;

	(void)wall_ns;
	if (!v->report || !shown) {
		buf_puts(out, "<p>No trial is stored yet.</p>\n");
		return;
	}
	buf_puts(out,
		 "<table><thead><tr><th scope=\"col\">cell</th><th scope=\"col\" "
		 "class=\"n\">block</th><th scope=\"col\">started</th><th scope=\"col\">valid, "
		 "or why not</th></tr></thead><tbody>\n");
	for (int i = 0; i < shown; i++)
		put_trial(&v->trial[i], out);
	buf_puts(out, "</tbody></table>\n");
}
