/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose_value - objectives as a const table. With several weights the value is the weighted
 * geometric mean of the objectives, those where less is better turned over: only ratios of such
 * scores mean anything, and no unit has to be chosen.
 */
#include "results/choose_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/stats.h"

#define HOURS_PER_DAY 24

const char *const choose_objective_names[] = { "energy",  "net-energy", "throughput",
					       "latency", "day",        NULL };

static double sum_of(const double side[2], enum energy_role role)
{
	double sum = 0;

	for (int i = 0; i < 2; i++)
		sum += role_counts(role, i) ? side[i] : 0;
	return sum;
}

static double energy(const struct choose_rules *r, const struct summary_point *p)
{
	return p->requests / sum_of(p->gross_mwh, r->role);
}

static double net_energy(const struct choose_rules *r, const struct summary_point *p)
{
	double mwh = sum_of(p->net_mwh, r->role);

	return mwh > 0 ? p->requests / mwh : NAN;
}

static double throughput(const struct choose_rules *r, const struct summary_point *p)
{
	(void)r;
	return p->requests / p->window_s;
}

static double latency(const struct choose_rules *r, const struct summary_point *p)
{
	(void)r;
	return p->p_us[0][1];
}

/* Wh: idle for 24 hours, and the net energy of the day's requests. */
static double day(const struct choose_rules *r, const struct summary_point *p)
{
	double net_mwh = sum_of(p->net_mwh, r->role);

	return HOURS_PER_DAY * r->idle_w + r->requests_per_day * net_mwh / p->requests / 1000;
}

static const struct objective {
	const char *text, *head, *unit;
	bool more, needs_energy;
	double (*of_trial)(const struct choose_rules *r, const struct summary_point *p);
} objectives[CHOOSE_OBJECTIVES] = {
	[CHOOSE_ENERGY] = { "requests per mWh", ">requests/mWh", "1/mWh", true, true, energy },
	[CHOOSE_NET_ENERGY] = { "requests per mWh above idle", ">requests/net mWh", "1/mWh", true,
				true, net_energy },
	[CHOOSE_THROUGHPUT] = { "requests per second", ">requests/s", "1/s", true, false,
				throughput },
	[CHOOSE_LATENCY] = { "95th percentile of the response time, us", ">response p95, us", "us",
			     false, false, latency },
	[CHOOSE_DAY] = { "Wh a day", ">Wh a day", "Wh", false, true, day },
};

/* The only objective with a weight, or NULL. */
static const struct objective *single(const struct choose_rules *r)
{
	const struct objective *found = NULL;

	for (int i = 0; i < CHOOSE_OBJECTIVES; i++) {
		if (r->weight[i] <= 0)
			continue;
		if (found)
			return NULL;
		found = &objectives[i];
	}
	return found;
}

static double of_trial(const struct choose_rules *r, const struct summary_point *p)
{
	const struct objective *one = single(r);
	double sum = 0, weights = 0;

	if (one)
		return one->of_trial(r, p);
	for (int i = 0; i < CHOOSE_OBJECTIVES; i++) {
		const struct objective *o = &objectives[i];

		if (r->weight[i] <= 0)
			continue;
		sum += r->weight[i] * log(o->of_trial(r, p)) * (o->more ? 1 : -1);
		weights += r->weight[i];
	}
	return exp(sum / weights);
}

bool choose_more_is_better(const struct choose_rules *r)
{
	const struct objective *one = single(r);

	return !one || one->more;
}

bool choose_needs_energy(const struct choose_rules *r)
{
	for (int i = 0; i < CHOOSE_OBJECTIVES; i++)
		if (r->weight[i] > 0 && objectives[i].needs_energy)
			return true;
	return false;
}

/* A ratio of sums has Fieller's interval; the rest are means over trials. */
static struct interval ratio_value(const struct choose_rules *r, const struct cell_summary *s,
				   double *x, double *y, bool net)
{
	size_t n = 0;

	for (int64_t i = 0; i < s->trials; i++) {
		const struct summary_point *p = &s->points[i];

		if (!p->valid)
			continue;
		x[n] = p->requests;
		y[n++] = sum_of(net ? p->net_mwh : p->gross_mwh, r->role);
	}
	return stats_ratio(x, y, n);
}

static struct interval mean_value(const struct choose_rules *r, const struct cell_summary *s,
				  double *x)
{
	size_t n = 0;

	for (int64_t i = 0; i < s->trials; i++)
		if (s->points[i].valid)
			x[n++] = of_trial(r, &s->points[i]);
	return stats_mean(x, n);
}

struct interval choose_value(const struct choose_rules *r, const struct cell_summary *s)
{
	const struct objective *one = single(r);
	struct interval value = { NAN, NAN, NAN, 0 };
	double *room = calloc(2 * (size_t)s->trials + 2, sizeof(*room));

	if (!room)
		return value;
	if (one == &objectives[CHOOSE_ENERGY] || one == &objectives[CHOOSE_NET_ENERGY])
		value = ratio_value(r, s, room, room + s->trials + 1,
				    one == &objectives[CHOOSE_NET_ENERGY]);
	else
		value = mean_value(r, s, room);
	free(room);
	return value;
}

struct interval choose_times(const struct choose_rules *r, const struct cell_summary *a,
			     const struct cell_summary *b)
{
	struct interval times = { NAN, NAN, NAN, 0 };
	double *room = calloc(2 * (size_t)a->trials + 2, sizeof(*room));
	double *y = room ? room + a->trials + 1 : NULL;
	size_t n = 0;

	if (!room)
		return times;
	for (int64_t i = 0; i < a->trials; i++) {
		const struct summary_point *p = &a->points[i];
		const struct summary_point *q = p->valid ? summary_point_of(b, p->block) : NULL;

		if (!q)
			continue;
		room[n] = of_trial(r, p);
		y[n++] = of_trial(r, q);
	}
	times = stats_ratio_paired(room, y, n);
	free(room);
	return times;
}

double choose_energy(const struct choose_rules *r, const struct cell_summary *s)
{
	double *room = calloc(2 * (size_t)s->trials + 2, sizeof(*room)), mean = NAN;

	if (room)
		mean = ratio_value(r, s, room, room + s->trials + 1, false).mean;
	free(room);
	return mean;
}

const char *choose_source(const struct cell_summary *s, enum energy_role role)
{
	const char *server = s->server.energy.source, *client = s->client.energy.source;

	if (role == ROLE_CLIENT)
		return client;
	if (role == ROLE_BOTH && strcmp(server, client) != 0)
		return "mixed";
	return server;
}

const char *choose_unit(const struct choose_rules *r)
{
	const struct objective *one = single(r);

	return one ? one->unit : NULL;
}

const char *choose_value_head(const struct choose_rules *r)
{
	const struct objective *one = single(r);

	return one ? one->head : ">score";
}

void choose_objective_text(const struct choose_rules *r, char *dst, size_t len)
{
	const struct objective *one = single(r);
	size_t used = 0;

	if (one) {
		snprintf(dst, len, "%s", one->text);
		return;
	}
	snprintf(dst, len, "a score of ");
	for (int i = 0; i < CHOOSE_OBJECTIVES; i++) {
		if (r->weight[i] <= 0)
			continue;
		used = strlen(dst);
		snprintf(dst + used, len - used, "%s%s x %g",
			 used > strlen("a score of ") ? ", " : "", choose_objective_names[i],
			 r->weight[i]);
	}
}
