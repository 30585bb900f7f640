/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_speed_json - `cipherwatt speed` as JSON, from the same values as the text.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "testbed/cmd_speed.h"
#include "testbed/environment.h"

#define DIGITS 10

static json_t *texts(const struct opt_list *l)
{
	json_t *all = json_array();

	for (int i = 0; i < l->count; i++)
		json_array_append_new(all, json_string(l->item[i]));
	return all;
}

static json_t *options(const struct speed_settings *set)
{
	return json_pack("{s:o, s:o, s:o, s:f, s:f, s:f, s:b, s:s?, s:f}", "engine",
			 texts(&set->engine), "only", texts(&set->only), "suite",
			 texts(&set->suite), "time_s", (double)set->time_ns / 1e9, "max_time_s",
			 (double)set->max_time_ns / 1e9, "precision_pct", set->precision_pct, "mix",
			 set->mix, "meter", set->meter, "idle_s", (double)set->idle_ns / 1e9);
}

/* --- figures -------------------------------------------------------------------- */

static json_t *operation_name(const struct operation *o)
{
	struct operation bare = { .op = o->op, .algorithm = o->algorithm };
	char text[OPERATION_TEXT_BYTES];

	return json_string(operation_format(&bare, text));
}

static json_t *bytes(const struct operation *o)
{
	return o->bytes ? json_integer((json_int_t)o->bytes) : json_null();
}

static json_t *interval(const struct speed_figure *f)
{
	bool known = f->batches > 1;
	json_t *lo = known ? json_real(f->us_per_op - f->us_half) : json_null();
	json_t *hi = known ? json_real(f->us_per_op + f->us_half) : json_null();

	return json_pack("{s:f, s:[o, o], s:I}", "mean", f->us_per_op, "ci95", lo, hi, "n",
			 (json_int_t)f->batches);
}

static json_t *energy(const struct speed_session *s, const struct speed_energy *e)
{
	if (!e->known)
		return json_pack("{s:s, s:n, s:n, s:s}", "source", speed_meter_source(&s->meter),
				 "gross", "net", "reason", e->why);
	return json_pack("{s:s, s:f, s:o, s:f}", "source", speed_meter_source(&s->meter), "gross",
			 e->gross_mj, "net", e->net_known ? json_real(e->net_mj) : json_null(),
			 "coverage", e->coverage);
}

static json_t *figure(const struct speed_session *s, int i)
{
	const struct speed_figure *f = &s->book.figure[i];
	json_t *all =
		json_pack("{s:s, s:o, s:o, s:f, s:o, s:f, s:f, s:b, s:I, s:f, s:o}", "engine",
			  f->engine->name, "name", operation_name(&f->what), "bytes",
			  bytes(&f->what), "ops_per_s", speed_ops_per_s(f), "us_per_op",
			  interval(f), "cpu_us_per_op", speed_cpu_us_per_op(f), "cpu_share",
			  speed_cpu_share(f), "precise", f->precise, "operations",
			  (json_int_t)f->ops, "measured_s", (double)f->wall_ns / 1e9, "mb_per_s",
			  f->what.bytes ? json_real(speed_mb_per_s(f)) : json_null());

	if (s->energy && all)
		json_object_set_new(all, "mj_per_op", energy(s, &s->energy[i]));
	return all;
}

static json_t *missing(const struct speed_figure *f)
{
	return json_pack("{s:s, s:o, s:o, s:s, s:s}", "engine", f->engine->name, "name",
			 operation_name(&f->what), "bytes", bytes(&f->what), "state",
			 f->fail.code == ENOTSUP ? "not in this build" : "failed", "reason",
			 f->fail.text);
}

static void add_figures(const struct speed_session *s, json_t *all)
{
	json_t *there = json_array(), *not_there = json_array();

	for (int i = 0; i < s->book.count; i++)
		if (s->book.figure[i].measured)
			json_array_append_new(there, figure(s, i));
		else
			json_array_append_new(not_there, missing(&s->book.figure[i]));
	json_object_set_new(all, "primitives", there);
	json_object_set_new(all, "missing", not_there);
}

