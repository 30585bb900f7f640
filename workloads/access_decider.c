/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_decider - the decision point: a request in bytes to an answer in bytes. It must not
 * know the protocol between.
 *
 * In this order, the first that objects deciding: the form of the request; its time; its
 * nonce; the records of user and access point (there, valid, and saying what the request
 * says); the policy. Last the audit log, without which nothing is answered but an error.
 */
#include "workloads/access_decider.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"

static int64_t wall_ns(const struct access_decider *d)
{
	return d->params.wall_ns ? d->params.wall_ns() : clock_wall_ns();
}

static void error(struct access_answer *a, enum access_reason why, const char *detail)
{
	size_t len = strlen(detail);

	a->outcome = ACCESS_ERROR;
	a->reason = why;
	if (len >= sizeof a->detail)
		len = sizeof a->detail - 1;
	/* It may quote the request, and is to be what a reader takes. */
	for (size_t i = 0; i < len; i++)
		a->detail[i] = detail[i] < 0x20 || detail[i] > 0x7e ? '?' : detail[i];
	a->detail[len] = '\0';
}

/* The owner learns the cause, once a second at most; who asks does not. */
static void error_of_ours(struct access_decider *d, struct access_answer *a, enum access_reason why,
			  const char *detail, const struct fail *f)
{
	int64_t now_ns = clock_ns();

	if (now_ns >= d->tell_ns) {
		log_say(LOG_ERROR, "%s: %s", detail, f->text);
		d->tell_ns = now_ns + NS_PER_S;
	}
	error(a, why, detail);
}

static void deny(struct access_answer *a, enum access_reason why)
{
	a->outcome = ACCESS_DENY;
	a->reason = why;
}

/* --- one objection after the other: false when it decided ---------------------------- */

static bool in_form(struct access_decider *d, enum access_encoding e, const void *src, size_t len,
		    struct access_request *q, struct access_answer *a)
{
	struct fail f = { 0 };
	bool good;

	if (len > ACCESS_REQUEST_BYTES_MAX) {
		*q = (struct access_request){ 0 };
		error(a, ACCESS_TOO_LARGE, "the request is longer than 1536 bytes");
		return false;
	}
	good = access_request_read(e, d->params.model, src, len, q, &f) == 0;
	if (!good)
		error(a, ACCESS_MALFORMED, f.text);
	else
		memcpy(a->nonce, q->nonce, sizeof a->nonce);
	return good;
}

static bool in_time(const struct access_decider *d, const struct access_request *q, int64_t now_ms,
		    struct access_answer *a)
{
	int64_t skew_ms = (d->params.skew_ns ? d->params.skew_ns : ACCESS_SKEW_NS) / NS_PER_MS;
	int64_t late_ms = now_ms - q->time_ms;
	char text[96];

	if (late_ms <= skew_ms && late_ms >= -skew_ms)
		return true;
	snprintf(text, sizeof text, "its time is %" PRId64 " ms %s ours; expected at most %" PRId64,
		 late_ms < 0 ? -late_ms : late_ms, late_ms < 0 ? "ahead of" : "behind", skew_ms);
	error(a, ACCESS_STALE, text);
	return false;
}

static bool is_new(const struct access_decider *d, const struct access_request *q,
		   struct access_answer *a)
{
	switch (nonces_use(d->shared->nonces, q->nonce, clock_ns())) {
	case NONCE_NEW:
		return true;
	case NONCE_USED:
		error(a, ACCESS_REPLAY, "this nonce was used before");
		return false;
	default:
		error(a, ACCESS_BUSY, "no more nonces can be remembered now");
		return false;
	}
}

static bool same_user(const struct access_user *a, const struct access_user *b)
{
	return strcmp(a->role, b->role) == 0 && strcmp(a->department, b->department) == 0 &&
	       strcmp(a->employment, b->employment) == 0 && strcmp(a->issuer, b->issuer) == 0 &&
	       a->clearance == b->clearance && a->valid_from_ms == b->valid_from_ms &&
	       a->valid_until_ms == b->valid_until_ms && memcmp(a->key, b->key, sizeof a->key) == 0;
}

static bool same_point(const struct access_point *a, const struct access_point *b)
{
	return strcmp(a->area, b->area) == 0 && strcmp(a->building, b->building) == 0 &&
	       strcmp(a->kind, b->kind) == 0 && a->floor == b->floor && a->security == b->security;
}

