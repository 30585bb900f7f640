/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who an association is: certificates of clients, and pre-shared keys. Every engine
 * against every engine; what does not fit is refused with the right reason.
 */
#include "ciphers/engine_test.h"

/* --- clients that show a certificate -------------------------------------- */

static const struct credential *shown;
static const char *asked_for;

static const struct credential *client_credential(const char *kind)
{
	static struct credential made[8];
	struct fail f = { 0 };
	size_t i = 0;

	while (made[i].kind && strcmp(made[i].kind->name, kind))
		i++;
	assert_true(i + 1 < sizeof(made) / sizeof(made[0]));
	if (!made[i].kind && credential_get_client(credential_kind_by_name(kind),
						   test_credential_dir(), &made[i], &f))
		fail_msg("%s", f.text);
	return &made[i];
}

static void mutual(struct tls_params *client, struct tls_params *server)
{
	client->cert_file = shown ? shown->cert_file : NULL;
	client->key_file = shown ? shown->key_file : NULL;
	server->ca_file = asked_for;
}

static void check_mutual(const struct engine_ops *client, const struct engine_ops *server,
			 const char *text)
{
	static const char *const kinds[] = { "p256", "rsa2048", "p384", "ed25519" };
	struct suite suite = test_suite(text);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct tls_facts facts;
		struct fail f = { 0 };
		struct probe p;

		/* wolfSSL's server asks for the family of its own key alone before TLS 1.3. */
		if (!strcmp(server->name, "wolfssl") && suite.version == TLS12 &&
		    kinds[i][0] != 'p')
			continue;
		shown = client_credential(kinds[i]);
		asked_for = shown->ca_file;
		open_with(&p, client, server, &suite, mutual);
		if (probe_handshake(&p, &f) || probe_send(&p.client, &p.server, "ask", 3, &f))
			fail_msg("%s -> %s %s, client %s: %s", client->name, server->name, text,
				 kinds[i], f.text);
		server->facts(&p.server.assoc, &facts);
		assert_int_equal(facts.peer_key, shown->kind->key);
		assert_int_equal(facts.peer_key_bits, shown->kind->key_bits);
		probe_close(&p);
	}
}

static void test_a_client_shows_its_certificate(void **state)
{
	(void)state;
	for_each_pair(check_mutual);
}

/* The server's own side decides, whatever the client thinks of it. */
static void expect_server_refuses(struct probe *p, const char *word)
{
	struct fail f = { 0 };
	char got[16];
	size_t n;

	/* Under TLS 1.3 the client is done before the server has looked. */
	if (!probe_handshake(p, &f))
		p->server.domain.ops->read(&p->server.assoc, got, sizeof(got), &n);
	if (!p->server.assoc.fail.code)
		fail_msg("the server refused nothing; %s", f.text);
	if (word && !strstr(p->server.assoc.fail.text, word))
		fail_msg("\"%s\" is not in: %s", word, p->server.assoc.fail.text);
	probe_close(p);
}

static void check_refused(const struct engine_ops *client, const struct engine_ops *server,
			  const char *text)
{
	struct suite suite = test_suite(text);
	struct probe p;

	shown = NULL;
	asked_for = client_credential("p256")->ca_file;
	open_with(&p, client, server, &suite, mutual);
	expect_server_refuses(&p, NULL);
	shown = client_credential("p384");
	open_with(&p, client, server, &suite, mutual);
	expect_server_refuses(&p, "the client's certificate: unknown issuer");
}

static void test_without_or_with_a_strange_one_it_is_refused(void **state)
{
	(void)state;
	for_each_pair(check_refused);
}

static void check_not_asked(const struct engine_ops *client, const struct engine_ops *server,
			    const char *text)
{
	struct suite suite = test_suite(text);
	struct tls_facts facts;
	struct fail f = { 0 };
	struct probe p;

	shown = client_credential("p256");
	asked_for = NULL;
	open_with(&p, client, server, &suite, mutual);
	if (probe_handshake(&p, &f))
		fail_msg("%s", f.text);
	server->facts(&p.server.assoc, &facts);
	assert_int_equal(facts.peer_key, KEY_NONE);
	probe_close(&p);
}

static void test_not_asked_not_shown(void **state)
{
	(void)state;
	for_each_pair(check_not_asked);
}

/* --- pre-shared keys ------------------------------------------------------ */

static const char *psk_suites[] = {
	"tls1.2:PSK-AES128-CCM8:none:psk",
	"tls1.2:DHE-PSK-AES128-GCM-SHA256:ffdhe2048:psk",
	"tls1.2:ECDHE-PSK-AES128-CBC-SHA256:p256:psk",
	"dtls1.2:PSK-AES128-CCM8:none:psk",
	"dtls1.2:ECDHE-PSK-CHACHA20-POLY1305:p256:psk",
};

static const uint8_t other_key[PSK_BYTES_MAX] = { 42 };
static const char *client_identity;
static size_t client_key_bytes;

static void other_psk(struct tls_params *client, struct tls_params *server)
{
	(void)server;
	if (client_identity)
		client->psk_identity = client_identity;
	if (client_key_bytes) {
		client->psk_key = other_key;
		client->psk_key_bytes = client_key_bytes;
	}
}

