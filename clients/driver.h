/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver - other people's load generators in place of ours, as a cross-check: one row each.
 *
 * A driver is run as a child process and its own words are read, line by line. What it does not
 * tell is not made up: -1 for a count, NAN for a figure, "" for a text. What it is known to tell
 * wrongly is put right or left out, and said in a note.
 */
#ifndef CLIENTS_DRIVER_H
#define CLIENTS_DRIVER_H

#include <jansson.h>

#include "clients/load.h"

#define DRIVER_NOTES_MAX 4

struct driver_latency { /* microseconds */
	double p50, p95, p99, p99_9, min, max, mean;
};

struct driver_figures {
	int64_t started, succeeded, failed, timed_out;
	int64_t status[6]; /* by hundreds; 0 and 1 are not used */
	int64_t connects, reconnects, connects_failed;
	int64_t wire_bytes_received, body_bytes;
	double requests_per_s, elapsed_s;
	struct driver_latency response, service, handshake;
	double resolution_us;    /* of all latencies */
	char version[16];        /* "TLSv1.2", as OpenSSL says it */
	char cipher[64];         /* OpenSSL's name */
	char group[32];          /* "X25519" */
	int64_t from_ns, to_ns;  /* of the child, monotonic */
	int64_t cpu_ns;          /* of the child, start and end included */
	int64_t rss_peak_kib;    /* of the largest child so far */
	char first_failure[320]; /* its last words when it could not go on */
	char note[DRIVER_NOTES_MAX][160];
	int notes;
	char table[8][16]; /* columns of the table that is being read */
	int columns;
};

#define DRIVER_ARGS_MAX 48
struct driver_args {
	char *word[DRIVER_ARGS_MAX + 1]; /* ends with NULL; owned */
	int count;
	bool failed; /* no memory, or too many */
};

struct driver_ops {
	const char *name;    /* also the program's */
	const char *package; /* Debian's, that has it */
	/* NULL when it can do what p asks, else why not, in dst. */
	const char *(*refuses)(const struct load_params *p, char dst[256]);
	void (*command)(const struct load_params *p, struct driver_args *args);
	/* One line of its output, standard output and error alike. */
	void (*read_line)(struct driver_figures *d, const char *line);
	/* All lines are read: put right what is known to be wrong. */
	void (*finish)(const struct load_params *p, struct driver_figures *d);
};

extern const struct driver_ops driver_ab, driver_wrk, driver_h2load;
extern const struct driver_ops *const drivers[]; /* ends with NULL */
/* "builtin" first, which is no row: our own generator. */
extern const char *const driver_names[];

/* Is the program on the PATH? */
bool driver_available(const struct driver_ops *d);

/*
 * -1: it is missing (the reason names the package), refuses p, cannot be started or told
 * nothing that can be read. It is ended when it takes much longer than asked.
 */
int driver_run(const struct driver_ops *d, const struct load_params *p,
	       struct driver_figures *figures, struct fail *f);

/* Everything unknown. */
void driver_figures_clear(struct driver_figures *d);
/* The verdict over what is known; NULL: the figures may be used. */
const char *driver_verdict(const struct load_params *p, const struct driver_figures *d,
			   char dst[256]);
/* The same cell object as of our own generator; what is not known is null. */
json_t *driver_json(const struct driver_ops *d, const struct load_params *p,
		    const struct driver_figures *figures);

/* All lines are read: finish(), and what holds for all of them. */
void driver_conclude(const struct driver_ops *ops, const struct load_params *p,
		     struct driver_figures *d);

/* For driver_*.c. */
void driver_arg(struct driver_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Accept-Encoding, where more than identity is accepted. */
void driver_ask_encodings(const struct load_params *p, struct driver_args *args);
void driver_args_release(struct driver_args *args);
void driver_note(struct driver_figures *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "Server Temp Key: X25519 253 bits", or "ECDH, prime256v1, 256 bits". */
void driver_read_group(struct driver_figures *d, const char *line);
/* "1.53ms", "416.00us", "1.00s", "2m" into microseconds; NAN for anything else. */
double driver_duration_us(const char *text);
/* What none of them can do; NULL: nothing of it is asked. */
const char *driver_refuses_all(const struct load_params *p, char dst[256]);

#endif
