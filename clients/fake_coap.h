/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_coap - a CoAP server for tests that misbehaves as told: one thread, one UDP socket of the
 * loopback address, one answer for each datagram. Included by tests only; it knows the format of
 * a message and nothing of what it tests.
 */
#ifndef CLIENTS_FAKE_COAP_H
#define CLIENTS_FAKE_COAP_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocols/coap.h"

enum fake_coap_way {
	FAKE_COAP_NORMAL,
	FAKE_COAP_LOSSY,    /* every third datagram that comes is not seen */
	FAKE_COAP_TWICE,    /* each answer comes twice */
	FAKE_COAP_SILENT,   /* never an answer */
	FAKE_COAP_REJECTS,  /* RST */
	FAKE_COAP_MISSES,   /* 4.04 */
	FAKE_COAP_BUSY,     /* each second answer is 5.03, Max-Age 1 */
	FAKE_COAP_SEPARATE, /* an empty ACK, then the answer as a CON, twice */
	FAKE_COAP_GARBAGE,  /* what is not CoAP, then the answer */
};

#define FAKE_COAP_BODY "a body of 24 bytes, so."

struct fake_coap {
	enum fake_coap_way way;
	int fd;
	uint16_t port;
	atomic_int requests;  /* datagrams that were seen and are requests */
	atomic_int sockets;   /* different ports that they came from */
	atomic_int confirmed; /* ACKs that came */
	uint8_t known[65536 / 8];
	pthread_t thread;
};

static inline bool fake_coap_mark(uint8_t *set, uint16_t at)
{
	bool was = set[at / 8] >> (at % 8) & 1;
	set[at / 8] |= (uint8_t)(1 << (at % 8));
	return was;
}

static inline size_t fake_coap_answer(const struct fake_coap *s, const struct coap_message *m,
				      int number, uint8_t dst[256])
{
	struct coap_writer w = { .dst = dst, .cap = 256 };
	bool busy = s->way == FAKE_COAP_BUSY && number % 2;
	uint8_t code = s->way == FAKE_COAP_MISSES ? COAP_NOT_FOUND
		       : busy                     ? COAP_UNAVAILABLE
						  : COAP_CONTENT;
	if (s->way == FAKE_COAP_REJECTS) {
		coap_write_head(&w, COAP_RST, COAP_EMPTY, m->id, NULL, 0);
		return w.len;
	}
	coap_write_head(&w,
			s->way == FAKE_COAP_SEPARATE ? COAP_CON
			: m->type == COAP_NON        ? COAP_NON
						     : COAP_ACK,
			code, m->id, m->token, m->token_bytes);
	if (busy)
		coap_write_uint(&w, COAP_MAX_AGE, 1);
	if (code == COAP_CONTENT)
		coap_write_payload(&w, FAKE_COAP_BODY, strlen(FAKE_COAP_BODY));
	return w.len;
}

static inline void fake_coap_send(struct fake_coap *s, const void *src, size_t len,
				  const struct sockaddr_in *to)
{
	(void)!sendto(s->fd, src, len, 0, (const struct sockaddr *)to, sizeof(*to));
}

static inline void fake_coap_reply(struct fake_coap *s, const struct coap_message *m, int number,
				   const struct sockaddr_in *to)
{
	uint8_t answer[256], empty[4];
	struct coap_writer w = { .dst = empty, .cap = sizeof(empty) };
	size_t len = fake_coap_answer(s, m, number, answer);
	if (s->way == FAKE_COAP_SEPARATE) {
		coap_write_head(&w, COAP_ACK, COAP_EMPTY, m->id, NULL, 0);
		fake_coap_send(s, empty, w.len, to);
	}
	if (s->way == FAKE_COAP_GARBAGE)
		fake_coap_send(s, "not CoAP at all", 15, to);
	fake_coap_send(s, answer, len, to);
	if (s->way == FAKE_COAP_TWICE || s->way == FAKE_COAP_SEPARATE)
		fake_coap_send(s, answer, len, to);
}

static inline void *fake_coap_run(void *data)
{
	struct fake_coap *s = data;
	uint8_t in[2048];
	int came = 0;
	for (;;) {
		struct sockaddr_in from;
		socklen_t size = sizeof(from);
		struct coap_message m;
		ssize_t n = recvfrom(s->fd, in, sizeof(in), 0, (struct sockaddr *)&from, &size);
		if (n <= 0) /* an empty datagram is the end */
			return NULL;
		if (coap_parse(in, (size_t)n, &m) != COAP_GOOD)
			continue;
		s->confirmed += m.type == COAP_ACK;
		if (!coap_is_request(m.code) || (s->way == FAKE_COAP_LOSSY && ++came % 3 == 0))
			continue;
		s->sockets += !fake_coap_mark(s->known, ntohs(from.sin_port));
		if (s->way != FAKE_COAP_SILENT)
			fake_coap_reply(s, &m, s->requests, &from);
		s->requests++;
	}
}

static inline int fake_coap_start(struct fake_coap *s, enum fake_coap_way way)
{
	struct sockaddr_in here = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(here);
	memset(s, 0, sizeof(*s));
	s->way = way;
	s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&here, len) ||
	    getsockname(s->fd, (struct sockaddr *)&here, &len))
		return -1;
	s->port = ntohs(here.sin_port);
	return pthread_create(&s->thread, NULL, fake_coap_run, s) ? -1 : 0;
}

static inline void fake_coap_stop(struct fake_coap *s)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(s->port) };
	fake_coap_send(s, "", 0, &to);
	pthread_join(s->thread, NULL);
	close(s->fd);
}

#endif
