/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_test - modelled net energy is CPU time times watts per core, through the whole chain:
 * load model, simulated chip, reader, trace, integration; and what the METER text takes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "lib/usage.h"
#include "power/board.h"
#include "power/idle.h"
#include "power/load_model.h"
#include "power/sim_meter.h"
#include "power/watched.h"

/* A made-up process: busy cores change every few milliseconds between from and to. Time only
 * moves on, so the sum up to the last whole slot is kept. */
struct fake {
	int64_t now_ns, busy_from_ns, busy_to_ns, slot_ns;
	double most_cores;
	uint64_t seed;
	int64_t slots_done;
	double cpu_done;
};

static double cores_in_slot(const struct fake *p, int64_t slot)
{
	struct rng r;

	rng_seed(&r, p->seed + (uint64_t)slot);
	return rng_unit(&r) * p->most_cores;
}

static double cpu_until(struct fake *p, int64_t t_ns)
{
	int64_t at;

	if (t_ns > p->busy_to_ns)
		t_ns = p->busy_to_ns;
	if (t_ns <= p->busy_from_ns)
		return 0;
	for (;; p->slots_done++) {
		at = p->busy_from_ns + p->slots_done * p->slot_ns;
		if (at + p->slot_ns > t_ns)
			break;
		p->cpu_done += cores_in_slot(p, p->slots_done) * (double)p->slot_ns;
	}
	return p->cpu_done + cores_in_slot(p, p->slots_done) * (double)(t_ns - at);
}

static int64_t fake_cpu_ns(void *data)
{
	struct fake *p = data;

	return llround(cpu_until(p, p->now_ns));
}

struct rig {
	struct fake process;
	struct load_model load;
	struct sim_meter sim;
	struct trace trace;
	struct fail fail;
	struct rng holdups;
};

static void rig_run(struct rig *g, struct timebase time, double idle_w, double core_w, int averages,
		    int64_t until_ns)
{
	struct ina2xx_settings set = sim_meter_settings(3000000000, 5000000, averages);
	struct i2c_sim_source source = load_model_source(&g->load);
	struct meter_facts facts = { 0 };
	struct sample s;

	g->load = (struct load_model){ .time = time,
				       .idle_nw = llround(idle_w * 1e9),
				       .core_nw = llround(core_w * 1e9),
				       .bus_uv = 5000000,
				       .cpu_ns = fake_cpu_ns,
				       .data = &g->process };
	load_model_start(&g->load);
	if (sim_meter_start(&g->sim, time, &set, &source, 3, &facts, &g->fail) != 0)
		fail_msg("%s", g->fail.text);
	g->sim.sim.transfer_ns = 30 * NS_PER_US;
	facts.gapless = true;
	assert_int_equal(trace_init(&g->trace, &facts, 0), 0);
	while (g->process.now_ns < until_ns) {
		assert_int_equal(load_model_read(&g->load, &g->sim.chip, &s, &g->fail), 0);
		assert_int_equal(trace_add(&g->trace, &s), 0);
	}
}

static struct energy energy_of(struct rig *g, double from_s, double to_s)
{
	struct energy e;

	if (energy_window(&g->trace, llround(from_s * 1e9), llround(to_s * 1e9), GAP_FAIL, NS_PER_S,
			  &e, &g->fail) != 0)
		fail_msg("%s", g->fail.text);
	return e;
}

/* Idle 1 to 6 s, work from 6.5 to 16.5 s, idle again to 22 s; rpi-4b's watts. */
static void check_net(double most_cores, int averages, int64_t slot_ns, uint64_t seed)
{
	const double idle_w = 1.6, core_w = (5.0 - 1.6) / 4;
	struct rig g = { .process = { .busy_from_ns = 6500 * NS_PER_MS,
				      .busy_to_ns = 16500 * NS_PER_MS,
				      .slot_ns = slot_ns,
				      .most_cores = most_cores,
				      .seed = seed } };
	struct energy before, busy, after;
	struct energy_net net;
	double want_j, got_j, bound_j, period_s;

	rig_run(&g, timebase_counter(&g.process.now_ns), idle_w, core_w, averages, 23 * NS_PER_S);
	before = energy_of(&g, 1, 6);
	busy = energy_of(&g, 6.2, 17);
	after = energy_of(&g, 17.5, 22);
	assert_int_equal(energy_net(&busy, &before, &after, &net), 0);
	want_j = cpu_until(&g.process, 17 * NS_PER_S) / 1e9 * core_w;
	got_j = (double)net.net_nj / 1e9;
	period_s = (double)g.trace.facts.period_ns / 1e9;
	/* One period at the edges of the work, and a tenth of a step of the chip (2 mW). */
	bound_j = period_s * most_cores * core_w + 0.1 * 0.002 * 10.8;
	if (fabs(got_j - want_j) > bound_j)
		fail_msg("%g cores, avg %d: net %.5f J, CPU time says %.5f J, bound %.5f",
			 most_cores, averages, got_j, want_j, bound_j);
	assert_false(net.drifted);
	assert_true(fabs((double)net.idle_nw / 1e9 - idle_w) < 0.001);
	trace_release(&g.trace);
	ina2xx_stop(&g.sim.chip);
}

