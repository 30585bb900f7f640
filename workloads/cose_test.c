/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cose_test - the examples of RFC 9052 appendix C and of the working group's collection
 * (cose-wg/Examples: sign1-tests, encrypted-tests), byte for byte; what must be refused;
 * and mutations of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base64.h"
#include "lib/path.h"
#include "lib/testing.h"
#include "workloads/cose.h"

#define CONTENT     "This is the content."
#define MESSAGE_MAX 512
#define MUTATIONS   5000

struct vector {
	const char *name, *hex, *external;
	bool good;
};

/*
 * The private key "11" of RFC 9052 appendix C.7.2 in an ECPrivateKey of P-256 (RFC 5915): the
 * public half follows from it.
 */
#define KEY_11                                                                                     \
	"3031020101042057c92077664146e876760c9520d054aa93c3afb04e306705db6090308507b4d3a00a06082a" \
	"8648ce3d030107"

#define CONTENT_HEX "54546869732069732074686520636f6e74656e742e"
#define SIGNATURE_A "eae868ecc176883766c5dc5ba5b8dca25dab3c2e56a551ce5705b793914348e1"

static const struct vector sign1[] = {
	{ "RFC 9052 C.2.1",
	  "d28443a10126a104423131" CONTENT_HEX
	  "58408eb33e4ca31d1c465ab05aac34cc6b23d58fef5c083106c4d25a91aef0b0117e2af9a291aa32e1"
	  "4ab834dc56ed2a223444547e01f11d3b0916e5a4c345cacb36",
	  "", true },
	{ "sign-pass-01: redo protected",
	  "d28441a0a201260442313154546869732069732074686520636f6e74656e742e5840" SIGNATURE_A
	  "1a02e5f0344bf2d4ee5c7fd75a68a9f5e0b3cc1f1fc1409c189566586ff9d610",
	  "", true },
	{ "sign-pass-02: external",
	  "d28443a10126a104423131" CONTENT_HEX "5840" SIGNATURE_A
	  "55388b10c4f1b59a6733eab416870a945111a4b2fbdbef33a77234b1deff2f9b",
	  "11aa22bb33cc44dd55006699", true },
	{ "sign-pass-02 without what is external",
	  "d28443a10126a104423131" CONTENT_HEX "5840" SIGNATURE_A
	  "55388b10c4f1b59a6733eab416870a945111a4b2fbdbef33a77234b1deff2f9b",
	  "", false },
	{ "sign-pass-03: no tag",
	  "8443a10126a104423131" CONTENT_HEX "5840" SIGNATURE_A
	  "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794",
	  "", true },
	{ "sign-fail-01: wrong tag",
	  "d903e68443a10126a104423131" CONTENT_HEX "5840" SIGNATURE_A
	  "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794",
	  "", false },
	{ "sign-fail-02: another content",
	  "d28443a10126a10442313154546869732069732074686520636f6e74656e742f5840" SIGNATURE_A
	  "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794",
	  "", false },
	{ "sign-fail-03: another algorithm",
	  "d28445a1013903e6a104423131" CONTENT_HEX "5840" SIGNATURE_A
	  "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794",
	  "", false },
	{ "sign-fail-06: a protected header more",
	  "d28445a201260300a104423131" CONTENT_HEX "5840" SIGNATURE_A
	  "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794",
	  "", false },
	{ "a critical header",
	  "d28446a20126028104a104423131" CONTENT_HEX "5840" SIGNATURE_A
	  "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794",
	  "", false },
	{ "the algorithm twice",
	  "d28443a10126a201260442313154546869732069732074686520636f6e74656e742e5840" SIGNATURE_A
	  "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794",
	  "", false },
	{ NULL, NULL, NULL, false },
};

#define SECRET_1 "849b57219dae48de646d07dbb533566e"
#define SECRET_2 "849b5786457c1491be3a76dcea6c4271"
#define SEALED   "60973a94bb2898009ee52ecfd9ab1dd25867374b"

struct sealed_vector {
	const char *name, *hex, *external, *key, *base_iv;
	bool good;
};

