/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_h2 - a server of HTTP/2 for tests, on a thread of its own, that holds its answers back,
 * limits, drops, says goodbye or keeps silent as told. For load_streams_test.c only, behind
 * cmocka's headers.
 */
#ifndef CLIENTS_FAKE_H2_H
#define CLIENTS_FAKE_H2_H

#include <poll.h>
#include <pthread.h>

#include "clients/load_testing.h"
#include "protocols/app.h"

#define H2_PEERS_MAX 64
#define H2_LATE_NS   (200 * MS)

struct h2 {
	int batch;       /* answers are held back until so many requests wait, or nothing comes */
	uint32_t limit;  /* streams that it announces */
	int drop_after;  /* requests on a connection behind which it closes; 0: never */
	int silent;      /* connections, the first ones, that get no answer */
	int error_every; /* each so many requests is answered 500; 0: none */
	int last_after;  /* requests on a connection of which the last is answered with GOAWAY */
	int late;        /* requests of a connection, at a time, that wait for H2_LATE_NS */
	int reset_every; /* each so many requests is reset instead */
	bool refuses;    /* it is reset as one that was not looked at */
	int leave_every; /* each so many requests is not looked at, and no more are */
	bool garbled;    /* answers say gzip and are none */
	int fd, stop[2];
	uint16_t port;
	pthread_t thread;
	int connections, requests, peak; /* read when it has ended */
	struct h2_peer {
		struct app app;
		int fd, requests, number;
		int waiting, late;
		uint32_t wait[256], late_stream[256];
		int64_t late_from_ns;
	} peer[H2_PEERS_MAX];
};

static inline void h2_send(struct h2_peer *p)
{
	char out[4096];
	size_t len;
	while ((len = app_http2.pull(&p->app, out, sizeof(out))))
		fake_send(p->fd, out, len);
}

static inline void h2_respond(struct h2 *s, struct h2_peer *p, uint32_t stream, int status)
{
	static const char body[FAKE_BODY_BYTES];
	struct app_response r = { .status = status,
				  .body = body,
				  .body_bytes = sizeof(body),
				  .encoding = s->garbled ? APP_GZIP : APP_IDENTITY,
				  .keep_alive = !s->last_after || p->requests < s->last_after,
				  .stream = stream };
	app_http2.respond(&p->app, &r);
}

/* RST_STREAM (RFC 9113, 6.4), which the codec has no call for: REFUSED_STREAM, INTERNAL_ERROR. */
static inline void h2_reset(const struct h2 *s, const struct h2_peer *p, uint32_t stream)
{
	const char frame[] = {
		0, 0, 4, 3, 0, 0, 0, (char)(stream >> 8), (char)stream, 0, 0, 0, s->refuses ? 7 : 2
	};
	fake_send(p->fd, frame, sizeof(frame));
}

/* GOAWAY (RFC 9113, 6.8) that takes in what came before this stream. */
static inline void h2_leave(const struct h2_peer *p, uint32_t stream)
{
	uint32_t last = stream > 1 ? stream - 2 : 0;
	const char frame[17] = { 0, 0, 8, 7, [11] = (char)(last >> 8), [12] = (char)last };
	fake_send(p->fd, frame, sizeof(frame));
}

static inline void h2_answer_late(struct h2 *s, struct h2_peer *p)
{
	if (clock_ns() < p->late_from_ns + H2_LATE_NS)
		return;
	while (p->late)
		h2_respond(s, p, p->late_stream[--p->late], 200);
	h2_send(p);
}

static inline void h2_answer(struct h2 *s, struct h2_peer *p)
{
	/* The last that came is answered first. */
	while (p->waiting) {
		int number = p->waiting--;
		bool bad = s->error_every && (s->requests - number) % s->error_every == 0;
		if (s->reset_every && (s->requests - number) % s->reset_every == 0)
			h2_reset(s, p, p->wait[p->waiting]);
		else if (s->leave_every && (s->requests - number) % s->leave_every == 0)
			h2_leave(p, p->wait[p->waiting]);
		else
			h2_respond(s, p, p->wait[p->waiting], bad ? 500 : 200);
	}
	h2_send(p);
}

