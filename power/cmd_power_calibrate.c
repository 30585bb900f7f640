/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power_calibrate - `cipherwatt power METER --calibrate`: reads the meter at known loads, or
 * beside another meter, and prints the keys that put it right.
 * It must not know how the line is fitted.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/units.h"
#include "power/calibrate.h"
#include "power/cmd_power_parts.h"
#include "power/convert.h"
#include "power/sampler.h"

#define DEFAULT_NS   (10 * NS_PER_S)
#define SLICES       20
#define SLICES_LEAST 4
#define POINTS_MOST  OPT_LIST_MAX

/* Means of equal slices of the time: amperes, or watts where a meter has only power. */
struct slices {
	double mean[SLICES], error[SLICES];
	bool has[SLICES];
};

static bool figure(const struct convert *c, const struct sample *s, double *value)
{
	int64_t power_nw;
	struct reading r;

	if (!convert_usable(c, s, &power_nw) || !convert_sample(c, s, &r))
		return false;
	*value = (double)(c->facts->kind == CODE_BUS_SHUNT ? r.current_na : r.power_nw) / 1e9;
	return true;
}

static void cut(const struct trace *t, int64_t from_ns, int64_t len_ns, struct slices *out)
{
	double sum[SLICES] = { 0 }, square[SLICES] = { 0 };
	int64_t count[SLICES] = { 0 };
	struct convert c;

	*out = (struct slices){ 0 };
	if (t->count == 0)
		return;
	convert_init(&c, &t->facts);
	for (size_t i = 0; i < t->count; i++) {
		int64_t at = (sample_time_ns(&t->sample[i]) - from_ns) * SLICES / len_ns;
		double v;

		if (at < 0 || at >= SLICES || (t->sample[i].flags & SAMPLE_STALE) ||
		    !figure(&c, &t->sample[i], &v))
			continue;
		sum[at] += v;
		square[at] += v * v;
		count[at]++;
	}
	for (int i = 0; i < SLICES; i++) {
		double n = (double)count[i];

		out->has[i] = count[i] > 0;
		if (!out->has[i])
			continue;
		out->mean[i] = sum[i] / n;
		out->error[i] =
			n > 1 ? sqrt(fmax(0, square[i] / n - out->mean[i] * out->mean[i]) / (n - 1))
			      : 0;
	}
}

/* Both meters over the same time; other may be NULL. */
static int read_both(struct meter *m, struct meter *other, int64_t for_ns, struct slices *a,
		     struct slices *b, struct fail *f)
{
	struct sampler *s = sampler_start(m, 0, for_ns, f), *o = NULL;
	struct trace t = { 0 }, u = { 0 };
	int64_t from_ns = clock_ns(), now_ns;
	int status = s == NULL ? -1 : 0;

	if (s != NULL && other != NULL) {
		o = sampler_start(other, 0, for_ns, f);
		status = o == NULL ? -1 : 0;
	}
	while (status == 0 && !power_interrupted && !sampler_over(s) &&
	       (now_ns = clock_ns()) < from_ns + for_ns)
		clock_sleep_until(now_ns + 20 * NS_PER_MS);
	if (s != NULL)
		status |= sampler_stop(s, &t, f);
	if (o != NULL)
		status |= sampler_stop(o, &u, f);
	if (status == 0 && power_interrupted)
		status = fail_set(f, EINTR, "interrupted");
	cut(&t, from_ns, for_ns, a);
	cut(&u, from_ns, for_ns, b);
	trace_release(&t);
	trace_release(&u);
	return status;
}

/* One mean of all slices, with the scatter between them. */
static int point_of(const struct slices *s, struct calibrate_point *p, struct fail *f)
{
	double sum = 0, square = 0;
	int n = 0;

	for (int i = 0; i < SLICES; i++)
		if (s->has[i]) {
			sum += s->mean[i];
			n++;
		}
	if (n < SLICES_LEAST)
		return fail_set(f, ENODATA, "too few readings: give a longer --for");
	for (int i = 0; i < SLICES; i++)
		if (s->has[i])
			square += (s->mean[i] - sum / n) * (s->mean[i] - sum / n);
	p->read = sum / n;
	p->read_error = sqrt(square / (n - 1) / n);
	return 0;
}

static int ask(double amps, int number, int count, struct fail *f)
{
	int c;

	if (count == 1 && !isatty(0))
		return 0;
	fprintf(stderr, "load %d of %d: let %.6g A flow, then press Enter\n", number, count, amps);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
	if (c == EOF)
		return fail_set(f, EINVAL,
				"no Enter came for load %d of %d: standard input is at "
				"its end",
				number, count);
	return power_interrupted ? fail_set(f, EINTR, "interrupted") : 0;
}

static int with_loads(const struct power_settings *set, struct meter *m, int64_t for_ns,
		      struct calibrate_point *p, int *count, struct fail *f)
{
	struct slices s, none;

	if (m->facts.kind != CODE_BUS_SHUNT)
		return fail_set(f, EINVAL,
				"--load-current is for meters that read a current; this "
				"one needs --reference");
	for (*count = 0; *count < set->load_current.count; ++*count) {
		struct calibrate_point *point = &p[*count];

		if (units_quantity(set->load_current.item[*count], "A", &point->truth, f) != 0)
			return fail_within(f, "--load-current");
		if (ask(point->truth, *count + 1, set->load_current.count, f) != 0 ||
		    read_both(m, NULL, for_ns, &s, &none, f) != 0 || point_of(&s, point, f) != 0)
			return -1;
		point->truth_error = fabs(point->truth) * set->load_error_pct / 100;
	}
	return 0;
}

