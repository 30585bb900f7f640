/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an engine says when certificates, names, keys or suites do not fit: the
 * right reason, from either library on either side.
 */
#include "ciphers/credential_x509.h"
#include "ciphers/engine_test.h"

static void expect_refusal(struct probe *p, const char *word)
{
	struct fail f = { 0 };

	assert_int_equal(probe_handshake(p, &f), -1);
	if (!strstr(f.text, word))
		fail_msg("\"%s\" is not in: %s", word, f.text);
	probe_close(p);
}

/* --- certificates --------------------------------------------------------- */

static const char *name_to_check;

static void other_name(struct tls_params *client, struct tls_params *server)
{
	(void)server;
	client->server_name = name_to_check;
}

static void check_names(const struct engine_ops *client, const struct engine_ops *server,
			const char *text)
{
	static const char *const good[] = { "localhost", "LocalHost", "127.0.0.1", "::1",
					    "0:0:0:0:0:0:0:1" };
	static const char *const bad[] = { "example.org", "localhos", "xlocalhost", "192.0.2.1",
					   "127.0.0.2",   "::2",      "1::",        "0.0.0.1" };
	struct suite suite = test_suite(text);
	struct fail f = { 0 };
	struct probe p;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		name_to_check = good[i];
		open_with(&p, client, server, &suite, other_name);
		if (probe_handshake(&p, &f))
			fail_msg("%s %s", good[i], f.text);
		probe_close(&p);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		name_to_check = bad[i];
		open_with(&p, client, server, &suite, other_name);
		expect_refusal(&p, "name mismatch");
	}
}

static void test_names(void **state)
{
	(void)state;
	for_each_pair(check_names);
}

static void other_authority(struct tls_params *client, struct tls_params *server)
{
	struct suite other = test_suite("tls1.3:AES128-GCM-SHA256:x25519:p384");

	(void)server;
	client->ca_file = test_credential(&other)->ca_file;
}

static void check_unknown_authority(const struct engine_ops *client,
				    const struct engine_ops *server, const char *text)
{
	struct suite suite = test_suite(text);
	struct probe p;

	open_with(&p, client, server, &suite, other_authority);
	expect_refusal(&p, "unknown issuer");
}

static void test_unknown_authority(void **state)
{
	(void)state;
	for_each_pair(check_unknown_authority);
}

static void no_authority(struct tls_params *client, struct tls_params *server)
{
	(void)server;
	client->ca_file = NULL;
	client->server_name = "example.org";
}

static void check_insecure(const struct engine_ops *client, const struct engine_ops *server,
			   const char *text)
{
	struct suite suite = test_suite(text);
	struct fail f = { 0 };
	struct probe p;

	open_with(&p, client, server, &suite, no_authority);
	if (probe_handshake(&p, &f))
		fail_msg("%s", f.text);
	probe_close(&p);
}

static void test_without_an_authority_nothing_is_verified(void **state)
{
	(void)state;
	for_each_pair(check_insecure);
}

static void leaf_as_authority(struct tls_params *client, struct tls_params *server)
{
	client->ca_file = server->cert_file;
}

/* Both libraries trust the server's own certificate when that is what the user named. */
static void check_pinned(const struct engine_ops *client, const struct engine_ops *server,
			 const char *text)
{
	struct suite suite = test_suite(text);
	struct fail f = { 0 };
	struct probe p;

	open_with(&p, client, server, &suite, leaf_as_authority);
	if (probe_handshake(&p, &f))
		fail_msg("%s", f.text);
	probe_close(&p);
}

static void test_a_named_certificate_is_trusted_itself(void **state)
{
	(void)state;
	for_each_pair(check_pinned);
}

#ifdef WITH_OPENSSL
static char expired_cert[PATH_BYTES], expired_key[PATH_BYTES];