static inline void h2_events(struct h2 *s, struct h2_peer *p)
{
	struct app_event e;
	while (app_http2.next(&p->app, &e)) {
		if (e.kind != APP_REQUEST)
			continue;
		s->requests++;
		p->requests++;
		if (p->late < s->late) {
			if (!p->late)
				p->late_from_ns = clock_ns();
			p->late_stream[p->late++] = e.request.stream;
			continue;
		}
		p->wait[p->waiting++] = e.request.stream;
		if (p->waiting > s->peak)
			s->peak = p->waiting;
	}
}

static inline void h2_close(struct h2_peer *p)
{
	app_http2.close(&p->app);
	close(p->fd);
	p->fd = -1;
}

static inline void h2_read(struct h2 *s, struct h2_peer *p)
{
	unsigned char in[16384], *at = in;
	ssize_t n = recv(p->fd, in, sizeof(in), 0);
	while (n > 0) {
		size_t taken = app_http2.feed(&p->app, at, (size_t)n);
		h2_events(s, p);
		h2_send(p);
		at += taken;
		n -= (ssize_t)taken;
		if (p->number >= s->silent && p->waiting >= s->batch)
			h2_answer(s, p);
	}
	bool drops = s->drop_after && p->requests >= s->drop_after;
	if (n < 0 || at == in || drops)
		h2_close(p);
	else if (app_http2.finished(&p->app))
		shutdown(p->fd, SHUT_WR); /* closing now would reset what is still on its way */
}

static inline void h2_accept(struct h2 *s)
{
	struct h2_peer *p = s->peer;
	while (p->fd >= 0)
		p++;
	*p = (struct h2_peer){ .fd = accept(s->fd, NULL, NULL), .number = s->connections++ };
	p->app = (struct app){ .half = APP_SERVER, .limits = { .streams = s->limit } };
	app_http2.open(&p->app);
	h2_send(p);
}

static inline void *h2_run(void *data)
{
	struct h2 *s = data;
	for (;;) {
		struct pollfd at[H2_PEERS_MAX + 2] = { { .fd = s->stop[0], .events = POLLIN },
						       { .fd = s->fd, .events = POLLIN } };
		for (int i = 0; i < H2_PEERS_MAX; i++)
			at[i + 2] = (struct pollfd){ .fd = s->peer[i].fd, .events = POLLIN };
		int ready = poll(at, H2_PEERS_MAX + 2, 20);
		for (int i = 0; i < H2_PEERS_MAX; i++) {
			struct h2_peer *p = &s->peer[i];
			if (p->fd >= 0 && at[i + 2].revents)
				h2_read(s, p);
			else if (p->fd >= 0 && !ready && p->number >= s->silent)
				h2_answer(s, p);
			if (p->fd >= 0 && p->late)
				h2_answer_late(s, p);
		}
		if (at[1].revents)
			h2_accept(s);
		if (at[0].revents)
			return NULL;
	}
}

static inline void h2_start(struct h2 *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(s->fd, 64), 0);
	assert_int_equal(getsockname(s->fd, (struct sockaddr *)&a, &len), 0);
	s->port = ntohs(a.sin_port);
	for (int i = 0; i < H2_PEERS_MAX; i++)
		s->peer[i].fd = -1;
	assert_int_equal(pipe(s->stop), 0);
	assert_int_equal(pthread_create(&s->thread, NULL, h2_run, s), 0);
}

static inline void h2_end(struct h2 *s)
{
	assert_int_equal(write(s->stop[1], "", 1), 1);
	pthread_join(s->thread, NULL);
	for (int i = 0; i < H2_PEERS_MAX; i++) {
		if (s->peer[i].fd >= 0)
			h2_close(&s->peer[i]);
	}
	close(s->stop[0]);
	close(s->stop[1]);
	close(s->fd);
}

#endif
