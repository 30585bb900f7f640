/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_child - a process that a node started: its lines, and the last words it said on
 * standard error, for the reason when it fails.
 */
#ifndef TESTBED_NODE_CHILD_H
#define TESTBED_NODE_CHILD_H

#include <stdbool.h>

#include "lib/proc.h"

/* Words of a command line, built one by one; what does not fit makes it `failed`. */
struct node_argv {
	char *word[64 + 1];
	int count;
	bool failed;
};
void node_argv_add(struct node_argv *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void node_argv_release(struct node_argv *a);

struct node_child {
	char name[32]; /* "server" */
	struct proc proc;
	struct proc_lines lines;
	char said[512]; /* the end of its standard error */
};

/* Starts it with all three pipes. argv stays the caller's. */
int node_child_start(struct node_child *c, const char *name, struct node_argv *argv,
		     struct fail *f);
bool node_child_runs(const struct node_child *c); /* started and not stopped */

/* 1 a line, 0 none in time, -1: it ended or failed, with its last words in f. */
int node_child_line(struct node_child *c, int64_t due_ns, const char **line, struct fail *f);
/* Read what stands on its standard error, without waiting. */
void node_child_listen(struct node_child *c);
/*
 * For a child that needs its time: tell it to end, and look until due_ns whether it has. Both are
 * safe on a zeroed struct, which has ended.
 */
void node_child_tell_to_end(const struct node_child *c);
bool node_child_ended(struct node_child *c, int64_t due_ns);
/* Safe on a zeroed struct. */
void node_child_stop(struct node_child *c, int64_t grace_ns);

#endif
