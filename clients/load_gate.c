/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_gate - the window of a run opens with its first thread and closes with its last.
 */
#include "clients/load_gate.h"

#include "lib/clock.h"

void load_gate_init(struct load_gate *g, const struct load_params *p, int threads)
{
	*g = (struct load_gate){ .p = p, .threads = threads, .before = threads };
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->met, NULL);
}

void load_gate_release(struct load_gate *g)
{
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->met);
}

int load_gate_meet(struct load_gate *g)
{
	int code;

	pthread_mutex_lock(&g->lock);
	g->ready++;
	pthread_cond_broadcast(&g->met);
	while (g->ready < g->threads && !g->fail.code)
		pthread_cond_wait(&g->met, &g->lock);
	code = g->fail.code;
	pthread_mutex_unlock(&g->lock);
	return code ? -1 : 0;
}

static void say(const struct load_gate *g, enum load_phase phase, int64_t at_ns)
{
	if (g->p->on_phase)
		g->p->on_phase(g->p->data, phase, at_ns);
}

static void say_once(const struct load_gate *g, bool *said, enum load_phase phase, int64_t at_ns)
{
	if (*said)
		return;
	*said = true;
	say(g, phase, at_ns);
}

static void say_closed(struct load_gate *g)
{
	if (g->opened && !g->before && !g->inside)
		say_once(g, &g->closed, LOAD_DRAIN, g->closed_ns);
}

int64_t load_gate_enter(struct load_gate *g, enum load_phase phase)
{
	int64_t now_ns;

	pthread_mutex_lock(&g->lock);
	now_ns = clock_ns();
	if (phase == LOAD_WARMUP) {
		say_once(g, &g->warm_said, LOAD_WARMUP, now_ns);
	} else if (phase == LOAD_WINDOW) {
		g->before--;
		g->inside++;
		say_once(g, &g->opened, LOAD_WINDOW, now_ns);
	} else {
		g->inside--;
		g->closed_ns = now_ns;
		say_closed(g);
	}
	pthread_mutex_unlock(&g->lock);
	return now_ns;
}

void load_gate_leave(struct load_gate *g, bool opened)
{
	pthread_mutex_lock(&g->lock);
	if (!opened) {
		g->before--;
		say_closed(g);
	}
	pthread_mutex_unlock(&g->lock);
}

void load_gate_fail(struct load_gate *g, const struct fail *why)
{
	pthread_mutex_lock(&g->lock);
	if (!g->fail.code)
		g->fail = *why;
	atomic_store(&g->stop, true);
	pthread_cond_broadcast(&g->met);
	pthread_mutex_unlock(&g->lock);
}
