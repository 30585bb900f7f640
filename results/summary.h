/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary - a cell with its trials as the figures that reports show.
 *
 * Only valid trials enter: counts, times and energies are their sums, percentiles
 * come from their merged histograms, means and intervals are over trials. Every report
 * format walks summary_parts, whose dotted names are the paths of the JSON contract.
 */
#ifndef RESULTS_SUMMARY_H
#define RESULTS_SUMMARY_H

#include "lib/fail.h"
#include "results/record.h"
#include "results/stats_boot.h"

#define SUMMARY_CURVE 20
/* The shares at which a latency's distribution is kept. */
extern const double summary_curve[SUMMARY_CURVE];

struct summary_latency { /* microseconds; NAN when there was no sample */
	double p50, p95, p99, p99_9, max, mean;
	struct interval p50_trials, p95_trials, p99_trials; /* of the trials' own percentiles */
	double curve[SUMMARY_CURVE];
};

/*
 * Figures are NAN where the energy is not known. Trials whose energy has another
 * source or basis are never added up: source is then "mixed", and reason says so.
 */
struct summary_energy {
	char source[16]; /* "measured", "modelled", "synthetic", "none", "mixed" */
	char basis[160];
	char meter[96];
	char reason[96]; /* why there are no figures; "" when there are */
	double gross_mwh, idle_mwh, net_mwh;
	struct interval requests_per_mwh;     /* of the gross energy */
	struct interval requests_per_mwh_bca; /* the same by bootstrap, for comparison */
	struct interval net_requests_per_mwh; /* none where the net energy is not positive */
	double mj_per_request, net_mj_per_request;
	struct interval mj_trials; /* gross mJ per request with its interval over trials */
	double uncertainty_pct; /* of the instrument, apart from the intervals; the worst trial */
	double idle_drift_pct;  /* the trial with the largest, with its sign */
	double coverage;        /* the worst trial */
};

struct summary_side {
	double cpu_s, cpu_pct; /* 100 is one CPU all the time */
	int64_t rss_peak_kib;
	struct interval requests_per_cpu_s;
	/* Of cells with a full handshake for each request; NAN for the others. */
	double handshake_cpu_us; /* of one, its request included */
	double limit_us;         /* the sum of its primitives */
	struct summary_energy energy;
};

/* Response, service, handshake. */
#define SUMMARY_LATENCIES 3

/* What comparisons by block need of a trial. */
struct summary_point {
	int64_t block;
	bool valid;
	double requests, window_s;                 /* completed in the window */
	double cpu_s[2], gross_mwh[2], net_mwh[2]; /* server, client */
	double p_us[SUMMARY_LATENCIES][3];         /* 50th, 95th, 99th percentile */
};

/*
 * What the making of a summary needs and its result does not: resamples and merged
 * histograms. Zeroed before the first of many summaries, which are made one after the
 * other, and released behind the last.
 */
struct summary_tools {
	struct stats_boot boot;
	struct hist merged[SUMMARY_LATENCIES];
};
void summary_tools_release(struct summary_tools *t);

struct cell_summary {
	struct cell cell;
	int64_t trials, valid_trials;
	int64_t notes;                                  /* on the valid trials */
	char server_version[96], server_settings[1024]; /* of the last trial that tells */
	char driver_figures[1024];                      /* of the last valid one that does */
	double window_s;
	int64_t requests_started, requests_succeeded, requests_failed, requests_timed_out,
		requests_in_flight, requests_completed;
	int64_t handshakes_full, handshakes_resumed, handshakes_early_data, handshakes_failed;
	int64_t server_handshakes_full, server_handshakes_resumed; /* warm-up included */
	int64_t client_handshakes_full, client_handshakes_resumed;
	struct interval requests_per_s;
	struct interval requests_per_s_median; /* bootstrap interval */
	struct interval drift_pct_per_block;   /* of requests per second */
	int64_t outliers;      /* trials whose requests per second stand apart; they are kept */
	int64_t warmup_blocks; /* at the start, by which the mean would be surer without them */
	struct summary_latency response, service, handshake;
	int64_t wire_bytes_sent, wire_bytes_received;
	int64_t body_bytes;
	double lateness_max_us, load_cpu_pct;
	int64_t load_limited_trials; /* whose load generator may have been the limit */
	struct summary_side server, client;

	struct summary_point *points; /* one for each trial, by block */
	size_t points_cap;
	struct summary_tools *tools; /* NULL after summary_finish() */
};

extern const struct field_part summary_parts[];

/*
 * summary_init, summary_add for each trial by block, summary_finish. -1: no memory. The tools
 * are borrowed from the first to the last of these.
 */
int summary_init(struct cell_summary *s, const struct cell *c, struct summary_tools *t);
int summary_add(struct cell_summary *s, const struct trial *t);
int summary_finish(struct cell_summary *s);
void summary_release(struct cell_summary *s);

/* A valid trial's limits, and what they stand beside. For summary.c only. */
void summary_limit_add(struct cell_summary *s, const struct trial *t);
void summary_limit_finish(struct cell_summary *s);

/* The figures come from a model or a simulation; every place that shows them must say so. */
bool summary_is_modelled(const struct summary_energy *e);
/* Trials of an older program, without what rates and energy per request are of. */
bool summary_is_uncounted(const struct cell_summary *s);
/* Of the valid trial of a block; NULL: it has none. */
const struct summary_point *summary_point_of(const struct cell_summary *s, int64_t block);
/* There are figures. */
bool summary_has_energy(const struct summary_energy *e);

#endif
