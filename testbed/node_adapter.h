/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_adapter - how a server under test is started: settings in, command line out. Every
 * one of them is `serve --server NAME`: the node treats them all alike.
 */
#ifndef TESTBED_NODE_ADAPTER_H
#define TESTBED_NODE_ADAPTER_H

#include <stdint.h>

#include "testbed/node_child.h"
#include "testbed/plan_read.h"

/* What a cell asks of a server. Texts are borrowed. */
struct server_settings {
	const char *adapter, *listen, *suite, *engine, *workload, *payload_kind, *cpus;
	int64_t payload_bytes;
	struct encoding encoding;
	const char *client_ca;  /* "": clients need no certificate */
	int psk_fd;             /* -1: the suite has no pre-shared keys */
	bool close_each;        /* every connection ends after one answer */
	const json_t *settings; /* as node_add_settings() takes them */
};

/*
 * The options of one side for an object of settings: {"tickets": "2"}. another: a load generator
 * that is not ours, to which some of them mean nothing. -1: a key or value that is none.
 */
int node_add_settings(const json_t *all, enum setting_side side, bool another,
		      struct node_argv *argv, struct fail *f);

/* -1: its settings are none. */
int node_server_command(const struct server_settings *s, const char *program,
			struct node_argv *argv, struct fail *f);

#endif
