/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_speed_print - `cipherwatt speed` as text: the table of figures, what was absent, the
 * score, and the limit of each suite.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/table.h"
#include "lib/units.h"
#include "testbed/cmd_speed.h"

#define CELL_BYTES 32
#define BUSY_BELOW 0.95 /* of the wall time: below it something else had the processor */

static void real(char dst[CELL_BYTES], bool known, double value)
{
	if (known)
		units_format_real(value, dst, CELL_BYTES);
	else
		snprintf(dst, CELL_BYTES, "-");
}

/* --- the list ------------------------------------------------------------------- */

static int list_one(const struct operation *o, void *data)
{
	char name[OPERATION_TEXT_BYTES];
	const char *cells[] = { operation_format(o, name), o->algorithm->source,
				o->algorithm->rare ? "only when named in full" : "" };

	return table_row(data, cells);
}

int speed_print_list(void)
{
	static const char *const heads[] = { "primitive", "specified in", "", NULL };
	struct table t;
	int ret;

	if (table_init(&t, heads))
		return -1;
	ret = operation_each(list_one, &t);
	if (!ret)
		table_print(&t, stdout);
	table_release(&t);
	return ret;
}

/* --- figures -------------------------------------------------------------------- */

static void note(const struct speed_figure *f, char *dst, size_t len)
{
	double share = speed_cpu_share(f);
	size_t used = 0;

	*dst = '\0';
	if (!f->precise)
		used = (size_t)snprintf(dst, len, "wide after %.1f s", (double)f->wall_ns / 1e9);
	if (share < BUSY_BELOW)
		snprintf(dst + used, len - used, "%shad the CPU for %.0f %%", used ? ", " : "",
			 share * 100);
}

static int add_figure(const struct speed_session *s, int i, struct table *t)
{
	const struct speed_figure *f = &s->book.figure[i];
	const struct speed_energy *e = s->energy ? &s->energy[i] : NULL;
	char name[OPERATION_TEXT_BYTES], notes[64], cell[7][CELL_BYTES];
	const char *cells[10] = { f->engine->name, operation_format(&f->what, name) };
	int n = 2;

	real(cell[0], true, f->us_per_op);
	real(cell[1], f->batches > 1, 100 * f->us_half / f->us_per_op);
	real(cell[2], true, speed_ops_per_s(f));
	real(cell[3], f->what.bytes, speed_mb_per_s(f));
	real(cell[4], true, speed_cpu_us_per_op(f));
	for (int k = 0; k < 5; k++)
		cells[n++] = cell[k];
	if (e) {
		real(cell[5], e->known, e->gross_mj);
		real(cell[6], e->known && e->net_known, e->net_mj);
		cells[n++] = cell[5];
		cells[n++] = cell[6];
	}
	note(f, notes, sizeof(notes));
	cells[n] = e && !e->known ? e->why : notes;
	return table_row(t, cells);
}

static int print_figures(const struct speed_session *s)
{
	const char *heads[11] = { "engine", "primitive", ">us/op",    ">+-%",
				  ">ops/s", ">MB/s",     ">CPU us/op" };
	char gross[48], net[48];
	struct table t;
	int n = 7, ret = 0;

	if (s->energy) {
		snprintf(gross, sizeof(gross), ">gross mJ/op, %s", speed_meter_source(&s->meter));
		snprintf(net, sizeof(net), ">net mJ/op, %s", speed_meter_source(&s->meter));
		heads[n++] = gross;
		heads[n++] = net;
	}
	heads[n++] = "";
	heads[n] = NULL;
	if (table_init(&t, heads))
		return -1;
	for (int i = 0; i < s->book.count && !ret; i++)
		if (s->book.figure[i].measured)
			ret = add_figure(s, i, &t);
	if (!ret && t.rows)
		table_print(&t, stdout);
	table_release(&t);
	return ret;
}

static void print_meter(const struct speed_meter *m)
{
	char idle_mw[CELL_BYTES];

	real(idle_mw, m->idle_known, m->idle_mw);
	printf("\nmeter %s, %s%s%s; idle %s mW\n", m->trace.facts.source, speed_meter_source(m),
	       m->trace.facts.basis[0] ? ": " : "", m->trace.facts.basis, idle_mw);
}

/* What a build lacks, it lacks for all that the algorithm does: each is named once. */
static void print_absent(const struct speed_session *s, const struct engine_ops *engine)
{
	const struct algorithm *last = NULL;
	bool any = false;

	for (int i = 0; i < s->book.count; i++) {
		const struct speed_figure *f = &s->book.figure[i];

		if (f->engine != engine || f->fail.code != ENOTSUP || f->what.algorithm == last)
			continue;
		last = f->what.algorithm;
		if (any)
			printf(", ");
		else
			printf("\nnot in this build of %s: ", engine->name);
		any = true;
		printf("%s", last->name);
	}
	if (any)
		printf("\n");
}

