/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference - published figures of the studies that this project reproduces, as data with their
 * source, so that ours can be set beside them.
 *
 * Rows are const and in the order of the publication (results/reference/). Times are
 * milliseconds and rates kilobytes (1000 bytes) a second, as printed there. What a study does not
 * tell has no row.
 */
#ifndef RESULTS_REFERENCE_H
#define RESULTS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

enum reference_metric {
	REFERENCE_RATE_KB_PER_S, /* that the client may send */
	REFERENCE_P95_MS,
	REFERENCE_P99_MS,
	REFERENCE_P99_9_MS,
	REFERENCE_MAX_MS,
	REFERENCE_MEAN_MS,
	REFERENCE_CPU_PCT,             /* of the server */
	REFERENCE_BREAK_EVEN_KB_PER_S, /* lowest rate whose mean meets target_ms */
	REFERENCE_REQUESTS_PER_S,
	REFERENCE_HANDSHAKES_PER_S,
	REFERENCE_RETRANSMISSIONS_PCT,
	REFERENCE_ENERGY_SAVING_PCT, /* of EC over RSA authentication */
	REFERENCE_THROUGHPUT_RATIO,  /* the same */
	REFERENCE_SIGN_MS,
	REFERENCE_VERIFY_MS,
	REFERENCE_ECDH_MS,
	REFERENCE_LOW_MS, /* of a range that was observed */
	REFERENCE_HIGH_MS,
	REFERENCE_LOW_PCT,
	REFERENCE_HIGH_PCT,
	REFERENCE_SHARE_PCT, /* of a whole that the row's name says */
	REFERENCE_METRICS
};

struct reference_info {
	const char *name; /* "mean_ms" */
	const char *unit; /* "ms" */
	const char *help;
};
extern const struct reference_info reference_info[REFERENCE_METRICS];

enum reference_mark {
	REFERENCE_PRINTED,  /* as it stands in the source */
	REFERENCE_DERIVED,  /* arithmetic from what is printed */
	REFERENCE_AT_LEAST, /* derived, a lower bound */
	REFERENCE_AT_MOST   /* printed as "up to" */
};

struct reference_row {
	const char *table; /* "1", "5", "break-even" */
	const char *what;  /* what the figure is of: "CoAP", "HTTP", "RSA-2048" */
	int requests;      /* of all clients; 0: it is about none */
	int clients;       /* 0: it is about none */
	double target_ms;  /* of a break-even rate; else 0 */
	enum reference_metric metric;
	double value;
	enum reference_mark mark;
};

struct reference_study {
	const char *key; /* "access-control" */
	const char *title;
	const char *source; /* where to find it */
	const char *notes;  /* what must be said beside its figures */
	const struct reference_row *rows;
	size_t count;
};

extern const struct reference_study reference_access_control, reference_gateway,
	reference_californium, reference_message_security;
extern const struct reference_study *const reference_studies[]; /* ends with NULL */

/*
 * The row of a table (NULL: any) about this, with so many requests and clients; what: NULL is any.
 * NULL: the study does not tell.
 */
const struct reference_row *reference_find(const struct reference_study *s, const char *table,
					   const char *what, int requests, int clients,
					   enum reference_metric metric);
/* "", ">= ", "up to ", "derived ": before a value. */
const char *reference_mark_text(enum reference_mark mark);

#endif
