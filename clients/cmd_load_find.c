/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load_find - `cipherwatt load --find-rate`: runs at one upload rate after the other, until the
 * lowest that meets the target is known as well as was asked for.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "clients/cmd_load.h"
#include "clients/find_runs.h"
#include "clients/load_json.h"
#include "clients/rate_finder.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/table.h"
#include "lib/units.h"

/* --- what is said ------------------------------------------------------------ */

static const char *rate_text(int64_t bytes_per_s, char dst[32])
{
	char bytes[24];

	units_format_bytes(bytes_per_s, bytes, sizeof(bytes));
	snprintf(dst, 32, "%s/s", bytes);
	return dst;
}

static const char *time_text(double ns, char dst[32])
{
	if (isfinite(ns))
		snprintf(dst, 32, "%.5g ms", ns / (double)NS_PER_MS);
	else
		snprintf(dst, 32, "n/a");
	return dst;
}

static void say_probe(const struct rate_finder *r, int64_t rate, double ns, const char *why)
{
	char text[32], time[32];

	if (why)
		log_say(LOG_NOTE, "load: %s: not valid: %s", rate_text(rate, text), why);
	else if (isnan(ns))
		log_say(LOG_NOTE, "load: %s: %s is not known, it is among the time-outs",
			rate_text(rate, text), rate_metric_name[r->metric]);
	else
		log_say(LOG_NOTE, "load: %s: %s %s", rate_text(rate, text),
			rate_metric_name[r->metric], time_text(ns, time));
}

static const char *explain(const struct rate_finder *r, char dst[256])
{
	char low[32], high[32], fails[32], meets[32];

	rate_text(r->low, low);
	rate_text(r->high, high);
	rate_text(r->fails, fails);
	rate_text(r->meets, meets);
	switch (rate_finder_state(r)) {
	case RATE_HIGH_FAILS:
		snprintf(dst, 256, "the bracket does not hold: not even %s meets the target", high);
		break;
	case RATE_LOW_MEETS:
		snprintf(dst, 256, "the bracket does not hold: %s, the lowest rate, meets it", low);
		break;
	case RATE_CROSSED:
		snprintf(
			dst, 256,
			"a lower rate meets the target and %s does not: more requests in each run, "
			"or there is no such rate",
			fails);
		break;
	case RATE_FOUND:
		snprintf(dst, 256, "%s meets the target, %s does not", meets, fails);
		break;
	default:
		snprintf(dst, 256,
			 "ended before the bracket was as narrow as asked for: between "
			 "%s and %s",
			 fails, meets);
	}
	return dst;
}

static void print_table(const struct rate_finder *r)
{
	static const char *const heads[] = { ">upload rate", ">runs", ">figure", "target", NULL };
	struct table t;
	char text[256];

	if (table_init(&t, heads))
		return;
	for (int i = 0; i < r->probes; i++) {
		const struct rate_probe *p = &r->probe[i];
		char rate[32], runs[12], time[32];
		const char *cells[] = { rate_text(p->bytes_per_s, rate), runs,
					time_text(rate_probe_ns(p), time),
					p->invalid               ? "not valid"
					: rate_probe_meets(r, p) ? "met"
								 : "missed" };

		snprintf(runs, sizeof(runs), "%d", p->runs);
		table_row(&t, cells);
	}
	table_print(&t, stdout);
	table_release(&t);
	printf("\n%s\n", explain(r, text));
}

static json_t *rate_or_null(int64_t bytes_per_s)
{
	return bytes_per_s ? json_integer(bytes_per_s) : json_null();
}

static json_t *probes_json(const struct rate_finder *r)
{
	json_t *list = json_array();

	for (int i = 0; i < r->probes; i++) {
		const struct rate_probe *p = &r->probe[i];
		double ns = rate_probe_ns(p);

		json_array_append_new(
			list, json_pack("{s:I, s:i, s:i, s:i, s:o, s:b}", "bytes_per_s",
					(json_int_t)p->bytes_per_s, "runs", p->runs, "met", p->met,
					"invalid", p->invalid, "figure_us",
					isfinite(ns) ? json_real(ns / NS_PER_US) : json_null(),
					"meets", (int)rate_probe_meets(r, p)));
	}
	return list;
}

