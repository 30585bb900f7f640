/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_csv - a line for each message (RFC 4180), with what identifies its connection.
 */
#include "capture/report.h"
#include "capture/suite_name.h"

static void put_us(FILE *out, int64_t ns)
{
	if (ns == TIME_NONE)
		fputc(',', out);
	else
		fprintf(out, ",%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
}

static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static int begin(struct report *r)
{
	fputs("file,stream,proto,version,suite,client,server,outcome,handshake_us,type,from,t_us,"
	      "bytes\n",
	      r->out);
	return 0;
}

static void put_connection(const struct report *r, const struct connection *c)
{
	static const char *const protos[] = { "", "tls", "dtls", "coap" };
	char version[16] = "", suite[SUITE_NAME_BYTES] = "", outcome[32], ends[2][64];
	int client = connection_client(c);

	if (c->version)
		connection_version(c, version, sizeof(version));
	if (c->has_suite)
		suite_name(c->suite, suite, sizeof(suite));
	connection_outcome(c, outcome, sizeof(outcome));
	connection_endpoint(c, client, ends[0], sizeof(ends[0]));
	connection_endpoint(c, !client, ends[1], sizeof(ends[1]));
	put_quoted(r->out, r->file ? r->file : "");
	fprintf(r->out, ",%llu,%s,%s,%s,%s,%s,%s", (unsigned long long)c->stream, protos[c->proto],
		version, suite, ends[0], ends[1], outcome);
	put_us(r->out, connection_handshake_ns(c));
}

static void connection(struct report *r, const struct connection *c)
{
	for (int i = 0; i < c->message_count; i++) {
		const struct message *m = &c->message[i];
		int64_t t_ns = m->time_ns - c->start_ns;
		char name[64];

		message_long_name(c, m, name, sizeof(name));
		put_connection(r, c);
		fprintf(r->out, ",%s,%s", name,
			m->from == connection_client(c) ? "client" : "server");
		if (t_ns < 0)
			fputc(',', r->out);
		else
			put_us(r->out, t_ns);
		fprintf(r->out, ",%u\n", m->bytes);
	}
}

static void end(struct report *r, const struct tally *s, const struct report_file *files,
		int file_count)
{
	(void)r;
	(void)s;
	(void)files;
	(void)file_count;
}

const struct report_ops report_csv = { begin, connection, end };
