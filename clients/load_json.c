/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_json - each struct of a run as one JSON object. What could not be measured is null,
 * never a zero and never not-a-number.
 */
#include "clients/load_json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "clients/load_setup.h"
#include "lib/base64.h"
#include "lib/clock.h"
#include "lib/usage.h"
#include "protocols/app.h"
#include "workloads/message_json.h"

/* Above this share of one core the generator may be what was measured. */
#define CPU_PCT_MAX 80.0

json_t *load_real_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *quantile_us(const struct hist *h, double q)
{
	return h->count ? json_real((double)hist_quantile(h, q) / NS_PER_US) : json_null();
}

json_t *load_latency_json(const struct hist *h)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "p50", quantile_us(h, 0.50),
			 "p95", quantile_us(h, 0.95), "p99", quantile_us(h, 0.99), "p99_9",
			 quantile_us(h, 0.999), "min",
			 h->count ? json_real((double)h->min_ns / NS_PER_US) : json_null(), "max",
			 h->count ? json_real((double)h->max_ns / NS_PER_US) : json_null(), "mean",
			 load_real_json(hist_mean(h) / NS_PER_US), "n", (json_int_t)h->count);
}

static json_t *histogram(const struct hist *h)
{
	struct buf bytes = { 0 }, text = { 0 };
	json_t *out;

	hist_encode(h, &bytes);
	base64_encode(bytes.data, bytes.len, &text);
	out = bytes.failed || text.failed ? NULL : json_string(buf_text(&text));
	buf_release(&bytes);
	buf_release(&text);
	return out;
}

/* --- counters ------------------------------------------------------------- */

static json_t *requests(const struct load_counters *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "started", (json_int_t)c->started,
			 "succeeded", (json_int_t)c->succeeded, "failed", (json_int_t)c->failed,
			 "timed_out", (json_int_t)c->timed_out, "in_flight",
			 (json_int_t)c->in_flight);
}

static json_t *window_requests(const struct load_counters *c)
{
	json_t *o = requests(c);

	json_object_set_new(o, "completed", json_integer(c->completed));
	return o;
}

static json_t *handshakes(const struct load_counters *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "full", (json_int_t)c->handshakes_full,
			 "resumed", (json_int_t)c->handshakes_resumed, "early_data",
			 (json_int_t)c->handshakes_early_data, "early_data_refused",
			 (json_int_t)c->early_data_refused, "failed",
			 (json_int_t)c->handshakes_failed);
}

static json_t *connections(const struct load_counters *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "established", (json_int_t)c->connects,
			 "failed", (json_int_t)c->connects_failed, "client_limits",
			 (json_int_t)c->client_limits, "reconnects", (json_int_t)c->reconnects,
			 "closed_by_peer", (json_int_t)c->closed_by_peer, "closed_first",
			 (json_int_t)c->closed_first);
}

static json_t *statuses(const struct load_counters *c)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "2xx", (json_int_t)c->status_2xx, "3xx",
			 (json_int_t)c->status_3xx, "4xx", (json_int_t)c->status_4xx, "5xx",
			 (json_int_t)c->status_5xx);
}

/* By what was answered, whatever the status: of the workload's classes, those that can be. */
static json_t *outcomes(const struct load_counters *c)
{
	json_t *o = json_object();

	for (int i = 0; i < ASKER_OUTCOMES; i++)
		json_object_set_new(o, asker_outcome_name[i], json_integer(c->outcomes[i]));
	return o;
}

static json_t *wire(const struct load_counters *c)
{
	return json_pack("{s:I, s:I}", "bytes_sent", (json_int_t)c->wire_bytes_sent,
			 "bytes_received", (json_int_t)c->wire_bytes_received);
}

static json_t *total(const struct load_counters *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "requests", requests(c),
			 "handshakes", handshakes(c), "connections", connections(c), "statuses",
			 statuses(c), "outcomes", outcomes(c), "wire", wire(c), "body_bytes",
			 (json_int_t)c->body_bytes);
}

/* --- derived figures ------------------------------------------------------- */

static double elapsed_s(const struct load_result *r)
{
	return (double)(r->window_to_ns - r->window_from_ns) / NS_PER_S;
}

static double cpu_pct(const struct load_result *r)
{
	return elapsed_s(r) > 0 ? 100.0 * (double)r->cpu_ns / NS_PER_S / elapsed_s(r) : NAN;
}

static json_t *client(const struct load_result *r)
{
	return json_pack("{s:f, s:o, s:I}", "cpu_s", (double)r->cpu_ns / NS_PER_S, "cpu_pct",
			 load_real_json(cpu_pct(r)), "rss_peak_kib",
			 (json_int_t)usage_rss_peak_kib(getpid()));
}

