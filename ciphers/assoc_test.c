/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Associations over a real pair of non-blocking sockets, both ends in one thread:
 * handshake, much data, send() in batches of records, and every way to go away.
 */
#include "ciphers/assoc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ciphers/engine_test.h"

#define BULK_BYTES (1 << 20)
#define IDLE_MAX   10000

struct pair {
	struct domain domain[2]; /* by enum role */
	struct assoc_socket end[2];
	int fd[2];
};

static void pair_domain(struct domain *d, const struct engine_ops *ops, enum role role,
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

static void pair_connect(struct pair *p)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, p->fd), 0);
	for (int i = 0; i < 2; i++)
		if (assoc_socket_open(&p->end[i], &p->domain[i], p->fd[i]))
			fail_msg("%s", p->end[i].assoc.fail.text);
}

static void pair_disconnect(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		assoc_socket_close(&p->end[i]);
		if (p->fd[i] >= 0)
			close(p->fd[i]);
	}
}

static void pair_open_with(struct pair *p, const struct engine_ops *client,
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

static void pair_open(struct pair *p, const struct engine_ops *client,
		      const struct engine_ops *server, const struct suite *suite,
		      size_t record_bytes, int records_per_send)
{
	pair_open_with(p, client, server, suite, record_bytes, records_per_send, 0);
}

static void pair_close(struct pair *p)
{
	pair_disconnect(p);
	for (int i = 0; i < 2; i++) {
		assoc_socket_release(&p->end[i]);
		p->domain[i].ops->domain_close(&p->domain[i]);
	}
}

static void pair_shake(struct pair *p)
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
static void pair_send(struct pair *p, int from, const uint8_t *data, size_t len)
{
	struct assoc_socket *src = &p->end[from], *dst = &p->end[!from];
	uint8_t got[50000];
	size_t put = 0, have = 0, n;

	for (int idle = 0; idle < IDLE_MAX && have < len; idle++) {
		enum step step = STEP_DONE;

		if (put < len)
			step = assoc_socket_write(src, data + put, len - put, &n), put += n;
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

static void each_kind(void (*test)(const struct engine_ops *c, const struct engine_ops *s,
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

static uint8_t bulk[BULK_BYTES];

static void check_bulk(const struct engine_ops *c, const struct engine_ops *s,
		       const struct suite *suite)
{
	static const struct {
		size_t record_bytes;
		int records;
	} sizes[] = { { 0, 1 }, { 0, 4 }, { 1400, 1 }, { 1400, 12 }, { 100, 3 } };
	struct pair p;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t len = sizes[i].record_bytes == 100 ? BULK_BYTES / 20 : BULK_BYTES;

		pair_open(&p, c, s, suite, sizes[i].record_bytes, sizes[i].records);
		pair_shake(&p);
		pair_send(&p, CLIENT, bulk, 100);
		pair_send(&p, SERVER, bulk, len);
		assert_true(p.end[SERVER].bytes_sent >= (int64_t)len);
		assert_int_equal(p.end[SERVER].bytes_sent, p.end[CLIENT].bytes_received);
		assert_int_equal(p.end[CLIENT].bytes_sent, p.end[SERVER].bytes_received);
		pair_close(&p);
	}
}

static void test_bulk(void **state)
{
	(void)state;
	each_kind(check_bulk);
}

/* The wires are used again and again. */
static void check_many(const struct engine_ops *c, const struct engine_ops *s,
		       const struct suite *suite)
{
	struct pair p;

	pair_open(&p, c, s, suite, 0, 1);
	for (int i = 0; i < 20; i++) {
		pair_shake(&p);
		pair_send(&p, i & 1, bulk, 1000);
		pair_disconnect(&p);
		pair_connect(&p);
	}
	pair_close(&p);
}

static void test_many_associations_in_one_struct(void **state)
{
	(void)state;
	each_kind(check_many);
}

/* A batch leaves when its last record is followed by another, or when flushed. */
static void check_batches(const struct engine_ops *c, const struct engine_ops *s,
			  const struct suite *suite)
{
	struct pair p;
	int64_t before;
	size_t n;

	pair_open(&p, c, s, suite, 1000, 4);
	pair_shake(&p);
	before = p.end[SERVER].bytes_sent;
	assert_int_equal(assoc_socket_write(&p.end[SERVER], bulk, 4000, &n), STEP_DONE);
	assert_int_equal(n, 4000);
	assert_int_equal(p.end[SERVER].bytes_sent, before);
	assert_int_equal(assoc_socket_write(&p.end[SERVER], bulk, 1, &n), STEP_DONE);
	assert_in_range(p.end[SERVER].bytes_sent - before, 4000, 4400);
	assert_int_equal(assoc_socket_flush(&p.end[SERVER]), STEP_DONE);
	assert_in_range(p.end[SERVER].bytes_sent - before, 4001, 4500);
	pair_close(&p);
}

static void test_batches_of_records(void **state)
{
	(void)state;
	each_kind(check_batches);
}

/* --- going away ----------------------------------------------------------- */

static void check_orderly(const struct engine_ops *c, const struct engine_ops *s,
			  const struct suite *suite)
{
	struct pair p;
	char got[100];
	size_t n;

	pair_open(&p, c, s, suite, 0, 1);
	pair_shake(&p);
	assert_int_equal(assoc_socket_write(&p.end[SERVER], "last words", 10, &n), STEP_DONE);
	assert_int_equal(assoc_socket_flush(&p.end[SERVER]), STEP_DONE);
	assoc_socket_shutdown(&p.end[SERVER]);
	close(p.fd[SERVER]);
	p.fd[SERVER] = -1;
	assert_int_equal(assoc_socket_read(&p.end[CLIENT], got, sizeof(got), &n), STEP_DONE);
	assert_int_equal(n, 10);
	assert_int_equal(assoc_socket_read(&p.end[CLIENT], got, sizeof(got), &n), STEP_CLOSED);
	pair_close(&p);
}

static void test_orderly_end(void **state)
{
	(void)state;
	each_kind(check_orderly);
}

/* Data that came before the peer vanished is still read. */
static void check_vanished(const struct engine_ops *c, const struct engine_ops *s,
			   const struct suite *suite)
{
	struct pair p;
	char got[100];
	size_t n;

	if (suite_is_plain(suite))
		return;
	pair_open(&p, c, s, suite, 0, 1);
	pair_shake(&p);
	assert_int_equal(assoc_socket_write(&p.end[CLIENT], "request", 7, &n), STEP_DONE);
	assert_int_equal(assoc_socket_flush(&p.end[CLIENT]), STEP_DONE);
	close(p.fd[CLIENT]);
	p.fd[CLIENT] = -1;
	assert_int_equal(assoc_socket_read(&p.end[SERVER], got, sizeof(got), &n), STEP_DONE);
	assert_int_equal(n, 7);
	assert_int_equal(assoc_socket_read(&p.end[SERVER], got, sizeof(got), &n), STEP_FAILED);
	assert_int_equal(p.end[SERVER].assoc.fail.code, ECONNRESET);
	assert_non_null(strstr(p.end[SERVER].assoc.fail.text, "closed by peer"));
	pair_close(&p);
}

static void test_a_peer_that_vanished(void **state)
{
	(void)state;
	each_kind(check_vanished);
}

/* TLS 1.3: a client may have sent its request and be gone before the tickets are written. */
static void check_gone_early(const struct engine_ops *c, const struct engine_ops *s,
			     const struct suite *suite)
{
	struct pair p;
	char got[100];
	size_t n;
	enum step step;

	if (suite_is_plain(suite))
		return;
	pair_open_with(&p, c, s, suite, 0, 1, 1);
	for (int i = 0; i < IDLE_MAX; i++) {
		if (assoc_socket_handshake(&p.end[CLIENT]) == STEP_DONE)
			break;
		assoc_socket_handshake(&p.end[SERVER]);
	}
	assert_int_equal(assoc_socket_write(&p.end[CLIENT], "request", 7, &n), STEP_DONE);
	assert_int_equal(assoc_socket_flush(&p.end[CLIENT]), STEP_DONE);
	close(p.fd[CLIENT]);
	p.fd[CLIENT] = -1;
	step = assoc_socket_handshake(&p.end[SERVER]);
	if (step != STEP_DONE)
		fail_msg("%d %s", step, p.end[SERVER].assoc.fail.text);
	assert_int_equal(assoc_socket_read(&p.end[SERVER], got, sizeof(got), &n), STEP_DONE);
	assert_int_equal(n, 7);
	assert_int_equal(assoc_socket_write(&p.end[SERVER], "answer", 6, &n), STEP_DONE);
	assert_int_equal(assoc_socket_flush(&p.end[SERVER]), STEP_FAILED);
	assert_int_equal(p.end[SERVER].assoc.fail.code, EPIPE);
	assert_non_null(strstr(p.end[SERVER].assoc.fail.text, "closed by peer"));
	pair_close(&p);
}

static void test_a_client_gone_before_the_server_is_done(void **state)
{
	(void)state;
	each_kind(check_gone_early);
}

static void check_gone_at_once(const struct engine_ops *c, const struct engine_ops *s,
			       const struct suite *suite)
{
	struct pair p;

	if (suite_is_plain(suite))
		return;
	pair_open(&p, c, s, suite, 0, 1);
	assert_int_equal(assoc_socket_handshake(&p.end[SERVER]), STEP_IN);
	assert_int_equal(send(p.fd[CLIENT], "\x16\x03\x01\x02", 4, 0), 4);
	assert_int_equal(assoc_socket_handshake(&p.end[SERVER]), STEP_IN);
	close(p.fd[CLIENT]);
	p.fd[CLIENT] = -1;
	assert_int_equal(assoc_socket_handshake(&p.end[SERVER]), STEP_FAILED);
	assert_int_equal(p.end[SERVER].assoc.fail.code, ECONNRESET);
	pair_close(&p);
}

static void test_a_client_gone_within_its_hello(void **state)
{
	(void)state;
	each_kind(check_gone_at_once);
}

static void check_http(const struct engine_ops *c, const struct engine_ops *s,
		       const struct suite *suite)
{
	static const char request[] = "GET / HTTP/1.1\r\n\r\n";
	struct pair p;

	if (suite_is_plain(suite))
		return;
	pair_open(&p, c, s, suite, 0, 1);
	assert_true(send(p.fd[CLIENT], request, sizeof(request) - 1, 0) > 0);
	assert_int_equal(assoc_socket_handshake(&p.end[SERVER]), STEP_FAILED);
	pair_close(&p);
}

static void test_plain_http(void **state)
{
	(void)state;
	each_kind(check_http);
}

/* A socket that takes nothing more: wait for it, lose nothing. */
static void check_full_socket(const struct engine_ops *c, const struct engine_ops *s,
			      const struct suite *suite)
{
	struct pair p;
	size_t put = 0, have = 0, n;
	uint8_t got[30000];

	pair_open(&p, c, s, suite, 0, 2);
	pair_shake(&p);
	for (int i = 0; i < IDLE_MAX && !p.end[SERVER].stuck; i++) {
		assoc_socket_write(&p.end[SERVER], bulk + put, BULK_BYTES - put, &n);
		put += n;
	}
	assert_true(p.end[SERVER].stuck);
	assert_int_equal(assoc_socket_write(&p.end[SERVER], bulk + put, BULK_BYTES - put, &n),
			 STEP_OUT);
	assert_int_equal(assoc_socket_flush(&p.end[SERVER]), STEP_OUT);
	while (have < put) {
		while (assoc_socket_read(&p.end[CLIENT], got, sizeof(got), &n) == STEP_DONE) {
			assert_memory_equal(got, bulk + have, n);
			have += n;
		}
		assert_int_not_equal(assoc_socket_flush(&p.end[SERVER]), STEP_FAILED);
	}
	assert_false(p.end[SERVER].stuck);
	pair_close(&p);
}

static void test_a_full_socket(void **state)
{
	(void)state;
	each_kind(check_full_socket);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bulk),
		cmocka_unit_test(test_many_associations_in_one_struct),
		cmocka_unit_test(test_batches_of_records),
		cmocka_unit_test(test_orderly_end),
		cmocka_unit_test(test_a_peer_that_vanished),
		cmocka_unit_test(test_a_client_gone_before_the_server_is_done),
		cmocka_unit_test(test_a_client_gone_within_its_hello),
		cmocka_unit_test(test_plain_http),
		cmocka_unit_test(test_a_full_socket),
	};

	for (size_t i = 0; i < sizeof(bulk); i++)
		bulk[i] = (uint8_t)(i * 2654435761u >> 16);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
