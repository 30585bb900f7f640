/* SPDX-License-Identifier: Apache-2.0 */
/* asker_test - the list of askers, the asker of pages, the type of an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "workloads/asker.h"
#include "workloads/workload.h"

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < ASKER_OUTCOMES; i++)
		assert_true(asker_outcome_name[i] && *asker_outcome_name[i]);
	assert_null(asker_outcome_name[ASKER_OUTCOMES]);
	for (int i = 0; askers[i]; i++) {
		assert_ptr_equal(asker_by_name(askers[i]->name), askers[i]);
		assert_non_null(workload_by_name(askers[i]->name));
		assert_true(*askers[i]->help);
	}
	assert_null(asker_by_name("pages"));
}

static void test_page(void **state)
{
	struct asker a = { .ops = asker_by_name("page"),
			   .params = { .target = "/page/512", .accepts = 1 << APP_GZIP } };
	struct app_response r = { .status = 200 };
	struct app_request q = { .method = APP_POST, .body = "x", .body_bytes = 1 };
	enum asker_outcome outcome;
	struct buf scratch = { 0 };
	struct fail f = { 0 };

	(void)state;
	buf_puts(&scratch, "of the exchange before");
	assert_int_equal(a.ops->open(&a), 0);
	assert_int_equal(a.ops->request(&a, 7, &scratch, &q), 0);
	assert_int_equal(scratch.len, 0);
	assert_int_equal(q.method, APP_GET);
	assert_string_equal(q.target, "/page/512");
	assert_int_equal(q.accepts, 1 << APP_GZIP);
	assert_null(q.body);
	assert_int_equal(q.body_bytes, 0);
	assert_int_equal(a.ops->check(&a, 7, &scratch, &r, NULL, 0, &outcome, &f), 0);
	assert_int_equal(outcome, ASKER_PAGE);
	r.status = 404;
	assert_int_equal(a.ops->check(&a, 7, &scratch, &r, NULL, 0, &outcome, &f), -1);
	assert_int_equal(outcome, ASKER_ERROR);
	assert_non_null(strstr(f.text, "404"));
	a.ops->close(&a);
	buf_release(&scratch);
}

static void test_page_needs_a_target(void **state)
{
	struct asker a = { .ops = &asker_page };

	(void)state;
	assert_int_equal(a.ops->open(&a), -1);
	assert_non_null(strstr(a.fail.text, "/page/512"));
	a.ops->close(&a);
}

/* Right or wrong, this body is no answer: the type is judged before it. */
static void test_type_of_access(void **state)
{
	static const struct {
		const char *type;
		enum access_encoding encoding;
		bool taken;
	} rows[] = {
		{ "application/json", ACCESS_JSON, true },
		{ "Application/JSON; charset=utf-8", ACCESS_JSON, true },
		{ "application/cbor;x", ACCESS_CBOR, true },
		{ NULL, ACCESS_CBOR, true }, /* the protocol did not tell */
		{ "application/jsonx", ACCESS_JSON, false },
		{ "application/json-seq", ACCESS_JSON, false },
		{ "application/cbor-seq", ACCESS_CBOR, false },
		{ "application/cbor", ACCESS_JSON, false },
		{ "application/jso", ACCESS_JSON, false },
		{ "", ACCESS_JSON, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct asker a = { .ops = &asker_access,
				   .params.access.encoding = rows[i].encoding };
		struct app_response r = { .status = 200, .content_type = rows[i].type };
		enum asker_outcome outcome;
		struct fail f = { 0 };

		assert_int_equal(a.ops->open(&a), 0);
		assert_int_equal(a.ops->check(&a, 1, NULL, &r, "", 0, &outcome, &f), -1);
		assert_int_equal(outcome, ASKER_ERROR);
		if (!!strstr(f.text, "body is no answer") != rows[i].taken)
			fail_msg("%s: %s", rows[i].type ? rows[i].type : "no type", f.text);
		a.ops->close(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_page_needs_a_target),
		cmocka_unit_test(test_type_of_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
