/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_worker - one loop and the phases.
 *
 * A peer reports each exchange when it is over; where that counts is decided by the tally, and
 * whether its client goes on by load_issue. Peers are idle, or have one exchange open.
 */
#include "clients/load_worker.h"

#include <errno.h>
#include <unistd.h>

#include "clients/dgram_peer.h"
#include "clients/load_issue.h"
#include "clients/load_tally.h"
#include "lib/clock.h"
#include "lib/usage.h"

/* How often the driver looks at the stop flag and at hopeless runs. */
#define TICK_NS INT64_C(50000000)

struct load {
	const struct load_params *p;
	const struct load_worker *w;
	struct load_gate *gate;
	struct load_result *r;
	struct load_setup setup;
	struct load_tally tally;
	struct load_issue issue;
	int64_t tick_due_ns, turn_due_ns;
	int64_t cpu_from_ns;
	struct loop_timer start, tick, turn; /* turn: the next change of phase */
	struct loop_io input;
};

/* --- phases --------------------------------------------------------------- */

static int64_t enter(struct load *l, enum load_phase phase)
{
	l->tally.phase = phase;
	return load_gate_enter(l->gate, phase);
}

static void finish(struct load *l)
{
	l->issue.over = true;
	loop_stop(l->setup.loop);
}

static void turn_at(struct load *l, int64_t due_ns)
{
	l->turn_due_ns = due_ns;
	loop_timer_at(&l->turn, due_ns);
}

static void close_window(struct load *l)
{
	l->r->cpu_ns = l->r->cpu_busiest_ns = usage_thread_cpu_ns() - l->cpu_from_ns;
	l->r->window_to_ns = enter(l, LOAD_DRAIN);
}

/* End before the count or the clock said so. */
static void cut_short(struct load *l)
{
	l->r->complete = false;
	if (l->tally.phase == LOAD_WINDOW)
		close_window(l);
	finish(l);
}

static void open_window(struct load *l)
{
	l->r->window_from_ns = enter(l, LOAD_WINDOW);
	l->cpu_from_ns = usage_thread_cpu_ns();
	if (l->p->duration_ns)
		turn_at(l, l->r->window_from_ns + l->p->duration_ns);
	load_issue_window(&l->issue);
}

static void on_turn(struct loop_timer *t)
{
	struct load *l = t->data;

	load_tally_late(&l->tally, clock_ns() - l->turn_due_ns);
	if (l->tally.phase == LOAD_WARMUP) {
		open_window(l);
		return;
	}
	if (l->tally.phase == LOAD_DRAIN) {
		finish(l);
		return;
	}
	close_window(l);
	load_issue_drain(&l->issue);
	if (l->issue.open)
		turn_at(l, l->r->window_to_ns + LOAD_DRAIN_NS);
	else
		finish(l);
}

/* --- what peers report ----------------------------------------------------- */

/* CoAP 4.29 and 5.03 say when to come again (RFC 8516, RFC 7252 section 5.9.3.4). */
static int64_t free_ns(const struct load *l, const struct peer *p)
{
	const struct exchange *x = &p->exchange;
	bool told = x->status == 429 || x->status == 503;

	if (l->p->obey_max_age && told)
		return clock_ns() + x->max_age_s * NS_PER_S;
	return clock_ns() + arrival_pause_ns(p->failures);
}

static void on_end(void *data, struct peer *p)
{
	struct load *l = data;
	const struct exchange *x = &p->exchange;

	l->issue.open--;
	load_tally_add(&l->tally, x, &p->fail, load_issue_account(&l->issue, p));
	if (l->p->stamps)
		stamps_exchange(&l->setup.stamps, p);
	if (x->end == EXCHANGE_OK && l->r->total.succeeded == 1)
		atomic_store(&l->gate->succeeded, true);
	if (l->issue.over)
		return;
	if (load_tally_is_full(&l->tally)) {
		close_window(l);
		finish(l);
	} else if (l->tally.phase == LOAD_DRAIN && !l->issue.open) {
		finish(l);
	} else {
		load_issue_next(&l->issue, p, free_ns(l, p));
	}
}

static int on_secured(void *data, const struct tls_facts *facts)
{
	struct load *l = data;
	struct tls_facts *first = &l->r->facts;
	struct fail why = { 0 };

	if (atomic_load(&l->gate->stop))
		return -1;
	if (load_facts_check(l->p, facts, &why)) {
		load_gate_fail(l->gate, &why);
		cut_short(l);
		return -1;
	}
	if (l->r->associations++ == 0)
		*first = *facts;
	l->r->facts_mixed += facts->version != first->version ||
			     facts->cipher_id != first->cipher_id ||
			     (!facts->resumed && facts->group_id != first->group_id);
	return 0;
}

/* --- the rest of the loop ------------------------------------------------- */

