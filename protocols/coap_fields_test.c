/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_fields_test - what options say: targets there and back (RFC 7252 section 6.5), what
 * must be refused, cache keys, Block values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "protocols/coap.h"
#include "protocols/coap_hex.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* --- targets ------------------------------------------------------------------------- */

static const struct {
	const char *target, *options, *read; /* read: NULL: as it was */
} targets[] = {
	{ "/", "", NULL },
	{ "/temperature", "bb 'temperature'", NULL },
	{ "/.well-known/core", "bb '.well-known' 04 'core'", NULL },
	{ "/a/", "b1 'a' 00", NULL },
	{ "/?x=1&y", "d3 02 'x=1' 01 'y'", NULL },
	{ "?x", "d1 02 'x'", "/?x" },
	{ "/a%20b", "b3 'a b'", NULL },
	/* RFC 7252 section 6.5. */
	{ "//%2F//?%2F%2F&?%26", "b0 01 '/' 00 00 42 '//' 02 '?&'", "//%2F//?//&?%26" },
	{ "/%E3%81%93", "b3 e38193", NULL },
	{ "/%00", "b1 00", NULL },
};

static void targets_and_back(void **state)
{
	uint8_t want[64], made[64];
	char text[128];
	struct coap_message m;

	(void)state;
	for (size_t i = 0; i < ROWS(targets); i++) {
		size_t len = coap_hex(targets[i].options, want);
		struct coap_writer w = { .dst = made, .cap = sizeof made };

		assert_int_equal(coap_target_write_path(&w, targets[i].target), 0);
		assert_int_equal(coap_target_write_query(&w, targets[i].target), 0);
		assert_int_equal(w.len, len);
		assert_memory_equal(made, want, len);
		assert_int_equal(coap_parse_body(made, w.len, &m), 0);
		assert_int_equal(coap_target_read(&m, text, sizeof text), 0);
		assert_string_equal(text, targets[i].read ? targets[i].read : targets[i].target);
		/* Every shorter memory is refused, none is overrun. */
		for (size_t cap = 1; cap <= strlen(text); cap++) {
			char *exact = malloc(cap);

			assert_int_equal(coap_target_read(&m, exact, cap), -1);
			free(exact);
		}
	}
}

static void bad_targets(void **state)
{
	static const char *const rows[] = { "b1 '.'", "b2 '..'", "b1 'a' 02 '..'" };
	uint8_t bytes[64], dst[600];
	char text[64], longest[300];
	struct coap_message m;
	struct coap_writer w = { .dst = dst, .cap = sizeof dst };

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		size_t len = coap_hex(rows[i], bytes);

		assert_int_equal(coap_parse_body(bytes, len, &m), 0);
		assert_int_equal(coap_target_read(&m, text, sizeof text), -1);
	}
	memset(longest, 'a', sizeof longest);
	longest[0] = '/';
	longest[257] = '\0';
	assert_int_equal(coap_target_write_path(&w, longest), -1);
	longest[256] = '\0';
	assert_int_equal(coap_target_write_path(&w, longest), 0);
}

/* --- fields -------------------------------------------------------------------------- */

static const struct {
	const char *options;
	uint32_t refused;
} refusals[] = {
	{ "", 0 },
	{ "38 'host.net'", 0 },
	{ "30", COAP_URI_HOST },            /* empty */
	{ "31 'a' 01 'b'", COAP_URI_HOST }, /* twice */
	{ "31 00", COAP_URI_HOST },         /* no text */
	{ "91 00", 9 },                     /* not known, critical */
	{ "a1 00", 0 },                     /* not known, elective */
	{ "b1 'a' 01 'b'", 0 },             /* paths repeat */
	{ "73 000000", COAP_URI_PORT },     /* too long */
	{ "c1 32 01 32", 0 },               /* elective ones are skipped */
	{ "d1 04 32 01 32", COAP_ACCEPT },
	{ "d4 0a 00000000", COAP_BLOCK2 },
	{ "d1 0a 06 41 06", 0 }, /* Block2, Block1 */
	{ "d0 ff", 268 },        /* elective: 268 is even */
	{ "d0 fe", 267 },
};

static void refused_options(void **state)
{
	uint8_t bytes[64];
	struct coap_message m = { .code = COAP_GET };
	struct coap_fields f;

	(void)state;
	for (size_t i = 0; i < ROWS(refusals); i++) {
		size_t len = coap_hex(refusals[i].options, bytes);
		uint32_t want = refusals[i].refused;

		assert_int_equal(coap_parse_body(bytes, len, &m), 0);
		coap_fields_read(&m, &f);
		if (f.refused != (want & 1 ? want : 0))
			fail_msg("%s: %u", refusals[i].options, f.refused);
	}
}

static uint64_t key_of(const char *options)
{
	uint8_t bytes[64];
	struct coap_message m = { .code = COAP_GET };
	struct coap_fields f;

	assert_int_equal(coap_parse_body(bytes, coap_hex(options, bytes), &m), 0);
	coap_fields_read(&m, &f);
	return f.key;
}

static void cache_keys(void **state)
{
	(void)state;
	assert_true(key_of("b1 'a'") == key_of("60 51 'a'"));       /* Observe */
	assert_true(key_of("b1 'a'") == key_of("b1 'a' c1 06"));    /* Block2 */
	assert_true(key_of("b1 'a'") == key_of("b1 'a' d1 24 07")); /* Size1 */
	assert_true(key_of("b1 'a'") != key_of("b1 'b'"));
	assert_true(key_of("b1 'a' 01 'b'") != key_of("b2 'ab'"));
	assert_true(key_of("b1 'a'") != key_of("b1 'a' 41 'a'"));
}

static void blocks(void **state)
{
	static const uint8_t two[] = { 0x1f, 0x4e }; /* 500, more, 1024 */
	struct coap_option o = { .value = two, .value_bytes = 2 };
	struct coap_block b;

	(void)state;
	assert_int_equal(coap_block_read(&o, &b), 0);
	assert_int_equal(b.number, 500);
	assert_true(b.more);
	assert_int_equal(coap_block_bytes(b.szx), 1024);
	assert_int_equal(coap_block_value(&b), 0x1f4e);
	assert_int_equal(coap_szx(15), 0);
	assert_int_equal(coap_szx(16), 0);
	assert_int_equal(coap_szx(63), 1);
	assert_int_equal(coap_szx(64), 2);
	assert_int_equal(coap_szx(5000), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_and_back), cmocka_unit_test(bad_targets),
		cmocka_unit_test(refused_options),  cmocka_unit_test(cache_keys),
		cmocka_unit_test(blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
