/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_codec_test - requests and answers in JSON and CBOR: against texts written by hand,
 * there and back, every kind of wrong one, and mutants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/testing.h"
#include "workloads/access_sample.h"

#define ROWS(A)    (sizeof(A) / sizeof *(A))
#define NONCE      "00112233445566778899aabbccddeeff"
#define RBAC_BEGIN "{\"version\":1,\"nonce\":\"" NONCE "\",\"time\":1000,"
#define RBAC       RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"ward-3\"}"
#define MUTANTS    20000
#define CBOR_RBAC  "\xa5\x00\x01\x01\x50" CBOR_NONCE "\x02\x19\x03\xe8" CBOR_ROLE CBOR_AREA
#define CBOR_NONCE "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"
#define CBOR_ROLE  "\x03\x65nurse"
#define CBOR_AREA  "\x04\x66ward-3"

static int read_text(enum access_encoding e, enum access_model m, const char *text, size_t len,
		     struct fail *f)
{
	struct access_request q;

	/* Exactly as long as it is, for the sanitizer to see a step beyond. */
	char *copy = malloc(len ? len : 1);
	int status;

	memcpy(copy, text, len);
	status = access_request_read(e, m, copy, len, &q, f);
	free(copy);
	return status;
}

static void known_texts(void **state)
{
	struct access_request q, want;
	struct fail f = { 0 };

	(void)state;
	memset(&q, 0, sizeof q);
	memset(&want, 0, sizeof want);
	access_blank(access_request_fields[ACCESS_ABAC], &want);
	want.version = 1;
	want.time_ms = 1000;
	memcpy(want.nonce, CBOR_NONCE, ACCESS_NONCE_BYTES);
	strcpy(want.user.role, "nurse");
	strcpy(want.point.area, "ward-3");
	assert_int_equal(
		access_request_read(ACCESS_JSON, ACCESS_RBAC, RBAC, sizeof RBAC - 1, &q, &f), 0);
	assert_memory_equal(q.nonce, want.nonce, sizeof q.nonce);
	assert_string_equal(q.user.role, "nurse");
	assert_int_equal(q.time_ms, 1000);
	assert_int_equal(q.user.clearance, FIELD_ABSENT);
	assert_int_equal(access_request_read(ACCESS_CBOR, ACCESS_RBAC, CBOR_RBAC,
					     sizeof CBOR_RBAC - 1, &q, &f),
			 0);
	assert_string_equal(q.user.role, "nurse");
	assert_string_equal(q.point.area, "ward-3");
	assert_int_equal(q.time_ms, 1000);
	assert_int_equal(q.environment.emergency, -1);
}

static void written_as_known(void **state)
{
	struct access_request q = sample_request();
	struct buf out = { 0 };

	(void)state;
	q.time_ms = 1000;
	access_encode(ACCESS_JSON, access_request_fields[ACCESS_RBAC], &q, &out);
	assert_string_equal(buf_text(&out), RBAC);
	buf_clear(&out);
	access_encode(ACCESS_CBOR, access_request_fields[ACCESS_RBAC], &q, &out);
	assert_int_equal(out.len, sizeof CBOR_RBAC - 1);
	assert_memory_equal(out.data, CBOR_RBAC, out.len);
	buf_release(&out);
}

static void assert_same(const struct access_request *a, const struct access_request *b)
{
	struct buf x = { 0 }, y = { 0 };

	access_encode(ACCESS_JSON, access_request_fields[ACCESS_ABAC], a, &x);
	access_encode(ACCESS_JSON, access_request_fields[ACCESS_ABAC], b, &y);
	assert_string_equal(buf_text(&x), buf_text(&y));
	buf_release(&x);
	buf_release(&y);
}

/* The study's payload is about 550 bytes, and CBOR says the same in less than half of it. */
static void there_and_back(void **state)
{
	struct access_request q = sample_request(), back;
	size_t len[ACCESS_ENCODINGS];
	struct buf out = { 0 };

	(void)state;
	strcpy(q.user.department, "a \"b\" \\c");
	for (int round = 0; round < 2; round++) {
		for (int e = 0; e < ACCESS_ENCODINGS; e++) {
			struct fail f = { 0 };

			buf_clear(&out);
			access_encode(e, access_request_fields[ACCESS_ABAC], &q, &out);
			len[e] = out.len;
			if (access_request_read(e, ACCESS_ABAC, out.data, out.len, &back, &f) != 0)
				fail_msg("%s: %s", access_encoding_name[e], f.text);
			assert_same(&q, &back);
		}
		if (round == 0) {
			assert_int_equal(len[ACCESS_JSON], 542); /* docs/design.md */
			assert_int_equal(len[ACCESS_CBOR], 193);
		}
		access_blank((struct access_field[]){ access_request_fields[ACCESS_ABAC][5],
						      { 0 } },
			     &q);
	}
	buf_release(&out);
}

