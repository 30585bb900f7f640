/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_result - the figures of a run: made, added, checked, judged. No sockets here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/load.h"
#include "lib/clock.h"

/* More requests in flight, or never started, than one in this many is too many. */
#define OPEN_ONE_IN 100
/* More kept associations made again than one for this many requests: they were not kept. */
#define RECONNECT_ONE_IN 100

int load_result_init(struct load_result *r)
{
	*r = (struct load_result){ .decoded_bytes = -1 };
	if (!hist_init(&r->response) && !hist_init(&r->service) && !hist_init(&r->handshake) &&
	    !hist_init(&r->first) && !hist_init(&r->warm) && !hist_init(&r->failed) &&
	    !slots_init(&r->connects) && !slots_init(&r->responses))
		return 0;
	load_result_release(r);
	return -1;
}

void load_result_release(struct load_result *r)
{
	hist_release(&r->response);
	hist_release(&r->service);
	hist_release(&r->handshake);
	hist_release(&r->first);
	hist_release(&r->warm);
	hist_release(&r->failed);
	slots_release(&r->connects);
	slots_release(&r->responses);
	free(r->each);
	r->each = NULL;
	r->each_count = 0;
}

int load_result_clients(struct load_result *r, int clients)
{
	r->each = calloc((size_t)clients, sizeof(*r->each));
	r->each_count = r->each ? clients : 0;
	return r->each ? 0 : -1;
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
	into->completed += c->completed;
	into->status_2xx += c->status_2xx;
	into->status_3xx += c->status_3xx;
	into->status_4xx += c->status_4xx;
	into->status_5xx += c->status_5xx;
	for (int i = 0; i < ASKER_OUTCOMES; i++)
		into->outcomes[i] += c->outcomes[i];
	into->connects += c->connects;
	into->connects_failed += c->connects_failed;
	into->client_limits += c->client_limits;
	into->handshakes_full += c->handshakes_full;
	into->handshakes_resumed += c->handshakes_resumed;
	into->handshakes_early_data += c->handshakes_early_data;
	into->handshakes_failed += c->handshakes_failed;
	into->early_data_refused += c->early_data_refused;
	into->handshakes_first += c->handshakes_first;
	into->closed_by_peer += c->closed_by_peer;
	into->closed_first += c->closed_first;
	into->reconnects += c->reconnects;
	into->wire_bytes_sent += c->wire_bytes_sent;
	into->wire_bytes_received += c->wire_bytes_received;
	into->body_bytes += c->body_bytes;
	into->datagrams_sent += c->datagrams_sent;
	into->datagrams_received += c->datagrams_received;
	into->datagrams_dropped += c->datagrams_dropped;
	into->coap_retransmissions += c->coap_retransmissions;
	into->dtls_unread += c->dtls_unread;
	into->dtls_retransmissions += c->dtls_retransmissions;
	into->coap_duplicates += c->coap_duplicates;
	into->coap_strays += c->coap_strays;
	into->coap_malformed += c->coap_malformed;
	into->coap_resets += c->coap_resets;
	into->coap_ids_exhausted += c->coap_ids_exhausted;
}

double load_rate_per_s(const struct load_result *r)
{
	int64_t elapsed_ns = r->window_to_ns - r->window_from_ns;

	if (elapsed_ns <= 0)
		return NAN;
	return (double)r->window.completed * (double)NS_PER_S / (double)elapsed_ns;
}

int64_t load_timeout_ns(const struct load_params *p, const struct load_result *r)
{
	return r->timed_out_least_ns ? r->timed_out_least_ns : p->timeout_ns;
}

/* Above the shortest wait the order of samples and time-outs is not known. */
double load_quantile_ns(const struct load_params *p, const struct load_result *r, double q)
{
	const struct hist *h = &r->response;
	int64_t timeouts = r->window.timed_out, ns;
	double rank = ceil(q * (double)((int64_t)h->count + timeouts));

	if (!h->count || rank > (double)h->count)
		return NAN;
	ns = hist_quantile(h, rank / (double)h->count);
	return timeouts && ns > load_timeout_ns(p, r) ? NAN : (double)ns;
}

/* --- several threads ------------------------------------------------------ */

static void merge_window(struct load_result *into, const struct load_result *from)
{
	if (!from->window_from_ns)
		return;
	if (!into->window_from_ns || from->window_from_ns < into->window_from_ns)
		into->window_from_ns = from->window_from_ns;
	if (from->window_to_ns > into->window_to_ns)
		into->window_to_ns = from->window_to_ns;
}

