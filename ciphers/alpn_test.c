/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of application protocols, and what each pair of engines agrees on. */
#include "ciphers/alpn.h"

#include "ciphers/engine_test.h"

static void test_lists(void **state)
{
	static const char *const bad[] = {
		"", ",", "h2,", ",h2", "h2,,h3", "h2, http/1.1", "sixteen-bytes-xx"
	};
	uint8_t bytes[ALPN_LIST_BYTES];
	char many[200];
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(alpn_check("h2,http/1.1", &f), 0);
	assert_int_equal(alpn_check("fifteen-bytes-x", &f), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fail_clear(&f);
		assert_int_equal(alpn_check(bad[i], &f), -1);
		assert_non_null(strstr(f.text, "expected like h2,http/1.1"));
	}
	memset(many, ',', sizeof(many));
	for (size_t i = 0; i < sizeof(many); i += 2)
		many[i] = 'a';
	many[sizeof(many) - 1] = '\0';
	fail_clear(&f);
	assert_int_equal(alpn_check(many, &f), -1);
	assert_non_null(strstr(f.text, "too long"));
	assert_int_equal(alpn_encode("h2,http/1.1", bytes), 12);
	assert_memory_equal(bytes, "\x02h2\x08http/1.1", 12);
}

static void expect_selection(const char *ours, const char *theirs, size_t len, const char *name)
{
	char got[ALPN_NAME_BYTES];
	uint8_t n;
	const uint8_t *found = alpn_select(ours, (const uint8_t *)theirs, len, &n);

	alpn_copy(got, found, n);
	assert_string_equal(got, name ? name : "");
	assert_int_equal(found != NULL, name != NULL);
}

static void test_our_first_match_is_selected(void **state)
{
	(void)state;
	expect_selection("h2,http/1.1", "\x08http/1.1\x02h2", 12, "h2");
	expect_selection("http/1.1,h2", "\x08http/1.1\x02h2", 12, "http/1.1");
	expect_selection("h2", "\x08http/1.1", 9, NULL);
	expect_selection("h2", "\x03h2x\x02h2", 7, "h2");
	expect_selection("h2", "\x02h2", 2, NULL);
	expect_selection("h2", "\xffh2", 3, NULL);
	expect_selection("h2", "", 0, NULL);
}

static const char *client_list, *server_list;

static void lists(struct tls_params *client, struct tls_params *server)
{
	client->alpn = client_list;
	server->alpn = server_list;
}

static void check_agreement(const struct engine_ops *client, const struct engine_ops *server,
			    const char *text)
{
	static const struct {
		const char *client, *server, *chosen; /* NULL: refused */
	} rows[] = {
		{ "h2,http/1.1", "h2,http/1.1", "h2" },
		{ "http/1.1,h2", "h2,http/1.1", "h2" },
		{ "h2,http/1.1", "http/1.1,h2", "http/1.1" },
		{ "http/1.1", "h2,http/1.1", "http/1.1" },
		{ "h2,http/1.1", NULL, "" },
		{ NULL, "h2,http/1.1", "" },
		{ NULL, NULL, "" },
		{ "h2", "http/1.1", NULL },
	};
	struct suite suite = test_suite(text);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tls_facts c, s;
		struct fail f = { 0 };
		struct probe p;
		int ret;

		client_list = rows[i].client;
		server_list = rows[i].server;
		open_with(&p, client, server, &suite, lists);
		ret = probe_handshake(&p, &f);
		if (ret != (rows[i].chosen ? 0 : -1))
			fail_msg("%s -> %s %s, row %zu: %s", client->name, server->name, text, i,
				 f.text);
		if (!ret) {
			client->facts(&p.client.assoc, &c);
			server->facts(&p.server.assoc, &s);
			assert_string_equal(c.alpn, rows[i].chosen);
			assert_string_equal(s.alpn, rows[i].chosen);
		}
		probe_close(&p);
	}
}

static void test_engines_agree(void **state)
{
	(void)state;
	for_each_pair(check_agreement);
}

static void test_bad_lists_are_refused(void **state)
{
	struct suite suite = test_suite(EC13);

	(void)state;
	for (int e = 0; engines[e]; e++) {
		struct domain d = { .ops = engines[e],
				    .params = { .role = CLIENT, .suite = &suite, .alpn = "h2," } };

		if (engines[e] == &engine_null)
			d.params.suite = &(struct suite){ .version = TLS_NONE };
		assert_int_equal(engines[e]->domain_open(&d), -1);
		assert_non_null(strstr(d.fail.text, "application protocol"));
	}
}

/* Without TLS nothing is negotiated: both sides know it beforehand. */
static void test_null_is_told(void **state)
{
	struct domain d = { .ops = &engine_null, .params = { .alpn = "h2,http/1.1" } };
	struct assoc a = { .domain = &d };
	struct tls_facts facts;

	(void)state;
	assert_int_equal(engine_null.domain_open(&d), 0);
	assert_int_equal(engine_null.open(&a), 0);
	engine_null.facts(&a, &facts);
	assert_string_equal(facts.alpn, "h2");
	engine_null.close(&a);
	engine_null.domain_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_our_first_match_is_selected),
		cmocka_unit_test(test_engines_agree),
		cmocka_unit_test(test_bad_lists_are_refused),
		cmocka_unit_test(test_null_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
