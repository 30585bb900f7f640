/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool - free lists of buffers, codecs and answers (see pool.h). It must not know what a
 * connection is.
 */
#include "servers/pool.h"

#include <stdlib.h>
#include <string.h>

#include "servers/server.h"

/* Scratch memory kept for answers to come; beyond, it goes back to the system. */
#define ANSWER_KEPT_BYTES (1 << 20)
#define POOL_KEPT_BYTES   (32 << 20)

static const struct app_ops *const codec[POOL_PROTOCOLS] = {
	[POOL_HTTP1] = &app_http1,
	[POOL_HTTP2] = &app_http2,
	[POOL_COAP] = &app_coap_tcp,
};

/* --- bytes on their way ------------------------------------------------------- */

/* Whole records' worth, so that the cut between two pieces makes no short one. */
static size_t tx_bytes(size_t record_bytes)
{
	if (record_bytes == 0 || record_bytes > RECORD_BYTES_MAX)
		return RECORD_BYTES_MAX;
	return RECORD_BYTES_MAX / record_bytes * record_bytes;
}

static void space_free(struct pool_space *s)
{
	assoc_wires_release(&s->wires);
	free(s);
}

static struct pool_space *space_new(const struct server_params *p)
{
	size_t tx_cap = tx_bytes(p->record_bytes);
	struct pool_space *s = malloc(sizeof *s + POOL_RX_BYTES + tx_cap);

	if (!s)
		return NULL;
	*s = (struct pool_space){ .tx_cap = tx_cap, .tx = s->rx + POOL_RX_BYTES };
	if (assoc_wires_init(&s->wires, p->record_bytes, p->records_per_send) == 0)
		return s;
	space_free(s);
	return NULL;
}

struct pool_space *pool_take_space(struct pool *p)
{
	struct pool_space *s = p->spaces;

	if (!s)
		return space_new(p->params);
	p->spaces = s->next;
	return s;
}

void pool_give_space(struct pool *p, struct pool_space *s)
{
	s->next = p->spaces;
	p->spaces = s;
}

/* --- codecs ------------------------------------------------------------------- */

static struct pool_talk *talk_new(const struct server_params *p, enum pool_protocol protocol)
{
	const struct app_limits limits = { .head_bytes = p->head_bytes,
					   .body_bytes = p->body_bytes,
					   .streams = p->streams,
					   .stream_window_bytes = p->window_bytes,
					   .session_window_bytes = p->window_bytes };
	unsigned slots = protocol == POOL_HTTP1 ? 1 : app_slots(&limits);
	struct pool_talk *t = calloc(1, sizeof *t + slots * sizeof t->answer[0]);

	if (!t)
		return NULL;
	t->slots = slots;
	t->app = (struct app){ .ops = codec[protocol], .half = APP_SERVER, .limits = limits };
	if (t->app.ops->open(&t->app) == 0)
		return t;
	free(t);
	return NULL;
}

struct pool_talk *pool_take_talk(struct pool *p, enum pool_protocol protocol)
{
	struct pool_talk *t = p->talks[protocol];

	if (!t)
		return talk_new(p->params, protocol);
	p->talks[protocol] = t->next;
	return t;
}

void pool_give_talk(struct pool *p, enum pool_protocol protocol, struct pool_talk *t)
{
	/* The codec first: it may still point into what its answers have borrowed. */
	t->app.ops->reset(&t->app);
	for (unsigned slot = 0; t->answers > 0; slot++)
		pool_give_answer(p, t, slot);
	t->next = p->talks[protocol];
	p->talks[protocol] = t;
}

/* --- answers ------------------------------------------------------------------ */

struct pool_answer *pool_take_answer(struct pool *p, struct pool_talk *t, unsigned slot)
{
	struct pool_answer *a = p->answers;

	if (a) {
		p->answers = a->next;
		p->kept_bytes -= a->scratch.cap;
		buf_clear(&a->scratch);
	} else {
		a = calloc(1, sizeof *a);
	}
	if (a)
		t->answers++;
	t->answer[slot] = a;
	return a;
}

void pool_give_answer(struct pool *p, struct pool_talk *t, unsigned slot)
{
	struct pool_answer *a = t->answer[slot];

	if (!a)
		return;
	t->answer[slot] = NULL;
	t->answers--;
	if (a->scratch.cap > ANSWER_KEPT_BYTES || p->kept_bytes + a->scratch.cap > POOL_KEPT_BYTES)
		buf_release(&a->scratch);
	p->kept_bytes += a->scratch.cap;
	a->next = p->answers;
	p->answers = a;
}

void pool_release(struct pool *p)
{
	struct pool_space *s;
	struct pool_answer *a;
	struct pool_talk *t;

	while ((s = p->spaces)) {
		p->spaces = s->next;
		space_free(s);
	}
	for (int i = 0; i < POOL_PROTOCOLS; i++)
		while ((t = p->talks[i])) {
			p->talks[i] = t->next;
			t->app.ops->close(&t->app);
			free(t);
		}
	while ((a = p->answers)) {
		p->answers = a->next;
		buf_release(&a->scratch);
		free(a);
	}
	p->kept_bytes = 0;
}
