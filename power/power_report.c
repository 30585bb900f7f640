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

int power_report_begin(struct power_report *r, const struct meter_facts *facts,
		       int64_t own_period_ns)
{
	*r = (struct power_report){ .facts = facts, .duty_pct = duty_pct(facts, own_period_ns) };
	if (hist_init(&r->steps) == 0 && hist_init(&r->reads) == 0)
		return 0;
	power_report_release(r);
	return -1;
}

void power_report_add(struct power_report *r, const struct sample *sample, size_t count)
{
	for (const struct sample *s = sample; s < sample + count; s++) {
		count_flags(r, s->flags);
		if (s->flags & (SAMPLE_STALE | SAMPLE_ABSENT))
			continue;
		hist_add(&r->reads, s->after_ns - s->before_ns);
		if (r->fresh++ > 0)
			hist_add(&r->steps, sample_time_ns(s) - r->last_ns);
		else
			r->first_ns = sample_time_ns(s);
		r->last_ns = sample_time_ns(s);
	}
}

void power_report_end(struct power_report *r)
{
	if (r->reads.count > 0) {
		r->read_median_ns = hist_quantile(&r->reads, 0.5);
		r->read_max_ns = r->reads.max_ns;
	}
	if (r->steps.count > 0) {
		r->step_min_ns = r->steps.min_ns;
		r->step_median_ns = hist_quantile(&r->steps, 0.5);
		r->step_p95_ns = hist_quantile(&r->steps, 0.95);
		r->step_max_ns = r->steps.max_ns;
		r->span_ns = r->last_ns - r->first_ns;
	}
	if (r->span_ns > 0) {
		r->achieved_hz = (double)(r->fresh - 1) * 1e9 / (double)r->span_ns;
		r->cpu_pct = (double)r->cpu_ns * 100 / (double)r->span_ns;
	}
}

void power_report_release(struct power_report *r)
{
	hist_release(&r->reads);
	hist_release(&r->steps);
}

static double coverage(const struct energy *e)
{
	return (double)e->covered_ns / (double)(e->to_ns - e->from_ns);
}

static double part_pct(const struct energy *e, int64_t nj)
{
	return e->energy_nj ? fabs((double)nj * 100 / (double)e->energy_nj) : 0;
}

static double uncertainty_pct(const struct energy *e)
{
	return part_pct(e, e->instrument_nj);
}

static const char *verdict(const struct energy *e, char *dst, size_t len)
{
	char lacks[80];

	if (!e->insufficient)
		return "sufficient";
	snprintf(dst, len, "insufficient: %s", energy_lacks_text(e->lacks, lacks, sizeof lacks));
	return dst;
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
	enum provenance provenance = r->facts->provenance;
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
	     r->facts->error_unknown ? " at least (k=1): nobody said how good the "
				       "instrument is; error=PERCENT in the METER does"
	     : provenance == PROVENANCE_MODELLED
		     ? " (k=1; spread of published figures for the board, no measurement)"
		     : " (k=1, of the instrument)");
	if (e->mean_nw < 0)
		fprintf(out,
			"warning      the mean is negative: energy flows back, as into a battery "
			"that charges, or IN+ and IN- are swapped: add invert to the METER "
			"(scale=-1 for a log)\n");
	fprintf(out,
		"  of it      gain %.3g, shunt %.3g, offset %.3g, quantisation %.3g, clock %.3g "
		"%%\n",
		part_pct(e, e->gain_nj), part_pct(e, e->shunt_nj), part_pct(e, e->offset_nj),
		part_pct(e, e->step_nj), part_pct(e, e->clock_nj));
	if (e->error_nw >= 0)
		fprintf(out,
			"scatter      %.4g mW, standard error of the mean over slices of the "
			"window\n",
			(double)e->error_nw / 1e6);
	if (e->ambiguous > 0)
		fprintf(out,
			"warning      %" PRId64 " steps of the counter could be a wrap, two, or a "
			"reset: gaps\n",
			e->ambiguous);
	if (e->insufficient)
		fprintf(out, "verdict      %s\n", verdict(e, more, sizeof more));
}

void power_report_text(const struct power_report *r, FILE *out)
{
	const struct meter_facts *facts = r->facts;

	if (r->has_energy)
		energy_text(r, out);
	fprintf(out, "source       %s, %s%s%s\n", facts->source, provenance_name[facts->provenance],
		facts->basis[0] ? ": " : "", facts->basis);
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
		r->late, r->lost, r->stale, r->saturated, r->absent, r->retried, r->torn);
	if (r->duty_pct < 50)
		fprintf(out,
			"warning      the readings are about %.3g %% of the time; a load in bursts "
			"needs a "
			"higher rate or more averaging (avg=)\n",
			r->duty_pct);
	if (!r->stored)
		fprintf(out,
			"sampler      %.3g %% of a core, a reading takes %.4g us (median), %.4g us "
			"(max)\n",
			r->cpu_pct, (double)r->read_median_ns / 1e3, (double)r->read_max_ns / 1e3);
}

static int set(json_t *o, const char *key, json_t *value)
{
	return json_object_set_new(o, key, value);
}

static int energy_json(const struct power_report *r, json_t *o)
{
	const struct energy *e = &r->energy;
	json_t *parts = json_object();
	char text[128];
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
	bad |= set(o, "uncertainty_known", json_boolean(!r->facts->error_unknown));
	bad |= set(o, "rejected", json_integer(e->rejected));
	bad |= set(o, "insufficient", json_boolean(e->insufficient));
	bad |= set(o, "verdict", json_string(verdict(e, text, sizeof text)));
	bad |= set(o, "ambiguous", json_integer(e->ambiguous));
	if (e->error_nw >= 0)
		bad |= set(o, "mean_error_mw", json_real((double)e->error_nw / 1e6));
	bad |= set(parts, "gain", json_real(part_pct(e, e->gain_nj)));
	bad |= set(parts, "shunt", json_real(part_pct(e, e->shunt_nj)));
	bad |= set(parts, "offset", json_real(part_pct(e, e->offset_nj)));
	bad |= set(parts, "quantisation", json_real(part_pct(e, e->step_nj)));
	bad |= set(parts, "clock", json_real(part_pct(e, e->clock_nj)));
	bad |= set(o, "uncertainty_parts_pct", parts);
	return bad;
}

static int trace_json(const struct power_report *r, json_t *o)
{
	const struct meter_facts *facts = r->facts;
	json_t *steps = json_object(), *reads = json_object();
	int bad = 0;

	bad |= set(o, "source", json_string(facts->source));
	bad |= set(o, "provenance", json_string(provenance_name[facts->provenance]));
	bad |= set(o, "basis", json_string(facts->basis));
	bad |= set(o, "meaning", json_string(sample_meaning_name[facts->meaning]));
	if (!r->has_energy)
		bad |= set(o, "samples", json_integer(r->fresh));
	bad |= set(o, "late", json_integer(r->late));
	bad |= set(o, "lost", json_integer(r->lost));
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
	bad |= set(o, "sampler_cpu_s", json_real((double)r->cpu_ns / 1e9));
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
