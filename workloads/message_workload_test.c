/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_workload_test - both halves of the workload against each other, without a
 * protocol between them: every profile, answers that are not to the question, requests that
 * are none, settings that cannot be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "workloads/asker.h"
#include "workloads/message.h"
#include "workloads/message_json.h"
#include "workloads/message_testing.h"
#include "workloads/workload.h"

struct both {
	struct workload server;
	struct asker client;
	struct buf question, answer;
};

static void open_both(struct both *b, const char *profile)
{
	struct message_params message = { .profile = profile,
					  .credential_dir = message_pairs_dir(),
					  .payload_bytes = 300 };

	*b = (struct both){ .server = { .ops = &workload_message },
			    .client = { .ops = &asker_message } };
	b->server.params = (struct workload_params){ .payload_bytes = 700,
						     .payload_kind = "json",
						     .message = message };
	b->client.params.message = message;
	if (b->server.ops->open(&b->server) || b->client.ops->open(&b->client))
		fail_msg("%s: %s%s", profile, b->server.fail.text, b->client.fail.text);
}

static void close_both(struct both *b)
{
	b->server.ops->close(&b->server);
	b->client.ops->close(&b->client);
	buf_release(&b->question);
	buf_release(&b->answer);
}

static struct app_response answer(struct both *b, const struct app_request *q)
{
	struct app_response r = { 0 };

	b->server.ops->answer(&b->server, q, &b->answer, &r);
	return r;
}

static struct app_response ask(struct both *b, uint64_t number, struct app_request *q)
{
	*q = (struct app_request){ 0 };
	if (b->client.ops->request(&b->client, number, &b->question, q))
		fail_msg("%s", b->client.fail.text);
	return answer(b, q);
}

static bool right(struct both *b, uint64_t number, const struct app_response *r)
{
	enum asker_outcome outcome;
	struct fail f = { 0 };
	int ret = b->client.ops->check(&b->client, number, &b->question, r, r->body,
				       (size_t)r->body_bytes, &outcome, &f);

	assert_int_equal(outcome, ret == 0 ? ASKER_MESSAGE : ASKER_ERROR);
	assert_true(ret == 0 || f.text[0]);
	return ret == 0;
}

static void every_profile_is_asked_and_answers(void **state)
{
	(void)state;
	for (const struct message_profile *p = message_profiles; p->name; p++) {
		struct message_tally tally;
		struct app_request q;
		struct app_response r;
		struct both b;

		open_both(&b, p->name);
		for (uint64_t n = 0; n < 3; n++) {
			r = ask(&b, n, &q);
			assert_int_equal(q.method, APP_POST);
			assert_string_equal(q.target, "/message");
			assert_string_equal(q.content_type, p->ops->content_type);
			assert_int_equal(r.status, 200);
			assert_string_equal(r.content_type, p->ops->content_type);
			assert_true(r.body_bytes > 700);
			assert_true(right(&b, n, &r));
			assert_false(right(&b, n + 1, &r));
		}
		message_tally_copy(b.server.ops->stages(&b.server), &tally);
		assert_int_equal(tally.warm_up.read + tally.measured.read, 3);
		assert_int_equal(tally.measured.secured, 2);
		message_tally_copy(b.client.ops->stages(&b.client), &tally);
		assert_int_equal(tally.measured.secured, 2);
		close_both(&b);
	}
}

static void what_is_no_message_is_refused_without_a_reason(void **state)
{
	struct app_request q = { .method = APP_POST, .target = "/message" };
	struct app_response r;
	struct both b;

	(void)state;
	open_both(&b, NULL);
	r = answer(&b, &q);
	assert_int_equal(r.status, 400);
	assert_memory_equal(r.body, "the message was refused\n", r.body_bytes);
	q.body = "<x/>";
	q.body_bytes = 4;
	r = answer(&b, &q);
	assert_int_equal(r.status, 400);
	assert_memory_equal(r.body, "the message was refused\n", r.body_bytes);
	assert_false(right(&b, 0, &r));
	q.method = APP_GET;
	r = answer(&b, &q);
	assert_int_equal(r.status, 405);
	q.method = APP_OPTIONS;
	r = answer(&b, &q);
	assert_int_equal(r.status, 204);
	assert_string_equal(r.allow, "POST, OPTIONS");
	q.method = APP_POST;
	q.target = "/messages";
	r = answer(&b, &q);
	assert_int_equal(r.status, 404);
	/* It goes on as if nothing had been. */
	r = ask(&b, 7, &q);
	assert_true(right(&b, 7, &r));
	close_both(&b);
}

