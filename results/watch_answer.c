/* SPDX-License-Identifier: Apache-2.0 */
/* watch_answer - what stands around an answer of the live page. */
#include "results/watch_answer.h"

#include <stdio.h>

const struct watch_header watch_headers[] = {
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Referrer-Policy", "no-referrer" },
	{ 0 },
};

const char *watch_content_type(enum watch_target target)
{
	switch (target) {
	case WATCH_PAGE:
	case WATCH_REPORT:
		return "text/html; charset=utf-8";
	case WATCH_EVENTS:
	case WATCH_TICK:
		return "text/event-stream";
	case WATCH_REPORT_JSON:
		return "application/json";
	default:
		return "text/plain; charset=utf-8";
	}
}

void watch_policy(enum watch_target target, const char *nonce, char dst[WATCH_POLICY_BYTES])
{
	static const char none[] = "default-src 'none'; base-uri 'none'; form-action 'none'; "
				   "frame-ancestors 'none'";

	if (target == WATCH_PAGE)
		snprintf(dst, WATCH_POLICY_BYTES,
			 "%s; style-src 'unsafe-inline'; connect-src 'self'; script-src 'nonce-%s'",
			 none, nonce);
	else if (target == WATCH_REPORT) /* where it has a script, to zoom, it is within */
		snprintf(dst, WATCH_POLICY_BYTES,
			 "%s; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:",
			 none);
	else
		snprintf(dst, WATCH_POLICY_BYTES, "%s", none);
}

const char *watch_refusal(int status)
{
	switch (status) {
	case 403:
		return "This page is for this machine: ask for it as http://127.0.0.1:PORT/ or "
		       "http://localhost:PORT/.\n";
	case 404:
		return "There is no such page. /, /report and /report.json are here.\n";
	case 405:
		return "Only GET and HEAD are answered.\n";
	case 503:
		return "Too many pages are open already: close one.\n";
	default:
		return "There is no memory for this page.\n";
	}
}
