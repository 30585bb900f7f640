/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_workload_test - both halves together: generated questions and their answers in every
 * encoding and model; each objection in its order; replays between threads; and mutants of a
 * request that is permitted, of which none may be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "lib/testing.h"
#include "workloads/access_people.h"
#include "workloads/access_sample.h"
#include "workloads/asker.h"
#include "workloads/audit.h"
#include "workloads/workload.h"

#define MUTANTS 10000

static int64_t now_ns = SAMPLE_NOW_MS * NS_PER_MS;

static int64_t fake_wall_ns(void)
{
	return now_ns;
}

static struct workload open_workload(struct access_params p)
{
	struct workload w = { .ops = workload_by_name("access"), .params.access = p };

	w.params.access.wall_ns = fake_wall_ns;
	if (w.ops->open(&w) != 0)
		fail_msg("%s", w.fail.text);
	return w;
}

/* User 0 and a door of a ward that lets it in; made once, with a nonce of its own each time. */
static struct access_request permitted(void)
{
	static uint64_t nonce;
	struct access_request q = sample_request();
	bool off = true;

	for (int64_t i = 0; off || strcmp(q.user.role, "security") != 0; i++)
		access_person(i, &q.user, &off);
	access_door(1, &q.point, &off);
	nonce++;
	memcpy(q.nonce, &nonce, sizeof nonce);
	q.time_ms = now_ns / NS_PER_MS;
	return q;
}

static struct access_answer ask_bytes(struct workload *w, enum access_encoding e, const void *body,
				      size_t len, int *status)
{
	struct app_request q = { .method = APP_POST,
				 .target = ACCESS_TARGET,
				 .content_type = access_content_type[e],
				 .body = body,
				 .body_bytes = len };
	struct buf scratch = { 0 };
	struct app_response r = { 0 };
	struct access_answer a;
	struct fail f = { 0 };

	w->ops->answer(w, &q, &scratch, &r);
	assert_string_equal(r.content_type, access_content_type[e]);
	if (access_decode(e, access_answer_fields, r.body, r.body_bytes, &a, &f) != 0)
		fail_msg("%.*s: %s", (int)r.body_bytes, (const char *)r.body, f.text);
	*status = r.status;
	buf_release(&scratch);
	return a;
}

static struct access_answer ask(struct workload *w, const struct access_request *q)
{
	struct access_answer a;
	struct buf body = { 0 };
	int status;

	access_encode(ACCESS_JSON, access_request_fields[w->params.access.model], q, &body);
	a = ask_bytes(w, ACCESS_JSON, body.data, body.len, &status);
	assert_int_equal(status, access_status(&a));
	buf_release(&body);
	return a;
}

static void expect(struct workload *w, const struct access_request *q, enum access_outcome outcome,
		   enum access_reason reason)
{
	struct access_answer a = ask(w, q);

	if (a.outcome != (int)outcome || a.reason != (int)reason)
		fail_msg("%s by %s (%s), expected %s by %s", access_outcome_name[a.outcome],
			 access_reason_name[a.reason], a.detail, access_outcome_name[outcome],
			 access_reason_name[reason]);
}

/* --- both halves ---------------------------------------------------------------- */

static void halves(void **state)
{
	(void)state;
	for (int m = 0; m < ACCESS_MODELS; m++) {
		struct workload w =
			open_workload((struct access_params){ .model = m, .users = 50 });

		for (int e = 0; e < ACCESS_ENCODINGS; e++) {
			struct asker a = { .ops = asker_by_name("access"),
					   .params.access = { .encoding = e,
							      .model = m,
							      .users = 50,
							      .seed = 7,
							      .wall_ns = fake_wall_ns } };
			int count[ASKER_OUTCOMES] = { 0 };
			struct buf asked = { 0 }, scratch = { 0 };

			assert_int_equal(a.ops->open(&a), 0);
			for (uint64_t i = 0; i < 2000; i++) {
				struct app_request q = { 0 };
				struct app_response r = { 0 };
				enum asker_outcome outcome;
				struct fail f = { 0 };

				assert_int_equal(a.ops->request(&a, i, &asked, &q), 0);
				w.ops->answer(&w, &q, &scratch, &r);
				assert_true(r.body_bytes <= a.ops->answer_bytes_max);
				if (a.ops->check(&a, i, &asked, &r, r.body, r.body_bytes, &outcome,
						 &f) != 0)
					fail_msg("%s", f.text);
				count[outcome]++;
				/* Another's answer, and a status that is not its own. */
				assert_int_equal(a.ops->check(&a, i + 1, &asked, &r, r.body,
							      r.body_bytes, &outcome, &f),
						 -1);
				assert_int_equal(outcome, ASKER_ERROR);
				r.status = r.status == 200 ? 403 : 200;
				assert_int_equal(a.ops->check(&a, i, &asked, &r, r.body,
							      r.body_bytes, &outcome, &f),
						 -1);
			}
			assert_in_range(count[ASKER_PERMIT], 200, 1800);
			assert_in_range(count[ASKER_DENY], 50, 1800);
			assert_in_range(count[ASKER_NOT_APPLICABLE], 50, 1800);
			a.ops->close(&a);
			buf_release(&asked);
			buf_release(&scratch);
		}
		w.ops->close(&w);
	}
}

