/* SPDX-License-Identifier: Apache-2.0 */
/* summary_finish - what of a cell can only be said when all its trials are there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/stats.h"
#include "results/stats_series.h"
#include "results/summary.h"

#define MJ_PER_MWH 3600.0
#define NS_PER_US  1e3

const double summary_curve[SUMMARY_CURVE] = { 0.01, 0.05, 0.1,   0.2,   0.25,   0.3, 0.4,
					      0.5,  0.6,  0.7,   0.75,  0.8,    0.9, 0.95,
					      0.98, 0.99, 0.995, 0.999, 0.9999, 1 };

static double quantile_us(const struct hist *h, double q)
{
	return h->count ? (double)hist_quantile(h, q) / NS_PER_US : NAN;
}

/* Of one percentile of the valid trials that have it; x is working space. */
static struct interval over_trials(const struct cell_summary *s, int latency, int which, double *x)
{
	size_t n = 0;

	for (int64_t i = 0; i < s->trials; i++)
		if (s->points[i].valid && isfinite(s->points[i].p_us[latency][which]))
			x[n++] = s->points[i].p_us[latency][which];
	return stats_mean(x, n);
}

static void finish_latency(const struct cell_summary *s, int which, struct summary_latency *l,
			   double *x)
{
	const struct hist *h = &s->tools->merged[which];
	int64_t ns[SUMMARY_CURVE];

	*l = (struct summary_latency){
		.p50 = quantile_us(h, 0.5),
		.p95 = quantile_us(h, 0.95),
		.p99 = quantile_us(h, 0.99),
		.p99_9 = quantile_us(h, 0.999),
		.max = quantile_us(h, 1),
		.mean = hist_mean(h) / NS_PER_US,
		.p50_trials = over_trials(s, which, 0, x),
		.p95_trials = over_trials(s, which, 1, x),
		.p99_trials = over_trials(s, which, 2, x),
	};
	hist_quantiles(h, summary_curve, SUMMARY_CURVE, ns);
	for (int i = 0; i < SUMMARY_CURVE; i++)
		l->curve[i] = ns[i] < 0 ? NAN : (double)ns[i] / NS_PER_US;
}

/* The valid trials' values in columns. */
struct columns {
	double *requests, *per_s, *sorted /* working space */, *cpu_s[2], *gross_mwh[2],
		*net_mwh[2];
	size_t n;
};

static int columns_init(struct columns *c, const struct cell_summary *s)
{
	size_t n = (size_t)s->valid_trials + 1;
	double *all = calloc(9 * n, sizeof(*all));

	*c = (struct columns){ .requests = all };
	if (!all)
		return -1;
	c->per_s = all + n;
	c->sorted = all + 8 * n;
	for (int i = 0; i < 2; i++) {
		c->cpu_s[i] = all + (size_t)(2 + i) * n;
		c->gross_mwh[i] = all + (size_t)(4 + i) * n;
		c->net_mwh[i] = all + (size_t)(6 + i) * n;
	}
	for (int64_t k = 0; k < s->trials; k++) {
		const struct summary_point *p = &s->points[k];

		if (!p->valid)
			continue;
		c->requests[c->n] = p->requests;
		c->per_s[c->n] = p->window_s > 0 ? p->requests / p->window_s : NAN;
		for (int i = 0; i < 2; i++) {
			c->cpu_s[i][c->n] = p->cpu_s[i];
			c->gross_mwh[i][c->n] = p->gross_mwh[i];
			c->net_mwh[i][c->n] = p->net_mwh[i];
		}
		c->n++;
	}
	return 0;
}

static void forget_energy(struct summary_energy *e)
{
	const struct interval none = { NAN, NAN, NAN, 0 };

	e->gross_mwh = e->idle_mwh = e->net_mwh = NAN;
	e->requests_per_mwh = e->requests_per_mwh_bca = e->net_requests_per_mwh = none;
	e->mj_trials = none;
	e->uncertainty_pct = e->idle_drift_pct = e->coverage = NAN;
}

