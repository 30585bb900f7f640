/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model - from the METER text and a board's row to a load model behind a simulated chip.
 * It must not convert or integrate anything: its samples are an INA219's.
 */
#include "power/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/opt.h"
#include "power/args.h"
#include "power/board.h"
#include "power/load_model.h"
#include "power/sim_meter.h"
#include "power/watched.h"

#define VOLTS_DEFAULT    5.0
#define AVERAGES_DEFAULT 8 /* 8.5 ms a sample: enough for windows of seconds, cheap to read */
#define CHIP_SEED        219
#define HEADROOM         1.2

struct model {
	struct watched watched;
	struct load_model load;
	struct sim_meter sim;
};

struct model_plan {
	const struct board *board; /* NULL: all given */
	double idle_w, loaded_w, volts;
	bool given;       /* watts are the user's, not the board's */
	double error_pct; /* of those, by the user's word; negative: nobody said */
	int64_t cores, averages;
};

static int refuse_board(const char *name, struct fail *f)
{
	const char *names[32] = { NULL }, *nearest;

	for (int i = 0; boards[i].name != NULL && i < 31; i++)
		names[i] = boards[i].name;
	nearest = opt_nearest(name, names);
	return fail_set(
		f, EINVAL,
		"there is no board \"%s\"%s%s%s; `cipherwatt power --list` shows the boards, "
		"or give idle=,loaded=,cores=",
		name, nearest ? ", did you mean \"" : "", nearest ? nearest : "",
		nearest ? "\"?" : "");
}

static int need_watts(const struct model_plan *p, struct fail *f)
{
	if (p->board == NULL)
		return fail_set(f, EINVAL,
				"expected a board (`cipherwatt power --list`) or both "
				"idle= and loaded=, such as model:idle=1.6W,loaded=5W,cores=4");
	return fail_set(f, EINVAL,
			"%s watts of the %s are not published; measure the board and give them: "
			"model:%s,idle=1.2W,loaded=3W",
			p->board->idle_mw     ? "loaded"
			: p->board->loaded_mw ? "idle"
					      : "idle and loaded",
			p->board->title, p->board->name);
}

static int read_plan(struct model_plan *p, const char *arg, struct fail *f)
{
	const char *name;
	struct args a;
	bool idle, loaded;

	*p = (struct model_plan){
		.volts = VOLTS_DEFAULT, .cores = 1, .averages = AVERAGES_DEFAULT, .error_pct = -1
	};
	if (args_init(&a, arg, f) != 0)
		return -1;
	name = args_first(&a);
	if (name != NULL) {
		p->board = board_by_name(name);
		if (p->board == NULL)
			return refuse_board(name, f);
		p->cores = p->board->cores;
		p->idle_w = p->board->idle_mw / 1e3;
		p->loaded_w = p->board->loaded_mw / 1e3;
	}
	idle = args_quantity(&a, "idle", "W", &p->idle_w);
	loaded = args_quantity(&a, "loaded", "W", &p->loaded_w);
	p->given = idle || loaded;
	if (args_real(&a, "error", &p->error_pct) &&
	    (!p->given || !(p->error_pct >= 0 && p->error_pct < 100)))
		return fail_set(f, EINVAL,
				"error: expected 0 to 100 %%, the standard error of idle= and "
				"loaded=");
	args_quantity(&a, "volts", "V", &p->volts);
	args_integer(&a, "cores", 1, 1024, &p->cores);
	args_integer(&a, "avg", 1, 128, &p->averages);
	if (args_finish(&a) != 0)
		return -1;
	if (!(p->idle_w > 0) || !(p->loaded_w > 0))
		return need_watts(p, f);
	if (p->loaded_w < p->idle_w || p->loaded_w > 1000 || !(p->volts >= 0.5 && p->volts < 32))
		return fail_set(
			f, EINVAL,
			"idle %.4g W, loaded %.4g W, %.4g V: expected idle <= loaded <= 1000 W "
			"and 0.5 to 32 V",
			p->idle_w, p->loaded_w, p->volts);
	return 0;
}

