/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record - the tables of what a campaign stores: a row per quantity.
 *
 * Nothing here knows a database or an output format. A new quantity is a member in
 * record.h and a row here; the store adds the column and every report shows it.
 */
#include "results/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/field_rows.h"

const char *const energy_sources[] = { "measured", "modelled", "synthetic", NULL };

/* "server" is the object with the server's figures in a report, so the text has the long name. */
const struct field cell_fields[] = {
	{ "name", "", "The cell's name, unique in its campaign", TEXT(cell, name) },
	{ "suite", "", "Suite asked for: version:cipher:group:credential, or plain",
	  TEXT(cell, suite) },
	{ "strength_bits", "bits",
	  "Security strength by NIST SP 800-57 part 1: the weakest of key exchange, credential, "
	  "cipher and hash",
	  INT(cell, strength_bits) },
	{ "engine", "", "TLS library of the server", TEXT(cell, engine) },
	{ "client_engine", "", "TLS library of the load generator", TEXT(cell, client_engine) },
	{ "server_under_test", "", "Server under test: builtin, or a program that was started",
	  TEXT(cell, server) },
	{ "workload", "", "What a request asks for", TEXT(cell, workload) },
	{ "payload_bytes", "bytes", "Size of the answer before any encoding",
	  INT(cell, payload_bytes) },
	{ "payload_kind", "", "Content of the answer: how compressible it is",
	  TEXT(cell, payload_kind) },
	{ "encoding", "", "Content coding of the answer, with its level", TEXT(cell, encoding) },
	{ "clients", "", "Connections that send requests at the same time", INT(cell, clients) },
	{ "connection", "",
	  "full: a new full handshake for each request; keepalive: one connection for many, or "
	  "for so many; resume: a resumed handshake for each, or for so many percent",
	  TEXT(cell, connection) },
	{ "settings", "", "What else was asked of server and load generator",
	  JSON(cell, settings) },
	{ 0 },
};

const struct field trial_fields[] = {
	{ "block", "", "Block of the campaign that the trial belongs to", INT(trial, block) },
	{ "position", "", "Order of execution in the block", INT(trial, position) },
	{ "started", "", "Start of the trial, UTC", TEXT(trial, started) },
	{ "valid", "", "False for a trial outside its limits", BOOL(trial, valid) },
	{ "load_limited", "",
	  "True when the load generator may have been the limit, not the server",
	  BOOL(trial, load_limited) },
	{ "reason", "", "Why the trial is not valid", TEXT(trial, reason) },
	{ "notes", "", "What limits how far a valid trial's figures reach, a line each",
	  TEXT(trial, notes) },
	{ "window_ns", "ns", "Length of the measure window", INT(trial, window_ns) },
	{ "requests_started", "", "Requests begun in the window", INT(trial, requests_started) },
	{ "requests_succeeded", "", "Requests answered in full and right",
	  INT(trial, requests_succeeded) },
	{ "requests_failed", "", "Requests that ended in an error", INT(trial, requests_failed) },
	{ "requests_timed_out", "", "Requests given up after their time limit",
	  INT(trial, requests_timed_out) },
	{ "requests_in_flight", "", "Requests not ended when the window closed",
	  INT(trial, requests_in_flight) },
	{ "requests_completed", "",
	  "Requests whose last byte came in the window, whenever they were begun: rates and energy "
	  "are of these",
	  INT(trial, requests_completed) },
	{ "reconnects", "", "Kept connections that had to be made again in the window",
	  INT(trial, reconnects) },
	{ "handshakes_full", "", "Full handshakes in the window, by the client",
	  INT(trial, handshakes_full) },
	{ "handshakes_resumed", "", "Resumed handshakes in the window, by the client",
	  INT(trial, handshakes_resumed) },
	{ "handshakes_early_data", "", "Handshakes with 0-RTT data in the window, by the client",
	  INT(trial, handshakes_early_data) },
	{ "handshakes_failed", "", "Handshakes that failed in the window, by the client",
	  INT(trial, handshakes_failed) },
	{ "server_handshakes_full", "",
	  "Full handshakes of the whole trial, warm-up included, by the server",
	  INT(trial, server_handshakes_full) },
	{ "server_handshakes_resumed", "",
	  "Resumed handshakes of the whole trial, warm-up included, by the server",
	  INT(trial, server_handshakes_resumed) },
	{ "client_handshakes_full", "",
	  "Full handshakes of the whole trial, warm-up included, by the client",
	  INT(trial, client_handshakes_full) },
	{ "client_handshakes_resumed", "",
	  "Resumed handshakes of the whole trial, warm-up included, by the client",
	  INT(trial, client_handshakes_resumed) },
	{ "wire_sent_bytes", "bytes", "Bytes the client sent in the window, TLS included",
	  INT(trial, wire_bytes_sent) },
	{ "wire_received_bytes", "bytes", "Bytes the client received in the window, TLS included",
	  INT(trial, wire_bytes_received) },
	{ "body_bytes", "bytes", "Bytes of answers' bodies as received, encoded",
	  INT(trial, body_bytes) },
	{ "negotiated", "", "Suite as negotiated", TEXT(trial, negotiated) },
	{ "server_version", "", "Server under test, as it says itself",
	  MAYBE_TEXT(trial, server_version) },
	{ "server_settings", "", "What decides the result in the server's configuration",
	  JSON(trial, server_settings) },
	{ "driver_figures", "",
	  "What another load generator told: latencies without a histogram, its rate, its faults",
	  JSON(trial, driver_figures) },
	{ "client_busy", "", "Share of one CPU that the load generator used, 1 is all of it",
	  REAL(trial, client_busy) },
	{ "lateness_max_ns", "ns", "Worst delay of the load generator behind its plan",
	  INT(trial, lateness_max_ns) },
	{ "clock_offset_ns", "ns", "Clock of the server's node less that of the client's",
	  INT(trial, clock_offset_ns) },
	{ "clock_uncertainty_ns", "ns", "Uncertainty of that offset",
	  INT(trial, clock_uncertainty_ns) },
	{ 0 },
};

