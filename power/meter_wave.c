/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_wave - "wave:SHAPE,..." : a wave as a meter, exact in any meaning of a sample, or
 * through the simulated chip. It must not know how samples are integrated.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "power/args.h"
#include "power/sim_meter.h"
#include "power/wave.h"

#define RATE_DEFAULT_HZ 1000.0
#define VOLTS_DEFAULT   5.0
#define WATTS_MOST      1000.0

struct wave_meter {
	struct wave wave;
	int64_t opened_ns, last_ns, due_ns;
	int64_t bus_uv;
	int64_t reported_nj; /* sum of the increments so far: roundings do not add up */
	bool chip;
	struct sim_meter sim;
};

static int64_t source_bus_uv(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct wave_meter *)data)->bus_uv;
}

static int64_t source_current_na(void *data, int64_t from_ns, int64_t to_ns)
{
	struct wave_meter *w = data;
	double nj = wave_energy_nj(&w->wave, from_ns - w->opened_ns, to_ns - w->opened_ns);
	double mean_nw = nj / ((double)(to_ns - from_ns) / 1e9);

	return llround(mean_nw * 1e6 / (double)w->bus_uv);
}

static int read_shape(struct args *a, struct wave *w)
{
	double mean_w = 1, amplitude_w = 0;
	const char *name = args_first(a);
	int shape = -1;

	for (int i = 0; name != NULL && wave_shape_name[i] != NULL; i++)
		if (strcmp(name, wave_shape_name[i]) == 0)
			shape = i;
	if (shape < 0)
		return fail_set(a->fail, EINVAL,
				"expected a shape: constant, sine, square or ramp, as in "
				"wave:sine,mean=2W,amplitude=1W,period=100ms");
	w->shape = (enum wave_shape)shape;
	w->period_ns = 100 * NS_PER_MS;
	args_quantity(a, "mean", "W", &mean_w);
	if (shape != WAVE_CONSTANT)
		amplitude_w = mean_w / 2;
	args_quantity(a, "amplitude", "W", &amplitude_w);
	args_duration(a, "period", &w->period_ns);
	if (!(fabs(mean_w) <= WATTS_MOST && fabs(amplitude_w) <= WATTS_MOST) || w->period_ns <= 0)
		return fail_set(a->fail, EINVAL,
				"mean and amplitude go up to 1 kW and the period is above 0");
	w->mean_nw = llround(mean_w * 1e9);
	w->amplitude_nw = llround(amplitude_w * 1e9);
	return 0;
}

static int open_exact(struct meter *m, struct wave_meter *w, double rate_hz, int meaning)
{
	struct meter_facts *facts = &m->facts;

	if (!(rate_hz >= 0.001 && rate_hz <= 1e6))
		return fail_set(&m->fail, EINVAL, "rate: expected 0.001 to 1000000 Hz");
	facts->meaning = (enum sample_meaning)meaning;
	facts->kind =
		meaning == SAMPLE_INCREMENT || meaning == SAMPLE_COUNTER ? CODE_ENERGY : CODE_POWER;
	facts->period_ns = llround(1e9 / rate_hz);
	facts->gapless = meaning == SAMPLE_MEAN_ENDING || meaning == SAMPLE_INCREMENT;
	w->opened_ns = w->last_ns = clock_ns();
	w->due_ns = w->opened_ns + facts->period_ns;
	return 0;
}

static int open_chip(struct meter *m, struct wave_meter *w)
{
	double most_w = fabs((double)w->wave.mean_nw) + fabs((double)w->wave.amplitude_nw);
	int64_t max_na = llround(most_w * 1.2 * 1e6 / (double)w->bus_uv) + 1000000;
	struct ina2xx_settings set = sim_meter_settings(max_na, w->bus_uv, 1);
	struct i2c_sim_source source = { source_bus_uv, source_current_na, w, NULL };

	w->opened_ns = clock_ns();
	return sim_meter_start(&w->sim, timebase_monotonic, &set, &source, 1, &m->facts, &m->fail);
}