static void wrong_json(void **state)
{
	static const struct {
		const char *text, *word;
	} rows[] = {
		{ "", "byte" },
		{ "[]", "object" },
		{ "1", "expected" },
		{ "null", "expected" },
		{ RBAC "x", "end of file" },
		{ RBAC RBAC, "end of file" },
		{ "\xef\xbb\xbf" RBAC, "byte" },
		{ RBAC_BEGIN "\"role\":\"nurse\"}", "area is missing" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"w\",\"area\":\"w\"}", "duplicate" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"w\",\"user\":{}}",
		  "no field \"user\"" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":null}", "area: expected a text" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":[\"w\"]}", "area: expected a text" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"\"}", "1 to 31" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"\\u00e4\"}", "ASCII" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"a\\nb\"}", "ASCII" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"a\\u0000b\"}", "u0000" },
		{ RBAC_BEGIN "\"role\":\"nurse\",\"area\":\"12345678901234567890123456789012\"}",
		  "1 to 31" },
		{ "{\"version\":2,\"nonce\":\"" NONCE
		  "\",\"time\":1,\"role\":\"n\",\"area\":\"w\"}",
		  "version: 2 is out of range" },
		{ "{\"version\":1.0,\"nonce\":\"" NONCE
		  "\",\"time\":1,\"role\":\"n\",\"area\":\"w\"}",
		  "version: expected a whole number" },
		{ "{\"version\":true,\"nonce\":\"" NONCE
		  "\",\"time\":1,\"role\":\"n\",\"area\":\"w\"}",
		  "version: expected a whole number" },
		{ "{\"version\":\"1\",\"nonce\":\"" NONCE
		  "\",\"time\":1,\"role\":\"n\",\"area\":\"w\"}",
		  "version: expected a whole number" },
		{ "{\"version\":1,\"nonce\":\"00\",\"time\":1,\"role\":\"n\",\"area\":\"w\"}",
		  "32 hexadecimal" },
		{ "{\"version\":1,\"nonce\":\"00112233445566778899aabbccddeefg\",\"time\":1,"
		  "\"role\":\"n\",\"area\":\"w\"}",
		  "0-9 and a-f" },
		{ "{\"version\":1,\"nonce\":\"" NONCE
		  "\",\"time\":-1,\"role\":\"n\",\"area\":\"w\"}",
		  "time: -1" },
		{ "{\"version\":1,\"nonce\":\"" NONCE
		  "\",\"time\":99999999999999999999,\"role\":\"n\",\"area\":\"w\"}",
		  "too big" },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fail f = { 0 };

		if (read_text(ACCESS_JSON, ACCESS_RBAC, rows[i].text, strlen(rows[i].text), &f) ==
		    0)
			fail_msg("taken: %s", rows[i].text);
		if (!strstr(f.text, rows[i].word))
			fail_msg("%s\n is refused with: %s", rows[i].text, f.text);
	}
}

#define CBOR(TEXT) TEXT, sizeof(TEXT) - 1

static void wrong_cbor(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *word;
	} rows[] = {
		{ CBOR(""), "ends" },
		{ CBOR("\x80"), "a map" },
		{ CBOR("\xbf\x00\x01\xff"), "a map" }, /* indefinite */
		{ CBOR("\xbb\xff\xff\xff\xff\xff\xff\xff\xff\x00\x01"), "ends" },
		{ CBOR(CBOR_RBAC "\x00"), "1 bytes behind" },
		{ CBOR("\xc1" CBOR_RBAC), "a map" }, /* tagged */
		{ CBOR("\xa4\x00\x01\x01\x50" CBOR_NONCE "\x02\x01" CBOR_ROLE), "area is missing" },
		{ CBOR("\xa6\x00\x01\x01\x50" CBOR_NONCE "\x02\x01" CBOR_ROLE CBOR_AREA CBOR_AREA),
		  "area is given twice" },
		{ CBOR("\xa6\x00\x01\x01\x50" CBOR_NONCE "\x02\x01" CBOR_ROLE CBOR_AREA "\x05\xa0"),
		  "no field 5" },
		{ CBOR("\xa1\x64role\x65nurse"), "a key that is no integer" },
		{ CBOR("\xa1\x00\x20"), "version: -1 is out of range" },
		{ CBOR("\xa1\x00\xf9\x3c\x00"), "version: expected an integer" }, /* 1.0 */
		{ CBOR("\xa1\x00\xf5"), "version: expected an integer" },
		{ CBOR("\xa1\x00\x1b\xff\xff\xff\xff\xff\xff\xff\xff"),
		  "version: expected an integer" },
		{ CBOR("\xa1\x00\x3b\xff\xff\xff\xff\xff\xff\xff\xff"),
		  "version: expected an integer" },
		{ CBOR("\xa1\x01\x4f" CBOR_NONCE), "16 bytes" },
		{ CBOR("\xa1\x01\x70" CBOR_NONCE), "16 bytes" },
		{ CBOR("\xa1\x01\x5f\x50" CBOR_NONCE "\xff"), "16 bytes" },
		{ CBOR("\xa1\x03\x45nurse"), "role: expected a text" },
		{ CBOR("\xa1\x03\x60"), "1 to 31" },
		{ CBOR("\xa1\x03\x63"
		       "a\0b"),
		  "ASCII" },
		{ CBOR("\xa1\x03\x62\xc3\xa4"), "ASCII" },
		{ CBOR("\xa1\x03\x7b\xff\xff\xff\xff\xff\xff\xff\xff"
		       "a"),
		  "ends" },
		{ CBOR("\xa1\x03\xf6"), "role: expected a text" },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fail f = { 0 };

		if (read_text(ACCESS_CBOR, ACCESS_RBAC, rows[i].text, rows[i].len, &f) == 0)
			fail_msg("row %zu is taken", i);
		if (!strstr(f.text, rows[i].word))
			fail_msg("row %zu is refused with: %s", i, f.text);
	}
}

