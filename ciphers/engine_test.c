/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every engine against every engine: two full handshakes in a row, payload both
 * ways, facts of both sides, for every cipher, group and credential that both
 * offer. By default each cipher with the usual group and credential, and each
 * group with each credential; CIPHERWATT_MATRIX=full runs every combination.
 */
#include "ciphers/engine_test.h"

#include <pthread.h>
#include <stdlib.h>

#define PAYLOAD_BYTES  100000 /* more than the wires take at once */
#define DATAGRAM_BYTES 1000

#define SLOW_KEY_BITS 4096 /* signs slowly: met once a version and pair */
#define LONG_KEY_BITS 8192 /* takes minutes to make: met where it was made before, and in full */

struct matrix {
	const struct engine_ops *client, *server;
	enum tls_version version;
	int done, refused, failed;
};

static uint8_t payload[PAYLOAD_BYTES];

static bool is_usual_cipher(const struct suite *s)
{
	for (const struct cipher *c = ciphers; c->id; c++)
		if (c->auth == s->cipher->auth && c->kx == s->cipher->kx &&
		    (c->versions & 1u << s->version))
			return c == s->cipher;
	return false;
}

static const struct credential_kind *usual_credential(const struct suite *s)
{
	static const char *const usual[] = { [AUTH_TLS13] = "p256",
					     [AUTH_RSA] = "rsa2048",
					     [AUTH_ECDSA] = "p256",
					     [AUTH_PSK] = "psk" };

	return credential_kind_by_name(usual[s->cipher->auth]);
}

static bool is_usual_group(const struct suite *s)
{
	const struct group *g = s->group;

	if (s->cipher->kx == KX_ECDHE_PSK)
		return !strcmp(g->name, "p256");
	return g->kind == GROUP_NONE || !strcmp(g->name, "x25519") || !strcmp(g->name, "ffdhe2048");
}

/* Each row once a version and key exchange: at most one part is not the usual one. */
static bool is_in_short_run(const struct suite *s)
{
	bool kind = s->credential == usual_credential(s), group = is_usual_group(s);

	if (s->credential->key_bits > LONG_KEY_BITS && !test_credential_exists(s->credential))
		return false;
	if (s->credential->key_bits > SLOW_KEY_BITS)
		return group && is_usual_cipher(s) && s->cipher->kx != KX_DHE &&
		       s->cipher->kx != KX_RSA;
	return is_usual_cipher(s) + kind + group >= 2;
}

static int talk(struct probe *p, struct fail *f)
{
	size_t len = p->client.assoc.in.datagram ? DATAGRAM_BYTES : PAYLOAD_BYTES;

	return probe_send(&p->client, &p->server, payload, len, f) ||
	       probe_send(&p->server, &p->client, payload, len, f);
}

static bool is_slow(const struct suite *s)
{
	return s->credential->key_bits > SLOW_KEY_BITS ||
	       (s->group->kind == GROUP_FF && s->group->strength_bits > 112);
}

/* The second handshake would resume if anything had been kept of the first. */
static int shake_twice(struct probe *p, struct fail *f)
{
	int rounds = is_slow(p->suite) ? 1 : 2;

	for (int round = 0; round < rounds; round++)
		if (probe_restart(p, f) || probe_handshake(p, f) || talk(p, f))
			return fail_within(f, "round %d", round);
	return 0;
}

/* One that fails does not hide the others. */
static void check_pair(struct matrix *m, const struct suite *s)
{
	struct fail f = { 0 };
	struct probe p;
	char text[SUITE_TEXT_BYTES];

	if (!probe_open(&p, m->client, m->server, s, test_credential(s), &f))
		shake_twice(&p, &f);
	if (f.code) {
		print_error("%s -> %s %s: %s\n", m->client->name, m->server->name,
			    suite_format(s, text), f.text);
		m->failed++;
	}
	probe_close(&p);
}