static void net_energy_is_cpu_time(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++) {
		check_net(4, 8, 3700 * NS_PER_US, seed);
		check_net(1, 1, 900 * NS_PER_US, seed + 100);
		check_net(2, 16, 40 * NS_PER_MS, seed + 200);
		/* More cores than the board has: the line goes on. */
		check_net(8, 8, 5 * NS_PER_MS, seed + 300);
	}
}

/* A reader that is held up anywhere, for longer than many conversions, loses no CPU time. */
static void held_up_now_and_then(void *data, int64_t due_ns)
{
	struct rig *g = data;

	g->process.now_ns = due_ns;
	if (rng_below(&g->holdups, 20) == 0)
		g->process.now_ns += (int64_t)rng_below(&g->holdups, 30 * NS_PER_MS);
}

static int64_t held_up_clock(void *data)
{
	struct rig *g = data;

	/* Held up between any two steps, seldom. */
	if (rng_below(&g->holdups, 400) == 0)
		g->process.now_ns += (int64_t)rng_below(&g->holdups, 30 * NS_PER_MS);
	return g->process.now_ns;
}

static void late_readers_lose_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct rig g = { .process = { .busy_from_ns = NS_PER_S,
					      .busy_to_ns = 9 * NS_PER_S,
					      .slot_ns = 2700 * NS_PER_US,
					      .most_cores = 4,
					      .seed = seed } };
		struct timebase time = { held_up_clock, held_up_now_and_then, &g };
		double net_j, cpu_s;

		rng_seed(&g.holdups, seed);
		rig_run(&g, time, 1.6, 0.85, 1, 10 * NS_PER_S);
		net_j = (double)energy_of(&g, 0.5, 9.5).energy_nj / 1e9 - 1.6 * 9;
		cpu_s = cpu_until(&g.process, 9500 * NS_PER_MS) / 1e9;
		/* A tenth of the chip's 2 mW step over the window. */
		if (fabs(net_j - cpu_s * 0.85) > 0.0002 * 9)
			fail_msg("seed %d: net %.5f J, CPU time says %.5f J", (int)seed, net_j,
				 cpu_s * 0.85);
		trace_release(&g.trace);
		ina2xx_stop(&g.sim.chip);
	}
}

static void boards_known(void **state)
{
	static const char *const names[] = { "orange-pi-pc", "orange-pi-zero-2w", "rpi-2b",
					     "rpi-3b",       "rpi-3b-plus",       "rpi-4b",
					     "rpi-5",        "rpi-zero-2w" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct board *b = board_by_name(names[i]);

		assert_non_null(b);
		assert_int_equal(b->cores, 4);
		assert_non_null(b->source);
		assert_true(b->loaded_mw == 0 || b->idle_mw < b->loaded_mw);
		assert_true(b->idle_max_mw == 0 ||
			    (b->idle_min_mw <= b->idle_mw && b->idle_mw <= b->idle_max_mw));
		assert_true(b->loaded_max_mw == 0 ||
			    (b->loaded_min_mw <= b->loaded_mw && b->loaded_mw <= b->loaded_max_mw));
	}
	assert_false(board_has_watts(board_by_name("orange-pi-pc")));
	assert_false(board_has_watts(board_by_name("rpi-zero-2w")));
	assert_true(board_has_watts(board_by_name("rpi-4b")));
	assert_null(board_by_name("rpi-6"));
}

