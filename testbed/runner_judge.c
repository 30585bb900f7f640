/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_judge - whether a trial's figures may be used, and if not, why.
 *
 * A trial that is outside its limits is kept, marked and explained, never dropped. What
 * only limits how far a figure reaches (a busy load generator) is a note: the trial stays
 * valid and its reason begins with "note: ".
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
#define BUSY_MAX       0.95 /* of one CPU: the load generator is one thread */
#define WINDOW_MIN     0.99 /* of the duration asked for */
#define FREQUENCY_MOVE 0.02

/* Several reasons may hold; they stand in one text, as many as fit. */
static void add_reason(char dst[256], const char *fmt, ...)
{
	size_t len = strlen(dst);
	va_list ap;

	if (len)
		len += (size_t)snprintf(dst + len, 256 - len, "; ");
	va_start(ap, fmt);
	if (len < 255)
		vsnprintf(dst + len, 256 - len, fmt, ap);
	va_end(ap);
}

static void judge_requests(const struct plan *p, const struct runner_trial *t, char why[256])
{
	const struct trial *r = &t->record;
	int64_t bad = r->requests_failed + r->requests_timed_out;

	if (r->requests_started != r->requests_succeeded + bad + r->requests_in_flight)
		add_reason(why, "the load generator's counts do not add up");
	if (!r->requests_succeeded)
		add_reason(why, "no request succeeded%s%s", t->first_failure[0] ? ": " : "",
			   t->first_failure);
	else if ((double)bad > FAILURES_MAX * (double)r->requests_started)
		add_reason(why, "%" PRId64 " of %" PRId64 " requests failed%s%s", bad,
			   r->requests_started, t->first_failure[0] ? ", first: " : "",
			   t->first_failure);
	if (!p->times.count && (double)r->window_ns < WINDOW_MIN * (double)p->times.measure_ns)
		add_reason(why, "the window was %.3f s of %.3f s",
			   (double)r->window_ns / (double)NS_PER_S,
			   (double)p->times.measure_ns / (double)NS_PER_S);
}

/* Each client may be cut once by the end of the warm-up's and the window's last request. */
static bool counts_agree(const struct runner_trial *t, int64_t server, int64_t client)
{
	return server >= client - t->cell->cell.clients &&
	       server <= client + t->client_unfinished + t->cell->cell.clients;
}

static void judge_handshakes(const struct runner_trial *t, char why[256])
{
	const struct trial *r = &t->record;
	bool counted = r->server_handshakes_full != FIELD_UNKNOWN_INT;
	int64_t resumed = r->handshakes_resumed + r->client_handshakes_resumed +
			  (counted ? r->server_handshakes_resumed : 0);

	if (!strcmp(t->cell->cell.connection, "full") && resumed)
		add_reason(why, "a handshake was resumed where only full ones were asked for");
	if (counted && !suite_is_plain(&t->cell->suite) &&
	    !counts_agree(t, r->server_handshakes_full, r->client_handshakes_full))
		add_reason(why,
			   "the server counted %" PRId64 " full handshakes, the client %" PRId64,
			   r->server_handshakes_full, r->client_handshakes_full);
	if (t->server_requests >= 0 && !counts_agree(t, t->server_requests, t->client_succeeded))
		add_reason(why, "the server answered %" PRId64 " requests, the client saw %" PRId64,
			   t->server_requests, t->client_succeeded);
}

static void judge_side(const struct plan *p, const struct runner_trial *t, enum runner_node who,
		       char why[256])
{
	const struct side *s = who == RUNNER_SERVER ? &t->record.server : &t->record.client;
	const struct plan_node *node = who == RUNNER_SERVER ? &p->server : &p->client;
	const json_t *after = json_object_get(t->collected[who], "environment");
	const char *meter_error =
		json_string_value(json_object_get(t->collected[who], "meter_error"));

	if (s->cpu_ns < 0)
		add_reason(why, "the CPU time of the %s in the window was not seen",
			   runner_node_name[who]);
	if (node->meter[0] && !(s->coverage >= COVERAGE_MIN))
		add_reason(why, "the %s's meter covered %.1f %% of the window%s%s",
			   runner_node_name[who], isnan(s->coverage) ? 0.0 : 100 * s->coverage,
			   meter_error ? ": "
			   : t->real_time[who]
				   ? ""
				   : ": its reader had to wait for the load; root or a "
				     "limit for real time (ulimit -r) lets it run first",
			   meter_error ? meter_error : "");
	if (environment_is_throttled(t->environment[who]) || environment_is_throttled(after))
		add_reason(why, "the %s's board was throttled", runner_node_name[who]);
}

static double khz_of(const json_t *state)
{
	return json_number_value(json_object_get(state, "cpu_khz"));
}

static void note_side(const struct runner_trial *t, enum runner_node who, char notes[256])
{
	double before = khz_of(t->environment[who]);
	double after = khz_of(json_object_get(t->collected[who], "environment"));

	if (before > 0 && after > 0 && fabs(after - before) > FREQUENCY_MOVE * before)
		add_reason(notes, "the %s's CPU went from %.0f to %.0f MHz", runner_node_name[who],
			   before / 1000, after / 1000);
	if (t->insufficient[who])
		add_reason(notes, "the window is too short for the %s's meter",
			   runner_node_name[who]);
}

void runner_judge(const struct plan *p, struct runner_trial *t)
{
	char why[256] = "", notes[256] = "";

	if (t->problem[0]) {
		t->record.valid = false;
		snprintf(t->record.reason, sizeof(t->record.reason), "%s", t->problem);
		return;
	}
	judge_requests(p, t, why);
	judge_handshakes(t, why);
	for (int who = 0; who < RUNNER_NODES; who++)
		judge_side(p, t, who, why);
	if (!why[0] && t->verdict[0]) /* it says much the same, and knows each association */
		add_reason(why, "%s", t->verdict);
	if (t->record.client_busy > BUSY_MAX)
		add_reason(notes,
			   "the load generator used %.0f %% of a CPU and may have been the limit",
			   100 * t->record.client_busy);
	for (int who = 0; who < RUNNER_NODES; who++)
		note_side(t, who, notes);
	t->record.valid = !why[0];
	if (why[0])
		snprintf(t->record.reason, sizeof(t->record.reason), "%s", why);
	else if (notes[0])
		snprintf(t->record.reason, sizeof(t->record.reason), "note: %.249s", notes);
	else
		t->record.reason[0] = '\0';
}
