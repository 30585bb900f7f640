/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_crypto_test - whom an authority vouches for, and as what; signatures and sealed
 * bytes that are one bit off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/credential.h"
#include "ciphers/credential_x509.h"
#include "ciphers/object_crypto.h"

static char dir[64];
static const struct credential_kind *p256, *rsa;
static struct credential server, client, other;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int make_all(void **state)
{
	struct fail f = { 0 };

	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cipherwatt-object-XXXXXX");
	p256 = credential_kind_by_name("p256");
	rsa = credential_kind_by_name("rsa2048");
	if (!mkdtemp(dir) || credential_get(p256, dir, NULL, &server, &f) ||
	    credential_get_client(p256, dir, &client, &f) ||
	    credential_get(rsa, dir, NULL, &other, &f))
		return -1;
	return 0;
}

static int remove_all(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static bool trusts(const char *ca, const struct buf *der, enum object_role role)
{
	struct fail f = { 0 };
	struct object_trust *t = object_trust_open(ca, &f);
	struct object_key *k = t ? object_trust_check(t, der->data, der->len, role, &f) : NULL;
	bool well = k != NULL;

	if (!t)
		fail_msg("%s", f.text);
	if (!well)
		assert_true(f.text[0]);
	object_key_free(k);
	object_trust_close(t);
	return well;
}

static bool trusts_file(const char *ca, const char *file, enum object_role role)
{
	struct object_certificate c = { 0 };
	struct fail f = { 0 };
	bool well;

	if (object_certificate_read(file, &c, &f))
		fail_msg("%s", f.text);
	well = trusts(ca, &c.der, role);
	object_certificate_release(&c);
	return well;
}

static void each_in_its_own_role(void **state)
{
	(void)state;
	assert_true(trusts_file(server.ca_file, server.cert_file, OBJECT_SERVER));
	assert_true(trusts_file(client.ca_file, client.cert_file, OBJECT_CLIENT));
	assert_false(trusts_file(server.ca_file, server.cert_file, OBJECT_CLIENT));
	assert_false(trusts_file(client.ca_file, client.cert_file, OBJECT_SERVER));
	assert_false(trusts_file(other.ca_file, server.cert_file, OBJECT_SERVER));
	assert_false(trusts_file(server.ca_file, other.cert_file, OBJECT_SERVER));
	/* The authority itself signs certificates, and nothing else. */
	assert_false(trusts_file(server.ca_file, server.ca_file, OBJECT_SERVER));
	assert_false(trusts_file(server.ca_file, server.ca_file, OBJECT_CLIENT));
}

static void bytes_that_are_no_certificate(void **state)
{
	struct object_certificate c = { 0 };
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(object_certificate_read(client.cert_file, &c, &f), 0);
	assert_int_equal(c.key_id_bytes, 20);
	c.der.len--;
	assert_false(trusts(client.ca_file, &c.der, OBJECT_CLIENT));
	c.der.len++;
	buf_byte(&c.der, 0);
	assert_false(trusts(client.ca_file, &c.der, OBJECT_CLIENT));
	c.der.len--;
	assert_true(trusts(client.ca_file, &c.der, OBJECT_CLIENT));
	c.der.data[c.der.len - 1] ^= 1;
	assert_false(trusts(client.ca_file, &c.der, OBJECT_CLIENT));
	object_certificate_release(&c);
	assert_int_equal(object_certificate_read(client.key_file, &c, &f), -1);
}

static void worn_certificates(void **state)
{
	struct x509_pair ca, leaf;
	struct fail f = { 0 };
	char ca_file[96], file[96];

	(void)state;
	x509_pair_init(&ca);
	x509_pair_init(&leaf);
	assert_int_equal(x509_make_ca(p256, &ca, &f), 0);
	assert_int_equal(x509_make_leaf(p256, &ca, NULL, X509_FOR_CLIENT, -1, &leaf, &f), 0);
	snprintf(ca_file, sizeof ca_file, "%s/worn-ca.pem", dir);
	assert_int_equal(path_write(ca_file, ca.cert.data, ca.cert.len, 0600, &f), 0);
	snprintf(file, sizeof file, "%s/worn.pem", dir);
	assert_int_equal(path_write(file, leaf.cert.data, leaf.cert.len, 0600, &f), 0);
	x509_pair_release(&ca);
	x509_pair_release(&leaf);
	assert_false(trusts_file(ca_file, file, OBJECT_CLIENT));
}

static void signatures(void **state)
{
	struct fail f = { 0 };
	struct object_key *key = object_key_read(client.key_file, &f);
	struct object_key *no_ec = object_key_read(other.key_file, &f);
	uint8_t signature[OBJECT_SIGNATURE_BYTES];

	(void)state;
	assert_non_null(key);
	assert_non_null(no_ec);
	assert_int_equal(object_sign(key, "text", 4, signature, &f), 0);
	assert_true(object_verify(key, "text", 4, signature));
	assert_false(object_verify(key, "test", 4, signature));
	assert_false(object_verify(no_ec, "text", 4, signature));
	for (int i = 0; i < 8 * OBJECT_SIGNATURE_BYTES; i += 7) {
		signature[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_false(object_verify(key, "text", 4, signature));
		signature[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	assert_int_equal(object_sign(no_ec, "text", 4, signature, &f), -1);
	memset(signature, 0, sizeof signature);
	assert_false(object_verify(key, "text", 4, signature));
	object_key_free(key);
	object_key_free(no_ec);
}

static void sealed_bytes(void **state)
{
	static const struct object_aead *const aeads[] = { &object_a128gcm,
							   &object_aes_ccm_16_64_128 };
	static const uint8_t key[16] = { 1 }, nonce[16] = { 2 };

	(void)state;
	for (int a = 0; a < 2; a++)
		for (size_t len = 0; len < 40; len += 13) {
			struct buf sealed = { 0 }, plain = { 0 };
			char text[40] = "a text of some length, and of none";
			struct fail f = { 0 };

			assert_int_equal(object_seal(aeads[a], key, nonce, "aad", 3, text, len,
						     &sealed, &f),
					 0);
			assert_int_equal(sealed.len, len + (size_t)aeads[a]->tag_bytes);
			assert_int_equal(object_unseal(aeads[a], key, nonce, "aad", 3, sealed.data,
						       sealed.len, &plain, &f),
					 0);
			assert_int_equal(plain.len, len);
			if (len)
				assert_memory_equal(plain.data, text, len);
			assert_int_equal(object_unseal(aeads[a], key, nonce, "add", 3, sealed.data,
						       sealed.len, &plain, &f),
					 -1);
			for (size_t i = 0; i < sealed.len; i++) {
				sealed.data[i] ^= 1;
				assert_int_equal(object_unseal(aeads[a], key, nonce, "aad", 3,
							       sealed.data, sealed.len, &plain, &f),
						 -1);
				sealed.data[i] ^= 1;
			}
			assert_int_equal(object_unseal(aeads[a], key, nonce, "aad", 3, sealed.data,
						       3, &plain, &f),
					 -1);
			assert_int_equal(plain.len, len);
			buf_release(&sealed);
			buf_release(&plain);
		}
}

static void sha1_of_a_known_text(void **state)
{
	static const uint8_t abc[] = { 0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a, 0xba, 0x3e,
				       0x25, 0x71, 0x78, 0x50, 0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d };
	uint8_t digest[OBJECT_SHA1_BYTES];
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(object_sha1("abc", 3, digest, &f), 0);
	assert_memory_equal(digest, abc, sizeof abc);
	assert_true(object_same(digest, abc, sizeof abc));
	digest[19] ^= 1;
	assert_false(object_same(digest, abc, sizeof abc));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_in_its_own_role),
		cmocka_unit_test(bytes_that_are_no_certificate),
		cmocka_unit_test(worn_certificates),
		cmocka_unit_test(signatures),
		cmocka_unit_test(sealed_bytes),
		cmocka_unit_test(sha1_of_a_known_text),
	};

	return cmocka_run_group_tests(tests, make_all, remove_all);
}
