/* SPDX-License-Identifier: Apache-2.0 */
/* summary - a cell with its trials as the figures that reports show. */
#include "results/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/stats.h"
#include "results/stats_series.h"

#define NJ_PER_MWH 3.6e9
#define MJ_PER_MWH 3600.0
#define NS_PER_S   1e9
#define NS_PER_US  1e3

static double known(int64_t value, double per_unit)
{
	return value == FIELD_UNKNOWN_INT ? NAN : (double)value / per_unit;
}

/* A sum with something unknown in it is unknown. */
static void add(int64_t *sum, int64_t value)
{
	if (*sum == FIELD_UNKNOWN_INT || value == FIELD_UNKNOWN_INT ||
	    __builtin_add_overflow(*sum, value, sum))
		*sum = FIELD_UNKNOWN_INT;
}

/* fmax takes the other where one is NAN. */
static void raise(double *max, double value)
{
	*max = fmax(*max, value);
}

static void clear_side(struct summary_side *s)
{
	struct summary_energy *e = &s->energy;

	s->rss_peak_kib = FIELD_UNKNOWN_INT;
	e->gross_mwh = e->idle_mwh = e->net_mwh = 0;
	e->mj_per_request = e->net_mj_per_request = NAN;
	e->uncertainty_pct = e->idle_drift_pct = e->coverage = NAN;
}

int summary_init(struct cell_summary *s, const struct cell *c)
{
	memset(s, 0, sizeof(*s));
	s->cell = *c;
	s->lateness_max_us = s->load_cpu_pct = NAN;
	clear_side(&s->server);
	clear_side(&s->client);
	for (int i = 0; i < 3; i++) {
		s->merged[i] = calloc(1, sizeof(*s->merged[i]));
		if (!s->merged[i] || hist_init(s->merged[i]) < 0) {
			summary_release(s);
			return -1;
		}
	}
	return 0;
}

static void release_hists(struct cell_summary *s)
{
	for (int i = 0; i < 3; i++) {
		if (s->merged[i])
			hist_release(s->merged[i]);
		free(s->merged[i]);
		s->merged[i] = NULL;
	}
}

void summary_release(struct cell_summary *s)
{
	release_hists(s);
	free(s->points);
	s->points = NULL;
}

static void add_source(struct summary_energy *e, const struct side *side, bool first)
{
	const char *source = *side->energy_source ? side->energy_source : "none";

	if (first) {
		snprintf(e->source, sizeof(e->source), "%s", source);
		snprintf(e->basis, sizeof(e->basis), "%s", side->energy_basis);
		snprintf(e->meter, sizeof(e->meter), "%s", side->meter);
	} else if (strcmp(e->source, source) != 0) {
		snprintf(e->source, sizeof(e->source), "mixed");
		snprintf(e->reason, sizeof(e->reason),
			 "the trials' energy comes from several sources");
	} else if (strcmp(e->basis, side->energy_basis) != 0) {
		snprintf(e->source, sizeof(e->source), "mixed");
		snprintf(e->reason, sizeof(e->reason), "the trials' energy rests on several bases");
	}
}

static void add_side(struct summary_side *s, const struct side *side, bool first)
{
	struct summary_energy *e = &s->energy;

	s->cpu_s += known(side->cpu_ns, NS_PER_S);
	if (side->rss_peak_kib > s->rss_peak_kib)
		s->rss_peak_kib = side->rss_peak_kib;
	add_source(e, side, first);
	e->gross_mwh += known(side->gross_nj, NJ_PER_MWH);
	e->idle_mwh += known(side->idle_nj, NJ_PER_MWH);
	e->net_mwh += known(side->net_nj, NJ_PER_MWH);
	raise(&e->uncertainty_pct, side->instrument_pct);
	e->coverage = fmin(e->coverage, side->coverage);
	if (!(fabs(e->idle_drift_pct) >= fabs(side->idle_drift_pct)))
		e->idle_drift_pct = side->idle_drift_pct;
}

