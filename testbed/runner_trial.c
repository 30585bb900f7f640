/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_trial - prepare, go through the phases, collect, stop.
 *
 * A refusal of a node makes the trial invalid and the campaign goes on; a node that is
 * gone is the caller's matter. When what happens is testbed/phase's to say.
 */
#include "testbed/runner_trial.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"

#define ANSWER_NS   (5 * NS_PER_S)  /* a node ends its children within this, and packs a trace */
#define OVERTIME_NS (30 * NS_PER_S) /* at most, where the overtime bounds a count of requests */
#define HURRY_NS    (5 * NS_PER_S)  /* instead of the overtime, once a signal came */
#define EXCHANGES   16

int runner_trial_init(struct runner_trial *t, const struct plan_cell *cell, int block, int position)
{
	memset(t, 0, sizeof(*t));
	t->cell = cell;
	if (trial_init(&t->record))
		return -1;
	runner_energy_unknown(&t->record.server);
	runner_energy_unknown(&t->record.client);
	t->record.server.cpu_ns = t->record.client.cpu_ns = FIELD_UNKNOWN_INT;
	t->record.server.rss_peak_kib = t->record.client.rss_peak_kib = FIELD_UNKNOWN_INT;
	t->record.client_busy = NAN;
	t->record.server.limit_us = cell->limit_us[RUNNER_SERVER];
	t->record.client.limit_us = cell->limit_us[RUNNER_CLIENT];
	t->record.block = block;
	t->record.position = position;
	clock_utc(clock_wall_ns(), t->record.started);
	return 0;
}

void runner_trial_release(struct runner_trial *t)
{
	trial_release(&t->record);
	for (int i = 0; i < RUNNER_NODES; i++) {
		json_decref(t->collected[i]);
		json_decref(t->environment[i]);
		buf_release(&t->trace[i]);
	}
}

/* How long a node may be silent when it was asked something. */
static int64_t silence_ns(const struct phase_times t)
{
	bool bounds_count = t.count && t.overtime_ns > OVERTIME_NS;

	return ANSWER_NS + (bounds_count ? OVERTIME_NS : t.overtime_ns);
}

/* 0 answered, 1 refused (the trial's problem is set), -1 lost, or stopped at once. */
static int ask_within(struct runner *r, struct runner_trial *t, enum runner_node who,
		      json_t *request, int64_t limit_ns, json_t **reply, struct fail *f)
{
	struct fail why = { 0 };

	if (!r->world.call(r->world.data, who, request, limit_ns, reply, &why))
		return 0;
	if (why.code == EPIPE || why.code == EINTR)
		return fail_set(f, why.code, "%s", why.text);
	if (!t->problem[0])
		snprintf(t->problem, sizeof(t->problem), "%s", why.text);
	return 1;
}

static int ask(struct runner *r, struct runner_trial *t, enum runner_node who, json_t *request,
	       json_t **reply, struct fail *f)
{
	return ask_within(r, t, who, request, silence_ns(plan_times(r->plan, t->cell)), reply, f);
}

static int estimate_clock(struct runner *r, struct runner_trial *t, enum runner_node who,
			  struct clock_estimate *e, struct fail *f)
{
	struct clock_exchange x[EXCHANGES];
	json_t *reply = NULL;
	int got;

	*e = (struct clock_estimate){ 0 };
	if (r->node_local[who])
		return 0;
	for (int i = 0; i < EXCHANGES; i++) {
		x[i].sent_ns = r->world.now_ns(r->world.data);
		got = ask(r, t, who, json_pack("{s:s}", "do", "clock"), &reply, f);
		if (got)
			return got;
		x[i].received_ns = r->world.now_ns(r->world.data);
		x[i].node_ns = json_integer_value(json_object_get(reply, "now_ns"));
		json_decref(reply);
	}
	*e = clock_estimate(x, EXCHANGES);
	return 0;
}

static int start_meter(struct runner *r, struct runner_trial *t, enum runner_node who,
		       struct fail *f)
{
	json_t *reply = NULL;
	int got = ask(r, t, who, runner_ask_meter(r->plan, t->cell, who), &reply, f);

