/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_workload - POST /access, in JSON or CBOR, answered in kind. It must not know the
 * protocol that asked: HTTP/1.1, HTTP/2 and CoAP get the same.
 *
 *   permit 200, deny 403, not applicable 404; errors: malformed 400, too large 413, stale and
 *   replay 409, users unreadable 500, nonces or audit log out of order 503. Those have a body
 *   that says which. No content type that is known: 415; no POST: 405; another path: 404, all
 *   three with a text instead.
 */
#include <errno.h>
#include <stdlib.h>

#include "workloads/access_decider.h"
#include "workloads/workload.h"

static void answer_access(struct workload *w, const struct app_request *q, enum access_encoding e,
			  struct buf *scratch, struct app_response *r)
{
	struct access_answer a;

	access_decider_ask(w->impl, e, q->body, q->body_bytes, &a);
	buf_clear(scratch);
	access_encode(e, access_answer_fields, &a, scratch);
	*r = (struct app_response){ .status = access_status(&a),
				    .content_type = access_content_type[e],
				    .body = scratch->data,
				    .body_bytes = scratch->len,
				    .keep_alive = true };
	if (scratch->failed)
		workload_say(r, 500, "no memory for the answer\n");
}

static void answer(struct workload *w, const struct app_request *q, struct buf *scratch,
		   struct app_response *r)
{
	static const struct workload_door door = {
		.methods = 1 << APP_POST,
		.allow = "POST, OPTIONS",
		.not_found = "not found: there is " ACCESS_TARGET "\n",
		.not_allowed = "access is asked for with POST\n",
	};
	enum access_encoding e = ACCESS_JSON;

	if (workload_turns_away(&door, q, workload_is_at(q->target, ACCESS_TARGET), r))
		return;
	if (access_encoding_of(q->content_type, &e))
		answer_access(w, q, e, scratch, r);
	else
		workload_say(r, 415, "expected application/json or application/cbor\n");
}

static int open_access(struct workload *w)
{
	struct access_decider *d = calloc(1, sizeof *d);

	if (!d)
		return fail_set(&w->fail, ENOMEM, "no memory for the access workload");
	if (access_decider_open(d, &w->params.access, &w->fail) == 0) {
		w->impl = d;
		return 0;
	}
	free(d);
	return -1;
}

static void close_access(struct workload *w)
{
	if (!w->impl)
		return;
	access_decider_close(w->impl);
	free(w->impl);
	w->impl = NULL;
}

const struct workload_ops workload_access = {
	.name = "access",
	.help = "access control: POST /access with attributes of user and access point",
	.open = open_access,
	.close = close_access,
	.answer = answer,
};
