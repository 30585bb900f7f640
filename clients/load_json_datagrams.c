/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_json_datagrams - response times by class, how evenly they fell on the clients, and what
 * became of datagrams, as parts of the cell object.
 */
#include "clients/load_json.h"
#include "lib/clock.h"

/* With more clients the table of each is left out. */
#define EACH_MAX 1000

/* --- fairness -------------------------------------------------------------- */

static json_t *each_client(const struct load_result *r)
{
	json_t *list;

	if (r->each_count > EACH_MAX)
		return json_null();
	list = json_array();
	for (int i = 0; i < r->each_count; i++) {
		const struct fairness_client *c = &r->each[i];
		double mean_us =
			(double)c->service_sum_ns / (double)c->succeeded / (double)NS_PER_US;

		json_array_append_new(list, json_pack("[I, o]", (json_int_t)c->succeeded,
						      load_real_json(mean_us)));
	}
	return list;
}

static json_t *fairness(const struct load_result *r)
{
	struct fairness f;
	bool none;

	fairness_judge(r->each, (size_t)r->each_count, &f);
	none = !f.served;
	return json_pack("{s:I, s:I, s:{s:I, s:I, s:o}, s:{s:o, s:o, s:o}, s:o}", "clients",
			 (json_int_t)f.clients, "served", (json_int_t)f.served, "requests", "min",
			 (json_int_t)f.requests_min, "max", (json_int_t)f.requests_max, "jain",
			 load_real_json(f.requests_jain), "service_mean_us", "min",
			 none ? json_null() : json_real(f.mean_min_ns / NS_PER_US), "max",
			 none ? json_null() : json_real(f.mean_max_ns / NS_PER_US), "jain",
			 load_real_json(f.mean_jain), "each", each_client(r));
}

/* --- datagrams ------------------------------------------------------------- */

static json_t *udp(const struct load_result *r)
{
	const struct udp_stat *u = &r->udp;

	if (!r->udp_known)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "in_datagrams",
			 (json_int_t)u->in_datagrams, "out_datagrams", (json_int_t)u->out_datagrams,
			 "no_ports", (json_int_t)u->no_ports, "in_errors", (json_int_t)u->in_errors,
			 "receive_buffer_errors", (json_int_t)u->receive_buffer_errors,
			 "send_buffer_errors", (json_int_t)u->send_buffer_errors, "checksum_errors",
			 (json_int_t)u->checksum_errors);
}

static json_t *coap(const struct load_counters *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "retransmissions",
			 (json_int_t)c->coap_retransmissions, "duplicates",
			 (json_int_t)c->coap_duplicates, "strays", (json_int_t)c->coap_strays,
			 "malformed", (json_int_t)c->coap_malformed, "resets",
			 (json_int_t)c->coap_resets, "ids_exhausted",
			 (json_int_t)c->coap_ids_exhausted);
}

static json_t *datagrams(const struct load_params *p, const struct load_result *r)
{
	const struct load_counters *c = &r->window;

	if (!url_is_datagram(&p->url))
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:i, s:o}", "sent",
			 (json_int_t)c->datagrams_sent, "received",
			 (json_int_t)c->datagrams_received, "dropped",
			 (json_int_t)c->datagrams_dropped, "coap", coap(c), "dtls_retransmissions",
			 (json_int_t)c->dtls_retransmissions, "dtls_unread",
			 (json_int_t)c->dtls_unread, "receive_buffer_bytes",
			 r->receive_granted_bytes, "machine", udp(r));
}

/* --- Californium's summary -------------------------------------------------- */

static json_t *slots(const struct slots *s)
{
	char text[SLOTS_BYTES];

	if (!s->count)
		return json_null();
	return json_pack("{s:I, s:f, s:I, s:I, s:I, s:I, s:s}", "n", (json_int_t)s->count,
			 "average_ms", slots_average_ms(s), "p95_ms",
			 (json_int_t)slots_percentile_ms(s, 950), "p99_ms",
			 (json_int_t)slots_percentile_ms(s, 990), "p99_9_ms",
			 (json_int_t)slots_percentile_ms(s, 999), "max_ms",
			 (json_int_t)(s->max_ns / NS_PER_MS), "text", slots_format(s, text));
}

static json_t *californium(const struct load_params *p, const struct load_result *r)
{
	if (!p->californium)
		return json_null();
	return json_pack("{s:o, s:o}", "connects", slots(&r->connects), "responses",
			 slots(&r->responses));
}

void load_json_classes(json_t *cell, const struct load_params *p, const struct load_result *r)
{
	json_object_set_new(cell, "first_us", load_latency_json(&r->first));
	json_object_set_new(cell, "warm_us", load_latency_json(&r->warm));
	json_object_set_new(cell, "fairness", fairness(r));
	json_object_set_new(cell, "datagrams", datagrams(p, r));
	json_object_set_new(cell, "californium", californium(p, r));
}

json_t *load_asked_datagrams_json(const struct load_params *p)
{
	const struct load_datagrams *d = &p->datagrams;

	if (!url_is_datagram(&p->url))
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:b, s:b, s:i, s:i}", "mtu_bytes",
			 (json_int_t)d->mtu_bytes, "block_bytes", (json_int_t)d->block_bytes,
			 "ack_timeout_ns", (json_int_t)d->ack_timeout_ns, "dtls_timeout_ns",
			 (json_int_t)d->dtls_timeout_ns, "non", (int)d->non, "reuse_ids",
			 (int)d->reuse_ids, "rate_overhead_bytes", d->overhead_bytes,
			 "receive_bytes", d->receive_bytes);
}
