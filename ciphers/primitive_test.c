/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitives of every engine: published answers, both libraries against each other, what
 * is absent, and that the operation itself can be repeated. Nothing is timed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ciphers/primitive.h"

#define BYTES_MAX 256

/* --- published answers ------------------------------------------------------- */

struct vector {
	const char *source;
	enum primitive_op op;
	const char *algorithm;
	const char *key, *peer, *nonce, *aad, *input, *answer; /* hexadecimal, or NULL */
};

#define GCM_NONCE "cafebabefacedbaddecaf888"
#define GCM_AAD   "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define GCM_TEXT                                                           \
	"d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" \
	"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define GCM_SEALED                                                         \
	"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e" \
	"21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"         \
	"5bc94fbc3221a5db94fae95ae7121a47"
#define CHACHA_KEY "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
#define CHACHA_TEXT                                                        \
	"4c616469657320616e642047656e746c656d656e206f662074686520636c6173" \
	"73206f66202739393a204966204920636f756c64206f6666657220796f75206f" \
	"6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73" \
	"637265656e20776f756c642062652069742e"
#define CHACHA_SEALED                                                      \
	"d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6" \
	"3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36" \
	"92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc" \
	"3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691"
#define CCM_TEXT   "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e"
#define CCM_SEALED "588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0"
#define JEFE       "4a656665"
#define WHAT_DO_YA "7768617420646f2079612077616e7420666f72206e6f7468696e673f"

