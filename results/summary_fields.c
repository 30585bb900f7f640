/* SPDX-License-Identifier: Apache-2.0 */
/* summary_fields - the figures of a cell in a report: name, unit and meaning of each. */
#include "results/field_rows.h"
#include "results/summary.h"

static const struct field head_fields[] = {
	{ "trials", "", "Trials stored", INT(cell_summary, trials) },
	{ "valid_trials", "", "Trials inside their limits; only these enter the figures",
	  INT(cell_summary, valid_trials) },
	{ "notes", "", "Notes on the valid trials: what limits how far their figures reach",
	  INT(cell_summary, notes) },
	{ "server_version", "", "Server under test, as it says itself; null for our own",
	  MAYBE_TEXT(cell_summary, server_version) },
	{ "server_settings", "", "What decides the result in that server's configuration",
	  JSON(cell_summary, server_settings) },
	{ "driver_figures", "",
	  "What another load generator told of the last valid trial: latencies, its own rate",
	  JSON(cell_summary, driver_figures) },
	{ "window_s", "s", "Sum of the measure windows", REAL(cell_summary, window_s) },
	{ "requests_per_s", "1/s", "Requests completed per second, over trials",
	  INTERVAL(cell_summary, requests_per_s) },
	{ "median_requests_per_s", "1/s",
	  "Their median over trials, with a BCa bootstrap interval by a fixed seed",
	  INTERVAL(cell_summary, requests_per_s_median) },
	{ "drift_pct_per_block", "pct",
	  "Slope of requests per second from block to block; a drift is proven where the interval "
	  "does not hold 0",
	  SIGNED(cell_summary, drift_pct_per_block) },
	{ "outliers", "",
	  "Valid trials whose requests per second stand apart from the others (Tukey's fences); "
	  "they are kept",
	  INT(cell_summary, outliers) },
	{ "warmup_blocks", "",
	  "Blocks at the start without which the mean would be surer (MSER); they are kept",
	  INT(cell_summary, warmup_blocks) },
	{ 0 },
};

static const struct field request_fields[] = {
	{ "started", "", "Requests begun in the windows", INT(cell_summary, requests_started) },
	{ "succeeded", "", "Requests answered in full and right",
	  INT(cell_summary, requests_succeeded) },
	{ "completed", "",
	  "Requests whose last byte came in the windows, whenever they were begun: rates and "
	  "energy "
	  "are of these",
	  INT(cell_summary, requests_completed) },
	{ "failed", "", "Requests that ended in an error", INT(cell_summary, requests_failed) },
	{ "timed_out", "", "Requests given up after their time limit",
	  INT(cell_summary, requests_timed_out) },
	{ "in_flight", "", "Requests not ended when the windows closed",
	  INT(cell_summary, requests_in_flight) },
	{ 0 },
};

static const struct field handshake_fields[] = {
	{ "full", "", "Full handshakes in the windows, by the client",
	  INT(cell_summary, handshakes_full) },
	{ "resumed", "", "Resumed handshakes in the windows, by the client",
	  INT(cell_summary, handshakes_resumed) },
	{ "early_data", "", "Handshakes with 0-RTT data in the windows, by the client",
	  INT(cell_summary, handshakes_early_data) },
	{ "failed", "", "Handshakes that failed in the windows, by the client",
	  INT(cell_summary, handshakes_failed) },
	{ "server_full", "", "Full handshakes of the whole trials, warm-up included, by the server",
	  INT(cell_summary, server_handshakes_full) },
	{ "server_resumed", "",
	  "Resumed handshakes of the whole trials, warm-up included, by the server",
	  INT(cell_summary, server_handshakes_resumed) },
	{ "client_full", "", "Full handshakes of the whole trials, warm-up included, by the client",
	  INT(cell_summary, client_handshakes_full) },
	{ "client_resumed", "",
	  "Resumed handshakes of the whole trials, warm-up included, by the client",
	  INT(cell_summary, client_handshakes_resumed) },
	{ 0 },
};

static const struct field latency_fields[] = {
	{ "p50", "us", "Median", REAL(summary_latency, p50) },
	{ "p95", "us", "95th percentile", REAL(summary_latency, p95) },
	{ "p99", "us", "99th percentile", REAL(summary_latency, p99) },
	{ "p99_9", "us", "99.9th percentile", REAL(summary_latency, p99_9) },
	{ "max", "us", "Longest", REAL(summary_latency, max) },
	{ "mean", "us", "Mean", REAL(summary_latency, mean) },
	{ "p50_over_trials", "us", "Mean of the trials' own medians",
	  INTERVAL(summary_latency, p50_trials) },
	{ "p95_over_trials", "us", "Mean of the trials' own 95th percentiles",
	  INTERVAL(summary_latency, p95_trials) },
	{ "p99_over_trials", "us", "Mean of the trials' own 99th percentiles",
	  INTERVAL(summary_latency, p99_trials) },
	{ 0 },
};

