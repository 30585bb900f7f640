/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_drive - a client over datagrams for tests of servers, step by step: what it sends and when
 * it listens is the test's.
 */
#ifndef SERVERS_DGRAM_DRIVE_H
#define SERVERS_DGRAM_DRIVE_H

#include "servers/server_drive.h"

#define WIRE_BYTES 65536

/* A client: one socket, and an association over it that may be replaced. */
struct visitor {
	struct domain domain;
	struct suite suite;
	struct assoc assoc;
	int fd;
	uint8_t hello[2048]; /* the first it sent */
	size_t hello_len;
};

static inline void send_all(struct visitor *v)
{
	uint8_t packet[2048];

	while (!wire_empty(&v->assoc.out)) {
		size_t len = wire_get(&v->assoc.out, packet, sizeof packet);

		if (!v->hello_len) {
			memcpy(v->hello, packet, len);
			v->hello_len = len;
		}
		assert_int_equal(send(v->fd, packet, len, 0), len);
	}
}

/* One datagram into the association; false: none came within so long. */
static inline bool hear(struct visitor *v, int wait_ms)
{
	struct pollfd ready = { .fd = v->fd, .events = POLLIN };
	uint8_t packet[4096];
	ssize_t len;

	if (poll(&ready, 1, wait_ms) != 1)
		return false;
	len = recv(v->fd, packet, sizeof packet, 0);
	assert_true(len > 0);
	wire_put(&v->assoc.in, packet, (size_t)len);
	return true;
}

static inline void begin(struct visitor *v)
{
	const struct engine_ops *ops = v->domain.ops;

	if (v->assoc.impl)
		ops->close(&v->assoc);
	fail_clear(&v->assoc.fail);
	wire_clear(&v->assoc.in);
	wire_clear(&v->assoc.out);
	v->assoc.domain = &v->domain;
	v->hello_len = 0;
	assert_int_equal(ops->open(&v->assoc), 0);
	assert_int_equal(ops->handshake(&v->assoc), STEP_IN);
	send_all(v);
}

static inline void visitor_open(struct visitor *v, const struct server_params *p,
				const struct engine_ops *ops)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(p->listener[0].url.port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	*v = (struct visitor){ .suite = p->listener[0].suite };
	v->domain = (struct domain){ .ops = ops, .params = { .role = CLIENT, .suite = &v->suite } };
	assert_int_equal(ops->domain_open(&v->domain), 0);
	assert_int_equal(wire_init(&v->assoc.in, WIRE_BYTES, true), 0);
	assert_int_equal(wire_init(&v->assoc.out, WIRE_BYTES, true), 0);
	v->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(v->fd, (struct sockaddr *)&to, sizeof to), 0);
}

static inline void visitor_close(struct visitor *v)
{
	if (v->assoc.impl)
		v->domain.ops->close(&v->assoc);
	v->domain.ops->domain_close(&v->domain);
	wire_release(&v->assoc.in);
	wire_release(&v->assoc.out);
	close(v->fd);
}

/* From the first hello to the end of the handshake; false: the server has stopped answering. */
static inline bool finish(struct visitor *v, int wait_ms)
{
	const struct engine_ops *ops = v->domain.ops;
	enum step step;

	do {
		if (!hear(v, wait_ms))
			return false;
		step = ops->handshake(&v->assoc);
		send_all(v);
		assert_int_not_equal(step, STEP_FAILED);
	} while (step != STEP_DONE);
	return true;
}

static inline void enter(struct visitor *v)
{
	begin(v);
	assert_true(finish(v, PATIENCE_MS));
}

static inline enum step next_message(struct visitor *v, uint8_t *dst, size_t cap, size_t *got)
{
	enum step step = STEP_IN;

	while (step == STEP_IN && (!wire_empty(&v->assoc.in) || hear(v, PATIENCE_MS)))
		step = v->domain.ops->read(&v->assoc, dst, cap, got);
	return step;
}

/* GET of the page, with this id; the answer has it too. */
static inline void ask(struct visitor *v, uint8_t id)
{
	uint8_t get[] = { 0x40, 1, 0x41, id }, answer[2048];
	size_t n = 0;

	assert_int_equal(v->domain.ops->write(&v->assoc, get, sizeof get, &n), STEP_DONE);
	send_all(v);
	assert_int_equal(next_message(v, answer, sizeof answer, &n), STEP_DONE);
	assert_true(n > 500);
	assert_int_equal(answer[0], 0x60); /* ACK, no token */
	assert_int_equal(answer[1], 0x45); /* 2.05 */
	assert_int_equal(answer[3], id);
}

/* The counters come to it within patience. */
static inline struct server_counters wait_open(struct server *s, int64_t open)
{
	int64_t end_ns = clock_ns() + PATIENCE_NS;
	struct server_counters c;

	do
		server_counters(s, &c);
	while (c.open != open && clock_ns() < end_ns);
	assert_int_equal(c.open, open);
	return c;
}

#endif
