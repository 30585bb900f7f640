/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_pace - data rates: what passed on a socket is taken from the buckets that all peers of a
 * thread share, and who meets a debt waits until it is paid.
 */
#include "clients/peer_exchange.h"
#include "lib/clock.h"

void peer_pay(struct peer *p)
{
	int64_t now_ns;

	if (!p->env->limited)
		return;
	now_ns = clock_ns();
	bucket_take(&p->env->upload, p->sock.bytes_sent - p->sent_paid, now_ns);
	bucket_take(&p->env->download, p->sock.bytes_received - p->received_paid, now_ns);
	p->sent_paid = p->sock.bytes_sent;
	p->received_paid = p->sock.bytes_received;
}

bool peer_must_wait(struct peer *p, bool uploads)
{
	int64_t ready_ns, up_ns;

	if (!p->env->limited)
		return false;
	ready_ns = bucket_ready_ns(&p->env->download);
	up_ns = bucket_ready_ns(&p->env->upload);
	if (uploads && up_ns > ready_ns)
		ready_ns = up_ns;
	if (ready_ns <= clock_ns())
		return false;
	loop_io_want(&p->io, 0);
	loop_timer_at(&p->pace, ready_ns);
	return true;
}
