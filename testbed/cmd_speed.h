/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_speed - what the files of `cipherwatt speed` share: what was asked for, what was
 * measured, and the meter that ran beside it. For cmd_speed*.c only.
 */
#ifndef TESTBED_CMD_SPEED_H
#define TESTBED_CMD_SPEED_H

#include "ciphers/speed.h"
#include "ciphers/speed_limit.h"
#include "ciphers/speed_mix.h"
#include "lib/opt.h"
#include "power/energy.h"
#include "power/sampler.h"

#define SPEED_ENGINES_MAX 8

struct speed_settings {
	struct opt_list engine, only, suite;
	int64_t time_ns, max_time_ns, idle_ns;
	double precision_pct;
	const char *meter;
	bool mix, list, json;
};

/* A meter that reads all the time; windows are taken from its trace afterwards. */
struct speed_meter {
	struct meter meter;
	struct sampler *sampler;
	struct trace trace;
	int64_t idle_ns;                        /* waited before all, and after */
	int64_t idle_from_ns[2], idle_to_ns[2]; /* before and after */
	bool open, idle_known;
	double idle_mw;
};

struct speed_energy {
	bool known;
	const char *why; /* not known, in a few words */
	bool net_known;
	double gross_mj, net_mj; /* per operation */
	double coverage;
};

struct speed_session {
	struct speed_settings set;
	const struct engine_ops *engine[SPEED_ENGINES_MAX];
	int engines;
	struct suite suite[OPT_LIST_MAX];
	struct speed_book book;
	struct speed_energy *energy; /* one for each figure of the book; NULL without a meter */
	struct speed_meter meter;
	int failed, wide; /* figures */
};

/* Opens the meter, starts to read it and lets the machine idle. -1: f. */
int speed_meter_start(struct speed_meter *m, const struct speed_settings *set, int64_t expected_ns,
		      struct fail *f);
/* Idles again and stops; -1: the meter had failed: f. The trace so far is there. */
int speed_meter_stop(struct speed_meter *m, struct fail *f);
void speed_meter_energy(struct speed_meter *m, const struct speed_figure *figure,
			struct speed_energy *e);
void speed_meter_release(struct speed_meter *m);

/* "measured", "modelled" or "synthetic". */
const char *speed_meter_source(const struct speed_meter *m);

/* -1: no memory, or it could not be written. */
int speed_print_list(void);
int speed_print(const struct speed_session *s);
int speed_print_json(const struct speed_session *s);

#endif