/* By whatever thread: each has a workload of its own. Sealed anew it is the same message still. */
static void what_is_signed_is_believed_once(void **state)
{
	(void)state;
	for (const struct message_profile *p = message_profiles; p->name; p++) {
		int again = p->signer ? 400 : 200;
		struct both one, another;
		struct app_request q;

		if (!strcmp(p->name, "username-token"))
			continue; /* one nonce, one token: message_test */
		open_both(&one, p->name);
		open_both(&another, p->name);
		assert_int_equal(ask(&one, 1, &q).status, 200);
		assert_int_equal(answer(&one, &q).status, again);
		assert_int_equal(answer(&another, &q).status, again);
		assert_int_equal(ask(&one, 1, &q).status, again);
		assert_int_equal(ask(&one, 2, &q).status, 200);
		close_both(&one);
		close_both(&another);
	}
}

static void legacy_must_be_named(void **state)
{
	struct app_request q;
	struct app_response r;
	struct both old, now;

	(void)state;
	assert_false(message_profile_default()->legacy);
	open_both(&old, "legacy");
	open_both(&now, NULL);
	ask(&old, 0, &q);
	r = answer(&now, &q);
	assert_int_equal(r.status, 400);
	close_both(&old);
	close_both(&now);
}

static void settings_that_cannot_be(void **state)
{
	struct workload w = { .ops = &workload_message };
	struct asker a = { .ops = &asker_message };

	(void)state;
	w.params = (struct workload_params){ .payload_kind = "random" };
	w.params.message.credential_dir = message_pairs_dir();
	assert_int_equal(w.ops->open(&w), -1);
	assert_non_null(strstr(w.fail.text, "json or text"));
	fail_clear(&w.fail);
	w.params.payload_kind = "text";
	w.params.payload_bytes = MESSAGE_PAYLOAD_BYTES_MAX + 1;
	assert_int_equal(w.ops->open(&w), -1);
	assert_non_null(strstr(w.fail.text, "expected up to"));
	a.params.message = (struct message_params){ .profile = "best" };
	assert_int_equal(a.ops->open(&a), -1);
	assert_non_null(strstr(a.fail.text, "there is no profile 'best'"));
}

static void times_are_told(void **state)
{
	struct app_request q;
	struct both b;
	json_t *o;

	(void)state;
	open_both(&b, NULL);
	o = message_tally_json(b.client.ops->stages(&b.client));
	assert_true(json_is_null(json_object_get(o, "crypto_share")));
	json_decref(o);
	ask(&b, 0, &q);
	ask(&b, 1, &q);
	o = message_tally_json(b.client.ops->stages(&b.client));
	assert_int_equal(json_integer_value(json_object_get(o, "secured")), 1);
	assert_int_equal(json_integer_value(json_object_get(o, "read")), 0);
	assert_int_equal(json_object_size(json_object_get(o, "stages_ns")), MESSAGE_STAGES);
	assert_true(json_real_value(json_object_get(o, "crypto_share")) > 0);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(o, "warm_up"), "secured")), 1);
	json_decref(o);
	close_both(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_is_asked_and_answers),
		cmocka_unit_test(what_is_no_message_is_refused_without_a_reason),
		cmocka_unit_test(what_is_signed_is_believed_once),
		cmocka_unit_test(legacy_must_be_named),
		cmocka_unit_test(settings_that_cannot_be),
		cmocka_unit_test(times_are_told),
	};

	return cmocka_run_group_tests(tests, message_pairs_open, message_pairs_close);
}
