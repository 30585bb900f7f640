/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_asker - generated users at generated access points, each asking to pass. It must
 * not know the policy: a decision is right when it is one, with its status, for this nonce.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "workloads/access_people.h"
#include "workloads/asker.h"

struct access_asker {
	struct rng rng;
	uint64_t prefix; /* first half of every nonce: no other asker has it */
};

static int open_access(struct asker *a)
{
	struct access_asker *k;

	if (a->params.access.users < 0 || a->params.access.users > ACCESS_USERS_MAX)
		return fail_set(&a->fail, EINVAL, "%" PRId64 " users: expected at most %d",
				a->params.access.users, ACCESS_USERS_MAX);
	k = calloc(1, sizeof *k);
	if (!k)
		return fail_set(&a->fail, ENOMEM, "no memory for who asks for access");
	rng_seed(&k->rng, a->params.access.seed);
	k->prefix = rng_fresh_seed() << 11 ^ rng_fresh_seed();
	a->impl = k;
	return 0;
}

static void close_access(struct asker *a)
{
	free(a->impl);
	a->impl = NULL;
}

static void fill_nonce(const struct access_asker *k, uint64_t number,
		       uint8_t nonce[ACCESS_NONCE_BYTES])
{
	for (int i = 0; i < 8; i++) {
		nonce[i] = (uint8_t)(k->prefix >> 8 * i);
		nonce[8 + i] = (uint8_t)(number >> 8 * (7 - i));
	}
}

static int64_t now_ms(const struct access_asking *p)
{
	return (p->wall_ns ? p->wall_ns() : clock_wall_ns()) / NS_PER_MS;
}

static void fill_request(struct asker *a, uint64_t number, struct access_request *q)
{
	struct access_asker *k = a->impl;
	int64_t users = a->params.access.users ? a->params.access.users : ACCESS_USERS;
	bool ignored;

	*q = (struct access_request){ .version = ACCESS_VERSION,
				      .time_ms = now_ms(&a->params.access) };
	fill_nonce(k, number, q->nonce);
	access_person((int64_t)rng_below(&k->rng, (uint64_t)users), &q->user, &ignored);
	access_door((int64_t)rng_below(&k->rng, ACCESS_POINTS), &q->point, &ignored);
	q->environment.emergency = rng_below(&k->rng, 256) == 0;
	q->environment.occupancy = (int64_t)rng_below(&k->rng, 100);
	q->environment.temperature_c = 15 + (int64_t)rng_below(&k->rng, 15);
	snprintf(q->environment.direction, sizeof q->environment.direction, "%s",
		 rng_below(&k->rng, 3) ? "in" : "out");
}

static int request(struct asker *a, uint64_t number, struct buf *scratch, struct app_request *q)
{
	const struct access_asking *p = &a->params.access;
	struct access_request asked;

	fill_request(a, number, &asked);
	buf_clear(scratch);
	access_encode(p->encoding, access_request_fields[p->model], &asked, scratch);
	if (scratch->failed)
		return fail_set(&a->fail, ENOMEM, "no memory for a request");
	q->method = APP_POST;
	q->target = a->params.target ? a->params.target : ACCESS_TARGET;
	q->accepts = a->params.accepts;
	q->content_type = access_content_type[p->encoding];
	q->body = scratch->data;
	q->body_bytes = scratch->len;
	return 0;
}

static int check_type(const struct asker *a, const struct app_response *r, struct fail *f)
{
	enum access_encoding expected = a->params.access.encoding, came;

	if (!r->content_type || (access_encoding_of(r->content_type, &came) && came == expected))
		return 0;
	return fail_set(f, EPROTO, "status %d with %.40s instead of %s", r->status, r->content_type,
			access_content_type[expected]);
}

static int check_answer(struct asker *a, uint64_t number, const struct app_response *r,
			const struct access_answer *answer, struct fail *f)
{
	uint8_t nonce[ACCESS_NONCE_BYTES];

	fill_nonce(a->impl, number, nonce);
	if (answer->outcome == ACCESS_ERROR)
		return fail_set(f, EPROTO, "no decision, but an error: %s: %s",
				access_reason_name[answer->reason], answer->detail);
	if (memcmp(answer->nonce, nonce, sizeof nonce) != 0)
		return fail_set(f, EPROTO, "the decision is for another request");
	if (access_status(answer) != r->status)
		return fail_set(f, EPROTO, "%s with status %d; expected %d",
				access_outcome_name[answer->outcome], r->status,
				access_status(answer));
	return 0;
}

static int check(struct asker *a, uint64_t number, const struct buf *scratch,
		 const struct app_response *r, const void *body, size_t len,
		 enum asker_outcome *outcome, struct fail *f)
{
	static const enum asker_outcome outcomes[ACCESS_OUTCOMES] = {
		[ACCESS_ERROR] = ASKER_ERROR,
		[ACCESS_PERMIT] = ASKER_PERMIT,
		[ACCESS_DENY] = ASKER_DENY,
		[ACCESS_NOT_APPLICABLE] = ASKER_NOT_APPLICABLE,
	};
	struct access_answer answer;

	(void)scratch;
	*outcome = ASKER_ERROR;
	if (check_type(a, r, f) != 0)
		return -1;
	if (access_decode(a->params.access.encoding, access_answer_fields, body, len, &answer, f) !=
	    0)
		return fail_within(f, "status %d, and its body is no answer", r->status);
	if (check_answer(a, number, r, &answer, f) != 0)
		return -1;
	*outcome = outcomes[answer.outcome];
	return 0;
}

const struct asker_ops asker_access = {
	.name = "access",
	.help = "POST /access by users of a hospital, generated",
	.answer_bytes_max = ACCESS_ANSWER_BYTES_MAX,
	.open = open_access,
	.close = close_access,
	.request = request,
	.check = check,
};
