/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_test - the codec against the examples of RFC 7252, and against what it must refuse;
 * registries and the link format of RFC 6690.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "protocols/coap.h"
#include "protocols/coap_hex.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* --- messages ------------------------------------------------------------------------------ */

static void appendix_a(void **state)
{
	uint8_t bytes[64], made[64];
	size_t len = coap_hex("41 01 7d35 20 bb 'temperature'", bytes);
	struct coap_writer w = { .dst = made, .cap = sizeof made };
	struct coap_message m;
	struct coap_walk walk = { .m = &m };
	struct coap_option o;

	(void)state;
	assert_int_equal(coap_parse(bytes, len, &m), COAP_GOOD);
	assert_int_equal(m.type, COAP_CON);
	assert_int_equal(m.code, COAP_GET);
	assert_int_equal(m.id, 0x7d35);
	assert_int_equal(m.token_bytes, 1);
	assert_int_equal(m.token[0], 0x20);
	assert_true(coap_walk_next(&walk, &o));
	assert_int_equal(o.number, COAP_URI_PATH);
	assert_int_equal(o.value_bytes, 11);
	assert_memory_equal(o.value, "temperature", 11);
	assert_false(coap_walk_next(&walk, &o));
	assert_int_equal(m.payload_bytes, 0);

	coap_write_head(&w, COAP_CON, COAP_GET, 0x7d35, m.token, 1);
	assert_int_equal(coap_target_write_path(&w, "/temperature"), 0);
	assert_false(w.failed);
	assert_int_equal(w.len, len);
	assert_memory_equal(made, bytes, len);

	len = coap_hex("61 45 7d35 20 ff '22.3 C'", bytes);
	assert_int_equal(coap_parse(bytes, len, &m), COAP_GOOD);
	assert_int_equal(m.type, COAP_ACK);
	assert_int_equal(m.code, COAP_CONTENT);
	assert_int_equal(m.payload_bytes, 6);
	assert_memory_equal(m.payload, "22.3 C", 6);
	w = (struct coap_writer){ .dst = made, .cap = sizeof made };
	coap_write_head(&w, COAP_ACK, COAP_CONTENT, 0x7d35, m.token, 1);
	coap_write_payload(&w, "22.3 C", 6);
	assert_int_equal(w.len, len);
	assert_memory_equal(made, bytes, len);
}

static const struct {
	const char *hex;
	enum coap_verdict verdict;
} messages[] = {
	{ "40 00 1234", COAP_GOOD },                  /* ping */
	{ "60 00 1234", COAP_GOOD },                  /* Empty ACK */
	{ "70 00 1234", COAP_GOOD },                  /* RST */
	{ "58 02 1234 0102030405060708", COAP_GOOD }, /* NON, longest token */
	{ "40 01 1234 00", COAP_GOOD },               /* option 0, which is elective */
	{ "40 01 1234 d0 00", COAP_GOOD },            /* 13 */
	{ "40 01 1234 e0 0000", COAP_GOOD },          /* 269 */
	{ "40 01 1234 e0 fef2", COAP_GOOD },          /* 65535 */
	{ "40 01 1234 0d 00 '0123456789abc'", COAP_GOOD },
	{ "40 1f 1234", COAP_GOOD }, /* 0.31 is a request of no known method */
	{ "", COAP_NOT_COAP },
	{ "40 01 12", COAP_NOT_COAP },
	{ "00 01 1234", COAP_NOT_COAP },
	{ "80 01 1234", COAP_NOT_COAP },
	{ "c0 01 1234", COAP_NOT_COAP },
	{ "49 01 1234 010203040506070809", COAP_MALFORMED }, /* token of 9 */
	{ "4f 01 1234 0102030405060708090a0b0c0d0e0f", COAP_MALFORMED },
	{ "42 01 1234 01", COAP_MALFORMED }, /* token cut off */
	{ "41 00 1234 01", COAP_MALFORMED }, /* Empty with a token */
	{ "40 00 1234 ff 01", COAP_MALFORMED },
	{ "50 00 1234", COAP_MALFORMED }, /* Empty NON */
	{ "60 01 1234", COAP_MALFORMED }, /* a request in an ACK */
	{ "70 01 1234", COAP_MALFORMED },
	{ "70 45 1234", COAP_MALFORMED },    /* an answer in a RST */
	{ "40 20 1234", COAP_MALFORMED },    /* class 1 */
	{ "40 60 1234", COAP_MALFORMED },    /* class 3 */
	{ "40 c0 1234", COAP_MALFORMED },    /* class 6 */
	{ "40 e1 1234", COAP_MALFORMED },    /* class 7: TCP only */
	{ "40 01 1234 ff", COAP_MALFORMED }, /* marker without payload */
	{ "40 01 1234 f0", COAP_MALFORMED }, /* delta 15 without being the marker */
	{ "40 01 1234 0f", COAP_MALFORMED }, /* length 15 */
	{ "40 01 1234 d0", COAP_MALFORMED }, /* extension cut off */
	{ "40 01 1234 e0 00", COAP_MALFORMED },
	{ "40 01 1234 0e 00", COAP_MALFORMED },
	{ "40 01 1234 b2 'a'", COAP_MALFORMED }, /* value cut off */
	{ "40 01 1234 0e 0000 'abc'", COAP_MALFORMED },
	{ "40 01 1234 e0 fef3", COAP_MALFORMED }, /* 65536 */
	{ "40 01 1234 e0 fef2 10", COAP_MALFORMED },
};

