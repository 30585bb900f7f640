/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http1_drive - for the tests: feed a whole byte stream to one half of the codec, cut
 * where asked, and write down what came of it as text. A server's requests are all
 * answered; the text must never depend on the cuts.
 */
#ifndef PROTOCOLS_HTTP1_DRIVE_H
#define PROTOCOLS_HTTP1_DRIVE_H

#include <stdlib.h>

#include "lib/buf.h"
#include "lib/rng.h"
#include "protocols/app.h"

struct drive {
	struct app app;
	struct rng *rng; /* where to cut and how much to pull; NULL: all at once */
	struct buf events, sent;
	struct app_response answer; /* server: to every request */
	unsigned body_hash;         /* client: of the content so far */
	uint64_t body_bytes;
};

static inline void drive_open(struct drive *d, enum app_half half, struct app_limits limits)
{
	*d = (struct drive){ 0 };
	d->app.ops = &app_http1;
	d->app.half = half;
	d->app.limits = limits;
	d->answer = (struct app_response){
		.status = 200, .body = "hello", .body_bytes = 5, .keep_alive = true
	};
	if (app_http1.open(&d->app) != 0)
		abort();
}

static inline void drive_close(struct drive *d)
{
	app_http1.close(&d->app);
	buf_release(&d->events);
	buf_release(&d->sent);
}

/* The association starts again, with nothing written down. */
static inline void drive_again(struct drive *d)
{
	app_http1.reset(&d->app);
	buf_clear(&d->events);
	buf_clear(&d->sent);
	d->body_hash = 0;
	d->body_bytes = 0;
}

static inline void drive_pull(struct drive *d)
{
	char piece[700];
	size_t n;

	do {
		size_t cap = d->rng ? 1 + (size_t)rng_below(d->rng, sizeof piece) : sizeof piece;

		n = app_http1.pull(&d->app, piece, cap);
		buf_put(&d->sent, piece, n);
	} while (n > 0);
}

static inline void drive_request(struct drive *d, const struct app_request *q)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "OPTIONS", "OTHER" };

	buf_printf(&d->events, "%s %s", methods[q->method], q->target);
	if (q->host)
		buf_printf(&d->events, " host=%s", q->host);
	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++)
		if (q->accepts & 1u << e)
			buf_printf(&d->events, " %s", app_encoding_name((enum app_encoding)e));
	if (q->content_type)
		buf_printf(&d->events, " type=%s", q->content_type);
	if (q->body_bytes) {
		buf_puts(&d->events, " body=");
		buf_put(&d->events, q->body, q->body_bytes);
	}
	buf_puts(&d->events, q->keep_alive ? " keep\n" : " close\n");
	if (app_http1.respond(&d->app, &d->answer) != 0)
		buf_puts(&d->events, "CANNOT ANSWER\n");
}

static inline void drive_response(struct drive *d, const char *what, const struct app_response *r)
{
	const char *coding = app_encoding_name(r->encoding);

	buf_printf(&d->events, "%s %d %llu%s%s%s%s\n", what, r->status,
		   (unsigned long long)r->body_bytes, coding ? " " : "", coding ? coding : "",
		   r->keep_alive ? " keep" : " close", r->content_type ? r->content_type : "");
}

static inline void drive_body(struct drive *d, const struct app_event *e)
{
	const unsigned char *bytes = e->bytes;

	d->body_bytes += e->len;
	for (size_t i = 0; i < e->len; i++)
		d->body_hash = d->body_hash * 31 + bytes[i];
}

static inline void drive_events(struct drive *d)
{
	struct app_event e;

	while (app_http1.next(&d->app, &e)) {
		if (e.kind == APP_REQUEST)
			drive_request(d, &e.request);
		else if (e.kind == APP_HEAD_IN)
			drive_response(d, "HEAD", &e.response);
		else if (e.kind == APP_BODY)
			drive_body(d, &e);
		else if (e.kind == APP_END)
			drive_response(d, "END", &e.response);
		else if (e.kind == APP_SENT)
			buf_puts(&d->events, "SENT\n");
		else
			buf_printf(&d->events, "FAILED %d\n", e.response.status);
		drive_pull(d);
	}
}

/* Cut pieces come from an exact allocation, so that a sanitizer sees reads beyond. */
static inline void drive_feed(struct drive *d, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t part = d->rng ? 1 + (size_t)rng_below(d->rng, rng_below(d->rng, 2) ? len : 3)
				     : len;
		char *piece;

		part = part < len ? part : len;
		piece = malloc(part);
		if (!piece)
			abort();
		for (size_t i = 0; i < part; i++)
			piece[i] = bytes[i];
		for (size_t used = 0, stuck = 0; used < part && stuck < 3; stuck++) {
			size_t taken = app_http1.feed(&d->app, piece + used, part - used);

			stuck = taken ? 0 : stuck;
			used += taken;
			drive_events(d);
			drive_pull(d);
			drive_events(d);
		}
		free(piece);
		bytes += part;
		len -= part;
	}
}

static inline void drive_end(struct drive *d)
{
	app_http1.end(&d->app);
	drive_events(d);
	drive_pull(d);
	drive_events(d);
	if (d->app.half == APP_CLIENT)
		buf_printf(&d->events, "body %llu %u\n", (unsigned long long)d->body_bytes,
			   d->body_hash);
	buf_puts(&d->events, app_http1.finished(&d->app) ? "over\n" : "open\n");
}

#endif
