/* SPDX-License-Identifier: Apache-2.0 */
/* node_adapter - the command line of a server under test. */
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

/* Every level, so that the server's own defaults decide nothing. */
static void add_levels(const struct server_settings *s, struct node_argv *argv)
{
	static const char *const option[APP_ENCODINGS] = {
		[APP_GZIP] = "gzip", [APP_BROTLI] = "brotli", [APP_ZSTD] = "zstd"
	};

	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++)
		node_argv_add(argv, "--%s-level=%d", option[e],
			      s->encoding.coding == (enum app_encoding)e ? s->encoding.level : 0);
	if (s->encoding.once)
		node_argv_add(argv, "--compress-when=once");
}

void node_server_command(const struct server_settings *s, const char *program,
			 struct node_argv *argv)
{
	node_argv_add(argv, "%s", program);
	node_argv_add(argv, "serve");
	add_url(s, argv);
	node_argv_add(argv, "--server=%s", s->adapter);
	if (strcmp(s->suite, "plain")) {
		node_argv_add(argv, "--suite=%s", s->suite);
		node_argv_add(argv, "--engine=%s", s->engine);
	}
	node_argv_add(argv, "--workload=%s", s->workload);
	node_argv_add(argv, "--payload=%lld", (long long)s->payload_bytes);
	node_argv_add(argv, "--payload-kind=%s", s->payload_kind);
	add_levels(s, argv);
	node_argv_add(argv, "--record-size=%lld", (long long)s->record_bytes);
	node_argv_add(argv, "--records-per-send=%lld", (long long)s->records_per_send);
	if (s->close_each)
		node_argv_add(argv, "--close-each");
	if (s->cpus[0])
		node_argv_add(argv, "--cpus=%s", s->cpus);
	node_argv_add(argv, "--counters");
}
