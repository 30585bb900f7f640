/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_ask - a client's request: the next question into the codec, then on its way. It may go
 * with the first flight of a resumed handshake (RFC 8446, section 4.2.10), and again behind it
 * where the server has refused that.
 */
#include "clients/peer_exchange.h"

#include <errno.h>

#include "clients/peer_streams.h"
#include "lib/clock.h"

/* The last request of an association that is kept for so many asks the server to close. */
bool peer_is_last(const struct peer *p)
{
	int64_t limit = p->env->connection_requests;

	return !p->env->request.keep_alive || (limit && p->served + 1 >= limit);
}

void peer_reconnect(struct peer *p)
{
	peer_disconnect(p);
	peer_connect(p);
}

int peer_put(struct peer *p)
{
	return question_put(&p->question, &p->env->questions, &p->env->request, &p->fail);
}

/*
 * To the codec, which has it then, or may have it once the server has greeted: p->held. False: the
 * exchange fails, or begins again.
 */
static bool hand_over(struct peer *p)
{
	struct app *app = &p->app;

	p->held = false;
	fail_clear(&app->fail);
	if (!app->ops->request(app, &p->question.request))
		return true;
	p->held = app->ungreeted;
	if (p->held)
		return true;
	if (!app->fail.code && (p->served || p->again)) { /* the server takes no more here */
		peer_reconnect(p);
		return false;
	}
	if (app->fail.code)
		fail_set(&p->fail, app->fail.code, "%s", app->fail.text);
	else
		fail_set(&p->fail, EPROTO, "the server takes no request");
	peer_fail(p);
	return false;
}

/* The next question is handed over. False: the exchange fails, or begins again. */
static bool pose(struct peer *p)
{
	p->state = PEER_ASKING;
	if (peer_put(p)) {
		peer_fail(p);
		return false;
	}
	p->last_here = peer_is_last(p);
	p->question.request.keep_alive = !p->last_here;
	p->asked = p->answered = p->again = false;
	if (!p->env->lasts || !p->served) {
		p->out_len = p->out_at = 0;
		p->app.ops->reset(&p->app);
	}
	return hand_over(p);
}

void peer_ask(struct peer *p)
{
	if (p->streams) {
		peer_streams_open(p);
		return;
	}
	if (!p->posed && !pose(p))
		return;
	p->posed = false;
	p->state = PEER_ASKING;
	if (p->exchange.sent_ns < 0 && !p->held)
		p->exchange.sent_ns = clock_ns();
	if (peer_must_wait(p, true))
		return;
	/* A failed send shows when reading: the server may have answered before it left. */
	peer_push(p);
	peer_pay(p);
	peer_want(p, p->out_at < p->out_len);
}

bool peer_ask_held(struct peer *p)
{
	if (!hand_over(p))
		return false;
	if (p->held)
		return true;
	p->asked = false;
	p->exchange.sent_ns = clock_ns();
	return true;
}

bool peer_ask_again(struct peer *p)
{
	bool here;

	p->asked = p->answered = false;
	p->exchange.sent_ns = -1;
	if (p->app.ops->finished(&p->app)) {
		peer_reconnect(p);
		return false;
	}
	if (peer_put(p)) {
		peer_fail(p);
		return false;
	}
	p->question.request.keep_alive = !p->last_here;
	here = hand_over(p);
	p->again = false;
	if (here && !p->held)
		p->exchange.sent_ns = clock_ns();
	return here;
}

/* --- early data ------------------------------------------------------------ */

/* True: the whole request stands in out, which is not full. */
static bool gather(struct peer *p)
{
	size_t n;

	do {
		n = p->app.ops->pull(&p->app, p->out + p->out_len, sizeof(p->out) - p->out_len);
		p->out_len += n;
	} while (n && p->out_len < sizeof(p->out));
	return p->out_len < sizeof(p->out);
}

bool peer_ask_early(struct peer *p)
{
	const struct engine_ops *ops = p->env->domain->ops;
	size_t room = p->env->early_data ? ops->early_room(&p->sock.assoc) : 0;

	p->posed = p->early = false;
	if (!room)
		return true;
	if (!pose(p))
		return false;
	p->posed = true;
	if (!gather(p) || p->out_len > room)
		return true;
	p->exchange.sent_ns = clock_ns();
	p->early = true;
	if (!assoc_socket_write_early(&p->sock, p->out, p->out_len))
		return true;
	fail_set(&p->fail, p->sock.assoc.fail.code, "%s", p->sock.assoc.fail.text);
	peer_fail(p);
	return false;
}

void peer_asked_early(struct peer *p)
{
	p->exchange.count.early_data_refused += !p->early_taken;
	p->posed = false;
	p->state = PEER_ASKING;
	p->out_at = p->early_taken ? p->out_len : 0;
	/* The answer may be here already: nothing else would say so. */
	peer_exchange(p);
}