static int status_of(struct workload *w, enum app_method m, const char *target, const char *type)
{
	struct app_request q = {
		.method = m, .target = target, .content_type = type, .body = "{}", .body_bytes = 2
	};
	struct buf scratch = { 0 };
	struct app_response r = { 0 };

	w->ops->answer(w, &q, &scratch, &r);
	buf_release(&scratch);
	return r.status;
}

static void what_is_no_question(void **state)
{
	struct workload w = open_workload((struct access_params){ .users = 1 });

	(void)state;
	assert_int_equal(status_of(&w, APP_POST, "/access", "application/json"), 400);
	assert_int_equal(status_of(&w, APP_POST, "/access?x", "Application/JSON; charset=x"), 400);
	assert_int_equal(status_of(&w, APP_POST, "/access", "application/cbor"), 400);
	assert_int_equal(status_of(&w, APP_POST, "/access", "application/jsonx"), 415);
	assert_int_equal(status_of(&w, APP_POST, "/access", NULL), 415);
	assert_int_equal(status_of(&w, APP_GET, "/access", "application/json"), 405);
	assert_int_equal(status_of(&w, APP_OPTIONS, "/access", NULL), 204);
	assert_int_equal(status_of(&w, APP_POST, "/accessx", "application/json"), 404);
	assert_int_equal(status_of(&w, APP_POST, "/", "application/json"), 404);
	w.ops->close(&w);
}

/* --- objections ----------------------------------------------------------------- */

static void objections(void **state)
{
	struct workload w = open_workload((struct access_params){ .users = 1000 });
	struct access_request q = permitted();
	bool off;

	(void)state;
	expect(&w, &q, ACCESS_PERMIT, ACCESS_BY_RULE);
	expect(&w, &q, ACCESS_ERROR, ACCESS_REPLAY);
	q = permitted();
	q.time_ms += ACCESS_SKEW_NS / NS_PER_MS;
	expect(&w, &q, ACCESS_PERMIT, ACCESS_BY_RULE);
	q = permitted();
	q.time_ms += ACCESS_SKEW_NS / NS_PER_MS + 1;
	expect(&w, &q, ACCESS_ERROR, ACCESS_STALE);
	q.time_ms -= 2 * (ACCESS_SKEW_NS / NS_PER_MS + 1);
	expect(&w, &q, ACCESS_ERROR, ACCESS_STALE);
	q.time_ms += 1; /* what was stale did not use its nonce */
	expect(&w, &q, ACCESS_PERMIT, ACCESS_BY_RULE);
	q = permitted();
	strcpy(q.user.id, "U9999999");
	expect(&w, &q, ACCESS_DENY, ACCESS_UNKNOWN_USER);
	q = permitted();
	strcpy(q.point.id, "P9999");
	expect(&w, &q, ACCESS_DENY, ACCESS_UNKNOWN_POINT);
	q = permitted();
	access_door(31, &q.point, &off);
	assert_true(off);
	expect(&w, &q, ACCESS_DENY, ACCESS_DISABLED);
	for (int64_t i = 0, gone = 0; !gone; i++) {
		q = permitted();
		access_person(i, &q.user, &off);
		gone = off;
	}
	expect(&w, &q, ACCESS_DENY, ACCESS_REVOKED);
	now_ns = INT64_C(2208988800000) * NS_PER_MS;
	q = permitted();
	expect(&w, &q, ACCESS_DENY, ACCESS_EXPIRED);
	now_ns--;
	q = permitted();
	expect(&w, &q, ACCESS_PERMIT, ACCESS_BY_RULE);
	now_ns = SAMPLE_NOW_MS * NS_PER_MS;
	w.ops->close(&w);
}

/* Whatever a request says of itself must be what the records say. */
static void mismatches(void **state)
{
	struct workload w = open_workload((struct access_params){ .users = 1000 });

	(void)state;
	for (int i = 0; i < 13; i++) {
		struct access_request q = permitted();
		char *const text[] = { q.user.role,   q.user.department, q.user.employment,
				       q.user.issuer, q.point.area,      q.point.building,
				       q.point.kind };
		int64_t *const number[] = { &q.user.clearance, &q.user.valid_from_ms,
					    &q.user.valid_until_ms, &q.point.floor,
					    &q.point.security };

		if (i < 7)
			text[i][0] ^= 1;
		else if (i < 12)
			*number[i - 7] -= i == 11 ? -1 : 1;
		else
			q.user.key[31] ^= 1;
		expect(&w, &q, ACCESS_DENY, ACCESS_MISMATCH);
	}
	w.ops->close(&w);
}