/* --- the score and the limits ----------------------------------------------------- */

static json_t *mix_part(const struct mix *m, int i)
{
	struct operation what = mix_operation(&mix_parts[i]);

	return json_pack("{s:o, s:o, s:i, s:f}", "name", operation_name(&what), "bytes",
			 bytes(&what), "weight", mix_parts[i].weight, "us", m->part_s[i] * 1e6);
}

static json_t *mix_json(const struct speed_session *s, const struct engine_ops *engine)
{
	json_t *parts = json_array();
	struct fail f = { 0 };
	struct mix m;

	if (mix_of(&s->book, engine, &m, &f))
		return json_pack("{s:n, s:s, s:o}", "score", "reason", f.text, "parts", parts);
	for (int i = 0; i < MIX_PARTS; i++)
		json_array_append_new(parts, mix_part(&m, i));
	return json_pack("{s:f, s:f, s:f, s:o}", "score", m.score, "cpu_score", m.cpu_score,
			 "sum_s", m.sum_s, "parts", parts);
}

static json_t *limit_json(const struct limit *l)
{
	json_t *parts = json_array();

	for (int i = 0; i < l->parts; i++) {
		const struct limit_part *p = &l->part[i];

		json_array_append_new(parts, json_pack("{s:o, s:o, s:i, s:f, s:f, s:s}", "name",
						       operation_name(&p->what), "bytes",
						       bytes(&p->what), "count", p->count, "us",
						       p->us, "cpu_us", p->cpu_us, "for", p->why));
	}
	return json_pack("{s:f, s:f, s:o}", "us", l->us, "cpu_us", l->cpu_us, "parts", parts);
}

static json_t *handshake(const struct speed_session *s, const struct suite *suite,
			 const struct engine_ops *engine)
{
	char text[SUITE_TEXT_BYTES];
	struct limit server, client;
	struct fail f = { 0 };

	suite_format(suite, text);
	if (speed_handshake_limit(suite, engine, SERVER, &s->book, &server, &f) ||
	    speed_handshake_limit(suite, engine, CLIENT, &s->book, &client, &f))
		return json_pack("{s:s, s:s, s:n, s:n, s:s}", "suite", text, "engine", engine->name,
				 "server", "client", "reason", f.text);
	return json_pack("{s:s, s:s, s:o, s:o}", "suite", text, "engine", engine->name, "server",
			 limit_json(&server), "client", limit_json(&client));
}

static void add_sums(const struct speed_session *s, json_t *all)
{
	json_t *mixes = json_object(), *limits = json_array();

	for (int e = 0; e < s->engines; e++) {
		if (s->engine[e] == &engine_null)
			continue;
		if (s->set.mix)
			json_object_set_new(mixes, s->engine[e]->name, mix_json(s, s->engine[e]));
		for (int i = 0; i < s->set.suite.count; i++)
			json_array_append_new(limits, handshake(s, &s->suite[i], s->engine[e]));
	}
	json_object_set_new(all, "mix", mixes);
	json_object_set_new(all, "handshake_limits", limits);
}

static json_t *meter_json(const struct speed_meter *m)
{
	return json_pack("{s:s, s:s, s:s, s:o}", "meter", m->trace.facts.source, "source",
			 speed_meter_source(m), "basis", m->trace.facts.basis, "idle_mw",
			 m->idle_known ? json_real(m->idle_mw) : json_null());
}

int speed_print_json(const struct speed_session *s)
{
	json_t *all = json_pack("{s:s, s:o, s:o}", "schema", "cipherwatt/1", "options",
				options(&s->set), "machine", environment_json(""));
	int bad;

	if (!all)
		return -1;
	if (s->energy)
		json_object_set_new(all, "energy", meter_json(&s->meter));
	add_figures(s, all);
	add_sums(s, all);
	bad = json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS));
	printf("\n");
	json_decref(all);
	return bad;
}