static void grammar(void **state)
{
	uint8_t bytes[64];
	struct coap_message m;

	(void)state;
	for (size_t i = 0; i < ROWS(messages); i++) {
		size_t len = coap_hex(messages[i].hex, bytes);

		if (coap_parse(bytes, len, &m) != messages[i].verdict)
			fail_msg("%s", messages[i].hex);
	}
}

/* Options of any number and length come back as they were written. */
static void options_come_back(void **state)
{
	static uint8_t dst[70000], value[2000];
	struct rng r = testing_rng("coap_test");

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct coap_writer w = { .dst = dst, .cap = sizeof dst };
		uint32_t numbers[12], number = 0;
		size_t lengths[12];
		struct coap_message m;
		struct coap_walk walk = { .m = &m };
		struct coap_option o;
		int n = (int)rng_below(&r, 13);

		coap_write_head(&w, COAP_CON, COAP_GET, 1, NULL, 0);
		for (int i = 0; i < n; i++) {
			number += (uint32_t)rng_below(&r, rng_below(&r, 2) ? 20 : 5000);
			numbers[i] = number;
			lengths[i] = (size_t)rng_below(&r, rng_below(&r, 2) ? 20 : sizeof value);
			memset(value, i + 1, lengths[i]);
			coap_write_option(&w, number, value, lengths[i]);
		}
		assert_false(w.failed);
		assert_int_equal(coap_parse(dst, w.len, &m), COAP_GOOD);
		for (int i = 0; i < n; i++) {
			assert_true(coap_walk_next(&walk, &o));
			assert_int_equal(o.number, numbers[i]);
			assert_int_equal(o.value_bytes, lengths[i]);
			for (size_t k = 0; k < o.value_bytes; k++)
				assert_int_equal(o.value[k], i + 1);
		}
		assert_false(coap_walk_next(&walk, &o));
	}
}

static void writing_has_bounds(void **state)
{
	uint8_t dst[8] = { 0 };
	struct coap_writer w = { .dst = dst, .cap = 7 };

	(void)state;
	coap_write_head(&w, COAP_CON, COAP_GET, 1, NULL, 0);
	coap_write_option(&w, COAP_URI_PATH, "abc", 3);
	assert_true(w.failed);
	assert_int_equal(w.len, 4);
	assert_int_equal(dst[7], 0);

	w = (struct coap_writer){ .dst = dst, .cap = 8 };
	coap_write_option(&w, COAP_URI_QUERY, "a", 1);
	coap_write_option(&w, COAP_URI_PATH, "a", 1);
	assert_true(w.failed);

	w = (struct coap_writer){ .dst = dst, .cap = 3 };
	coap_write_payload(&w, "abc", 3);
	assert_true(w.failed);
	assert_int_equal(w.len, 0);
}

/* RFC 7252 section 3.2: the shortest form, 0 as no byte. */
static void numbers(void **state)
{
	static const struct {
		uint32_t value;
		size_t bytes;
	} rows[] = { { 0, 0 }, { 1, 1 }, { 255, 1 }, { 256, 2 }, { 65536, 3 }, { UINT32_MAX, 4 } };
	uint8_t dst[16];
	struct coap_message m;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct coap_writer w = { .dst = dst, .cap = sizeof dst };
		struct coap_walk walk = { .m = &m };
		struct coap_option o;

		coap_write_uint(&w, COAP_SIZE1, rows[i].value);
		assert_int_equal(coap_parse_body(dst, w.len, &m), 0);
		assert_true(coap_walk_next(&walk, &o));
		assert_int_equal(o.value_bytes, rows[i].bytes);
		assert_int_equal(coap_uint(&o), rows[i].value);
	}
}

/* --- registries ------------------------------------------------------------------------------ */

