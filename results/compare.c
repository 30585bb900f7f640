/* SPDX-License-Identifier: Apache-2.0 */
/* compare - two cells against each other, figure by figure; the method stands in compare.h. */
#include "results/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/figure.h"
#include "results/stats.h"
#include "results/stats_compare.h"
#include "results/stats_rank.h"

#define LEVEL 0.05
/* Beyond this ratio, either way, a verdict is in times and not in per cent. */
#define TIMES_FROM 3.0

static double per_s(const struct summary_point *p)
{
	return p->requests / p->window_s;
}

static double per_cpu_s(const struct summary_point *p)
{
	return p->requests / p->cpu_s[0];
}

static double per_server_mwh(const struct summary_point *p)
{
	return p->requests / p->gross_mwh[0];
}

static double per_client_mwh(const struct summary_point *p)
{
	return p->requests / p->gross_mwh[1];
}

static double p50_us(const struct summary_point *p)
{
	return p->p_us[0][0];
}

static double p99_us(const struct summary_point *p)
{
	return p->p_us[0][2];
}

static const struct figure_kind {
	const char *name, *unit, *words;
	bool more_is_better;
	int side; /* of energy: 0 server, 1 client; -1: no energy */
	double (*value)(const struct summary_point *);
} kinds[COMPARE_FIGURES] = {
	{ "requests_per_s", "1/s", "requests per second", true, -1, per_s },
	{ "server.requests_per_cpu_s", "1/s", "requests per second of the server's CPU", true, -1,
	  per_cpu_s },
	{ "server.energy.requests_per_mwh", "1/mWh", "requests per mWh of the server", true, 0,
	  per_server_mwh },
	{ "client.energy.requests_per_mwh", "1/mWh", "requests per mWh of the client", true, 1,
	  per_client_mwh },
	{ "response_us.p50", "us", "response time p50, us", false, -1, p50_us },
	{ "response_us.p99", "us", "response time p99, us", false, -1, p99_us },
};

double *compare_values(const struct cell_summary *c, int figure, size_t *n)
{
	double *x = calloc((size_t)c->trials + 1, sizeof(*x));

	*n = 0;
	for (int64_t i = 0; i < c->trials && x; i++) {
		double value = kinds[figure].value(&c->points[i]);

		if (c->points[i].valid && isfinite(value))
			x[(*n)++] = value;
	}
	return x;
}

struct samples {
	double *x, *y, *log_x, *log_y;
	size_t nx, ny;
	bool positive;
};

static void release(struct samples *s)
{
	free(s->x);
	free(s->y);
	free(s->log_x);
	free(s->log_y);
}

/* Of blocks in which both are valid. */
static void keep_pairs(const struct compare_pair *p, const struct figure_kind *k, struct samples *s)
{
	s->nx = 0;
	for (int64_t i = 0; i < p->a->trials; i++) {
		const struct summary_point *a = &p->a->points[i];
		const struct summary_point *b = a->valid ? summary_point_of(p->b, a->block) : NULL;

		if (!b || !isfinite(k->value(a)) || !isfinite(k->value(b)))
			continue;
		s->x[s->nx] = k->value(a);
		s->y[s->nx++] = k->value(b);
	}
	s->ny = s->nx;
}

static void take_logs(struct samples *s)
{
	s->positive = true;
	for (size_t i = 0; i < s->nx; i++) {
		s->positive &= s->x[i] > 0;
		s->log_x[i] = log(s->x[i]);
	}
	for (size_t i = 0; i < s->ny; i++) {
		s->positive &= s->y[i] > 0;
		s->log_y[i] = log(s->y[i]);
	}
}

/* All values of both; room for the logarithms of what is kept of them. */
static int gather(const struct compare_pair *p, int figure, struct samples *s)
{
	s->x = compare_values(p->a, figure, &s->nx);
	s->y = compare_values(p->b, figure, &s->ny);
	s->log_x = calloc(s->nx + 1, sizeof(*s->log_x));
	s->log_y = calloc(s->ny + 1, sizeof(*s->log_y));
	return s->x && s->y && s->log_x && s->log_y ? 0 : -1;
}

