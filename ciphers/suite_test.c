/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of suites, its error texts, the catalogue's consistency and the strengths. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ciphers/suite.h"

#include <string.h>
#include <strings.h>

static const struct suite *parsed(const char *text)
{
	static struct suite s;
	struct fail f = { 0 };

	if (suite_parse(text, &s, &f))
		fail_msg("%s: %s", text, f.text);
	return &s;
}

static void test_spellings_meet_in_one(void **state)
{
	static const struct {
		const char *given, *canonical;
	} rows[] = {
		{ "plain", "plain" },
		{ "PLAIN", "plain" },
		{ "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256",
		  "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256" },
		{ "TLS1.2:TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:X25519:P256",
		  "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256" },
		{ "tls1.2:ecdhe-rsa-aes256-sha384:secp384r1:rsa7680",
		  "tls1.2:ECDHE-RSA-AES256-SHA384:p384:rsa7680" },
		{ "tls1.3:AES128-GCM-SHA256:x25519:rsa3072",
		  "tls1.3:AES128-GCM-SHA256:x25519:rsa3072" },
		{ "tls1.3:TLS_AES_128_GCM_SHA256:P-256:ed25519",
		  "tls1.3:AES128-GCM-SHA256:p256:ed25519" },
		{ "tls1.3:AES_128_CCM_8_SHA256:x448:p521", "tls1.3:AES128-CCM8-SHA256:x448:p521" },
		{ "tls1.3:TLS13-CHACHA20-POLY1305-SHA256:x25519:p384",
		  "tls1.3:CHACHA20-POLY1305-SHA256:x25519:p384" },
		{ "tls1.2:ECDHE-ECDSA-AES128-CCM-8:p224:p224",
		  "tls1.2:ECDHE-ECDSA-AES128-CCM8:p224:p224" },
		{ "dtls1.2:PSK-AES128-CCM8:none:psk", "dtls1.2:PSK-AES128-CCM8:none:psk" },
		{ "dtls1.2:ECDHE-PSK-AES128-CBC-SHA256:x25519:psk",
		  "dtls1.2:ECDHE-PSK-AES128-CBC-SHA256:x25519:psk" },
	};
	char text[SUITE_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(suite_format(parsed(rows[i].given), text), rows[i].canonical);
}

static void test_errors_name_the_part_and_what_would_fit(void **state)
{
	/* Every word must be in the text. */
	static const struct {
		const char *given, *words[4];
	} rows[] = {
		{ "", { "1 part", "VERSION:CIPHER:GROUP:CREDENTIAL" } },
		{ "tls1.2", { "1 part", "VERSION:CIPHER:GROUP:CREDENTIAL" } },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519", { "3 parts", "expected" } },
		{ "tls1.3:AES128-GCM-SHA256:x25519:p256:p256", { "5 parts", "expected" } },
		{ "tls1.1:AES128-GCM-SHA256:x25519:p256", { "version", "tls1.1", "did you mean" } },
		{ "ssh2:AES128-GCM-SHA256:x25519:p256", { "version", "ssh2", "known: plain" } },
		{ "tls1.3:AES128-GCM-SHA265:x25519:p256",
		  { "cipher", "AES128-GCM-SHA265", "AES128-GCM-SHA256" } },
		{ "tls1.2:CHACHA20-POLY1305-SHA256:x25519:p256",
		  { "cipher", "tls1.2", "only in tls1.3" } },
		{ "tls1.3:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048",
		  { "cipher", "tls1.3", "only in tls1.2, dtls1.2" } },
		{ "tls1.3:AES128-GCM-SHA256:x25591:p256", { "group", "x25591", "\"x25519\"" } },
		{ "tls1.3:AES128-GCM-SHA256:none:p256", { "group", "none", "fitting: x25519" } },
		{ "tls1.3:AES128-GCM-SHA256:p224:p256", { "group", "p224", "tls1.3" } },
		{ "tls1.2:PSK-AES128-CCM8:x25519:psk", { "group", "x25519", "fitting: none" } },
		{ "tls1.3:AES128-GCM-SHA256:x25519:rsa2047",
		  { "credential", "rsa2047", "\"rsa2048\"" } },
		{ "tls1.3:AES128-GCM-SHA256:x25519:p224", { "credential", "p224", "p256" } },
		{ "tls1.3:AES128-GCM-SHA256:x25519:none", { "credential", "none", "fitting" } },
		{ "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:rsa2048",
		  { "credential", "rsa2048", "ECDHE-ECDSA-AES128-GCM-SHA256", "p256" } },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:p256",
		  { "credential", "p256", "fitting: rsa1024, rsa2048" } },
		{ "tls1.2:DHE-RSA-AES128-GCM-SHA256:x25519:rsa2048",
		  { "group", "x25519", "fitting: ffdhe2048" } },
		{ "tls1.2:AES128-GCM-SHA256:x25519:rsa2048", { "group", "fitting: none" } },
		{ "tls1.2:AES128-GCM-SHA256:none:rsapss2048", { "credential", "rsapss2048" } },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:mlkem768:rsa2048", { "group", "tls1.2" } },
		{ "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:mldsa65",
		  { "credential", "mldsa65" } },
		{ "dtls1.2:ECDHE-RSA-RC4-SHA:x25519:rsa2048",
		  { "cipher", "dtls1.2", "only in tls1.2" } },
		{ "tls1.2:PSK-AES128-CCM8:none:p256", { "credential", "p256", "fitting: psk" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct suite s = { .version = DTLS13 };
		struct fail f = { 0 };

		assert_int_equal(suite_parse(rows[i].given, &s, &f), -1);
		for (int w = 0; w < 4 && rows[i].words[w]; w++)
			if (!strstr(f.text, rows[i].words[w]))
				fail_msg("\"%s\" is not in: %s", rows[i].words[w], f.text);
		assert_int_equal(s.version, DTLS13); /* untouched */
	}
}

static void test_a_long_text_is_refused(void **state)
{
	char text[4 * SUITE_TEXT_BYTES];
	struct suite s;
	struct fail f = { 0 };

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(suite_parse(text, &s, &f), -1);
	assert_non_null(strstr(f.text, "too long"));
}

static void test_ids_and_names_are_unique(void **state)
{
	(void)state;
	for (const struct cipher *a = ciphers; a->id; a++) {
		assert_ptr_equal(cipher_by_id(a->id), a);
		assert_ptr_equal(cipher_by_name(a->iana), a);
		for (int v = 0; v < TLS_VERSIONS; v++)
			if (a->versions & 1 << v)
				assert_ptr_equal(cipher_by_name_in((enum tls_version)v, a->wolfssl),
						 a);
		for (const struct cipher *b = a + 1; b->id; b++) {
			assert_string_not_equal(a->iana, b->iana);
			assert_string_not_equal(a->openssl, b->openssl);
			if (a->versions & b->versions)
				assert_true(strcasecmp(a->name, b->name));
		}
	}
	for (const struct group *a = groups; a->name; a++) {
		assert_ptr_equal(group_by_id(a->id), a);
		assert_ptr_equal(group_by_name(a->iana), a);
		assert_ptr_equal(group_by_name(a->openssl), a);
	}
	for (const struct credential_kind *a = credential_kinds; a->name; a++) {
		assert_ptr_equal(credential_kind_by_name(a->name), a);
		assert_ptr_equal(credential_kind_of_key(a->key, a->key_bits), a);
	}
	assert_null(cipher_by_name("nonsense"));
	assert_null(cipher_by_id(0x0001));
	assert_null(group_by_name("p255"));
}

/* The IANA name says all that the other columns repeat. */
static void test_columns_agree_with_the_iana_name(void **state)
{
	(void)state;
	for (const struct cipher *c = ciphers; c->id; c++) {
		bool aead = strstr(c->iana, "GCM") || strstr(c->iana, "CCM") ||
			    strstr(c->iana, "POLY1305");

		assert_int_equal(c->aead, aead);
		assert_int_equal(!strncmp(c->bulk, "AES-128", 7),
				 strstr(c->iana, "AES_128") != NULL);
		assert_int_equal(!strncmp(c->bulk, "AES-256", 7),
				 strstr(c->iana, "AES_256") != NULL);
		assert_int_equal(!strncmp(c->bulk, "ARIA", 4), strstr(c->iana, "ARIA") != NULL);
		assert_int_equal(!strncmp(c->bulk, "Camellia", 8),
				 strstr(c->iana, "CAMELLIA") != NULL);
		assert_int_equal(c->status == STATUS_BROKEN,
				 strstr(c->iana, "RC4") || strstr(c->iana, "3DES"));
		assert_int_equal(!strcmp(c->hash, "SHA384"), strstr(c->iana, "SHA384") != NULL);
		assert_int_equal(c->auth == AUTH_ECDSA, strstr(c->iana, "_ECDSA_") != NULL);
		assert_int_equal(c->auth == AUTH_RSA, strstr(c->iana, "_RSA_") != NULL);
		assert_int_equal(c->auth == AUTH_PSK, strstr(c->iana, "PSK_") != NULL);
		assert_int_equal(c->kx == KX_TLS13, strstr(c->iana, "_WITH_") == NULL);
		assert_int_equal(cipher_is_forward_secret(c),
				 strstr(c->iana, "DHE_") || c->kx == KX_TLS13);
		assert_int_equal(c->versions, c->kx == KX_TLS13 ? 1 << TLS13 | 1 << DTLS13
					      : !strcmp(c->bulk, "RC4-128")
						      ? 1 << TLS12
						      : 1 << TLS12 | 1 << DTLS12);
	}
}

static void test_strength_is_the_weakest_part(void **state)
{
	static const struct {
		const char *suite;
		int bits;
	} rows[] = {
		{ "plain", 0 },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048", 112 },
		{ "tls1.2:ECDHE-RSA-AES256-GCM-SHA384:p384:rsa2048", 112 },
		{ "tls1.2:ECDHE-RSA-AES256-GCM-SHA384:p384:rsa3072", 128 },
		{ "tls1.2:ECDHE-RSA-AES256-GCM-SHA384:p384:rsa4096", 128 },
		{ "tls1.2:ECDHE-RSA-AES256-GCM-SHA384:p521:rsa7680", 192 },
		{ "tls1.3:AES256-GCM-SHA384:p521:p521", 256 },
		{ "tls1.3:AES256-GCM-SHA384:x448:p521", 224 },
		{ "tls1.3:AES256-GCM-SHA384:p384:p384", 192 },
		{ "tls1.3:AES256-GCM-SHA384:x25519:p384", 128 },
		{ "tls1.3:AES256-GCM-SHA384:p521:ed25519", 128 },
		{ "tls1.3:AES128-CCM8-SHA256:p521:p521", 128 },
		{ "tls1.3:CHACHA20-POLY1305-SHA256:p521:p521", 256 },
		{ "tls1.2:ECDHE-ECDSA-AES256-SHA:p521:p521", 128 },
		{ "tls1.2:ECDHE-ECDSA-AES256-GCM-SHA384:p224:p521", 112 },
		{ "tls1.2:ECDHE-ECDSA-AES256-GCM-SHA384:p521:p224", 112 },
		{ "dtls1.2:PSK-AES128-CCM8:none:psk", 128 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (suite_strength_bits(parsed(rows[i].suite)) != rows[i].bits)
			fail_msg("%s: %d bits", rows[i].suite,
				 suite_strength_bits(parsed(rows[i].suite)));
}

static void test_classes_and_status(void **state)
{
	static const struct {
		const char *suite;
		int class;
		enum status status;
		bool forward_secret;
	} rows[] = {
		{ "plain", 0, STATUS_BROKEN, false },
		{ "tls1.3:AES128-GCM-SHA256:x25519:rsa1024", 80, STATUS_BROKEN, true },
		{ "tls1.3:AES128-GCM-SHA256:x25519:rsa2048", 112, STATUS_RECOMMENDED, true },
		{ "tls1.3:AES128-GCM-SHA256:x25519:p256", 128, STATUS_RECOMMENDED, true },
		{ "tls1.3:AES256-GCM-SHA384:p384:rsa7680", 192, STATUS_RECOMMENDED, true },
		{ "tls1.3:AES256-GCM-SHA384:x448:ed448", 192, STATUS_RECOMMENDED, true },
		{ "tls1.3:AES256-GCM-SHA384:p521:rsa15360", 256, STATUS_LEGACY, true },
		{ "tls1.3:AES256-GCM-SHA384:x25519mlkem768:mldsa65", 192, STATUS_RECOMMENDED,
		  true },
		{ "tls1.3:AES256-GCM-SHA384:mlkem1024:mldsa87", 256, STATUS_RECOMMENDED, true },
		{ "tls1.2:AES128-GCM-SHA256:none:rsa3072", 128, STATUS_LEGACY, false },
		{ "tls1.2:DHE-RSA-AES256-GCM-SHA384:ffdhe8192:rsa7680", 192, STATUS_LEGACY, true },
		{ "tls1.2:ECDHE-RSA-RC4-SHA:x25519:rsa3072", 80, STATUS_BROKEN, true },
		{ "dtls1.2:PSK-AES128-CCM8:none:psk", 128, STATUS_LEGACY, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct suite *s = parsed(rows[i].suite);

		if (suite_strength_class(s) != rows[i].class || suite_status(s) != rows[i].status ||
		    suite_is_forward_secret(s) != rows[i].forward_secret)
			fail_msg("%s: class %d, %s", rows[i].suite, suite_strength_class(s),
				 status_name[suite_status(s)]);
	}
}

static void test_even_suites_have_no_part_in_excess(void **state)
{
	static const struct {
		const char *suite;
		int class; /* 0: even in none */
	} rows[] = {
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p224:rsa1024", 80 },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p224:rsa2048", 112 },
		{ "tls1.2:DHE-RSA-AES128-GCM-SHA256:ffdhe2048:rsa2048", 112 },
		{ "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048", 0 },
		{ "tls1.3:AES128-GCM-SHA256:x25519:rsa3072", 128 },
		{ "tls1.3:AES128-GCM-SHA256:p256:ed25519", 128 },
		{ "tls1.3:AES256-GCM-SHA384:p256:p256", 0 },
		{ "tls1.3:AES128-GCM-SHA256:p384:p256", 0 },
		{ "tls1.3:AES256-GCM-SHA384:p384:rsa7680", 192 },
		{ "tls1.3:AES256-GCM-SHA384:x448:ed448", 192 },
		{ "tls1.3:AES256-GCM-SHA384:p521:rsa15360", 256 },
		{ "tls1.2:AES128-GCM-SHA256:none:rsa3072", 128 },
	};
	static const int classes[] = { 80, 112, 128, 192, 256 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t c = 0; c < sizeof(classes) / sizeof(classes[0]); c++)
			if (suite_is_even(parsed(rows[i].suite), classes[c]) !=
			    (classes[c] == rows[i].class))
				fail_msg("%s, class %d", rows[i].suite, classes[c]);
}

struct walk {
	int count, stop_at;
	struct suite last;
};

static int visit_one(const struct suite *s, void *data)
{
	struct walk *w = data;
	char text[SUITE_TEXT_BYTES];

	assert_true(suite_equal(s, parsed(suite_format(s, text))));
	assert_false(w->count && suite_equal(s, &w->last));
	assert_true((suite_strength_bits(s) == 0) == suite_is_plain(s));
	assert_true(w->count || suite_is_plain(s));
	w->last = *s;
	return ++w->count == w->stop_at ? 42 : 0;
}

static void test_each_suite_can_be_written_and_read(void **state)
{
	struct walk all = { 0 }, some = { .stop_at = 7 };
	int tls12;

	(void)state;
	assert_int_equal(suite_each(visit_one, &all), 0);
	/* ECDHE: (17 + 13) x 9 groups x 9 keys; DHE 18 x 5 x 9; RSA 16 x 6; PSK 15 + 15 x 5 + 8
	 * x 9. */
	tls12 = 30 * 9 * 9 + 18 * 5 * 9 + 16 * 6 + 15 + 75 + 72;
	/* DTLS lacks the two of RC4; TLS 1.3 has 19 groups and 32 keys; both of it, and plain. */
	assert_int_equal(all.count, 2 * tls12 - 2 * 9 * 9 + 2 * 5 * 19 * 32 + 1);
	assert_int_equal(suite_each(visit_one, &some), 42);
	assert_int_equal(some.count, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings_meet_in_one),
		cmocka_unit_test(test_errors_name_the_part_and_what_would_fit),
		cmocka_unit_test(test_a_long_text_is_refused),
		cmocka_unit_test(test_ids_and_names_are_unique),
		cmocka_unit_test(test_columns_agree_with_the_iana_name),
		cmocka_unit_test(test_strength_is_the_weakest_part),
		cmocka_unit_test(test_classes_and_status),
		cmocka_unit_test(test_even_suites_have_no_part_in_excess),
		cmocka_unit_test(test_each_suite_can_be_written_and_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
