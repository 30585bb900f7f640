/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_exchange - handshake, request and answer of a client over datagrams.
 *
 * The engine and CoAP's endpoint say what to send and when to look again. One timer serves both:
 * the engine's while the handshake lasts, CoAP's afterwards.
 */
#include "clients/dgram_exchange.h"

#include <errno.h>
#include <string.h>

#include "ciphers/dtls_record.h"
#include "clients/peer_exchange.h"
#include "lib/clock.h"

/* wolfSSL/wolfssl#10608: MAX_COOKIE_LEN, up to 5.7 at least. */
#define WOLFSSL_COOKIE_BYTES_MAX 32

/* --- sending --------------------------------------------------------------- */

/* All that the endpoint has to say. -1: the exchange is over. */
static int say(struct peer *p)
{
	const struct engine_ops *ops = p->env->domain->ops;
	struct dgram_link *link = &p->env->dgram->link;
	uint8_t message[DGRAM_MTU_BYTES_MAX];
	size_t len, put;

	while ((len = coap_endpoint_pull(&p->dgram->coap, message, sizeof(message)))) {
		enum step step = ops->write(&p->sock.assoc, message, len, &put);

		if (step == STEP_FAILED) {
			fail_set(&p->fail, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
			dgram_fail_exchange(p, EXCHANGE_FAILED);
			return -1;
		}
		p->dgram->now.datagrams_dropped += step != STEP_DONE;
		if (dgram_link_send(link, p)) {
			dgram_refused(p, p->sock.socket_error);
			return -1;
		}
	}
	return 0;
}

void dgram_arm(struct peer *p)
{
	int64_t due_ns = coap_endpoint_deadline(&p->dgram->coap);

	if (p->state == PEER_SECURING) {
		int64_t left_ns = p->env->domain->ops->deadline(&p->sock.assoc);

		due_ns = left_ns < 0 ? INT64_MAX : clock_ns() + left_ns;
	}
	if (due_ns == INT64_MAX)
		loop_timer_stop(&p->dgram->timer);
	else
		loop_timer_at(&p->dgram->timer, due_ns);
	loop_io_want(&p->io, LOOP_READ);
}

/* --- the answer ------------------------------------------------------------ */

static void complete(struct peer *p, const struct app_event *e)
{
	p->exchange.max_age_s = e->response.max_age_s;
	dgram_account(p);
	peer_judge(p);
	if (p->exchange.end == EXCHANGE_FAILED)
		fail_within(&p->fail, "CoAP %s", coap_code_name((uint8_t)e->code));
	p->served++;
	p->dgram->asked = false;
	if (p->last_here) {
		p->ended_as_planned = true;
		dgram_goodbye(p);
		dgram_disconnect(p);
	} else {
		dgram_arm(p);
	}
	peer_finish(p);
}

static void ended_badly(struct peer *p, const struct app_event *e)
{
	bool silent = e->code == COAP_END_NO_ACK || e->code == COAP_END_NO_ANSWER;

	p->dgram->asked = false;
	fail_set(&p->fail, silent ? ETIMEDOUT : EPROTO, "CoAP: %s", e->why);
	dgram_fail_exchange(p, silent ? EXCHANGE_TIMED_OUT : EXCHANGE_FAILED);
}

/* Fetch what the endpoint has, and answer it. False: the exchange is over. */
bool dgram_take_events(struct peer *p)
{
	struct app_event e, last = { 0 };

	while (coap_endpoint_next(&p->dgram->coap, &e)) {
		if (e.kind == APP_END || e.kind == APP_RESET)
			last = e;
		else if (peer_take_content(p, &e)) {
			dgram_fail_exchange(p, EXCHANGE_FAILED);
			return false;
		}
	}
	if (say(p))
		return false;
	if (last.kind == APP_END)
		complete(p, &last);
	else if (last.kind == APP_RESET)
		ended_badly(p, &last);
	return last.kind == APP_NOTHING;
}

/* --- the request ----------------------------------------------------------- */

/* The ids of this socket are used up: another one is another endpoint, with all ids free. */
static void take_another_socket(struct peer *p)
{
	struct dgram *d = p->dgram;

	p->exchange.count.coap_ids_exhausted++;
	p->ended_as_planned = true;
	dgram_goodbye(p);
	dgram_disconnect(p);
	coap_endpoint_close(&d->coap);
	d->opened = false;
	if (coap_endpoint_open(&d->coap, APP_CLIENT, &p->env->dgram->coap, &p->env->dgram->rng,
			       &d->coap_now)) {
		fail_set(&p->fail, d->coap.fail.code, "%s", d->coap.fail.text);
		peer_fail(p);
		return;
	}
	d->opened = true;
	dgram_begin(p);
}

uint64_t dgram_ids(const struct dgram *d)
{
	return d->coap_now.sent - d->coap_now.retransmissions;
}

/* Another request like the longest one might use an id of this socket again. */
static bool ids_run_out(struct dgram *d)
{
	uint64_t now = dgram_ids(d), last = now - d->ids_asked;

	if (last > d->ids_most)
		d->ids_most = last;
	d->ids_asked = now;
	return now > d->ids_before && now - d->ids_before + d->ids_most > DGRAM_IDS;
}

void dgram_ask(struct peer *p)
{
	enum coap_took took;

	p->state = PEER_ASKING;
	if (p->env->dgram->guards_ids && ids_run_out(p->dgram)) {
		take_another_socket(p);
		return;
	}
	if (peer_put(p)) {
		dgram_fail_exchange(p, EXCHANGE_FAILED);
		return;
	}
	p->last_here = peer_is_last(p);
	if (p->exchange.sent_ns < 0)
		p->exchange.sent_ns = clock_ns();
	took = coap_endpoint_request(&p->dgram->coap, &p->question.request, clock_ns());
	if (took == COAP_NO_ID) {
		p->exchange.sent_ns = -1; /* nothing was: a handshake comes before */
		take_another_socket(p);
		return;
	}
	if (took != COAP_TOOK) {
		fail_set(&p->fail, EINVAL, "the request cannot be sent: %s",
			 took == COAP_BUSY ? "another one is open" : p->dgram->coap.fail.text);
		dgram_fail_exchange(p, EXCHANGE_FAILED);
		return;
	}
	p->dgram->asked = true;
	if (!say(p))
		dgram_arm(p);
}

/* --- the handshake --------------------------------------------------------- */

/* Without DTLS nothing has passed yet: there was no handshake that could have a length. */
static void secured(struct peer *p)
{
	if (p->env->domain->ops == &engine_null)
		p->exchange.handshake_ns = -1;
	dgram_ask(p);
}

/* Of a HelloVerifyRequest that is a datagram's first message (RFC 6347, 4.2.1 and 4.3.2); else 0.
 */
static size_t cookie_bytes(const uint8_t *datagram, size_t len)
{
	enum { RECORD = 13, MESSAGE = 12, VERSION = 2 };
	size_t at = RECORD + MESSAGE + VERSION;

	if (len <= at || datagram[0] != 22 || datagram[RECORD] != 3)
		return 0;
	return datagram[at];
}

bool dgram_takes_cookie(struct peer *p, const uint8_t *datagram, size_t len)
{
	const char *engine = p->env->domain->ops->name;
	size_t bytes = cookie_bytes(datagram, len);

	if (bytes <= WOLFSSL_COOKIE_BYTES_MAX || strcmp(engine, "wolfssl"))
		return true;
	fail_set(&p->sock.assoc.fail, EPROTO,
		 "the server's cookie has %zu bytes, and %s passes over those of more than %d "
		 "without a word: use another engine",
		 bytes, engine, WOLFSSL_COOKIE_BYTES_MAX);
	return false;
}

/*
 * An engine repeats when its deadline is met, when something comes near to that, and when the
 * server repeats: the wire tells all of them. Messages are numbered and go up; what does not was
 * sent before. A resumed client's last flight has none in the clear but its ChangeCipherSpec.
 */
void dgram_note_flight(struct dgram *d, const uint8_t *datagram, size_t len)
{
	enum { CHANGE = UINT16_MAX + 1 }; /* behind all numbers of messages */
	struct dtls_record r;
	int what = CHANGE;

	if (!dtls_record_read(datagram, len, &r) || r.epoch > 0)
		return;
	if (r.is_message && r.fragment_at == 0)
		what = r.message_seq;
	else if (r.content != DTLS_CHANGE_CIPHER_SPEC)
		return;
	d->now.dtls_retransmissions += what <= d->flight;
	d->flight = what;
}

void dgram_secure(struct peer *p)
{
	enum step step;

	do {
		step = p->env->domain->ops->handshake(&p->sock.assoc);
		if (dgram_link_send(&p->env->dgram->link, p)) {
			dgram_refused(p, p->sock.socket_error);
			return;
		}
	} while (step == STEP_OUT || (step == STEP_IN && !wire_empty(&p->sock.assoc.in)));
	if (step == STEP_IN)
		dgram_arm(p);
	else if (step != STEP_DONE)
		peer_handshake_failed(p);
	else if (peer_secured(p))
		secured(p);
}