static int visit(const struct suite *s, void *data)
{
	struct matrix *m = data;
	const char *full = getenv("CIPHERWATT_MATRIX");

	if (s->version != m->version)
		return 0;
	if (!suite_is_plain(s) && !(full && !strcmp(full, "full")) && !is_in_short_run(s))
		return 0;
	if (m->client->refuses(s) || m->server->refuses(s)) {
		m->refused++;
		return 0;
	}
	check_pair(m, s);
	m->done++;
	return 0;
}

static void check_version(enum tls_version v, int at_least)
{
	int failed = 0;

	for (int c = 0; engines[c]; c++)
		for (int s = 0; engines[s]; s++) {
			struct matrix m = { engines[c], engines[s], v, 0, 0, 0 };

			suite_each(visit, &m);
			print_message("%s -> %s %s: %d suites, %d not offered\n", engines[c]->name,
				      engines[s]->name, tls_version_name[v], m.done, m.refused);
			failed += m.failed;
			if (engines[c] == &engine_null || engines[s] == &engine_null)
				assert_int_equal(m.done, 0);
			else
				assert_true(m.done >= at_least);
		}
	assert_int_equal(failed, 0);
}

static void test_plain_runs_on_null_alone(void **state)
{
	struct suite plain = test_suite("plain");
	struct matrix m = { &engine_null, &engine_null, TLS_NONE, 0, 0, 0 };

	(void)state;
	suite_each(visit, &m);
	assert_int_equal(m.done, 1);
	for (int i = 1; engines[i]; i++)
		assert_non_null(engines[i]->refuses(&plain));
}

static void test_tls12(void **state)
{
	(void)state;
	check_version(TLS12, 60);
}

static void test_tls13(void **state)
{
	(void)state;
	check_version(TLS13, 30);
}

static void test_dtls12(void **state)
{
	(void)state;
	check_version(DTLS12, 50);
}

/* --- threads -------------------------------------------------------------- */

#define THREADS           4
#define THREAD_HANDSHAKES 20

struct thread_work {
	const struct engine_ops *ops;
	struct suite suite;
	const struct credential *credential;
	struct fail fail;
	int ret;
};

/* Nothing is shared between domains, so each thread may open its own at any time. */
static void *handshakes(void *data)
{
	struct thread_work *w = data;

	for (int i = 0; i < THREAD_HANDSHAKES && !w->ret; i++)
		w->ret = probe_suite(w->ops, w->ops, &w->suite, w->credential, &w->fail);
	return NULL;
}

static void test_threads_with_domains_of_their_own(void **state)
{
	struct suite suite = test_suite(EC13);
	struct thread_work work[THREADS];
	pthread_t thread[THREADS];

	(void)state;
	for (int e = 1; engines[e]; e++) {
		for (int i = 0; i < THREADS; i++) {
			work[i] = (struct thread_work){ .ops = engines[e],
							.suite = suite,
							.credential = test_credential(&suite) };
			assert_int_equal(pthread_create(&thread[i], NULL, handshakes, &work[i]), 0);
		}
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		for (int i = 0; i < THREADS; i++)
			if (work[i].ret)
				fail_msg("%s", work[i].fail.text);
	}
}

/* What the two sides know of each other, part by part. */
static void check_facts(const struct engine_ops *c, const struct engine_ops *s, const char *text)
{
	struct suite suite = test_suite(text);
	struct tls_facts client, server;
	char told[SUITE_TEXT_BYTES];
	struct fail f = { 0 };
	struct probe p;

	if (c->refuses(&suite) || s->refuses(&suite))
		return;
	assert_int_equal(probe_open(&p, c, s, &suite, test_credential(&suite), &f), 0);
	if (probe_handshake(&p, &f))
		fail_msg("%s", f.text);
	c->facts(&p.client.assoc, &client);
	s->facts(&p.server.assoc, &server);
	assert_string_equal(facts_format(&client, told), text);
	assert_int_equal(server.version, suite.version);
	assert_int_equal(server.cipher_id, suite.cipher->id);
	assert_int_equal(server.group_id, suite.group->id);
	assert_int_equal(server.peer_key, KEY_NONE);
	assert_int_equal(client.peer_key, suite.credential->key);
	assert_int_equal(client.peer_key_bits, suite.credential->key_bits);
	assert_false(client.resumed || server.resumed || client.early_data || server.early_data);
	if (client.signature_id && server.signature_id)
		assert_int_equal(client.signature_id, server.signature_id);
	probe_close(&p);
}

