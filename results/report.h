/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - a campaign read from the store, ready to be shown, and the formats.
 *
 * A format is a row of report_formats: it writes a whole report into a buffer and
 * walks the field tables for what to say. Rows of trials are summed up as they are read;
 * of a campaign only its summaries are held.
 */
#ifndef RESULTS_REPORT_H
#define RESULTS_REPORT_H

#include "lib/buf.h"
#include "lib/fail.h"
#include "lib/table.h"
#include "results/report_timeline.h"
#include "results/report_trace.h"
#include "results/store.h"
#include "results/summary.h"

struct report_invalid {
	size_t cell;
	int64_t block; /* as stored, from 0; people count from 1 */
	char reason[REASON_BYTES];
};

/* What limits how far the figures of a valid trial reach. */
struct report_note {
	size_t cell, kind;
	int64_t block;
	char text[160]; /* "WHAT: DETAIL" */
};

/* Notes that say the same, whatever the detail. */
struct report_note_kind {
	char what[96];
	size_t notes, first; /* first: in the list of notes */
};

/* Two cells that differ in one thing, compared block by block. */
struct report_comparison {
	size_t cell, reference;     /* cell is how many times reference */
	const struct field *differ; /* a row of cell_fields */
	struct interval cpu;        /* requests per server CPU second */
	struct interval energy;     /* requests per mWh of the server; none unless of one source */
};

#define REPORT_DIMENSIONS 16

struct solar_study;

struct report {
	int64_t id;
	const struct solar_study *solar; /* NULL: no site was named; borrowed */
	struct campaign campaign;
	struct node *node;
	size_t nodes;
	struct cell_summary *cell; /* in the campaign's order */
	size_t cells;
	struct report_invalid *invalid;
	size_t invalids;
	struct report_note *note; /* by cell */
	size_t notes;
	struct report_note_kind *kind;
	size_t kinds;
	struct report_comparison *comparison;
	size_t comparisons;
	struct report_trace *trace; /* REPORT_TRACES of them, or NULL */
	size_t traces;
	struct report_timeline *timeline; /* of the cells that have one */
	size_t timelines;
	int64_t trials, trials_missing; /* missing: of the blocks asked for */
	/* Rows of cell_fields in which cells differ (suite first, always), and the others. */
	const struct field *varying[REPORT_DIMENSIONS], *constant[REPORT_DIMENSIONS];
	struct json_t *same_settings; /* that all cells have, with one value; or NULL */
};

int report_load(struct store *s, int64_t campaign, struct report *r, struct fail *f);
void report_release(struct report *r);

/* A cell's value as people read it ("512 B", "16"), and the head of its column. */
void report_dimension(const struct field *f, const struct cell *c, char *dst, size_t len);
/* The same; of settings only those in which the report's cells differ, which may be none: "". */
void report_difference(const struct report *r, const struct field *f, const struct cell *c,
		       char *dst, size_t len);
const char *report_head(const struct field *f);
/*
 * "http 2, streams 8"; "" for a cell of an older database. Those that are in `but` (may be NULL)
 * with the same value are left out.
 */
void report_settings(const struct cell *c, const struct json_t *but, char *dst, size_t len);
/* For report_load(): a new object, or NULL. */
struct json_t *report_same_settings(const struct report *r);
/* Of r->same_settings, where cells differ in others. */
void report_settings_in_common(const struct report *r, char *dst, size_t len);
/* What distinguishes a cell besides its suite and `but` (may be NULL): "gzip:6, wolfssl"; or "". */
void report_detail(const struct report *r, const struct cell *c, const struct field *but, char *dst,
		   size_t len);
/* "All cells: server builtin, workload page, ..."; "" when they have nothing in common. */
void report_common(const struct report *r, char *dst, size_t len);

/* "modelled", "measured", "modelled and measured", "" when no cell has energy. */
void report_sources(const struct report *r, char *dst, size_t len);
/* Handshakes beside the sums of their primitives: a table of its own, where a cell has them. */
bool report_has_limits(const struct report *r);
extern const char report_limits_about[]; /* a sentence */
/* t is made here and released by the caller, also on failure. -1: no memory. */
int report_limits_table(const struct report *r, struct table *t);
void report_limits_html(const struct report *r, struct buf *out);
/*
 * "12.3": milliseconds of a percentile ("p50"); where we have none, what another load generator
 * told: "12.3 (wrk)".
 */
void report_percentile(const struct cell_summary *c, const char *percentile, double own_us,
		       char *dst, size_t len);
/* "load-limited" for a cell whose load generator may have been the limit, else "". */
const char *report_limit(const struct cell_summary *c);
/* That energy is not all measured; false when it is, or when there is none. */
bool report_warning(const struct report *r, char *dst, size_t len);

/* Paragraphs, each a line, of how the figures were got. Plain text. */
void report_method(const struct report *r, struct buf *out);
/* Of them: that blocks were added until figures were known, and whether they are. */
void report_until(const struct report *r, struct buf *out);
/* Of them: a line for each server under test but our own, with its settings. */
void report_servers(const struct report *r, struct buf *out);

/* "A does 2.9 (2.7 to 3.1) times the requests per server CPU second of B", or that none is proven.
 */
void report_sentence(const struct report *r, const struct report_comparison *c, struct buf *out);

/* Of a trial's notes, one a line, each into r->note of the cell now read; for report_load(). */
int report_take_notes(struct report *r, int64_t block, const char *notes);
/* "[1,3]": the kinds of a cell's notes, counted from 1; "" when there are none. */
void report_note_marks(const struct report *r, size_t cell, char *dst, size_t len);
/* "[1] WHAT: 3 times, first of CELL in block 2: DETAIL". */
void report_note_text(const struct report *r, size_t kind, struct buf *out);

/* Fills r->comparison; for report_load(). */
int report_compare(struct report *r, struct fail *f);

struct report_format {
	const char *name;   /* of --format; NULL ends the list */
	const char *ending; /* of a file's name */
	/* -1: no memory, or out is over its limit. */
	int (*write)(const struct report *r, bool colour, struct buf *out);
};
extern const struct report_format report_formats[];

int report_write_text(const struct report *r, bool colour, struct buf *out);
int report_write_json(const struct report *r, bool colour, struct buf *out);
int report_write_csv(const struct report *r, bool colour, struct buf *out);
int report_write_html(const struct report *r, bool colour, struct buf *out);
int report_write_ndjson(const struct report *r, bool colour, struct buf *out);
int report_write_markdown(const struct report *r, bool colour, struct buf *out);
int report_write_prometheus(const struct report *r, bool colour, struct buf *out);
int report_write_influx(const struct report *r, bool colour, struct buf *out);

#endif