/* Content of one response, decoded where that is known; null when there was none. */
static json_t *payload_bytes(const struct load_result *r)
{
	if (!r->window.succeeded)
		return json_null();
	if (r->encoded[APP_IDENTITY] < r->window.succeeded && r->decoded_bytes >= 0)
		return json_integer(r->decoded_bytes);
	return json_integer(
		(json_int_t)llround((double)r->window.body_bytes / (double)r->window.succeeded));
}

static const char *encoding(const struct load_result *r)
{
	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++) {
		if (r->encoded[e] && r->encoded[e] == r->window.succeeded)
			return app_encoding_name((enum app_encoding)e);
	}
	return r->encoded[APP_IDENTITY] == r->window.succeeded ? "identity" : "mixed";
}

static void add_suite(json_t *cell, const struct load_params *p, const struct load_result *r)
{
	char negotiated[SUITE_TEXT_BYTES], text[SUITE_TEXT_BYTES];
	struct fail ignored = { 0 };
	struct suite s;
	bool known = r->associations > 0;

	if (known)
		facts_format(&r->facts, negotiated);
	json_object_set_new(cell, "negotiated", text_or_null(known ? negotiated : NULL));
	if (p->suite)
		suite_format(p->suite, text);
	json_object_set_new(cell, "suite",
			    text_or_null(p->suite ? text
					 : known  ? negotiated
						  : NULL));
	if (p->suite)
		s = *p->suite;
	known = p->suite || (known && !suite_parse(negotiated, &s, &ignored));
	json_object_set_new(cell, "strength_bits",
			    known ? json_integer(suite_strength_bits(&s)) : json_null());
}

/* --- time-outs and schedules ----------------------------------------------- */

static json_t *censored_us(const struct load_params *p, const struct load_result *r, double q)
{
	return load_real_json(load_quantile_ns(p, r, q) / NS_PER_US);
}

static json_t *censored(const struct load_params *p, const struct load_result *r)
{
	const struct hist *h = &r->response;
	int64_t n = r->window.timed_out;

	return json_pack("{s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o}", "completed",
			 (json_int_t)h->count + n, "samples", (json_int_t)h->count, "timeouts",
			 (json_int_t)n, "longer_than_us", (double)load_timeout_ns(p, r) / NS_PER_US,
			 "p50", censored_us(p, r, 0.50), "p95", censored_us(p, r, 0.95), "p99",
			 censored_us(p, r, 0.99), "p99_9", censored_us(p, r, 0.999));
}

static json_t *schedule(const struct load_params *p, const struct load_result *r)
{
	if (p->rate_per_s <= 0)
		return json_null();
	return json_pack("{s:s, s:f, s:o, s:I, s:I, s:f, s:b}", "arrivals",
			 arrival_kind_name[p->arrivals], "asked_per_s", p->rate_per_s,
			 "achieved_per_s", load_real_json(load_rate_per_s(r)), "started",
			 (json_int_t)r->window.started, "unstarted", (json_int_t)r->unstarted,
			 "lateness_max_us", (double)r->overdue_max_ns / NS_PER_US, "kept",
			 (int)load_schedule_kept(p, r));
}

