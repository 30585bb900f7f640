/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed - batches, their statistics and when to stop. It knows operations only as something
 * to be repeated, and prints nothing.
 */
#include "ciphers/speed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/credential.h"
#include "ciphers/speed_stat.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/usage.h"

#define KEY_FILE_BYTES_MAX 65536
#define NS_PER_US_REAL     1e3
#define GROWTH_MOST        100 /* times as many operations in the next batch that is tried */

static int64_t machine_wall_ns(void *data)
{
	(void)data;
	return clock_ns();
}

static int64_t machine_cpu_ns(void *data)
{
	(void)data;
	return usage_thread_cpu_ns();
}

static const struct speed_clock machine = { machine_wall_ns, machine_cpu_ns, NULL };

const struct speed_plan speed_plan_usual = { .batch_ns = SPEED_BATCH_NS,
					     .time_ns = NS_PER_S,
					     .max_time_ns = 3 * NS_PER_S,
					     .precision = 0.02,
					     .clock = &machine };

/* --- one figure ----------------------------------------------------------------- */

/* A batch that took too little time: how many operations would do, and a fifth more. */
static int64_t grown(int64_t ops, int64_t took_ns, int64_t want_ns)
{
	double wanted = took_ns > 0 ? (double)want_ns / (double)took_ns * 1.2 : GROWTH_MOST;

	if (wanted > GROWTH_MOST)
		wanted = GROWTH_MOST;
	return wanted < 2 ? 2 * ops : (int64_t)((double)ops * wanted);
}

static int tune(struct primitive *p, const struct speed_plan *plan, int64_t *ops)
{
	const struct speed_clock *c = plan->clock;

	for (*ops = 1;;) {
		int64_t from_ns = c->wall_ns(c->data), took_ns;

		if (primitive_run(p, *ops))
			return -1;
		took_ns = c->wall_ns(c->data) - from_ns;
		if (took_ns >= plan->batch_ns)
			return 0;
		*ops = grown(*ops, took_ns, plan->batch_ns);
	}
}

static int time_batch(struct primitive *p, const struct speed_plan *plan, struct speed_figure *f,
		      struct speed_stat *s)
{
	const struct speed_clock *c = plan->clock;
	int64_t cpu_ns = c->cpu_ns(c->data), from_ns = c->wall_ns(c->data), to_ns;

	if (primitive_run(p, f->batch_ops))
		return -1;
	to_ns = c->wall_ns(c->data);
	f->cpu_ns += c->cpu_ns(c->data) - cpu_ns;
	f->wall_ns += to_ns - from_ns;
	f->from_ns = f->batches ? f->from_ns : from_ns;
	f->to_ns = to_ns;
	f->ops += f->batch_ops;
	f->batches++;
	speed_stat_add(s, (double)(to_ns - from_ns) / (double)f->batch_ops / NS_PER_US_REAL);
	f->us_per_op = s->mean;
	f->us_half = speed_stat_half(s);
	f->precise =
		f->batches >= SPEED_BATCHES_MIN && 2 * f->us_half <= plan->precision * f->us_per_op;
	return 0;
}

static bool is_enough(const struct speed_plan *plan, const struct speed_figure *f)
{
	return (f->wall_ns >= plan->time_ns && f->precise) || f->wall_ns >= plan->max_time_ns;
}

int speed_run(struct primitive *p, const struct speed_plan *plan, struct speed_figure *f)
{
	struct speed_stat s = { 0 };

	*f = (struct speed_figure){ .engine = p->engine, .what = p->what };
	if (tune(p, plan, &f->batch_ops))
		goto failed;
	while (!is_enough(plan, f))
		if (time_batch(p, plan, f, &s))
			goto failed;
	f->measured = true;
	return 0;
failed:
	*f = (struct speed_figure){ .engine = p->engine, .what = p->what, .fail = p->fail };
	return -1;
}

/* --- opened for it -------------------------------------------------------------- */

/* Long keys take a minute to make: one from the cache, if it can be had. */
static void find_key(const struct operation *what, struct buf *pem, struct known_input *known)
{
	const struct credential_kind *kind = credential_kind_by_name(what->algorithm->name);
	struct credential credential;
	struct fail ignored = { 0 };

	if (what->algorithm->family != FAMILY_RSA || !kind ||
	    credential_get(kind, NULL, NULL, &credential, &ignored) ||
	    path_read(credential.key_file, KEY_FILE_BYTES_MAX, pem, &ignored))
		return;
	known->key = (const uint8_t *)buf_text(pem);
	known->key_len = pem->len;
}

int speed_measure(const struct engine_ops *engine, const struct operation *what,
		  const struct speed_plan *plan, struct speed_figure *f)
{
	struct known_input known = { 0 };
	struct primitive p;
	struct buf pem = { .max = KEY_FILE_BYTES_MAX, .secret = true };
	int ret = -1;

	*f = (struct speed_figure){ .engine = engine, .what = *what };
	if (engine != &engine_null)
		find_key(what, &pem, &known);
	if (primitive_open(&p, engine, what, &known)) {
		f->fail = p.fail;
	} else {
		ret = speed_run(&p, plan, f);
		primitive_close(&p);
	}
	buf_release(&pem);
	return ret;
}

/* --- what a figure says --------------------------------------------------------- */

double speed_ops_per_s(const struct speed_figure *f)
{
	return f->us_per_op > 0 ? 1e6 / f->us_per_op : 0;
}

double speed_cpu_us_per_op(const struct speed_figure *f)
{
	return f->ops ? (double)f->cpu_ns / (double)f->ops / NS_PER_US_REAL : 0;
}

double speed_mb_per_s(const struct speed_figure *f)
{
	return (double)f->what.bytes * speed_ops_per_s(f) / 1e6;
}

double speed_cpu_share(const struct speed_figure *f)
{
	return f->wall_ns ? (double)f->cpu_ns / (double)f->wall_ns : 0;
}

/* --- the book ------------------------------------------------------------------- */

const struct speed_figure *speed_book_find(const struct speed_book *b,
					   const struct engine_ops *engine,
					   const struct operation *what)
{
	for (int i = 0; i < b->count; i++)
		if (b->figure[i].engine == engine && operation_equal(&b->figure[i].what, what))
			return &b->figure[i];
	return NULL;
}

int speed_book_want(struct speed_book *b, const struct engine_ops *engine,
		    const struct operation *what)
{
	if (speed_book_find(b, engine, what))
		return 0;
	if (b->count == b->cap) {
		int cap = b->cap ? b->cap * 2 : 64;
		struct speed_figure *more = realloc(b->figure, (size_t)cap * sizeof(*more));

		if (!more)
			return -1;
		b->figure = more;
		b->cap = cap;
	}
	b->figure[b->count++] = (struct speed_figure){ .engine = engine, .what = *what };
	return 0;
}

void speed_book_release(struct speed_book *b)
{
	free(b->figure);
	*b = (struct speed_book){ 0 };
}
