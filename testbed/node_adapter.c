/* SPDX-License-Identifier: Apache-2.0 */
/* node_adapter - the server of this program itself; others become rows beside it. */
#include "testbed/node_adapter.h"

#include <string.h>

/* An IPv6 address stands in brackets inside a URL. */
static void add_url(const struct server_settings *s, struct node_argv *argv)
{
	const char *scheme = strcmp(s->suite, "plain") ? "https" : "http";

	if (strchr(s->listen, ':') && s->listen[0] != '[')
		node_argv_add(argv, "%s://[%s]:0/", scheme, s->listen);
	else
		node_argv_add(argv, "%s://%s:0/", scheme, s->listen);
}

static void builtin_command(const struct server_settings *s, const char *program,
			    struct node_argv *argv)
{
	node_argv_add(argv, "%s", program);
	node_argv_add(argv, "serve");
	add_url(s, argv);
	if (strcmp(s->suite, "plain")) {
		node_argv_add(argv, "--suite=%s", s->suite);
		node_argv_add(argv, "--engine=%s", s->engine);
	}
	node_argv_add(argv, "--workload=%s", s->workload);
	node_argv_add(argv, "--payload=%lld", (long long)s->payload_bytes);
	node_argv_add(argv, "--payload-kind=%s", s->payload_kind);
	if (s->gzip_level) {
		node_argv_add(argv, "--gzip-level=%lld", (long long)s->gzip_level);
		node_argv_add(argv, "--compress-when=%s", s->gzip_once ? "once" : "request");
	}
	node_argv_add(argv, "--record-size=%lld", (long long)s->record_bytes);
	node_argv_add(argv, "--records-per-send=%lld", (long long)s->records_per_send);
	if (s->cpus[0])
		node_argv_add(argv, "--cpus=%s", s->cpus);
	node_argv_add(argv, "--counters");
}

static const struct server_adapter builtin = {
	.name = "builtin",
	.command = builtin_command,
};

const struct server_adapter *const server_adapters[] = { &builtin, NULL };

const struct server_adapter *server_adapter_by_name(const char *name)
{
	for (int i = 0; server_adapters[i]; i++)
		if (!strcmp(server_adapters[i]->name, name))
			return server_adapters[i];
	return NULL;
}
