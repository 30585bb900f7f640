/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_socket - recvmmsg() and sendmmsg() over arrays that are made once.
 */
#include "servers/dgram_socket.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "servers/bound.h"

#define RECEIVE_BUFFER_BYTES (4 << 20) /* asked for; the kernel cuts it to net.core.rmem_max */
#define CONTROL_BYTES        CMSG_SPACE(sizeof(uint32_t))

struct side {
	struct mmsghdr head[DGRAM_BATCH];
	struct iovec part[DGRAM_BATCH];
	struct sockaddr_storage address[DGRAM_BATCH];
	uint8_t bytes[DGRAM_BATCH][DGRAM_BYTES_MAX];
};

struct dgram_batch {
	struct side in, out;
	_Alignas(struct cmsghdr) char control[DGRAM_BATCH][CONTROL_BYTES];
	struct dgram_received received[DGRAM_BATCH];
	int waiting; /* in out */
	struct dgram_tally tally;
};

/* --- sockets ------------------------------------------------------------------ */

static int prepare(int fd)
{
	int on = 1, room = RECEIVE_BUFFER_BYTES;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	return setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
}

static const struct bound_kind kind = { .type = SOCK_DGRAM,
					.cannot = "cannot take datagrams at",
					.set_up = prepare };

int dgram_socket_first(const struct url *u, struct net_address *bound, struct fail *f)
{
	return bound_first(u, &kind, bound, f);
}

int dgram_socket_again(const struct net_address *bound, struct fail *f)
{
	return bound_again(bound, &kind, f);
}

/* --- batches ------------------------------------------------------------------- */

static void set_up(struct side *s)
{
	for (int i = 0; i < DGRAM_BATCH; i++) {
		s->part[i].iov_base = s->bytes[i];
		s->head[i].msg_hdr.msg_iov = &s->part[i];
		s->head[i].msg_hdr.msg_iovlen = 1;
		s->head[i].msg_hdr.msg_name = &s->address[i];
	}
}

struct dgram_batch *dgram_batch_new(void)
{
	struct dgram_batch *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	set_up(&b->in);
	set_up(&b->out);
	return b;
}

void dgram_batch_free(struct dgram_batch *b)
{
	free(b);
}

/* The kernel tells how many it has lost since the socket was opened. */
static void read_overflow(struct dgram_batch *b, struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
			uint32_t lost;

			memcpy(&lost, CMSG_DATA(c), sizeof lost);
			/* 32 bits, which go round. */
			b->tally.overflown += (uint32_t)(lost - (uint32_t)b->tally.overflown);
		}
}

static int sort_out(struct dgram_batch *b, int n)
{
	int good = 0;

	for (int i = 0; i < n; i++) {
		struct mmsghdr *h = &b->in.head[i];
		struct dgram_received *r = &b->received[good];

		read_overflow(b, &h->msg_hdr);
		b->tally.received++;
		b->tally.bytes_received += h->msg_len;
		if (h->msg_hdr.msg_flags & MSG_TRUNC) {
			b->tally.overlong++;
			continue;
		}
		*r = (struct dgram_received){ .bytes = b->in.bytes[i], .len = h->msg_len };
		dgram_address_read(&r->from, &b->in.address[i]);
		good++;
	}
	return good;
}

int dgram_batch_receive(struct dgram_batch *b, int fd)
{
	int n;

	for (int i = 0; i < DGRAM_BATCH; i++) {
		struct msghdr *m = &b->in.head[i].msg_hdr;

		b->in.part[i].iov_len = DGRAM_BYTES_MAX;
		m->msg_namelen = sizeof b->in.address[i];
		m->msg_control = b->control[i];
		m->msg_controllen = CONTROL_BYTES;
	}
	n = recvmmsg(fd, b->in.head, DGRAM_BATCH, MSG_DONTWAIT, NULL);
	/* An error of one that was sent before (ICMP) is reported here, and is no end. */
	return n > 0 ? sort_out(b, n) : 0;
}

const struct dgram_received *dgram_batch_at(const struct dgram_batch *b, int i)
{
	return &b->received[i];
}

void dgram_batch_flush(struct dgram_batch *b, int fd)
{
	int done = 0;

	while (done < b->waiting) {
		int n = sendmmsg(fd, b->out.head + done, (unsigned)(b->waiting - done),
				 MSG_DONTWAIT);

		/* The first was not taken: it is lost, as on the way. */
		b->tally.unsent += n <= 0;
		b->tally.sent += n > 0 ? n : 0;
		for (int i = 0; i < n; i++)
			b->tally.bytes_sent += (int64_t)b->out.part[done + i].iov_len;
		done += n > 0 ? n : 1;
	}
	b->waiting = 0;
}

void dgram_batch_put(struct dgram_batch *b, int fd, const struct dgram_address *to,
		     const void *bytes, size_t len)
{
	int i;

	if (len > DGRAM_BYTES_MAX) {
		b->tally.unsent++;
		return;
	}
	if (b->waiting == DGRAM_BATCH)
		dgram_batch_flush(b, fd);
	i = b->waiting++;
	memcpy(b->out.bytes[i], bytes, len);
	b->out.part[i].iov_len = len;
	b->out.head[i].msg_hdr.msg_namelen = dgram_address_write(to, &b->out.address[i]);
}

const struct dgram_tally *dgram_batch_tally(const struct dgram_batch *b)
{
	return &b->tally;
}
