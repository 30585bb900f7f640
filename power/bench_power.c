/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_power - how fast, how small and how cheap the power meter is. Not part of the program.
 *
 * Prints what it ran with, then a line for each figure. A bench never fails: what falls short is
 * said in its line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "lib/usage.h"
#include "lib/version.h"
#include "power/energy.h"
#include "power/power_session.h"
#include "power/sampler.h"
#include "power/sim_meter.h"
#include "power/trace_code.h"

#define SAMPLES  (1 << 20)
#define ROUNDS   5
#define BATCH    256
#define HOUR_S   3600
#define SAMPLE_S 5 /* how long the sampler is watched */

static void line(const char *name, double value, const char *unit, const char *target, bool met)
{
	printf("bench %s %.4g %s %s %s\n", name, value, unit, target,
	       strcmp(target, "-") == 0 ? "info"
	       : met                    ? "met"
					: "short");
	fflush(stdout);
}

static void machine(void)
{
	char text[256] = "", *model = NULL;
	struct utsname u;
	FILE *f = fopen("/proc/cpuinfo", "r");

	while (f != NULL && model == NULL && fgets(text, sizeof text, f) != NULL)
		if (strncmp(text, "model name", 10) == 0)
			model = strchr(text, ':');
	if (f != NULL)
		fclose(f);
	if (model != NULL)
		model[strcspn(model, "\n")] = '\0';
	uname(&u);
	printf("machine %s, %ld CPUs, %s %s\n", model ? model + 2 : u.machine,
	       sysconf(_SC_NPROCESSORS_ONLN), u.sysname, u.release);
	printf("version cipherwatt %s, %s\n", cipherwatt_version, __VERSION__);
	printf("settings %d samples a round, best of %d rounds; INA219 simulated at 12 bits, 0.1 "
	       "Ohm, "
	       "CPU time of the thread\n",
	       SAMPLES, ROUNDS);
}

/* A clock that wakes late as Linux does: 8 us and a tail. */
struct jittery {
	int64_t now_ns;
	struct rng rng;
};

static int64_t jittery_now(void *data)
{
	struct jittery *j = data;

	j->now_ns += 300;
	return j->now_ns;
}

static void jittery_sleep(void *data, int64_t due_ns)
{
	struct jittery *j = data;

	j->now_ns = due_ns + 8000 - (int64_t)(log(1 - rng_unit(&j->rng)) * 15000);
}

/* A board between 1.6 and 5 W that works in bursts, whose supply sags. */
static int64_t burst_na(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)data, (void)to_ns;
	return from_ns / (37 * NS_PER_MS) % 3 ? 320000000 : 1000000000;
}

static int64_t sag_uv(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)data, (void)to_ns;
	return from_ns / (37 * NS_PER_MS) % 3 ? 5080000 : 5020000;
}

static const struct i2c_sim_source bursts = { sag_uv, burst_na, NULL, NULL };

struct board {
	struct jittery clock;
	struct sim_meter meter;
	struct meter_facts facts;
};

static void start_board(struct board *b)
{
	struct timebase time = { jittery_now, jittery_sleep, &b->clock };
	struct ina2xx_settings set = ina2xx_settings_default;
	struct fail f = { 0 };

	*b = (struct board){ .clock = { NS_PER_S, { { 0 } } } };
	rng_seed(&b->clock.rng, 11);
	if (sim_meter_start(&b->meter, time, &set, &bursts, 5, &b->facts, &f) != 0) {
		fprintf(stderr, "bench: %s\n", f.text);
		exit(1);
	}
	b->meter.sim.transfer_ns = 110 * NS_PER_US;
}

static void read_board(struct board *b, struct sample *s)
{
	struct fail f = { 0 };

	if (ina2xx_read(&b->meter.chip, s, &f) != 0)
		exit(1);
	s->before_ns -= s->before_ns % NS_PER_US;
	s->after_ns -= s->after_ns % NS_PER_US;
}

