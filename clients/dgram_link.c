/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_link - send(), and the queue in front of it.
 */
#include "clients/dgram_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clients/dgram_exchange.h"
#include "lib/clock.h"

static void on_due(struct loop_timer *t);

int dgram_link_init(struct dgram_link *l, struct loop *loop, struct bucket *upload,
		    int overhead_bytes, int clients, size_t datagram_bytes, struct fail *f)
{
	size_t max = (size_t)clients * DGRAM_QUEUE_EACH;

	*l = (struct dgram_link){ .upload = upload, .overhead_bytes = overhead_bytes };
	loop_timer_init(&l->timer, loop, on_due, l);
	if (!upload->bytes_per_s)
		return 0;
	l->entries_max = max;
	l->entry = calloc(max, sizeof(*l->entry));
	if (l->entry && !wire_init(&l->queue, max * (datagram_bytes + 2), true))
		return 0;
	return fail_set(f, ENOMEM, "no memory for a queue of %zu datagrams", max);
}

void dgram_link_release(struct dgram_link *l)
{
	loop_timer_stop(&l->timer);
	wire_release(&l->queue);
	free(l->entry);
	l->entry = NULL;
}

/* --- the socket ------------------------------------------------------------ */

static int refused(struct peer *p, int code, size_t len)
{
	p->sock.socket_error = code;
	if (code == EMSGSIZE)
		return fail_set(&p->fail, code,
				"a datagram of %zu bytes is more than the path takes: use a "
				"smaller --mtu",
				len);
	return fail_set(&p->fail, code, "cannot send: %s", strerror(code));
}

/* -1: for good. What finds no room in the kernel is lost, as on any other stretch of the way. */
static int put(struct peer *p, const uint8_t *src, size_t len)
{
	ssize_t n;

	do {
		n = send(p->fd, src, len, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n >= 0) {
		p->sock.bytes_sent += n;
		p->sent_paid = p->sock.bytes_sent;
		p->dgram->now.datagrams_sent++;
		return 0;
	}
	if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS)
		return refused(p, errno, len);
	p->dgram->now.datagrams_dropped++;
	return 0;
}

/* --- the queue ------------------------------------------------------------- */

static void enqueue(struct dgram_link *l, struct peer *p, const uint8_t *src, size_t len)
{
	size_t at = (l->head + l->waiting) % l->entries_max;

	if (l->waiting == l->entries_max || wire_room(&l->queue) < len) {
		p->dgram->now.datagrams_dropped++;
		return;
	}
	wire_put(&l->queue, src, len);
	l->entry[at] = (struct dgram_entry){ p, p->dgram->socket };
	l->waiting++;
}

/* The first of the queue is in l->first, its bytes are paid. False: the queue is empty. */
static bool pay_first(struct dgram_link *l)
{
	while (!l->paid && l->waiting) {
		const struct dgram_entry *e = &l->entry[l->head];

		l->first_len = wire_get(&l->queue, l->first, sizeof(l->first));
		if (e->socket == e->peer->dgram->socket) {
			bucket_take(l->upload, (int64_t)l->first_len + l->overhead_bytes,
				    clock_ns());
			l->paid = true;
		} else {
			l->head = (l->head + 1) % l->entries_max;
			l->waiting--;
		}
	}
	return l->paid;
}

static void on_due(struct loop_timer *t)
{
	struct dgram_link *l = t->data;

	while (pay_first(l)) {
		struct dgram_entry e = l->entry[l->head];

		if (bucket_ready_ns(l->upload) > clock_ns()) {
			loop_timer_at(t, bucket_ready_ns(l->upload));
			return;
		}
		l->head = (l->head + 1) % l->entries_max;
		l->waiting--;
		l->paid = false;
		/* Closed while its bytes were on the link: nobody hears of it. */
		if (e.socket == e.peer->dgram->socket && put(e.peer, l->first, l->first_len))
			dgram_refused(e.peer, e.peer->sock.socket_error);
	}
}

int dgram_link_send(struct dgram_link *l, struct peer *p)
{
	size_t len;

	while ((len = wire_get(&p->sock.assoc.out, l->scratch, sizeof(l->scratch)))) {
		dgram_note_flight(p->dgram, l->scratch, len);
		if (l->entry)
			enqueue(l, p, l->scratch, len);
		else if (put(p, l->scratch, len))
			return -1;
	}
	if (l->entry && !l->timer.armed)
		loop_timer_at(&l->timer, clock_ns());
	return 0;
}

void dgram_link_send_last(struct dgram_link *l, struct peer *p)
{
	size_t len;

	while ((len = wire_get(&p->sock.assoc.out, l->scratch, sizeof(l->scratch)))) {
		if (put(p, l->scratch, len))
			return;
		bucket_take(l->upload, (int64_t)len + l->overhead_bytes, clock_ns());
	}
}