const struct field side_fields[] = {
	{ "cpu_ns", "ns", "CPU time of the node's processes in the window", INT(side, cpu_ns) },
	{ "rss_peak_kib", "KiB", "Peak resident memory", INT(side, rss_peak_kib) },
	{ "limit_us", "us",
	  "Least CPU time of a full handshake on this side: the sum of its primitives, measured "
	  "before the trials",
	  REAL(side, limit_us) },
	{ "energy_source", "", "measured, modelled, synthetic or none", TEXT(side, energy_source) },
	{ "energy_basis", "", "What the energy rests on: board, sensor, model",
	  TEXT(side, energy_basis) },
	{ "meter", "", "Meter as configured", TEXT(side, meter) },
	{ "gross_nj", "nJ", "Energy of the window, idle included", INT(side, gross_nj) },
	{ "idle_nj", "nJ", "Measured idle power times the window", INT(side, idle_nj) },
	{ "net_nj", "nJ", "Gross less idle; may be negative", INT(side, net_nj) },
	{ "idle_before_nw", "nW", "Idle power measured before the trial",
	  INT(side, idle_before_nw) },
	{ "idle_after_nw", "nW", "Idle power measured after the trial", INT(side, idle_after_nw) },
	{ "idle_drift_pct", "pct", "Change of the idle power from before to after",
	  REAL(side, idle_drift_pct) },
	{ "instrument_pct", "pct",
	  "Standard uncertainty of the gross energy by the instrument or the model",
	  REAL(side, instrument_pct) },
	{ "coverage", "", "Share of the window covered by samples, 1 is all of it",
	  REAL(side, coverage) },
	{ "meter_samples", "", "Samples in the window", INT(side, meter_samples) },
	{ "meter_late", "", "Samples taken late", INT(side, meter_late) },
	{ "meter_lost", "", "Samples not taken", INT(side, meter_lost) },
	{ "meter_gaps", "", "Gaps in the window", INT(side, meter_gaps) },
	{ "meter_cpu_ns", "ns", "CPU time of the sampler itself", INT(side, meter_cpu_ns) },
	{ 0 },
};

