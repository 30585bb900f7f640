/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc - the runner's end of one node: a child process that is sent requests and sends
 * answers and events, one JSON object per line.
 *
 * A request {"id": N, "do": VERB, ...} gets one answer with the same id, either
 * {"id": N, "ok": true, ...} or {"id": N, "ok": false, "error": TEXT}. Lines
 * {"event": NAME, ...} may stand between; {"event": "alive"} only says that the answer takes
 * its time. What the verbs mean is in node.h; how the node
 * is reached (ssh, a network namespace) is a prefix of words that this file does not
 * understand. One thread, and SIGPIPE must be ignored.
 */
#ifndef TESTBED_RPC_H
#define TESTBED_RPC_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/fail.h"
#include "lib/proc.h"

#define RPC_PROTOCOL          1
#define RPC_REQUEST_BYTES_MAX (1 << 20)   /* a CA certificate is a few KiB */
#define RPC_REPLY_BYTES_MAX   (256 << 20) /* a day's trace at 1 kHz does not fit, an hour's does */

struct rpc {
	char name[32]; /* for messages: "node server" */
	struct proc proc;
	struct proc_lines lines;
	json_t *events; /* those that came while an answer was awaited */
	int64_t last_id;
	/* To be set after rpc_start(), or NULL: signals that came. With one of them a silent node
	 * is not waited for as long, with two a call ends at once. */
	const volatile sig_atomic_t *signals;
	bool lost; /* it ended, or said something that is no answer: only rpc_stop() is left */
};

/*
 * Runs PREFIX PROGRAM node. prefix is split at blanks; an empty program is the one now
 * running. The child is in its own process group: a terminal's Ctrl-C does not reach it.
 */
int rpc_start(struct rpc *r, const char *name, const char *prefix, const char *program,
	      struct fail *f);

/*
 * One question, one answer. request is taken over; id is added to it. 0 and *reply (the
 * caller's to decref, may be NULL when not wanted), or -1: refused by the node, lost (EPIPE), or
 * ended by a second signal (EINTR). A node that says nothing at all for silence_ns is lost; one
 * that says that it is alive, or sends a long answer, may take longer.
 */
int rpc_call(struct rpc *r, json_t *request, int64_t silence_ns, json_t **reply, struct fail *f);

/*
 * The next event of any of the nodes: 1 with *who and *event (the caller's to decref), 0
 * when due_ns came first or a signal arrived, -1 when node *who is lost.
 */
int rpc_wait(struct rpc *const *nodes, int count, int64_t due_ns, int *who, json_t **event,
	     struct fail *f);

/* Forget events that were not asked for yet: they belong to a trial that is over. */
void rpc_drop_events(struct rpc *r);

/* Ends the node by closing its input; it is given grace_ns, then killed. Safe on a zeroed struct.
 */
void rpc_stop(struct rpc *r, int64_t grace_ns);

/* One object as one line to fd: for both ends. The object is not taken over. */
int rpc_send(int fd, const json_t *object, struct fail *f);

#endif
