/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_judge - whether a trial's figures may be used, and if not, why.
 *
 * A trial that is outside its limits is kept, marked and explained, never dropped. What
 * only limits how far a figure reaches (a busy load generator) is a note: the trial stays
 * valid. A note is one line, "WHAT: DETAIL"; reports gather them by what they say.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "testbed/environment.h"
#include "testbed/runner_trial.h"

#define FAILURES_MAX   0.01 /* of the requests started */
#define COVERAGE_MIN   0.99 /* of the window, by samples of the meter */
#define BUSY_MAX       0.95 /* of one CPU for each thread of the load generator */
#define WINDOW_MIN     0.99 /* of the duration asked for */
#define FREQUENCY_MOVE 0.02
#define OVERRUN_MAX    1.1  /* of the duration asked for */
#define DRIFT_MAX_PCT  5.0  /* of the idle power, from before to after */
#define RECONNECTS_MAX 0.01 /* of the requests of kept connections */
#define LOAD_MAX       2.0  /* for each CPU: a server and its clients make no more by themselves */
#define STOLEN_MAX     0.02 /* of the CPU time, by what a virtual machine runs beside */
/* In a closed loop. With fewer, most of the work is cut by an end of the window. */
#define REQUESTS_MIN  2 /* completed, of each client on average */
#define RESPONSES_MIN 3 /* as long as the median one that fit into the window */

/* Several may hold; they stand in one text, as many as fit. */
struct words {
	char *text;
	size_t len, room;
	const char *between;
};

static void add(struct words *w, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (w->len)
		w->len += (size_t)snprintf(w->text + w->len, w->room - w->len, "%s", w->between);
	if (w->len >= w->room)
		w->len = w->room - 1;
	va_start(ap, fmt);
	n = vsnprintf(w->text + w->len, w->room - w->len, fmt, ap);
	va_end(ap);
	w->len = n < (int)(w->room - w->len) ? w->len + (size_t)n : w->room - 1;
}

/*
 * Requests in flight at an end of the window are work in it that is not counted, or counted
 * though done outside.
 */
static void judge_latency(const struct runner_trial *t, struct words *why)
{
	const struct trial *r = &t->record;
	const struct cell *c = &t->cell->cell;
	int64_t median_ns = r->response.count ? hist_quantile(&r->response, 0.5) : 0;
	double window_s = (double)r->window_ns / (double)NS_PER_S;
	const char *cure = "measure longer or use fewer clients";

	if (r->requests_completed < REQUESTS_MIN * c->clients)
		add(why,
		    "the window is too short for the latency: %" PRId64 " clients completed "
		    "%" PRId64 " requests in %.3g s; %s",
		    c->clients, r->requests_completed, window_s, cure);
	else if (RESPONSES_MIN * median_ns > r->window_ns)
		add(why,
		    "the window is too short for the latency: the median response of %.3g s is "
		    "over a third of %.3g s; %s",
		    (double)median_ns / (double)NS_PER_S, window_s, cure);
}

static int64_t or_none(int64_t count)
{
	return count == FIELD_UNKNOWN_INT ? 0 : count;
}

static void judge_reuse(const struct runner_trial *t, struct words *why)
{
	const struct trial *r = &t->record;

	if (strncmp(t->cell->cell.connection, "keepalive", strlen("keepalive")))
		return;
	/* Another load generator may not tell; a limit of requests makes new ones by itself. */
	if (r->reconnects == FIELD_UNKNOWN_INT || r->requests_started == FIELD_UNKNOWN_INT ||
	    t->cell->connection_number)
		return;
	if ((double)r->reconnects > RECONNECTS_MAX * (double)r->requests_started)
		add(why,
		    "nothing was kept alive: %" PRId64 " of %" PRId64 " requests needed a new "
		    "connection",
		    r->reconnects, r->requests_started);
}

