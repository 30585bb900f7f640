/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of an asker that knows what it asked: numbers, answers kept whole, answers too long. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/question.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ANSWER_BYTES 8

static uint64_t judged;

static int open_sums(struct asker *a)
{
	(void)a;
	return 0;
}

static void close_sums(struct asker *a)
{
	(void)a;
}

/* Asks for twice the number; refuses to ask for the fifth. */
static int ask_sums(struct asker *a, uint64_t number, struct buf *scratch, struct app_request *q)
{
	if (number == 5)
		return fail_set(&a->fail, ERANGE, "no fifth question");
	buf_clear(scratch);
	buf_printf(scratch, "%d+%d", (int)number, (int)number);
	q->method = APP_POST;
	q->target = "/sum";
	q->body = scratch->data;
	q->body_bytes = scratch->len;
	return 0;
}

static int check_sums(struct asker *a, uint64_t number, const struct buf *scratch,
		      const struct app_response *r, const void *body, size_t len,
		      enum asker_outcome *outcome, struct fail *f)
{
	char right[16];
	int right_len = snprintf(right, sizeof(right), "%d", 2 * (int)number);

	(void)a;
	judged = number;
	assert_int_equal(scratch->data[0], '0' + (int)number);
	*outcome = ASKER_ERROR;
	if (len != (size_t)right_len || memcmp(body, right, len))
		return fail_set(f, EPROTO, "%.*s is wrong", (int)len, (const char *)body);
	if (!r->content_type || strcmp(r->content_type, "text/plain"))
		return fail_set(f, EPROTO, "of the wrong type");
	*outcome = r->status == 403 ? ASKER_DENY : ASKER_PERMIT;
	return 0;
}

static const struct asker_ops asker_sums = {
	.name = "sums",
	.help = "twice the number",
	.answer_bytes_max = ANSWER_BYTES,
	.open = open_sums,
	.close = close_sums,
	.request = ask_sums,
	.check = check_sums,
};

static const struct app_request common = { .host = "a", .keep_alive = true };

static void hear(struct question *q, const struct questions *all, int status, const char *type,
		 const char *text)
{
	struct app_event e = { .kind = APP_HEAD_IN,
			       .response = { .status = status, .content_type = type } };

	question_hear(q, all, &e);
	for (; *text; text++) {
		e = (struct app_event){ .kind = APP_BODY, .bytes = text, .len = 1 };
		question_hear(q, all, &e);
	}
}

/* Two clients of one thread share its numbers, and each keeps its own question. */
static void test_answers_are_of_their_questions(void **state)
{
	struct questions all = { .asker.ops = &asker_sums };
	enum asker_outcome outcome;
	struct question a, b;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(question_init(&a, &all, &f), 0);
	assert_int_equal(question_init(&b, &all, &f), 0);
	assert_int_equal(question_put(&a, &all, &common, &f), 0);
	assert_int_equal(question_put(&b, &all, &common, &f), 0);
	assert_int_equal(a.request.method, APP_POST);
	assert_string_equal(a.request.target, "/sum");
	assert_string_equal(a.request.host, "a");
	assert_true(b.request.keep_alive);
	assert_memory_equal(b.request.body, "1+1", 3);
	hear(&b, &all, 200, "text/plain", "2");
	hear(&a, &all, 403, "text/plain", "0");
	assert_int_equal(question_judge(&b, &all, &outcome, &f), 0);
	assert_int_equal(judged, 1);
	assert_int_equal(outcome, ASKER_PERMIT);
	assert_int_equal(question_judge(&a, &all, &outcome, &f), 0);
	assert_int_equal(judged, 0);
	assert_int_equal(outcome, ASKER_DENY);

	/* Nothing is left of the answer before. */
	assert_int_equal(question_put(&a, &all, &common, &f), 0);
	hear(&a, &all, 200, NULL, "4");
	assert_int_equal(question_judge(&a, &all, &outcome, &f), -1);
	assert_non_null(strstr(f.text, "wrong type"));
	assert_int_equal(outcome, ASKER_ERROR);
	question_release(&a);
	question_release(&b);
}

static void test_long_and_wrong_answers_are_errors(void **state)
{
	struct questions all = { .asker.ops = &asker_sums };
	enum asker_outcome outcome;
	struct question q;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(question_init(&q, &all, &f), 0);
	assert_int_equal(question_put(&q, &all, &common, &f), 0);
	hear(&q, &all, 200, "text/plain", "12345678");
	assert_int_equal(question_judge(&q, &all, &outcome, &f), -1);
	assert_non_null(strstr(f.text, "12345678 is wrong"));
	f = (struct fail){ 0 };
	assert_int_equal(question_put(&q, &all, &common, &f), 0);
	hear(&q, &all, 200, "text/plain", "123456789");
	assert_int_equal(question_judge(&q, &all, &outcome, &f), -1);
	assert_non_null(strstr(f.text, "longer than the 8 bytes"));
	assert_int_equal(outcome, ASKER_ERROR);
	f = (struct fail){ 0 };
	all.put = 5;
	assert_int_equal(question_put(&q, &all, &common, &f), -1);
	assert_string_equal(f.text, "no fifth question");
	question_release(&q);
}

static void test_pages_are_not_kept(void **state)
{
	struct questions all = { .asker = { .ops = &asker_page, .params.target = "/page/9" } };
	enum asker_outcome outcome;
	struct question q;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(question_init(&q, &all, &f), 0);
	assert_int_equal(question_put(&q, &all, &common, &f), 0);
	assert_string_equal(q.request.target, "/page/9");
	hear(&q, &all, 200, "text/plain", "123456789123456789");
	assert_null(q.answer);
	assert_int_equal(question_judge(&q, &all, &outcome, &f), 0);
	assert_int_equal(outcome, ASKER_PAGE);
	assert_int_equal(question_put(&q, &all, &common, &f), 0);
	hear(&q, &all, 404, "text/plain", "");
	assert_int_equal(question_judge(&q, &all, &outcome, &f), -1);
	question_release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_are_of_their_questions),
		cmocka_unit_test(test_long_and_wrong_answers_are_errors),
		cmocka_unit_test(test_pages_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
