/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_early - a request that goes with the first flight of a resumed handshake (RFC 8446,
 * section 4.2.10), and again behind it where the server has refused that.
 */
#include "clients/peer_exchange.h"

#include "lib/clock.h"

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
	if (!peer_pose(p))
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
