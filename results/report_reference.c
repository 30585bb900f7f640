/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_reference - which published figure belongs to which cell, and what ours comes to.
 *
 * It must not know how a format writes them (report_reference_write.c does).
 */
#include "results/report_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUESTS_NEAR 0.05 /* 2040 requests are the 2000 that 120 clients cannot share */
#define RATE_NEAR     0.01
#define US_PER_MS     1000.0
#define BYTES_PER_KB  1000.0

struct finding {
	const struct report *report;
	void (*visit)(const struct report *, const struct report_reference *, void *);
	void *data;
	size_t found;
};

/* --- what a cell asks --------------------------------------------------------- */

/* Of an access workload; 0: it says nothing of that. */
struct asked {
	const char *what; /* "CoAP", "HTTP"; NULL: it is no cell of that study */
	double requests, clients, kb_per_s;
};

static double number_of(const json_t *settings, const char *key)
{
	return json_number_value(json_object_get(settings, key));
}

static bool is_text(const json_t *settings, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(settings, key));

	return value && !strcmp(value, text);
}

/* By attributes, over connections that are kept, with security: what the study measured. */
static struct asked read_asked(const struct cell *c)
{
	struct asked a = { 0 };
	json_error_t bad;
	json_t *settings;

	if (strcmp(c->workload, "access") || strncmp(c->connection, "keepalive", 9))
		return a;
	settings = json_loads(c->settings, 0, &bad);
	a.clients = (double)c->clients;
	a.requests = number_of(settings, "count");
	a.kb_per_s = number_of(settings, "upload_bytes_per_s") / BYTES_PER_KB;
	if (is_text(settings, "access_model", "rbac"))
		a.what = NULL;
	else if (!strncmp(c->suite, "dtls", 4))
		a.what = "CoAP";
	else if (!strncmp(c->suite, "tls", 3) && is_text(settings, "protocol", "http"))
		a.what = "HTTP";
	json_decref(settings);
	return a;
}

static bool is_near(double ours, double published, double within)
{
	return fabs(ours - published) <= within * published;
}

/* The rate at which a table's test was made; 0: it was not limited. */
static double rate_of(const struct reference_study *s, const struct reference_row *row)
{
	const struct reference_row *rate;

	if (row->metric == REFERENCE_BREAK_EVEN_KB_PER_S)
		return row->value;
	rate = reference_find(s, row->table, row->what, row->requests, row->clients,
			      REFERENCE_RATE_KB_PER_S);
	return rate && !strcmp(row->table, "5") ? rate->value : 0;
}

static bool corresponds(const struct asked *a, const struct reference_study *s,
			const struct reference_row *row)
{
	bool searched = row->metric == REFERENCE_BREAK_EVEN_KB_PER_S;
	double rate = rate_of(s, row);

	if (!a->what || strcmp(a->what, row->what) || a->clients != row->clients)
		return false;
	if (rate > 0 ? !is_near(a->kb_per_s, rate, RATE_NEAR) : a->kb_per_s > 0)
		return false;
	/* What a rate was set to is no figure of ours. */
	if (rate > 0 && row->metric == REFERENCE_RATE_KB_PER_S)
		return false;
	return searched || is_near(a->requests, row->requests, REQUESTS_NEAR);
}

/* --- ours --------------------------------------------------------------------- */

static struct interval single(double value)
{
	return (struct interval){ value, NAN, NAN, 0 };
}

static struct interval scaled(const struct interval *i, double by)
{
	return (struct interval){ i->mean * by, i->lo * by, i->hi * by, i->n };
}

static struct interval figure_of(const struct cell_summary *c, enum reference_metric metric)
{
	const struct summary_latency *l = &c->response;

	switch (metric) {
	case REFERENCE_P95_MS:
		return scaled(&l->p95_trials, 1 / US_PER_MS);
	case REFERENCE_P99_MS:
		return scaled(&l->p99_trials, 1 / US_PER_MS);
	case REFERENCE_P99_9_MS:
		return single(l->p99_9 / US_PER_MS);
	case REFERENCE_MAX_MS:
		return single(l->max / US_PER_MS);
	case REFERENCE_MEAN_MS:
	case REFERENCE_BREAK_EVEN_KB_PER_S:
		return single(l->mean / US_PER_MS);
	case REFERENCE_RATE_KB_PER_S:
		return single((double)c->wire_bytes_sent / c->window_s / BYTES_PER_KB);
	case REFERENCE_CPU_PCT:
		return single(c->server.cpu_pct);
	default:
		return single(NAN);
	}
}