static void make_expired(void)
{
	struct suite s = test_suite(EC13);
	const struct credential *c = test_credential(&s);
	struct x509_pair ca, leaf;
	struct fail f = { 0 };
	char ca_key[PATH_BYTES];

	x509_pair_init(&ca);
	x509_pair_init(&leaf);
	snprintf(ca_key, sizeof(ca_key), "%.*s.key", (int)strlen(c->ca_file) - 4, c->ca_file);
	snprintf(expired_cert, sizeof(expired_cert), "%.4000s/expired.pem", test_credential_dir());
	snprintf(expired_key, sizeof(expired_key), "%.4000s/expired.key", test_credential_dir());
	assert_int_equal(path_read(c->ca_file, 65536, &ca.cert, &f), 0);
	assert_int_equal(path_read(ca_key, 65536, &ca.key, &f), 0);
	assert_int_equal(x509_make_leaf(s.credential, &ca, NULL, X509_FOR_SERVER, -2, &leaf, &f),
			 0);
	assert_int_equal(path_write(expired_cert, leaf.cert.data, leaf.cert.len, 0644, &f), 0);
	assert_int_equal(path_write(expired_key, leaf.key.data, leaf.key.len, 0600, &f), 0);
	x509_pair_release(&ca);
	x509_pair_release(&leaf);
}

static void expired(struct tls_params *client, struct tls_params *server)
{
	(void)client;
	server->cert_file = expired_cert;
	server->key_file = expired_key;
}

static void check_expired(const struct engine_ops *client, const struct engine_ops *server,
			  const char *text)
{
	struct suite suite = test_suite(text);
	struct probe p;

	open_with(&p, client, server, &suite, expired);
	expect_refusal(&p, "expired");
}

static void test_expired(void **state)
{
	(void)state;
	make_expired();
	for_each_pair(check_expired);
}
#endif

/* --- a server set up wrongly ---------------------------------------------- */

static void expect_no_server(const struct engine_ops *ops, const struct suite *suite,
			     const char *cert, const char *key, const char *word)
{
	struct domain d = {
		.ops = ops,
		.params = { .role = SERVER, .suite = suite, .cert_file = cert, .key_file = key }
	};

	assert_int_equal(ops->domain_open(&d), -1);
	if (!strstr(d.fail.text, word))
		fail_msg("%s: \"%s\" is not in: %s", ops->name, word, d.fail.text);
	ops->domain_close(&d);
}

static void check_wrong_server(const struct engine_ops *ops, const char *text)
{
	struct suite suite = test_suite(text);
	struct suite other = test_suite("tls1.3:AES128-GCM-SHA256:x25519:p384");
	struct suite psk = test_suite("tls1.2:PSK-AES128-CCM8:none:psk");
	const struct credential *c = test_credential(&suite), *o = test_credential(&other);

	expect_no_server(ops, &suite, "/nonexistent.pem", c->key_file, "No such file");
	expect_no_server(ops, &suite, c->cert_file, "/nonexistent.key", "No such file");
	expect_no_server(ops, &suite, NULL, NULL, "certificate");
	expect_no_server(ops, &suite, c->cert_file, o->key_file, "");
	expect_no_server(ops, &suite, c->key_file, c->key_file, c->key_file);
	expect_no_server(ops, &suite, o->cert_file, o->key_file, "\"p256\"");
	expect_no_server(ops, NULL, c->cert_file, c->key_file, "suite");
	/* Or the engine has no such suite at all. */
	if (!ops->refuses(&psk))
		expect_no_server(ops, &psk, NULL, NULL, "pre-shared");
}

static void test_servers_set_up_wrongly(void **state)
{
	(void)state;
	for_each_engine(check_wrong_server);
}

/* --- peers that ask for something else ------------------------------------ */

static struct suite of_client, of_server;

static void two_suites(struct tls_params *client, struct tls_params *server)
{
	client->suite = &of_client;
	server->suite = &of_server;
	server->cert_file = test_credential(&of_server)->cert_file;
	server->key_file = test_credential(&of_server)->key_file;
	client->ca_file = test_credential(&of_server)->ca_file;
}

