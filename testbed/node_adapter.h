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
	int64_t payload_bytes, record_bytes, records_per_send;
	struct encoding encoding;
	bool close_each; /* every connection ends after one answer */
};

void node_server_command(const struct server_settings *s, const char *program,
			 struct node_argv *argv);

#endif
