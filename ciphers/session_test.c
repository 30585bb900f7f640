/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions taken and offered between all engines: by ticket, by session id, by the
 * PSK of TLS 1.3; each once, across server domains with one key, and not at all when
 * it was not asked for.
 */
#include "ciphers/engine_test.h"

struct kind {
	const char *suite;
	enum resumption resumption;
};

static const struct kind kinds[] = {
	{ EC12, RESUMPTION_TICKET },
	{ EC12, RESUMPTION_SESSION_ID },
	{ EC13, RESUMPTION_TICKET },
	{ EC13, RESUMPTION_PSK13 },
	{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048", RESUMPTION_TICKET },
	{ "dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256", RESUMPTION_TICKET },
	{ "dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256", RESUMPTION_SESSION_ID },
};

static enum resumption wanted;
static int tickets;
static const uint8_t *key; /* of every server opened */

static void resume(struct tls_params *client, struct tls_params *server)
{
	client->resumption = server->resumption = wanted;
	server->tickets = wanted == RESUMPTION_TICKET || wanted == RESUMPTION_PSK13 ? tickets : 0;
	server->ticket_key = key;
}

static void open_probe(struct probe *p, const struct engine_ops *client,
		       const struct engine_ops *server, const struct suite *suite,
		       enum resumption resumption)
{
	wanted = resumption;
	open_with(p, client, server, suite, resume);
	p->may_resume = true;
}

/* One association; `offered` is used up. The first session it leaves, or NULL. */
static struct session *visit(struct probe *p, struct session *offered, bool *resumed)
{
	struct assoc *client = &p->client.assoc;
	struct tls_facts c, s;
	struct fail f = { 0 };

	if (probe_restart(p, &f))
		fail_msg("%s", f.text);
	if (offered && p->client.domain.ops->session_offer(client, offered))
		fail_msg("%s", client->fail.text);
	if (probe_handshake(p, &f) || probe_send(&p->client, &p->server, "ask", 3, &f) ||
	    probe_send(&p->server, &p->client, "answer", 6, &f))
		fail_msg("%s -> %s: %s", p->client.domain.ops->name, p->server.domain.ops->name,
			 f.text);
	p->client.domain.ops->facts(client, &c);
	p->server.domain.ops->facts(&p->server.assoc, &s);
	assert_int_equal(c.resumed, s.resumed);
	*resumed = c.resumed;
	return p->client.domain.ops->session_take(client);
}

static void for_each_kind(void (*test)(const struct engine_ops *client,
				       const struct engine_ops *server, const struct kind *kind))
{
	tickets = 1;
	key = NULL;
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
				test(engines[c], engines[s], &kinds[i]);
}

static void check_chain(const struct engine_ops *client, const struct engine_ops *server,
			const struct kind *kind)
{
	struct suite suite = test_suite(kind->suite);
	struct session *session = NULL;
	struct probe p;
	bool resumed;

	open_probe(&p, client, server, &suite, kind->resumption);
	for (int i = 0; i < 4; i++) {
		session = visit(&p, session, &resumed);
		if (resumed != (i > 0) || !session)
			fail_msg("%s -> %s %s by %d: visit %d: resumed %d, %s session",
				 client->name, server->name, kind->suite, kind->resumption, i,
				 resumed, session ? "a" : "no");
		/* What was taken is not given again. */
		assert_null(client->session_take(&p.client.assoc));
	}
	client->session_free(session);
	probe_close(&p);
}

static void test_sessions_resume_one_after_the_other(void **state)
{
	(void)state;
	for_each_kind(check_chain);
}

/* What one thread's domain has kept, another one's knows; without the cache it is not there. */
static void check_shared(const struct engine_ops *client, const struct engine_ops *server,
			 const struct kind *kind)
{
	struct suite suite = test_suite(kind->suite);
	struct session_cache *cache = session_cache_new(100);
	struct session *session;
	struct probe p;
	bool resumed;

	if (kind->resumption != RESUMPTION_SESSION_ID) {
		session_cache_free(cache);
		return;
	}
	open_probe(&p, client, server, &suite, kind->resumption);
	for (int visits = 0; visits < 3; visits++) {
		server->close(&p.server.assoc);
		server->domain_close(&p.server.domain);
		p.server.domain.params.session_cache = cache;
		assert_int_equal(server->domain_open(&p.server.domain), 0);
		session = visit(&p, visits ? session : NULL, &resumed);
		assert_int_equal(resumed, visits > 0);
		assert_non_null(session);
	}
	client->session_free(session);
	probe_close(&p);
	session_cache_free(cache);
}

static void test_domains_share_a_cache(void **state)
{
	(void)state;
	for_each_kind(check_shared);
}

/* A client that was not asked to keeps nothing, and a server that was not gives nothing. */
static void check_off(const struct engine_ops *client, const struct engine_ops *server,
		      const struct kind *kind)
{
	struct suite suite = test_suite(kind->suite);
	struct probe p;
	bool resumed;

	open_probe(&p, client, server, &suite, kind->resumption);
	client->close(&p.client.assoc);
	client->domain_close(&p.client.domain);
	p.client.domain.params.resumption = RESUMPTION_NONE;
	assert_int_equal(client->domain_open(&p.client.domain), 0);
	assert_null(visit(&p, NULL, &resumed));
	probe_close(&p);
	open_probe(&p, client, server, &suite, kind->resumption);
	server->close(&p.server.assoc);
	server->domain_close(&p.server.domain);
	p.server.domain.params.resumption = RESUMPTION_NONE;
	p.server.domain.params.tickets = 0;
	assert_int_equal(server->domain_open(&p.server.domain), 0);
	for (int i = 0; i < 2; i++) {
		struct session *s = visit(&p, NULL, &resumed);

		if (!s)
			continue;
		/* A session id that nobody kept: the next handshake is a full one. */
		client->session_free(visit(&p, s, &resumed));
		assert_false(resumed);
	}
	probe_close(&p);
}

static void test_off_means_never(void **state)
{
	(void)state;
	for_each_kind(check_off);
}

static void reopen_server(struct probe *p)
{
	const struct engine_ops *ops = p->server.domain.ops;

	ops->close(&p->server.assoc);
	ops->domain_close(&p->server.domain);
	if (ops->domain_open(&p->server.domain))
		fail_msg("%s", p->server.domain.fail.text);
}

/* A ticket is good at every domain that has the key, and at no other. */
static void check_shared_key(const struct engine_ops *client, const struct engine_ops *server,
			     const struct kind *kind)
{
	struct suite suite = test_suite(kind->suite);
	static uint8_t keys[2][TICKET_KEY_BYTES];
	struct session *session;
	struct fail f = { 0 };
	struct probe p;
	bool resumed;

	if (kind->resumption == RESUMPTION_SESSION_ID)
		return;
	assert_int_equal(ticket_key_make(keys[0], &f), 0);
	assert_int_equal(ticket_key_make(keys[1], &f), 0);
	assert_memory_not_equal(keys[0], keys[1], TICKET_KEY_BYTES);
	key = keys[0];
	open_probe(&p, client, server, &suite, kind->resumption);
	session = visit(&p, NULL, &resumed);
	reopen_server(&p);
	session = visit(&p, session, &resumed);
	if (!resumed)
		fail_msg("%s -> %s %s: the key is not shared", client->name, server->name,
			 kind->suite);
	/* Before TLS 1.3 a wolfSSL client takes a refused ticket for an accepted one, and fails. */
	if (suite.version == TLS13 || strcmp(client->name, "wolfssl")) {
		p.server.domain.params.ticket_key = keys[1];
		reopen_server(&p);
		session = visit(&p, session, &resumed);
		assert_false(resumed);
	}
	client->session_free(session);
	probe_close(&p);
}

static void test_tickets_are_good_where_the_key_is(void **state)
{
	(void)state;
	for_each_kind(check_shared_key);
}

/* OpenSSL keeps every ticket of TLS 1.3, wolfSSL the last. */
static void check_count(const struct engine_ops *client, const struct engine_ops *server,
			const char *text)
{
	struct suite suite = test_suite(text);
	struct session *s;
	struct probe p;
	int taken = 0;
	bool resumed;

	tickets = 3;
	key = NULL;
	open_probe(&p, client, server, &suite, RESUMPTION_TICKET);
	for (s = visit(&p, NULL, &resumed); s && taken < 9;
	     s = client->session_take(&p.client.assoc)) {
		client->session_free(s);
		taken++;
	}
	if (suite.version == TLS13 && !strcmp(client->name, "openssl") &&
	    !strcmp(server->name, "openssl"))
		assert_int_equal(taken, 3);
	else
		assert_in_range(taken, 1, 3);
	probe_close(&p);
	tickets = 1;
}

static void test_the_number_of_tickets(void **state)
{
	(void)state;
	for_each_pair(check_count);
}

/* --- what is refused ------------------------------------------------------ */

static void expect_refusal(const struct engine_ops *ops, struct tls_params params, const char *word)
{
	struct domain d = { .ops = ops, .params = params };

	assert_int_equal(ops->domain_open(&d), -1);
	if (!strstr(d.fail.text, word))
		fail_msg("%s: \"%s\" is not in: %s", ops->name, word, d.fail.text);
}

static void test_contradictions_are_refused(void **state)
{
	struct suite s12 = test_suite(EC12), s13 = test_suite(EC13);
	const struct credential *c = test_credential(&s12);
	struct tls_params server = { .role = SERVER,
				     .cert_file = c->cert_file,
				     .key_file = c->key_file };

	(void)state;
	for (int e = 1; engines[e]; e++) {
		struct tls_params client = { .role = CLIENT, .suite = &s12 };

		client.resumption = RESUMPTION_PSK13;
		expect_refusal(engines[e], client, "psk13");
		client.suite = &s13;
		client.resumption = RESUMPTION_SESSION_ID;
		expect_refusal(engines[e], client, "session_id");
		client.resumption = RESUMPTION_NONE;
		client.early_data_bytes = 100;
		expect_refusal(engines[e], client, "early data");
		client.suite = &s12;
		expect_refusal(engines[e], client, "early data");
		client.early_data_bytes = EARLY_DATA_BYTES_MAX + 1;
		expect_refusal(engines[e], client, "at most");
		server.suite = &s12;
		server.resumption = RESUMPTION_TICKET;
		server.tickets = 0;
		expect_refusal(engines[e], server, "no ticket");
		server.resumption = RESUMPTION_SESSION_ID;
		server.tickets = 1;
		expect_refusal(engines[e], server, "session_id");
	}
}

/* A session offered to a domain that keeps none is given back to nobody. */
static void check_offer_where_none(const struct engine_ops *client, const struct engine_ops *server,
				   const char *text)
{
	struct suite suite = test_suite(text);
	struct session *session;
	struct fail f = { 0 };
	struct probe p;
	bool resumed;

	open_probe(&p, client, server, &suite, RESUMPTION_TICKET);
	session = visit(&p, NULL, &resumed);
	assert_non_null(session);
	assert_int_equal(probe_restart(&p, &f), 0);
	p.client.domain.params.resumption = RESUMPTION_NONE;
	assert_int_equal(client->session_offer(&p.client.assoc, session), -1);
	assert_non_null(strstr(p.client.assoc.fail.text, "none is kept"));
	probe_close(&p);
}

static void test_an_offer_where_none_is_kept(void **state)
{
	(void)state;
	for_each_pair(check_offer_where_none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sessions_resume_one_after_the_other),
		cmocka_unit_test(test_domains_share_a_cache),
		cmocka_unit_test(test_off_means_never),
		cmocka_unit_test(test_tickets_are_good_where_the_key_is),
		cmocka_unit_test(test_the_number_of_tickets),
		cmocka_unit_test(test_contradictions_are_refused),
		cmocka_unit_test(test_an_offer_where_none_is_kept),
	};

	tickets = 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
