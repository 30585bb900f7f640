/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay - a log that somebody else wrote, as a trace.
 *
 * Dialect, units and what a sample means are detected or declared; what is ambiguous is refused
 * with the line and the reason. How it was read stands in facts.basis. Stamps are the log's own.
 */
#ifndef POWER_REPLAY_H
#define POWER_REPLAY_H

#include "power/args.h"
#include "power/replay_dialect.h"
#include "power/trace_code.h"

enum replay_backward { BACKWARD_REFUSE, BACKWARD_REBASE, BACKWARD_DROP };
enum replay_use { USE_BEST, USE_POWER, USE_VI, USE_ENERGY, USE_CHARGE };

/* "power=total power:W": a column by its name, a unit, or both. */
struct replay_column {
	enum replay_role role;
	char name[48], unit[16];
};

struct replay_options {
	const struct dialect *dialect; /* NULL: detected */
	struct replay_column column[12];
	int column_count;
	bool positional; /* column[] names the cells of a row in order */
	char separator;  /* 0: detected */
	char point;      /* of decimals, '.' or ','; 0: detected */
	int meaning;     /* enum sample_meaning, -1: the dialect's */
	enum replay_use use;
	enum replay_backward backward;
	bool zeros_are_data;                     /* even where they come in a pattern */
	bool untimed;                            /* time=none: the log's stamps are not looked at */
	double rate_hz, volts, scale, error_pct; /* error: of the instrument; -1: not known */
	int64_t range_nj;                        /* of a counter */
	char label[48];                          /* rows of this name only */
};

void replay_options_init(struct replay_options *o);
/* Takes the keys from a; errors stay in its struct fail. */
int replay_options_read(struct replay_options *o, struct args *a);

/*
 * A log's bytes into t, which must be zeroed or released. -1: refused; f has the line and the
 * reason. The facts' source is left alone.
 */
int replay_read(struct trace *t, const struct replay_options *o, const char *data, size_t len,
		struct fail *f);

extern const struct meter_ops meter_replay;

/*
 * For a replay that is open (m->stored): the samples that a window needs, in order and in parts,
 * and no others where the file is a trace of this program. Seconds count from the first stamp; NAN:
 * from the begin, to the end. *first_ns is that first stamp. late, lost and CPU time of the one who
 * sampled go into *counts, whose samples stay empty. visit as in power/trace_code.h.
 */
int replay_window(struct meter *m, double from_s, double to_s, trace_visit *visit, void *data,
		  int64_t *first_ns, struct trace *counts, struct fail *f);

#endif
