/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler - the thread. It must not know what it samples, nor convert anything.
 *
 * With a period, reads are due on a grid from the start; without one the meter itself waits
 * for its next value, and the grid is where that value was expected.
 */
#include "power/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/usage.h"

#define SPARE        64
#define SAMPLES_MOST (INT64_C(1) << 26)

struct sampler {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stopping; /* under the lock */
	struct meter *meter;
	int64_t period_ns; /* of the grid; 0: the meter's own pace */
	struct trace trace;
	struct fail fail;
	size_t taken, total; /* under the lock: of the trace's samples; ever */
	bool failed, over;   /* under the lock */
};

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

/* Until due_ns, or until the sampler is to stop, which is what is returned. */
static bool wait_until(struct sampler *s, int64_t due_ns)
{
	struct timespec due = to_timespec(due_ns);
	bool stopping;

	pthread_mutex_lock(&s->lock);
	while (!s->stopping && due_ns > 0 &&
	       pthread_cond_timedwait(&s->wake, &s->lock, &due) != ETIMEDOUT)
		continue;
	stopping = s->stopping;
	pthread_mutex_unlock(&s->lock);
	return stopping;
}

/* Whole microseconds: the stamps' own jitter is larger, and the trace halves in size. */
static void round_stamps(struct sample *s)
{
	s->before_ns -= s->before_ns % NS_PER_US;
	s->after_ns -= s->after_ns % NS_PER_US;
}

/* A read that began at `at` where `due` was the time: late by half a period or more? */
static void note_lateness(struct sampler *s, struct sample *sample, int64_t due_ns, int64_t at_ns,
			  int64_t period_ns)
{
	if (period_ns <= 0 || at_ns - due_ns <= period_ns / 2)
		return;
	sample->flags |= SAMPLE_LATE;
	s->trace.late++;
}

int64_t sampler_next_due(int64_t due_ns, int64_t now_ns, int64_t period_ns, int64_t *lost)
{
	int64_t behind_ns;

	due_ns += period_ns;
	behind_ns = now_ns - due_ns;
	if (behind_ns >= 0) {
		int64_t skipped = behind_ns / period_ns + 1;

		*lost += skipped;
		due_ns += skipped * period_ns;
	}
	return due_ns;
}

/* At the meter's own pace: values that never came between this one and the one before. */
static void note_pace(struct sampler *s, struct sample *sample, int64_t last_ns)
{
	int64_t period_ns = s->trace.facts.period_ns, step_ns = sample->before_ns - last_ns;

	if (period_ns <= 0 || last_ns == 0)
		return;
	note_lateness(s, sample, last_ns + period_ns, sample->before_ns, period_ns);
	if (step_ns > period_ns * 7 / 4)
		s->trace.lost += (step_ns + period_ns / 4) / period_ns - 1;
}

/* 0, 1 no more readings, -1 */
static int take(struct sampler *s, struct sample *sample)
{
	int status = s->meter->ops->read(s->meter, sample);

	if (status < 0)
		s->fail = s->meter->fail;
	return status;
}

static int keep(struct sampler *s, struct sample *sample)
{
	int err;

	round_stamps(sample);
	pthread_mutex_lock(&s->lock);
	err = trace_add(&s->trace, sample);
	pthread_mutex_unlock(&s->lock);
	if (err == 0)
		return 0;
	return fail_set(&s->fail, ENOMEM, "no memory for more samples after %zu", s->trace.count);
}

static int run_grid(struct sampler *s)
{
	int64_t due_ns = clock_ns();
	struct sample sample;
	int status;

	while (!wait_until(s, due_ns)) {
		int64_t at_ns = clock_ns();

		status = take(s, &sample);
		if (status != 0)
			return status < 0 ? -1 : 0;
		note_lateness(s, &sample, due_ns, at_ns, s->period_ns);
		if (keep(s, &sample) != 0)
			return -1;
		due_ns = sampler_next_due(due_ns, clock_ns(), s->period_ns, &s->trace.lost);
	}
	return 0;
}

