/* SPDX-License-Identifier: Apache-2.0 */
/* watch_feed - events on their way to an open page. */
#include "results/watch_feed.h"

#include <stdlib.h>
#include <string.h>

struct watch_news {
	int users;
	size_t len;
	char data[];
};

struct watch_news *watch_news_new(const void *data, size_t len)
{
	struct watch_news *n = malloc(sizeof(*n) + len);

	if (!n)
		return NULL;
	n->users = 1;
	n->len = len;
	if (len)
		memcpy(n->data, data, len);
	return n;
}

void watch_news_leave(struct watch_news *n)
{
	if (n && --n->users == 0)
		free(n);
}

static struct watch_news *choose(struct watch_feed *e, struct watch_news *all,
				 struct watch_news *tick)
{
	struct watch_news *n = e->wants_all ? all : e->wants_tick ? tick : NULL;

	e->wants_all = e->wants_tick = false;
	if (n)
		n->users++;
	return n;
}

size_t watch_feed_read(struct watch_feed *e, struct watch_news *all, struct watch_news *tick,
		       char *dst, size_t max)
{
	size_t len;

	if (!e->sending) {
		e->sending = choose(e, all, tick);
		e->sent = 0;
	}
	if (!e->sending)
		return 0;
	len = e->sending->len - e->sent < max ? e->sending->len - e->sent : max;
	memcpy(dst, e->sending->data + e->sent, len);
	e->sent += len;
	if (e->sent == e->sending->len)
		watch_feed_release(e);
	return len;
}

void watch_feed_release(struct watch_feed *e)
{
	watch_news_leave(e->sending);
	e->sending = NULL;
}