static void merge_facts(struct load_result *into, const struct load_result *from)
{
	const struct tls_facts *a = &into->facts, *b = &from->facts;
	bool same = a->version == b->version && a->cipher_id == b->cipher_id &&
		    a->group_id == b->group_id;

	if (!into->associations)
		into->facts = from->facts;
	else if (from->associations && !same)
		into->facts_mixed += from->associations;
	into->facts_mixed += from->facts_mixed;
	into->associations += from->associations;
}

static void raise_to(int64_t *into, int64_t from)
{
	if (from > *into)
		*into = from;
}

/* Clients of one thread behind those of another. Without memory the table is left out. */
static void merge_clients(struct load_result *into, const struct load_result *from)
{
	size_t count = (size_t)into->each_count + (size_t)from->each_count;
	struct fairness_client *each =
		from->each_count ? realloc(into->each, count * sizeof(*each)) : NULL;

	if (!each)
		return;
	memcpy(each + into->each_count, from->each, (size_t)from->each_count * sizeof(*each));
	into->each = each;
	into->each_count = (int)count;
}

void load_result_merge(struct load_result *into, const struct load_result *from)
{
	load_counters_add(&into->window, &from->window);
	load_counters_add(&into->total, &from->total);
	merge_window(into, from);
	merge_facts(into, from);
	hist_merge(&into->response, &from->response);
	hist_merge(&into->service, &from->service);
	hist_merge(&into->handshake, &from->handshake);
	hist_merge(&into->first, &from->first);
	hist_merge(&into->warm, &from->warm);
	hist_merge(&into->failed, &from->failed);
	slots_merge(&into->connects, &from->connects);
	slots_merge(&into->responses, &from->responses);
	merge_clients(into, from);
	message_tally_merge(&into->stages, &from->stages);
	if (from->receive_granted_bytes)
		into->receive_granted_bytes = from->receive_granted_bytes;
	for (int e = 0; e < APP_ENCODINGS; e++)
		into->encoded[e] += from->encoded[e];
	raise_to(&into->decoded_bytes, from->decoded_bytes);
	into->cpu_ns += from->cpu_ns;
	raise_to(&into->cpu_busiest_ns, from->cpu_busiest_ns);
	raise_to(&into->lateness_max_ns, from->lateness_max_ns);
	raise_to(&into->overdue_max_ns, from->overdue_max_ns);
	into->unstarted += from->unstarted;
	load_result_timed_out(into, from->timed_out_least_ns);
	into->clients_tried += from->clients_tried;
	into->clients_connected += from->clients_connected;
	into->complete &= from->complete;
	into->hopeless |= from->hopeless;
	if (from->first_failure[0])
		load_result_blame(into, from->first_failure, from->blames_window);
}

void load_result_timed_out(struct load_result *r, int64_t waited_ns)
{
	if (waited_ns && (!r->timed_out_least_ns || waited_ns < r->timed_out_least_ns))
		r->timed_out_least_ns = waited_ns;
}

void load_result_blame(struct load_result *r, const char *text, bool in_window)
{
	if (r->first_failure[0] && (r->blames_window || !in_window))
		return;
	snprintf(r->first_failure, sizeof(r->first_failure), "%s", text);
	r->blames_window = in_window;
}

const char *load_connection_format(const struct load_params *p, char dst[CONNECTION_TEXT_BYTES])
{
	int64_t number =
		connection_kind[p->connection].resumes ? p->resume_pct : p->connection_requests;

	return connection_format(p->connection, number, dst);
}

/* --- verdicts ------------------------------------------------------------- */

bool load_schedule_kept(const struct load_params *p, const struct load_result *r)
{
	if (p->rate_per_s <= 0)
		return true;
	return r->overdue_max_ns <= LOAD_LATE_NS &&
	       r->unstarted * OPEN_ONE_IN <= r->window.started + r->unstarted;
}

double load_resumed_pct(const struct load_result *r)
{
	const struct load_counters *w = &r->window;
	int64_t could = w->handshakes_full + w->handshakes_resumed - w->handshakes_first;

	return could > 0 ? 100.0 * (double)w->handshakes_resumed / (double)could : NAN;
}

