/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client that keeps its session, as our own never does, comes back to a server
 * of each engine: without tickets it must get a full handshake, with tickets a
 * resumed one, and the server's facts must tell which.
 */
#include "ciphers/engine_test.h"

#include <openssl/ssl.h>

#define MOVES_MAX 50

struct visit {
	SSL *ssl;
	struct assoc *server;
};

/* Everything that waits, one way and the other. */
static void move(struct visit *v)
{
	char data[16384];
	size_t n;
	int len;

	while ((len = BIO_read(SSL_get_wbio(v->ssl), data, sizeof(data))) > 0)
		wire_put(&v->server->in, data, (size_t)len);
	while ((n = wire_get(&v->server->out, data, sizeof(data))))
		BIO_write(SSL_get_rbio(v->ssl), data, (int)n);
}

static void shake(struct visit *v, const struct engine_ops *ops)
{
	enum step step = STEP_IN;
	int ret = 0;

	for (int i = 0; i < MOVES_MAX && (ret != 1 || step != STEP_DONE); i++) {
		if (ret != 1)
			ret = SSL_do_handshake(v->ssl);
		move(v);
		if (step == STEP_IN)
			step = ops->handshake(v->server);
		move(v);
	}
	assert_int_equal(ret, 1);
	assert_int_equal(step, STEP_DONE);
}

/* One association; the session to offer (or NULL), and the one to keep for the next. */
static SSL_SESSION *visit(SSL_CTX *ctx, struct domain *d, SSL_SESSION *offered, bool *resumed)
{
	struct assoc server = { .domain = d };
	struct visit v = { SSL_new(ctx), &server };
	SSL_SESSION *kept;
	struct tls_facts facts;
	char answer[8];
	size_t n;

	wire_init(&server.in, 65536, false);
	wire_init(&server.out, 65536, false);
	assert_int_equal(d->ops->open(&server), 0);
	SSL_set_bio(v.ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_connect_state(v.ssl);
	if (offered)
		assert_int_equal(SSL_set_session(v.ssl, offered), 1);
	shake(&v, d->ops);
	/* Tickets of TLS 1.3 are read with the first answer. */
	assert_int_equal(d->ops->write(&server, "answer", 6, &n), STEP_DONE);
	move(&v);
	assert_int_equal(SSL_read(v.ssl, answer, sizeof(answer)), 6);
	d->ops->facts(&server, &facts);
	*resumed = SSL_session_reused(v.ssl) == 1;
	assert_int_equal(facts.resumed, *resumed);
	kept = SSL_get1_session(v.ssl);
	SSL_shutdown(v.ssl);
	SSL_free(v.ssl);
	d->ops->close(&server);
	wire_release(&server.in);
	wire_release(&server.out);
	return kept;
}

static void check_server(const struct engine_ops *ops, const char *text, int tickets)
{
	struct suite suite = test_suite(text);
	const struct credential *c = test_credential(&suite);
	struct domain d = { .ops = ops,
			    .params = { .role = SERVER,
					.suite = &suite,
					.cert_file = c->cert_file,
					.key_file = c->key_file,
					.tickets = tickets } };
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	SSL_SESSION *session;
	bool resumed;

	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT);
	assert_int_equal(ops->domain_open(&d), 0);
	session = visit(ctx, &d, NULL, &resumed);
	assert_false(resumed);
	SSL_SESSION_free(visit(ctx, &d, session, &resumed));
	if (resumed != (tickets > 0))
		fail_msg("%s %s with %d tickets: resumed %d", ops->name, text, tickets, resumed);
	SSL_SESSION_free(session);
	SSL_CTX_free(ctx);
	ops->domain_close(&d);
}

static void without_tickets(const struct engine_ops *ops, const char *text)
{
	check_server(ops, text, 0);
}

static void with_tickets(const struct engine_ops *ops, const char *text)
{
	check_server(ops, text, 1);
}

static void test_without_tickets_nothing_resumes(void **state)
{
	(void)state;
	for_each_engine(without_tickets);
}

static void test_with_tickets_sessions_resume(void **state)
{
	(void)state;
	for_each_engine(with_tickets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_tickets_nothing_resumes),
		cmocka_unit_test(test_with_tickets_sessions_resume),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