static struct interval ratio_of(const struct stats_test *t)
{
	const struct interval *d = &t->difference;

	return (struct interval){ exp(d->mean), exp(d->lo), exp(d->hi), d->n };
}

/* Per cent, of the noise of one trial's logarithm. */
static double detectable(const struct samples *s, bool paired)
{
	double sx = stats_sd(s->log_x, s->nx), sy = stats_sd(s->log_y, s->ny), sd;
	size_t n = s->nx < s->ny ? s->nx : s->ny;
	double *difference = calloc(n + 1, sizeof(*difference));

	if (!difference)
		return NAN;
	for (size_t i = 0; i < n; i++)
		difference[i] = s->log_x[i] - s->log_y[i];
	sd = paired ? stats_sd(difference, n) : sqrt(sx * sx + sy * sy);
	free(difference);
	return 100 * expm1(stats_detectable(sd, n));
}

static void test(struct compare_row *r, const struct samples *s, bool paired)
{
	struct stats_test raw, logs, other;

	if (!s->nx || !s->ny) {
		snprintf(r->reason, sizeof(r->reason), "not known of both");
		return;
	}
	if (!s->positive) {
		snprintf(r->reason, sizeof(r->reason), "a value that is not positive has no ratio");
		return;
	}
	raw = paired ? stats_paired(s->x, s->y, s->nx) : stats_welch(s->x, s->nx, s->y, s->ny);
	logs = paired ? stats_paired(s->log_x, s->log_y, s->nx)
		      : stats_welch(s->log_x, s->nx, s->log_y, s->ny);
	other = paired           ? stats_welch(s->log_x, s->nx, s->log_y, s->ny)
		: s->nx == s->ny ? stats_paired(s->log_x, s->log_y, s->nx)
				 : (struct stats_test){ .p = NAN };
	r->difference = raw.difference;
	r->ratio = ratio_of(&logs);
	r->p = r->p_holm = logs.p;
	r->p_other = other.p;
	r->p_rank = stats_mann_whitney(s->x, s->nx, s->y, s->ny).p;
	r->delta = stats_cliff(s->x, s->nx, s->y, s->ny);
	r->detectable_pct = detectable(s, paired);
}

static const struct summary_energy *energy_of(const struct cell_summary *c, int side)
{
	return side ? &c->client.energy : &c->server.energy;
}

/* Measured and modelled are never set against each other. */
static bool may_compare(const struct compare_pair *p, int side, struct compare_row *r)
{
	const struct summary_energy *a = energy_of(p->a, side), *b = energy_of(p->b, side);

	if (!summary_has_energy(a) || !summary_has_energy(b)) {
		snprintf(r->reason, sizeof(r->reason), "no energy of %s",
			 summary_has_energy(a)   ? "B"
			 : summary_has_energy(b) ? "A"
						 : "either");
		return false;
	}
	if (strcmp(a->source, b->source) != 0) {
		snprintf(r->reason, sizeof(r->reason), "A is %s and B is %s: never compared",
			 a->source, b->source);
		return false;
	}
	r->source = a->source;
	return true;
}

static void say_unknown(const struct compare_pair *p, const struct figure_kind *k,
			struct compare_row *r)
{
	bool a = summary_is_uncounted(p->a), b = summary_is_uncounted(p->b);

	if (k->value == p50_us || k->value == p99_us || (!a && !b))
		return;
	snprintf(r->reason, sizeof(r->reason),
		 "completed requests were not counted in %s, by an older version",
		 a && b ? "either"
		 : a    ? "A"
			: "B");
}

static int compare_figure(const struct compare_pair *p, int figure, struct compare_row *r)
{
	const struct figure_kind *k = &kinds[figure];
	struct samples s = { 0 };
	int status = 0;

	*r = (struct compare_row){ .name = k->name, .unit = k->unit, .words = k->words };
	r->more_is_better = k->more_is_better;
	r->difference = r->ratio = r->a = r->b = (struct interval){ NAN, NAN, NAN, 0 };
	r->p = r->p_holm = r->p_other = r->p_rank = r->delta = r->detectable_pct = NAN;
	r->source = "";
	if (k->side >= 0 && !may_compare(p, k->side, r))
		return 0;
	status = gather(p, figure, &s);
	if (status == 0) {
		r->a = stats_mean(s.x, s.nx);
		r->b = stats_mean(s.y, s.ny);
		if (p->paired)
			keep_pairs(p, k, &s);
		take_logs(&s);
		if (!s.nx || !s.ny)
			say_unknown(p, k, r);
		if (!*r->reason)
			test(r, &s, p->paired);
	}
	release(&s);
	return status;
}