static int run_pace(struct sampler *s)
{
	int64_t last_ns = 0;
	struct sample sample;
	int status;

	while (!wait_until(s, 0)) {
		status = take(s, &sample);
		if (status != 0)
			return status < 0 ? -1 : 0;
		note_pace(s, &sample, last_ns);
		last_ns = sample.before_ns;
		if (keep(s, &sample) != 0)
			return -1;
	}
	return 0;
}

static void *sampler_thread(void *data)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct sampler *s = data;
	int64_t cpu_ns = usage_thread_cpu_ns();
	bool failed;

	pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
	/* The default slack of 50 us would be most of the jitter. */
	prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
	failed = (s->period_ns > 0 ? run_grid(s) : run_pace(s)) != 0;
	pthread_mutex_lock(&s->lock);
	s->failed = failed;
	s->over = true;
	s->trace.cpu_ns = usage_thread_cpu_ns() - cpu_ns;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static int prepare(struct sampler *s, int64_t expected_ns, struct fail *f)
{
	struct meter_facts facts = s->meter->facts;
	pthread_condattr_t attr;
	int64_t samples = SPARE;

	/* A grid finer than the meter's values would only count deadlines nobody can meet. */
	if (s->period_ns < facts.period_ns)
		s->period_ns = 0;
	/* What is sampled less often than the meter could is that far apart. */
	if (s->period_ns > facts.period_ns)
		facts.period_ns = s->period_ns;
	if (facts.period_ns > 0)
		samples += expected_ns / facts.period_ns + expected_ns / facts.period_ns / 8;
	if (samples > SAMPLES_MOST)
		samples = SAMPLES_MOST;
	if (trace_init(&s->trace, &facts, (size_t)samples) != 0)
		return fail_set(f, ENOMEM, "no memory for %lld samples", (long long)samples);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

static void sampler_free(struct sampler *s)
{
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	trace_release(&s->trace);
	free(s);
}

struct sampler *sampler_start(struct meter *m, int64_t period_ns, int64_t expected_ns,
			      struct fail *f)
{
	struct sampler *s = calloc(1, sizeof *s);
	int err;

	if (s == NULL || period_ns < 0 || expected_ns < 0) {
		fail_set(f, s ? EINVAL : ENOMEM, s ? "a negative period or length" : "no memory");
		free(s);
		return NULL;
	}
	s->meter = m;
	s->period_ns = period_ns;
	if (prepare(s, expected_ns, f) != 0) {
		free(s);
		return NULL;
	}
	err = pthread_create(&s->thread, NULL, sampler_thread, s);
	if (err != 0) {
		fail_set(f, err, "cannot start the sampling thread: %s", strerror(err));
		sampler_free(s);
		return NULL;
	}
	return s;
}

bool sampler_over(struct sampler *s)
{
	bool over;

	pthread_mutex_lock(&s->lock);
	over = s->over;
	pthread_mutex_unlock(&s->lock);
	return over;
}

/* What was taken is dropped only when that empties the trace or makes room: copies stay rare. */
static void drop_taken(struct sampler *s)
{
	struct trace *t = &s->trace;
	size_t left = t->count - s->taken;

	if (left > 0 && t->count < t->cap / 2)
		return;
	memmove(t->sample, t->sample + s->taken, left * sizeof *t->sample);
	t->count = left;
	s->taken = 0;
}

size_t sampler_take(struct sampler *s, struct sample *dst, size_t most)
{
	size_t count;

	pthread_mutex_lock(&s->lock);
	count = s->trace.count - s->taken;
	if (count > most)
		count = most;
	if (count > 0) {
		memcpy(dst, s->trace.sample + s->taken, count * sizeof *dst);
		s->taken += count;
		drop_taken(s);
	}
	pthread_mutex_unlock(&s->lock);
	return count;
}

const struct meter_facts *sampler_facts(const struct sampler *s)
{
	return &s->trace.facts;
}

int sampler_stop(struct sampler *s, struct trace *out, struct fail *f)
{
	int result = 0;

	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	if (s->failed)
		result = fail_set(f, s->fail.code, "%s", s->fail.text);
	if (s->taken > 0) {
		s->trace.count -= s->taken;
		memmove(s->trace.sample, s->trace.sample + s->taken,
			s->trace.count * sizeof *s->trace.sample);
	}
	*out = s->trace;
	s->trace = (struct trace){ 0 };
	sampler_free(s);
	return result;
}
