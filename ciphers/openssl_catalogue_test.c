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

/* What is built into wolfSSL alone. */
static bool is_unknown_there(const struct cipher *c)
{
	return !strcmp(c->bulk, "RC4-128") || !strcmp(c->bulk, "3DES-CBC") || c->id == 0xd001;
}

/* OpenSSL 3.5 counts the bits of CCM_8's tag, 3.0 those of its key. */
static void check_bits(const struct cipher *c, const SSL_CIPHER *theirs)
{
	int bits = SSL_CIPHER_get_bits(theirs, NULL);

	if (strstr(c->bulk, "CCM-8") && bits == 64)
		return;
	assert_int_equal(bits, strstr(c->bulk, "128") ? 128 : 256);
}

static void check_kx(const struct cipher *c, const SSL_CIPHER *theirs)
{
	static const int kx[] = {
		[KX_TLS13] = NID_kx_any,
		[KX_ECDHE] = NID_kx_ecdhe,
		[KX_DHE] = NID_kx_dhe,
		[KX_RSA] = NID_kx_rsa,
		[KX_PSK] = NID_kx_psk,
		[KX_DHE_PSK] = NID_kx_dhe_psk,
		[KX_ECDHE_PSK] = NID_kx_ecdhe_psk,
	};
	static const int auth[] = {
		[AUTH_TLS13] = NID_auth_any,
		[AUTH_RSA] = NID_auth_rsa,
		[AUTH_ECDSA] = NID_auth_ecdsa,
		[AUTH_PSK] = NID_auth_psk,
	};

	assert_int_equal(SSL_CIPHER_get_kx_nid(theirs), kx[c->kx]);
	assert_int_equal(SSL_CIPHER_get_auth_nid(theirs), auth[c->auth]);
}

static void check_digest(const struct cipher *c, const SSL_CIPHER *theirs)
{
	const EVP_MD *md = SSL_CIPHER_get_handshake_digest(theirs);
	int nid = md ? EVP_MD_get_type(md) : NID_undef;

	/* Suites older than TLS 1.2 name none of their own: SHA-256 (RFC 5246 section 5). */
	if (nid != NID_md5_sha1)
		assert_int_equal(nid == NID_sha384, !strcmp(c->hash, "SHA384"));
}

static void test_ciphers_are_what_openssl_calls_them(void **state)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());
	SSL *ssl = SSL_new(ctx);

	(void)state;
	SSL_CTX_set_security_level(ctx, 0);
	for (const struct cipher *c = ciphers; c->id; c++) {
		const unsigned char id[2] = { (unsigned char)(c->id >> 8), (unsigned char)c->id };
		const SSL_CIPHER *theirs = SSL_CIPHER_find(ssl, id);

		if (!theirs && is_unknown_there(c))
			continue;
		if (!theirs)
			fail_msg("%s is unknown by its number", c->name);
		assert_string_equal(SSL_CIPHER_get_name(theirs), c->openssl);
		assert_string_equal(SSL_CIPHER_standard_name(theirs), c->iana);
		assert_int_equal(SSL_CIPHER_is_aead(theirs), c->aead);
		check_bits(c, theirs);
		check_kx(c, theirs);
		check_digest(c, theirs);
		/* And by its name it can be asked for. */
		if (c->kx == KX_TLS13)
			assert_int_equal(SSL_CTX_set_ciphersuites(ctx, c->openssl), 1);
		else
			assert_int_equal(SSL_CTX_set_cipher_list(ctx, c->openssl), 1);
		assert_non_null(find(ctx, c));
	}
	SSL_free(ssl);
	SSL_CTX_free(ctx);
}

static bool is_left_out(const char *iana)
{
	static const char *const words[] = { "NULL", "_anon_", "_DSS_", "SRP_", "RSA_PSK_" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(iana, words[i]))
			return true;
	return false;
}

/* Nothing that the library has is missing here, but for what cipher_rows.c says. */
static void test_no_cipher_is_missing(void **state)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());
	STACK_OF(SSL_CIPHER) * list;

	(void)state;
	SSL_CTX_set_security_level(ctx, 0);
	assert_int_equal(SSL_CTX_set_cipher_list(ctx, "ALL:COMPLEMENTOFALL"), 1);
	list = SSL_CTX_get_ciphers(ctx);
	assert_true(sk_SSL_CIPHER_num(list) > 100);
	for (int i = 0; i < sk_SSL_CIPHER_num(list); i++) {
		const SSL_CIPHER *c = sk_SSL_CIPHER_value(list, i);

		if (!is_left_out(SSL_CIPHER_standard_name(c)) &&
		    !cipher_by_id(SSL_CIPHER_get_protocol_id(c)))
			fail_msg("%s is missing", SSL_CIPHER_get_name(c));
	}
	SSL_CTX_free(ctx);
}

/* Those that every release has must be taken by name. */
static void test_groups_are_what_openssl_calls_them(void **state)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());

	(void)state;
	for (const struct group *g = groups; g->name; g++)
		if (g->kind != GROUP_NONE && g->kind != GROUP_KEM && !strstr(g->name, "tls13"))
			assert_int_equal(SSL_CTX_set1_groups_list(ctx, g->openssl), 1);
	SSL_CTX_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ciphers_are_what_openssl_calls_them),
		cmocka_unit_test(test_no_cipher_is_missing),
		cmocka_unit_test(test_groups_are_what_openssl_calls_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