static void expect_psk_failure(const struct engine_ops *client, const struct engine_ops *server,
			       const struct suite *suite, const char *identity, size_t key_bytes)
{
	struct fail f = { 0 };
	struct probe p;

	client_identity = identity;
	client_key_bytes = key_bytes;
	open_with(&p, client, server, suite, other_psk);
	assert_int_equal(probe_handshake(&p, &f), -1);
	probe_close(&p);
}

static void test_only_the_right_key_of_the_right_name(void **state)
{
	(void)state;
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			for (size_t i = 0; i < sizeof(psk_suites) / sizeof(psk_suites[0]); i++) {
				struct suite suite = test_suite(psk_suites[i]);
				struct fail f = { 0 };

				if (engines[c]->refuses(&suite) || engines[s]->refuses(&suite))
					continue;
				if (probe_suite(engines[c], engines[s], &suite, NULL, &f))
					fail_msg("%s: %s", psk_suites[i], f.text);
				expect_psk_failure(engines[c], engines[s], &suite, "stranger", 0);
				expect_psk_failure(engines[c], engines[s], &suite, NULL, 16);
				expect_psk_failure(engines[c], engines[s], &suite, NULL,
						   PSK_BYTES_MAX);
			}
}

/* --- a table of keys ------------------------------------------------------ */

static struct psk_table many;

static void from_a_table(struct tls_params *client, struct tls_params *server)
{
	(void)client;
	server->psk_table = &many;
}

static void fill_table(void)
{
	for (int i = 0; i < 40; i++) {
		struct psk row = { .key = { (uint8_t)i }, .key_bytes = PSK_BYTES_MIN + i % 8 };

		snprintf(row.identity, sizeof(row.identity), "device %d", i);
		assert_int_equal(psk_table_add(&many, &row), 0);
	}
	assert_int_equal(psk_table_sort(&many), 0);
}

static int show(const struct engine_ops *client, const struct engine_ops *server,
		const struct suite *suite, const struct psk *row, struct fail *f)
{
	struct probe p;
	int ret;

	open_with(&p, client, server, suite, from_a_table);
	p.client.assoc.psk = row;
	ret = probe_handshake(&p, f);
	probe_close(&p);
	return ret;
}

/* A stranger, and a known one with a wrong key, are told the same. */
static void check_table(const struct engine_ops *client, const struct engine_ops *server,
			const struct suite *suite)
{
	struct psk stranger = { .identity = "device 40", .key_bytes = PSK_BYTES_MIN };
	struct psk thief = many.row[7];
	struct fail f = { 0 }, unknown = { 0 }, wrong = { 0 };

	for (size_t i = 0; i < many.rows; i += 13)
		if (show(client, server, suite, &many.row[i], &f))
			fail_msg("%s: %s", many.row[i].identity, f.text);
	thief.key[3] ^= 1;
	assert_int_equal(show(client, server, suite, &stranger, &unknown), -1);
	assert_int_equal(show(client, server, suite, &thief, &wrong), -1);
	assert_string_equal(unknown.text, wrong.text);
}

static void test_a_table_knows_each_of_its_own(void **state)
{
	(void)state;
	fill_table();
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			for (size_t i = 0; i < sizeof(psk_suites) / sizeof(psk_suites[0]); i++) {
				struct suite suite = test_suite(psk_suites[i]);

				if (!engines[c]->refuses(&suite) && !engines[s]->refuses(&suite))
					check_table(engines[c], engines[s], &suite);
			}
	psk_table_release(&many);
}

static void expect_no_domain(const struct engine_ops *ops, struct tls_params params,
			     const char *word)
{
	struct domain d = { .ops = ops, .params = params };

	assert_int_equal(ops->domain_open(&d), -1);
	if (!strstr(d.fail.text, word))
		fail_msg("%s: \"%s\" is not in: %s", ops->name, word, d.fail.text);
}

static void test_keys_that_do_not_fit(void **state)
{
	struct suite suite = test_suite("tls1.2:ECDHE-PSK-AES128-CBC-SHA256:p256:psk");
	struct suite ec = test_suite(EC13);
	char long_name[PSK_IDENTITY_MAX + 2] = { 0 };

	(void)state;
	memset(long_name, 'x', sizeof(long_name) - 1);
	for (int e = 1; engines[e]; e++) {
		struct tls_params p = { .role = SERVER, .suite = &suite };

		expect_no_domain(engines[e], p, "pre-shared key and the identity");
		p.psk_key = other_key;
		p.psk_key_bytes = PSK_BYTES_MIN - 1;
		expect_no_domain(engines[e], p, "identity");
		p.psk_identity = "me";
		expect_no_domain(engines[e], p, "15 bytes");
		p.psk_key_bytes = PSK_BYTES_MAX + 1;
		expect_no_domain(engines[e], p, "65 bytes");
		p.psk_key_bytes = PSK_BYTES_MAX;
		p.psk_identity = long_name;
		expect_no_domain(engines[e], p, "longer than");
		p = (struct tls_params){ .role = CLIENT, .suite = &ec, .cert_file = "x" };
		expect_no_domain(engines[e], p, "the key is missing");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_client_shows_its_certificate),
		cmocka_unit_test(test_without_or_with_a_strange_one_it_is_refused),
		cmocka_unit_test(test_not_asked_not_shown),
		cmocka_unit_test(test_only_the_right_key_of_the_right_name),
		cmocka_unit_test(test_a_table_knows_each_of_its_own),
		cmocka_unit_test(test_keys_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