int compare_cells(const struct cell_summary *a, const struct cell_summary *b, bool paired,
		  struct compare_pair *p)
{
	*p = (struct compare_pair){ .a = a, .b = b, .paired = paired };
	p->blocks = a->valid_trials < b->valid_trials ? a->valid_trials : b->valid_trials;
	for (int64_t i = 0, n = 0; i < a->trials && paired; i++) {
		n += a->points[i].valid && summary_point_of(b, a->points[i].block);
		p->blocks = n;
	}
	for (int i = 0; i < COMPARE_FIGURES; i++)
		if (compare_figure(p, i, &p->row[i]) < 0)
			return -1;
	return 0;
}

int compare_holm(struct compare_pair *pairs, size_t count)
{
	double *p = calloc(count * COMPARE_FIGURES + 1, sizeof(*p));

	if (!p)
		return -1;
	for (size_t i = 0; i < count * COMPARE_FIGURES; i++)
		p[i] = pairs[i / COMPARE_FIGURES].row[i % COMPARE_FIGURES].p;
	stats_holm(p, count * COMPARE_FIGURES);
	for (size_t i = 0; i < count * COMPARE_FIGURES; i++)
		pairs[i / COMPARE_FIGURES].row[i % COMPARE_FIGURES].p_holm = p[i];
	free(p);
	return 0;
}

bool compare_proven(const struct compare_row *r)
{
	return r->p_holm <= LEVEL && (r->ratio.lo > 1 || r->ratio.hi < 1);
}

/* As printed: never "1e-05". */
static double pct(double ratio)
{
	double value = 100 * (ratio - 1);

	return fabs(value) < 0.001 ? 0 : value;
}

static void verdict_in_times(const struct compare_row *r, const char *which, char *dst, size_t len)
{
	char mean[FIGURE_BYTES], lo[FIGURE_BYTES], hi[FIGURE_BYTES];

	figure_number(r->ratio.mean, mean);
	figure_number(r->ratio.lo, lo);
	figure_number(r->ratio.hi, hi);
	if (*which)
		snprintf(dst, len, "A is %s times B (%s to %s): %s", mean, lo, hi, which);
	else
		snprintf(dst, len, "no difference proven: A is %s times B (%s to %s)", mean, lo,
			 hi);
}

static void verdict_in_pct(const struct compare_row *r, const char *which, char *dst, size_t len)
{
	double mean = pct(r->ratio.mean), lo = pct(r->ratio.lo), hi = pct(r->ratio.hi);

	if (*which)
		snprintf(dst, len, "A is %.3g %% (%.3g to %.3g %%) %s: %s", fabs(mean),
			 fmin(fabs(lo), fabs(hi)), fmax(fabs(lo), fabs(hi)),
			 mean > 0 ? "higher" : "lower", which);
	else
		snprintf(dst, len, "no difference proven: A less B is %+.3g %% (%+.3g to %+.3g %%)",
			 mean, lo, hi);
}

void compare_verdict(const struct compare_row *r, char *dst, size_t len)
{
	const struct interval *i = &r->ratio;
	const char *which = !compare_proven(r)                   ? ""
			    : (i->mean > 1) == r->more_is_better ? "better"
								 : "worse";

	if (*r->reason)
		snprintf(dst, len, "not compared: %s", r->reason);
	else if (!isfinite(i->lo))
		snprintf(dst, len, "no difference proven: one trial of a cell gives no interval");
	else if (i->hi > TIMES_FROM || i->lo < 1 / TIMES_FROM)
		verdict_in_times(r, which, dst, len);
	else
		verdict_in_pct(r, which, dst, len);
}
