/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_rows - see the header.
 *
 * A row that has a length of its own, or a begin and a length, becomes a sample at its end; an
 * absent sample marks a begin that is not the end before it, so that no energy spreads into the
 * time between.
 */
#include "power/replay_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "power/convert.h"
#include "power/wide.h"

#define DAY_NS         (INT64_C(86400) * NS_PER_S)
#define STAMP_MOST_NS  (INT64_MAX / 4)
#define MEDIAN_SAMPLES 100000
#define UNLIKE         0.2 /* what rounding and two instants make of one power, and no more */
#define ZERO_SAMPLES   24  /* fewer show no pattern */

int replay_rows_begin(struct replay_rows *r, const struct replay_plan *plan)
{
	const struct replay_options *o = r->options;
	struct meter_facts *facts = &r->trace->facts;
	const struct dialect *d = plan->dialect;
	double rate_hz = o->rate_hz > 0 ? o->rate_hz : d != NULL ? d->rate_hz : 0;

	r->plan = *plan;
	r->whole_steps = plan->meaning == SAMPLE_COUNTER;
	if (o->untimed || (plan->flags & DIALECT_UNTIMED) || plan->count[ROLE_TIME] == 0) {
		if (!(plan->flags & DIALECT_RUNS)) {
			r->step_ns = llround(1e9 / rate_hz);
			snprintf(r->assumed, sizeof r->assumed, "untimed, %.6g Hz %s", rate_hz,
				 o->rate_hz > 0 ? "as declared" : "by the dialect");
		}
	}
	facts->meaning = plan->meaning;
	facts->kind = plan->use == USE_ENERGY || plan->use == USE_CHARGE ? CODE_ENERGY : CODE_POWER;
	facts->provenance = d != NULL ? d->provenance : PROVENANCE_MEASURED;
	facts->gapless = plan->flags & (DIALECT_RUNS | DIALECT_SPAN);
	facts->counter_range_nj = o->range_nj;
	if (o->range_nj == 0 && facts->kind == CODE_ENERGY && d != NULL) {
		facts->counter_range_nj = d->assumed_range_nj;
		r->range_assumed = d->assumed_range_nj > 0;
	}
	return 0;
}

static int add(struct replay_rows *r, int64_t ns, int64_t code, uint32_t flags)
{
	struct sample s = { ns, ns, { code, 0 }, flags };

	if (trace_add(r->trace, &s) != 0)
		return fail_set(r->fail, ENOMEM, "no memory for more than %zu rows",
				r->trace->count);
	return 0;
}

static int too_large(struct replay_rows *r, int line)
{
	return fail_set(r->fail, ERANGE, "line %d: the figures are too large for any meter", line);
}

/* Stated energy against mean power times length: both cannot be right. */
static int contradiction(struct replay_rows *r, const struct replay_row *row)
{
	double said = (double)row->value[ROLE_ENERGY] / 1e9;
	double is = (double)row->value[ROLE_POWER] / 1e9 * (double)row->value[ROLE_DURATION] / 1e9;

	if (r->options->use != USE_BEST || r->plan.count[ROLE_ENERGY] != 1 ||
	    !row->known[ROLE_ENERGY] || !row->known[ROLE_POWER] || !row->known[ROLE_DURATION] ||
	    fabs(said - is) <= 0.01 * fabs(is))
		return 0;
	return fail_set(r->fail, EINVAL,
			"line %d: it states %.6g J, but mean power x length is %.6g J: one of them "
			"is wrong; say which to use: use=power or use=energy",
			row->line, said, is);
}