static void finish_energy(struct cell_summary *s, struct summary_energy *e, const struct columns *c,
			  int side, struct stats_boot *b)
{
	double requests =
		s->requests_completed == FIELD_UNKNOWN_INT ? NAN : (double)s->requests_completed;

	if (s->valid_trials == 0) {
		strcpy(e->source, "none");
		strcpy(e->reason, "no trial is valid");
	} else if (strcmp(e->source, "none") == 0) {
		strcpy(e->reason, "no meter");
	}
	if (*e->reason) {
		forget_energy(e);
		return;
	}
	e->requests_per_mwh = stats_ratio(c->requests, c->gross_mwh[side], c->n);
	e->requests_per_mwh_bca = stats_boot_ratio(b, c->requests, c->gross_mwh[side]);
	e->mj_trials = stats_ratio(c->gross_mwh[side], c->requests, c->n);
	e->mj_trials.mean *= MJ_PER_MWH;
	e->mj_trials.lo *= MJ_PER_MWH;
	e->mj_trials.hi *= MJ_PER_MWH;
	e->net_requests_per_mwh = stats_ratio(c->requests, c->net_mwh[side], c->n);
	if (requests > 0) {
		e->mj_per_request = e->gross_mwh * MJ_PER_MWH / requests;
		e->net_mj_per_request = e->net_mwh * MJ_PER_MWH / requests;
	}
}

static void finish_side(struct cell_summary *s, struct summary_side *side, const struct columns *c,
			int index, struct stats_boot *b)
{
	side->cpu_pct = s->window_s > 0 ? 100 * side->cpu_s / s->window_s : NAN;
	side->requests_per_cpu_s = stats_ratio(c->requests, c->cpu_s[index], c->n);
	finish_energy(s, &side->energy, c, index, b);
}

static int ascending(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

static int finish_rate(struct cell_summary *s, const struct columns *c, struct stats_boot *b)
{
	enum stats_outlier *kind = calloc(c->n + 1, sizeof(*kind));

	if (!kind)
		return -1;
	s->requests_per_s = stats_mean(c->per_s, c->n);
	s->drift_pct_per_block = stats_drift_pct(c->per_s, c->n);
	s->warmup_blocks = (int64_t)stats_warmup(c->per_s, c->n);
	s->outliers = stats_outliers(c->per_s, c->n, kind);
	free(kind);
	memcpy(c->sorted, c->per_s, c->n * sizeof(*c->sorted));
	qsort(c->sorted, c->n, sizeof(*c->sorted), ascending);
	s->requests_per_s_median = c->n ? stats_boot_median(b, c->sorted) : s->requests_per_s;
	return s->outliers < 0 ? -1 : 0;
}

/* The resamples are those of the number of trials before, mostly. */
static int ready(struct stats_boot *b, size_t n)
{
	if (b->times && b->n == n)
		return 0;
	stats_boot_release(b);
	return n ? stats_boot_init(b, n, STATS_RESAMPLES, STATS_SEED) : 0;
}

int summary_finish(struct cell_summary *s)
{
	struct stats_boot *b = &s->tools->boot;
	struct columns c;

	if (columns_init(&c, s) < 0)
		return -1;
	if (ready(b, c.n) < 0 || finish_rate(s, &c, b) < 0) {
		free(c.requests);
		return -1;
	}
	finish_side(s, &s->server, &c, 0, b);
	finish_side(s, &s->client, &c, 1, b);
	finish_latency(s, 0, &s->response, c.sorted);
	finish_latency(s, 1, &s->service, c.sorted);
	finish_latency(s, 2, &s->handshake, c.sorted);
	summary_limit_finish(s);
	free(c.requests);
	s->tools = NULL;
	return 0;
}

bool summary_is_modelled(const struct summary_energy *e)
{
	return summary_has_energy(e) && strcmp(e->source, "measured") != 0;
}

bool summary_has_energy(const struct summary_energy *e)
{
	return *e->reason == '\0' && isfinite(e->gross_mwh);
}