static void test_sides_that_differ_are_found_out(void **state)
{
	static const struct {
		const char *client, *server, *word;
	} rows[] = {
		{ EC13, EC12, "handshake" },
		{ EC12, EC13, "handshake" },
		{ EC12, "tls1.2:ECDHE-ECDSA-AES256-GCM-SHA384:x25519:p256", "handshake" },
		{ EC13, "tls1.3:AES256-GCM-SHA384:x25519:p256", "handshake" },
		{ EC13, "tls1.3:AES128-GCM-SHA256:p384:p256", "handshake" },
		{ EC12, "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048", "handshake" },
		{ EC13, "tls1.3:AES128-GCM-SHA256:x25519:p384",
		  "another credential: asked p256, negotiated p384" },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa3072",
		  "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048",
		  "another credential: asked rsa3072, negotiated rsa2048" },
	};

	(void)state;
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
				struct probe p;

				of_client = test_suite(rows[i].client);
				of_server = test_suite(rows[i].server);
				open_with(&p, engines[c], engines[s], &of_client, two_suites);
				expect_refusal(&p, rows[i].word);
			}
}

/* Before TLS 1.3 the server alone chooses the prime: only the facts can tell. */
static void test_another_prime_is_found_out(void **state)
{
#ifdef WITH_OPENSSL
	struct probe p;

	of_client = test_suite("tls1.2:DHE-RSA-AES128-GCM-SHA256:ffdhe2048:rsa2048");
	of_server = test_suite("tls1.2:DHE-RSA-AES128-GCM-SHA256:ffdhe3072:rsa2048");
	open_with(&p, &engine_openssl, &engine_openssl, &of_client, two_suites);
	expect_refusal(&p, "another group: asked ffdhe2048, negotiated ffdhe3072");
#else
	skip();
#endif
	(void)state;
}

/* --- clients with their library's defaults -------------------------------- */

static void no_suite(struct tls_params *client, struct tls_params *server)
{
	(void)server;
	client->suite = NULL;
}

/* Such a client lists many groups: the server must still take the one it was given. */
static void check_default_client(const struct engine_ops *client, const struct engine_ops *server,
				 const char *text)
{
	struct suite suite = test_suite(text);
	char told[SUITE_TEXT_BYTES];
	struct tls_facts facts;
	struct fail f = { 0 };
	struct probe p;

	open_with(&p, client, server, &suite, no_suite);
	if (probe_handshake(&p, &f))
		fail_msg("%s -> %s %s", client->name, server->name, f.text);
	client->facts(&p.client.assoc, &facts);
	assert_string_equal(facts_format(&facts, told), text);
	probe_close(&p);
}

static void test_a_default_client_gets_the_servers_suite(void **state)
{
	static const char *const suites[] = {
		"tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256",
		"tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p384",
		"tls1.2:ECDHE-ECDSA-AES256-GCM-SHA384:p384:p256",
		"tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048",
		"tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p256:rsa2048",
		"tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p521:rsa2048",
		"tls1.3:AES128-GCM-SHA256:x25519:p256",
		"tls1.3:AES256-GCM-SHA384:p256:rsa2048",
		"tls1.3:CHACHA20-POLY1305-SHA256:p384:p384",
	};

	(void)state;
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
				check_default_client(engines[c], engines[s], suites[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_unknown_authority),
		cmocka_unit_test(test_without_an_authority_nothing_is_verified),
		cmocka_unit_test(test_a_named_certificate_is_trusted_itself),
#ifdef WITH_OPENSSL
		cmocka_unit_test(test_expired),
#endif
		cmocka_unit_test(test_servers_set_up_wrongly),
		cmocka_unit_test(test_sides_that_differ_are_found_out),
		cmocka_unit_test(test_another_prime_is_found_out),
		cmocka_unit_test(test_a_default_client_gets_the_servers_suite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
