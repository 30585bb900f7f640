/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_report - prints. It must not read meters or integrate.
 */
#include "power/power_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/hist.h"
#include "lib/units.h"
#include "power/convert.h"

#define DIGITS 10

static void count_flags(struct power_report *r, uint32_t flags)
{
	r->stale += (flags & SAMPLE_STALE) != 0;
	r->saturated += (flags & SAMPLE_SATURATED) != 0;
	r->absent += (flags & SAMPLE_ABSENT) != 0;
	r->retried += (flags & SAMPLE_RETRIED) != 0;
	r->torn += (flags & SAMPLE_TORN) != 0;
}

static double duty_pct(const struct meter_facts *facts, int64_t own_period_ns)
{
	if (facts->kind == CODE_ENERGY || facts->gapless || own_period_ns <= 0 ||
	    own_period_ns >= facts->period_ns)
		return 100;
	return (double)own_period_ns * 100 / (double)facts->period_ns;
}

int power_report_init(struct power_report *r, const struct trace *t, int64_t own_period_ns)
{
	int64_t first_ns = 0, last_ns = 0;
	struct hist steps = { 0 }, reads = { 0 };
	int result = -1;

	*r = (struct power_report){ .trace = t, .duty_pct = duty_pct(&t->facts, own_period_ns) };
	if (hist_init(&steps) != 0 || hist_init(&reads) != 0)
		goto out;
	for (size_t i = 0; i < t->count; i++) {
		const struct sample *s = &t->sample[i];

		count_flags(r, s->flags);
		if (s->flags & (SAMPLE_STALE | SAMPLE_ABSENT))
			continue;
		hist_add(&reads, s->after_ns - s->before_ns);
		if (r->fresh++ > 0)
			hist_add(&steps, sample_time_ns(s) - last_ns);
		else
			first_ns = sample_time_ns(s);
		last_ns = sample_time_ns(s);
	}
	if (reads.count > 0) {
		r->read_median_ns = hist_quantile(&reads, 0.5);
		r->read_max_ns = reads.max_ns;
	}
	if (steps.count > 0) {
		r->step_min_ns = steps.min_ns;
		r->step_median_ns = hist_quantile(&steps, 0.5);
		r->step_p95_ns = hist_quantile(&steps, 0.95);
		r->step_max_ns = steps.max_ns;
		r->span_ns = last_ns - first_ns;
	}
	if (r->span_ns > 0) {
		r->achieved_hz = (double)(r->fresh - 1) * 1e9 / (double)r->span_ns;
		r->cpu_pct = (double)t->cpu_ns * 100 / (double)r->span_ns;
	}
	result = 0;
out:
	hist_release(&reads);
	hist_release(&steps);
	return result;
}

static double coverage(const struct energy *e)
{
	return (double)e->covered_ns / (double)(e->to_ns - e->from_ns);
}

static double uncertainty_pct(const struct energy *e)
{
	return e->energy_nj ? fabs((double)e->instrument_nj * 100 / (double)e->energy_nj) : 0;
}

/* A figure and its word, so that the two cannot be parted by a copy of the line. */
static void line(FILE *out, const char *name, const char *word, double value, const char *unit,
		 const char *more)
{
	char text[64];

	units_format_real(value, text, sizeof text);
	fprintf(out, "%-12s %s %s%s%s%s\n", name, text, unit, word[0] ? " " : "", word, more);
}

static void energy_text(const struct power_report *r, FILE *out)
{
	const struct energy *e = &r->energy;
	enum provenance provenance = r->trace->facts.provenance;
	const char *word = provenance == PROVENANCE_MEASURED ? "" : provenance_name[provenance];
	char more[160];

	snprintf(more, sizeof more, " (%.6g mWh)", (double)e->energy_nj / 3.6e9);
	line(out, "energy", word, (double)e->energy_nj / 1e6, "mJ", more);
	line(out, "duration", "", (double)(e->to_ns - e->from_ns) / 1e9, "s", "");
	line(out, "mean", word, (double)e->mean_nw / 1e6, "mW", "");
	line(out, "peak", word, (double)e->peak_nw / 1e6, "mW", "");
	snprintf(more, sizeof more,
		 " of the window; %" PRId64 " gaps, the longest %.4g s, policy %s", e->gaps,
		 (double)e->longest_gap_ns / 1e9, gap_policy_name[r->policy]);
	line(out, "coverage", "", coverage(e) * 100, "%", more);
	line(out, "uncertainty", "", uncertainty_pct(e), "%",
	     provenance == PROVENANCE_MODELLED
		     ? " (k=1; spread of published figures for the board, no measurement)"
		     : " (k=1, of the instrument)");
	if (e->mean_nw < 0)
		fprintf(out,
			"warning      the mean is negative: IN+ and IN- look swapped; add invert"
			" to the METER\n");
	if (e->insufficient)
		fprintf(out, "verdict      insufficient: too few samples, too short, or less than "
			     "half covered\n");
}

