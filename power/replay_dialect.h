/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_dialect - the logs we know by their shape, one const row each.
 *
 * A row says how the columns are recognised, their units where the log does not write them, and
 * what a sample means. What no row knows is read by the names and units of its header.
 */
#ifndef POWER_REPLAY_DIALECT_H
#define POWER_REPLAY_DIALECT_H

#include "lib/lex.h"
#include "power/meter.h"
#include "power/replay_number.h"

enum dialect_flag {
	DIALECT_UNTIMED = 1 << 0,     /* the stamps are of writing: a rate is needed */
	DIALECT_MS_FRACTION = 1 << 1, /* the fraction of a second may be unpadded milliseconds */
	DIALECT_TERMINATED = 1 << 2, /* the writer ends every line: a last one without end is cut */
	DIALECT_RUNS = 1 << 3,       /* a row is a run of its own length, one behind the other */
	DIALECT_SPAN = 1 << 4,       /* the time is of the begin, the duration says how long */
	DIALECT_ZERO_VOLTS = 1 << 5, /* a voltage of exactly 0 among others is a failed read */
};

struct dialect_column {
	const char *name; /* as in the header; where there is none, any */
	enum replay_role role;
	const char *unit; /* NULL: written in the header or the cells */
};

struct dialect {
	const char *name;
	const char *header; /* the header begins with these names; NULL: see shape */
	/* Cells of a row without header: t H:MM:SS, n number, T sixteen digits, w word. In
	 * parentheses when the lines are. */
	const char *shape;
	bool declared; /* has this shape, but so have others: only on demand */
	enum sample_meaning meaning;
	enum provenance provenance;
	unsigned flags;                   /* enum dialect_flag */
	double rate_hz;                   /* DIALECT_UNTIMED: when it is known */
	int64_t assumed_range_nj;         /* of a counter or of a negative increment */
	struct dialect_column column[10]; /* ends with a NULL name */
	const char *about;
};

extern const struct dialect dialects[]; /* ends with a NULL name */

const struct dialect *dialect_by_name(const char *name);
/* By the cells of a first line; parenthesised: the line was a tuple. NULL: none. */
const struct dialect *dialect_by_header(const struct cells *c);
const struct dialect *dialect_by_shape(const struct cells *c, bool parenthesised);

#endif
