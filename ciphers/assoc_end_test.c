/* SPDX-License-Identifier: Apache-2.0 */
/* Every way in which the peer of an association goes away, and what is still read before. */
#include "ciphers/assoc_test.h"

/* As a loop would that has found the socket readable. */
static enum step hear(struct assoc_socket *s, void *dst, size_t len, size_t *got)
{
	assoc_socket_ready(s);
	return assoc_socket_read(s, dst, len, got);
}

static enum step shake(struct assoc_socket *s)
{
	assoc_socket_ready(s);
	return assoc_socket_handshake(s);
}

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
	assert_int_equal(hear(&p.end[CLIENT], got, sizeof(got), &n), STEP_DONE);
	assert_int_equal(n, 10);
	assert_int_equal(hear(&p.end[CLIENT], got, sizeof(got), &n), STEP_CLOSED);
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
	assert_int_equal(hear(&p.end[SERVER], got, sizeof(got), &n), STEP_DONE);
	assert_int_equal(n, 7);
	assert_int_equal(hear(&p.end[SERVER], got, sizeof(got), &n), STEP_FAILED);
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
		if (shake(&p.end[CLIENT]) == STEP_DONE)
			break;
		shake(&p.end[SERVER]);
	}
	assert_int_equal(assoc_socket_write(&p.end[CLIENT], "request", 7, &n), STEP_DONE);
	assert_int_equal(assoc_socket_flush(&p.end[CLIENT]), STEP_DONE);
	close(p.fd[CLIENT]);
	p.fd[CLIENT] = -1;
	step = shake(&p.end[SERVER]);
	if (step != STEP_DONE)
		fail_msg("%d %s", step, p.end[SERVER].assoc.fail.text);
	assert_int_equal(hear(&p.end[SERVER], got, sizeof(got), &n), STEP_DONE);
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
	assert_int_equal(shake(&p.end[SERVER]), STEP_IN);
	assert_int_equal(send(p.fd[CLIENT], "\x16\x03\x01\x02", 4, 0), 4);
	assert_int_equal(shake(&p.end[SERVER]), STEP_IN);
	close(p.fd[CLIENT]);
	p.fd[CLIENT] = -1;
	assert_int_equal(shake(&p.end[SERVER]), STEP_FAILED);
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
	assert_int_equal(shake(&p.end[SERVER]), STEP_FAILED);
	pair_close(&p);
}

static void test_plain_http(void **state)
{
	(void)state;
	each_kind(check_http);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orderly_end),
		cmocka_unit_test(test_a_peer_that_vanished),
		cmocka_unit_test(test_a_client_gone_before_the_server_is_done),
		cmocka_unit_test(test_a_client_gone_within_its_hello),
		cmocka_unit_test(test_plain_http),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
