/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_result - the figures of a run: made, added, checked, judged. No sockets here.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clients/load.h"
#include "lib/clock.h"

/* More failures than one in this many requests, and the figures are not used. */
#define FAILURES_ONE_IN 100

const char *const connection_mode_name[CONNECTION_MODES + 1] = {
	[CONNECTION_FULL] = "full",
	[CONNECTION_KEEPALIVE] = "keepalive",
};

int load_result_init(struct load_result *r)
{
	*r = (struct load_result){ .decoded_bytes = -1 };
	if (!hist_init(&r->response) && !hist_init(&r->service) && !hist_init(&r->handshake) &&
	    !hist_init(&r->failed))
		return 0;
	load_result_release(r);
	return -1;
}

void load_result_release(struct load_result *r)
{
	hist_release(&r->response);
	hist_release(&r->service);
	hist_release(&r->handshake);
	hist_release(&r->failed);
}

bool load_counters_balance(const struct load_counters *c)
{
	return c->started == c->succeeded + c->failed + c->timed_out + c->in_flight;
}

void load_counters_add(struct load_counters *into, const struct load_counters *c)
{
	into->started += c->started;
	into->succeeded += c->succeeded;
	into->failed += c->failed;
	into->timed_out += c->timed_out;
	into->in_flight += c->in_flight;
	into->status_2xx += c->status_2xx;
	into->status_3xx += c->status_3xx;
	into->status_4xx += c->status_4xx;
	into->status_5xx += c->status_5xx;
	into->connects += c->connects;
	into->connects_failed += c->connects_failed;
	into->handshakes_full += c->handshakes_full;
	into->handshakes_resumed += c->handshakes_resumed;
	into->handshakes_early_data += c->handshakes_early_data;
	into->handshakes_failed += c->handshakes_failed;
	into->closed_by_peer += c->closed_by_peer;
	into->closed_first += c->closed_first;
	into->reconnects += c->reconnects;
	into->wire_bytes_sent += c->wire_bytes_sent;
	into->wire_bytes_received += c->wire_bytes_received;
	into->body_bytes += c->body_bytes;
}

double load_rate_per_s(const struct load_result *r)
{
	int64_t elapsed_ns = r->window_to_ns - r->window_from_ns;

	if (elapsed_ns <= 0)
		return NAN;
	return (double)r->window.succeeded * (double)NS_PER_S / (double)elapsed_ns;
}

static const char *verdict_requests(const struct load_counters *w, char dst[256])
{
	if ((w->failed + w->timed_out) * FAILURES_ONE_IN > w->started)
		snprintf(dst, 256,
			 "%lld of %lld requests failed and %lld timed out: more than 1 %%",
			 (long long)w->failed, (long long)w->started, (long long)w->timed_out);
	else if (w->in_flight * FAILURES_ONE_IN > w->started)
		snprintf(dst, 256,
			 "%lld of %lld requests were still in flight %d s after the window: "
			 "measure for longer or with fewer clients",
			 (long long)w->in_flight, (long long)w->started,
			 (int)(LOAD_DRAIN_NS / NS_PER_S));
	else
		return NULL;
	return dst;
}

const char *load_verdict(const struct load_params *p, const struct load_result *r, char dst[256])
{
	if (r->hopeless)
		snprintf(dst, 256, "ended early: no request had succeeded");
	else if (!r->complete)
		snprintf(dst, 256, "interrupted before the end");
	else if (!r->window.succeeded)
		snprintf(dst, 256, "no request succeeded in the window");
	else if (p->connection == CONNECTION_FULL && r->total.handshakes_resumed)
		snprintf(dst, 256, "%lld handshakes were resumed although full ones were asked for",
			 (long long)r->total.handshakes_resumed);
	else if (r->facts_mixed)
		snprintf(dst, 256, "%lld associations negotiated another suite than the first",
			 (long long)r->facts_mixed);
	else
		return verdict_requests(&r->window, dst);
	return dst;
}
