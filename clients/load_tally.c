/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_tally - the borders of the window, and what an exchange adds on which side of them.
 */
#include "clients/load_tally.h"

static bool in_window(const struct load_tally *t, const struct exchange *x)
{
	if (t->phase == LOAD_WARMUP || x->due_ns < t->r->window_from_ns)
		return false;
	return t->phase == LOAD_WINDOW || x->due_ns < t->r->window_to_ns;
}

static bool completed_in_window(const struct load_tally *t, const struct exchange *x)
{
	if (x->end != EXCHANGE_OK || t->phase == LOAD_WARMUP)
		return false;
	if (t->count)
		return in_window(t, x);
	return t->phase == LOAD_WINDOW || x->end_ns < t->r->window_to_ns;
}

static void count_samples(struct load_tally *t, const struct exchange *x)
{
	struct load_result *r = t->r;

	if (x->handshake_ns >= 0)
		hist_add(&r->handshake, x->handshake_ns);
	load_tally_late(t, x->begun_ns - x->ready_ns);
	if (t->scheduled && x->begun_ns - x->due_ns > r->overdue_max_ns)
		r->overdue_max_ns = x->begun_ns - x->due_ns;
	if (x->end == EXCHANGE_FAILED)
		hist_add(&r->failed, x->end_ns - x->due_ns);
	if (x->end == EXCHANGE_TIMED_OUT)
		load_result_timed_out(r, x->end_ns - x->due_ns);
	if (x->end != EXCHANGE_OK)
		return;
	hist_add(&r->response, x->end_ns - x->due_ns);
	hist_add(&r->service, x->end_ns - x->sent_ns);
	hist_add(x->fresh ? &r->first : &r->warm, x->end_ns - x->sent_ns);
	r->encoded[x->encoding]++;
}

static void count_client(const struct load_tally *t, const struct exchange *x, bool first,
			 struct fairness_client *client)
{
	struct load_result *r = t->r;

	if (t->slots && x->status)
		slots_add(first ? &r->connects : &r->responses,
			  x->end_ns - (first ? x->begun_ns : x->sent_ns));
	if (x->end != EXCHANGE_OK)
		return;
	client->succeeded++;
	client->service_sum_ns += x->end_ns - x->sent_ns;
}

void load_tally_add(struct load_tally *t, const struct exchange *x, const struct fail *why,
		    struct fairness_client *client)
{
	struct load_result *r = t->r;
	bool counts = in_window(t, x), first = x->status && !client->responses;

	load_counters_add(&r->total, &x->count);
	if (x->end == EXCHANGE_FAILED || x->end == EXCHANGE_TIMED_OUT)
		load_result_blame(r, why->text, counts);
	if (x->decoded_bytes >= 0 && r->decoded_bytes < 0)
		r->decoded_bytes = x->decoded_bytes;
	client->responses += x->status != 0;
	r->window.completed += completed_in_window(t, x);
	if (counts) {
		load_counters_add(&r->window, &x->count);
		count_samples(t, x);
		count_client(t, x, first, client);
	}
}

void load_tally_late(struct load_tally *t, int64_t late_ns)
{
	if (t->phase == LOAD_WINDOW && late_ns > t->r->lateness_max_ns)
		t->r->lateness_max_ns = late_ns;
}

bool load_tally_is_full(const struct load_tally *t)
{
	const struct load_counters *w = &t->r->window;

	return t->phase == LOAD_WINDOW && t->count &&
	       w->succeeded + w->failed + w->timed_out + w->in_flight == t->count;
}
