/* SPDX-License-Identifier: Apache-2.0 */
/* watch_parts - the parts of the live page, as HTML behind what out has. For watch_page alone. */
#ifndef RESULTS_WATCH_PARTS_H
#define RESULTS_WATCH_PARTS_H

#include "results/report_html.h"
#include "results/watch_view.h"

/* How the campaign stands, in one sentence: "running: 12 of 40 trials". No markup in it. */
void watch_put_status(const struct watch_view *v, int64_t wall_ns, struct buf *out);
/* What else is known of it, and warnings. */
void watch_put_facts(const struct watch_view *v, int64_t wall_ns, struct buf *out);
/* The last trials, and the cells so far: tables. */
void watch_put_last(const struct watch_view *v, int64_t wall_ns, struct buf *out);
void watch_put_cells(const struct watch_view *v, int64_t wall_ns, struct buf *out);

#endif
