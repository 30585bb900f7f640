/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text - for reading: a block for each connection, and tables of medians behind them.
 */
#include "capture/report.h"
#include "capture/suite_name.h"

#define MS(ns) ((double)(ns) / 1e6)

static void head_line(const struct report *r, const struct connection *c)
{
	char version[16], suite[SUITE_NAME_BYTES] = "-", outcome[32], ends[2][64];
	int client = connection_client(c);

	connection_version(c, version, sizeof(version));
	if (c->has_suite)
		suite_name(c->suite, suite, sizeof(suite));
	connection_outcome(c, outcome, sizeof(outcome));
	connection_endpoint(c, client, ends[0], sizeof(ends[0]));
	connection_endpoint(c, !client, ends[1], sizeof(ends[1]));
	if (r->file)
		fprintf(r->out, "%s, ", r->file);
	fprintf(r->out, "%s stream %llu: %s -> %s\n", c->proto == CONN_TLS ? "TCP" : "UDP",
		(unsigned long long)c->stream, ends[0], ends[1]);
	if (c->proto == CONN_COAP)
		fprintf(r->out, "  CoAP: %s\n",
			connection_complete(c) ? "answered" : "not answered");
	else
		fprintf(r->out, "  %s %s: %s\n", version, suite, outcome);
}

static void message_lines(FILE *out, const struct connection *c)
{
	fprintf(out, "  %12s  %-6s  %-36s %8s\n", "ms", "from", "message", "bytes");
	for (int i = 0; i < c->message_count; i++) {
		const struct message *m = &c->message[i];
		char name[64];

		message_long_name(c, m, name, sizeof(name));
		fprintf(out, "  %12.3f  %-6s  %-36s %8u\n", MS(m->time_ns - c->start_ns),
			m->from == connection_client(c) ? "client" : "server", name, m->bytes);
	}
	if (c->messages_dropped)
		fprintf(out, "  %llu more messages were not kept\n",
			(unsigned long long)c->messages_dropped);
}

static void handshake_lines(FILE *out, const struct connection *c)
{
	struct shares s = connection_shares(c);

	if (connection_handshake_ns(c) == TIME_NONE)
		return;
	fprintf(out, "  handshake %.3f ms, %d round trip%s; waiting for client %.3f, server %.3f",
		MS(connection_handshake_ns(c)), s.round_trips, s.round_trips == 1 ? "" : "s",
		MS(s.client_ns), MS(s.server_ns));
	if (s.network_ns == TIME_NONE)
		fputs(" (network included)\n", out);
	else
		fprintf(out, ", network %.3f\n", MS(s.network_ns));
	if ((c->hello_retries || c->hello_verifies) && c->second_hello_ns != TIME_NONE)
		fprintf(out, "  extra round for %s %.3f ms\n",
			c->hello_retries ? "HelloRetryRequest" : "HelloVerifyRequest",
			MS(c->second_hello_ns - c->first_hello_ns));
}

static void time_of(FILE *out, const char *what, const struct connection *c, int64_t ns)
{
	if (ns != TIME_NONE)
		fprintf(out, "; %s %.3f ms", what, MS(ns - c->start_ns));
}

static void connection(struct report *r, const struct connection *c)
{
	int client = connection_client(c);

	head_line(r, c);
	message_lines(r->out, c);
	handshake_lines(r->out, c);
	fprintf(r->out, "  bytes: client %llu, server %llu", (unsigned long long)c->bytes[client],
		(unsigned long long)c->bytes[!client]);
	time_of(r->out, "first data", c, c->first_data_ns);
	time_of(r->out, "last data", c, c->last_data_ns);
	time_of(r->out, c->was_reset ? "reset" : "closed", c, c->close_ns);
	fputc('\n', r->out);
	if (c->has_gap[0] || c->has_gap[1])
		fputs("  bytes are missing from the capture: what came behind them was not read\n",
		      r->out);
	fputc('\n', r->out);
}

static void step_lines(FILE *out, const struct tally *s)
{
	if (!s->step_count)
		return;
	fprintf(out, "\n%-8s %-36s %7s %12s %12s\n", "version", "step", "count", "median ms",
		"p95 ms");
	for (int i = 0; i < s->step_count; i++) {
		const struct tally_step *step = &s->step[i];

		fprintf(out, "%-8s %-36s %7llu %12.3f %12.3f\n", step->version, step->step,
			(unsigned long long)step->hist.count, MS(hist_quantile(&step->hist, 0.5)),
			MS(hist_quantile(&step->hist, 0.95)));
	}
}

static int begin(struct report *r)
{
	(void)r;
	return 0;
}

static void end(struct report *r, const struct tally *s, const struct report_file *files,
		int file_count)
{
	uint64_t packets = 0;

	for (int i = 0; i < file_count; i++)
		packets += files[i].packets;
	fprintf(r->out, "%llu packets, %llu connections:", (unsigned long long)packets,
		(unsigned long long)s->connections);
	for (int i = 0; i < s->outcome_count; i++)
		fprintf(r->out, "%s %llu %s", i ? "," : "", (unsigned long long)s->outcome[i].count,
			s->outcome[i].outcome);
	fputs(s->outcome_count ? "\n" : " none\n", r->out);
	if (s->complete < s->connections)
		fputs("Only complete handshakes are in the durations below.\n", r->out);
	step_lines(r->out, s);
}

const struct report_ops report_text = { begin, connection, end };