static void print_missing(const struct speed_session *s)
{
	for (int e = 0; e < s->engines; e++)
		print_absent(s, s->engine[e]);
	for (int i = 0; i < s->book.count; i++)
		if (s->book.figure[i].fail.code && s->book.figure[i].fail.code != ENOTSUP)
			printf("failed: %s\n", s->book.figure[i].fail.text);
}

/* --- the score ------------------------------------------------------------------- */

static int print_mix_parts(const struct mix *m)
{
	static const char *const heads[] = { "part", ">weight", ">us", ">%", NULL };
	struct table t;
	int ret = 0;

	if (table_init(&t, heads))
		return -1;
	for (int i = 0; i < MIX_PARTS && !ret; i++) {
		struct operation what = mix_operation(&mix_parts[i]);
		char name[OPERATION_TEXT_BYTES], weight[CELL_BYTES], us[CELL_BYTES],
			share[CELL_BYTES];
		const char *cells[] = { operation_format(&what, name), weight, us, share };

		snprintf(weight, sizeof(weight), "%d", mix_parts[i].weight);
		real(us, true, m->part_s[i] * 1e6);
		real(share, true, 100 * m->part_s[i] / m->sum_s);
		ret = table_row(&t, cells);
	}
	if (!ret)
		table_print(&t, stdout);
	table_release(&t);
	return ret;
}

static int print_mix(const struct speed_session *s)
{
	int ret = 0;

	for (int e = 0; e < s->engines && !ret; e++) {
		struct fail f = { 0 };
		struct mix m;

		if (s->engine[e] == &engine_null)
			continue;
		if (mix_of(&s->book, s->engine[e], &m, &f)) {
			printf("\n%s\n", f.text);
			continue;
		}
		printf("\n%s: handshake-mix score %.0f, by CPU time %.0f (1000 / %.6g s)\n",
		       s->engine[e]->name, m.score, m.cpu_score, m.sum_s);
		ret = print_mix_parts(&m);
	}
	return ret;
}

/* --- the limit ------------------------------------------------------------------- */

static const char *const role_name[] = { [CLIENT] = "client", [SERVER] = "server" };

static int add_part(struct table *t, enum role role, const struct limit_part *part)
{
	char name[OPERATION_TEXT_BYTES], count[CELL_BYTES], us[CELL_BYTES], cpu[CELL_BYTES];
	const char *cells[] = {
		role_name[role], operation_format(&part->what, name), count, cpu, us, part->why
	};

	snprintf(count, sizeof(count), "%d", part->count);
	real(us, true, part->us);
	real(cpu, true, part->cpu_us);
	return table_row(t, cells);
}

static int print_parts(const struct limit *limit)
{
	static const char *const heads[] = { "side", "primitive", ">times", ">CPU us",
					     ">us",  "for",       NULL };
	struct table t;
	int ret = 0;

	if (table_init(&t, heads))
		return -1;
	for (int role = SERVER; role >= CLIENT; role--)
		for (int i = 0; i < limit[role].parts && !ret; i++)
			ret = add_part(&t, (enum role)role, &limit[role].part[i]);
	if (!ret && t.rows)
		table_print(&t, stdout);
	table_release(&t);
	return ret;
}

static int print_limit(const struct speed_session *s, const struct suite *suite,
		       const struct engine_ops *engine)
{
	char text[SUITE_TEXT_BYTES];
	struct limit limit[2];
	struct fail f = { 0 };

	if (speed_handshake_limit(suite, engine, SERVER, &s->book, &limit[SERVER], &f) ||
	    speed_handshake_limit(suite, engine, CLIENT, &s->book, &limit[CLIENT], &f)) {
		printf("\n%s\n%s\n", suite_format(suite, text), f.text);
		return 0;
	}
	printf("\n%s\n%s: a full handshake costs the server at least %.1f us of CPU time, the "
	       "client %.1f us; elapsed %.1f and %.1f us\n",
	       suite_format(suite, text), engine->name, limit[SERVER].cpu_us, limit[CLIENT].cpu_us,
	       limit[SERVER].us, limit[CLIENT].us);
	return print_parts(limit);
}

static int print_limits(const struct speed_session *s)
{
	int ret = 0;

	for (int i = 0; i < s->set.suite.count; i++)
		for (int e = 0; e < s->engines && !ret; e++)
			if (s->engine[e] != &engine_null)
				ret = print_limit(s, &s->suite[i], s->engine[e]);
	return ret;
}

int speed_print(const struct speed_session *s)
{
	for (int e = 0; e < s->engines; e++)
		printf("%s: %s, %s\n", s->engine[e]->name, s->engine[e]->version(),
		       s->engine[e]->build());
	printf("\n");
	if (print_figures(s))
		return -1;
	if (s->energy)
		print_meter(&s->meter);
	print_missing(s);
	if (s->set.mix && print_mix(s))
		return -1;
	return print_limits(s);
}
