/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_adapter - how each server under test is started: settings in, command line out.
 *
 * One row per server. The node treats them all alike from there: a process that is
 * measured by its id.
 */
#ifndef TESTBED_NODE_ADAPTER_H
#define TESTBED_NODE_ADAPTER_H

#include <stdint.h>

#include "testbed/node_child.h"

/* What a cell asks of a server. Texts are borrowed. */
struct server_settings {
	const char *listen, *suite, *engine, *workload, *payload_kind, *cpus;
	int64_t payload_bytes, gzip_level, record_bytes, records_per_send;
	bool gzip_once;
};

struct server_adapter {
	const char *name; /* as in a campaign's `server` */
	void (*command)(const struct server_settings *s, const char *program,
			struct node_argv *argv);
};

extern const struct server_adapter *const server_adapters[]; /* ends with NULL */
const struct server_adapter *server_adapter_by_name(const char *name);

#endif
