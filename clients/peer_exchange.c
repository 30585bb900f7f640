/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_exchange - handshake, response and leave-taking over one association.
 *
 * In mode full the server closes first: it was asked to with "Connection: close", its
 * close confirms the end of the response, and TIME_WAIT stays on its port rather than
 * on one of ours (28,000 of them last seconds). Only when it does not do so within
 * PEER_LINGER_NS does the client close.
 */
#include "clients/peer_exchange.h"

#include <errno.h>
#include <string.h>

#include "clients/peer_streams.h"
#include "lib/clock.h"

void peer_want(struct peer *p, bool write)
{
	loop_io_want(&p->io, LOOP_READ | (write || p->sock.stuck ? LOOP_WRITE : 0));
}

static bool is_gone(int code)
{
	return code == ECONNRESET || code == EPIPE;
}

/* --- the handshake -------------------------------------------------------- */

bool peer_secured(struct peer *p)
{
	struct tls_facts facts;

	p->exchange.handshake_ns = clock_ns() - p->connect_ns;
	p->exchange.fresh = true;
	p->secured = true;
	p->env->domain->ops->facts(&p->sock.assoc, &facts);
	if (facts.version != TLS_NONE) {
		p->exchange.count.handshakes_full += !facts.resumed;
		p->exchange.count.handshakes_resumed += facts.resumed;
		p->exchange.count.handshakes_early_data += facts.early_data;
	}
	p->early_taken = facts.early_data;
	return !p->env->on_secured(p->env->data, &facts);
}

void peer_handshake_failed(struct peer *p)
{
	const struct fail *why = &p->sock.assoc.fail;

	if (why->code)
		fail_set(&p->fail, why->code, "handshake: %s", why->text);
	else
		fail_set(&p->fail, ECONNRESET, "handshake: closed by peer");
	p->exchange.count.handshakes_failed++;
	p->exchange.count.closed_by_peer += is_gone(p->fail.code);
	peer_fail(p);
}

void peer_secure(struct peer *p)
{
	enum step step;

	if (peer_must_wait(p, true))
		return;
	step = assoc_socket_handshake(&p->sock);
	peer_pay(p);
	switch (step) {
	case STEP_DONE:
		if (!peer_secured(p))
			break;
		if (p->early)
			peer_asked_early(p);
		else
			peer_ask(p);
		break;
	case STEP_IN:
		peer_want(p, false);
		break;
	case STEP_OUT:
		peer_want(p, true);
		break;
	default:
		peer_handshake_failed(p);
		break;
	}
}

/* --- the request ---------------------------------------------------------- */

enum step peer_push(struct peer *p)
{
	enum step step = STEP_DONE;
	size_t put;

	while (step == STEP_DONE) {
		if (p->out_at == p->out_len) {
			p->out_len = p->app.ops->pull(&p->app, p->out, sizeof(p->out));
			p->out_at = 0;
			if (!p->out_len) {
				step = assoc_socket_flush(&p->sock);
				p->asked = step == STEP_DONE;
				return step;
			}
		}
		step = assoc_socket_write(&p->sock, p->out + p->out_at, p->out_len - p->out_at,
					  &put);
		p->out_at += put;
	}
	return step;
}

/* --- the response --------------------------------------------------------- */

static void count_status(struct load_counters *c, int status)
{
	c->status_2xx += status / 100 == 2;
	c->status_3xx += status / 100 == 3;
	c->status_4xx += status / 100 == 4;
	c->status_5xx += status / 100 == 5;
}

/* Closed or broken while a response was owed. */
static void lost(struct peer *p)
{
	const struct fail *why = &p->sock.assoc.fail;

	/* A kept association may be closed between two requests at any time (RFC 9112, 9.3.1). */
	if (!p->answered && p->served && p->env->request.keep_alive) {
		peer_reconnect(p);
		return;
	}
	if (why->code)
		fail_set(&p->fail, why->code, "%s", why->text);
	else
		fail_set(&p->fail, ECONNRESET, "closed by peer before the response was complete");
	p->exchange.count.closed_by_peer += is_gone(p->fail.code);
	peer_fail(p);
}

void peer_judge(struct peer *p)
{
	enum asker_outcome outcome;
	struct exchange *x = &p->exchange;

	x->end_ns = clock_ns();
	x->end = EXCHANGE_OK;
	count_status(&x->count, x->status);
	if (question_judge(&p->question, &p->env->questions, &outcome, &p->fail)) {
		x->end = EXCHANGE_FAILED;
	} else if (p->env->verify_body && !p->verified) {
		if (body_end(&p->body, &p->fail))
			x->end = EXCHANGE_FAILED;
		x->decoded_bytes = p->body.decoded_bytes;
		p->verified = true;
	}
	x->count.outcomes[x->end == EXCHANGE_OK ? outcome : ASKER_ERROR]++;
	p->failures = 0;
}

static void complete(struct peer *p, bool keep)
{
	peer_judge(p);
	p->served++;
	if (keep && !p->last_here) {
		peer_finish(p);
		return;
	}
	p->ended_as_planned = p->last_here;
	p->state = PEER_LEAVING;
	peer_alarm_at(p, p->exchange.end_ns + PEER_LINGER_NS);
}

