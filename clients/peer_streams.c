/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_streams - requests of many streams into one codec, its events back to them.
 *
 * A stream that was given up (timed out, or its body does not decode) keeps its slot until the
 * codec is done with it: the slot then points to the carrier, and its events are dropped.
 */
#include "clients/peer_streams.h"

#include <errno.h>
#include <stdlib.h>

#include "clients/peer_exchange.h"
#include "lib/clock.h"

struct peer_streams {
	struct peer *first, *last; /* streams that wait to be asked for, by peer.next */
	int open;                  /* slots in use */
	int given_up;              /* of these */
	bool busy;                 /* a caller below will go on: do not begin another round */
	struct stream_slot {
		struct peer *peer; /* NULL: free */
		struct buf body;   /* of a request that was given up: the codec may still want it */
	} slot[];                  /* app_slots() of them */
};

/* --- made ----------------------------------------------------------------- */

int peer_streams_init(struct peer *c, struct fail *f)
{
	size_t slots = app_slots(&c->app.limits);

	c->exchange.handshake_ns = -1;
	c->streams = calloc(1, sizeof(*c->streams) + slots * sizeof(struct stream_slot));
	return c->streams ? 0 : fail_set(f, ENOMEM, "no memory for %zu streams", slots);
}

void peer_streams_release(struct peer *c)
{
	for (unsigned i = 0; c->streams && i < app_slots(&c->app.limits); i++)
		buf_release(&c->streams->slot[i].body);
	free(c->streams);
	c->streams = NULL;
}

/* --- the streams that wait ------------------------------------------------ */

static void enqueue(struct peer_streams *s, struct peer *p)
{
	p->slot = -1;
	p->next = NULL;
	p->question.waits = false;
	if (s->first)
		s->last->next = p;
	else
		s->first = p;
	s->last = p;
}

static void dequeue(struct peer_streams *s, struct peer *p)
{
	struct peer *before = NULL;

	for (struct peer **at = &s->first; *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			if (s->last == p)
				s->last = before;
			return;
		}
		before = *at;
	}
}

/* --- what becomes of a stream --------------------------------------------- */

static void free_slot(struct peer *c, unsigned slot)
{
	struct peer_streams *s = c->streams;

	s->given_up -= s->slot[slot].peer == c;
	s->slot[slot].peer = NULL;
	buf_release(&s->slot[slot].body);
	s->open--;
}

static void give_up(struct peer *p)
{
	struct peer_streams *s = p->carrier->streams;

	s->slot[p->slot].peer = p->carrier;
	s->slot[p->slot].body = p->question.scratch;
	buf_init(&p->question.scratch, 0);
	s->given_up++;
	p->slot = -1;
}

void peer_stream_settle(struct peer *p)
{
	struct exchange *from = &p->carrier->exchange;

	peer_account_wire(p->carrier);
	load_counters_add(&p->exchange.count, &from->count);
	from->count = (struct load_counters){ 0 };
	p->exchange.handshake_ns = from->handshake_ns;
	from->handshake_ns = -1;
	p->exchange.fresh = from->fresh;
	from->fresh = false;
}

/* When nothing is heard of any stream any more, the next one needs another association. */
void peer_stream_leave(struct peer *p)
{
	struct peer *c = p->carrier;
	struct peer_streams *s = c->streams;

	if (p->slot >= 0)
		give_up(p);
	else
		dequeue(s, p);
	if (p->exchange.end != EXCHANGE_TIMED_OUT || !s->open || s->given_up < s->open)
		return;
	c->exchange.end = EXCHANGE_TIMED_OUT;
	peer_disconnect(c);
	peer_finish(c);
}

static void fail_stream(struct peer *p, const struct fail *why)
{
	p->slot = -1;
	fail_set(&p->fail, why->code, "%s", why->text);
	peer_fail(p);
}

/* --- the association ------------------------------------------------------ */