/* Slices are points; where the load hardly moved, one point of all. */
static int with_reference(struct meter *m, struct meter *other, int64_t for_ns,
			  struct calibrate_point *p, int *count, struct fail *f)
{
	struct slices s, r;

	if (m->facts.kind != other->facts.kind || m->facts.kind == CODE_ENERGY)
		return fail_set(f, EINVAL, "the two meters must both read current, or both power");
	if (read_both(m, other, for_ns, &s, &r, f) != 0)
		return -1;
	*count = 0;
	for (int i = 0; i < SLICES; i++)
		if (s.has[i] && r.has[i])
			p[(*count)++] = (struct calibrate_point){ s.mean[i], s.error[i], r.mean[i],
								  r.error[i] };
	if (*count < SLICES_LEAST)
		return fail_set(f, ENODATA, "too few readings of both: give a longer --for");
	return 0;
}

static int solve(struct calibrate_point *p, int count, bool slices, struct calibrate_fit *fit,
		 struct fail *f)
{
	struct fail why = { 0 };
	struct calibrate_point all = { 0 };

	if (calibrate_solve(p, count, fit, &why) == 0)
		return 0;
	if (!slices)
		return fail_set(f, why.code, "%s", why.text);
	for (int i = 0; i < count; i++) {
		all.read += p[i].read / count;
		all.truth += p[i].truth / count;
		all.read_error += p[i].read_error / count / sqrt(count);
		all.truth_error += p[i].truth_error / count / sqrt(count);
	}
	return calibrate_solve(&all, 1, fit, f);
}

static void print_keys(const struct calibrate_fit *fit, const char *text, char *dst, size_t len)
{
	size_t used = (size_t)snprintf(dst, len, "%s", text);

	if (fit->has_gain && used < len)
		used += (size_t)snprintf(dst + used, len - used, ",trim_gain=%lld",
					 llround(fit->gain * 1e6));
	if (fit->has_offset && used < len)
		snprintf(dst + used, len - used, ",trim_offset=%.9fA", fit->offset);
}

static int print(const struct command *c, const struct power_settings *set, const char *text,
		 const struct meter *m, const struct calibrate_fit *fit)
{
	const char *unit = m->facts.kind == CODE_BUS_SHUNT ? "A" : "W";
	char keys[512];
	json_t *o;
	int bad;

	print_keys(fit, text, keys, sizeof keys);
	if (!set->json) {
		if (fit->has_gain)
			printf("gain         %+.0f ppm, +- %.0f ppm (k=1)\n", fit->gain * 1e6,
			       fit->gain_error * 1e6);
		if (fit->has_offset)
			printf("offset       %+.9f %s, +- %.9f %s (k=1)\n", fit->offset, unit,
			       fit->offset_error, unit);
		printf("source       %s, %s\nmeter        %s\n", m->facts.source,
		       provenance_name[m->facts.provenance], keys);
		return EXIT_RESULT;
	}
	o = json_pack("{s:s, s:s, s:s, s:s}", "schema", "cipherwatt/1", "source", m->facts.source,
		      "provenance", provenance_name[m->facts.provenance], "meter", keys);
	bad = o == NULL;
	if (fit->has_gain) {
		bad |= json_object_set_new(o, "gain_ppm", json_real(fit->gain * 1e6));
		bad |= json_object_set_new(o, "gain_error_ppm", json_real(fit->gain_error * 1e6));
	}
	if (fit->has_offset) {
		bad |= json_object_set_new(o, "offset", json_real(fit->offset));
		bad |= json_object_set_new(o, "offset_error", json_real(fit->offset_error));
		bad |= json_object_set_new(o, "offset_unit", json_string(unit));
	}
	if (bad == 0)
		bad = json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	putchar('\n');
	json_decref(o);
	return bad ? command_fail(c, EXIT_FAILED, "no memory for the report") : EXIT_RESULT;
}

/* A reference is as good as its own facts say. */
static void widen(struct calibrate_fit *fit, const struct meter_facts *r)
{
	fit->gain_error =
		sqrt(fit->gain_error * fit->gain_error + pow((double)r->gain_ppm / 1e6, 2) +
		     pow((double)r->shunt_ppm / 1e6, 2));
	fit->offset_error = hypot(fit->offset_error, (double)r->offset_na / 1e9);
}

int power_calibrate(const struct command *c, const struct power_settings *set, struct meter *m,
		    const char *text)
{
	struct calibrate_point p[POINTS_MOST > SLICES ? POINTS_MOST : SLICES];
	int64_t for_ns = set->for_ns ? set->for_ns : DEFAULT_NS;
	struct meter other = { 0 };
	struct calibrate_fit fit;
	struct fail f = { 0 };
	int count = 0, status = -1;

	if (m->facts.trim_gain_ppm != 0 || m->facts.trim_offset_na != 0)
		return command_fail(c, EXIT_USAGE,
				    "calibrate the meter without trim_gain and "
				    "trim_offset, or they would count twice");
	power_catch_signals();
	if (set->reference == NULL)
		status = with_loads(set, m, for_ns, p, &count, &f);
	else if (meter_open(&other, set->reference) != 0)
		fail_set(&f, other.fail.code, "--reference: %s", other.fail.text);
	else
		status = with_reference(m, &other, for_ns, p, &count, &f);
	if (status == 0)
		status = solve(p, count, set->reference != NULL, &fit, &f);
	if (status == 0 && set->reference != NULL)
		widen(&fit, &other.facts);
	if (status == 0)
		status = print(c, set, text, m, &fit);
	else
		status = command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	meter_close(&other);
	return status;
}
