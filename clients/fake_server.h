/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_server - an HTTP server for tests that misbehaves as told; a thread per
 * connection over blocking sockets on a port of the kernel's choosing. Included by tests
 * only; it knows nothing of what it tests.
 */
#ifndef CLIENTS_FAKE_SERVER_H
#define CLIENTS_FAKE_SERVER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum fake_way {
	FAKE_NORMAL,
	FAKE_CHUNKED,
	FAKE_TO_CLOSE,      /* a body without a length, ended by closing */
	FAKE_SLOW,          /* the body in pieces, a millisecond apart */
	FAKE_ERROR,         /* 500 */
	FAKE_SILENT,        /* never an answer */
	FAKE_CLOSES_EARLY,  /* reads the request and closes */
	FAKE_HALF,          /* half of the stated length, then closes */
	FAKE_GARBAGE,       /* not HTTP */
	FAKE_RESETS,        /* half of the answer and a reset */
	FAKE_CLOSES_UNSAID, /* answers `keep` requests, then closes without having said so */
	FAKE_CLOSES_SAID,   /* the same, and says Connection: close in the last */
	FAKE_LEAVES_OPEN,   /* ignores Connection: close */
	FAKE_CANNED,        /* sends `canned` as it is */
	FAKE_MIX,           /* each request one of the above but silent, by a counter */
	FAKE_WAYS
};

#define FAKE_BODY_BYTES 1000
#define FAKE_PEERS_MAX  4096

struct fake {
	_Atomic enum fake_way way; /* may change while it runs */
	int keep;
	const char *canned;
	size_t canned_bytes;
	int fd;
	uint16_t port;
	atomic_int requests, connections, turn;
	pthread_t acceptor;
	pthread_t peer[FAKE_PEERS_MAX];
};

struct fake_peer {
	struct fake *server;
	int fd;
};

static inline void fake_send(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static inline void fake_say(int fd, const char *text)
{
	fake_send(fd, text, strlen(text));
}

static inline void fake_say_body(int fd, const char *more, size_t sent_bytes)
{
	char head[200], body[FAKE_BODY_BYTES];

	memset(body, 'b', sizeof(body));
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n",
		 FAKE_BODY_BYTES, more);
	fake_say(fd, head);
	fake_send(fd, body, sent_bytes);
}

static inline void fake_say_slowly(int fd)
{
	fake_say_body(fd, "", 0);
	for (int i = 0; i < 10; i++) {
		poll(NULL, 0, 1);
		char piece[FAKE_BODY_BYTES / 10];
		memset(piece, 's', sizeof(piece));
		fake_send(fd, piece, sizeof(piece));
	}
}

static inline void fake_reset(int fd)
{
	struct linger at_once = { .l_onoff = 1 };

	fake_say_body(fd, "", FAKE_BODY_BYTES / 2);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

/* The next request's end, or false at the end of the stream. */
static inline bool fake_read_request(int fd, bool *close_asked)
{
	char text[4096];
	size_t len = 0;

	while (len < sizeof(text) - 1) {
		ssize_t n = recv(fd, text + len, sizeof(text) - 1 - len, 0);

		if (n <= 0)
			return false;
		len += (size_t)n;
		text[len] = 0;
		if (strstr(text, "\r\n\r\n")) {
			*close_asked = strstr(text, "Connection: close");
			return true;
		}
	}
	return false;
}

/* True: the connection may go on. */
static inline bool fake_answer(struct fake *s, enum fake_way way, int fd, int served,
			       bool close_asked)
{
	switch (way) {
	case FAKE_CHUNKED:
		fake_say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
			     "5\r\nhello\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n");
		break;
	case FAKE_TO_CLOSE:
		fake_say(fd, "HTTP/1.1 200 OK\r\n\r\nall of it");
		return false;
	case FAKE_SLOW:
		fake_say_slowly(fd);
		break;
	case FAKE_ERROR:
		fake_say(fd, "HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno");
		break;
	case FAKE_SILENT:
		return true;
	case FAKE_CLOSES_EARLY:
		return false;
	case FAKE_HALF:
		fake_say_body(fd, "", FAKE_BODY_BYTES / 2);
		return false;
	case FAKE_GARBAGE:
		fake_say(fd, "\x16\x03\x01 this is not HTTP\r\n\r\n");
		return true;
	case FAKE_RESETS:
		fake_reset(fd);
		return false;
	case FAKE_CLOSES_UNSAID:
		fake_say_body(fd, "", FAKE_BODY_BYTES);
		return served + 1 < s->keep && !close_asked;
	case FAKE_CLOSES_SAID:
		fake_say_body(fd, served + 1 < s->keep ? "" : "Connection: close\r\n",
			      FAKE_BODY_BYTES);
		return served + 1 < s->keep && !close_asked;
	case FAKE_CANNED:
		fake_send(fd, s->canned, s->canned_bytes);
		break;
	case FAKE_LEAVES_OPEN:
		fake_say_body(fd, "", FAKE_BODY_BYTES);
		return true;
	default:
		fake_say_body(fd, "", FAKE_BODY_BYTES);
		break;
	}
	return !close_asked;
}

static inline enum fake_way fake_mixed_way(struct fake *s)
{
	enum fake_way way = (enum fake_way)((unsigned)atomic_fetch_add(&s->turn, 5) % FAKE_MIX);

	return way == FAKE_SILENT || way == FAKE_CANNED || way == FAKE_LEAVES_OPEN ? FAKE_NORMAL
										   : way;
}

static inline void *fake_peer_run(void *data)
{
	struct fake_peer *p = data;
	bool close_asked, go_on = true;

	for (int served = 0; go_on && fake_read_request(p->fd, &close_asked); served++) {
		enum fake_way way = p->server->way;

		if (way == FAKE_MIX)
			way = fake_mixed_way(p->server);
		atomic_fetch_add(&p->server->requests, 1);
		go_on = fake_answer(p->server, way, p->fd, served, close_asked);
	}
	close(p->fd);
	free(p);
	return NULL;
}

static inline void *fake_accept_run(void *data)
{
	struct fake *s = data;

	for (int fd = accept(s->fd, NULL, NULL); fd >= 0; fd = accept(s->fd, NULL, NULL)) {
		int n = atomic_load(&s->connections);
		struct fake_peer *p = malloc(sizeof(*p));

		*p = (struct fake_peer){ s, fd };
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
		if (n == FAKE_PEERS_MAX || pthread_create(&s->peer[n], NULL, fake_peer_run, p))
			_exit(99);
		atomic_store(&s->connections, n + 1);
	}
	return NULL;
}

/* A socket bound to a free port of the loopback address; it refuses while it does not listen. */
static inline int fake_bind(uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		_exit(99);
	*port = ntohs(at.sin_port);
	return fd;
}

static inline void fake_start(struct fake *s, enum fake_way way)
{
	memset(s, 0, sizeof(*s));
	s->way = way;
	s->keep = 3;
	s->fd = fake_bind(&s->port);
	if (listen(s->fd, 512) || pthread_create(&s->acceptor, NULL, fake_accept_run, s))
		_exit(99);
}

/* After the clients have closed: each connection's thread ends by itself. */
static inline void fake_stop(struct fake *s)
{
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->acceptor, NULL);
	for (int i = 0; i < atomic_load(&s->connections); i++)
		pthread_join(s->peer[i], NULL);
	close(s->fd);
}

#endif