static void threads_know_each_others_nonces(void **state)
{
	struct workload one = open_workload((struct access_params){ .users = 1000 });
	struct workload two = open_workload((struct access_params){ .users = 1000 });
	struct workload other = open_workload((struct access_params){ .users = 999 });
	struct access_request q = permitted();

	(void)state;
	expect(&one, &q, ACCESS_PERMIT, ACCESS_BY_RULE);
	expect(&two, &q, ACCESS_ERROR, ACCESS_REPLAY);
	expect(&other, &q, ACCESS_PERMIT, ACCESS_BY_RULE);
	one.ops->close(&one);
	expect(&two, &q, ACCESS_ERROR, ACCESS_REPLAY);
	two.ops->close(&two);
	other.ops->close(&other);
}

/* --- records and log ------------------------------------------------------------ */

static void every_answer_is_recorded(void **state)
{
	char dir[] = "/tmp/access_test.XXXXXX", file[64];
	struct access_request q = permitted();
	struct audit_found found;
	struct fail f = { 0 };
	struct workload w;
	int status;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof file, "%s/audit", dir);
	w = open_workload((struct access_params){ .audit_file = file, .durability = ACCESS_EACH });
	ask(&w, &q);
	ask(&w, &q); /* a replay */
	ask_bytes(&w, ACCESS_CBOR, "\xa0", 1, &status);
	assert_int_equal(audit_check(file, &found, &f), 0);
	assert_int_equal(found.records, 3);
	w.ops->close(&w);
	unlink(file);
	rmdir(dir);
}

/* --- mutants -------------------------------------------------------------------- */

static void mutate(struct rng *rng, struct buf *body)
{
	for (uint64_t i = 0, many = 1 + rng_below(rng, 4); i < many && body->len; i++) {
		size_t at = (size_t)rng_below(rng, body->len);

		switch (rng_below(rng, 5)) {
		case 0:
			body->data[at] ^= (char)(1 << rng_below(rng, 8));
			break;
		case 1:
			body->data[at] = (char)rng_next(rng);
			break;
		case 2:
			body->len = at;
			break;
		case 3:
			buf_put(body, "{\"user\":1}", (size_t)rng_below(rng, 11));
			break;
		default:
			memmove(body->data + at, body->data + at + 1, body->len - at - 1);
			body->len--;
		}
	}
}

/* The environment and the nonce are the client's word; all else must be as it was. */
static bool still_right(enum access_encoding e, const struct access_request *q,
			const struct buf *body)
{
	struct access_request m;
	struct fail f = { 0 };

	if (access_request_read(e, ACCESS_ABAC, body->data, body->len, &m, &f) != 0)
		return false;
	m.environment = q->environment;
	memcpy(m.nonce, q->nonce, sizeof m.nonce);
	m.time_ms = q->time_ms;
	return strcmp(m.user.id, q->user.id) == 0 && strcmp(m.point.id, q->point.id) == 0;
}

static void mutants_are_not_let_in(void **state)
{
	struct rng rng = testing_rng("access mutants");
	struct workload w = open_workload((struct access_params){ .users = 1000 });
	struct buf body = { 0 };
	int malformed = 0, permits = 0;

	(void)state;
	for (int i = 0; i < MUTANTS; i++) {
		enum access_encoding e = i & 1;
		struct access_request q = permitted();
		struct access_answer a;
		bool right;
		int status;
		char *copy;

		buf_clear(&body);
		access_encode(e, access_request_fields[ACCESS_ABAC], &q, &body);
		mutate(&rng, &body);
		right = still_right(e, &q, &body);
		copy = malloc(body.len + 1);
		memcpy(copy, body.data, body.len);
		a = ask_bytes(&w, e, copy, body.len, &status);
		free(copy);
		assert_int_equal(status, access_status(&a));
		malformed += a.reason == ACCESS_MALFORMED;
		permits += a.outcome == ACCESS_PERMIT;
		if (a.outcome == ACCESS_PERMIT && !right)
			fail_msg("mutant %d is let in: %.*s", i, (int)body.len, body.data);
	}
	assert_in_range(malformed, MUTANTS / 2, MUTANTS);
	assert_in_range(permits, 1, MUTANTS / 10);
	buf_release(&body);
	w.ops->close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves),
		cmocka_unit_test(what_is_no_question),
		cmocka_unit_test(objections),
		cmocka_unit_test(mismatches),
		cmocka_unit_test(threads_know_each_others_nonces),
		cmocka_unit_test(every_answer_is_recorded),
		cmocka_unit_test(mutants_are_not_let_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
