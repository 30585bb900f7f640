/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_fill - what two nodes handed over, into the record of a trial.
 *
 * The load generator's result is its JSON (clients/load_json.c), the server's its counters
 * before and after (servers/serve_json.c). A key that is missing is an error that names it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/clock.h"
#include "testbed/runner_trial.h"

static int fill_hist(const json_t *all, const char *key, struct hist *h, struct fail *f)
{
	const char *text = json_string_value(json_object_get(all, key));
	struct buf raw = { 0 };
	int status = -1;

	if (!text)
		fail_set(f, EPROTO, "the load generator's result has no histogram \"%s\"", key);
	else if (!base64_decode(text, strlen(text), &raw, f))
		status = hist_decode(h, raw.data, raw.len, f);
	buf_release(&raw);
	return status ? fail_within(f, "histogram \"%s\"", key) : 0;
}

static int fill_counts(struct runner_trial *t, json_t *result, struct fail *f)
{
	struct trial *r = &t->record;
	json_int_t failed, timed_out, in_flight;
	json_error_t why;

	if (json_unpack_ex(result, &why, 0,
			   "{s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:{s:I}, s:{s:I, s:I, s:I, s:I}, "
			   "s:{s:I, s:I}, s:I, s:{s:{s:I, s:I, s:I, s:I}, s:{s:I, s:I}}}",
			   "requests", "started", &r->requests_started, "completed",
			   &r->requests_completed, "succeeded", &r->requests_succeeded, "failed",
			   &r->requests_failed, "timed_out", &r->requests_timed_out, "in_flight",
			   &r->requests_in_flight, "connections", "reconnects", &r->reconnects,
			   "handshakes", "full", &r->handshakes_full, "resumed",
			   &r->handshakes_resumed, "early_data", &r->handshakes_early_data,
			   "failed", &r->handshakes_failed, "wire", "bytes_sent",
			   &r->wire_bytes_sent, "bytes_received", &r->wire_bytes_received,
			   "body_bytes", &r->body_bytes, "total", "requests", "succeeded",
			   &t->client_succeeded, "failed", &failed, "timed_out", &timed_out,
			   "in_flight", &in_flight, "handshakes", "full",
			   &r->client_handshakes_full, "resumed", &r->client_handshakes_resumed))
		return fail_set(f, EPROTO, "the load generator's result: %s", why.text);
	t->client_unfinished = failed + timed_out + in_flight;
	return 0;
}

/* A text that may be null in JSON. */
static void copy_text(const json_t *from, const char *key, char *dst, size_t len)
{
	const char *text = json_string_value(json_object_get(from, key));

	snprintf(dst, len, "%s", text ? text : "");
}

static int fill_client(struct runner_trial *t, json_t *result, struct fail *f)
{
	struct trial *r = &t->record;
	json_int_t from_ns, to_ns;
	double cpu_s, late_us;
	json_error_t why;

	if (json_unpack_ex(result, &why, 0, "{s:{s:F, s:I}, s:{s:F}, s:{s:I, s:I}}", "client",
			   "cpu_s", &cpu_s, "rss_peak_kib", &r->client.rss_peak_kib, "lateness_us",
			   "max", &late_us, "window", "from_ns", &from_ns, "to_ns", &to_ns))
		return fail_set(f, EPROTO, "the load generator's result: %s", why.text);
	r->window_ns = to_ns - from_ns;
	r->lateness_max_ns = (int64_t)(late_us * (double)NS_PER_US);
	r->client_busy = r->window_ns > 0 ? cpu_s * (double)NS_PER_S / (double)r->window_ns : NAN;
	return 0;
}

/* What a counter rose by; group: of a nested object, or NULL. -1: it is not there. */
static int64_t difference(const json_t *counters, const char *group, const char *key)
{
	const json_t *before = json_object_get(counters, "before");
	const json_t *after = json_object_get(counters, "after");

	before = json_object_get(group ? json_object_get(before, group) : before, key);
	after = json_object_get(group ? json_object_get(after, group) : after, key);
	if (!json_is_integer(before) || !json_is_integer(after))
		return -1;
	return json_integer_value(after) - json_integer_value(before);
}