static void reach(struct peer *c)
{
	c->exchange.begun_ns = clock_ns();
	fail_clear(&c->fail);
	peer_connect(c);
}

void peer_streams_over(struct peer *c)
{
	struct peer_streams *s = c->streams;
	unsigned slots = app_slots(&c->app.limits);
	struct peer *waiting = NULL, *p;
	struct fail why = c->fail;

	/* Not even one request was taken: who waits learns why, instead of trying for ever. */
	if (c->exchange.end == EXCHANGE_FAILED && !c->taken) {
		waiting = s->first;
		s->first = s->last = NULL;
	}
	if (!why.code)
		fail_set(&why, ECONNRESET, "closed by peer before the response was complete");
	c->taken = 0;
	c->state = PEER_IDLE;
	s->busy = true;
	for (unsigned i = 0; i < slots; i++) {
		p = s->slot[i].peer;
		s->slot[i].peer = NULL;
		buf_release(&s->slot[i].body);
		if (p && p != c)
			fail_stream(p, &why);
	}
	while ((p = waiting)) {
		waiting = p->next;
		p->next = NULL;
		fail_stream(p, &why);
	}
	s->open = s->given_up = 0;
	s->busy = false;
	if (s->first)
		reach(c);
}

void peer_streams_open(struct peer *c)
{
	c->state = PEER_ASKING;
	c->out_len = c->out_at = 0;
	c->last_here = false;
	c->taken = 0;
	c->app.ops->reset(&c->app);
	peer_streams_exchange(c);
}

void peer_stream_begin(struct peer *p)
{
	struct peer *c = p->carrier;

	p->state = PEER_ASKING;
	enqueue(c->streams, p);
	if (c->streams->busy)
		return;
	if (c->state == PEER_IDLE)
		reach(c);
	else if (c->state == PEER_ASKING)
		peer_streams_exchange(c);
}

/* --- requests ------------------------------------------------------------- */

static bool in_debt(const struct peer *c)
{
	return c->env->limited && bucket_ready_ns(&c->env->upload) > clock_ns();
}

/*
 * As many as the codec takes now, or with a data rate one, so that it is paid before the next:
 * how many. -1: it takes none any more; c->fail, or no failure.
 */
static int ask(struct peer *c)
{
	struct peer_streams *s = c->streams;
	int asked = 0;

	while (s->first && !c->last_here && !in_debt(c) && !(asked && c->env->limited)) {
		struct peer *p = s->first;

		if (!p->question.waits && peer_put(p))
			return fail_set(&c->fail, p->fail.code, "%s", p->fail.text);
		p->question.waits = true;
		p->question.request.keep_alive = !peer_is_last(c);
		fail_clear(&c->app.fail);
		if (c->app.ops->request(&c->app, &p->question.request)) {
			if (c->app.fail.code)
				return fail_set(&c->fail, c->app.fail.code, "%s", c->app.fail.text);
			if (c->app.ungreeted)
				return asked;
			if (!s->open && !c->taken)
				return fail_set(&c->fail, EPROTO, "the server takes no request");
			return s->open ? asked : -1;
		}
		c->last_here = !p->question.request.keep_alive;
		c->served++;
		c->taken++;
		dequeue(s, p);
		p->slot = (int)c->app.slot;
		s->slot[p->slot].peer = p;
		s->open++;
		p->exchange.sent_ns = clock_ns();
		asked++;
	}
	return asked;
}

/* --- events --------------------------------------------------------------- */

static void end_stream(struct peer *c, struct peer *p, const struct app_event *e)
{
	free_slot(c, e->slot);
	if (p == c)
		return;
	p->slot = -1;
	if (e->kind == APP_END) {
		peer_judge(p);
		peer_finish(p);
	} else if (e->retry) {
		enqueue(c->streams, p);
	} else {
		fail_set(&p->fail, EPROTO, "the server reset the stream: %s", e->why);
		peer_fail(p);
	}
}