const struct field node_fields[] = {
	{ "name", "", "Name of the node", TEXT(node, name) },
	{ "role", "", "server, client or meter", TEXT(node, role) },
	{ "board", "", "Board profile", MAYBE_TEXT(node, board) },
	{ "version", "", "Version of cipherwatt on the node", TEXT(node, version) },
	{ "kernel", "", "Kernel release and version", MAYBE_TEXT(node, kernel) },
	{ "machine", "", "Machine architecture", MAYBE_TEXT(node, machine) },
	{ "cpu", "", "Processor model", MAYBE_TEXT(node, cpu) },
	{ "cpus", "", "Processors online", INT(node, cpus) },
	{ "governor", "", "Frequency governor", MAYBE_TEXT(node, governor) },
	{ "os", "", "Operating system", MAYBE_TEXT(node, os) },
	{ "engines", "", "TLS libraries and their versions", JSON(node, engines) },
	{ "builds", "", "How those libraries were built and what machine code they can use",
	  JSON(node, builds) },
	{ "environment", "", "Frequencies, temperature and flags at the start",
	  JSON(node, environment) },
	{ 0 },
};

const struct field campaign_fields[] = {
	{ "name", "", "Name of the campaign", TEXT(campaign, name) },
	{ "seed", "", "Seed of the order of trials", INT(campaign, seed) },
	{ "blocks", "", "Blocks asked for: trials of each cell", INT(campaign, blocks) },
	{ "started", "", "Start of the campaign, UTC", TEXT(campaign, started) },
	{ "version", "", "Version of cipherwatt that ran it", TEXT(campaign, version) },
	{ "complete", "", "False while trials are missing", BOOL(campaign, complete) },
	{ "text", "", "The campaign file as it was", LONG_TEXT(campaign, text) },
	{ "options", "", "Every setting, defaults included", LONG_JSON(campaign, options) },
	{ 0 },
};

int trial_init(struct trial *t)
{
	memset(t, 0, sizeof(*t));
	if (hist_init(&t->response) < 0 || hist_init(&t->service) < 0 ||
	    hist_init(&t->handshake) < 0) {
		trial_release(t);
		return -1;
	}
	return 0;
}

void trial_release(struct trial *t)
{
	hist_release(&t->response);
	hist_release(&t->service);
	hist_release(&t->handshake);
}

void field_each(const struct field_part *parts, const void *record,
		void (*visit)(const char *name, const struct field *, const void *base, void *),
		void *data)
{
	char name[FIELD_NAME_BYTES];

	for (const struct field_part *p = parts; p->fields; p++)
		for (const struct field *f = p->fields; f->name; f++) {
			snprintf(name, sizeof(name), "%s%s", p->prefix, f->name);
			visit(name, f, record ? (const char *)record + p->offset : NULL, data);
		}
}

double field_number(const struct field *f, const void *base)
{
	const void *at = (const char *)base + f->offset;
	int64_t whole;

	switch (f->kind) {
	case FIELD_INT:
		whole = *(const int64_t *)at;
		return whole == FIELD_UNKNOWN_INT ? NAN : (double)whole;
	case FIELD_REAL:
		return *(const double *)at;
	case FIELD_BOOL:
		return *(const bool *)at;
	case FIELD_INTERVAL:
		return ((const struct interval *)at)->mean;
	case FIELD_TEXT:
	case FIELD_JSON:
		break;
	}
	return NAN;
}

const char *field_text(const struct field *f, const void *base)
{
	const char *at = (const char *)base + f->offset;

	if (f->size)
		return at;
	at = *(const char *const *)(const void *)at;
	return at ? at : "";
}

bool field_known(const struct field *f, const void *base)
{
	if (f->kind == FIELD_TEXT)
		return true;
	if (f->kind == FIELD_JSON)
		return *field_text(f, base) != '\0';
	return isfinite(field_number(f, base));
}
