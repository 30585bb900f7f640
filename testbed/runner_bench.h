/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_bench - a made-up campaign of hours on the simulated nodes of runner_fake.h, and a
 * tally of what it stored. For runner*_test.c only.
 */
#ifndef TESTBED_RUNNER_BENCH_H
#define TESTBED_RUNNER_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include "testbed/runner_fake.h"

#define S       NS_PER_S
#define CELLS   3
#define BLOCKS  4
#define CLOCK_0 INT64_C(1000000000000)

struct bench {
	char directory[64], path[80];
	struct plan plan;
	struct fake fake;
	struct runner runner;
	int64_t campaign;
};

static inline void make_plan(struct plan *p)
{
	static const char *const name[CELLS] = { "a", "b", "c" };
	struct fail f = { 0 };

	*p = (struct plan){ .name = "made-up", .seed = 7, .blocks = BLOCKS, .cells = CELLS };
	p->times = (struct phase_times){ 10 * S, 60 * S, 30 * S, 600 * S, 10 * S, 0, 60 * S };
	p->timeout_ns = S;
	snprintf(p->server.meter, sizeof(p->server.meter), "fake:");
	snprintf(p->client.meter, sizeof(p->client.meter), "fake:");
	buf_puts(&p->text, "campaign: made-up\n");
	p->cell = calloc(CELLS, sizeof(*p->cell));
	for (int i = 0; i < CELLS; i++) {
		struct cell *c = &p->cell[i].cell;

		p->cell[i].limit_us[RUNNER_SERVER] = p->cell[i].limit_us[RUNNER_CLIENT] = NAN;
		c->payload_bytes = 100 * (i + 1); /* by which the nodes know it */
		snprintf(c->suite, sizeof(c->suite), "tls");
		snprintf(c->name, sizeof(c->name), "%s", name[i]);
		snprintf(c->connection, sizeof(c->connection), "full");
		snprintf(c->workload, sizeof(c->workload), "page");
		assert_int_equal(suite_parse("tls1.3:AES128-GCM-SHA256:x25519:p256",
					     &p->cell[i].suite, &f),
				 0);
	}
	assert_int_equal(plan_draw(p, &f), 0);
}

static inline void attach(struct bench *b)
{
	struct fail f = { 0 };

	b->runner = (struct runner){ .plan = &b->plan, .signals = &b->fake.signals };
	b->runner.world =
		(struct runner_world){ &b->fake, fake_now_ns, fake_call, fake_wait, fake_restart };
	b->runner.store = store_open(b->path, STORE_WRITE, &f);
	assert_non_null(b->runner.store);
	progress_start(&b->runner.progress, PROGRESS_NONE, CELLS * BLOCKS, 0, S, 0);
}

static inline int enter(void **state)
{
	static struct bench b;
	struct fail f = { 0 };

	memset(&b, 0, sizeof(b));
	make_plan(&b.plan);
	b.fake = (struct fake){ .now_ns = CLOCK_0,
				.version = cipherwatt_version,
				.plan = &b.plan,
				.fault_times = 1,
				.signal_at_trial = -1 };
	b.fake.offset_ns[RUNNER_SERVER] = 5000 * S;
	b.fake.offset_ns[RUNNER_CLIENT] = -77 * S;
	snprintf(b.directory, sizeof(b.directory), "/tmp/cipherwatt-runner-XXXXXX");
	if (!mkdtemp(b.directory))
		return -1;
	snprintf(b.path, sizeof(b.path), "%s/a.db", b.directory);
	attach(&b);
	*state = &b;
	if (runner_greet(&b.runner, &f))
		return -1;
	b.campaign = runner_begin(&b.runner, "{}", &f);
	return b.campaign > 0 ? 0 : -1;
}

static inline void detach(struct bench *b)
{
	store_close(b->runner.store);
	free(b->runner.cell_id);
	free(b->runner.enough);
	b->runner.enough = NULL;
	b->runner.store = NULL;
	b->runner.cell_id = NULL;
}

static inline int leave(void **state)
{
	struct bench *b = *state;

	detach(b);
	plan_release(&b->plan);
	unlink(b->path); /* its log went when it was closed */
	return rmdir(b->directory);
}

/* --- what is stored --------------------------------------------------------- */

struct tally {
	struct bench *bench;
	int cell, trials, valid;
	char reason[REASON_BYTES]; /* the last one */
	void (*look)(struct bench *b, const struct trial *t);
};

static inline int count_trial(int64_t id, const struct trial *t, void *data)
{
	struct tally *x = data;
	int place = (int)t->block * CELLS + (int)t->position;

	(void)id;
	assert_int_equal(x->bench->plan.order[place], x->cell); /* where the plan had it */
	x->trials++;
	x->valid += t->valid;
	if (!t->valid)
		snprintf(x->reason, sizeof(x->reason), "%s", t->reason);
	else if (t->reason[0])
		fail_msg("a valid trial has the reason %s", t->reason);
	if (x->look && t->valid)
		x->look(x->bench, t);
	return 0;
}

static inline struct tally tally(struct bench *b,
				 void (*look)(struct bench *, const struct trial *))
{
	struct tally x = { .bench = b, .look = look };
	struct fail f = { 0 };

	for (x.cell = 0; x.cell < CELLS; x.cell++)
		assert_int_equal(store_each_trial(b->runner.store, b->runner.cell_id[x.cell],
						  count_trial, &x, &f),
				 0);
	return x;
}

static inline void expect_stored(struct bench *b, int trials, int valid, const char *reason)
{
	struct tally x = tally(b, NULL);

	assert_int_equal(x.trials, trials);
	assert_int_equal(x.valid, valid);
	if (!strstr(x.reason, reason))
		fail_msg("\"%s\" does not say \"%s\"", x.reason, reason);
}

static inline void run_to_end(struct bench *b)
{
	struct fail f = { 0 };

	if (runner_run(&b->runner, &f))
		fail_msg("%s", f.text);
}

#define BENCH(test) cmocka_unit_test_setup_teardown(test, enter, leave)

#endif