static const struct sealed_vector encrypt0[] = {
	{ "RFC 9052 C.4.1",
	  "d08343a1010aa1054d89f52f65a1c580933b5261a78c581c5974e1b99a3a4cc09a659aa2e9e7fff161d38c"
	  "e71cb45ce460ffb569",
	  "", SECRET_2, "", true },
	{ "RFC 9052 C.4.2: partial IV",
	  "d08343a1010aa1064261a7581c252a8911d465c125b6764739700f0141ed09192de139e053bd09abca", "",
	  SECRET_2, "89f52f65a1c58093", true },
	{ "RFC 9052 C.4.2 without the base IV",
	  "d08343a1010aa1064261a7581c252a8911d465c125b6764739700f0141ed09192de139e053bd09abca", "",
	  SECRET_2, "", false },
	{ "enc-pass-03: no tag, nothing protected",
	  "8340a20101054c02d1f7e6f26c43d4868d87ce5824" SEALED "24bee54aa5d797c8dc845929acaa47ef",
	  "", SECRET_1, "", true },
	{ "enc-pass-01: an empty map protected",
	  "d08341a0a20101054c02d1f7e6f26c43d4868d87ce5824" SEALED
	  "24bee54aa5d797c8dc845929acaa47ef",
	  "", SECRET_1, "", true },
	{ "enc-fail-02: another tag of the cipher",
	  "8340a20101054c02d1f7e6f26c43d4868d87ce5824" SEALED "24bee54aa5d797c8dc845929acaa47ee",
	  "", SECRET_1, "", false },
	{ "wrong CBOR tag",
	  "d18340a20101054c02d1f7e6f26c43d4868d87ce5824" SEALED "24bee54aa5d797c8dc845929acaa47ef",
	  "", SECRET_1, "", false },
	{ "another key",
	  "8340a20101054c02d1f7e6f26c43d4868d87ce5824" SEALED "24bee54aa5d797c8dc845929acaa47ef",
	  "", SECRET_2, "", false },
	{ "a short IV",
	  "8340a20101054b02d1f7e6f26c43d4868d875824" SEALED "24bee54aa5d797c8dc845929acaa47ef", "",
	  SECRET_1, "", false },
	{ NULL, NULL, NULL, NULL, NULL, false },
};

static size_t unhex(const char *hex, uint8_t *dst)
{
	size_t len = strlen(hex) / 2;

	assert_true(strlen(hex) % 2 == 0 && len <= MESSAGE_MAX);
	for (size_t i = 0; i < len; i++) {
		unsigned byte;

		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		dst[i] = (uint8_t)byte;
	}
	return len;
}

static struct object_key *key_11(void)
{
	char file[] = "/tmp/cipherwatt-cose-XXXXXX";
	uint8_t der[MESSAGE_MAX];
	struct buf pem = { 0 };
	struct fail f = { 0 };
	struct object_key *k;
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	close(fd);
	buf_puts(&pem, "-----BEGIN EC PRIVATE KEY-----\n");
	base64_encode(der, unhex(KEY_11, der), &pem);
	buf_puts(&pem, "\n-----END EC PRIVATE KEY-----\n");
	assert_int_equal(path_write(file, pem.data, pem.len, 0600, &f), 0);
	k = object_key_read(file, &f);
	if (!k)
		fail_msg("%s", f.text);
	assert_int_equal(unlink(file), 0);
	buf_release(&pem);
	return k;
}

static bool signature_good(const uint8_t *src, size_t len, struct cose_span external,
			   const struct object_key *k)
{
	struct cose_message m;
	struct fail f = { 0 };

	if (cose_read_sign1(src, len, &m, &f) || cose_verify_sign1(&m, external, k, &f)) {
		assert_true(f.code != 0 && f.text[0]);
		return false;
	}
	assert_int_equal(m.payload.len, strlen(CONTENT));
	assert_memory_equal(m.payload.at, CONTENT, m.payload.len);
	return true;
}

static void published_signatures(void **state)
{
	struct object_key *k = key_11();

	(void)state;
	for (const struct vector *v = sign1; v->name; v++) {
		uint8_t message[MESSAGE_MAX], external[MESSAGE_MAX];
		struct cose_span span = { external, unhex(v->external, external) };
		size_t len = unhex(v->hex, message);

		if (signature_good(message, len, span, k) != v->good)
			fail_msg("%s: %s", v->name, v->good ? "refused" : "accepted");
	}
	object_key_free(k);
}

