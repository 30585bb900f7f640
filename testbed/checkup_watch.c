/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkup_watch - what a machine does while this process only sleeps and looks at the clock.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ciphers/engine.h"
#include "lib/clock.h"
#include "lib/usage.h"
#include "testbed/checkup.h"
#include "testbed/environment.h"

#define NAP_NS      NS_PER_MS
#define CLOCK_READS 1000

struct process {
	pid_t pid;
	int64_t ticks, began; /* of CPU; when it began, in ticks since the boot */
	char name[32];
};

struct processes {
	struct process *one;
	size_t count, room;
};

/* proc_pid_stat(5): the name is in parentheses and may hold any; the times are 14, 15 and 22. */
static bool read_process(const char *root, const char *pid, struct process *p)
{
	char path[512], line[1024], *open, *close;
	int64_t user, system;
	FILE *in;
	bool got;

	snprintf(path, sizeof(path), "%s/proc/%s/stat", root, pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	got = fgets(line, sizeof(line), in) != NULL;
	fclose(in);
	open = got ? strchr(line, '(') : NULL;
	close = got ? strrchr(line, ')') : NULL;
	if (!open || !close || close < open)
		return false;
	p->pid = (pid_t)strtol(line, NULL, 10);
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(close - open - 1), open + 1);
	if (sscanf(close + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNd64 " %" SCNd64
		   " %*d %*d %*d %*d %*d %*d %" SCNd64,
		   &user, &system, &p->began) != 3)
		return false;
	p->ticks = user + system;
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int list_processes(const char *root, struct processes *all, struct fail *f)
{
	struct dirent *entry;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	if (!dir)
		return fail_set(f, errno, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (all->count == all->room) {
			size_t room = all->room ? 2 * all->room : 256;
			struct process *grown = reallocarray(all->one, room, sizeof(*grown));

			if (!grown) {
				closedir(dir);
				return fail_set(f, ENOMEM, "no memory for a list of processes");
			}
			all->one = grown;
			all->room = room;
		}
		all->count += read_process(root, entry->d_name, &all->one[all->count]);
	}
	closedir(dir);
	qsort(all->one, all->count, sizeof(*all->one), by_pid);
	return 0;
}

/* Into its place among the busiest. */
static void rank(struct checkup_view *v, const struct process *p, double cpus)
{
	int at = v->processes;

	while (at > 0 && v->busiest[at - 1].cpus < cpus)
		at--;
	if (at == CHECKUP_BUSIEST)
		return;
	v->processes += v->processes < CHECKUP_BUSIEST;
	for (int i = v->processes - 1; i > at; i--)
		v->busiest[i] = v->busiest[i - 1];
	v->busiest[at] = (struct checkup_process){ .pid = p->pid, .cpus = cpus };
	snprintf(v->busiest[at].name, sizeof(v->busiest[at].name), "%s", p->name);
}

static void rank_all(struct checkup_view *v, const struct processes *before,
		     const struct processes *after)
{
	double per_tick = 1e9 / (double)sysconf(_SC_CLK_TCK) / (double)v->watched_ns;

	for (size_t i = 0; i < after->count; i++) {
		const struct process *p = &after->one[i], *was = NULL;
		int64_t ticks = p->ticks;

		if (before->count)
			was = bsearch(p, before->one, before->count, sizeof(*p), by_pid);
		if (was && was->began == p->began)
			ticks -= was->ticks;
		if (ticks > 0 && p->pid != getpid())
			rank(v, p, (double)ticks * per_tick);
	}
}

/* pswpin and pswpout of /proc/vmstat together; -1 where they are not. */
static int64_t pages_swapped(const char *root)
{
	char path[512], line[256];
	int64_t value, sum = -1;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/vmstat", root);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "pswpin %" SCNd64, &value) == 1 ||
		    sscanf(line, "pswpout %" SCNd64, &value) == 1)
			sum = (sum < 0 ? 0 : sum) + value;
	if (in)
		fclose(in);
	return sum;
}

static int64_t clock_read_ns(void)
{
	int64_t begin = clock_ns(), end = begin;

	for (int i = 0; i < CLOCK_READS; i++)
		end = clock_ns();
	return (end - begin) / CLOCK_READS;
}

static bool may_run_first(void)
{
	const struct sched_param first = { .sched_priority = 1 }, usual = { 0 };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) != 0)
		return false;
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
	return true;
}

static void nap(struct checkup_view *v, int64_t until_ns)
{
	for (int64_t now = clock_ns(); now < until_ns; now = clock_ns()) {
		clock_sleep_until(now + NAP_NS);
		hist_add(&v->late, clock_ns() - now - NAP_NS);
	}
}

static int describe_builds(struct checkup_view *v)
{
	size_t count = 0;
	char **text;

	while (engines[count])
		count++;
	text = calloc(count + 1, sizeof(*text));
	v->builds = (const char *const *)text;
	for (size_t i = 0; text && i < count; i++)
		if (asprintf(&text[i], "%s: %s", engines[i]->name, engines[i]->build()) < 0) {
			text[i] = NULL;
			return -1;
		}
	return text ? 0 : -1;
}

int checkup_watch(struct checkup_view *v, int64_t for_ns, struct fail *f)
{
	struct processes before = { 0 }, after = { 0 };
	struct rlimit files;
	int64_t began_ns, own_ns, swapped;
	int status = -1;

	if (hist_init(&v->late) || describe_builds(v)) {
		fail_set(f, ENOMEM, "no memory to watch this machine");
		goto out;
	}
	v->files_max = getrlimit(RLIMIT_NOFILE, &files) ? 0 : (int64_t)files.rlim_max;
	v->realtime = may_run_first();
	v->clock_read_ns = clock_read_ns();
	if (list_processes(v->root, &before, f))
		goto out;
	swapped = pages_swapped(v->root);
	v->before = environment_state(v->root);
	own_ns = usage_self_cpu_ns();
	began_ns = clock_ns();
	nap(v, began_ns + for_ns);
	v->watched_ns = clock_ns() - began_ns;
	v->own_cpus = (double)(usage_self_cpu_ns() - own_ns) / (double)v->watched_ns;
	v->after = environment_state(v->root);
	v->pages_swapped = swapped < 0 ? -1 : pages_swapped(v->root) - swapped;
	if (list_processes(v->root, &after, f))
		goto out;
	rank_all(v, &before, &after);
	status = 0;
out:
	free(before.one);
	free(after.one);
	return status;
}

void checkup_release(struct checkup_view *v)
{
	for (int i = 0; v->builds && v->builds[i]; i++)
		free((char *)(uintptr_t)v->builds[i]);
	free((void *)(uintptr_t)v->builds);
	json_decref(v->before);
	json_decref(v->after);
	hist_release(&v->late);
	*v = (struct checkup_view){ 0 };
}
