/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_nodes - the world of a real run: two node processes and the monotonic clock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "testbed/rpc.h"
#include "testbed/runner.h"

#define GRACE_NS (15 * NS_PER_S) /* a node gives its own children ten seconds */

struct runner_nodes {
	const struct plan *plan;
	const volatile sig_atomic_t *signals;
	struct rpc rpc[RUNNER_NODES];
};

static int64_t world_now_ns(void *data)
{
	(void)data;
	return clock_ns();
}

static int world_call(void *data, enum runner_node who, json_t *request, int64_t silence_ns,
		      json_t **reply, struct fail *f)
{
	struct runner_nodes *n = data;
	const char *verb = json_string_value(json_object_get(request, "do"));
	bool over = !strcmp(verb, "stop");
	int status = rpc_call(&n->rpc[who], request, silence_ns, reply, f);

	if (over) /* what the children said before belongs to the trial that ends here */
		rpc_drop_events(&n->rpc[who]);
	return status;
}

static int world_wait(void *data, int64_t due_ns, enum runner_node *who, json_t **event,
		      struct fail *f)
{
	struct runner_nodes *n = data;
	struct rpc *const all[] = { &n->rpc[RUNNER_SERVER], &n->rpc[RUNNER_CLIENT] };
	int which = 0, got = rpc_wait(all, RUNNER_NODES, due_ns, &which, event, f);

	*who = which;
	return got;
}

static int start_node(struct runner_nodes *n, enum runner_node who, struct fail *f)
{
	const struct plan_node *node = who == RUNNER_SERVER ? &n->plan->server : &n->plan->client;
	char name[64];

	snprintf(name, sizeof(name), "%s node", runner_node_name[who]);
	if (rpc_start(&n->rpc[who], name, node->command, node->program, f))
		return -1;
	n->rpc[who].signals = n->signals;
	return 0;
}

static int world_restart(void *data, enum runner_node who, struct fail *f)
{
	struct runner_nodes *n = data;

	rpc_stop(&n->rpc[who], 0);
	return start_node(n, who, f);
}

struct runner_nodes *runner_nodes_start(const struct plan *p, const volatile sig_atomic_t *signals,
					struct runner_world *w, struct fail *f)
{
	struct runner_nodes *n = calloc(1, sizeof(*n));

	if (!n) {
		fail_set(f, ENOMEM, "no memory for the nodes");
		return NULL;
	}
	n->plan = p;
	n->signals = signals;
	*w = (struct runner_world){ n, world_now_ns, world_call, world_wait, world_restart };
	if (!start_node(n, RUNNER_SERVER, f) && !start_node(n, RUNNER_CLIENT, f))
		return n;
	runner_nodes_stop(n, true);
	return NULL;
}

void runner_nodes_stop(struct runner_nodes *n, bool hasty)
{
	if (!n)
		return;
	for (int i = 0; i < RUNNER_NODES; i++)
		rpc_stop(&n->rpc[i], hasty ? 0 : GRACE_NS);
	free(n);
}