void power_report_text(const struct power_report *r, FILE *out)
{
	const struct trace *t = r->trace;

	if (r->has_energy)
		energy_text(r, out);
	fprintf(out, "source       %s, %s%s%s\n", t->facts.source,
		provenance_name[t->facts.provenance], t->facts.basis[0] ? ": " : "",
		t->facts.basis);
	fprintf(out,
		"samples      %" PRId64
		" at %.4g Hz; steps %.4g / %.4g / %.4g / %.4g us (min, median, "
		"p95, max)\n",
		r->fresh, r->achieved_hz, (double)r->step_min_ns / 1e3,
		(double)r->step_median_ns / 1e3, (double)r->step_p95_ns / 1e3,
		(double)r->step_max_ns / 1e3);
	fprintf(out,
		"quality      late %" PRId64 ", lost %" PRId64 ", stale %" PRId64
		", saturated %" PRId64 ", absent %" PRId64 ", retried %" PRId64 ", torn %" PRId64
		"\n",
		t->late, t->lost, r->stale, r->saturated, r->absent, r->retried, r->torn);
	if (r->duty_pct < 50)
		fprintf(out,
			"warning      the readings are about %.3g %% of the time; a load in bursts "
			"needs a "
			"higher rate or more averaging (avg=)\n",
			r->duty_pct);
	fprintf(out,
		"sampler      %.3g %% of a core, a reading takes %.4g us (median), %.4g us (max)\n",
		r->cpu_pct, (double)r->read_median_ns / 1e3, (double)r->read_max_ns / 1e3);
}

static int set(json_t *o, const char *key, json_t *value)
{
	return json_object_set_new(o, key, value);
}

static int energy_json(const struct power_report *r, json_t *o)
{
	const struct energy *e = &r->energy;
	int bad = 0;

	bad |= set(o, "energy_mj", json_real((double)e->energy_nj / 1e6));
	bad |= set(o, "energy_mwh", json_real((double)e->energy_nj / 3.6e9));
	bad |= set(o, "duration_s", json_real((double)(e->to_ns - e->from_ns) / 1e9));
	bad |= set(o, "mean_mw", json_real((double)e->mean_nw / 1e6));
	bad |= set(o, "peak_mw", json_real((double)e->peak_nw / 1e6));
	bad |= set(o, "samples", json_integer(e->samples));
	bad |= set(o, "gaps", json_integer(e->gaps));
	bad |= set(o, "longest_gap_s", json_real((double)e->longest_gap_ns / 1e9));
	bad |= set(o, "gap_policy", json_string(gap_policy_name[r->policy]));
	bad |= set(o, "coverage", json_real(coverage(e)));
	bad |= set(o, "uncertainty_pct", json_real(uncertainty_pct(e)));
	bad |= set(o, "rejected", json_integer(e->rejected));
	bad |= set(o, "insufficient", json_boolean(e->insufficient));
	return bad;
}