static const struct vector vectors[] = {
	{ "FIPS 180-4, \"abc\"", OP_HASH, "sha256", NULL, NULL, NULL, NULL, "616263",
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "FIPS 180-4, \"abc\"", OP_HASH, "sha384", NULL, NULL, NULL, NULL, "616263",
	  "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
	  "8086072ba1e7cc2358baeca134c825a7" },
	{ "FIPS 180-4, \"abc\"", OP_HASH, "sha512", NULL, NULL, NULL, NULL, "616263",
	  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
	{ "RFC 4231, case 2", OP_MAC, "hmac-sha256", JEFE, NULL, NULL, NULL, WHAT_DO_YA,
	  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
	{ "RFC 4231, case 2", OP_MAC, "hmac-sha384", JEFE, NULL, NULL, NULL, WHAT_DO_YA,
	  "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
	  "8e2240ca5e69e2c78b3239ecfab21649" },
	{ "FIPS 197, C.1", OP_ENCRYPT, "aes-128-ecb", "000102030405060708090a0b0c0d0e0f", NULL,
	  NULL, NULL, "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a" },
	{ "GCM specification, case 4", OP_SEAL, "aes-128-gcm", "feffe9928665731c6d6a8f9467308308",
	  NULL, GCM_NONCE, GCM_AAD, GCM_TEXT, GCM_SEALED },
	{ "GCM specification, case 4", OP_OPEN, "aes-128-gcm", "feffe9928665731c6d6a8f9467308308",
	  NULL, GCM_NONCE, GCM_AAD, GCM_SEALED, GCM_TEXT },
	{ "GCM specification, case 16", OP_SEAL, "aes-256-gcm",
	  "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", NULL, GCM_NONCE,
	  GCM_AAD, GCM_TEXT,
	  "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
	  "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
	  "76fc6ece0f4e1768cddf8853bb2d551b" },
	{ "RFC 3610, packet vector 1", OP_SEAL, "aes-128-ccm-8", "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
	  NULL, "00000003020100a0a1a2a3a4a5", "0001020304050607", CCM_TEXT, CCM_SEALED },
	{ "RFC 3610, packet vector 1", OP_OPEN, "aes-128-ccm-8", "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
	  NULL, "00000003020100a0a1a2a3a4a5", "0001020304050607", CCM_SEALED, CCM_TEXT },
	{ "RFC 8439, 2.8.2", OP_SEAL, "chacha20-poly1305", CHACHA_KEY, NULL,
	  "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7", CHACHA_TEXT, CHACHA_SEALED },
	{ "RFC 8439, 2.8.2", OP_OPEN, "chacha20-poly1305", CHACHA_KEY, NULL,
	  "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7", CHACHA_SEALED, CHACHA_TEXT },
	{ "RFC 7748, 5.2", OP_AGREE, "x25519",
	  "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
	  "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c", NULL, NULL, NULL,
	  "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552" },
	{ "RFC 7748, 5.2", OP_AGREE, "x448",
	  "3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121700a779c"
	  "984c24f8cdd78fbff44943eba368f54b29259a4f1c600ad3",
	  "06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9814dc031"
	  "ddbdc38c19c6da2583fa5429db94ada18aa7a7fb4ef8a086",
	  NULL, NULL, NULL,
	  "ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239fe14fbaad"
	  "eb445fc66a01b0779d98223961111e21766282f73dd96b6f" },
	{ "RFC 8032, 7.1 test 2", OP_SIGN, "ed25519",
	  "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", NULL, NULL, NULL,
	  "72",
	  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
	  "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00" },
	{ "RFC 8032, 7.4, 1 octet", OP_SIGN, "ed448",
	  "c4eab05d357007c632f3dbb48489924d552b08fe0c353a0d4a1f00acda2c463a"
	  "fbea67c5e8d2877c5e3bc397a659949ef8021e954e0a12274e",
	  NULL, NULL, NULL, "03",
	  "26b8f91727bd62897af15e41eb43c377efb9c610d48f2335cb0bd0087810f435"
	  "2541b143c4b981b7e18f62de8ccdf633fc1bf037ab7cd779805e0dbcc0aae1cb"
	  "cee1afb2e027df36bc04dcecbf154336c19f0af7e0a6472905e799f1953d2a0f"
	  "f3348ab21aa4adafd1d234441cf807c03a00" },
};

/* The bytes of a hexadecimal text; NULL for NULL. */
static const uint8_t *bytes_of(const char *hex, uint8_t dst[BYTES_MAX], size_t *len)
{
	*len = 0;
	for (; hex && *hex; hex += 2) {
		unsigned byte;

		assert_true(*len < BYTES_MAX);
		assert_int_equal(sscanf(hex, "%2x", &byte), 1);
		dst[(*len)++] = (uint8_t)byte;
	}
	return hex ? dst : NULL;
}

static void answer_is(const struct engine_ops *e, const struct vector *v)
{
	uint8_t text[6][BYTES_MAX];
	struct known_input in = { 0 };
	struct operation what = { .op = v->op, .algorithm = algorithm_by_name(v->algorithm) };
	struct primitive p;
	size_t len;

	in.key = bytes_of(v->key, text[0], &in.key_len);
	in.peer = bytes_of(v->peer, text[1], &in.peer_len);
	in.nonce = bytes_of(v->nonce, text[2], &in.nonce_len);
	in.aad = bytes_of(v->aad, text[3], &in.aad_len);
	in.input = bytes_of(v->input, text[4], &in.input_len);
	bytes_of(v->answer, text[5], &len);
	if (primitive_open(&p, e, &what, &in))
		fail_msg("%s: %s: %s", v->source, v->algorithm, p.fail.text);
	/* Twice: what is timed gives the same answer each time. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(primitive_run(&p, 1), 0);
		assert_int_equal(p.output_len, len);
		assert_memory_equal(p.output, text[5], len);
	}
	primitive_close(&p);
}

static void test_published_answers(void **state)
{
	(void)state;
	for (int e = 1; engines[e]; e++)
		for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
			answer_is(engines[e], &vectors[i]);
}

static void test_a_wrong_tag_is_refused(void **state)
{
	struct operation what = { .op = OP_OPEN, .algorithm = algorithm_by_name("aes-128-gcm") };
	uint8_t key[16] = { 0 }, nonce[12] = { 0 }, record[48] = { 1 };
	struct known_input in = { .key = key,
				  .key_len = sizeof(key),
				  .nonce = nonce,
				  .nonce_len = sizeof(nonce),
				  .input = record,
				  .input_len = sizeof(record) };
	struct primitive p;

	(void)state;
	for (int e = 1; engines[e]; e++) {
		assert_int_equal(primitive_open(&p, engines[e], &what, &in), -1);
		assert_int_equal(p.fail.code, EPROTO);
		assert_non_null(strstr(p.fail.text, "does not open"));
	}
}

/* --- every operation ------------------------------------------------------------ */

/* An RSA key of these sizes takes long to make, and is read from a file by the command. */
static bool is_slow(const struct operation *o)
{
	return o->algorithm->rare ||
	       (o->algorithm->family == FAMILY_RSA && o->algorithm->bits != 2048);
}

static int runs_twice(const struct operation *o, void *data)
{
	const struct engine_ops *e = data;
	char text[OPERATION_TEXT_BYTES];
	struct primitive p;

	if (is_slow(o))
		return 0;
	if (!primitive_open(&p, e, o, NULL)) {
		if (primitive_run(&p, 2))
			fail_msg("%s", p.fail.text);
		primitive_close(&p);
	} else if (p.fail.code != ENOTSUP)
		fail_msg("%s", p.fail.text);
	else if (!strstr(p.fail.text, operation_format(o, text)) ||
		 !strstr(p.fail.text, "not in this build"))
		fail_msg("%s: %s", text, p.fail.text);
	return 0;
}

static void test_every_operation_runs_or_is_absent(void **state)
{
	(void)state;
	for (int e = 0; engines[e]; e++)
		operation_each(runs_twice, (void *)(uintptr_t)engines[e]);
}

static bool has(const struct engine_ops *e, enum primitive_op op, const char *algorithm)
{
	struct operation what = { .op = op, .algorithm = algorithm_by_name(algorithm) };
	struct primitive p;
	int ret = primitive_open(&p, e, &what, NULL);

	if (!ret)
		primitive_close(&p);
	return !ret;
}

/* A test of absence alone would pass with nothing there. */
static void test_engines_have_what_tls_needs(void **state)
{
	(void)state;
	assert_true(has(&engine_null, OP_NOTHING, "nothing"));
	assert_false(has(&engine_null, OP_SIGN, "p256"));
	for (int e = 1; engines[e]; e++) {
		assert_true(has(engines[e], OP_SIGN, "p256"));
		assert_true(has(engines[e], OP_VERIFY, "p384"));
		assert_true(has(engines[e], OP_SIGN, "rsa2048"));
		assert_true(has(engines[e], OP_AGREE, "x25519"));
		assert_true(has(engines[e], OP_KEYGEN, "p521"));
		assert_true(has(engines[e], OP_AGREE, "ffdhe2048"));
		assert_false(has(engines[e], OP_NOTHING, "nothing"));
	}
}

#if defined(WITH_OPENSSL) && defined(WITH_WOLFSSL)
/* What both make of the same buffer: the lengths and all but the keys are fixed. */
static int engines_agree(const struct operation *o, void *data)
{
	struct primitive ours, theirs;

	(void)data;
	if (o->algorithm->family < FAMILY_AEAD)
		return 0;
	assert_int_equal(primitive_open(&ours, &engine_openssl, o, NULL), 0);
	if (!primitive_open(&theirs, &engine_wolfssl, o, NULL)) {
		assert_int_equal(primitive_run(&ours, 1) + primitive_run(&theirs, 1), 0);
		assert_int_equal(ours.output_len, theirs.output_len);
		assert_memory_equal(ours.output, theirs.output, ours.output_len);
		primitive_close(&theirs);
	}
	primitive_close(&ours);
	return 0;
}

static void test_the_libraries_agree(void **state)
{
	(void)state;
	operation_each(engines_agree, NULL);
}
#endif

/* --- the table -------------------------------------------------------------------- */

struct seen {
	struct operation all[512];
	int count;
};

static int unlike_the_others(const struct operation *o, void *data)
{
	char text[OPERATION_TEXT_BYTES], other[OPERATION_TEXT_BYTES];
	struct seen *s = data;

	for (int i = 0; i < s->count; i++) {
		assert_false(operation_equal(&s->all[i], o));
		assert_string_not_equal(operation_format(&s->all[i], other),
					operation_format(o, text));
	}
	assert_true(s->count < 512);
	s->all[s->count++] = *o;
	return 0;
}

static void test_names_are_unique(void **state)
{
	struct operation seal = { .op = OP_SEAL,
				  .algorithm = algorithm_by_name("AES-128-GCM"),
				  .bytes = 1024 };
	char text[OPERATION_TEXT_BYTES];
	struct seen seen = { .count = 0 };

	(void)state;
	operation_each(unlike_the_others, &seen);
	assert_true(seen.count > 100);
	assert_string_equal(operation_format(&seal, text), "seal:aes-128-gcm/1024");
}

/* Whatever the catalogue can name has a primitive, or is a key that costs nothing. */
static void test_the_catalogue_is_covered(void **state)
{
	(void)state;
	for (const struct group *g = groups; g->name; g++)
		if (g->id && !algorithm_of_group(g))
			fail_msg("no primitive for the group %s", g->name);
	for (const struct credential_kind *k = credential_kinds; k->name; k++)
		if (k->key != KEY_PSK && k->key != KEY_NONE && !algorithm_of_credential(k))
			fail_msg("no primitive for the credential %s", k->name);
	for (const struct cipher *c = ciphers; c->id; c++) {
		assert_non_null(algorithm_of_hash(c->hash));
		assert_non_null(algorithm_of_hmac(c->hash));
		if (c->aead && !algorithm_of_bulk(c->bulk))
			fail_msg("no primitive for the cipher %s", c->bulk);
	}
}

static void test_the_transcript_adds_up(void **state)
{
	size_t sum = 0;

	(void)state;
	for (int i = 0; i < TRANSCRIPT_CHUNKS; i++)
		sum += transcript_chunk_bytes[i];
	assert_int_equal(sum, TRANSCRIPT_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_answers),
		cmocka_unit_test(test_a_wrong_tag_is_refused),
		cmocka_unit_test(test_every_operation_runs_or_is_absent),
		cmocka_unit_test(test_engines_have_what_tls_needs),
#if defined(WITH_OPENSSL) && defined(WITH_WOLFSSL)
		cmocka_unit_test(test_the_libraries_agree),
#endif
		cmocka_unit_test(test_names_are_unique),
		cmocka_unit_test(test_the_catalogue_is_covered),
		cmocka_unit_test(test_the_transcript_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