static void warn(json_t *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void warn(json_t *list, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	json_array_append_new(list, json_vsprintf(fmt, ap));
	va_end(ap);
}

static void warn_of_pace(json_t *list, const struct load_params *p, const struct load_result *r)
{
	if (!load_schedule_kept(p, r))
		warn(list,
		     "schedule not kept (max lateness %.3g s, %lld due and never begun): %.6g of "
		     "%.6g requests/s achieved",
		     (double)r->overdue_max_ns / NS_PER_S, (long long)r->unstarted,
		     load_rate_per_s(r), p->rate_per_s);
	if (p->ramp_ns > p->warmup_ns)
		warn(list, "the ramp is longer than the warm-up: the window began before all "
			   "clients had started");
}

static void warn_of_datagrams(json_t *list, const struct load_params *p,
			      const struct load_result *r)
{
	int asked = p->datagrams.receive_bytes, granted = r->receive_granted_bytes;

	if (r->udp_known && r->udp.receive_buffer_errors > 0)
		warn(list,
		     "%lld datagrams found no room in a receive buffer of this machine while the "
		     "run lasted",
		     (long long)r->udp.receive_buffer_errors);
	/* The kernel takes twice what is asked for, its own accounts included (socket(7)). */
	if (asked && granted && granted < 2 * asked)
		warn(list,
		     "receive buffers have %d bytes, %d were asked for: raise "
		     "net.core.rmem_max",
		     granted / 2, asked);
	if (r->total.coap_ids_exhausted)
		warn(list,
		     "%lld times a client had used all message ids of its socket and took another "
		     "one, with a handshake",
		     (long long)r->total.coap_ids_exhausted);
}

static json_t *warnings(const struct load_params *p, const struct load_result *r)
{
	json_t *list = json_array();
	double pct =
		elapsed_s(r) > 0 ? 100.0 * (double)r->cpu_busiest_ns / NS_PER_S / elapsed_s(r) : 0;
	char ports[256];

	if (pct > CPU_PCT_MAX)
		warn(list,
		     "the load generator used %.0f %% of a core: it may be the bottleneck, not the "
		     "server",
		     pct);
	if (r->window.closed_first)
		warn(list,
		     "%lld times the server left closing to the client: each cost up to 100 ms and "
		     "keeps a local port for a minute",
		     (long long)r->window.closed_first);
	warn_of_pace(list, p, r);
	warn_of_datagrams(list, p, r);
	if (load_port_warning(p, ports))
		warn(list, "%s", ports);
	return list;
}

static void add_validity(json_t *cell, const struct load_params *p, const struct load_result *r)
{
	char why[256];
	const char *reason = load_verdict(p, r, why);

	json_object_set_new(cell, "complete", json_boolean(r->complete));
	json_object_set_new(cell, "valid", json_boolean(!reason));
	json_object_set_new(cell, "reason", text_or_null(reason));
	json_object_set_new(cell, "trials", json_integer(1));
	json_object_set_new(cell, "valid_trials", json_integer(!reason));
	json_object_set_new(cell, "first_failure",
			    text_or_null(r->first_failure[0] ? r->first_failure : NULL));
	json_object_set_new(cell, "warnings", warnings(p, r));
}

static void add_figures(json_t *cell, const struct load_params *p, const struct load_result *r)
{
	const struct load_counters *w = &r->window;

	json_object_set_new(cell, "requests", window_requests(w));
	json_object_set_new(cell, "handshakes", handshakes(w));
	json_object_set_new(cell, "connections", connections(w));
	json_object_set_new(cell, "statuses", statuses(w));
	json_object_set_new(cell, "outcomes", outcomes(w));
	json_object_set_new(cell, "requests_per_s",
			    json_pack("{s:o, s:n}", "mean", load_real_json(load_rate_per_s(r)),
				      "ci95"));
	json_object_set_new(cell, "response_us", load_latency_json(&r->response));
	json_object_set_new(cell, "service_us", load_latency_json(&r->service));
	json_object_set_new(cell, "handshake_us", load_latency_json(&r->handshake));
	json_object_set_new(cell, "failed_us", load_latency_json(&r->failed));
	json_object_set_new(cell, "with_timeouts", censored(p, r));
	json_object_set_new(cell, "schedule", schedule(p, r));
	json_object_set_new(cell, "resumed_pct", load_real_json(load_resumed_pct(r)));
	json_object_set_new(cell, "wire", wire(w));
	json_object_set_new(cell, "body_bytes", json_integer(w->body_bytes));
	json_object_set_new(cell, "client", client(r));
	json_object_set_new(cell, "lateness_us",
			    json_pack("{s:f}", "max", (double)r->lateness_max_ns / NS_PER_US));
	json_object_set_new(cell, "window",
			    json_pack("{s:I, s:I, s:f}", "from_ns", (json_int_t)r->window_from_ns,
				      "to_ns", (json_int_t)r->window_to_ns, "elapsed_s",
				      elapsed_s(r)));
	json_object_set_new(cell, "total", total(&r->total));
	json_object_set_new(cell, "histograms",
			    json_pack("{s:o, s:o, s:o}", "response", histogram(&r->response),
				      "service", histogram(&r->service), "handshake",
				      histogram(&r->handshake)));
}

json_t *load_json(const struct load_params *p, const struct load_result *r)
{
	char connection[CONNECTION_TEXT_BYTES];
	json_t *cell = json_pack("{s:s, s:o, s:o}", "schema", "cipherwatt/1", "asked",
				 load_asked_json(p), "environment", load_environment_json(p));

	if (!cell)
		return NULL;
	add_suite(cell, p, r);
	json_object_set_new(cell, "engine", json_string(p->engine->name));
	json_object_set_new(cell, "driver", json_string("builtin"));
	json_object_set_new(cell, "server", json_string("external"));
	json_object_set_new(cell, "workload", load_workload_json(p));
	json_object_set_new(cell, "payload_bytes", payload_bytes(r));
	json_object_set_new(cell, "encoding", json_string(encoding(r)));
	json_object_set_new(cell, "clients", json_integer(p->clients));
	json_object_set_new(cell, "clients_connected", json_integer(r->clients_connected));
	json_object_set_new(cell, "connection", json_string(load_connection_format(p, connection)));
	add_validity(cell, p, r);
	add_figures(cell, p, r);
	load_json_classes(cell, p, r);
	if (p->asker && p->asker->stages)
		json_object_set_new(cell, "message", message_tally_json(&r->stages));
	return cell;
}
