/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_page - the live page, and the events that bring it up to date: both are made of the same
 * parts, so that a page which was loaded and one which was kept open show the same. Pure.
 */
#ifndef RESULTS_WATCH_PAGE_H
#define RESULTS_WATCH_PAGE_H

#include "lib/buf.h"
#include "results/watch_view.h"

/* nonce: what the page's one script carries, for a content security policy that names it. */
void watch_page(const struct watch_view *v, int64_t wall_ns, const char *nonce, struct buf *out);

/*
 * As text/event-stream (HTML standard, 9.2): an event for each part, named by the id of its
 * element, its data the element's new content. Only what the mere passing of time changes, or all.
 */
void watch_page_events(const struct watch_view *v, int64_t wall_ns, bool all, struct buf *out);

#endif