	if (!got)
		t->environment[who] = json_incref(json_object_get(reply, "environment"));
	t->real_time[who] = json_is_true(json_object_get(reply, "real_time"));
	json_decref(reply);
	return got;
}

static int prepare(struct runner *r, struct runner_trial *t, enum runner_node *lost, struct fail *f)
{
	json_t *server = NULL, *request;
	int64_t limit_ns = silence_ns(plan_times(r->plan, t->cell));
	int got;

	*lost = RUNNER_SERVER;
	if (setting_is(t->cell, "mutual", "true") && limit_ns < RUNNER_KEY_NS)
		limit_ns = RUNNER_KEY_NS;
	request = runner_ask_server(r->plan, t->cell);
	got = ask_within(r, t, RUNNER_SERVER, request, limit_ns, &server, f);
	if (!got)
		got = start_meter(r, t, RUNNER_SERVER, f);
	if (!got)
		got = estimate_clock(r, t, RUNNER_SERVER, &t->before[RUNNER_SERVER], f);
	if (got)
		goto out;
	*lost = RUNNER_CLIENT;
	request = runner_ask_client(r->plan, t->cell, server);
	got = ask(r, t, RUNNER_CLIENT, request, NULL, f);
	if (!got)
		got = start_meter(r, t, RUNNER_CLIENT, f);
	if (!got)
		got = estimate_clock(r, t, RUNNER_CLIENT, &t->before[RUNNER_CLIENT], f);
out:
	json_decref(server);
	return got;
}

/* What an event means to the phases; PHASE_TICK where nothing. */
static enum phase_event understand(struct runner_trial *t, const json_t *event, int64_t now_ns,
				   int64_t *at_ns)
{
	const char *phase = json_string_value(json_object_get(event, "phase"));
	const char *error = json_string_value(json_object_get(event, "error"));
	const json_t *stamp = json_object_get(event, "at_ns");

	if (error || !phase) {
		if (!t->problem[0])
			snprintf(t->problem, sizeof(t->problem), "%s",
				 error ? error : "a node sent an event without a phase");
		return PHASE_LOAD_FAILED;
	}
	if (json_is_integer(stamp))
		*at_ns = json_integer_value(stamp) - t->before[RUNNER_CLIENT].offset_ns;
	if (!strcmp(phase, "ended"))
		t->load_over_ns = now_ns;
	if (!strcmp(phase, "window"))
		return PHASE_WINDOW_OPENED;
	return strcmp(phase, "closed") ? PHASE_TICK : PHASE_WINDOW_CLOSED;
}

/* Nothing is said while the load runs. */
static bool window_is_near(const struct runner_trial *t)
{
	return t->phase.phase == PHASE_WARMUP || t->phase.phase == PHASE_MEASURE;
}

/* When the load is given up. The count of requests has no time of its own. */
static int64_t deadline_ns(const struct runner *r, const struct runner_trial *t)
{
	const struct phase_machine *m = &t->phase;
	bool counts = m->phase == PHASE_MEASURE && m->times.count;

	if (!*r->signals || !window_is_near(t) || counts || m->times.overtime_ns <= HURRY_NS)
		return m->deadline_ns;
	return m->deadline_ns - m->times.overtime_ns + HURRY_NS;
}

/* Wait for the next thing that matters and tell the phases. -1: lost, or told to stop at once. */
static int wait_and_step(struct runner *r, struct runner_trial *t, enum phase_action *action,
			 enum runner_node *lost, struct fail *f)
{
	enum phase_event meaning = PHASE_TICK;
	json_t *event = NULL;
	int64_t now_ns, at_ns, due_ns = deadline_ns(r, t);
	int got = r->world.wait(r->world.data, due_ns, lost, &event, f);

	if (got < 0)
		return -1;
	now_ns = at_ns = r->world.now_ns(r->world.data);
	if (!got && due_ns < t->phase.deadline_ns && now_ns >= due_ns)
		return fail_set(f, EINTR,
				"the load did not end in time; the trial in flight is not stored");
	if (*r->signals > 1) {
		json_decref(event);
		return fail_set(f, EINTR, "stopped at once; the trial in flight is not stored");
	}
	if (*r->signals && !r->announced && !window_is_near(t)) {
		progress_say(&r->progress, "stopping after the trial in flight; "
					   "once more stops at once, without it");
		r->announced = true;
	}
	if (got > 0)
		meaning = understand(t, event, now_ns, &at_ns);
	json_decref(event);
	*action = phase_step(&t->phase, meaning, meaning == PHASE_TICK ? now_ns : at_ns);
	return 0;
}