static bool unseals(const uint8_t *src, size_t len, const struct sealed_vector *v)
{
	uint8_t key[MESSAGE_MAX], base[MESSAGE_MAX], external[MESSAGE_MAX];
	struct cose_span base_span = { base, unhex(v->base_iv, base) };
	struct cose_span span = { external, unhex(v->external, external) };
	struct cose_message m;
	struct fail f = { 0 };
	struct buf out = { 0 };
	bool good;

	unhex(v->key, key);
	good = cose_read_encrypt0(src, len, &m, &f) == 0 &&
	       cose_decrypt0(&m, span, key, base_span, &out, &f) == 0;
	if (good) {
		assert_int_equal(out.len, strlen(CONTENT));
		assert_memory_equal(out.data, CONTENT, out.len);
	} else {
		assert_int_equal(out.len, 0);
	}
	buf_release(&out);
	return good;
}

static void published_encryption(void **state)
{
	(void)state;
	for (const struct sealed_vector *v = encrypt0; v->name; v++) {
		uint8_t message[MESSAGE_MAX];
		size_t len = unhex(v->hex, message);

		if (unseals(message, len, v) != v->good)
			fail_msg("%s: %s", v->name, v->good ? "refused" : "accepted");
	}
}

/* Encryption is a function of its nonce, so what we write must be the example's bytes. */
static void we_write_the_example(void **state)
{
	uint8_t key[MESSAGE_MAX], iv[MESSAGE_MAX], wanted[MESSAGE_MAX];
	struct cose_header secured = { .algorithm = COSE_AES_CCM_16_64_128 }, open = { 0 };
	struct cose_span none = { 0 }, content = { (const uint8_t *)CONTENT, strlen(CONTENT) };
	struct fail f = { 0 };
	struct buf out = { 0 };
	size_t len = unhex(encrypt0[0].hex, wanted);

	(void)state;
	unhex(SECRET_2, key);
	open.iv = (struct cose_span){ iv, unhex("89f52f65a1c580933b5261a78c", iv) };
	assert_int_equal(cose_encrypt0(&secured, &open, content, none, key, &out, &f), 0);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.data, wanted, len);
	buf_release(&out);
}

static void mutate(struct rng *r, uint8_t *message, size_t *len)
{
	size_t at = (size_t)rng_below(r, *len);

	switch (rng_below(r, 4)) {
	case 0:
		message[at] ^= (uint8_t)(1u << rng_below(r, 8));
		break;
	case 1:
		message[at] = (uint8_t)rng_next(r);
		break;
	case 2:
		*len = at;
		break;
	default:
		memmove(message + at + 1, message + at, *len - at);
		message[at] = (uint8_t)rng_next(r);
		++*len;
	}
}

/* Of both structures: none is accepted unless its meaning is what was signed or sealed. */
static void mutations_change_nothing_unnoticed(void **state)
{
	struct rng r = testing_rng("cose_test");
	struct object_key *k = key_11();
	struct cose_span none = { 0 };
	int accepted = 0;

	(void)state;
	for (int i = 0; i < MUTATIONS; i++) {
		uint8_t message[MESSAGE_MAX + 1];
		size_t len = unhex(sign1[0].hex, message);

		mutate(&r, message, &len);
		accepted += signature_good(message, len, none, k);
		len = unhex(encrypt0[0].hex, message);
		mutate(&r, message, &len);
		accepted += unseals(message, len, &encrypt0[0]);
	}
	/* The tag and the key's name may differ; the rest may not. */
	assert_in_range(accepted, 0, MUTATIONS / 5);
	object_key_free(k);
}

static void lengths_that_lie_cost_nothing(void **state)
{
	static const char *const lies[] = {
		"d2849bffffffffffffffff",
		"d29bffffffffffffffff",
		"d2845bffffffffffffffff",
		"d284438a8a8abbffffffffffffffff",
		"d28440bb7fffffffffffffff",
		"",
		"d28440a1188281818181818181818181818181818100f6f6",
		"9f",
		"d28440a0f640",
	};
	struct cose_message m;

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		uint8_t message[MESSAGE_MAX];
		struct fail f = { 0 };

		assert_int_equal(cose_read_sign1(message, unhex(lies[i], message), &m, &f), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_signatures),
		cmocka_unit_test(published_encryption),
		cmocka_unit_test(we_write_the_example),
		cmocka_unit_test(mutations_change_nothing_unnoticed),
		cmocka_unit_test(lengths_that_lie_cost_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
