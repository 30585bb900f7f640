/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json - one object for each connection, then CoAP's exchanges, files and the summary.
 *
 * CoAP flows have no handshake and stand in a list of their own, collected in a temporary
 * file because the connections' list is open until the end.
 */
#include <jansson.h>
#include <stdlib.h>

#include "capture/report.h"
#include "capture/suite_name.h"

/* Microseconds, with decimals only where the capture has them. */
static json_t *json_us(int64_t ns)
{
	if (ns % 1000)
		return json_real((double)ns / 1000.0);
	return json_integer(ns / 1000);
}

static json_t *json_span(int64_t from_ns, int64_t to_ns)
{
	return from_ns == TIME_NONE || to_ns == TIME_NONE ? json_null() : json_us(to_ns - from_ns);
}

static json_t *json_duration(int64_t ns)
{
	return ns == TIME_NONE ? json_null() : json_us(ns);
}

static void set_name(json_t *o, const char *key, const char *name)
{
	json_object_set_new(o, key, name[0] == '-' ? json_null() : json_string(name));
}

/* JSON is UTF-8, names of files need not be. */
static json_t *json_name(const char *name)
{
	json_t *text = name ? json_string(name) : json_null();

	return text ? text : json_string("(a name that is not UTF-8)");
}

static const char *side(const struct connection *c, int from)
{
	return from == connection_client(c) ? "client" : "server";
}

static json_t *json_message(const struct connection *c, const struct message *m)
{
	json_t *o = json_object();
	char name[64];

	message_long_name(c, m, name, sizeof(name));
	json_object_set_new(o, "type", json_string(name));
	json_object_set_new(o, "from", json_string(side(c, m->from)));
	json_object_set_new(o, "t_us", json_us(m->time_ns - c->start_ns));
	json_object_set_new(o, "first_us", json_us(m->first_ns - c->start_ns));
	json_object_set_new(o, "bytes", json_integer(m->bytes));
	if (m->is_repeat)
		json_object_set_new(o, "repeat", json_true());
	return o;
}

static void set_identity(json_t *o, const struct report *r, const struct connection *c)
{
	static const char *const protos[] = { "", "tls", "dtls", "coap" };
	char name[SUITE_NAME_BYTES] = "-";

	json_object_set_new(o, "proto", json_string(protos[c->proto]));
	if (c->proto != CONN_COAP) {
		connection_version(c, name, sizeof(name));
		set_name(o, "version", name);
		snprintf(name, sizeof(name), "-");
		if (c->has_suite)
			suite_name(c->suite, name, sizeof(name));
		set_name(o, "suite", name);
	}
	connection_endpoint(c, connection_client(c), name, sizeof(name));
	json_object_set_new(o, "client", json_string(name));
	connection_endpoint(c, !connection_client(c), name, sizeof(name));
	json_object_set_new(o, "server", json_string(name));
	json_object_set_new(o, "complete", json_boolean(connection_complete(c)));
	json_object_set_new(o, "decrypted", json_boolean(c->was_decrypted));
	json_object_set_new(o, "file", json_name(r->file));
	json_object_set_new(o, "stream", json_integer((json_int_t)c->stream));
	json_object_set_new(o, "start_us", json_us(c->start_ns - c->origin_ns));
}

static void set_counts(json_t *o, const struct connection *c)
{
	int client = connection_client(c);

	json_object_set_new(o, "client_bytes", json_integer((json_int_t)c->bytes[client]));
	json_object_set_new(o, "server_bytes", json_integer((json_int_t)c->bytes[!client]));
	json_object_set_new(o, "client_repeated_bytes",
			    json_integer((json_int_t)c->repeated_bytes[client]));
	json_object_set_new(o, "server_repeated_bytes",
			    json_integer((json_int_t)c->repeated_bytes[!client]));
	json_object_set_new(o, "client_packets", json_integer((json_int_t)c->packets[client]));
	json_object_set_new(o, "server_packets", json_integer((json_int_t)c->packets[!client]));
	json_object_set_new(o, "client_gap", json_boolean(c->has_gap[client]));
	json_object_set_new(o, "server_gap", json_boolean(c->has_gap[!client]));
	json_object_set_new(o, "messages_dropped", json_integer((json_int_t)c->messages_dropped));
}

