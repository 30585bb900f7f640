/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_json - another generator's figures as the cell object of ours. Null stands for what it
 * did not tell.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clients/driver.h"
#include "clients/load_json.h"
#include "lib/clock.h"

static json_t *count(int64_t n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *t)
{
	return t && t[0] ? json_string(t) : json_null();
}

static json_t *latency(const struct driver_latency *l, double resolution_us)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:n, s:o}", "p50", real(l->p50),
			 "p95", real(l->p95), "p99", real(l->p99), "p99_9", real(l->p99_9), "min",
			 real(l->min), "max", real(l->max), "mean", real(l->mean), "n",
			 "resolution", real(resolution_us));
}

static json_t *requests(const struct driver_figures *d)
{
	bool all = d->started >= 0 && d->succeeded >= 0 && d->failed >= 0 && d->timed_out >= 0;

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "started", count(d->started), "succeeded",
			 count(d->succeeded), "failed", count(d->failed), "timed_out",
			 count(d->timed_out), "in_flight",
			 all ? json_integer(d->started - d->succeeded - d->failed - d->timed_out)
			     : json_null());
}

/* None of them tells how its handshakes were made. */
static json_t *handshakes(void)
{
	return json_pack("{s:n, s:n, s:n, s:n}", "full", "resumed", "early_data", "failed");
}

/* As far as it is told: the credential never is. */
static void write_negotiated(const struct driver_figures *d, char dst[SUITE_TEXT_BYTES])
{
	const char *version = !strcmp(d->version, "TLSv1.3") ? "tls1.3" : "tls1.2";
	char group[32];

	snprintf(group, sizeof(group), "%s", d->group[0] ? d->group : "?");
	for (char *c = group; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	group[strcspn(group, ",")] = '\0';
	dst[0] = '\0';
	if (d->cipher[0])
		snprintf(dst, SUITE_TEXT_BYTES, "%s:%s:%s:?", version, d->cipher, group);
}

static json_t *notes(const struct driver_figures *d)
{
	json_t *list = json_array();

	for (int i = 0; i < d->notes; i++)
		json_array_append_new(list, json_string(d->note[i]));
	return list;
}

static void add_figures(json_t *cell, const struct driver_figures *d)
{
	double cpu_s = (double)d->cpu_ns / NS_PER_S;

	json_object_set_new(cell, "requests", requests(d));
	json_object_set_new(cell, "handshakes", handshakes());
	json_object_set_new(cell, "connections",
			    json_pack("{s:o, s:o, s:o}", "established", count(d->connects),
				      "failed", count(d->connects_failed), "reconnects",
				      count(d->reconnects)));
	json_object_set_new(cell, "statuses",
			    json_pack("{s:o, s:o, s:o, s:o}", "2xx", count(d->status[2]), "3xx",
				      count(d->status[3]), "4xx", count(d->status[4]), "5xx",
				      count(d->status[5])));
	json_object_set_new(cell, "requests_per_s",
			    json_pack("{s:o, s:n}", "mean", real(d->requests_per_s), "ci95"));
	json_object_set_new(cell, "response_us", latency(&d->response, d->resolution_us));
	json_object_set_new(cell, "service_us", latency(&d->service, d->resolution_us));
	json_object_set_new(cell, "handshake_us", latency(&d->handshake, d->resolution_us));
	json_object_set_new(cell, "wire",
			    json_pack("{s:n, s:o}", "bytes_sent", "bytes_received",
				      count(d->wire_bytes_received)));
	json_object_set_new(cell, "body_bytes", count(d->body_bytes));
	json_object_set_new(cell, "client",
			    json_pack("{s:f, s:o, s:I}", "cpu_s", cpu_s, "cpu_pct",
				      real(d->to_ns > d->from_ns
						   ? 100 * cpu_s * (double)NS_PER_S /
							     (double)(d->to_ns - d->from_ns)
						   : NAN),
				      "rss_peak_kib", (json_int_t)d->rss_peak_kib));
	json_object_set_new(cell, "lateness_us", json_pack("{s:n}", "max"));
	json_object_set_new(cell, "window",
			    json_pack("{s:I, s:I, s:o}", "from_ns", (json_int_t)d->from_ns, "to_ns",
				      (json_int_t)d->to_ns, "elapsed_s", real(d->elapsed_s)));
}

static void add_validity(json_t *cell, const struct load_params *p, const struct driver_figures *d)
{
	char why[256];
	const char *reason = driver_verdict(p, d, why);

	json_object_set_new(cell, "complete", json_true());
	json_object_set_new(cell, "valid", json_boolean(!reason));
	json_object_set_new(cell, "reason", text(reason));
	json_object_set_new(cell, "trials", json_integer(1));
	json_object_set_new(cell, "valid_trials", json_integer(!reason));
	json_object_set_new(cell, "first_failure", text(d->first_failure));
	json_object_set_new(cell, "warnings", notes(d));
}

json_t *driver_json(const struct driver_ops *ops, const struct load_params *p,
		    const struct driver_figures *d)
{
	char negotiated[SUITE_TEXT_BYTES], asked[SUITE_TEXT_BYTES];
	json_t *cell = json_pack("{s:s, s:o, s:o}", "schema", "cipherwatt/1", "asked",
				 load_asked_json(p), "environment", load_environment_json(p));

	if (!cell)
		return NULL;
	/* Its library is its own affair. */
	json_object_set_new(json_object_get(cell, "environment"), "engine", json_null());
	write_negotiated(d, negotiated);
	json_object_set_new(cell, "driver", json_string(ops->name));
	json_object_set_new(cell, "suite",
			    text(p->suite ? suite_format(p->suite, asked) : negotiated));
	json_object_set_new(cell, "negotiated", text(negotiated));
	json_object_set_new(cell, "strength_bits",
			    p->suite ? json_integer(suite_strength_bits(p->suite)) : json_null());
	json_object_set_new(cell, "engine", json_null());
	json_object_set_new(cell, "server", json_string("external"));
	json_object_set_new(cell, "workload", load_workload_json(p));
	json_object_set_new(cell, "payload_bytes", json_null());
	json_object_set_new(cell, "encoding", json_null());
	json_object_set_new(cell, "clients", json_integer(p->clients));
	json_object_set_new(cell, "connection", json_string(connection_mode_name[p->connection]));
	add_validity(cell, p, d);
	add_figures(cell, d);
	return cell;
}
