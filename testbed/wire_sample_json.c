/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_sample_json - both accounts joined, association by association and message by message, and
 * their medians.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/stats_series.h"
#include "testbed/wire_sample.h"

#define NS_PER_US       1e3
#define STEPS_TOTAL_MAX 64

/* One step over all associations, in microseconds. */
struct gathered {
	char name[64];
	bool from_client;
	double *wire_us, *engine_us, *difference_us; /* WIRE_SAMPLE_MAX of each */
	int wires, engines, differences;
};

struct gathering {
	const struct wire_sample *sample;
	struct gathered step[STEPS_TOTAL_MAX];
	int steps;
	int joined, compared, beyond;
	double *error_us; /* stated, WIRE_SAMPLE_MAX */
	bool failed;      /* no memory */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them; null for none. */
static json_t *quantile(double *values, int count, double q)
{
	if (!count)
		return json_null();
	qsort(values, (size_t)count, sizeof(*values), by_value);
	return json_real(stats_quantile(values, (size_t)count, q));
}

static struct gathered *step_of(struct gathering *g, const struct wire_step *s)
{
	struct gathered *new;

	for (int i = 0; i < g->steps; i++)
		if (!strcmp(g->step[i].name, s->name))
			return &g->step[i];
	if (g->steps == STEPS_TOTAL_MAX)
		return NULL;
	new = &g->step[g->steps];
	new->wire_us = calloc(3 * WIRE_SAMPLE_MAX, sizeof(double));
	if (!new->wire_us) {
		g->failed = true;
		return NULL;
	}
	new->engine_us = new->wire_us + WIRE_SAMPLE_MAX;
	new->difference_us = new->engine_us + WIRE_SAMPLE_MAX;
	memcpy(new->name, s->name, sizeof(new->name));
	new->from_client = s->from_client;
	g->steps++;
	return new;
}

/* The one whose first packet lies between connect() and the end; they come one after another. */
static const struct wire_association *partner(const struct wire_sample *s,
					      const struct wire_association *wire)
{
	int64_t start_ns = wire->start_ns - s->offset_ns;

	for (int i = 0; i < s->engines; i++)
		if (start_ns >= s->engine[i].start_ns - s->engine[i].error_ns &&
		    start_ns <= s->engine[i].last_ns)
			return &s->engine[i];
	return NULL;
}

/* Before TLS 1.3 a Finished cannot be read on the wire: it is the encrypted message. */
static const struct wire_step *same_step(const struct wire_association *wire,
					 const struct wire_step *s)
{
	bool finished = strstr(s->name, "_finished") != NULL;

	for (int i = 0; i < wire->steps; i++)
		if (!strcmp(wire->step[i].name, s->name))
			return &wire->step[i];
	for (int i = 0; finished && i < wire->steps; i++)
		if (strstr(wire->step[i].name, "_encrypted_handshake") &&
		    wire->step[i].from_client == s->from_client)
			return &wire->step[i];
	return NULL;
}

static bool is_message(const struct wire_step *s)
{
	return strcmp(s->name, "handshake") && strcmp(s->name, "tcp_open") &&
	       strcmp(s->name, "first_data") && strcmp(s->name, "last_data");
}

static void compare(struct gathering *g, struct gathered *to, int64_t difference_ns,
		    int64_t error_ns)
{
	to->difference_us[to->differences++] = (double)difference_ns / NS_PER_US;
	g->compared++;
	g->beyond += llabs(difference_ns) > error_ns;
}

static void gather_engine(struct gathering *g, const struct wire_association *wire,
			  const struct wire_association *engine)
{
	int64_t error_ns = engine->error_ns + g->sample->clock_error_ns;

	g->error_us[g->joined++] = (double)error_ns / NS_PER_US;
	for (int i = 0; i < engine->steps; i++) {
		const struct wire_step *s = &engine->step[i], *same = same_step(wire, s);
		struct gathered *to = step_of(g, same ? same : s);

		if (!to || to->engines == WIRE_SAMPLE_MAX)
			continue;
		to->engine_us[to->engines++] = (double)(s->t_ns - engine->start_ns) / NS_PER_US;
		if (same && is_message(s))
			compare(g, to, s->t_ns + g->sample->offset_ns - same->t_ns, error_ns);
	}
}

static void gather(struct gathering *g)
{
	const struct wire_sample *s = g->sample;

	for (int i = 0; i < s->wires; i++) {
		const struct wire_association *wire = &s->wire[i];
		const struct wire_association *engine = partner(s, wire);

		for (int j = 0; j < wire->steps; j++) {
			struct gathered *to = step_of(g, &wire->step[j]);

			if (to)
				to->wire_us[to->wires++] =
					(double)(wire->step[j].t_ns - wire->start_ns) / NS_PER_US;
		}
		if (engine)
			gather_engine(g, wire, engine);
	}
}

static json_t *both(const struct wire_sample *s, bool payload)
{
	double *values = calloc(WIRE_SAMPLE_MAX, sizeof(*values));
	json_t *median, *p95;

	for (int i = 0; values && i < s->wires; i++)
		values[i] = (double)(payload ? s->wire[i].payload_ns : s->wire[i].handshake_ns) /
			    NS_PER_US;
	median = quantile(values, values ? s->wires : 0, 0.5);
	p95 = quantile(values, values ? s->wires : 0, 0.95);
	free(values);
	return json_pack("{s:o, s:o}", "median", median, "p95", p95);
}

static json_t *step_json(struct gathered *g)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:i}", "step", g->name, "from",
			 g->from_client ? "client" : "server", "wire_us",
			 quantile(g->wire_us, g->wires, 0.5), "wire_p95_us",
			 quantile(g->wire_us, g->wires, 0.95), "engine_us",
			 quantile(g->engine_us, g->engines, 0.5), "difference_us",
			 quantile(g->difference_us, g->differences, 0.5), "n",
			 g->wires > g->engines ? g->wires : g->engines);
}