/* A break-even rate is found by a search; a cell can say what the mean is at that rate. */
static void name_figure(struct report_reference *x)
{
	const struct reference_row *row = x->row;
	const struct reference_info *info = &reference_info[row->metric];

	x->published = row->value;
	x->unit = info->unit;
	snprintf(x->figure, sizeof(x->figure), "%s", info->name);
	if (row->metric != REFERENCE_BREAK_EVEN_KB_PER_S)
		return;
	x->published = row->target_ms;
	x->unit = reference_info[REFERENCE_MEAN_MS].unit;
	snprintf(x->figure, sizeof(x->figure), "%s at %g kB/s",
		 reference_info[REFERENCE_MEAN_MS].name, row->value);
}

static void tell(struct finding *f, struct report_reference *x)
{
	bool energy = x->row->metric == REFERENCE_ENERGY_SAVING_PCT;

	x->energy = energy ? f->report->cell[x->cell].server.energy.source : "";
	if (!isfinite(x->ours.mean))
		return;
	f->found++;
	if (f->visit)
		f->visit(f->report, x, f->data);
}

/* A cell's settings are JSON text and rows are many: read once, as far as there is memory. */
static void find_access(struct finding *f, const struct reference_study *s)
{
	struct asked *asked = calloc(f->report->cells + 1, sizeof(*asked));

	for (size_t c = 0; asked && c < f->report->cells; c++)
		asked[c] = read_asked(&f->report->cell[c].cell);
	for (size_t i = 0; i < s->count; i++)
		for (size_t c = 0; c < f->report->cells; c++) {
			const struct cell_summary *cell = &f->report->cell[c];
			struct asked a = asked ? asked[c] : read_asked(&cell->cell);
			struct report_reference x = {
				.study = s, .row = &s->rows[i], .cell = c, .against = c
			};

			if (!corresponds(&a, s, x.row) || !cell->valid_trials)
				continue;
			name_figure(&x);
			x.ours = figure_of(cell, x.row->metric);
			tell(f, &x);
		}
	free(asked);
}

/* --- two keys of one strength --------------------------------------------------- */

/* 1: the first is ECDSA and the second RSA; -1: the other way about; 0: neither. */
static int key_order(const char *a, const char *b)
{
	static const char ec[] = "tls1.2:ECDHE-ECDSA-", rsa[] = "tls1.2:ECDHE-RSA-";

	if (!strncmp(a, ec, strlen(ec)) && !strncmp(b, rsa, strlen(rsa)))
		return 1;
	return strncmp(b, ec, strlen(ec)) || strncmp(a, rsa, strlen(rsa)) ? 0 : -1;
}

/* Requests per energy, ECDSA against RSA, as the share of energy that a request saves. */
static struct interval saving_of(const struct interval *ratio, bool inverse)
{
	struct interval i = *ratio;

	if (inverse)
		i = (struct interval){ 1 / ratio->mean, 1 / ratio->hi, 1 / ratio->lo, ratio->n };
	return (struct interval){ 100 * (1 - 1 / i.mean), 100 * (1 - 1 / i.lo),
				  100 * (1 - 1 / i.hi), i.n };
}

static struct interval compared(const struct report *r, const struct report_comparison *c,
				bool inverse, enum reference_metric metric)
{
	double ratio =
		r->cell[c->cell].requests_per_s.mean / r->cell[c->reference].requests_per_s.mean;

	if (metric == REFERENCE_ENERGY_SAVING_PCT)
		return saving_of(&c->energy, inverse);
	return single(metric != REFERENCE_THROUGHPUT_RATIO ? NAN : inverse ? 1 / ratio : ratio);
}

/* The study's: pages, a new connection for each, under TLS 1.2, keys of equal strength. */
static void find_gateway(struct finding *f, const struct reference_study *s)
{
	const struct report *r = f->report;

	for (size_t i = 0; i < r->comparisons; i++) {
		const struct report_comparison *c = &r->comparison[i];
		const struct cell *a = &r->cell[c->cell].cell, *b = &r->cell[c->reference].cell;
		int order = key_order(a->suite, b->suite);

		if (!order || strcmp(a->workload, "page") || strcmp(a->connection, "full") ||
		    a->strength_bits != b->strength_bits)
			continue;
		for (size_t j = 0; j < s->count; j++) {
			struct report_reference x = { .study = s,
						      .row = &s->rows[j],
						      .cell = c->cell,
						      .against = c->reference };

			if (order < 0) {
				x.cell = c->reference;
				x.against = c->cell;
			}
			name_figure(&x);
			x.ours = compared(r, c, order < 0, x.row->metric);
			tell(f, &x);
		}
	}
}

size_t report_references(const struct report *r,
			 void (*visit)(const struct report *, const struct report_reference *,
				       void *),
			 void *data)
{
	struct finding f = { r, visit, data, 0 };

	find_access(&f, &reference_access_control);
	find_gateway(&f, &reference_gateway);
	return f.found;
}
