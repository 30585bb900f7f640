/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_usage - a thread that reads CPU clocks.
 *
 * One point costs a system call per process; at a hundred a second that is below a
 * thousandth of one slow CPU, and the thread counts its own share.
 */
#include "testbed/node_usage.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/usage.h"

#define GRID_NS       (10 * NS_PER_MS)
#define POINTS_MAX    65536 /* 1 MiB: eleven minutes before the grid doubles */
#define PROCESSES_MAX 512

struct process {
	pid_t pid;
	int64_t cpu_ns; /* as last seen */
	bool gone;
};

struct node_usage {
	pthread_t thread;
	bool running;
	atomic_bool stop;
	atomic_int processes; /* the thread reads the first so many */
	struct process process[PROCESSES_MAX];
	int64_t grid_ns, own_cpu_ns;
	size_t count;
	struct usage_point point[POINTS_MAX];
};

int64_t usage_points_at(const struct usage_point *p, size_t count, int64_t at_ns)
{
	size_t low = 0, high = count;
	double share;

	if (!count || at_ns < p[0].at_ns || at_ns > p[count - 1].at_ns)
		return -1;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (p[middle].at_ns <= at_ns)
			low = middle;
		else
			high = middle;
	}
	if (low + 1 == count)
		return p[low].cpu_ns;
	share = (double)(at_ns - p[low].at_ns) / (double)(p[low + 1].at_ns - p[low].at_ns);
	return p[low].cpu_ns + (int64_t)(share * (double)(p[low + 1].cpu_ns - p[low].cpu_ns));
}

size_t usage_points_halve(struct usage_point *p, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (i % 2 == 0 || i + 1 == count)
			p[kept++] = p[i];
	return kept;
}

static int64_t read_all(struct node_usage *u)
{
	int processes = atomic_load(&u->processes);
	int64_t sum_ns = 0, cpu_ns;

	for (int i = 0; i < processes; i++) {
		struct process *p = &u->process[i];

		cpu_ns = p->gone ? -1 : usage_process_cpu_ns(p->pid);
		if (cpu_ns >= p->cpu_ns)
			p->cpu_ns = cpu_ns;
		else
			p->gone = true; /* its number may come again: never look twice */
		sum_ns += p->cpu_ns;
	}
	return sum_ns;
}

static void take_point(struct node_usage *u)
{
	int64_t before_ns = clock_ns();
	int64_t cpu_ns = read_all(u);
	int64_t at_ns = before_ns + (clock_ns() - before_ns) / 2;

	if (u->count && u->point[u->count - 1].at_ns >= at_ns)
		return;
	if (u->count == POINTS_MAX) {
		u->count = usage_points_halve(u->point, u->count);
		u->grid_ns *= 2;
	}
	u->point[u->count++] = (struct usage_point){ at_ns, cpu_ns };
}

static void *watch_thread(void *data)
{
	struct node_usage *u = data;
	int64_t due_ns = clock_ns();

	while (!atomic_load(&u->stop)) {
		take_point(u);
		due_ns += u->grid_ns;
		if (due_ns < clock_ns()) /* it was held up: the grid starts anew */
			due_ns = clock_ns();
		clock_sleep_until(due_ns);
	}
	take_point(u);
	u->own_cpu_ns = usage_thread_cpu_ns();
	return NULL;
}

struct node_usage *node_usage_start(struct fail *f)
{
	struct node_usage *u = calloc(1, sizeof(*u));
	int code;

	if (!u) {
		fail_set(f, ENOMEM, "no memory to keep CPU times");
		return NULL;
	}
	u->grid_ns = GRID_NS;
	explicit_bzero(u->point, sizeof(u->point)); /* its pages are there before a window opens */
	take_point(u); /* what comes after this call is seen, however late the thread starts */
	code = pthread_create(&u->thread, NULL, watch_thread, u);
	if (code) {
		fail_set(f, code, "cannot start the thread that reads CPU times: %s",
			 strerror(code));
		free(u);
		return NULL;
	}
	u->running = true;
	return u;
}

int node_usage_watch(struct node_usage *u, pid_t pid, struct fail *f)
{
	int count = atomic_load(&u->processes);

	if (count == PROCESSES_MAX)
		return fail_set(f, ENOSPC, "more than %d processes to watch", PROCESSES_MAX);
	u->process[count] = (struct process){ .pid = pid };
	atomic_store(&u->processes, count + 1);
	return 0;
}

void node_usage_stop(struct node_usage *u)
{
	if (!u->running)
		return;
	atomic_store(&u->stop, true);
	pthread_join(u->thread, NULL);
	u->running = false;
}

int64_t node_usage_between(const struct node_usage *u, int64_t from_ns, int64_t to_ns)
{
	int64_t from_cpu_ns = usage_points_at(u->point, u->count, from_ns);
	int64_t to_cpu_ns = usage_points_at(u->point, u->count, to_ns);

	return from_cpu_ns < 0 || to_cpu_ns < from_cpu_ns ? -1 : to_cpu_ns - from_cpu_ns;
}

int64_t node_usage_own_cpu_ns(const struct node_usage *u)
{
	return u->own_cpu_ns;
}

void node_usage_free(struct node_usage *u)
{
	if (!u)
		return;
	node_usage_stop(u);
	free(u);
}