/* One that is not our own counts nothing that we could read, but tells how it was set. */
static int fill_other_server(struct runner_trial *t, const json_t *said, struct fail *f)
{
	struct trial *r = &t->record;
	char *settings = json_dumps(json_object_get(said, "settings"), JSON_COMPACT);
	size_t len = settings ? strlen(settings) : 0;

	t->server_requests = -1;
	r->server_handshakes_full = r->server_handshakes_resumed = FIELD_UNKNOWN_INT;
	copy_text(said, "server_version", r->server_version, sizeof(r->server_version));
	if (len && len < sizeof(r->server_settings))
		memcpy(r->server_settings, settings, len + 1);
	free(settings);
	return len < sizeof(r->server_settings)
		       ? 0
		       : fail_set(f, EMSGSIZE, "the server's settings are too long to be kept");
}

static int fill_server(struct runner_trial *t, const json_t *answer, struct fail *f)
{
	const json_t *counters = json_object_get(answer, "counters");
	struct trial *r = &t->record;

	r->server.rss_peak_kib = json_integer_value(json_object_get(answer, "rss_peak_kib"));
	if (json_is_string(json_object_get(json_object_get(counters, "after"), "server")))
		return fill_other_server(t, json_object_get(counters, "after"), f);
	t->server_requests = difference(counters, NULL, "requests");
	/* A right answer of another workload than pages may be a refusal. */
	if (strcmp(t->cell->cell.workload, "page"))
		t->server_requests += difference(counters, NULL, "rejected");
	r->server_handshakes_full = difference(counters, "handshakes", "full");
	r->server_handshakes_resumed = difference(counters, "handshakes", "resumed");
	if (t->server_requests < 0 || r->server_handshakes_full < 0 ||
	    r->server_handshakes_resumed < 0)
		return fail_set(f, EPROTO, "the server's counters are not complete");
	return 0;
}

static void fill_clock(struct runner_trial *t)
{
	const struct clock_estimate *s = &t->clock[RUNNER_SERVER], *c = &t->clock[RUNNER_CLIENT];

	t->record.clock_offset_ns = s->offset_ns - c->offset_ns;
	t->record.clock_uncertainty_ns = s->uncertainty_ns + c->uncertainty_ns;
}

static void fill_cpu(struct runner_trial *t, enum runner_node who)
{
	struct side *s = who == RUNNER_SERVER ? &t->record.server : &t->record.client;
	const json_t *cpu = json_array_get(json_object_get(t->collected[who], "cpu_ns"), 0);

	s->cpu_ns = json_is_integer(cpu) && json_integer_value(cpu) >= 0 ? json_integer_value(cpu)
									 : FIELD_UNKNOWN_INT;
}

static int fill_load(struct runner_trial *t, json_t *result, struct fail *f)
{
	const char *driver = json_string_value(json_object_get(result, "driver"));
	const json_t *hists = json_object_get(result, "histograms");

	copy_text(result, "negotiated", t->record.negotiated, sizeof(t->record.negotiated));
	copy_text(result, "first_failure", t->first_failure, sizeof(t->first_failure));
	copy_text(result, "reason", t->verdict, sizeof(t->verdict));
	if (driver && strcmp(driver, "builtin"))
		return runner_fill_driver(t, result, f);
	return fill_counts(t, result, f) || fill_client(t, result, f) ||
			       fill_hist(hists, "response", &t->record.response, f) ||
			       fill_hist(hists, "service", &t->record.service, f) ||
			       fill_hist(hists, "handshake", &t->record.handshake, f)
		       ? -1
		       : 0;
}

int runner_fill(struct runner_trial *t, struct fail *f)
{
	json_t *result = json_object_get(t->collected[RUNNER_CLIENT], "result");

	if (!result)
		return fail_set(f, EPROTO, "the load generator handed over no result");
	fill_clock(t);
	if (fill_load(t, result, f) || fill_server(t, t->collected[RUNNER_SERVER], f))
		return -1;
	for (int who = 0; who < RUNNER_NODES; who++) {
		fill_cpu(t, who);
		if (runner_energy(t, who, f))
			return fail_within(f, "the %s's energy", runner_node_name[who]);
	}
	return 0;
}
