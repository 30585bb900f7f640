/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_plan - which cell of a row is what: from options, dialect and header, in this order.
 */
#ifndef POWER_REPLAY_PLAN_H
#define POWER_REPLAY_PLAN_H

#include "power/replay.h"

struct replay_plan {
	const struct dialect *dialect;  /* NULL: by the header's names */
	unsigned flags;                 /* the dialect's */
	int cells;                      /* of a row */
	int at[ROLES];                  /* the cell; -1: there is none */
	int count[ROLES];               /* how many cells claim it */
	const struct unit *unit[ROLES]; /* NULL: in the cells, or nowhere */
	char names[ROLES][96];          /* the cells that claim it, for messages */
	enum replay_use use;            /* never USE_BEST */
	enum sample_meaning meaning;
	bool meaning_assumed;
	bool cells_have_units; /* they say the roles; the header does not count */
};

/* Do these cells look like names of columns? */
bool plan_is_header(const struct cells *c);
/* line: for messages. */
int plan_from_header(struct replay_plan *p, const struct replay_options *o, const struct cells *c,
		     int line, struct fail *f);
int plan_from_row(struct replay_plan *p, const struct replay_options *o, const struct cells *c,
		  bool parenthesised, int line, struct fail *f);
/* Every cell of the row writes its unit: roles from them. False: they do not. */
bool plan_from_units(struct replay_plan *p, const struct cells *c, char point);
/* What is used, and what a sample means. */
int plan_settle(struct replay_plan *p, const struct replay_options *o, int line, struct fail *f);

#endif
