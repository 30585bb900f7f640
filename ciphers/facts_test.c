/* SPDX-License-Identifier: Apache-2.0 */
/* Facts held against the suite asked for: each part that differs is named with both values. */
#include "ciphers/engine_test.h"

static struct tls_facts good_facts(void)
{
	return (struct tls_facts){ .version = TLS12,
				   .cipher_id = 0xc02b,
				   .group_id = 29,
				   .peer_key = KEY_EC,
				   .peer_key_bits = 256 };
}

static void expect(const struct tls_facts *got, enum role role, const char *words)
{
	struct suite asked = test_suite("tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256");
	struct fail f = { 0 };
	int ret = facts_check(&asked, got, role, &f);

	assert_int_equal(ret, words ? -1 : 0);
	if (words && !strstr(f.text, words))
		fail_msg("\"%s\" is not in: %s", words, f.text);
}

static void test_agreement(void **state)
{
	struct tls_facts facts = good_facts();

	(void)state;
	expect(&facts, CLIENT, NULL);
	facts.peer_key = KEY_NONE;
	facts.peer_key_bits = 0;
	expect(&facts, SERVER, NULL);
	/* What the library cannot tell is not held against it. */
	facts.group_id = 0;
	expect(&facts, CLIENT, NULL);
}

static void test_each_part_that_differs(void **state)
{
	struct tls_facts facts = good_facts();

	(void)state;
	facts.version = TLS13;
	expect(&facts, CLIENT, "version: asked tls1.2, negotiated tls1.3");
	facts = good_facts();
	facts.cipher_id = 0xc02c;
	expect(&facts, SERVER, "negotiated ECDHE-ECDSA-AES256-GCM-SHA384");
	facts.cipher_id = 0x1234;
	expect(&facts, CLIENT, "cipher: asked ECDHE-ECDSA-AES128-GCM-SHA256, negotiated 0x1234");
	facts = good_facts();
	facts.group_id = 23;
	expect(&facts, CLIENT, "group: asked x25519, negotiated p256");
	facts.group_id = 0x11ec;
	expect(&facts, CLIENT, "negotiated x25519mlkem768");
	facts.group_id = GROUP_NOT_REGISTERED;
	expect(&facts, CLIENT, "negotiated 0xffff");
	facts = good_facts();
	facts.peer_key_bits = 384;
	expect(&facts, CLIENT, "credential: asked p256, negotiated p384");
	facts.peer_key = KEY_RSA;
	facts.peer_key_bits = 1024;
	expect(&facts, CLIENT, "negotiated rsa1024");
	/* A server sees no certificate, and a resumed handshake carries none. */
	expect(&facts, SERVER, NULL);
	facts.resumed = true;
	expect(&facts, CLIENT, NULL);
}

static void test_plain(void **state)
{
	struct suite plain = test_suite("plain");
	struct tls_facts none = { .version = TLS_NONE }, some = good_facts();
	char text[SUITE_TEXT_BYTES];
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(facts_check(&plain, &none, CLIENT, &f), 0);
	assert_int_equal(facts_check(&plain, &some, CLIENT, &f), -1);
	assert_string_equal(facts_format(&none, text), "plain");
}

static void test_format(void **state)
{
	struct tls_facts facts = good_facts();
	char text[SUITE_TEXT_BYTES];

	(void)state;
	assert_string_equal(facts_format(&facts, text),
			    "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256");
	facts = (struct tls_facts){ .version = TLS13, .cipher_id = 0x1399 };
	assert_string_equal(facts_format(&facts, text), "tls1.3:0x1399:?:?");
	facts = (struct tls_facts){ .version = TLS12, .cipher_id = 0xc0a8 };
	assert_string_equal(facts_format(&facts, text), "tls1.2:PSK-AES128-CCM8:none:psk");
	facts = (struct tls_facts){ .version = TLS12, .cipher_id = 0xc037, .group_id = 29 };
	assert_string_equal(facts_format(&facts, text),
			    "tls1.2:ECDHE-PSK-AES128-CBC-SHA256:x25519:psk");
	facts.cipher_id = 0x009c;
	facts.group_id = 0;
	assert_string_equal(facts_format(&facts, text), "tls1.2:AES128-GCM-SHA256:none:?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_each_part_that_differs),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
