/* SPDX-License-Identifier: Apache-2.0 */
/* Early data: sent with the first flight, answered before the client's last, refused, too long. */
#include "ciphers/engine_test.h"

#define EARLY_BYTES 4000

static uint8_t request[EARLY_BYTES];
static size_t server_limit;

static void early(struct tls_params *client, struct tls_params *server)
{
	client->resumption = server->resumption = RESUMPTION_PSK13;
	client->early_data_bytes = EARLY_BYTES;
	server->early_data_bytes = server_limit;
	server->tickets = 1;
}

/* A session from a first, full handshake. */
static struct session *first_visit(struct probe *p, const struct engine_ops *ops, size_t limit,
				   const struct suite *suite)
{
	struct session *session;
	struct fail f = { 0 };

	server_limit = limit;
	open_with(p, ops, ops, suite, early);
	p->may_resume = true;
	if (probe_handshake(p, &f) || probe_send(&p->server, &p->client, "hello", 5, &f))
		fail_msg("%s", f.text);
	session = ops->session_take(&p->client.assoc);
	assert_non_null(session);
	if (probe_restart(p, &f))
		fail_msg("%s", f.text);
	return session;
}

static size_t read_all(struct probe_end *e, uint8_t *dst, size_t cap)
{
	size_t have = 0, n;

	while (have < cap &&
	       e->domain.ops->read(&e->assoc, dst + have, cap - have, &n) == STEP_DONE)
		have += n;
	return have;
}

static bool offers_early(const struct engine_ops *ops, const struct suite *suite)
{
	struct domain d = { .ops = ops,
			    .params = { .role = CLIENT,
					.suite = suite,
					.resumption = RESUMPTION_TICKET,
					.early_data_bytes = 1 } };
	bool ok = !ops->domain_open(&d);

	if (ok)
		ops->domain_close(&d);
	else
		assert_non_null(strstr(d.fail.text, "early data not built in"));
	return ok;
}

/* The answer is on its way before the client's Finished is: a round trip is saved. */
static void check_accepted(const struct engine_ops *ops, const struct suite *suite)
{
	uint8_t got[EARLY_BYTES + 1];
	struct session *session;
	struct tls_facts c, s;
	struct fail f = { 0 };
	struct probe p;
	size_t n;

	session = first_visit(&p, ops, EARLY_BYTES, suite);
	assert_int_equal(ops->session_offer(&p.client.assoc, session), 0);
	assert_int_equal(ops->write_early(&p.client.assoc, request, EARLY_BYTES, &n), STEP_DONE);
	assert_int_equal(n, EARLY_BYTES);
	probe_carry(&p.client, &p.server);
	assert_int_equal(ops->handshake(&p.server.assoc), STEP_DONE);
	assert_int_equal(read_all(&p.server, got, sizeof(got)), EARLY_BYTES);
	assert_memory_equal(got, request, EARLY_BYTES);
	assert_int_equal(ops->write(&p.server.assoc, "answer", 6, &n), STEP_DONE);
	probe_carry(&p.server, &p.client);
	assert_int_equal(ops->handshake(&p.client.assoc), STEP_DONE);
	assert_int_equal(read_all(&p.client, got, 6), 6);
	assert_memory_equal(got, "answer", 6);
	ops->facts(&p.client.assoc, &c);
	ops->facts(&p.server.assoc, &s);
	assert_true(c.early_data && s.early_data && c.resumed && s.resumed);
	/* And then as ever. */
	if (probe_send(&p.client, &p.server, "more", 4, &f) ||
	    probe_send(&p.server, &p.client, "of it", 5, &f))
		fail_msg("%s", f.text);
	/* A ticket comes with it, good for the next. */
	session = ops->session_take(&p.client.assoc);
	assert_non_null(session);
	ops->session_free(session);
	probe_close(&p);
}

/* The server accepts none any more: nothing of it arrives, and the facts say so. */
static void check_rejected(const struct engine_ops *ops, const struct suite *suite)
{
	uint8_t key[TICKET_KEY_BYTES], got[64];
	struct session *session;
	struct tls_facts facts;
	struct fail f = { 0 };
	struct probe p;
	size_t n;

	session = first_visit(&p, ops, EARLY_BYTES, suite);
	ops->close(&p.server.assoc);
	ops->domain_close(&p.server.domain);
	assert_int_equal(ticket_key_make(key, &f), 0);
	p.server.domain.params.ticket_key = key;
	assert_int_equal(ops->domain_open(&p.server.domain), 0);
	if (probe_restart(&p, &f))
		fail_msg("%s", f.text);
	assert_int_equal(ops->session_offer(&p.client.assoc, session), 0);
	assert_int_equal(ops->write_early(&p.client.assoc, request, 100, &n), STEP_DONE);
	if (probe_handshake(&p, &f))
		fail_msg("%s", f.text);
	ops->facts(&p.client.assoc, &facts);
	assert_false(facts.early_data || facts.resumed);
	assert_int_equal(read_all(&p.server, got, sizeof(got)), 0);
	if (probe_send(&p.client, &p.server, request, 100, &f))
		fail_msg("%s", f.text);
	probe_close(&p);
}

/* More than the session allows, or without one. */
static void check_limits(const struct engine_ops *ops, const struct suite *suite)
{
	struct session *session;
	struct fail f = { 0 };
	struct probe p;
	size_t n;

	session = first_visit(&p, ops, 100, suite);
	assert_int_equal(ops->session_offer(&p.client.assoc, session), 0);
	assert_int_equal(ops->write_early(&p.client.assoc, request, 101, &n), STEP_FAILED);
	assert_non_null(strstr(p.client.assoc.fail.text, "allows 100"));
	assert_int_equal(probe_restart(&p, &f), 0);
	assert_int_equal(ops->write_early(&p.client.assoc, request, 1, &n), STEP_FAILED);
	assert_non_null(strstr(p.client.assoc.fail.text, "allows 0"));
	probe_close(&p);
}

/* A server that accepts early data serves those who send none, in any pieces. */
static void check_none_sent(const struct engine_ops *ops, const struct suite *suite)
{
	struct session *session;
	struct tls_facts facts;
	struct fail f = { 0 };
	struct probe p;

	session = first_visit(&p, ops, EARLY_BYTES, suite);
	assert_int_equal(ops->session_offer(&p.client.assoc, session), 0);
	if (probe_handshake(&p, &f) || probe_send(&p.client, &p.server, request, 100, &f) ||
	    probe_send(&p.server, &p.client, request, 100, &f))
		fail_msg("%s", f.text);
	ops->facts(&p.server.assoc, &facts);
	assert_true(facts.resumed && !facts.early_data);
	probe_close(&p);
}

static void for_each_that_offers(void (*test)(const struct engine_ops *, const struct suite *))
{
	struct suite suite = test_suite(EC13);

	for (int e = 1; engines[e]; e++)
		if (offers_early(engines[e], &suite))
			test(engines[e], &suite);
}

static void test_accepted(void **state)
{
	(void)state;
	for_each_that_offers(check_accepted);
}

static void test_rejected(void **state)
{
	(void)state;
	for_each_that_offers(check_rejected);
}

static void test_limits(void **state)
{
	(void)state;
	for_each_that_offers(check_limits);
}

static void test_none_sent(void **state)
{
	(void)state;
	for_each_that_offers(check_none_sent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_none_sent),
	};

	for (size_t i = 0; i < sizeof(request); i++)
		request[i] = (uint8_t)(i * 2654435761u >> 16);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