static int run_phases(struct runner *r, struct runner_trial *t, enum runner_node *lost,
		      struct fail *f)
{
	enum phase_action action;
	int64_t now_ns = r->world.now_ns(r->world.data);
	struct phase_times times;
	int got;

	times = plan_times(r->plan, t->cell);
	phase_start(&t->phase, &times, now_ns);
	action = phase_step(&t->phase, PHASE_TICK, now_ns);
	while (action != PHASE_FINISH && action != PHASE_ABORT) {
		if (action == PHASE_WAIT) {
			if (wait_and_step(r, t, &action, lost, f))
				return -1;
			continue;
		}
		*lost = RUNNER_CLIENT;
		got = ask(r, t, RUNNER_CLIENT, json_pack("{s:s}", "do", "load"), NULL, f);
		if (got < 0)
			return -1;
		now_ns = r->world.now_ns(r->world.data);
		action = phase_step(&t->phase, got ? PHASE_LOAD_FAILED : PHASE_TICK, now_ns);
	}
	if (action == PHASE_ABORT && !t->problem[0])
		snprintf(t->problem, sizeof(t->problem), "%s", t->phase.reason);
	return 0;
}

static int collect(struct runner *r, struct runner_trial *t, enum runner_node who, struct fail *f)
{
	json_t *windows;
	int got = estimate_clock(r, t, who, &t->clock[who], f);

	if (got)
		return got;
	t->clock[who] = clock_between(&t->before[who], &t->clock[who]);
	/* The load generator's own stamps; the server's by way of both clocks. */
	t->from_ns[who] = t->phase.window_from_ns + t->before[RUNNER_CLIENT].offset_ns;
	t->to_ns[who] = t->phase.window_to_ns + t->before[RUNNER_CLIENT].offset_ns;
	if (who == RUNNER_SERVER) {
		t->from_ns[who] +=
			t->clock[RUNNER_SERVER].offset_ns - t->clock[RUNNER_CLIENT].offset_ns;
		t->to_ns[who] +=
			t->clock[RUNNER_SERVER].offset_ns - t->clock[RUNNER_CLIENT].offset_ns;
	}
	windows = json_pack("[[I, I]]", (json_int_t)t->from_ns[who], (json_int_t)t->to_ns[who]);
	return ask(r, t, who, json_pack("{s:s, s:o}", "do", "collect", "windows", windows),
		   &t->collected[who], f);
}

static int stop_both(struct runner *r, struct runner_trial *t, enum runner_node *lost,
		     struct fail *f)
{
	for (int i = RUNNER_NODES - 1; i >= 0; i--) { /* the load ends before what it loads */
		*lost = i;
		if (ask(r, t, *lost, json_pack("{s:s}", "do", "stop"), NULL, f) < 0)
			return -1;
	}
	return 0;
}

int runner_trial_run(struct runner *r, struct runner_trial *t, enum runner_node *lost,
		     struct fail *f)
{
	struct fail why = { 0 };
	int got = prepare(r, t, lost, f);

	if (got < 0)
		return -1;
	if (!got && run_phases(r, t, lost, f))
		return -1;
	if (!got && !t->problem[0]) {
		*lost = RUNNER_CLIENT; /* first: the server's window hangs on its clock */
		got = collect(r, t, RUNNER_CLIENT, f);
		if (!got) {
			*lost = RUNNER_SERVER;
			got = collect(r, t, RUNNER_SERVER, f);
		}
		if (got < 0)
			return -1;
	}
	if (stop_both(r, t, lost, f))
		return -1;
	if (!t->problem[0] && runner_fill(t, &why))
		snprintf(t->problem, sizeof(t->problem), "%s", why.text);
	runner_judge(r->plan, t);
	return 0;
}
