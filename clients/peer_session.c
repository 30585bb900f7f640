/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_session - what a client keeps of an association to resume it: one session, used once.
 *
 * A ticket of TLS 1.3 comes with what is read after the handshake; a peer in mode resume reads
 * until the server closes, PEER_LINGER_NS at most, so a ticket that is sent is seen.
 */
#include "clients/peer_exchange.h"

int peer_offer_session(struct peer *p)
{
	struct session *s = p->session;
	const struct engine_ops *ops = p->env->domain->ops;

	if (!p->env->resume_pct || !p->made_before)
		return 0;
	p->resume_credit += p->env->resume_pct;
	if (p->resume_credit < 100 || !s)
		return 0;
	p->resume_credit -= 100;
	p->session = NULL;
	return ops->session_offer(&p->sock.assoc, s);
}

void peer_keep_session(struct peer *p)
{
	const struct engine_ops *ops = p->env->domain->ops;
	struct session *s =
		p->secured && p->env->resume_pct ? ops->session_take(&p->sock.assoc) : NULL;

	p->secured = false;
	if (!s)
		return;
	peer_drop_session(p);
	p->session = s;
}

void peer_drop_session(struct peer *p)
{
	if (p->session)
		p->env->domain->ops->session_free(p->session);
	p->session = NULL;
}
