/* SPDX-License-Identifier: Apache-2.0 */
/* summary - a cell with its trials as the figures that reports show. */
#include "results/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int summary_init(struct cell_summary *s, const struct cell *c, struct summary_tools *t)
{
	memset(s, 0, sizeof(*s));
	s->cell = *c;
	s->lateness_max_us = s->load_cpu_pct = NAN;
	clear_side(&s->server);
	clear_side(&s->client);
	s->tools = t;
	for (int i = 0; i < SUMMARY_LATENCIES; i++) {
		if (!t->merged[i].bucket && hist_init(&t->merged[i]) < 0)
			return -1;
		hist_clear(&t->merged[i]);
	}
	return 0;
}

void summary_release(struct cell_summary *s)
{
	free(s->points);
	s->points = NULL;
}

void summary_tools_release(struct summary_tools *t)
{
	for (int i = 0; i < SUMMARY_LATENCIES; i++)
		hist_release(&t->merged[i]);
	stats_boot_release(&t->boot);
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

static void add_percentiles(struct summary_point *p, const struct trial *t)
{
	static const double shares[3] = { 0.5, 0.95, 0.99 };
	const struct hist *hist[SUMMARY_LATENCIES] = { &t->response, &t->service, &t->handshake };

	for (int i = 0; i < SUMMARY_LATENCIES; i++) {
		int64_t ns[3];

		hist_quantiles(hist[i], shares, 3, ns);
		for (int k = 0; k < 3; k++)
			p->p_us[i][k] = ns[k] < 0 ? NAN : (double)ns[k] / NS_PER_US;
	}
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
	add_percentiles(p, t);
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
	hist_merge(&s->tools->merged[0], &t->response);
	hist_merge(&s->tools->merged[1], &t->service);
	hist_merge(&s->tools->merged[2], &t->handshake);
	return 0;
}

bool summary_is_uncounted(const struct cell_summary *s)
{
	return s->requests_completed == FIELD_UNKNOWN_INT &&
	       s->requests_succeeded != FIELD_UNKNOWN_INT;
}

const struct summary_point *summary_point_of(const struct cell_summary *s, int64_t block)
{
	for (int64_t i = 0; i < s->trials; i++)
		if (s->points[i].block == block && s->points[i].valid)
			return &s->points[i];
	return NULL;
}