static json_t *finder_json(const struct rate_finder *r)
{
	enum rate_state state = rate_finder_state(r);
	char text[256];

	return json_pack("{s:s, s:f, s:f, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o}", "metric",
			 rate_metric_name[r->metric], "target_us", (double)r->target_ns / NS_PER_US,
			 "tolerance_pct", 100 * r->tolerance, "low_bytes_per_s", (json_int_t)r->low,
			 "high_bytes_per_s", (json_int_t)r->high, "state", rate_state_name[state],
			 "says", explain(r, text), "found_bytes_per_s",
			 rate_or_null(state == RATE_FOUND ? r->meets : 0), "meets_bytes_per_s",
			 rate_or_null(r->meets), "fails_bytes_per_s", rate_or_null(r->fails),
			 "probes", probes_json(r));
}

/* --- the runs ------------------------------------------------------------------ */

/* -1: it cannot go on, f; interrupted when there is no reason. */
static int probe(struct rate_finder *r, struct load_params *p, struct find_runs *runs,
		 struct fail *f)
{
	struct load_result got;
	char text[256];
	const char *why;
	double ns;
	int status = -1;

	if (load_result_init(&got))
		return fail_set(f, ENOMEM, "no memory for the result");
	if (load_run(p, &got, f))
		goto out;
	if (p->stop && *p->stop)
		goto out;
	if (got.total.succeeded == 0 && !r->probes) {
		fail_set(f, EIO, "nothing succeeded: %s", got.first_failure);
		goto out;
	}
	why = load_verdict(p, &got, text);
	ns = find_runs_figure_ns(r->metric, p, &got);
	say_probe(r, p->upload_bytes_per_s, ns, why);
	rate_finder_tell(r, p->upload_bytes_per_s, ns, !why);
	find_runs_keep(runs, p->upload_bytes_per_s, load_json(p, &got));
	status = 0;
out:
	load_result_release(&got);
	return status;
}

/* cell: of the lowest rate that meets the target; NULL: there is none. */
static int print_found(const struct load_settings *s, const struct rate_finder *r, json_t *cell)
{
	json_t *o;
	int status;

	if (!s->json) {
		print_table(r);
		return 0;
	}
	o = cell ? json_incref(cell) : json_pack("{s:s}", "schema", "cipherwatt/1");
	json_object_set_new(o, "find_rate", finder_json(r));
	status = json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(o);
	return status;
}

int load_find(const struct command *c, const struct load_settings *s, struct load_params *p)
{
	struct rate_finder r = { .tolerance = s->find_tolerance_pct / 100 };
	struct fail f = { 0 };
	struct find_runs runs = { 0 };
	char text[256];
	int64_t rate;
	int status = 0;

	if (s->upload_rate || s->control)
		return command_fail(c, EXIT_USAGE, "--find-rate chooses the rate: leave out --%s",
				    s->upload_rate ? "upload-rate" : "control");
	if (rate_target_parse(s->find_rate, &r, &f))
		return command_fail(c, EXIT_USAGE, "--find-rate: %s", f.text);
	if (rate_range_parse(s->find_range, &r, &f))
		return command_fail(c, EXIT_USAGE, "--find-range: %s", f.text);
	while (!status && (rate = rate_finder_next(&r))) {
		p->upload_bytes_per_s = rate;
		status = probe(&r, p, &runs, &f);
	}
	if (f.code)
		status = command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	else if (print_found(s, &r, find_runs_cell(&runs, r.meets)))
		status = command_fail(c, EXIT_FAILED, "cannot write the result");
	else if (rate_finder_state(&r) != RATE_FOUND)
		status = command_fail(c, EXIT_NOT_VALID, "%s", explain(&r, text));
	else
		status = command_finish(c, EXIT_RESULT);
	find_runs_release(&runs);
	return status;
}