static const struct field wire_fields[] = {
	{ "bytes_sent", "bytes", "Bytes the client sent in the windows, TLS included",
	  INT(cell_summary, wire_bytes_sent) },
	{ "bytes_received", "bytes", "Bytes the client received in the windows, TLS included",
	  INT(cell_summary, wire_bytes_received) },
	{ "body_bytes", "bytes", "Bytes of answers' bodies as received, encoded",
	  INT(cell_summary, body_bytes) },
	{ 0 },
};

static const struct field load_fields[] = {
	{ "cpu_pct", "pct", "Share of one CPU that the load generator used, in the worst trial",
	  REAL(cell_summary, load_cpu_pct) },
	{ "limited_trials", "",
	  "Valid trials in which the load generator may have been the limit, not the server",
	  INT(cell_summary, load_limited_trials) },
	{ "lateness_max_us", "us", "Worst delay of the load generator behind its plan",
	  REAL(cell_summary, lateness_max_us) },
	{ 0 },
};

static const struct field side_summary_fields[] = {
	{ "cpu_s", "s", "CPU time of the node's processes in the windows",
	  REAL(summary_side, cpu_s) },
	{ "cpu_pct", "pct", "The same as a share of the windows, 100 is one CPU",
	  REAL(summary_side, cpu_pct) },
	{ "rss_peak_kib", "KiB", "Peak resident memory", INT(summary_side, rss_peak_kib) },
	{ "requests_per_cpu_s", "1/s", "Requests per second of the node's CPU time",
	  INTERVAL(summary_side, requests_per_cpu_s) },
	{ "handshake_cpu_us", "us",
	  "CPU time of a full handshake with its request, where each request has one",
	  REAL(summary_side, handshake_cpu_us) },
	{ "limit_us", "us", "Least CPU time of that handshake: the sum of its primitives",
	  REAL(summary_side, limit_us) },
	{ 0 },
};

static const struct field energy_fields[] = {
	{ "source", "", "measured, modelled, synthetic, none, or mixed: then there are no figures",
	  TEXT(summary_energy, source) },
	{ "basis", "", "What the energy rests on: board, sensor, model",
	  TEXT(summary_energy, basis) },
	{ "meter", "", "Meter as configured", TEXT(summary_energy, meter) },
	{ "reason", "", "Why there are no figures", TEXT(summary_energy, reason) },
	{ "gross_mwh", "mWh", "Energy of the windows, idle included",
	  REAL(summary_energy, gross_mwh) },
	{ "idle_mwh", "mWh", "Measured idle power times the windows",
	  REAL(summary_energy, idle_mwh) },
	{ "net_mwh", "mWh", "Gross less idle; may be negative", REAL(summary_energy, net_mwh) },
	{ "requests_per_mwh", "1/mWh", "Requests per mWh of gross energy, over trials",
	  INTERVAL(summary_energy, requests_per_mwh) },
	{ "requests_per_mwh_bca", "1/mWh",
	  "The same with a BCa bootstrap interval, to compare; with few trials Fieller's, above, "
	  "is the one that covers 95 %",
	  INTERVAL(summary_energy, requests_per_mwh_bca) },
	{ "net_requests_per_mwh", "1/mWh", "Requests per mWh of net energy, over trials",
	  SIGNED(summary_energy, net_requests_per_mwh) },
	{ "mj_per_request", "mJ", "Gross energy of one request",
	  REAL(summary_energy, mj_per_request) },
	{ "mj_per_request_over_trials", "mJ", "The same with its interval over trials",
	  INTERVAL(summary_energy, mj_trials) },
	{ "net_mj_per_request", "mJ", "Net energy of one request",
	  REAL(summary_energy, net_mj_per_request) },
	{ "uncertainty_pct", "pct",
	  "Standard uncertainty of the gross energy, apart from the intervals: the instrument's, "
	  "or of "
	  "a model how far published figures of such boards differ",
	  REAL(summary_energy, uncertainty_pct) },
	{ "idle_drift_pct", "pct", "Largest change of the idle power from before to after a trial",
	  REAL(summary_energy, idle_drift_pct) },
	{ "coverage", "", "Share of the window covered by samples, in the worst trial",
	  REAL(summary_energy, coverage) },
	{ 0 },
};

const struct field_part summary_parts[] = {
	{ "", cell_fields, offsetof(struct cell_summary, cell) },
	{ "", head_fields, 0 },
	{ "requests.", request_fields, 0 },
	{ "handshakes.", handshake_fields, 0 },
	{ "response_us.", latency_fields, offsetof(struct cell_summary, response) },
	{ "service_us.", latency_fields, offsetof(struct cell_summary, service) },
	{ "handshake_us.", latency_fields, offsetof(struct cell_summary, handshake) },
	{ "wire.", wire_fields, 0 },
	{ "load_generator.", load_fields, 0 },
	{ "server.", side_summary_fields, offsetof(struct cell_summary, server) },
	{ "server.energy.", energy_fields, offsetof(struct cell_summary, server.energy) },
	{ "client.", side_summary_fields, offsetof(struct cell_summary, client) },
	{ "client.energy.", energy_fields, offsetof(struct cell_summary, client.energy) },
	{ 0 },
};