static int trace_json(const struct power_report *r, json_t *o)
{
	const struct trace *t = r->trace;
	json_t *steps = json_object(), *reads = json_object();
	int bad = 0;

	bad |= set(o, "source", json_string(t->facts.source));
	bad |= set(o, "provenance", json_string(provenance_name[t->facts.provenance]));
	bad |= set(o, "basis", json_string(t->facts.basis));
	bad |= set(o, "meaning", json_string(sample_meaning_name[t->facts.meaning]));
	if (!r->has_energy)
		bad |= set(o, "samples", json_integer(r->fresh));
	bad |= set(o, "late", json_integer(t->late));
	bad |= set(o, "lost", json_integer(t->lost));
	bad |= set(o, "stale", json_integer(r->stale));
	bad |= set(o, "saturated", json_integer(r->saturated));
	bad |= set(o, "absent", json_integer(r->absent));
	bad |= set(o, "retried", json_integer(r->retried));
	bad |= set(o, "torn", json_integer(r->torn));
	bad |= set(o, "duty_pct", json_real(r->duty_pct));
	bad |= set(o, "achieved_hz", json_real(r->achieved_hz));
	bad |= set(steps, "min", json_real((double)r->step_min_ns / 1e3));
	bad |= set(steps, "median", json_real((double)r->step_median_ns / 1e3));
	bad |= set(steps, "p95", json_real((double)r->step_p95_ns / 1e3));
	bad |= set(steps, "max", json_real((double)r->step_max_ns / 1e3));
	bad |= set(o, "interval_us", steps);
	bad |= set(reads, "median", json_real((double)r->read_median_ns / 1e3));
	bad |= set(reads, "max", json_real((double)r->read_max_ns / 1e3));
	bad |= set(o, "read_us", reads);
	bad |= set(o, "sampler_cpu_pct", json_real(r->cpu_pct));
	bad |= set(o, "sampler_cpu_s", json_real((double)t->cpu_ns / 1e9));
	return bad;
}

int power_report_json(const struct power_report *r, FILE *out)
{
	json_t *o = json_object();
	int bad = set(o, "schema", json_string("cipherwatt/1"));

	if (r->has_energy)
		bad |= energy_json(r, o);
	bad |= trace_json(r, o);
	if (bad == 0)
		bad = json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
	fputc('\n', out);
	json_decref(o);
	return bad ? -1 : 0;
}

const char *power_flags_text(uint32_t flags, char *dst, size_t len)
{
	static const char *const name[] = { "saturated", "math_overflow", "stale", "retried",
					    "reinit",    "absent",        "torn",  "late" };
	size_t used = 0;

	snprintf(dst, len, "-");
	for (unsigned i = 0; i < sizeof name / sizeof *name && used < len; i++)
		if (flags & 1u << i)
			used += (size_t)snprintf(dst + used, len - used, "%s%s", used ? " " : "",
						 name[i]);
	return dst;
}

static void csv_row(FILE *out, const struct convert *c, const struct sample *s, int64_t start_ns)
{
	char flags[96];
	struct reading r;

	fprintf(out, "%.6f,", (double)(sample_time_ns(s) - start_ns) / 1e9);
	/* No value is an empty cell, never 0. */
	if (c->facts->kind == CODE_ENERGY && !(s->flags & SAMPLE_ABSENT))
		fprintf(out, "%.6f,", (double)s->code[0] / 1e6);
	else if (!convert_sample(c, s, &r))
		fputs(c->facts->kind == CODE_BUS_SHUNT ? ",,," : ",", out);
	else if (c->facts->kind == CODE_BUS_SHUNT)
		fprintf(out, "%.3f,%.6f,%.6f,", (double)r.bus_uv / 1e3, (double)r.current_na / 1e6,
			(double)r.power_nw / 1e6);
	else
		fprintf(out, "%.6f,", (double)r.power_nw / 1e6);
	fprintf(out, "%s,%s\n", power_flags_text(s->flags, flags, sizeof flags),
		provenance_name[c->facts->provenance]);
}

void power_report_csv(const struct power_report *r, FILE *out)
{
	static const char *const columns[] = { "bus_mv,current_ma,power_mw", "power_mw",
					       "energy_mj" };
	const struct trace *t = r->trace;
	struct convert c;

	convert_init(&c, &t->facts);
	fprintf(out, "# cipherwatt power trace\n# source: %s\n# provenance: %s\n", t->facts.source,
		provenance_name[t->facts.provenance]);
	if (t->facts.basis[0])
		fprintf(out, "# basis: %s\n", t->facts.basis);
	fprintf(out, "# meaning of a sample: %s\n# period_us: %.3f\n",
		sample_meaning_name[t->facts.meaning], (double)t->facts.period_ns / 1e3);
	if (t->facts.kind == CODE_BUS_SHUNT)
		fprintf(out, "# chip: %s, shunt_uohm: %" PRId64 "\n", t->facts.chip,
			t->facts.shunt_uohm);
	fprintf(out, "# late: %" PRId64 ", lost: %" PRId64 "\n", t->late, t->lost);
	fprintf(out, "time_s,%s,flags,provenance\n", columns[t->facts.kind]);
	for (size_t i = 0; i < t->count; i++)
		csv_row(out, &c, &t->sample[i], sample_time_ns(&t->sample[0]));
}
