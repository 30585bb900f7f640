/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_page - the live page in HTML. Figures are the report's, and so is how they are written.
 */
#include "results/watch_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/units.h"
#include "results/html_text.h"
#include "results/watch_parts.h"

static const char style[] = "#status{font-weight:600}\n"
			    "progress{width:100%;height:1rem;accent-color:var(--s0)}\n"
			    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;"
			    "margin:.5rem 0}\n"
			    "dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}\n"
			    "nav a{margin-right:1rem}[hidden],.narrow{display:none}\n"
			    "@media (max-width:30rem){.narrow{display:block}"
			    "#cells td.n{white-space:normal}}\n";

/* Without "<", "&" and ">", so that the page is well-formed XML too. */
static const char script[] =
	"'use strict';\n"
	"const lost = document.getElementById('lost');\n"
	"function show(part, text) {\n"
	"	if (part.shown !== text) part.innerHTML = part.shown = text;\n"
	"	document.title = document.getElementById('status').textContent + ' - ' +\n"
	"		document.getElementById('name').textContent;\n"
	"}\n"
	"function listen() {\n"
	"	const events = new EventSource('/events');\n"
	"	for (const part of document.querySelectorAll('[data-part]'))\n"
	"		events.addEventListener(part.id, function (e) { show(part, e.data); });\n"
	"	events.onopen = function () { lost.hidden = true; };\n"
	"	events.onerror = function () {\n"
	"		lost.hidden = false;\n"
	"		if (events.readyState === EventSource.CLOSED) setTimeout(listen, 5000);\n"
	"	};\n"
	"}\n"
	"listen();\n";

static void put_name(const struct watch_view *v, int64_t wall_ns, struct buf *out)
{
	(void)wall_ns;
	html_text(out, v->report ? v->report->campaign.name : "cipherwatt watch");
}

/* --- parts, each the content of an element ------------------------------------- */

static const struct part {
	const char *id, *open, *close; /* of the element */
	void (*put)(const struct watch_view *v, int64_t wall_ns, struct buf *out);
	bool ages; /* changes by the mere passing of time */
} parts[] = {
	{ "name", "<header><h1", "</h1>\n", put_name, false },
	{ "status", "<p aria-live=\"polite\"", "</p>\n", watch_put_status, true },
	{ "facts", "<div", "</div>\n", watch_put_facts, true },
	{ "cells",
	  "</header>\n<main>\n<section><h2>Cells so far</h2>\n<div class=\"wide\" tabindex=\"0\" "
	  "role=\"region\" aria-label=\"Cells so far\"",
	  "</div></section>\n", watch_put_cells, false },
	{ "last",
	  "<section><h2>Last trials</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	  "aria-label=\"Last trials\"",
	  "</div></section>\n", watch_put_last, false },
};
#define PARTS (sizeof(parts) / sizeof(*parts))

static void put_head(const struct watch_view *v, int64_t wall_ns, struct buf *out)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		      "<noscript><meta http-equiv=\"refresh\" content=\"5\"/></noscript>\n"
		      "<title>");
	watch_put_status(v, wall_ns, out);
	buf_puts(out, " - ");
	put_name(v, wall_ns, out);
	buf_puts(out, "</title>\n<style>");
	buf_puts(out, report_style);
	buf_puts(out, style);
	buf_puts(out, "</style></head>\n<body>\n");
}

static void put_foot(const char *nonce, struct buf *out)
{
	buf_puts(out, "</main>\n<footer>Made by cipherwatt watch, which reads the database and "
		      "changes nothing in it.");
	buf_puts(out, "<noscript> Without a script the page is loaded anew every five seconds."
		      "</noscript></footer>\n<script nonce=\"");
	html_text(out, nonce);
	buf_puts(out, "\">");
	buf_puts(out, script);
	buf_puts(out, "</script>\n</body></html>\n");
}

void watch_page(const struct watch_view *v, int64_t wall_ns, const char *nonce, struct buf *out)
{
	put_head(v, wall_ns, out);
	buf_puts(out, "<p id=\"lost\" class=\"warn\" role=\"status\" hidden=\"\">No connection to "
		      "cipherwatt watch: this page is not up to date. Trying again.</p>\n");
	for (size_t i = 0; i < PARTS; i++) {
		buf_printf(out, "%s id=\"%s\" data-part=\"\">", parts[i].open, parts[i].id);
		parts[i].put(v, wall_ns, out);
		buf_puts(out, parts[i].close);
	}
	buf_puts(out, "<nav><a href=\"/report\">The whole report</a> "
		      "<a href=\"/report.json\">The same as JSON</a></nav>\n");
	put_foot(nonce, out);
}

/* Each line of the data behind a name of its own; an empty line ends the event. */
static void put_event(const char *id, struct buf *content, struct buf *out)
{
	const char *line = buf_text(content), *end;

	buf_printf(out, "event: %s\n", id);
	for (; (end = strchr(line, '\n')); line = end + 1) {
		buf_puts(out, "data: ");
		buf_put(out, line, (size_t)(end + 1 - line));
	}
	buf_puts(out, "data: ");
	buf_puts(out, line);
	buf_puts(out, "\n\n");
}

void watch_page_events(const struct watch_view *v, int64_t wall_ns, bool all, struct buf *out)
{
	struct buf content = { 0 };

	for (size_t i = 0; i < PARTS; i++) {
		if (!all && !parts[i].ages)
			continue;
		buf_clear(&content);
		parts[i].put(v, wall_ns, &content);
		put_event(parts[i].id, &content, out);
	}
	out->failed |= content.failed;
	buf_release(&content);
}
