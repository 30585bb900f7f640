/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_html - one page that needs nothing else: no script, no request, no server.
 *
 * The page is well-formed as XML too, so that tests can walk it. A content security policy
 * forbids whatever could be loaded, in case anything slipped in.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "results/html_text.h"
#include "results/report_html.h"
#include "results/report_reference.h"

/* The rest is behind a fold. */
#define SENTENCES_SHOWN 6

static void put_head(const struct report *r, struct buf *out)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'unsafe-inline'");
	if (report_has_script(r))
		buf_puts(out, "; script-src 'unsafe-inline'; img-src data:");
	buf_puts(out, "\"/>\n<title>");
	html_text(out, r->campaign.name);
	buf_puts(out, " - cipherwatt</title>\n<style>");
	buf_puts(out, report_style);
	buf_puts(out, "</style></head>\n<body>\n");
}

static void put_warnings(const struct report *r, struct buf *out)
{
	char line[256];

	if (!r->campaign.complete)
		buf_printf(
			out,
			"<p class=\"warn\">Not complete: %" PRId64
			" trials are missing (complete: false). The figures may still move.</p>\n",
			r->trials_missing);
	if (report_warning(r, line, sizeof(line)))
		buf_printf(out, "<p class=\"warn\">%s. The method says how.</p>\n", line);
}

static void put_title(const struct report *r, struct buf *out)
{
	buf_puts(out, "<header><h1>");
	html_text(out, r->campaign.name);
	buf_puts(out, "</h1>\n<p class=\"faint\">");
	html_printf(out,
		    "Campaign of %s, cipherwatt %s, %zu cells, %" PRId64 " blocks, seed %" PRId64,
		    r->campaign.started, r->campaign.version, r->cells, r->campaign.blocks,
		    r->campaign.seed);
	buf_puts(out, "</p>\n");
	put_warnings(r, out);
	buf_puts(out, "</header>\n<main>\n");
}

static void put_sentence_list(const struct report *r, size_t from, size_t to, struct buf *out)
{
	struct buf sentence = { 0 };

	buf_puts(out, "<ul>\n");
	for (size_t i = from; i < to; i++) {
		buf_clear(&sentence);
		report_sentence(r, &r->comparison[i], &sentence);
		buf_puts(out, "<li>");
		html_suite(out, buf_text(&sentence));
		buf_puts(out, "</li>\n");
	}
	buf_puts(out, "</ul>\n");
	out->failed |= sentence.failed;
	buf_release(&sentence);
}

static void put_sentences(const struct report *r, struct buf *out)
{
	size_t first = r->comparisons < SENTENCES_SHOWN ? r->comparisons : SENTENCES_SHOWN;

	if (!first)
		return;
	buf_puts(out, "<section id=\"words\"><h2>In words</h2><p class=\"faint\">Compared block by "
		      "block; brackets are 95 % intervals, each by itself.</p>\n");
	put_sentence_list(r, 0, first, out);
	if (first < r->comparisons) {
		buf_printf(out, "<details><summary>%zu more comparisons</summary>",
			   r->comparisons - first);
		put_sentence_list(r, first, r->comparisons, out);
		buf_puts(out, "</details>");
	}
	buf_puts(out, "</section>\n");
}

static void put_method(const struct report *r, struct buf *out)
{
	struct buf method = { 0 };
	const char *line, *end;

	report_method(r, &method);
	for (line = buf_text(&method); (end = strchr(line, '\n')); line = end + 1) {
		buf_puts(out, "<p>");
		html_printf(out, "%.*s", (int)(end - line), line);
		buf_puts(out, "</p>\n");
	}
	out->failed |= method.failed;
	buf_release(&method);
}

static void put_section(const struct report *r, struct buf *out, const char *id, const char *title,
			void (*put)(const struct report *, struct buf *))
{
	buf_printf(out, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
	put(r, out);
	buf_puts(out, "</section>\n");
}

/* A section only where there is something in it. */
static void put_some(const struct report *r, struct buf *out, const char *id, const char *title,
		     void (*put)(const struct report *, struct buf *))
{
	struct buf part = { 0 };

	put(r, &part);
	if (part.len) {
		buf_printf(out, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
		buf_put(out, part.data, part.len);
		buf_puts(out, "</section>\n");
	}
	out->failed |= part.failed;
	buf_release(&part);
}

int report_write_html(const struct report *r, bool colour, struct buf *out)
{
	(void)colour;
	put_head(r, out);
	put_title(r, out);
	put_sentences(r, out);
	put_section(r, out, "figures", "Figures", report_html_overview);
	if (report_has_limits(r))
		put_section(r, out, "limits", "Handshakes and their limits", report_limits_html);
	put_section(r, out, "charts", "Charts", report_html_charts);
	put_some(r, out, "timeline", "Timeline of an association", report_html_timelines);
	put_some(r, out, "power", "Power over time", report_html_power);
	put_some(r, out, "sweeps", "By clients and by page size", report_html_sweeps);
	put_some(r, out, "fronts", "Strength, latency and energy", report_html_fronts);
	put_some(r, out, "distributions", "How response times are distributed", report_html_curves);
	report_html_solar(r, out);
	report_references_html(r, out);
	put_section(r, out, "budget", "Uncertainty", report_html_budget);
	put_section(r, out, "method", "How it was measured", put_method);
	put_section(r, out, "notes", "Notes on valid trials", report_html_notes);
	put_section(r, out, "invalid", "Trials that are not valid", report_html_invalid);
	put_section(r, out, "nodes", "Machines", report_html_nodes);
	put_section(r, out, "settings", "Settings", report_html_settings);
	put_section(r, out, "all", "All figures", report_html_all);
	buf_puts(out, "</main>\n<footer>Made by cipherwatt. The same figures for programs: "
		      "--format json or "
		      "csv.</footer>\n</body></html>\n");
	return out->failed ? -1 : 0;
}