static struct trace make_trace(void)
{
	static struct board board;
	struct trace t;

	start_board(&board);
	if (trace_init(&t, &board.facts, SAMPLES) != 0)
		exit(1);
	for (int i = 0; i < SAMPLES; i++) {
		struct sample s;

		read_board(&board, &s);
		trace_add(&t, &s);
	}
	return t;
}

static int64_t integrate(const struct trace *t)
{
	struct fail f = { 0 };
	struct energy e;
	int64_t from_ns, to_ns;

	if (energy_span(t, &from_ns, &to_ns) != 0 ||
	    energy_window(t, from_ns, to_ns, GAP_EXCLUDE, 0, &e, &f) != 0) {
		fprintf(stderr, "bench: %s\n", f.text);
		exit(1);
	}
	return e.energy_nj;
}

static void integration(const struct trace *t)
{
	int64_t best_ns = INT64_MAX, slow_ns = INT64_MAX, nj = 0, slow_nj = 0;
	struct trace ranged = *t;

	/* A range that no power leaves: every sample is looked at by itself. */
	ranged.facts.power_max_nw = INT64_C(1000000000000000);
	ranged.facts.power_min_nw = -ranged.facts.power_max_nw;
	for (int i = 0; i < ROUNDS; i++) {
		int64_t begin_ns = usage_thread_cpu_ns(), end_ns;

		nj = integrate(t);
		end_ns = usage_thread_cpu_ns();
		best_ns = end_ns - begin_ns < best_ns ? end_ns - begin_ns : best_ns;
		slow_nj = integrate(&ranged);
		begin_ns = usage_thread_cpu_ns();
		slow_ns = begin_ns - end_ns < slow_ns ? begin_ns - end_ns : slow_ns;
	}
	line("power.integrate", SAMPLES * 1e3 / (double)best_ns, "Msamples/s", ">=50",
	     SAMPLES * 1e3 / (double)best_ns >= 50);
	line("power.integrate.one_by_one", SAMPLES * 1e3 / (double)slow_ns, "Msamples/s", "-",
	     true);
	line("power.integrate.difference", (double)llabs(nj - slow_nj), "nJ", "<=0", nj == slow_nj);
}

static int add_part(void *data, const struct sample *s, size_t count)
{
	energy_add(data, s, count);
	return 0;
}

static void storage(const struct trace *t)
{
	int64_t best_ns = INT64_MAX, from_ns, to_ns;
	struct buf b = { .max = 0 };
	struct fail f = { 0 };

	if (trace_encode(t, &b) != 0 || energy_span(t, &from_ns, &to_ns) != 0)
		exit(1);
	line("power.trace.bytes", (double)b.len / SAMPLES, "bytes/sample", "<=4",
	     b.len <= 4 * (size_t)SAMPLES);
	for (int i = 0; i < ROUNDS; i++) {
		int64_t begin_ns = usage_thread_cpu_ns(), took_ns;
		struct trace_reader r;
		struct energy_run run;
		struct energy e;

		if (trace_reader_open(&r, b.data, -1, (int64_t)b.len, &f) != 0 ||
		    energy_begin(&run, &r.facts, from_ns, to_ns, GAP_EXCLUDE, 0, &f) != 0 ||
		    trace_reader_window(&r, from_ns, to_ns, add_part, &run, &f) != 0 ||
		    energy_end(&run, &e, &f) != 0)
			exit(1);
		trace_reader_close(&r);
		took_ns = usage_thread_cpu_ns() - begin_ns;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}
	line("power.trace.integrate_stored", SAMPLES * 1e3 / (double)best_ns, "Msamples/s", "-",
	     true);
	buf_release(&b);
}

