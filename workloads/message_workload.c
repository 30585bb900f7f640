/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_workload - the workload that reads a secured message and answers with one. What
 * is wrong with a message is logged; who sent it hears only that it was refused, because a
 * reason would help to try ciphertexts and signatures out.
 */
#include <errno.h>
#include <string.h>

#include "lib/log.h"
#include "workloads/message_exchange.h"
#include "workloads/workload.h"

static void answer_message(struct workload *w, const struct app_request *q, struct buf *scratch,
			   struct app_response *r)
{
	struct message_exchange *e = w->impl;

	if (message_exchange_hear(e, q->body ? q->body : "", q->body_bytes)) {
		log_say(LOG_DETAIL, "message refused: %s", e->party.fail.text);
		workload_say(r, 400, "the message was refused\n");
		return;
	}
	memcpy(e->says.id, e->hears.id, sizeof e->says.id);
	if (message_exchange_say(e, scratch)) {
		log_say(LOG_DETAIL, "no answer to a message: %s", e->party.fail.text);
		workload_say(r, 500, "the answer could not be secured\n");
		return;
	}
	*r = (struct app_response){ .status = 200,
				    .content_type = e->party.profile->ops->content_type,
				    .body = scratch->data,
				    .body_bytes = scratch->len,
				    .keep_alive = true };
}

static void answer(struct workload *w, const struct app_request *q, struct buf *scratch,
		   struct app_response *r)
{
	static const struct workload_door door = {
		.methods = 1 << APP_POST,
		.allow = "POST, OPTIONS",
		.not_found = "not found: there is " MESSAGE_TARGET "\n",
		.not_allowed = "messages are sent with POST\n",
	};

	if (!workload_turns_away(&door, q, workload_is_at(q->target, MESSAGE_TARGET), r))
		answer_message(w, q, scratch, r);
}

static int open_messages(struct workload *w)
{
	w->impl = message_exchange_open(&w->params.message, MESSAGE_SERVER, w->params.payload_bytes,
					w->params.payload_kind, &w->fail);
	return w->impl ? 0 : -1;
}

static void close_messages(struct workload *w)
{
	message_exchange_close(w->impl);
	w->impl = NULL;
}

static const struct message_tally *stages(const struct workload *w)
{
	return &((const struct message_exchange *)w->impl)->tally;
}

const struct workload_ops workload_message = {
	.name = "message",
	.help = "POST " MESSAGE_TARGET ": a secured message, answered with one of the same profile",
	.open = open_messages,
	.close = close_messages,
	.answer = answer,
	.stages = stages,
};