/* When it happened: on the wire where it was seen there. */
static double place(const struct gathered *g)
{
	const double *values = g->wires ? g->wire_us : g->engine_us;
	int count = g->wires ? g->wires : g->engines;
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / count : 0;
}

static int by_place(const void *a, const void *b)
{
	double x = place(a), y = place(b);

	return (x > y) - (x < y);
}

static json_t *steps_json(struct gathering *g)
{
	json_t *list = json_array();

	qsort(g->step, (size_t)g->steps, sizeof(g->step[0]), by_place);
	for (int i = 0; i < g->steps; i++)
		json_array_append_new(list, step_json(&g->step[i]));
	return list;
}

static json_t *agreement_json(struct gathering *g)
{
	if (!g->compared)
		return json_null();
	return json_pack("{s:i, s:i, s:o, s:o}", "compared", g->compared, "beyond", g->beyond,
			 "error_us", quantile(g->error_us, g->joined, 0.5), "error_p95_us",
			 quantile(g->error_us, g->joined, 0.95));
}

static json_t *sum_up(struct gathering *g)
{
	const struct wire_sample *s = g->sample;

	gather(g);
	if (g->failed)
		return NULL;
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:s?}", "interface",
			 s->interface, "wanted", s->wanted, "seen", s->seen, "complete",
			 s->complete, "joined", g->joined, "handshake_us", both(s, false),
			 "payload_us", both(s, true), "steps", steps_json(g), "agreement",
			 agreement_json(g), "unobserved", s->unobserved);
}

json_t *wire_sample_json(const struct wire_sample *s)
{
	struct gathering *g = calloc(1, sizeof(*g));
	json_t *all = NULL;

	if (!g)
		return NULL;
	g->sample = s;
	g->error_us = calloc(WIRE_SAMPLE_MAX, sizeof(*g->error_us));
	if (g->error_us)
		all = sum_up(g);
	for (int i = 0; i < g->steps; i++)
		free(g->step[i].wire_us);
	free(g->error_us);
	free(g);
	return all;
}
