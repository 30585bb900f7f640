/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_team - the threads of a run, and one result of theirs.
 *
 * Nothing is shared inside a window: each thread has its loop, its TLS domain, its clients and
 * its histograms, and holds every threads-th start of the schedule.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "clients/load_worker.h"

struct member {
	struct load_worker worker;
	struct load_result r;
	pthread_t thread;
};

static void *member_run(void *data)
{
	struct member *m = data;

	load_worker_run(&m->worker);
	return NULL;
}

/* Signals are the first thread's to take: its loop wakes for them. */
static int start_member(struct member *m)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&m->thread, NULL, member_run, m);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

static int prepare(struct member *all, int threads, struct load_gate *gate,
		   const struct load_target *target, struct fail *f)
{
	for (int i = 0; i < threads; i++) {
		all[i].worker = (struct load_worker){ .gate = gate,
						      .target = target,
						      .index = i,
						      .threads = threads,
						      .r = &all[i].r };
		if (load_result_init(&all[i].r))
			return fail_set(f, ENOMEM, "no memory for the result of thread %d", i + 1);
	}
	return 0;
}

/* The caller's thread is the first of them. */
static void run_members(struct member *all, int threads, struct load_gate *gate)
{
	struct fail why = { 0 };
	int started = 1, code = 0;

	while (started < threads && !code) {
		code = start_member(&all[started]);
		started += !code;
	}
	if (code) {
		fail_set(&why, code, "cannot start a thread: %s", strerror(code));
		load_gate_fail(gate, &why);
	}
	load_worker_run(&all[0].worker);
	for (int i = 1; i < started; i++)
		pthread_join(all[i].thread, NULL);
}

int load_run(const struct load_params *p, struct load_result *r, struct fail *f)
{
	int threads = p->threads > 1 ? p->threads : 1;
	struct load_target target;
	struct load_gate gate;
	struct member *all;
	struct udp_stat before, after;
	struct fail ignored = { 0 };
	bool counted;
	int status = -1;

	if (load_target_find(&target, p, f))
		return -1;
	load_gate_init(&gate, p, threads);
	all = calloc((size_t)threads, sizeof(*all));
	if (!all) {
		fail_set(f, ENOMEM, "no memory for %d threads", threads);
		goto out;
	}
	if (prepare(all, threads, &gate, &target, f))
		goto out;
	counted = url_is_datagram(&p->url) && !udp_stat_read(&before, &ignored);
	run_members(all, threads, &gate);
	r->udp_known = counted && !udp_stat_read(&after, &ignored);
	if (r->udp_known)
		r->udp = udp_stat_since(&after, &before);
	r->complete = true;
	for (int i = 0; i < threads; i++)
		load_result_merge(r, &all[i].r);
	status = gate.fail.code ? fail_set(f, gate.fail.code, "%s", gate.fail.text) : 0;
out:
	for (int i = 0; all && i < threads; i++)
		load_result_release(&all[i].r);
	free(all);
	load_gate_release(&gate);
	return status;
}