static void judge_requests(const struct plan *p, const struct runner_trial *t, struct words *why)
{
	const struct trial *r = &t->record;
	int64_t bad = or_none(r->requests_failed) + or_none(r->requests_timed_out);
	bool counted = r->requests_started != FIELD_UNKNOWN_INT;
	struct phase_times times = plan_times(p, t->cell);
	int64_t started = counted ? r->requests_started : r->requests_succeeded + bad;

	if (r->requests_in_flight != FIELD_UNKNOWN_INT &&
	    r->requests_started != r->requests_succeeded + bad + r->requests_in_flight)
		add(why, "the load generator's counts do not add up");
	if (!r->requests_succeeded)
		add(why, "no request succeeded%s%s", t->first_failure[0] ? ": " : "",
		    t->first_failure);
	else if ((double)bad > FAILURES_MAX * (double)started)
		add(why, "%" PRId64 " of %" PRId64 " requests failed%s%s", bad, started,
		    t->first_failure[0] ? ", first: " : "", t->first_failure);
	else
		judge_latency(t, why);
	if (!times.count && (double)r->window_ns < WINDOW_MIN * (double)times.measure_ns)
		add(why, "the window was %.3f s of %.3f s", (double)r->window_ns / (double)NS_PER_S,
		    (double)times.measure_ns / (double)NS_PER_S);
}

/* Each client may be cut once by the end of the warm-up's and the window's last request. */
static bool counts_agree(const struct runner_trial *t, int64_t server, int64_t client)
{
	return server >= client - t->cell->cell.clients &&
	       server <= client + t->client_unfinished + t->cell->cell.clients;
}

static void judge_handshakes(const struct runner_trial *t, struct words *why)
{
	const struct trial *r = &t->record;
	bool counted = r->server_handshakes_full != FIELD_UNKNOWN_INT;
	bool told = r->client_handshakes_full != FIELD_UNKNOWN_INT;
	int64_t resumed = or_none(r->handshakes_resumed) + or_none(r->client_handshakes_resumed) +
			  or_none(r->server_handshakes_resumed);

	if (!strcmp(t->cell->cell.connection, "full") && resumed)
		add(why, "a handshake was resumed where only full ones were asked for");
	if (counted && told && !suite_is_plain(&t->cell->suite) &&
	    !counts_agree(t, r->server_handshakes_full, r->client_handshakes_full))
		add(why, "the server counted %" PRId64 " full handshakes, the client %" PRId64,
		    r->server_handshakes_full, r->client_handshakes_full);
	if (counted && told && connection_kind[t->cell->mode].resumes &&
	    !counts_agree(t, r->server_handshakes_resumed, r->client_handshakes_resumed))
		add(why, "the server counted %" PRId64 " resumed handshakes, the client %" PRId64,
		    r->server_handshakes_resumed, r->client_handshakes_resumed);
	if (t->server_requests >= 0 && !counts_agree(t, t->server_requests, t->client_succeeded))
		add(why, "the server answered %" PRId64 " requests, the client saw %" PRId64,
		    t->server_requests, t->client_succeeded);
}

static void judge_side(const struct plan *p, const struct runner_trial *t, enum runner_node who,
		       struct words *why)
{
	const struct side *s = who == RUNNER_SERVER ? &t->record.server : &t->record.client;
	const struct plan_node *node = who == RUNNER_SERVER ? &p->server : &p->client;
	const json_t *after = json_object_get(t->collected[who], "environment");
	const char *meter_error =
		json_string_value(json_object_get(t->collected[who], "meter_error"));

	if (s->cpu_ns < 0)
		add(why, "the CPU time of the %s in the window was not seen",
		    runner_node_name[who]);
	if (node->meter[0] && !(s->coverage >= COVERAGE_MIN))
		add(why, "the %s's meter covered %.1f %% of the window%s%s", runner_node_name[who],
		    isnan(s->coverage) ? 0.0 : 100 * s->coverage,
		    meter_error         ? ": "
		    : t->real_time[who] ? ""
					: ": its reader had to wait for the load; root or a "
					  "limit for real time (ulimit -r) lets it run first",
		    meter_error ? meter_error : "");
	if (environment_is_throttled(t->environment[who]) || environment_is_throttled(after))
		add(why, "the %s's board was throttled", runner_node_name[who]);
}