static void refuse(const char *text, const char *word)
{
	struct meter m;

	assert_int_equal(meter_open(&m, text), -1);
	if (strstr(m.fail.text, word) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", text, m.fail.text, word);
	meter_close(&m);
}

static void texts_refused(void **state)
{
	(void)state;
	refuse("model:orange-pi-pc", "not published");
	refuse("model:orange-pi-pc", "idle=");
	refuse("model:rpi-zero-2w", "loaded watts");
	refuse("model:rpi4b", "rpi-4b");
	refuse("model:", "expected a board");
	refuse("model:rpi-4b,core=2", "cores");
	refuse("model:rpi-4b,cores=0", "cores");
	refuse("model:rpi-4b,avg=3", "average");
	refuse("model:idle=5W,loaded=1W", "idle <= loaded");
	refuse("model:idle=5W,idle=6W,loaded=9W", "twice");
	refuse("model:idle=5V,loaded=9W", "idle");
	refuse("model:rpi-4b,,cores=2", "empty");
	refuse("modle:rpi-4b", "model");
	refuse("", "there is no meter");
	refuse("wave:", "shape");
	refuse("wave:sine,mean=1W,chip,rate=5Hz", "rate");
	refuse("wave:sine,meaning=average", "mean_ending");
	refuse("ina219:", "/dev/i2c-1@0x40");
	refuse("ina219:/dev/i2c-1@0x80", "0x77");
	refuse("ina219:/dev/i2c-1@zz", "address");
	refuse("ina219:/dev/i2c-1,max=5A", "320 mV");
	refuse("ina219:/nonexistent/i2c-9@0x40", "not enabled");
	refuse("ina219:/dev/null@0x40", "not an I2C bus");
}

static void labelled_modelled(void **state)
{
	struct meter m;

	(void)state;
	assert_int_equal(meter_open(&m, "model:rpi-4b"), 0);
	assert_int_equal(m.facts.provenance, PROVENANCE_MODELLED);
	assert_string_equal(m.facts.basis, "board rpi-4b: idle 1.6 W, loaded 5 W over 4 cores "
					   "(wall; geerlingguy/sbc-reviews @968b675)");
	assert_string_equal(m.facts.chip, "ina219");
	assert_true(m.facts.gapless);
	/* Other sources say up to 3.1 W idle: 94 % away, uniform. */
	assert_in_range(m.facts.gain_ppm, 541000, 542000);
	meter_close(&m);
	assert_int_equal(meter_open(&m, "model:orange-pi-pc,idle=1.2W,loaded=3W"), 0);
	assert_non_null(strstr(m.facts.basis, "as given"));
	assert_true(m.facts.error_unknown);
	meter_close(&m);
	assert_int_equal(meter_open(&m, "model:idle=1.2W,loaded=3W,error=10"), 0);
	assert_false(m.facts.error_unknown);
	assert_int_equal(m.facts.gain_ppm, 100000);
	meter_close(&m);
	refuse("model:rpi-4b,error=10", "idle= and loaded=");
	refuse("model:idle=1.2W,loaded=3W,error=150", "0 to 100");
}

static volatile unsigned sink;

static void burn(int64_t ns)
{
	int64_t end_ns = usage_self_cpu_ns() + ns;

	while (usage_self_cpu_ns() < end_ns)
		for (int i = 0; i < 1000; i++)
			sink += (unsigned)i;
}

static void watching_counts_from_now(void **state)
{
	pid_t pids[] = { getpid(), getpid() }, none = 0x3fffff;
	struct watched w;
	int64_t start_ns, used_ns, first_ns;

	(void)state;
	burn(20 * NS_PER_MS);
	watched_init(&w);
	assert_int_equal(watched_cpu_ns(&w), 0);
	start_ns = usage_self_cpu_ns();
	/* Named twice, counted once. */
	assert_int_equal(watched_set(&w, pids, 2), 0);
	burn(20 * NS_PER_MS);
	first_ns = watched_cpu_ns(&w);
	used_ns = usage_self_cpu_ns() - start_ns;
	assert_true(first_ns >= 20 * NS_PER_MS && first_ns <= used_ns);
	/* A process that is not there leaves the set as it was. */
	assert_int_equal(watched_set(&w, &none, 1), -1);
	/* Set again: what was used in between counts. */
	burn(10 * NS_PER_MS);
	assert_int_equal(watched_set(&w, pids, 1), 0);
	assert_true(watched_cpu_ns(&w) - first_ns >= 10 * NS_PER_MS);
	assert_int_equal(watched_set(&w, NULL, 0), 0);
	first_ns = watched_cpu_ns(&w);
	burn(5 * NS_PER_MS);
	assert_int_equal(watched_cpu_ns(&w), first_ns);
	watched_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(net_energy_is_cpu_time),
		cmocka_unit_test(late_readers_lose_nothing),
		cmocka_unit_test(boards_known),
		cmocka_unit_test(texts_refused),
		cmocka_unit_test(labelled_modelled),
		cmocka_unit_test(watching_counts_from_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
