/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record - what a campaign stores, and the tables that describe it.
 *
 * One row per quantity: its name, unit and meaning. The store, every report
 * format and the reader of stored results walk the same tables, so no format can
 * say more or less than another. A dotted name is a path in JSON
 * ("server.energy.gross_mwh") and a column elsewhere.
 */
#ifndef RESULTS_RECORD_H
#define RESULTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hist.h"

enum field_kind {
	FIELD_INT,      /* int64_t; INT64_MIN: not known, null */
	FIELD_REAL,     /* double; NAN: not known, null */
	FIELD_TEXT,     /* char[], or char * where size is 0 */
	FIELD_BOOL,     /* bool */
	FIELD_INTERVAL, /* struct interval: {"mean", "ci95": [lo, hi]} */
	FIELD_JSON,     /* as FIELD_TEXT, its content a JSON value ("" is null) */
};

struct interval {
	double mean, lo, hi; /* NAN where there is none (lo and hi with fewer than two trials) */
	int64_t n;
};

enum field_flag {
	FIELD_SIGNED = 1, /* FIELD_INTERVAL: the value may be below 0 */
	/* FIELD_TEXT, empty where nobody could tell: null to programs, "not known" to people. */
	FIELD_MAY_BE_UNKNOWN = 2,
};

struct field {
	const char *name; /* NULL ends a table */
	const char *unit; /* "s", "mWh", "1/s", "" */
	const char *help;
	enum field_kind kind;
	size_t offset;  /* in the struct the table describes */
	size_t size;    /* FIELD_TEXT and FIELD_JSON: of the array; 0: a char * */
	unsigned flags; /* bit set of enum field_flag */
};

/* A table at a place in a larger struct, its names behind a prefix: "server." + "cpu_s". */
struct field_part {
	const char *prefix;
	const struct field *fields; /* NULL ends a list of parts */
	size_t offset;
};

#define FIELD_NAME_BYTES 96
/* Calls visit for every field of every part, in order, with its full name and the struct it is in
 * (NULL when record is NULL: for the names alone).
 */
void field_each(const struct field_part *parts, const void *record,
		void (*visit)(const char *name, const struct field *, const void *base, void *),
		void *data);

/* The value; the caller knows the kind. Unknown integers and reals are NAN in field_number(). */
double field_number(const struct field *f,
		    const void *base); /* INT, REAL, BOOL; mean of INTERVAL */
const char *field_text(const struct field *f, const void *base); /* TEXT, JSON; never NULL */
/* False for what prints as null: unknown numbers, nan and inf. */
bool field_known(const struct field *f, const void *base);

#define FIELD_UNKNOWN_INT INT64_MIN

/* One point of the matrix: what was asked for. Texts are the canonical spellings. */
struct cell {
	char name[208]; /* unique in its campaign, for people and for --only */
	char suite[128];
	int64_t strength_bits;
	char engine[16]; /* of the server */
	char client_engine[16];
	char server[24]; /* "builtin" */
	char workload[16];
	int64_t payload_bytes;
	char payload_kind[16];
	char encoding[24]; /* "identity", "gzip:6", "gzip:6:once" */
	int64_t clients;
	char connection[32]; /* "full", "keepalive:100", "resume:80" */
	char settings[1024]; /* JSON object of all else that was asked of server and load */
};
extern const struct field cell_fields[];

extern const char *const energy_sources[]; /* "measured", "modelled", "synthetic"; ends with NULL */

/* One node's share of a trial. Energy is of the measure window unless said otherwise. */
struct side {
	int64_t cpu_ns; /* of the node's processes in the window */
	int64_t rss_peak_kib;
	double limit_us; /* least CPU time of a full handshake; NAN: none is made, or not known */
	char energy_source[16]; /* of energy_sources, or "none" */
	char energy_basis[160]; /* "board rpi-4b: idle 1.6 W, loaded 5.0 W (wall; ...)" */
	char meter[96];
	int64_t gross_nj, idle_nj, net_nj; /* idle_nj: measured idle power x window */
	int64_t idle_before_nw, idle_after_nw;
	double idle_drift_pct; /* of the idle power, from before to after */
	double instrument_pct; /* standard uncertainty of gross_nj by the instrument */
	double coverage;       /* 0..1 of the window covered by samples */
	int64_t meter_samples, meter_late, meter_lost, meter_gaps;
	int64_t meter_cpu_ns; /* the sampler's own CPU time */
};

/* One measured run of one cell. */
#define REASON_BYTES \
	384 /* of why something is not valid: a whole sentence of struct fail, and whose */

struct trial {
	int64_t block, position; /* position: order of execution in the block */
	char started[24];        /* UTC */
	bool valid;
	bool load_limited;         /* the load generator may have been the limit, not the server */
	char reason[REASON_BYTES]; /* why not valid; "" when it is */
	/* What limits how far the figures of a valid trial reach, a line each: "WHAT: DETAIL". */
	char notes[512];
	int64_t window_ns;
	int64_t requests_started, requests_succeeded, requests_failed, requests_timed_out,
		requests_in_flight;
	/* Of these and of those due before: whose last byte came in the window. Rates and energy
	 * are of them, as CPU time and energy are of the window. */
	int64_t requests_completed;
	int64_t reconnects; /* kept connections that had to be made again */
	int64_t handshakes_full, handshakes_resumed, handshakes_early_data, handshakes_failed;
	/* As the server counted over the whole trial, warm-up included, and the client likewise. */
	int64_t server_handshakes_full, server_handshakes_resumed;
	int64_t client_handshakes_full, client_handshakes_resumed;
	int64_t wire_bytes_sent, wire_bytes_received; /* by the client */
	int64_t body_bytes;
	char negotiated[128]; /* suite, as negotiated */
	/* Of a server under test that is not our own: JSON object of texts. "" else. */
	char server_version[96], server_settings[1024];
	/* Of another load generator than ours, as it tells: JSON object. "" else. */
	char driver_figures[1024];
	double client_busy; /* share of one CPU that the load generator used */
	int64_t lateness_max_ns;
	int64_t clock_offset_ns, clock_uncertainty_ns; /* server node against client node */
	struct side server, client;
	struct hist response, service, handshake; /* of successes, in the window */
};
/* Everything but the histograms and the two sides; the sides' own table. */
extern const struct field trial_fields[], side_fields[];

int trial_init(struct trial *t);
void trial_release(struct trial *t);

/* One machine that took part. */
struct node {
	char name[32], role[16], board[32];
	char version[64], kernel[128], machine[32], cpu[128];
	int64_t cpus;
	char governor[32];
	char os[96];
	/* JSON objects: {"openssl": "OpenSSL 3.0.19 ..."} */
	char engines[512], builds[1024];
	char environment[2048]; /* JSON object: frequencies, temperature, flags */
};
extern const struct field node_fields[];

struct campaign {
	char name[64];
	int64_t seed, blocks;
	char started[24];
	char version[64];
	bool complete;
	char *text;    /* the campaign file as it was */
	char *options; /* JSON: every setting, defaults included */
};
extern const struct field campaign_fields[];

#endif