/* What a thread costs that does nothing but wake up as often. */
static double waking_pct(int64_t period_ns)
{
	int64_t cpu_ns = usage_thread_cpu_ns(), due_ns = clock_ns();
	int64_t end_ns = due_ns + SAMPLE_S * NS_PER_S / 2;

	while (due_ns < end_ns) {
		due_ns += period_ns;
		clock_sleep_until(due_ns);
	}
	return (double)(usage_thread_cpu_ns() - cpu_ns) * 100 / (double)(SAMPLE_S * NS_PER_S / 2);
}

static void sampling(void)
{
	struct meter m;
	struct fail f = { 0 };
	struct sampler *s;
	struct trace t;
	double pct, hz;

	if (meter_open(&m, "wave:square,mean=3W,amplitude=1W,period=111ms,chip") != 0)
		exit(1);
	s = sampler_start(&m, 0, SAMPLE_S * NS_PER_S, &f);
	if (s == NULL)
		exit(1);
	clock_sleep_until(clock_ns() + SAMPLE_S * NS_PER_S);
	if (sampler_stop(s, &t, &f) != 0 || t.count < 2)
		exit(1);
	hz = (double)(t.count - 1) * 1e9 /
	     (double)(t.sample[t.count - 1].before_ns - t.sample[0].before_ns);
	pct = (double)t.cpu_ns * 100 / (SAMPLE_S * 1e9);
	/* The chip's own pace is 940 Hz; a share at 1 kHz is in proportion. */
	line("power.sample.cpu", pct * 1000 / hz, "%_of_a_core_at_1kHz", "<1", pct * 1000 / hz < 1);
	line("power.sample.rate", hz, "Hz", "-", true);
	line("power.sample.waking", waking_pct(NS_PER_MS), "%_of_a_core_at_1kHz", "-", true);
	trace_release(&t);
	meter_close(&m);
}

static int64_t rss_kib(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f != NULL && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return (int64_t)pages * sysconf(_SC_PAGESIZE) / 1024;
}

/* A day of readings through everything that `cipherwatt power --record --energy` does to them. */
static void long_run(void)
{
	static const int hours[] = { 1, 24 };
	static struct board board;
	static struct power_session session;
	struct sample batch[BATCH];
	char path[] = "/tmp/cipherwatt-bench-XXXXXX";
	int fd = mkstemp(path), next = 0;
	int64_t rss[2] = { 0 }, made = 0;
	struct fail f = { 0 };

	if (fd < 0)
		exit(1);
	close(fd);
	start_board(&board);
	session = (struct power_session){
		.want_energy = true, .policy = GAP_EXCLUDE, .from_s = NAN, .to_s = NAN
	};
	if (power_session_begin(&session, &board.facts, board.facts.period_ns, path, &f) != 0)
		exit(1);
	while (next < 2) {
		for (int i = 0; i < BATCH; i++)
			read_board(&board, &batch[i]);
		if (power_session_feed(&session, batch, BATCH, &f) != 0)
			exit(1);
		made += BATCH;
		if (batch[BATCH - 1].before_ns - session.first_ns >=
		    (int64_t)hours[next] * HOUR_S * NS_PER_S)
			rss[next++] = rss_kib();
	}
	power_session_end(&session, 0, 0, 0, &f);
	power_session_release(&session);
	line("power.memory.1h", (double)rss[0] / 1024, "MiB_RSS", "-", true);
	line("power.memory.24h", (double)rss[1] / 1024, "MiB_RSS", "-", true);
	line("power.memory.growth", (double)(rss[1] - rss[0]), "KiB_in_23h", "<=256",
	     rss[1] - rss[0] <= 256);
	line("power.memory.samples", (double)made / 1e6, "Msamples_in_24h", "-", true);
	unlink(path);
}

int main(void)
{
	struct trace t;
	pid_t child;

	machine();
	fflush(stdout);
	/* Memory first and in a process of its own: the other benches hold large traces. */
	child = fork();
	if (child == 0) {
		long_run();
		exit(0);
	}
	waitpid(child, NULL, 0);
	t = make_trace();
	integration(&t);
	storage(&t);
	trace_release(&t);
	sampling();
	return 0;
}