/* The sample's code, or a flag where there is none. */
static int code_of(struct replay_rows *r, const struct replay_row *row, int64_t *code,
		   uint32_t *flags)
{
	const struct replay_options *o = r->options;
	int64_t volts_nv = o->volts > 0 ? llround(o->volts * 1e9) : row->value[ROLE_VOLTAGE];
	bool have = false, fits = true;

	switch (r->plan.use) {
	case USE_POWER:
		have = row->known[ROLE_POWER];
		*code = row->value[ROLE_POWER];
		break;
	case USE_ENERGY:
		have = row->known[ROLE_ENERGY];
		*code = row->value[ROLE_ENERGY];
		break;
	case USE_VI:
		have = row->known[ROLE_CURRENT] && (o->volts > 0 || row->known[ROLE_VOLTAGE]);
		fits = wide_muldiv_round(volts_nv, row->value[ROLE_CURRENT], NS_PER_S, code);
		break;
	case USE_CHARGE:
		have = row->known[ROLE_CHARGE];
		fits = wide_muldiv_round(volts_nv, row->value[ROLE_CHARGE], NS_PER_S, code);
		break;
	case USE_BEST:
		break;
	}
	if (!fits || fabs((double)*code * o->scale) > 4e18)
		return too_large(r, row->line);
	if (o->scale != 1)
		*code = llround((double)*code * o->scale);
	if (!have) {
		*code = 0;
		*flags |= SAMPLE_ABSENT;
		r->missing++;
	}
	return 0;
}

/* An increment below zero is a counter that wrapped between two readings. */
static void unwrap(struct replay_rows *r, int64_t *code, uint32_t *flags)
{
	const struct meter_facts *facts = &r->trace->facts;

	if (facts->meaning == SAMPLE_COUNTER && *code < 0)
		*flags |= SAMPLE_ABSENT;
	if (facts->meaning != SAMPLE_INCREMENT || *code >= 0)
		return;
	if (facts->counter_range_nj > 0 && *code + facts->counter_range_nj >= 0) {
		*code += facts->counter_range_nj;
		r->unwrapped++;
	} else {
		*flags |= SAMPLE_ABSENT;
		r->missing++;
	}
}

static int fell_back(struct replay_rows *r, const struct replay_row *row, int64_t fall_ns)
{
	double seconds = (double)fall_ns / 1e9;
	const char *why = "";

	if (fabs(seconds - 2147.48) < 1)
		why = " (2^31 us: a counter of microseconds that wrapped?)";
	else if (fabs(seconds - 4294.97) < 1)
		why = " (2^32 us: a counter of microseconds that wrapped?)";
	else if (fabs(seconds - 4294967.3) < 10)
		why = " (2^32 ms: a counter of milliseconds that wrapped?)";
	return fail_set(r->fail, EINVAL,
			"line %d: time falls back by %.6g s%s; backward=rebase goes on from there "
			"with a counted break, backward=drop leaves such rows out",
			row->line, seconds, why);
}

/* The row's time on one growing clock. 1: leave the row out. */
static int stamp(struct replay_rows *r, const struct replay_row *row, int64_t *ns, uint32_t *flags)
{
	int64_t raw_ns = row->value[ROLE_TIME];

	if (!row->known[ROLE_TIME])
		return fail_set(r->fail, EINVAL, "line %d: the row has no time", row->line);
	if (llabs(raw_ns) > STAMP_MOST_NS || llabs(r->shift_ns) > STAMP_MOST_NS)
		return too_large(r, row->line);
	*ns = raw_ns + r->shift_ns;
	if (r->rows > 0 && *ns < r->last_ns) {
		if (row->of_day && r->last_ns - *ns > DAY_NS / 2 && r->last_ns - *ns <= DAY_NS) {
			r->shift_ns += DAY_NS;
			*ns += DAY_NS;
			r->midnights++;
		} else if (r->options->backward == BACKWARD_DROP) {
			r->dropped++;
			return 1;
		} else if (r->options->backward == BACKWARD_REFUSE) {
			return fell_back(r, row, r->last_ns - *ns);
		} else {
			int64_t next_ns = r->last_ns + (r->last_step_ns > 0 ? r->last_step_ns : 1);

			r->shift_ns += next_ns - *ns;
			*ns = next_ns;
			*flags |= r->plan.meaning == SAMPLE_COUNTER ? 0 : SAMPLE_REINIT;
			r->rebased++;
		}
	}
	if (llabs(*ns) > STAMP_MOST_NS)
		return too_large(r, row->line);
	if (r->rows > 0 && *ns == r->last_ns)
		r->same_time++;
	if (r->rows > 0 && *ns > r->last_ns)
		r->last_step_ns = *ns - r->last_ns;
	return 0;
}

