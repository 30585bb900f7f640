/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_feed - events that were written once, on their way to every open page, each at its own
 * pace. A page that is slow gets what it began whole, and then the newest: what came between is
 * left out, as each news holds everything. No sockets.
 */
#ifndef RESULTS_WATCH_FEED_H
#define RESULTS_WATCH_FEED_H

#include <stdbool.h>
#include <stddef.h>

struct watch_news; /* shared by those who are sending it */

/* A copy. NULL: no memory. */
struct watch_news *watch_news_new(const void *data, size_t len);
/* Accepts NULL. It goes when the last one leaves it. */
void watch_news_leave(struct watch_news *n);

struct watch_feed {
	bool wants_all, wants_tick; /* the newest of each; set by whoever has news */
	struct watch_news *sending; /* NULL: nothing */
	size_t sent;                /* bytes of it */
};

/*
 * The next bytes into dst, at most max; 0: there is nothing more to send. all and tick are the
 * newest of each, NULL where there is none; what is in all is in no tick that is older.
 */
size_t watch_feed_read(struct watch_feed *e, struct watch_news *all, struct watch_news *tick,
		       char *dst, size_t max);
void watch_feed_release(struct watch_feed *e);

#endif