static bool known_user(struct access_decider *d, const struct access_request *q, int64_t now_ms,
		       struct access_answer *a)
{
	const struct access_person_record *r;
	struct fail f = { 0 };

	r = access_users_person(d->users, q->user.id, clock_ns(), &f);
	if (f.code)
		error_of_ours(d, a, ACCESS_NO_RECORDS, "the records of users cannot be read", &f);
	else if (!r)
		deny(a, ACCESS_UNKNOWN_USER);
	else if (r->revoked)
		deny(a, ACCESS_REVOKED);
	else if (now_ms < r->user.valid_from_ms || now_ms >= r->user.valid_until_ms)
		deny(a, ACCESS_EXPIRED);
	else if (!same_user(&r->user, &q->user))
		deny(a, ACCESS_MISMATCH);
	else
		return true;
	return false;
}

static bool known_point(struct access_decider *d, const struct access_request *q,
			struct access_answer *a)
{
	const struct access_point_record *r;
	struct fail f = { 0 };

	r = access_users_point(d->users, q->point.id, clock_ns(), &f);
	if (f.code)
		error_of_ours(d, a, ACCESS_NO_RECORDS,
			      "the records of access points cannot be read", &f);
	else if (!r)
		deny(a, ACCESS_UNKNOWN_POINT);
	else if (r->disabled)
		deny(a, ACCESS_DISABLED);
	else if (!same_point(&r->point, &q->point))
		deny(a, ACCESS_MISMATCH);
	else
		return true;
	return false;
}

static void decide(struct access_decider *d, enum access_encoding e, const void *src, size_t len,
		   struct access_request *q, struct access_answer *a)
{
	int64_t now_ms = wall_ns(d) / NS_PER_MS;

	if (!in_form(d, e, src, len, q, a) || !in_time(d, q, now_ms, a) || !is_new(d, q, a))
		return;
	if (d->params.model == ACCESS_ABAC &&
	    (!known_user(d, q, now_ms, a) || !known_point(d, q, a)))
		return;
	access_policy_decide(d->policy, q, now_ms, a);
}

/* --- the audit log ------------------------------------------------------------------ */

static void record(struct access_decider *d, const struct access_request *q, int64_t began_ns,
		   struct access_answer *a)
{
	bool understood = a->reason != ACCESS_MALFORMED && a->reason != ACCESS_TOO_LARGE;
	bool abac = d->params.model == ACCESS_ABAC;
	struct fail f = { 0 };
	struct audit_record r = {
		.utc_ns = wall_ns(d),
		.latency_ns = clock_ns() - began_ns,
		.decision = access_outcome_name[a->outcome],
		.reason = access_reason_name[a->reason],
		.who = !understood ? ""
		       : abac      ? q->user.id
				   : q->user.role,
		.where = !understood ? ""
			 : abac      ? q->point.id
				     : q->point.area,
		.rule = a->rule,
	};

	if (!d->shared->audit || audit_add(d->shared->audit, &r, &f) == 0)
		return;
	a->rule[0] = '\0';
	a->obligations.count = 0;
	error_of_ours(d, a, ACCESS_NO_AUDIT, "decisions cannot be recorded, so none is made", &f);
}

void access_decider_ask(struct access_decider *d, enum access_encoding e, const void *src,
			size_t len, struct access_answer *a)
{
	int64_t began_ns = clock_ns();
	struct access_request q;

	access_blank(access_answer_fields, a);
	decide(d, e, src, len, &q, a);
	record(d, &q, began_ns, a);
}

/* --- opening ------------------------------------------------------------------------ */

int access_decider_open(struct access_decider *d, const struct access_params *p, struct fail *f)
{
	*d = (struct access_decider){ .params = *p };
	d->policy = access_policy_open(p->policy_file, p->model, NULL, f);
	if (d->policy && p->model == ACCESS_ABAC)
		d->users = access_users_open(p->users_file, p->users, f);
	if (d->policy && (d->users || p->model != ACCESS_ABAC))
		d->shared = access_shared_take(p, f);
	if (d->shared)
		return 0;
	access_decider_close(d);
	return -1;
}

void access_decider_close(struct access_decider *d)
{
	if (d->shared)
		access_shared_give(d->shared);
	access_users_close(d->users);
	access_policy_close(d->policy);
	*d = (struct access_decider){ 0 };
}