/* Begin and length: a row's sample is at its end. */
static int add_span(struct replay_rows *r, const struct replay_row *row, int64_t begin_ns,
		    int64_t code, uint32_t flags)
{
	int64_t length_ns = row->value[ROLE_DURATION];
	int64_t slack_ns = length_ns / 100;

	if (!row->known[ROLE_DURATION] || length_ns <= 0 || length_ns > STAMP_MOST_NS / 1024)
		return fail_set(r->fail, EINVAL, "line %d: a row needs a length above 0",
				row->line);
	if (r->rows > 0 &&
	    (begin_ns < r->span_end_ns - slack_ns || begin_ns + length_ns <= r->span_end_ns))
		return fail_set(r->fail, EINVAL,
				"line %d: the row begins %.6g s before the one before it ends",
				row->line, (double)(r->span_end_ns - begin_ns) / 1e9);
	if (r->rows == 0 || begin_ns - r->span_end_ns > slack_ns) {
		if (add(r, begin_ns, 0, SAMPLE_ABSENT) != 0)
			return -1;
	}
	r->span_end_ns = begin_ns + length_ns;
	if (llabs(r->span_end_ns) > STAMP_MOST_NS)
		return too_large(r, row->line);
	return add(r, r->span_end_ns, code, flags);
}

/* A row that tells its power twice; which unit is wrong cannot be seen from here. */
static void compare(struct replay_rows *r, const struct replay_row *row)
{
	if (r->plan.use != USE_POWER || !row->known[ROLE_POWER] || !row->known[ROLE_VOLTAGE] ||
	    !row->known[ROLE_CURRENT])
		return;
	r->power_sum += (double)row->value[ROLE_POWER];
	r->vi_sum += (double)row->value[ROLE_VOLTAGE] * (double)row->value[ROLE_CURRENT] / 1e9;
}