static void add_counts(struct cell_summary *s, const struct trial *t)
{
	add(&s->requests_started, t->requests_started);
	add(&s->requests_succeeded, t->requests_succeeded);
	add(&s->requests_failed, t->requests_failed);
	add(&s->requests_timed_out, t->requests_timed_out);
	add(&s->requests_in_flight, t->requests_in_flight);
	add(&s->requests_completed, t->requests_completed);
	add(&s->handshakes_full, t->handshakes_full);
	add(&s->handshakes_resumed, t->handshakes_resumed);
	add(&s->handshakes_early_data, t->handshakes_early_data);
	add(&s->handshakes_failed, t->handshakes_failed);
	add(&s->server_handshakes_full, t->server_handshakes_full);
	add(&s->server_handshakes_resumed, t->server_handshakes_resumed);
	add(&s->client_handshakes_full, t->client_handshakes_full);
	add(&s->client_handshakes_resumed, t->client_handshakes_resumed);
	add(&s->wire_bytes_sent, t->wire_bytes_sent);
	add(&s->wire_bytes_received, t->wire_bytes_received);
	add(&s->body_bytes, t->body_bytes);
}

static int add_point(struct cell_summary *s, const struct trial *t)
{
	const struct side *side[2] = { &t->server, &t->client };
	struct summary_point *p = s->points;
	size_t cap = s->points_cap ? 2 * s->points_cap : 8;

	if ((size_t)s->trials == s->points_cap) {
		p = realloc(p, cap * sizeof(*p));
		if (!p)
			return -1;
		s->points = p;
		s->points_cap = cap;
	}
	p = &s->points[s->trials++];
	*p = (struct summary_point){ .block = t->block, .valid = t->valid };
	p->requests = known(t->requests_completed, 1);
	p->window_s = known(t->window_ns, NS_PER_S);
	for (int i = 0; i < 2; i++) {
		p->cpu_s[i] = known(side[i]->cpu_ns, NS_PER_S);
		p->gross_mwh[i] = known(side[i]->gross_nj, NJ_PER_MWH);
		p->net_mwh[i] = known(side[i]->net_nj, NJ_PER_MWH);
	}
	return 0;
}

static int64_t count_lines(const char *text)
{
	int64_t lines = *text != '\0';

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

int summary_add(struct cell_summary *s, const struct trial *t)
{
	bool first = s->valid_trials == 0;

	if (*t->server_settings) {
		memcpy(s->server_version, t->server_version, sizeof(s->server_version));
		memcpy(s->server_settings, t->server_settings, sizeof(s->server_settings));
	}
	if (add_point(s, t) < 0)
		return -1;
	if (!t->valid)
		return 0;
	if (*t->driver_figures)
		memcpy(s->driver_figures, t->driver_figures, sizeof(s->driver_figures));
	s->valid_trials++;
	s->notes += count_lines(t->notes);
	s->load_limited_trials += t->load_limited;
	s->window_s += known(t->window_ns, NS_PER_S);
	add_counts(s, t);
	add_side(&s->server, &t->server, first);
	add_side(&s->client, &t->client, first);
	summary_limit_add(s, t);
	raise(&s->load_cpu_pct, 100 * t->client_busy);
	raise(&s->lateness_max_us, known(t->lateness_max_ns, NS_PER_US));
	hist_merge(s->merged[0], &t->response);
	hist_merge(s->merged[1], &t->service);
	hist_merge(s->merged[2], &t->handshake);
	return 0;
}

static double quantile_us(const struct hist *h, double q)
{
	return h->count ? (double)hist_quantile(h, q) / NS_PER_US : NAN;
}

static struct summary_latency latency(const struct hist *h)
{
	return (struct summary_latency){
		.p50 = quantile_us(h, 0.5),
		.p95 = quantile_us(h, 0.95),
		.p99 = quantile_us(h, 0.99),
		.p99_9 = quantile_us(h, 0.999),
		.max = quantile_us(h, 1),
		.mean = hist_mean(h) / NS_PER_US,
	};
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
	e->uncertainty_pct = e->idle_drift_pct = e->coverage = NAN;
}

static void finish_energy(struct cell_summary *s, struct summary_energy *e, const struct columns *c,
			  int side, struct stats_boot *b)
{
	double requests = known(s->requests_completed, 1);

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

int summary_finish(struct cell_summary *s, struct stats_boot *b)
{
	struct columns c;

	if (columns_init(&c, s) < 0)
		return -1;
	if (ready(b, c.n) < 0 || finish_rate(s, &c, b) < 0) {
		free(c.requests);
		return -1;
	}
	finish_side(s, &s->server, &c, 0, b);
	finish_side(s, &s->client, &c, 1, b);
	s->response = latency(s->merged[0]);
	s->service = latency(s->merged[1]);
	s->handshake = latency(s->merged[2]);
	summary_limit_finish(s);
	free(c.requests);
	release_hists(s);
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