/* The share is counted out per client: each may be one short, unless it is all of them. */
static bool resumed_too_few(const struct load_params *p, const struct load_result *r)
{
	const struct load_counters *w = &r->window;
	int64_t could = w->handshakes_full + w->handshakes_resumed - w->handshakes_first;
	double asked = 0.99 * p->resume_pct / 100 * (double)could;

	if (!connection_kind[p->connection].resumes)
		return false;
	if (p->resume_pct < 100)
		asked -= p->clients;
	return (double)w->handshakes_resumed < asked || (could <= 0 && p->resume_pct > 0);
}

static bool falls_short(int64_t good, int64_t of, double min_pct)
{
	return 100.0 * (double)good < min_pct * (double)of;
}

/* Beyond those that a failed request made necessary. */
static int64_t needless_reconnects(const struct load_params *p, const struct load_counters *w)
{
	return connection_kind[p->connection].keeps ? w->reconnects - w->failed - w->timed_out : 0;
}

static const char *verdict_requests(const struct load_params *p, const struct load_result *r,
				    char dst[256])
{
	const struct load_counters *w = &r->window;
	int64_t bad = w->failed + w->timed_out;

	if (falls_short(w->started - bad, w->started, p->min_success_pct))
		snprintf(dst, 256,
			 "%lld of %lld requests failed and %lld timed out: more than %.3g %%",
			 (long long)w->failed, (long long)w->started, (long long)w->timed_out,
			 100 - p->min_success_pct);
	else if (w->in_flight * OPEN_ONE_IN > w->started)
		snprintf(dst, 256,
			 "%lld of %lld requests were still in flight %d s after the window: "
			 "measure for longer or with fewer clients",
			 (long long)w->in_flight, (long long)w->started,
			 (int)(LOAD_DRAIN_NS / NS_PER_S));
	else if (falls_short(r->clients_connected, r->clients_tried, p->min_success_pct))
		snprintf(dst, 256, "%lld of %lld clients never got a connection",
			 (long long)(r->clients_tried - r->clients_connected),
			 (long long)r->clients_tried);
	else if (needless_reconnects(p, w) * RECONNECT_ONE_IN > w->started)
		snprintf(dst, 256,
			 "connections were to be kept, and %lld had to be made again for %lld "
			 "requests: does the server limit the requests on one (nginx: "
			 "keepalive_requests)?",
			 (long long)w->reconnects, (long long)w->started);
	else
		return NULL;
	return dst;
}

bool load_result_balances(const struct load_result *r)
{
	return load_counters_balance(&r->window) && load_counters_balance(&r->total);
}

static void say_lost(const struct load_result *r, char dst[256])
{
	bool whole = load_counters_balance(&r->window);
	const struct load_counters *c = whole ? &r->total : &r->window;

	snprintf(dst, 256,
		 "a fault of cipherwatt: the requests of the %s do not add up: %lld started, %lld "
		 "succeeded + %lld failed + %lld timed out + %lld in flight",
		 whole ? "run" : "window", (long long)c->started, (long long)c->succeeded,
		 (long long)c->failed, (long long)c->timed_out, (long long)c->in_flight);
}

const char *load_verdict(const struct load_params *p, const struct load_result *r, char dst[256])
{
	if (!load_result_balances(r))
		say_lost(r, dst);
	else if (r->hopeless)
		snprintf(dst, 256, "ended early: no request had succeeded");
	else if (!r->complete)
		snprintf(dst, 256, "interrupted before the end");
	else if (!r->window.succeeded)
		snprintf(dst, 256, "no request succeeded in the window");
	else if (connection_kind[p->connection].spoiled_resumed && r->total.handshakes_resumed)
		snprintf(dst, 256, "%lld handshakes were resumed although full ones were asked for",
			 (long long)r->total.handshakes_resumed);
	else if (resumed_too_few(p, r))
		snprintf(
			dst, 256,
			"%lld of %lld handshakes were resumed, %d %% of those behind each client's "
			"first were asked for: does the server give tickets, and long enough?",
			(long long)r->window.handshakes_resumed,
			(long long)(r->window.handshakes_full + r->window.handshakes_resumed),
			p->resume_pct);
	else if (r->facts_mixed)
		snprintf(dst, 256, "%lld associations negotiated another suite than the first",
			 (long long)r->facts_mixed);
	else if (r->total.client_limits)
		snprintf(dst, 256,
			 "%lld connections failed for want of a local port or descriptor: this "
			 "machine was the limit, not the server",
			 (long long)r->total.client_limits);
	else
		return verdict_requests(p, r, dst);
	return dst;
}