/* -1: the association is over, c->fail. */
static int take_event(struct peer *c, const struct app_event *e)
{
	struct peer *p;

	if (e->kind == APP_FAILED)
		return fail_set(&c->fail, c->app.fail.code, "%s", c->app.fail.text);
	p = c->streams->slot[e->slot].peer;
	if (!p)
		return fail_set(&c->fail, EPROTO, "an event of a stream that was not asked for");
	if (e->kind == APP_END || e->kind == APP_RESET)
		end_stream(c, p, e);
	else if (p != c && peer_take_content(p, e)) {
		give_up(p);
		peer_fail(p);
	}
	return 0;
}

/* How many there were, or -1: c->fail. */
static int take_events(struct peer *c)
{
	struct app_event e;
	int taken = 0;

	for (; c->app.ops->next(&c->app, &e); taken++) {
		if (take_event(c, &e))
			return -1;
	}
	return taken;
}

/* --- both ways ------------------------------------------------------------ */

/* End the association; those that wait get another. */
static void leave(struct peer *c)
{
	c->ended_as_planned = c->last_here;
	c->exchange.end = EXCHANGE_OK;
	c->state = PEER_LEAVING;
	peer_alarm_at(c, clock_ns() + PEER_LINGER_NS);
	peer_leave(c);
}

/* Ask, send, and hear what that brings, until nothing moves. -1: no more on this association. */
static int converse(struct peer *c, enum step *sent)
{
	int asked, taken;

	do {
		asked = ask(c);
		if (asked < 0)
			return -1;
		/* A failed send shows when reading. */
		*sent = peer_push(c);
		peer_pay(c);
		taken = take_events(c);
	} while (taken > 0 || (taken == 0 && asked && c->env->limited));
	if (taken < 0 || (c->app.ops->finished(&c->app) && *sent != STEP_OUT))
		return -1;
	return 0;
}

static int hear(struct peer *c, const uint8_t *src, size_t len)
{
	while (len) {
		size_t taken = c->app.ops->feed(&c->app, src, len);
		int events = take_events(c);

		if (!taken && !events)
			return fail_set(&c->fail, EPROTO, "the codec stopped taking bytes");
		if (events < 0)
			return -1;
		src += taken;
		len -= taken;
	}
	return 0;
}

/* STEP_DONE: no more on this association, in good or bad. */
static enum step go_on(struct peer *c, enum step *sent)
{
	size_t got;
	enum step step;

	do {
		if (converse(c, sent))
			return STEP_DONE;
		step = assoc_socket_read(&c->sock, c->env->scratch, sizeof(c->env->scratch), &got);
		peer_pay(c);
		if (step != STEP_DONE)
			return step;
		if (hear(c, c->env->scratch, got))
			return STEP_DONE;
	} while (!peer_must_wait(c, c->streams->first != NULL));
	return STEP_IN;
}

static void lost(struct peer *c)
{
	const struct fail *why = &c->sock.assoc.fail;

	c->app.ops->end(&c->app);
	take_events(c);
	if (why->code)
		fail_set(&c->fail, why->code, "%s", why->text);
	else
		fail_set(&c->fail, ECONNRESET, "closed by peer before the response was complete");
	c->exchange.count.closed_by_peer += c->streams->open > 0;
	peer_fail(c);
}

void peer_streams_exchange(struct peer *c)
{
	enum step sent = STEP_DONE, step;

	if (peer_must_wait(c, c->streams->first != NULL))
		return;
	c->streams->busy = true;
	step = go_on(c, &sent);
	c->streams->busy = false;
	if (step == STEP_IN || step == STEP_OUT) {
		if (!peer_must_wait(c, c->streams->first != NULL))
			peer_want(c, sent == STEP_OUT);
	} else if (step == STEP_DONE && !c->fail.code) {
		leave(c);
	} else if (step == STEP_DONE) {
		peer_fail(c);
	} else {
		lost(c);
	}
}
