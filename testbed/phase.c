/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase - which event leads from which phase to which, and when a trial is given up.
 *
 * Times are taken as they come: a phase that was left late is recorded as long as
 * it really was. It must not know what a node, a load generator or a meter is.
 */
#include "testbed/phase.h"

#include <stdbool.h>

static int64_t later(int64_t at_ns, int64_t by_ns)
{
	int64_t sum_ns;

	return __builtin_add_overflow(at_ns, by_ns, &sum_ns) ? INT64_MAX : sum_ns;
}

static int64_t planned_ns(const struct phase_machine *m)
{
	switch (m->phase) {
	case PHASE_SETTLE:
		return m->times.settle_ns;
	case PHASE_IDLE_BEFORE:
	case PHASE_IDLE_AFTER:
		return m->times.idle_ns;
	case PHASE_WARMUP:
		return m->times.warmup_ns;
	case PHASE_MEASURE:
		return m->times.count ? 0 : m->times.measure_ns;
	case PHASE_COOL:
		return m->times.cool_ns;
	default:
		return INT64_MAX;
	}
}

/* An event of the load generator ends them, and time only by giving up. */
static bool ends_by_event(enum phase phase)
{
	return phase == PHASE_WARMUP || phase == PHASE_MEASURE;
}

static int64_t limit_ns(const struct phase_machine *m)
{
	return later(later(m->entered_ns, planned_ns(m)), m->times.overtime_ns);
}

static void enter(struct phase_machine *m, enum phase phase, int64_t at_ns)
{
	m->phase = phase;
	m->entered_ns = at_ns;
	m->deadline_ns = ends_by_event(phase) ? limit_ns(m) : later(at_ns, planned_ns(m));
}

static enum phase_action give_up(struct phase_machine *m, int64_t at_ns, const char *reason)
{
	enter(m, PHASE_ABORTED, at_ns);
	m->reason = reason;
	return PHASE_ABORT;
}

static enum phase_action too_late(struct phase_machine *m, int64_t at_ns)
{
	switch (m->phase) {
	case PHASE_WARMUP:
		return give_up(m, at_ns, "the load generator did not begin to measure in time");
	case PHASE_MEASURE:
		return give_up(m, at_ns, "the load generator did not end its window in time");
	default:
		return give_up(m, at_ns, "the runner was held up for longer than the overtime");
	}
}

/* A phase without length leaves its window unknown. */
static void note_idle(const struct phase_machine *m, int64_t at_ns, int64_t *from_ns,
		      int64_t *to_ns)
{
	if (!m->times.idle_ns)
		return;
	*from_ns = m->entered_ns;
	*to_ns = at_ns;
}

/* Through every timed phase that is over; a phase begins when the one before was left. */
static enum phase_action advance(struct phase_machine *m, int64_t at_ns)
{
	while (at_ns >= m->deadline_ns) {
		switch (m->phase) {
		case PHASE_SETTLE:
			enter(m, PHASE_IDLE_BEFORE, at_ns);
			break;
		case PHASE_IDLE_BEFORE:
			note_idle(m, at_ns, &m->idle_before_from_ns, &m->idle_before_to_ns);
			enter(m, PHASE_WARMUP, at_ns);
			return PHASE_START_LOAD;
		case PHASE_IDLE_AFTER:
			note_idle(m, at_ns, &m->idle_after_from_ns, &m->idle_after_to_ns);
			enter(m, PHASE_COOL, at_ns);
			break;
		case PHASE_COOL:
			enter(m, PHASE_DONE, at_ns);
			return PHASE_FINISH;
		default:
			return PHASE_WAIT;
		}
	}
	return PHASE_WAIT;
}

static enum phase_action window_opened(struct phase_machine *m, int64_t at_ns)
{
	if (m->phase < PHASE_WARMUP)
		return give_up(m, at_ns, "the load generator began before it was started");
	if (m->phase > PHASE_WARMUP)
		return give_up(m, at_ns, "the load generator began its window twice");
	m->window_from_ns = at_ns;
	enter(m, PHASE_MEASURE, at_ns);
	return PHASE_WAIT;
}

static enum phase_action window_closed(struct phase_machine *m, int64_t at_ns)
{
	if (m->phase < PHASE_MEASURE)
		return give_up(m, at_ns, "the load generator ended a window that it never began");
	if (m->phase > PHASE_MEASURE)
		return give_up(m, at_ns, "the load generator ended its window twice");
	if (at_ns < m->window_from_ns)
		return give_up(m, at_ns, "the load generator's window ends before it begins");
	m->window_to_ns = at_ns;
	enter(m, PHASE_IDLE_AFTER, at_ns);
	return advance(m, at_ns);
}

void phase_start(struct phase_machine *m, const struct phase_times *times, int64_t now_ns)
{
	*m = (struct phase_machine){ .times = *times };
	enter(m, PHASE_SETTLE, now_ns);
}

enum phase_action phase_step(struct phase_machine *m, enum phase_event event, int64_t at_ns)
{
	if (m->phase >= PHASE_DONE)
		return PHASE_WAIT;
	if (event == PHASE_NODE_LOST)
		return give_up(m, at_ns, "a node was lost");
	if (event == PHASE_LOAD_FAILED)
		return give_up(m, at_ns, "the load generator could not measure");
	if (at_ns > limit_ns(m))
		return too_late(m, at_ns);
	if (event == PHASE_WINDOW_OPENED)
		return window_opened(m, at_ns);
	if (event == PHASE_WINDOW_CLOSED)
		return window_closed(m, at_ns);
	return advance(m, at_ns);
}
