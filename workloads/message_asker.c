/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_asker - the client's half of the message workload: it secures what it says,
 * and an answer is right when it is a message of the server's, now, to this very exchange.
 * An exchange's id is random per asker and then counted, so no two askers share one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/object_crypto.h"
#include "workloads/asker.h"
#include "workloads/message_exchange.h"

struct message_asker {
	struct message_exchange *exchange;
	uint64_t prefix;
};

static void close_asker(struct asker *a)
{
	struct message_asker *m = a->impl;

	if (m)
		message_exchange_close(m->exchange);
	free(m);
	a->impl = NULL;
}

static int open_asker(struct asker *a)
{
	struct message_asker *m = calloc(1, sizeof *m);

	a->impl = m;
	if (!m)
		return fail_set(&a->fail, ENOMEM, "no memory for messages");
	m->exchange = message_exchange_open(&a->params.message, MESSAGE_CLIENT,
					    a->params.message.payload_bytes, "json", &a->fail);
	if (m->exchange && object_random(&m->prefix, sizeof m->prefix, &a->fail) == 0)
		return 0;
	close_asker(a);
	return -1;
}

static void write_id(const struct message_asker *m, uint64_t number, char id[MESSAGE_ID_BYTES])
{
	snprintf(id, MESSAGE_ID_BYTES, "%016" PRIx64 "%016" PRIx64, m->prefix, number);
}

static int request(struct asker *a, uint64_t number, struct buf *scratch, struct app_request *q)
{
	struct message_asker *m = a->impl;
	struct message_exchange *e = m->exchange;

	write_id(m, number, e->says.id);
	if (message_exchange_say(e, scratch))
		return fail_set(&a->fail, e->party.fail.code, "%s", e->party.fail.text);
	q->method = APP_POST;
	q->target = a->params.target ? a->params.target : MESSAGE_TARGET;
	q->accepts = a->params.accepts;
	q->content_type = e->party.profile->ops->content_type;
	q->body = scratch->data;
	q->body_bytes = scratch->len;
	return 0;
}

static int check(struct asker *a, uint64_t number, const struct buf *scratch,
		 const struct app_response *r, const void *body, size_t len,
		 enum asker_outcome *outcome, struct fail *f)
{
	struct message_asker *m = a->impl;
	char id[MESSAGE_ID_BYTES];

	(void)scratch;
	*outcome = ASKER_ERROR;
	if (r->status != 200)
		return fail_set(f, EPROTO, "the server answered with status %d: %.*s", r->status,
				(int)(len < 80 ? len : 80), len ? (const char *)body : "");
	if (message_exchange_hear(m->exchange, len ? body : "", len))
		return fail_set(f, EBADMSG, "the answer is no message to be believed: %s",
				m->exchange->party.fail.text);
	write_id(m, number, id);
	if (strcmp(m->exchange->hears.id, id) != 0)
		return fail_set(f, EBADMSG, "the answer is to another message");
	*outcome = ASKER_MESSAGE;
	return 0;
}

static const struct message_tally *stages(const struct asker *a)
{
	return &((const struct message_asker *)a->impl)->exchange->tally;
}

const struct asker_ops asker_message = {
	.name = "message",
	.help = "POST of a secured message; the answer must be one to it",
	.answer_bytes_max = MESSAGE_WIRE_BYTES_MAX,
	.open = open_asker,
	.close = close_asker,
	.request = request,
	.check = check,
	.stages = stages,
};