static void on_start(struct loop_timer *t)
{
	struct load *l = t->data;

	if (l->p->stamps)
		stamps_start(&l->setup.stamps, l->setup.loop);
	load_issue_start(&l->issue, enter(l, LOAD_WARMUP));
	/* From here, not from each thread's set-up: only then do their turns interleave. */
	pacer_init(&l->setup.env.connects, l->p->connection_rate_per_s, l->issue.started_ns,
		   l->w->index, l->w->threads);
	if (l->p->warmup_ns)
		turn_at(l, l->issue.started_ns + l->p->warmup_ns);
	else
		open_window(l);
	load_issue_join(&l->issue);
	l->tick_due_ns = l->issue.started_ns + TICK_NS;
	loop_timer_at(&l->tick, l->tick_due_ns);
}

static bool is_hopeless(const struct load *l, int64_t now_ns)
{
	const struct load_counters *all = &l->r->total;

	return !atomic_load(&l->gate->succeeded) &&
	       now_ns - l->issue.started_ns >= LOAD_HOPELESS_NS &&
	       all->failed + all->timed_out >= l->setup.peers_count;
}

static void on_tick(struct loop_timer *t)
{
	struct load *l = t->data;
	int64_t now_ns = clock_ns();

	load_tally_late(&l->tally, now_ns - l->tick_due_ns);
	if ((l->p->stop && *l->p->stop) || atomic_load(&l->gate->stop)) {
		cut_short(l);
		return;
	}
	if (is_hopeless(l, now_ns)) {
		l->r->hopeless = true;
		atomic_store(&l->gate->stop, true);
		cut_short(l);
		return;
	}
	l->tick_due_ns = now_ns + TICK_NS;
	loop_timer_at(t, l->tick_due_ns);
}

static void on_input(struct loop_io *io, int events)
{
	struct load *l = io->data;
	char ignored[256];
	ssize_t n = read(io->fd, ignored, sizeof(ignored));

	(void)events;
	if (n > 0)
		return;
	loop_io_want(io, 0);
	atomic_store(&l->gate->stop, true);
	cut_short(l);
}

static void arm(struct load *l)
{
	struct loop *loop = l->setup.loop;

	l->setup.env.on_secured = on_secured;
	l->setup.env.on_end = on_end;
	l->setup.env.data = l;
	loop_timer_init(&l->start, loop, on_start, l);
	loop_timer_init(&l->tick, loop, on_tick, l);
	loop_timer_init(&l->turn, loop, on_turn, l);
	loop_timer_at(&l->start, 0);
	if (!l->p->watch_stdin || l->w->index)
		return;
	loop_io_init(&l->input, loop, STDIN_FILENO, on_input, l);
	loop_io_want(&l->input, LOOP_READ);
}

static void close_client(struct load *l, struct peer *p)
{
	peer_close(p, &l->r->total);
	l->r->clients_tried += p->tried_before;
	l->r->clients_connected += p->made_before;
}

/* What is still open was in flight; then every association ends politely. */
static void close_all(struct load *l)
{
	for (int i = 0; i < l->setup.peers_count; i++) {
		struct peer *p = &l->setup.peers[i];

		peer_abandon(p);
		close_client(l, p);
	}
	for (int i = 0; i < l->setup.carriers_count; i++) {
		struct peer *carrier = &l->setup.carriers[i];

		/* One that is open has nothing left to abandon. */
		if (carrier->state != PEER_ASKING)
			peer_abandon(carrier);
		close_client(l, carrier);
	}
}

static void measure(struct load *l)
{
	bool idle; /* more threads than requests */
	struct fail why = { 0 };

	load_issue_init(&l->issue, l->p, &l->setup, &l->tally, l->w->index);
	l->tally = (struct load_tally){
		.r = l->r,
		.count = l->p->count_each ? l->p->count_each * load_setup_clients(&l->setup)
					  : load_share(l->p->count, l->w->threads, l->w->index),
		.scheduled = l->issue.arrival.ops->open,
		.slots = l->p->californium,
	};
	idle = l->p->count && !l->tally.count;
	l->r->complete = true;
	if (!idle) {
		arm(l);
		loop_run(l->setup.loop);
		stamps_stop(&l->setup.stamps);
		close_all(l);
		load_issue_count_unstarted(&l->issue);
	}
	if (l->setup.env.dgram)
		l->r->receive_granted_bytes = l->setup.env.dgram->receive_granted_bytes;
	if (stamps_close(&l->setup.stamps, &why))
		load_gate_fail(l->gate, &why);
	load_gate_leave(l->gate, l->r->window_from_ns > 0);
}

void load_worker_run(const struct load_worker *w)
{
	struct load l = { .p = w->gate->p, .w = w, .gate = w->gate, .r = w->r };
	struct fail why = { 0 }, no_memory = { ENOMEM, "no memory for the accounts of clients" };

	if (load_setup_open(&l.setup, l.p, w->target, w->index, &why))
		load_gate_fail(w->gate, &why);
	else if (load_result_clients(w->r, load_setup_clients(&l.setup)))
		load_gate_fail(w->gate, &no_memory);
	if (!load_gate_meet(w->gate))
		measure(&l);
	if (l.setup.asker_is_open)
		load_setup_stages(&l.setup, &w->r->stages);
	load_setup_release(&l.setup);
}
