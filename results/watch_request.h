/* SPDX-License-Identifier: Apache-2.0 */
/* watch_request - what a request to the live page asks for, and whether it may. Pure. */
#ifndef RESULTS_WATCH_REQUEST_H
#define RESULTS_WATCH_REQUEST_H

#include <stdbool.h>

enum watch_target {
	WATCH_PAGE,
	WATCH_EVENTS, /* all of the page, as events */
	WATCH_TICK,   /* of the events, what time alone changes; no request asks for it */
	WATCH_REPORT,
	WATCH_REPORT_JSON,
	WATCH_TARGETS
};

/* The HTTP status; 200: *target is set. host may be NULL: there is no such header. */
int watch_request(const char *method, const char *host, const char *path,
		  enum watch_target *target);

/*
 * Who has a page of another site lead a browser here under that site's name (DNS rebinding) does
 * not get in: the name must be one that means this machine everywhere, with any port.
 */
bool watch_host_is_local(const char *host);

#endif