int replay_rows_add(struct replay_rows *r, const struct replay_row *row)
{
	int64_t code = 0, ns = 0;
	uint32_t flags = row->flags;
	int skip = 0, result;

	if (contradiction(r, row) != 0 || code_of(r, row, &code, &flags) != 0)
		return -1;
	unwrap(r, &code, &flags);
	compare(r, row);
	if ((r->plan.flags & DIALECT_ZERO_VOLTS) && row->known[ROLE_VOLTAGE] &&
	    row->value[ROLE_VOLTAGE] == 0) {
		r->zero_volts++;
		flags |= SAMPLE_ABSENT;
	}
	if (r->whole_steps && r->plan.unit[ROLE_ENERGY] != NULL && row->known[ROLE_ENERGY]) {
		struct decimal one = { false, 1, 0 };
		const struct unit *u = r->plan.unit[ROLE_ENERGY];
		int64_t step_nj = 0;

		r->whole_steps = decimal_scale(&one, u->multiplier, u->power10, &step_nj) &&
				 step_nj > 0 && row->value[ROLE_ENERGY] % step_nj == 0;
		r->trace->facts.counter_step_nj = r->whole_steps ? step_nj : 0;
	}
	if (r->plan.flags & DIALECT_RUNS)
		ns = r->span_end_ns;
	else if (r->step_ns > 0)
		ns = r->rows * r->step_ns;
	else
		skip = stamp(r, row, &ns, &flags);
	if (skip != 0)
		return skip < 0 ? -1 : 0;
	if (r->plan.flags & (DIALECT_RUNS | DIALECT_SPAN))
		result = add_span(r, row, ns, code, flags);
	else
		result = add(r, ns, code, flags);
	r->last_ns = ns;
	r->rows++;
	return result;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The median step of the first hundred thousand. */
static int64_t median_step(const struct trace *t)
{
	size_t most = t->count < MEDIAN_SAMPLES ? t->count : MEDIAN_SAMPLES, n = 0;
	int64_t *step = malloc(most * sizeof *step), median = 0;

	for (size_t i = 1; step != NULL && i < most; i++)
		if (t->sample[i].before_ns > t->sample[i - 1].before_ns)
			step[n++] = t->sample[i].before_ns - t->sample[i - 1].before_ns;
	if (n > 0) {
		qsort(step, n, sizeof *step, by_size);
		median = step[n / 2];
	}
	free(step);
	return median;
}

static void note(struct buf *b, int64_t count, const char *what)
{
	if (count > 0)
		buf_printf(b, "; %lld %s", (long long)count, what);
}

static void describe(struct replay_rows *r)
{
	struct meter_facts *facts = &r->trace->facts;
	const struct dialect *d = r->plan.dialect;
	struct buf b = { 0 };

	buf_printf(&b, "%s, %s%s", d != NULL ? d->name : "by its header",
		   sample_meaning_name[facts->meaning], r->plan.meaning_assumed ? " assumed" : "");
	if (r->assumed[0])
		buf_printf(&b, "; %s", r->assumed);
	if (r->vi_sum != 0 && fabs(r->power_sum / r->vi_sum - 1) > UNLIKE)
		buf_printf(&b, "; power is %.3g times volts x amperes", r->power_sum / r->vi_sum);
	if (r->range_assumed)
		buf_puts(&b, "; counter range assumed");
	note(&b, r->skipped, "lines before the data skipped");
	note(&b, r->repeated, "repeated headers");
	note(&b, r->cut_dropped, "cut last line dropped");
	note(&b, r->missing, "values missing");
	note(&b, r->zero_volts, "rows of 0 V taken as gaps");
	note(&b, r->unwrapped, "wraps undone");
	note(&b, r->same_time, "stamps repeated");
	note(&b, r->rebased, "clock breaks");
	note(&b, r->dropped, "rows dropped");
	note(&b, r->midnights, "midnights");
	note(&b, r->straddling, "blocks straddle two stamps");
	snprintf(facts->basis, sizeof facts->basis, "%s", buf_text(&b));
	buf_release(&b);
}

/* Is every sample at this place of each group 0 (or none of them)? */
static bool all_at(const struct trace *t, size_t place, size_t group, bool zero)
{
	for (size_t i = place; i < t->count; i += group)
		if ((t->sample[i].code[0] == 0) != zero)
			return false;
	return true;
}

int replay_check_zeros(const struct trace *t, const struct replay_options *o, struct fail *f)
{
	if (o->zeros_are_data || t->count < ZERO_SAMPLES || t->facts.meaning == SAMPLE_COUNTER)
		return 0;
	for (size_t group = 2; group <= 4; group++) {
		size_t zeros = 0, others = 0;

		for (size_t place = 0; place < group; place++) {
			zeros += all_at(t, place, group, true);
			others += all_at(t, place, group, false);
		}
		if (zeros > 0 && others > 0 && zeros + others == group)
			return fail_set(
				f, EINVAL,
				"%zu of every %zu samples are 0: other channels look mixed in; "
				"take them out, or declare zeros=data",
				zeros, group);
	}
	return 0;
}

int replay_rows_end(struct replay_rows *r)
{
	struct meter_facts *facts = &r->trace->facts;

	if (r->rows == 0)
		return fail_set(r->fail, EINVAL, "there is no row of data in it");
	if (r->trace->count == 0)
		return fail_set(r->fail, EINVAL,
				"none of its %lld rows is a reading (a time and a figure)",
				(long long)r->rows);
	if (r->same_time > r->rows / 2)
		return fail_set(
			r->fail, EINVAL,
			"%lld of %lld rows have the stamp of the row before: no time can be "
			"told from them; declare time=none,rate=HZ",
			(long long)r->same_time, (long long)r->rows);
	if (r->plan.flags & DIALECT_SPAN)
		facts->period_ns = 0;
	else
		facts->period_ns = r->step_ns > 0 ? r->step_ns : median_step(r->trace);
	if (facts->period_ns > INT64_MAX / 1024)
		facts->period_ns = 0;
	describe(r);
	if (replay_check_zeros(r->trace, r->options, r->fail) != 0)
		return -1;
	return convert_check(facts, r->fail);
}
