/* SPDX-License-Identifier: Apache-2.0 */
/* load_issue - the schedule handed out to clients, taken back where a phase ends before it. */
#include "clients/load_issue.h"

#include "lib/clock.h"

struct fairness_client *load_issue_account(const struct load_issue *i, const struct peer *p)
{
	int number = (int)(p - i->setup->peers);

	return &i->tally->r->each[i->p->streams > 1 ? number / i->p->streams : number];
}

static bool in_window(const struct load_issue *i)
{
	return i->tally->phase == LOAD_WINDOW;
}

static void begin(struct load_issue *i, struct peer *p, int64_t due_ns, int64_t free_ns)
{
	i->issued += in_window(i);
	load_issue_account(i, p)->issued += in_window(i);
	i->open++;
	peer_begin(p, due_ns, free_ns);
}

static bool may_issue(const struct load_issue *i, const struct peer *p)
{
	if (i->p->count_each && in_window(i) &&
	    load_issue_account(i, p)->issued == i->p->count_each)
		return false;
	return !i->over && i->tally->phase != LOAD_DRAIN &&
	       !(in_window(i) && i->tally->count && i->issued == i->tally->count);
}

void load_issue_next(struct load_issue *i, struct peer *p, int64_t free_ns)
{
	if (may_issue(i, p))
		begin(i, p, i->arrival.ops->next_ns(&i->arrival, free_ns), free_ns);
}

/* Not from the schedule: the first of a closed loop's client, or one that was taken back. */
static void issue_at(struct load_issue *i, struct peer *p, int64_t due_ns)
{
	if (i->arrival.ops->open)
		load_issue_next(i, p, due_ns);
	else if (may_issue(i, p))
		begin(i, p, due_ns, due_ns);
}

/* Requests that would only have begun later: take them back, and count them anew if again. */
static void recall(struct load_issue *i, bool again)
{
	const struct load_result *r = i->tally->r;

	for (int n = 0; n < i->setup->peers_count; n++) {
		struct peer *p = &i->setup->peers[n];
		int64_t due_ns = p->exchange.due_ns, from_ns = r->window_from_ns;

		if (p->state != PEER_PAUSING)
			continue;
		peer_abandon(p);
		i->open--;
		if (again)
			issue_at(i, p,
				 due_ns > from_ns && !i->arrival.ops->open ? due_ns : from_ns);
		else
			i->tally->r->unstarted += i->arrival.ops->open && due_ns < r->window_to_ns;
	}
}

void load_issue_join(struct load_issue *i)
{
	int64_t window_from_ns = i->tally->r->window_from_ns;

	while (i->joined < i->setup->peers_count && !i->over) {
		int client = i->p->streams > 1 ? i->joined / i->p->streams : i->joined;
		int64_t due_ns = load_join_ns(i->p, i->index, client, i->started_ns);

		if (due_ns > clock_ns()) {
			loop_timer_at(&i->join, due_ns);
			return;
		}
		if (!i->p->ramp_ns || due_ns < window_from_ns)
			due_ns = i->p->ramp_ns ? window_from_ns : clock_ns();
		issue_at(i, &i->setup->peers[i->joined++], due_ns);
	}
}

static void on_join(struct loop_timer *t)
{
	load_issue_join(t->data);
}

void load_issue_init(struct load_issue *i, const struct load_params *p, struct load_setup *setup,
		     const struct load_tally *tally, int index)
{
	*i = (struct load_issue){ .p = p, .setup = setup, .tally = tally, .index = index };
	load_plan(&i->arrival, p, index);
	loop_timer_init(&i->join, setup->loop, on_join, i);
}

void load_issue_start(struct load_issue *i, int64_t started_ns)
{
	i->started_ns = started_ns;
	i->arrival.ops->restart(&i->arrival, started_ns);
}

void load_issue_window(struct load_issue *i)
{
	i->arrival.ops->restart(&i->arrival, i->tally->r->window_from_ns);
	recall(i, true);
}

void load_issue_drain(struct load_issue *i)
{
	recall(i, false);
}

void load_issue_count_unstarted(struct load_issue *i)
{
	struct load_result *r = i->tally->r;

	if (!i->arrival.ops->open || i->tally->count || !r->window_to_ns)
		return;
	while (i->arrival.ops->next_ns(&i->arrival, 0) < r->window_to_ns)
		r->unstarted++;
}
