/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_coap - requests in, answers out, over an association that is open. It must not know how
 * that is sealed.
 */
#include <string.h>

#include "lib/log.h"
#include "servers/dgram_peer.h"

static int64_t now_ns(const struct dgram_peer *p)
{
	return loop_now_ns(p->dgram->worker->loop);
}

int dgram_coap_open(struct dgram_peer *p)
{
	if (coap_endpoint_open(&p->coap, APP_SERVER, &p->dgram->coap, &p->dgram->rng,
			       &p->dgram->count) != 0) {
		log_say(LOG_DETAIL, "CoAP: %s", p->coap.fail.text);
		return -1;
	}
	p->coap_open = true;
	return 0;
}

int dgram_coap_wake(struct dgram_peer *p)
{
	if (coap_endpoint_wake(&p->coap) == 0)
		return 0;
	log_say(LOG_DETAIL, "CoAP: %s", p->coap.fail.text);
	return -1;
}

/* What a server has is told to who asks for it (RFC 6690 section 4). */
static void list_links(struct dgram *d, const char *target, struct app_response *r)
{
	static const struct coap_link links[] = { { .target = "/", .format = COAP_NO_FORMAT } };

	coap_core_write(&d->scratch, target, links, sizeof links / sizeof links[0]);
	*r = (struct app_response){ .status = d->scratch.failed ? 500 : 200,
				    .content_type = COAP_CORE_TYPE,
				    .body = d->scratch.data,
				    .body_bytes = d->scratch.len };
}

static void answer(struct dgram_peer *p, const struct app_request *q)
{
	struct dgram *d = p->dgram;
	struct worker *w = d->worker;
	struct app_response r = { 0 };

	buf_clear(&d->scratch);
	if (q->method == APP_GET && coap_is_core(q->target))
		list_links(d, q->target, &r);
	else
		w->workload.ops->answer(&w->workload, q, &d->scratch, &r);
	r.stream = q->stream;
	if (coap_endpoint_respond(&p->coap, &r, now_ns(p)) != 0)
		log_say(LOG_DETAIL, "CoAP: an answer for nobody: %s", p->coap.fail.text);
	else if (p->coap.code >= COAP_BAD_REQUEST)
		worker_count(&w->counters.rejected, 1);
	else
		worker_count(&w->counters.requests, !q->continued);
}

static void take_events(struct dgram_peer *p)
{
	struct app_event e;

	while (coap_endpoint_next(&p->coap, &e))
		if (e.kind == APP_REQUEST)
			answer(p, &e.request);
}

void dgram_coap_feed(struct dgram_peer *p, const void *message, size_t len)
{
	p->patience_ns = now_ns(p) + p->dgram->worker->params->idle_timeout_ns;
	coap_endpoint_feed(&p->coap, message, len, now_ns(p));
	take_events(p);
}

void dgram_coap_expire(struct dgram_peer *p)
{
	coap_endpoint_expire(&p->coap, now_ns(p));
	take_events(p);
}

void dgram_coap_send(struct dgram_peer *p)
{
	const struct engine_ops *ops = p->assoc.domain->ops;
	struct dgram *d = p->dgram;
	size_t len, put;

	while ((len = coap_endpoint_pull(&p->coap, d->message, sizeof d->message)) > 0) {
		enum step step = ops->write(&p->assoc, d->message, len, &put);

		if (step == STEP_DONE && put == len)
			continue;
		log_say(LOG_DETAIL, "CoAP: a message of %zu bytes was not sent: %s", len,
			p->assoc.fail.text);
		p->over = p->over || step == STEP_FAILED;
		return;
	}
}
