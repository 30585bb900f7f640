/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_fill_driver - what another load generator than ours told, into the record of a trial
 * (clients/driver_json.c). What it did not tell stays unknown; it has no histograms, so its
 * latencies are kept as it gave them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "testbed/runner_trial.h"

static int64_t whole(const json_t *group, const char *key)
{
	const json_t *value = json_object_get(group, key);

	return json_is_integer(value) ? json_integer_value(value) : FIELD_UNKNOWN_INT;
}

static void fill_counts(struct runner_trial *t, const json_t *result)
{
	const json_t *requests = json_object_get(result, "requests");
	struct trial *r = &t->record;

	r->requests_started = whole(requests, "started");
	r->requests_succeeded = r->requests_completed = whole(requests, "succeeded");
	r->requests_failed = whole(requests, "failed");
	r->requests_timed_out = whole(requests, "timed_out");
	r->requests_in_flight = whole(requests, "in_flight");
	r->reconnects = whole(json_object_get(result, "connections"), "reconnects");
	r->wire_bytes_sent = FIELD_UNKNOWN_INT;
	r->wire_bytes_received = whole(json_object_get(result, "wire"), "bytes_received");
	r->body_bytes = whole(result, "body_bytes");
	r->handshakes_full = r->handshakes_resumed = FIELD_UNKNOWN_INT;
	r->handshakes_early_data = r->handshakes_failed = FIELD_UNKNOWN_INT;
	r->client_handshakes_full = r->client_handshakes_resumed = FIELD_UNKNOWN_INT;
	r->lateness_max_ns = FIELD_UNKNOWN_INT;
	t->client_succeeded = r->requests_succeeded;
	/* At its end it drops what it has in flight, and does not say how much. */
	t->client_unfinished = t->cell->cell.clients;
}

static int keep_figures(struct runner_trial *t, const json_t *result, struct fail *f)
{
	static const char *const keys[] = { "driver",     "requests_per_s", "response_us",
					    "service_us", "handshake_us",   "warnings" };
	json_t *all = json_object();
	size_t len;
	char *text;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set(all, keys[i], json_object_get(result, keys[i]));
	text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(6));
	len = text ? strlen(text) : 0;
	if (len && len < sizeof(t->record.driver_figures))
		memcpy(t->record.driver_figures, text, len + 1);
	free(text);
	json_decref(all);
	return len && len < sizeof(t->record.driver_figures)
		       ? 0
		       : fail_set(f, EMSGSIZE, "the driver's figures are too long to be kept");
}

int runner_fill_driver(struct runner_trial *t, json_t *result, struct fail *f)
{
	struct trial *r = &t->record;
	json_int_t from_ns, to_ns;
	double cpu_s;
	json_error_t why;

	if (json_unpack_ex(result, &why, 0, "{s:{s:F, s:I}, s:{s:I, s:I}}", "client", "cpu_s",
			   &cpu_s, "rss_peak_kib", &r->client.rss_peak_kib, "window", "from_ns",
			   &from_ns, "to_ns", &to_ns))
		return fail_set(f, EPROTO, "the driver's result: %s", why.text);
	fill_counts(t, result);
	if (r->requests_succeeded == FIELD_UNKNOWN_INT)
		return fail_set(f, EPROTO, "the driver did not tell how many requests succeeded");
	r->window_ns = to_ns - from_ns;
	r->client_busy = r->window_ns > 0 ? cpu_s * (double)NS_PER_S / (double)r->window_ns : NAN;
	return keep_figures(t, result, f);
}