static double khz_of(const json_t *state)
{
	return json_number_value(json_object_get(state, "cpu_khz"));
}

static double number_of(const json_t *state, const char *key)
{
	return json_number_value(json_object_get(state, key));
}

/* Others on this machine move every figure, and no interval knows of them. */
static void note_others(const struct runner_trial *t, enum runner_node who, struct words *notes)
{
	const json_t *before = t->environment[who];
	const json_t *after = json_object_get(t->collected[who], "environment");
	double cpus = number_of(before, "cpus"), load = number_of(before, "load_1m");
	double ticks = number_of(after, "ticks") - number_of(before, "ticks");
	double stolen = number_of(after, "ticks_stolen") - number_of(before, "ticks_stolen");
	const char *name = runner_node_name[who];

	if (cpus > 0 && load > LOAD_MAX * cpus)
		add(notes,
		    "something else used the %s's machine: a load average of %.1f on %.0f CPUs "
		    "before the trial",
		    name, load, cpus);
	if (ticks > 0 && stolen > STOLEN_MAX * ticks)
		add(notes,
		    "the %s's machine did not have its CPUs to itself: its host took %.1f %% of "
		    "their time",
		    name, 100 * stolen / ticks);
}

static void note_side(const struct runner_trial *t, enum runner_node who, struct words *notes)
{
	const struct side *s = who == RUNNER_SERVER ? &t->record.server : &t->record.client;
	double before = khz_of(t->environment[who]);
	double after = khz_of(json_object_get(t->collected[who], "environment"));
	const char *name = runner_node_name[who];

	if (before > 0 && after > 0 && fabs(after - before) > FREQUENCY_MOVE * before)
		add(notes, "the %s's CPU changed its frequency: from %.0f to %.0f MHz", name,
		    before / 1000, after / 1000);
	if (t->insufficient[who])
		add(notes, "the window is too short for the %s's meter", name);
	if (t->short_idle[who])
		add(notes,
		    "the %s's idle power is less sure: too little was read before or behind the "
		    "load",
		    name);
	if (fabs(s->idle_drift_pct) > DRIFT_MAX_PCT)
		add(notes, "the %s's idle power moved: by %+.1f %% from before to after", name,
		    s->idle_drift_pct);
}

static int client_threads(const struct plan_cell *c)
{
	const char *text = setting_of(c, "client_threads");

	return text ? atoi(text) : 1;
}

static void note_load(const struct plan *p, struct runner_trial *t, struct words *notes)
{
	struct trial *r = &t->record;
	struct phase_times times = plan_times(p, t->cell);
	double asked_ns = (double)times.measure_ns;

	r->load_limited = r->client_busy > BUSY_MAX * client_threads(t->cell);
	if (r->load_limited)
		add(notes, "the load generator may have been the limit: it used %.0f %% of a CPU",
		    100 * r->client_busy);
	if (!times.count && (double)r->window_ns > OVERRUN_MAX * asked_ns)
		add(notes, "the window overran its plan: %.3f s instead of %.3f s",
		    (double)r->window_ns / (double)NS_PER_S, asked_ns / (double)NS_PER_S);
}

void runner_judge(const struct plan *p, struct runner_trial *t)
{
	struct trial *r = &t->record;
	struct words why = { r->reason, 0, sizeof(r->reason), "; " };
	struct words notes = { r->notes, 0, sizeof(r->notes), "\n" };

	r->reason[0] = r->notes[0] = '\0';
	if (t->problem[0]) {
		r->valid = false;
		add(&why, "%s", t->problem);
		return;
	}
	judge_requests(p, t, &why);
	judge_reuse(t, &why);
	judge_handshakes(t, &why);
	for (int who = 0; who < RUNNER_NODES; who++)
		judge_side(p, t, who, &why);
	if (!why.len && t->verdict[0]) /* it says much the same, and knows each association */
		add(&why, "%s", t->verdict);
	note_load(p, t, &notes);
	for (int who = 0; who < RUNNER_NODES; who++) {
		note_side(t, who, &notes);
		note_others(t, who, &notes);
	}
	r->valid = !why.len;
}
