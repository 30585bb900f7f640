/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting_rows - the table of settings, and what each needs of the rest of its cell.
 *
 * A new setting is a row here. Its option in `serve` or `load` says what its values are.
 */
#include <string.h>

#include "clients/bucket.h"
#include "testbed/plan.h"

#define SERVER(MEMBER)                                                     \
	{                                                                  \
		offsetof(struct server_params, MEMBER),                    \
			sizeof(((struct server_params *)0)->MEMBER), false \
	}
#define CLIENT(MEMBER)                                                                           \
	{                                                                                        \
		offsetof(struct load_params, MEMBER), sizeof(((struct load_params *)0)->MEMBER), \
			false                                                                    \
	}
#define CLIENT_REAL(MEMBER)                                                                      \
	{                                                                                        \
		offsetof(struct load_params, MEMBER), sizeof(((struct load_params *)0)->MEMBER), \
			true                                                                     \
	}
#define NO_PLACE  \
	{         \
		0 \
	}

/* --- what a row needs --------------------------------------------------------- */

static bool resumes(const struct plan_cell *c)
{
	return connection_kind[c->mode].resumes;
}

static const char *needs_http2(const struct plan_cell *c, const char *text)
{
	(void)text;
	return setting_is(c, "http", "2") ? NULL : "belongs to HTTP/2: it needs http: 2";
}

static const char *needs_kept(const struct plan_cell *c, const char *text)
{
	if (needs_http2(c, text))
		return needs_http2(c, text);
	return strcmp(text, "1") && !connection_kind[c->mode].keeps
		       ? "more than one needs connections: keepalive"
		       : NULL;
}

static const char *needs_resume(const struct plan_cell *c, const char *text)
{
	if (!resumes(c))
		return "belongs to connections: resume";
	if (!strcmp(text, "session-id") && c->suite.version == TLS13)
		return "TLS 1.3 has no session ids";
	if (!strcmp(text, "psk13") && c->suite.version != TLS13)
		return "psk13 is of TLS 1.3";
	return NULL;
}

static const char *needs_tickets(const struct plan_cell *c, const char *text)
{
	if (suite_is_plain(&c->suite))
		return "plain has no TLS";
	return resumes(c) && !strcmp(text, "0") && !setting_is(c, "resumption", "session-id")
		       ? "without one there is nothing to resume"
		       : NULL;
}

static const char *needs_early(const struct plan_cell *c, const char *text)
{
	if (!strcmp(text, "0B"))
		return NULL;
	if (c->suite.version != TLS13 || !resumes(c))
		return "is of TLS 1.3 and connections: resume";
	return NULL;
}

static const char *needs_datagrams(const struct plan_cell *c, const char *text)
{
	bool datagrams = !strcmp(text, "coap");

	if (!suite_is_plain(&c->suite) && datagrams != tls_version_is_datagram(c->suite.version))
		return datagrams ? "goes over datagrams: it needs a suite of DTLS, or plain"
				 : "goes over TCP: it needs a suite of TLS, or plain";
	if (strcmp(text, "http") && setting_of(c, "http"))
		return "http is of protocol: http";
	return NULL;
}

static const char *needs_rate(const struct plan_cell *c, const char *text)
{
	(void)text;
	return setting_of(c, "rate") ? NULL : "belongs to an open loop: it needs a rate";
}

static const char *needs_poisson(const struct plan_cell *c, const char *text)
{
	(void)text;
	return setting_is(c, "arrivals", "poisson") ? NULL : "belongs to arrivals: poisson";
}

static const char *needs_certificates(const struct plan_cell *c, const char *text)
{
	if (!strcmp(text, "false"))
		return NULL;
	return suite_is_plain(&c->suite) || plan_has_psk(c) ? "there are no certificates" : NULL;
}

static const char *needs_users(const struct plan_cell *c, const char *text)
{
	(void)text;
	return setting_is(c, "access.model", "rbac")
		       ? "model rbac decides by area and role, and knows no users"
		       : NULL;
}

static const char *needs_no_rate(const struct plan_cell *c, const char *text)
{
	return setting_of(c, "rate") && strcmp(text, "0")
		       ? "is of a closed loop: with a rate, requests are due by its schedule"
		       : NULL;
}

/* --- the table ------------------------------------------------------------------ */

/* Under TLS 1.3 a ticket names a pre-shared key: psk13 is what that is called there. */
static const struct setting_value resumption_values[] = {
	{ "ticket", { NULL, "resumption=ticket" }, { 0, RESUMPTION_TICKET } },
	{ "session-id", { "session-ids", "resumption=session-id" }, { 1, RESUMPTION_SESSION_ID } },
	{ "psk13", { NULL, "resumption=ticket" }, { 0, RESUMPTION_TICKET } },
	{ 0 },
};

/* They choose the scheme of the URL: no option. */
static const struct setting_value protocol_values[] = {
	{ .text = "http" },
	{ .text = "coap" },
	{ .text = "coap+tcp" },
	{ 0 },
};

/* The files come from the nodes: the client's certificate is made with the server's. */
static const struct setting_value mutual_values[] = {
	{ .text = "false" },
	{ .text = "true" },
	{ 0 },
};

