/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched - process CPU clocks added up. It must not know watts.
 */
#include "power/watched.h"

#include <string.h>

#include "lib/usage.h"

void watched_init(struct watched *w)
{
	memset(w, 0, sizeof *w);
	pthread_mutex_init(&w->lock, NULL);
}

void watched_release(struct watched *w)
{
	pthread_mutex_destroy(&w->lock);
}

static void collect(struct watched *w)
{
	for (int i = 0; i < w->count; i++) {
		int64_t now_ns = usage_process_cpu_ns(w->pid[i]);

		if (now_ns <= w->last_ns[i])
			continue;
		w->total_ns += now_ns - w->last_ns[i];
		w->last_ns[i] = now_ns;
	}
}

/* What this process had used when the set was made, kept over the change of sets. */
static int64_t base_ns(const struct watched *w, pid_t pid)
{
	for (int i = 0; i < w->count; i++)
		if (w->pid[i] == pid)
			return w->last_ns[i];
	return usage_process_cpu_ns(pid);
}

/* A process named twice counts once. */
static void add(struct watched *w, pid_t pid, int64_t cpu_ns)
{
	for (int i = 0; i < w->count; i++)
		if (w->pid[i] == pid)
			return;
	w->pid[w->count] = pid;
	w->last_ns[w->count++] = cpu_ns;
}

int watched_set(struct watched *w, const pid_t *pids, int count)
{
	int64_t base[WATCHED_MAX];
	int result = -1;

	if (count < 0 || count > WATCHED_MAX)
		return -1;
	pthread_mutex_lock(&w->lock);
	collect(w);
	for (int i = 0; i < count; i++) {
		base[i] = base_ns(w, pids[i]);
		if (base[i] < 0)
			goto out;
	}
	w->count = 0;
	for (int i = 0; i < count; i++)
		add(w, pids[i], base[i]);
	result = 0;
out:
	pthread_mutex_unlock(&w->lock);
	return result;
}

int64_t watched_cpu_ns(void *watched)
{
	struct watched *w = watched;
	int64_t total_ns;

	pthread_mutex_lock(&w->lock);
	collect(w);
	total_ns = w->total_ns;
	pthread_mutex_unlock(&w->lock);
	return total_ns;
}
