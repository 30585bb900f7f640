/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assoc_test - two associations over a pair of non-blocking sockets, both ends in
 * one thread: what the tests of assoc share.
 */
#ifndef CIPHERS_ASSOC_TEST_H
#define CIPHERS_ASSOC_TEST_H

#include "ciphers/assoc.h"
#include "ciphers/engine_test.h"

#include <sys/socket.h>
#include <unistd.h>

#define BULK_BYTES (1 << 20)
#define IDLE_MAX   10000

struct pair {
	struct domain domain[2]; /* by enum role */
	struct assoc_socket end[2];
	int fd[2];
};

static inline void pair_domain(struct domain *d, const struct engine_ops *ops, enum role role,
			       const struct suite *suite, size_t record_bytes, int tickets)
{
	const struct credential *c = test_credential(suite);

	*d = (struct domain){ .ops = ops,
			      .params = { .role = role,
					  .suite = suite,
					  .record_bytes = record_bytes,
					  .tickets = tickets } };
	if (c && role == SERVER) {
		d->params.cert_file = c->cert_file;
		d->params.key_file = c->key_file;
	} else if (c) {
		d->params.ca_file = c->ca_file;
		d->params.server_name = "localhost";
	}
	if (ops->domain_open(d))
		fail_msg("%s", d->fail.text);
}

static inline void pair_connect(struct pair *p)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, p->fd), 0);
	for (int i = 0; i < 2; i++)
		if (assoc_socket_open(&p->end[i], &p->domain[i], p->fd[i]))
			fail_msg("%s", p->end[i].assoc.fail.text);
}

static inline void pair_disconnect(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		assoc_socket_close(&p->end[i]);
		if (p->fd[i] >= 0)
			close(p->fd[i]);
	}
}

static inline void pair_open_with(struct pair *p, const struct engine_ops *client,
				  const struct engine_ops *server, const struct suite *suite,
				  size_t record_bytes, int records_per_send, int tickets)
{
	memset(p, 0, sizeof(*p));
	pair_domain(&p->domain[CLIENT], client, CLIENT, suite, record_bytes, 0);
	pair_domain(&p->domain[SERVER], server, SERVER, suite, record_bytes, tickets);
	for (int i = 0; i < 2; i++)
		assert_int_equal(assoc_socket_init(&p->end[i], record_bytes, records_per_send), 0);
	pair_connect(p);
}

static inline void pair_open(struct pair *p, const struct engine_ops *client,
			     const struct engine_ops *server, const struct suite *suite,
			     size_t record_bytes, int records_per_send)
{
	pair_open_with(p, client, server, suite, record_bytes, records_per_send, 0);
}

static inline void pair_close(struct pair *p)
{
	pair_disconnect(p);
	for (int i = 0; i < 2; i++) {
		assoc_socket_release(&p->end[i]);
		p->domain[i].ops->domain_close(&p->domain[i]);
	}
}

static inline void pair_shake(struct pair *p)
{
	enum step step[2] = { STEP_IN, STEP_IN };

	for (int i = 0; i < IDLE_MAX && (step[0] != STEP_DONE || step[1] != STEP_DONE); i++)
		for (int e = 0; e < 2; e++) {
			if (step[e] != STEP_DONE)
				step[e] = assoc_socket_handshake(&p->end[e]);
			if (step[e] == STEP_FAILED)
				fail_msg("%s", p->end[e].assoc.fail.text);
		}
	assert_int_equal(step[0], STEP_DONE);
	assert_int_equal(step[1], STEP_DONE);
}

/* len bytes from one end to the other, through whatever the socket's buffer holds. */
static inline void pair_send(struct pair *p, int from, const uint8_t *data, size_t len)
{
	struct assoc_socket *src = &p->end[from], *dst = &p->end[!from];
	uint8_t got[50000];
	size_t put = 0, have = 0, n;

	for (int idle = 0; idle < IDLE_MAX && have < len; idle++) {
		enum step step = STEP_DONE;

		n = 0;
		if (put < len)
			step = assoc_socket_write(src, data + put, len - put, &n);
		put += n;
		if (step != STEP_FAILED)
			step = assoc_socket_flush(src);
		if (step == STEP_FAILED)
			fail_msg("%s", src->assoc.fail.text);
		while ((step = assoc_socket_read(dst, got, sizeof(got), &n)) == STEP_DONE) {
			assert_true(n > 0 && n <= len - have);
			assert_memory_equal(got, data + have, n);
			have += n;
			idle = 0;
		}
		assert_int_equal(step, STEP_IN);
	}
	assert_int_equal(have, len);
}

static inline void each_kind(void (*test)(const struct engine_ops *c, const struct engine_ops *s,
					  const struct suite *suite))
{
	static const char *const suites[] = { "plain", EC12, EC13 };

	for (int c = 0; engines[c]; c++)
		for (int s = 0; engines[s]; s++)
			for (size_t i = 0; i < 3; i++) {
				struct suite suite = test_suite(suites[i]);

				if (!engines[c]->refuses(&suite) && !engines[s]->refuses(&suite))
					test(engines[c], engines[s], &suite);
			}
}

#endif