const struct setting setting_rows[] = {
	{ "protocol", "protocol", .preset = "http", .values = protocol_values,
	  .help = "http, coap over datagrams, or coap+tcp; each with TLS or DTLS where the suite "
		  "says so",
	  .refuses = needs_datagrams },
	{ "http", "http", { "http", "http" }, .place = { SERVER(http2), CLIENT(http2) } },
	{ "streams",
	  "streams",
	  { "streams", "streams" },
	  .refuses = needs_kept,
	  .place = { SERVER(streams), CLIENT(streams) } },
	{ "window",
	  "window_bytes",
	  { "window", "window" },
	  .refuses = needs_http2,
	  .help = "HTTP/2: content that either side may send ahead",
	  .place = { SERVER(window_bytes), CLIENT(window_bytes) } },
	{ "resumption",
	  "resumption",
	  { "session-ids", "resumption" },
	  .refuses = needs_resume,
	  .values = resumption_values,
	  .place = { SERVER(session_ids), CLIENT(resumption) } },
	{ "tickets",
	  "tickets",
	  { "tickets", NULL },
	  .refuses = needs_tickets,
	  .place = { SERVER(tickets), NO_PLACE } },
	{ "early_data",
	  "early_data_bytes",
	  { "early-data", "early-data" },
	  .refuses = needs_early,
	  .place = { SERVER(early_data_bytes), NO_PLACE } },
	{ "mutual", "mutual", .values = mutual_values, .refuses = needs_certificates,
	  .help = "true: clients show a certificate too, of the suite's kind" },
	{ "server_threads",
	  "server_threads",
	  { "threads", NULL },
	  .place = { SERVER(threads), NO_PLACE } },
	{ "client_threads",
	  "client_threads",
	  { NULL, "threads" },
	  .place = { NO_PLACE, CLIENT(threads) } },
	{ "count",
	  "count",
	  { NULL, "count" },
	  .help = "requests of the window, which ends with the last of them" },
	{ "rate", "rate_per_s", { NULL, "rate" }, .place = { NO_PLACE, CLIENT_REAL(rate_per_s) } },
	{ "arrivals",
	  "arrivals",
	  { NULL, "arrivals" },
	  .refuses = needs_rate,
	  .place = { NO_PLACE, CLIENT(arrivals) } },
	{ "arrival_seed",
	  "arrival_seed",
	  { NULL, "seed" },
	  .refuses = needs_poisson,
	  .help = "of random arrivals, the same in every trial; 1 when absent" },
	{ "think",
	  "think_ns",
	  { NULL, "think" },
	  .refuses = needs_no_rate,
	  .place = { NO_PLACE, CLIENT(think_ns) } },
	{ "ramp", "ramp_ns", { NULL, "ramp" }, .place = { NO_PLACE, CLIENT(ramp_ns) } },
	{ "connection_rate",
	  "connection_rate_per_s",
	  { NULL, "connection-rate" },
	  .place = { NO_PLACE, CLIENT_REAL(connection_rate_per_s) } },
	{ "upload_rate",
	  "upload_bytes_per_s",
	  { NULL, "upload-rate" },
	  .read = bucket_parse_rate,
	  .place = { NO_PLACE, CLIENT(upload_bytes_per_s) } },
	{ "download_rate",
	  "download_bytes_per_s",
	  { NULL, "download-rate" },
	  .read = bucket_parse_rate,
	  .place = { NO_PLACE, CLIENT(download_bytes_per_s) } },
	{ "driver",
	  "driver",
	  { NULL, "driver" },
	  .preset = "builtin",
	  .help = "cross-check: ab, wrk or h2load loads the server in place of our client" },
	{ "record_size",
	  "record_bytes",
	  { "record-size", "record-size" },
	  .preset = "16KiB",
	  .own_client = true,
	  .place = { SERVER(record_bytes), CLIENT(record_bytes) } },
	{ "records_per_send",
	  "records_per_send",
	  { "records-per-send", "records-per-send" },
	  .preset = "4",
	  .own_client = true,
	  .place = { SERVER(records_per_send), CLIENT(records_per_send) } },
	{ "access.policy", "access_policy", .option = { "policy", NULL } },
	{ "access.database", "access_database", .option = { "users", NULL } },
	{ "access.users", "access_users", .option = { "access-users", "access-users" },
	  .refuses = needs_users },
	{ "access.model", "access_model", .option = { "access-model", "access-model" } },
	{ "access.encoding", "access_encoding", .option = { NULL, "access-encoding" } },
	{ "access.audit", "access_audit", .option = { "audit", NULL } },
	{ "access.durability", "access_durability", .option = { "durability", NULL } },
	{ "access.audit_batch", "access_audit_batch_ns", .option = { "audit-batch", NULL } },
	{ "access.clock_skew", "access_clock_skew_ns", .option = { "clock-skew", NULL } },
	{ "message.profile", "message_profile", .option = { "profile", "profile" } },
	{ "message.payload", "message_payload_bytes", .option = { NULL, "payload" },
	  .help = "what a client's message says; as much as the server's answer when absent" },
	{ 0 },
};
