/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_json - counters and what they belong to: the engine, the files a client trusts.
 * It must not know when it is asked, or by whom.
 */
#include "servers/serve_json.h"

#include <unistd.h>

#include "lib/clock.h"
#include "lib/udp_stat.h"
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

static json_t *datagrams_json(const struct server_counters *c)
{
	const struct server_datagrams *d = &c->datagrams;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "received",
			 (json_int_t)d->received, "sent", (json_int_t)d->sent, "strange",
			 (json_int_t)d->strange, "overlong", (json_int_t)d->overlong, "unsent",
			 (json_int_t)d->unsent, "overflown", (json_int_t)d->overflown, "cookies",
			 (json_int_t)c->cookies, "replaced", (json_int_t)c->replaced,
			 "dtls_retransmissions", (json_int_t)c->dtls_retransmissions);
}

static json_t *coap_json(const struct coap_counters *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "received", (json_int_t)c->received, "sent", (json_int_t)c->sent,
			 "retransmissions", (json_int_t)c->retransmissions, "duplicates",
			 (json_int_t)c->duplicates, "replays", (json_int_t)c->replays,
			 "resets_sent", (json_int_t)c->resets_sent, "resets_received",
			 (json_int_t)c->resets_received, "timeouts", (json_int_t)c->timeouts,
			 "malformed", (json_int_t)c->malformed, "unmatched",
			 (json_int_t)c->unmatched, "refused", (json_int_t)c->refused, "blocks_in",
			 (json_int_t)c->blocks_in, "blocks_out", (json_int_t)c->blocks_out);
}

/* Of the whole machine; null where the system does not tell. */
static json_t *udp_json(void)
{
	struct fail ignored = { 0 };
	struct udp_stat u;

	if (udp_stat_read(&u, &ignored) != 0)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "in_datagrams",
			 (json_int_t)u.in_datagrams, "out_datagrams", (json_int_t)u.out_datagrams,
			 "no_ports", (json_int_t)u.no_ports, "in_errors", (json_int_t)u.in_errors,
			 "receive_buffer_errors", (json_int_t)u.receive_buffer_errors,
			 "send_buffer_errors", (json_int_t)u.send_buffer_errors, "checksum_errors",
			 (json_int_t)u.checksum_errors);
}

static void with_datagrams(json_t *all, const struct server_counters *c)
{
	json_object_set_new(all, "datagrams", datagrams_json(c));
	json_object_set_new(all, "coap", coap_json(&c->coap));
	json_object_set_new(all, "udp", udp_json());
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
	if (o && server_takes_datagrams(p))
		with_datagrams(o, &c);
	if (o && server_stages(s, &stages))
		json_object_set_new(o, "message", message_tally_json(&stages));
	return o;
}
