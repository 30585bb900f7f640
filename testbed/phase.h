/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase - the phases of one trial as a pure state machine.
 *
 *   settle -> idle before -> warm-up -> measure -> idle after -> cool -> done
 *
 * It is given events with their time and answers what to do next; it reads no
 * clock and talks to no node, so that campaigns of hours run in milliseconds.
 */
#ifndef TESTBED_PHASE_H
#define TESTBED_PHASE_H

#include <stdint.h>

struct phase_times {
	int64_t settle_ns, idle_ns, warmup_ns, measure_ns, cool_ns;
	int64_t count;       /* requests to measure instead of measure_ns; 0: by time */
	int64_t overtime_ns; /* how much longer than planned a phase may take before the trial is
				aborted; by count, how long the window may last */
};

enum phase {
	PHASE_SETTLE,
	PHASE_IDLE_BEFORE,
	PHASE_WARMUP,
	PHASE_MEASURE,
	PHASE_IDLE_AFTER,
	PHASE_COOL,
	PHASE_DONE,
	PHASE_ABORTED,
	PHASES
};

enum phase_event {
	PHASE_TICK,          /* time passed */
	PHASE_WINDOW_OPENED, /* the load generator began to count */
	PHASE_WINDOW_CLOSED, /* and ended */
	PHASE_LOAD_FAILED,   /* it could not measure */
	PHASE_NODE_LOST
};

enum phase_action {
	PHASE_WAIT,       /* until deadline_ns or an event */
	PHASE_START_LOAD, /* entering warm-up */
	PHASE_FINISH,     /* entering done: collect traces, counters */
	PHASE_ABORT       /* entering aborted: stop everything, keep what is there */
};

struct phase_machine {
	struct phase_times times;
	enum phase phase;
	int64_t entered_ns, deadline_ns;
	/*
	 * What energy and CPU are read over, on the runner's clock; 0 until known. An idle
	 * phase of no length leaves both its ends 0.
	 */
	int64_t idle_before_from_ns, idle_before_to_ns;
	int64_t window_from_ns, window_to_ns;
	int64_t idle_after_from_ns, idle_after_to_ns;
	const char *reason; /* of an abort, static text */
};

/* Entering settle; the first tick, at now_ns already, says what to do. */
void phase_start(struct phase_machine *m, const struct phase_times *times, int64_t now_ns);

/*
 * What happened, and when: a phase lasts as long as it really did. Events that come
 * in a phase where they make no sense abort the trial, as do node and load failures
 * in every phase and time-outs; once done or aborted everything answers PHASE_WAIT.
 * Phases of no length are passed through in the same step.
 */
enum phase_action phase_step(struct phase_machine *m, enum phase_event event, int64_t at_ns);

#endif