/* The largest step from the figure used to another published one, as a part of it. */
static double spread(int used_mw, int min_mw, int max_mw)
{
	/* One source only: boards with several show a factor of two between them. */
	if (min_mw == 0 || max_mw == 0)
		return 0.5;
	return fmax((double)max_mw / used_mw - 1, 1 - (double)min_mw / used_mw);
}

static void describe(const struct model_plan *p, struct meter_facts *facts)
{
	const struct board *b = p->board;

	facts->provenance = PROVENANCE_MODELLED;
	facts->gapless = true; /* CPU time is a counter */
	if (b != NULL && !p->given)
		facts->gain_ppm = llround(
			1e6 / sqrt(3) *
			fmin(1, fmax(spread(b->idle_mw, b->idle_min_mw, b->idle_max_mw),
				     spread(b->loaded_mw, b->loaded_min_mw, b->loaded_max_mw))));
	facts->error_unknown = p->given && p->error_pct < 0;
	if (p->given && p->error_pct > 0)
		facts->gain_ppm = llround(p->error_pct * 1e4);
	snprintf(facts->basis, sizeof facts->basis,
		 "%s%s: idle %.4g W, loaded %.4g W over %d cores (%s%s%s)", b ? "board " : "model",
		 b ? b->name : "", p->idle_w, p->loaded_w, (int)p->cores,
		 p->given ? "as given" : b->scope, p->given ? "" : "; ", p->given ? "" : b->source);
}

static int start(struct model *model, const struct model_plan *p, struct meter *m)
{
	long here = sysconf(_SC_NPROCESSORS_ONLN);
	double reach = here > p->cores ? (double)here / (double)p->cores : 1;
	double most_w = p->idle_w + (p->loaded_w - p->idle_w) * reach;
	struct ina2xx_settings set = sim_meter_settings(llround(most_w * HEADROOM / p->volts * 1e9),
							llround(p->volts * 1e6), (int)p->averages);
	struct i2c_sim_source source = load_model_source(&model->load);

	model->load = (struct load_model){
		.time = timebase_monotonic,
		.idle_nw = llround(p->idle_w * 1e9),
		.core_nw = llround((p->loaded_w - p->idle_w) * 1e9 / (double)p->cores),
		.bus_uv = llround(p->volts * 1e6),
		.cpu_ns = watched_cpu_ns,
		.data = &model->watched,
	};
	load_model_start(&model->load);
	return sim_meter_start(&model->sim, timebase_monotonic, &set, &source, CHIP_SEED, &m->facts,
			       &m->fail);
}

static int model_open(struct meter *m, const char *arg)
{
	struct model_plan plan;
	struct model *model;

	if (read_plan(&plan, arg, &m->fail) != 0)
		return -1;
	model = calloc(1, sizeof *model);
	if (model == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	watched_init(&model->watched);
	if (start(model, &plan, m) != 0) {
		watched_release(&model->watched);
		free(model);
		return -1;
	}
	describe(&plan, &m->facts);
	m->impl = model;
	return 0;
}

static int model_read(struct meter *m, struct sample *s)
{
	struct model *model = m->impl;

	return load_model_read(&model->load, &model->sim.chip, s, &m->fail);
}

static int model_watch(struct meter *m, const pid_t *pids, int count)
{
	struct model *model = m->impl;

	if (watched_set(&model->watched, pids, count) == 0)
		return 0;
	/* The thread that reads never sets it: a simulated bus does not go away. */
	return fail_set(&m->fail, ESRCH,
			"of %d given, one process is not there, or they are more than %d", count,
			WATCHED_MAX);
}

static void model_close(struct meter *m)
{
	struct model *model = m->impl;

	if (model == NULL)
		return;
	ina2xx_stop(&model->sim.chip);
	watched_release(&model->watched);
	free(model);
}

const struct meter_ops meter_model = {
	.name = "model",
	.help = "BOARD[,cores=N][,volts=5V][,avg=8] or "
		"idle=1.6W,loaded=5W,cores=4[,error=PERCENT]: "
		"CPU time of the watched processes times the board's watts, through a simulated "
		"INA219; modelled, "
		"not measured. More busy cores than the board has go on along the same line",
	.open = model_open,
	.read = model_read,
	.watch = model_watch,
	.close = model_close,
};
