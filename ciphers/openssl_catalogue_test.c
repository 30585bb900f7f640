/* SPDX-License-Identifier: Apache-2.0 */
/* Every cipher of the catalogue, as the linked OpenSSL knows it: name, number, key length. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <openssl/ssl.h>
#include <string.h>

#include "ciphers/cipher.h"

static const SSL_CIPHER *find(SSL_CTX *ctx, const struct cipher *c)
{
	STACK_OF(SSL_CIPHER) *list = SSL_CTX_get_ciphers(ctx);

	for (int i = 0; i < sk_SSL_CIPHER_num(list); i++)
		if (!strcmp(SSL_CIPHER_get_name(sk_SSL_CIPHER_value(list, i)), c->openssl))
			return sk_SSL_CIPHER_value(list, i);
	return NULL;
}

static void test_ciphers_are_what_openssl_calls_them(void **state)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());

	(void)state;
	SSL_CTX_set_security_level(ctx, 0);
	for (const struct cipher *c = ciphers; c->id; c++) {
		const SSL_CIPHER *theirs;
		int bits = strstr(c->bulk, "128") ? 128 : 256;

		if (c->kx == KX_TLS13)
			assert_int_equal(SSL_CTX_set_ciphersuites(ctx, c->openssl), 1);
		else
			assert_int_equal(SSL_CTX_set_cipher_list(ctx, c->openssl), 1);
		theirs = find(ctx, c);
		if (!theirs)
			fail_msg("%s is not in the list", c->openssl);
		assert_int_equal(SSL_CIPHER_get_protocol_id(theirs), c->id);
		assert_string_equal(SSL_CIPHER_standard_name(theirs), c->iana);
		assert_int_equal(SSL_CIPHER_is_aead(theirs), c->aead);
		assert_int_equal(SSL_CIPHER_get_bits(theirs, NULL), bits);
	}
	SSL_CTX_free(ctx);
}

static void test_groups_are_what_openssl_calls_them(void **state)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());

	(void)state;
	for (const struct group *g = groups; g->name; g++)
		if (g->id)
			assert_int_equal(SSL_CTX_set1_groups_list(ctx, g->openssl), 1);
	SSL_CTX_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ciphers_are_what_openssl_calls_them),
		cmocka_unit_test(test_groups_are_what_openssl_calls_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