static void classes_of_options(void **state)
{
	(void)state;
	/* RFC 7252 table 4. */
	assert_true(coap_is_critical(COAP_IF_MATCH) && !coap_is_unsafe(COAP_IF_MATCH));
	assert_true(coap_is_critical(COAP_URI_HOST) && coap_is_unsafe(COAP_URI_HOST));
	assert_false(coap_is_critical(COAP_ETAG) || coap_is_unsafe(COAP_ETAG));
	assert_false(coap_is_critical(COAP_CONTENT_FORMAT) || coap_is_unsafe(COAP_CONTENT_FORMAT));
	assert_true(!coap_is_critical(COAP_MAX_AGE) && coap_is_unsafe(COAP_MAX_AGE));
	assert_true(coap_is_no_cache_key(COAP_SIZE1) && coap_is_no_cache_key(COAP_SIZE2));
	assert_false(coap_is_no_cache_key(COAP_URI_PATH) || coap_is_no_cache_key(COAP_BLOCK1));
}

static void codes(void **state)
{
	static const struct {
		int status;
		uint8_t method, code;
	} rows[] = {
		{ 200, COAP_GET, COAP_CONTENT },
		{ 200, COAP_POST, COAP_CHANGED },
		{ 201, COAP_POST, COAP_CREATED },
		{ 204, COAP_POST, COAP_CHANGED },
		{ 204, COAP_DELETE, COAP_DELETED },
		{ 304, COAP_GET, COAP_VALID },
		{ 400, COAP_GET, COAP_BAD_REQUEST },
		{ 403, COAP_POST, COAP_FORBIDDEN },
		{ 404, COAP_GET, COAP_NOT_FOUND },
		{ 405, COAP_GET, COAP_METHOD_NOT_ALLOWED },
		{ 413, COAP_POST, COAP_TOO_LARGE },
		{ 418, COAP_GET, COAP_BAD_REQUEST },
		{ 429, COAP_GET, COAP_TOO_MANY_REQUESTS },
		{ 500, COAP_GET, COAP_SERVER_ERROR },
		{ 503, COAP_GET, COAP_UNAVAILABLE },
		{ 599, COAP_GET, COAP_SERVER_ERROR },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_int_equal(coap_code_of_status(rows[i].status, rows[i].method), rows[i].code);
	for (unsigned code = 1; code < 256; code++) {
		int status = coap_status_of_code((uint8_t)code);

		/* A failure must never look like a success. */
		if (code >> 5 == 4 || code >> 5 == 5)
			assert_true(status >= 400 && status < 600);
	}
	assert_string_equal(coap_code_name(COAP_NOT_FOUND), "4.04 Not Found");
	assert_string_equal(coap_code_name(COAP_CODE(2, 30)), "2.30");
	assert_string_equal(coap_code_name(COAP_GET), "GET");
}

static void formats(void **state)
{
	(void)state;
	assert_int_equal(coap_format_by_name("application/json"), 50);
	assert_int_equal(coap_format_by_name("Application/CBOR"), 60);
	assert_int_equal(coap_format_by_name("text/plain; charset=utf-8"), 0);
	assert_int_equal(coap_format_by_name("text/html"), COAP_NO_FORMAT);
	assert_int_equal(coap_format_by_name("application/js"), COAP_NO_FORMAT);
	assert_string_equal(coap_format_name(50), "application/json");
	assert_string_equal(coap_format_name(COAP_NO_FORMAT) ? "x" : "", "");
	assert_null(coap_format_name(9999));
}

/* --- /.well-known/core --------------------------------------------------------------- */

static void links(void **state)
{
	static const struct coap_link rows[] = {
		{ "/page", "page text", NULL, COAP_NO_FORMAT, 512, false },
		{ "/access", "access", "pdp", 50, 0, true },
	};
	static const struct {
		const char *target, *text;
	} asked[] = {
		{ COAP_CORE_TARGET, "</page>;rt=\"page text\";sz=512,"
				    "</access>;rt=\"access\";if=\"pdp\";ct=50;obs" },
		{ COAP_CORE_TARGET "?rt=text", "</page>;rt=\"page text\";sz=512" },
		{ COAP_CORE_TARGET "?href=/a*", "</access>;rt=\"access\";if=\"pdp\";ct=50;obs" },
		{ COAP_CORE_TARGET "?ct=50", "</access>;rt=\"access\";if=\"pdp\";ct=50;obs" },
		{ COAP_CORE_TARGET "?if=p", "" },
		{ COAP_CORE_TARGET "?no=page", "" },
	};
	struct buf b;

	(void)state;
	assert_true(coap_is_core("/.well-known/core"));
	assert_false(coap_is_core("/.well-known/cores"));
	buf_init(&b, 0);
	for (size_t i = 0; i < ROWS(asked); i++) {
		buf_clear(&b);
		coap_core_write(&b, asked[i].target, rows, ROWS(rows));
		assert_string_equal(buf_text(&b), asked[i].text);
	}
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appendix_a),
		cmocka_unit_test(grammar),
		cmocka_unit_test(options_come_back),
		cmocka_unit_test(writing_has_bounds),
		cmocka_unit_test(numbers),
		cmocka_unit_test(classes_of_options),
		cmocka_unit_test(codes),
		cmocka_unit_test(formats),
		cmocka_unit_test(links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