static void answers(void **state)
{
	struct access_answer a = { .outcome = ACCESS_PERMIT,
				   .reason = ACCESS_BY_RULE,
				   .rule = "staff/wards",
				   .obligations = { 2, { "log", "escort" } } };
	struct access_answer back;
	struct buf out = { 0 };

	(void)state;
	access_encode(ACCESS_JSON, access_answer_fields, &a, &out);
	assert_string_equal(
		buf_text(&out),
		"{\"decision\":\"permit\",\"nonce\":\"00000000000000000000000000000000\","
		"\"reason\":\"rule\",\"rule\":\"staff/wards\","
		"\"obligations\":[\"log\",\"escort\"]}");
	for (int e = 0; e < ACCESS_ENCODINGS; e++) {
		struct fail f = { 0 };

		buf_clear(&out);
		access_encode(e, access_answer_fields, &a, &out);
		assert_int_equal(
			access_decode(e, access_answer_fields, out.data, out.len, &back, &f), 0);
		assert_int_equal(back.outcome, ACCESS_PERMIT);
		assert_int_equal(back.obligations.count, 2);
		assert_string_equal(back.obligations.text[1], "escort");
		assert_string_equal(back.rule, "staff/wards");
	}
	buf_release(&out);
}

/* Each outcome has a status of its own, and each reason of an error is one. */
static void statuses(void **state)
{
	struct access_answer a = { .outcome = ACCESS_PERMIT };

	(void)state;
	assert_int_equal(access_status(&a), 200);
	a.outcome = ACCESS_DENY;
	assert_int_equal(access_status(&a), 403);
	a.outcome = ACCESS_NOT_APPLICABLE;
	assert_int_equal(access_status(&a), 404);
	a.outcome = ACCESS_ERROR;
	for (a.reason = ACCESS_MALFORMED; a.reason < ACCESS_REASONS; a.reason++) {
		int status = access_status(&a);

		assert_true(status >= 400 && status < 600 && status != 403 && status != 404);
	}
}

/* What a mutant says when it is taken, it says again once written anew. */
static void mutants(void **state)
{
	struct rng rng = testing_rng("access_codec mutants");
	struct access_request q = sample_request(), back, again;
	struct buf text = { 0 };
	int taken = 0;

	(void)state;
	for (int n = 0; n < MUTANTS; n++) {
		enum access_encoding e = n & 1;
		struct fail f = { 0 };

		buf_clear(&text);
		access_encode(e, access_request_fields[ACCESS_ABAC], &q, &text);
		for (uint64_t i = 0, many = 1 + rng_below(&rng, 3); i < many; i++)
			text.data[rng_below(&rng, text.len)] = (char)rng_next(&rng);
		if (rng_below(&rng, 4) == 0)
			text.len = rng_below(&rng, text.len + 1);
		if (read_text(e, ACCESS_ABAC, text.data, text.len, &f) != 0) {
			assert_true(*f.text);
			continue;
		}
		taken++;
		access_request_read(e, ACCESS_ABAC, text.data, text.len, &back, &f);
		buf_clear(&text);
		access_encode(e, access_request_fields[ACCESS_ABAC], &back, &text);
		assert_int_equal(
			access_request_read(e, ACCESS_ABAC, text.data, text.len, &again, &f), 0);
		assert_same(&back, &again);
	}
	assert_in_range(taken, 1, MUTANTS / 2);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_texts),    cmocka_unit_test(written_as_known),
		cmocka_unit_test(there_and_back), cmocka_unit_test(wrong_json),
		cmocka_unit_test(wrong_cbor),     cmocka_unit_test(answers),
		cmocka_unit_test(statuses),       cmocka_unit_test(mutants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
