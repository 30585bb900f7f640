/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan - a campaign file turned into blocks of cells, before anything runs.
 *
 * Pure after reading: the same file and seed give the same order for ever. All
 * errors of a file are reported at once, each by line and column.
 */
#ifndef TESTBED_PLAN_H
#define TESTBED_PLAN_H

#include "ciphers/engine.h"
#include "lib/buf.h"
#include "lib/fail.h"
#include "protocols/app.h"
#include "results/record.h"
#include "testbed/phase.h"
#include "testbed/setting.h"

#define PLAN_BLOCKS_MAX 10000
#define PLAN_TRIALS_MAX 1000000

/* A content coding as a campaign writes it: "identity", "gzip:6", "br:5:once". */
struct encoding {
	enum app_encoding coding;
	int level;
	bool once; /* compressed once and kept, instead of for every request */
};

/* How to reach one node, and what it is. From the campaign's or the testbed file's `nodes`. */
struct plan_node {
	char name[32];
	char command[512]; /* prefix: "" this machine, "ip netns exec A", "ssh pi@board" */
	char program[256]; /* path of cipherwatt there; "" this one */
	char address[128]; /* server: what clients connect to; default 127.0.0.1 */
	char listen[128];  /* server: what it binds; default the address */
	char board[32];    /* profile; "" none */
	char meter[256];   /* METER text; "" none */
	char cpus[64];     /* pin its workers; "" not pinned */
	int64_t rate_hz;   /* of the meter; 0 its own */
};

/*
 * One cell: what is stored, and the parsed parts that the runner needs. Its name is
 * SUITE/PAYLOAD/ENCODING/cCLIENTS/CONNECTION/ENGINE, for example
 * "tls1.3:AES128-GCM-SHA256:x25519:p256/512B/gzip:6/c8/full/openssl": no blanks, the
 * same whatever else is in the campaign. What is not the usual is added: the payload's
 * kind behind a dash ("512B-text"), the client's engine behind a plus
 * ("openssl+wolfssl"), server, workload and settings ("/http=2") as parts of their own at
 * the end.
 */
struct plan_cell {
	struct cell cell;
	struct suite suite;
	struct encoding encoding;
	enum connection_mode mode;
	int64_t connection_number;         /* requests or percent, as connection_parse() reads it */
	const char *setting[SETTINGS_MAX]; /* by the rows of setting_rows[]; NULL: not set */
	/* Least CPU time of a full handshake on server and client; NAN: not known. */
	double limit_us[2];
	/* Not NULL: why this build cannot run it. It stays in the plan; the plan's to free. */
	char *unavailable;
};

/* Blocks that are added for cells not known well enough (results/adaptive.h). */
struct plan_until {
	double ci_pct;  /* 0: none are added */
	int blocks_max; /* in all */
};

struct plan {
	char name[64];
	int64_t seed;
	bool seed_given;
	int blocks;
	struct plan_until until;
	struct phase_times times;
	int64_t count_overtime_ns; /* instead of its own, where a cell has a count */
	int64_t timeout_ns;        /* of one request */
	int timeline;   /* associations of each cell that are captured before its trials; 0: none */
	char limits[8]; /* "on": limits of handshakes are measured first; "off" */
	const char *usual[SETTINGS_MAX]; /* settings of cells that do not say otherwise */
	char **word;                     /* the texts of all settings, each once */
	int words;
	struct plan_node server, client;
	struct plan_cell *cell;
	int cells;
	int *order;      /* plan_blocks() x cells: order[b * cells + i] is an index in cell */
	struct buf text; /* the campaign file as it was */
};

/*
 * Reads CAMPAIGN.yaml, and TESTBED.yaml where not NULL (its nodes override the
 * campaign's). Errors are appended to errors, a line each: "FILE:LINE:COLUMN: what".
 * -1 when there was any.
 */
int plan_read(struct plan *p, const char *campaign_file, const char *testbed_file,
	      struct buf *errors);
void plan_release(struct plan *p);

/* Blocks that are drawn: those asked for, and those that may be added. */
int plan_blocks(const struct plan *p);

/* Draw the order of every block from p->seed. Called by plan_read; again after the seed changed. */
int plan_draw(struct plan *p, struct fail *f);

/*
 * Keep only the cells whose name matches one of the shell patterns (several
 * separated by commas). -1: one matches nothing; the reason lists near names.
 */
int plan_only(struct plan *p, const char *patterns, struct fail *f);

/*
 * A connection carries one request, so the server ends it too. In a cell of our own server
 * the client's word is enough, and its figures stay what they were.
 */
bool plan_closes_each(const struct plan_cell *c);
/* Both sides need the same pre-shared key, made for each trial. */
bool plan_has_psk(const struct plan_cell *c);
/* wrk can neither ask for a suite nor tell which it got: there the server's is the only one. */
bool plan_asks_suite(const struct plan_cell *c);

/*
 * The phases of one cell: it may have a count of its own; another load generator has no
 * warm-up, and tells of its window when it is over.
 */
struct phase_times plan_times(const struct plan *p, const struct plan_cell *c);

/* A copy of text that lives as long as the plan, the same for equal texts. NULL: no memory. */
const char *plan_word(struct plan *p, const char *text);

/*
 * How long the whole plan takes at least, in ns: trials x phases. Windows of counted requests and
 * blocks that may be added are not in it.
 */
int64_t plan_duration_ns(const struct plan *p);

/* For --dry-run: nodes, phases, cells, order, time. */
void plan_print(const struct plan *p, struct buf *out);

#endif