static void set_handshake(json_t *o, const struct connection *c)
{
	struct shares s = connection_shares(c);
	int64_t second = c->hello_retries || c->hello_verifies ? c->second_hello_ns : TIME_NONE;

	json_object_set_new(o, "handshake_us", json_duration(connection_handshake_ns(c)));
	json_object_set_new(o, "extra_round_us", json_span(c->first_hello_ns, second));
	json_object_set_new(o, "waiting_for_client_us", json_duration(s.client_ns));
	json_object_set_new(o, "waiting_for_server_us", json_duration(s.server_ns));
	json_object_set_new(o, "waiting_for_network_us", json_duration(s.network_ns));
	json_object_set_new(o, "round_trips",
			    s.client_ns != TIME_NONE ? json_integer(s.round_trips) : json_null());
	json_object_set_new(o, "client_hellos", json_integer(c->client_hellos));
	json_object_set_new(o, "hello_retries", json_integer(c->hello_retries));
	json_object_set_new(o, "hello_verifies", json_integer(c->hello_verifies));
	json_object_set_new(o, "early_data_offered", json_boolean(c->early_data_offered));
	json_object_set_new(o, "unified_records", json_integer((json_int_t)c->unified_records));
	json_object_set_new(o, "closed_by",
			    c->close_ns == TIME_NONE ? json_null()
						     : json_string(c->was_reset ? "reset" : "fin"));
	json_object_set_new(o, "close_us", json_span(c->start_ns, c->close_ns));
}

static json_t *json_connection(const struct report *r, const struct connection *c)
{
	json_t *o = json_object(), *messages = json_array();
	char outcome[32];

	set_identity(o, r, c);
	connection_outcome(c, outcome, sizeof(outcome));
	json_object_set_new(o, "outcome", json_string(outcome));
	for (int i = 0; i < c->message_count; i++)
		json_array_append_new(messages, json_message(c, &c->message[i]));
	json_object_set_new(o, "messages", messages);
	json_object_set_new(o, "first_data_us", json_span(c->start_ns, c->first_data_ns));
	json_object_set_new(o, "last_data_us", json_span(c->start_ns, c->last_data_ns));
	if (c->proto != CONN_COAP)
		set_handshake(o, c);
	set_counts(o, c);
	return o;
}

static void write_object(FILE *out, json_t *o, bool is_first)
{
	fputs(is_first ? "\n  " : ",\n  ", out);
	json_dumpf(o, out, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
	json_decref(o);
}

static void connection(struct report *r, const struct connection *c)
{
	if (c->proto == CONN_COAP)
		write_object(r->coap, json_connection(r, c), !r->coap_written++);
	else
		write_object(r->out, json_connection(r, c), !r->written++);
}

static int begin(struct report *r)
{
	r->coap = tmpfile();
	if (!r->coap)
		return -1;
	fputs("{ \"schema\": \"cipherwatt/1\",\n\"connections\": [", r->out);
	return 0;
}

static json_t *json_step(const struct tally_step *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "version", json_string(s->version));
	json_object_set_new(o, "step", json_string(s->step));
	json_object_set_new(o, "count", json_integer((json_int_t)s->hist.count));
	json_object_set_new(o, "median_us", json_us(hist_quantile(&s->hist, 0.5)));
	json_object_set_new(o, "p95_us", json_us(hist_quantile(&s->hist, 0.95)));
	return o;
}

static json_t *json_summary(const struct tally *s)
{
	json_t *o = json_object(), *outcomes = json_object(), *steps = json_array();

	for (int i = 0; i < s->outcome_count; i++)
		json_object_set_new(outcomes, s->outcome[i].outcome,
				    json_integer((json_int_t)s->outcome[i].count));
	for (int i = 0; i < s->step_count; i++)
		json_array_append_new(steps, json_step(&s->step[i]));
	json_object_set_new(o, "connections", json_integer((json_int_t)s->connections));
	json_object_set_new(o, "complete", json_integer((json_int_t)s->complete));
	json_object_set_new(o, "outcomes", outcomes);
	json_object_set_new(o, "steps", steps);
	json_object_set_new(o, "left_out", json_integer((json_int_t)s->left_out));
	return o;
}

static json_t *json_file(const struct report_file *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "file", json_name(f->name));
	json_object_set_new(o, "packets", json_integer((json_int_t)f->packets));
	json_object_set_new(o, "cut", json_boolean(f->cut));
	json_object_set_new(o, "damage", f->damage ? json_string(f->damage) : json_null());
	return o;
}

static void append_coap(struct report *r)
{
	char piece[4096];
	size_t got;

	rewind(r->coap);
	while ((got = fread(piece, 1, sizeof(piece), r->coap)) > 0)
		fwrite(piece, 1, got, r->out);
	fclose(r->coap);
	r->coap = NULL;
}

static void end(struct report *r, const struct tally *s, const struct report_file *files,
		int file_count)
{
	fputs("],\n\"coap\": [", r->out);
	append_coap(r);
	fputs("],\n\"files\": [", r->out);
	for (int i = 0; i < file_count; i++)
		write_object(r->out, json_file(&files[i]), !i);
	fputs("],\n\"summary\":", r->out);
	write_object(r->out, json_summary(s), true);
	fputs(" }\n", r->out);
}

const struct report_ops report_json = { begin, connection, end };
