/* SPDX-License-Identifier: Apache-2.0 */
/* adapter_plain - this program's plain server, for a server under test that only ends TLS. */
#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "servers/adapter_run.h"
#include "servers/adapter_words.h"

#define LISTENING_NS (20 * NS_PER_S)
#define LINE_BYTES   4096

static void plain_command(const struct adapter_run *r, const char *own, struct adapter_argv *argv)
{
	const struct workload_params *w = &r->params.workload_params;

	adapter_argv_add(argv, "%s", own);
	adapter_argv_add(argv, "serve");
	adapter_argv_add(argv, "http://127.0.0.1:0");
	adapter_argv_add(argv, "--counters");
	adapter_argv_add(argv, "--threads=%d", r->job.workers);
	adapter_argv_add(argv, "--idle-timeout=%ds", LONG_IDLE_S);
	adapter_argv_add(argv, "--max-connections=%d", r->params.connections);
	adapter_argv_add(argv, "--payload=%lld", (long long)w->payload_bytes);
	adapter_argv_add(argv, "--payload-kind=%s", w->payload_kind);
	adapter_argv_add(argv, "--gzip-level=%d", w->level[APP_GZIP]);
	adapter_argv_add(argv, "--brotli-level=%d", w->level[APP_BROTLI]);
	adapter_argv_add(argv, "--zstd-level=%d", w->level[APP_ZSTD]);
	if (w->compress_once)
		adapter_argv_add(argv, "--compress-when=once");
}

int adapter_start_plain(struct adapter_run *r, const char *own, struct fail *f)
{
	struct adapter_argv argv = { 0 };
	struct proc_lines lines = { 0 };
	struct url url = { 0 };
	const char *line = NULL;
	int status = -1;

	plain_command(r, own, &argv);
	if (adapter_spawn(&r->plain, r, &argv, PROC_STDIN | PROC_STDOUT, f) == 0) {
		proc_lines_init(&lines, r->plain.out_fd, LINE_BYTES);
		if (proc_lines_next(&lines, clock_ns() + LISTENING_NS, &line, f) > 0 &&
		    strncmp(line, "listening on ", 13) == 0 && url_parse(line + 13, &url, f) == 0)
			status = 0;
		else
			fail_set(f, ECHILD, "the plain server behind %s did not start",
				 r->adapter->name);
		r->job.plain_port = url.port;
		proc_lines_release(&lines);
	}
	adapter_argv_release(&argv);
	return status;
}