static void test_facts_of_both_sides(void **state)
{
	static const char *const suites[] = {
		"tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048",
		"tls1.2:ECDHE-ECDSA-AES256-SHA384:p521:p384",
		"tls1.2:ECDHE-ECDSA-AES128-CCM8:p224:p224",
		"tls1.2:ECDHE-ECDSA-CHACHA20-POLY1305:x448:ed25519",
		"tls1.3:AES128-CCM8-SHA256:p256:ed25519",
		"tls1.3:AES256-GCM-SHA384:p384:rsa3072",
		"tls1.3:CHACHA20-POLY1305-SHA256:x448:p521",
		"dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256",
	};

	(void)state;
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
				check_facts(engines[c], engines[s], suites[i]);
}

/* The signature must be made with the credential's own hash, whatever the client prefers. */
static void test_openssl_signs_with_the_credentials_hash(void **state)
{
#ifdef WITH_OPENSSL
	static const struct {
		const char *suite;
		uint16_t scheme;
	} rows[] = {
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048", 0x0804 },
		{ "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256", 0x0403 },
		{ "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p384", 0x0503 },
		{ "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p521", 0x0603 },
		{ "tls1.3:AES128-GCM-SHA256:x25519:rsa2048", 0x0804 },
		{ "tls1.3:AES128-GCM-SHA256:x25519:p521", 0x0603 },
		{ "tls1.3:AES128-GCM-SHA256:x25519:ed25519", 0x0807 },
		{ "tls1.3:AES128-GCM-SHA256:x25519:ed448", 0x0808 },
		{ "tls1.3:AES128-GCM-SHA256:x25519:rsapss2048", 0x0809 },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsapss3072", 0x0809 },
		{ "tls1.3:AES128-GCM-SHA256:x25519:brainpool384", 0x081b },
		{ "tls1.3:AES128-GCM-SHA256:x25519:mldsa65", 0x0905 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct suite suite = test_suite(rows[i].suite);
		struct tls_facts facts;
		struct fail f = { 0 };
		struct probe p;

		if (engine_openssl.refuses(&suite))
			continue;
		assert_int_equal(probe_open(&p, &engine_openssl, &engine_openssl, &suite,
					    test_credential(&suite), &f),
				 0);
		assert_int_equal(probe_handshake(&p, &f), 0);
		engine_openssl.facts(&p.client.assoc, &facts);
		assert_int_equal(facts.signature_id, rows[i].scheme);
		probe_close(&p);
	}
#else
	(void)state;
	skip();
#endif
}

static void test_lists_and_names(void **state)
{
	(void)state;
	assert_ptr_equal(engines[0], &engine_null);
	for (int i = 0; engines[i]; i++) {
		assert_ptr_equal(engine_by_name(engines[i]->name), engines[i]);
		assert_true(strlen(engines[i]->version()) > 0);
		assert_true(strlen(engines[i]->build()) > 0);
		print_message("%s: %s (%s)\n", engines[i]->name, engines[i]->version(),
			      engines[i]->build());
	}
	assert_null(engine_by_name("nonsense"));
	assert_ptr_equal(engine_default(), engines[1] ? engines[1] : engines[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_and_names),
		cmocka_unit_test(test_plain_runs_on_null_alone),
		cmocka_unit_test(test_facts_of_both_sides),
		cmocka_unit_test(test_openssl_signs_with_the_credentials_hash),
		cmocka_unit_test(test_threads_with_domains_of_their_own),
		cmocka_unit_test(test_tls12),
		cmocka_unit_test(test_tls13),
		cmocka_unit_test(test_dtls12),
	};

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 2654435761u >> 16);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
