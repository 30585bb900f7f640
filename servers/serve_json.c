/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_json - counters and what they belong to: the engine, the files a client trusts.
 * It must not know when it is asked, or by whom.
 */
#include "servers/serve_json.h"

#include <unistd.h>

#include "lib/clock.h"
#include "lib/usage.h"
#include "workloads/message_json.h"

/* The engine that does the work: of the first listener with TLS, else of the first. */
static const struct engine_ops *main_engine(const struct server_params *p)
{
	for (int i = 0; i < p->listeners; i++)
		if (url_is_secure(&p->listener[i].url))
			return p->listener[i].engine;
	return p->listener[0].engine;
}

static json_t *ca_files(struct server *s, const struct server_params *p)
{
	json_t *files = json_array();

	for (int i = 0; i < p->listeners; i++) {
		const char *file = server_ca_file(s, i);

		json_array_append_new(files, file ? json_string(file) : json_null());
	}
	return files;
}

static const char *first_ca_file(struct server *s, const struct server_params *p)
{
	const char *file = NULL;

	for (int i = 0; i < p->listeners && !file; i++)
		file = server_ca_file(s, i);
	return file;
}

json_t *serve_counters_json(struct server *s, const struct server_params *p)
{
	const struct engine_ops *engine = main_engine(p);
	struct server_counters c;
	struct message_tally stages;
	json_t *o;

	server_counters(s, &c);
	/* clang-format off */
	o = json_pack("{s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I}, s:I, s:I,"
			 " s:{s:I, s:I, s:I}, s:I, s:I,"
			 " s:{s:I, s:I}, s:I, s:I, s:I, s:i, s:I, s:s, s:s, s:{s:s?}, s:o}",
		"at_ns", (json_int_t)clock_ns(),
		"connections", (json_int_t)c.connections,
		"refused", (json_int_t)c.refused,
		"open", (json_int_t)c.open,
		"handshakes",
			"full", (json_int_t)c.handshakes_full,
			"resumed", (json_int_t)c.handshakes_resumed,
			"early_data", (json_int_t)c.handshakes_early_data,
			"failed", (json_int_t)c.handshakes_failed,
		"closed_in_handshake", (json_int_t)c.closed_in_handshake,
		"timed_out", (json_int_t)c.timed_out,
		"http2",
			"connections", (json_int_t)c.http2_connections,
			"streams", (json_int_t)c.http2_streams,
			"resets", (json_int_t)c.http2_resets,
		"requests", (json_int_t)c.requests,
		"rejected", (json_int_t)c.rejected,
		"wire",
			"bytes_sent", (json_int_t)c.bytes_sent,
			"bytes_received", (json_int_t)c.bytes_received,
		"accept_pauses", (json_int_t)c.accept_pauses,
		"cpu_ns", (json_int_t)usage_self_cpu_ns(),
		"rss_peak_kib", (json_int_t)usage_rss_peak_kib(getpid()),
		"threads", server_threads(s),
		"domains", (json_int_t)c.domains,
		"engine", engine->name,
		"engine_version", engine->version(),
		"credential", "ca_file", first_ca_file(s, p),
		"ca_files", ca_files(s, p));
	/* clang-format on */
	if (o && server_stages(s, &stages))
		json_object_set_new(o, "message", message_tally_json(&stages));
	return o;
}
