/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed - how long one operation of an engine takes, repeated until it can be trusted.
 *
 * The number of operations in a batch is doubled until a batch takes plan.batch_ns; what ran
 * so far is the warm-up. Then batches are timed until their sum is plan.time_ns and the
 * 95 % interval of their mean is narrow enough, or until plan.max_time_ns is used up: then
 * the figure says that it is wide. CPU time of the thread stands beside wall time: where
 * the two differ, something else had the processor.
 */
#ifndef CIPHERS_SPEED_H
#define CIPHERS_SPEED_H

#include <stdbool.h>
#include <stdint.h>

#include "ciphers/primitive.h"

/* Where time comes from; a test brings its own. */
struct speed_clock {
	int64_t (*wall_ns)(void *data);
	int64_t (*cpu_ns)(void *data);
	void *data;
};

#define SPEED_BATCH_NS    INT64_C(10000000)
#define SPEED_BATCHES_MIN 5 /* below that an interval says little */

struct speed_plan {
	int64_t batch_ns, time_ns, max_time_ns;
	double precision; /* the interval's width in parts of the mean: 0.02 */
	const struct speed_clock *clock;
};
/* The defaults: 10 ms, 1 s, 3 s, 2 %, the machine's clocks. */
extern const struct speed_plan speed_plan_usual;

struct speed_figure {
	const struct engine_ops *engine;
	struct operation what;
	bool measured; /* else absent, or failed, as fail says */
	bool precise;  /* the interval became as narrow as was asked for */
	int64_t batches, batch_ops, ops;
	int64_t from_ns, to_ns; /* the window of the timed batches, by the plan's clock */
	int64_t wall_ns, cpu_ns;
	double us_per_op, us_half; /* mean, and half its 95 % interval */
	struct fail fail;          /* code ENOTSUP: not in this build */
};

/* An open primitive. -1: it failed while running, f->fail. */
int speed_run(struct primitive *p, const struct speed_plan *plan, struct speed_figure *f);

/*
 * Opens, runs, closes. An RSA key is taken from the user's cache of credentials where there
 * is one, or made. -1: absent or failed: f->fail; all else in f is then 0.
 */
int speed_measure(const struct engine_ops *engine, const struct operation *what,
		  const struct speed_plan *plan, struct speed_figure *f);

double speed_ops_per_s(const struct speed_figure *f);
double speed_cpu_us_per_op(const struct speed_figure *f);
double speed_mb_per_s(const struct speed_figure *f); /* 0 where the operation has no length */
/* Part of the wall time that this thread had the processor. */
double speed_cpu_share(const struct speed_figure *f);

/* --- a book of figures: each operation of an engine is measured once --------------- */

struct speed_book {
	struct speed_figure *figure;
	int count, cap;
};

/* Adds it without a figure, unless it is there. -1: no memory. */
int speed_book_want(struct speed_book *b, const struct engine_ops *engine,
		    const struct operation *what);
/* NULL where it was not asked for. */
const struct speed_figure *speed_book_find(const struct speed_book *b,
					   const struct engine_ops *engine,
					   const struct operation *what);
void speed_book_release(struct speed_book *b);

#endif