int peer_take_content(struct peer *p, const struct app_event *e)
{
	struct exchange *x = &p->exchange;
	bool verify = p->env->verify_body && !p->verified;

	question_hear(&p->question, &p->env->questions, e);
	if (e->kind == APP_HEAD_IN) {
		x->status = e->response.status;
		x->encoding = e->response.encoding;
		return verify ? body_start(&p->body, x->encoding, &p->fail) : 0;
	}
	if (e->kind != APP_BODY)
		return 0;
	x->count.body_bytes += (int64_t)e->len;
	return verify ? body_bytes(&p->body, e->bytes, e->len, &p->fail) : 0;
}

/* 0: go on. -1: p->fail. *over: the response is complete and may be kept. */
static int take_event(struct peer *p, const struct app_event *e, bool *over, bool *keep)
{
	switch (e->kind) {
	case APP_END:
		*over = true;
		*keep = e->response.keep_alive;
		return 0;
	case APP_FAILED:
		*keep = false;
		return *over || p->again
			       ? 0
			       : fail_set(&p->fail, p->app.fail.code, "%s", p->app.fail.text);
	case APP_RESET:
		p->again = e->retry;
		return p->again ? 0
				: fail_set(&p->fail, EPROTO, "the server reset the stream: %s",
					   e->why);
	default:
		return peer_take_content(p, e);
	}
}

/* Fetch what the codec has. How many events, or -1: p->fail. */
static int take_events(struct peer *p, bool *over, bool *keep)
{
	struct app_event e;
	int taken = 0;

	for (; (!*over || p->env->lasts) && p->app.ops->next(&p->app, &e); taken++) {
		if (take_event(p, &e, over, keep))
			return -1;
	}
	return taken;
}

/* Give len received bytes to the codec. False: the exchange is over, in whatever way. */
static bool consume(struct peer *p, const uint8_t *src, size_t len)
{
	bool over = false, keep = false;

	p->answered = true;
	/* In HTTP/2 frames of the association may stand behind those of the response. */
	while (len && (!over || p->env->lasts)) {
		size_t taken = p->app.ops->feed(&p->app, src, len);
		int events = take_events(p, &over, &keep);

		src += taken;
		len -= taken;
		if (!taken && !events && p->again)
			break;
		if (!taken && !events)
			events = fail_set(&p->fail, EPROTO, "the codec stopped taking bytes");
		if (events < 0) {
			peer_fail(p);
			return false;
		}
	}
	if (p->again)
		return peer_ask_again(p);
	if (!over)
		return true;
	/* Bytes behind the response: whatever they are, this association is not used again. */
	complete(p, keep && !len && !p->app.ops->finished(&p->app));
	return false;
}

/* The stream ended: that may be the end of a body without a length. */
static void ended(struct peer *p)
{
	bool over = false, keep = false;

	if (!p->answered) {
		lost(p);
		return;
	}
	p->app.ops->end(&p->app);
	if (take_events(p, &over, &keep) < 0) {
		p->exchange.count.closed_by_peer++;
		peer_fail(p);
	} else if (over) {
		complete(p, false);
		peer_leave(p);
	} else if (p->again) {
		peer_reconnect(p);
	} else {
		lost(p);
	}
}

void peer_exchange(struct peer *p)
{
	enum step sent;
	struct fail send_failure;
	size_t got;

	if (p->streams) {
		peer_streams_exchange(p);
		return;
	}
	if (peer_must_wait(p, !p->asked))
		return;
	sent = peer_push(p);
	peer_pay(p);
	send_failure = p->sock.assoc.fail;
	for (;;) {
		enum step step =
			assoc_socket_read(&p->sock, p->env->scratch, sizeof(p->env->scratch), &got);
		peer_pay(p);
		if (step == STEP_DONE && consume(p, p->env->scratch, got)) {
			if (p->held && !peer_ask_held(p))
				return;
			if (p->env->lasts) { /* windows to open, settings to confirm */
				sent = peer_push(p);
				send_failure = p->sock.assoc.fail;
			}
			if (peer_must_wait(p, false))
				return;
			continue;
		}
		if (step == STEP_DONE && p->state == PEER_LEAVING)
			peer_leave(p);
		else if (step == STEP_IN || step == STEP_OUT)
			break;
		else if (step == STEP_CLOSED)
			ended(p);
		else if (step == STEP_FAILED)
			lost(p);
		return;
	}
	if (sent == STEP_FAILED) {
		fail_set(&p->fail, send_failure.code, "%s", send_failure.text);
		p->exchange.count.closed_by_peer += is_gone(p->fail.code);
		peer_fail(p);
		return;
	}
	peer_want(p, sent == STEP_OUT);
}

/* --- leaving -------------------------------------------------------------- */

void peer_leave(struct peer *p)
{
	size_t got;
	enum step step;

	if (p->env->lasts)
		peer_push(p);
	do {
		step = assoc_socket_read(&p->sock, p->env->scratch, sizeof(p->env->scratch), &got);
	} while (step == STEP_DONE && p->env->lasts);
	if (step == STEP_IN || step == STEP_OUT) {
		peer_want(p, step == STEP_OUT);
		return;
	}
	peer_disconnect(p);
	peer_finish(p);
}

void peer_close_first(struct peer *p)
{
	p->exchange.count.closed_first++;
	assoc_socket_shutdown(&p->sock);
	peer_disconnect(p);
	peer_finish(p);
}