static int wave_configure(struct meter *m, struct wave_meter *w, const char *arg)
{
	double rate_hz = RATE_DEFAULT_HZ, volts = VOLTS_DEFAULT;
	int meaning = SAMPLE_MEAN_ENDING;
	struct args a;

	if (args_init(&a, arg, &m->fail) != 0 || read_shape(&a, &w->wave) != 0)
		return -1;
	w->chip = args_flag(&a, "chip");
	if (w->chip) {
		args_quantity(&a, "volts", "V", &volts);
		if (!(volts >= 0.1 && volts < 32))
			return fail_set(&m->fail, EINVAL, "volts: expected 0.1 to 32");
	} else {
		args_quantity(&a, "rate", "Hz", &rate_hz);
		args_choice(&a, "meaning", sample_meaning_name, &meaning);
	}
	w->bus_uv = llround(volts * 1e6);
	if (args_finish(&a) != 0 ||
	    (w->chip ? open_chip(m, w) : open_exact(m, w, rate_hz, meaning)) != 0)
		return -1;
	m->facts.provenance = PROVENANCE_SYNTHETIC;
	snprintf(m->facts.basis, sizeof m->facts.basis,
		 "wave %s%s: mean %.6g W, amplitude %.6g W, period %.6g s",
		 wave_shape_name[w->wave.shape], w->chip ? " through a simulated INA219" : "",
		 (double)w->wave.mean_nw / 1e9, (double)w->wave.amplitude_nw / 1e9,
		 (double)w->wave.period_ns / 1e9);
	return 0;
}

static int wave_open(struct meter *m, const char *arg)
{
	struct wave_meter *w = calloc(1, sizeof *w);

	if (w == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	if (wave_configure(m, w, arg) != 0) {
		free(w);
		return -1;
	}
	m->impl = w;
	return 0;
}

static int64_t exact_code(struct wave_meter *w, enum sample_meaning meaning, int64_t now_ns)
{
	int64_t from_ns = w->last_ns - w->opened_ns, to_ns = now_ns - w->opened_ns, before_nj;
	double seconds = (double)(to_ns - from_ns) / 1e9;

	switch (meaning) {
	case SAMPLE_MEAN_ENDING:
		return llround(wave_energy_nj(&w->wave, from_ns, to_ns) / seconds);
	case SAMPLE_INCREMENT:
	case SAMPLE_COUNTER:
		before_nj = w->reported_nj;
		w->reported_nj = llround(wave_energy_nj(&w->wave, 0, to_ns));
		return meaning == SAMPLE_COUNTER ? w->reported_nj : w->reported_nj - before_nj;
	case SAMPLE_INSTANT:
	case SAMPLE_MEAN_STARTING:
		break;
	}
	return llround(wave_power_nw(&w->wave, to_ns));
}

static int wave_read(struct meter *m, struct sample *s)
{
	struct wave_meter *w = m->impl;
	int64_t now_ns;

	if (w->chip)
		return ina2xx_read(&w->sim.chip, s, &m->fail);
	clock_sleep_until(w->due_ns);
	now_ns = clock_ns();
	/* Whole microseconds, as the sampler keeps them, or the value would be of another time. */
	now_ns -= now_ns % NS_PER_US;
	if (now_ns <= w->last_ns)
		now_ns = w->last_ns + NS_PER_US;
	*s = (struct sample){ .before_ns = now_ns, .after_ns = now_ns };
	s->code[0] = exact_code(w, m->facts.meaning, now_ns);
	w->last_ns = now_ns;
	w->due_ns += m->facts.period_ns;
	if (w->due_ns < now_ns)
		w->due_ns += (now_ns - w->due_ns) / m->facts.period_ns * m->facts.period_ns;
	return 0;
}

static int wave_watch(struct meter *m, const pid_t *pids, int count)
{
	(void)m, (void)pids, (void)count;
	return 0;
}

static void wave_close(struct meter *m)
{
	struct wave_meter *w = m->impl;

	if (w != NULL && w->chip)
		ina2xx_stop(&w->sim.chip);
	free(w);
}

const struct meter_ops meter_wave = {
	.name = "wave",
	.help = "SHAPE[,mean=1W][,amplitude=0.5W][,period=100ms][,rate=1kHz][,meaning=mean_ending]"
		"[,chip][,volts=5V]: a synthetic constant, sine, square or ramp with a known "
		"integral; chip reads it through a simulated INA219",
	.open = wave_open,
	.read = wave_read,
	.watch = wave_watch,
	.close = wave_close,
};
