/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_text - the cell object as lines for people. Reads nothing but the JSON.
 */
#include <string.h>

#include "clients/load_json.h"
#include "lib/clock.h"
#include "lib/table.h"
#include "lib/units.h"

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "n/a";
}

static long long count_of(const json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

/* "n/a" where it is null. */
static const char *number_of(const json_t *o, const char *key, char dst[32])
{
	const json_t *value = json_object_get(o, key);

	if (json_is_number(value))
		units_format_real(json_number_value(value), dst, 32);
	else
		memcpy(dst, "n/a", 4);
	return dst;
}

static void print_schedule(const json_t *s, FILE *out)
{
	char asked[32], achieved[32], late[32];

	if (!json_is_object(s))
		return;
	fprintf(out,
		"schedule     %s arrivals, %s of %s requests/s achieved; at most %s us overdue, "
		"%lld due and never begun\n",
		text_of(s, "arrivals"), number_of(s, "achieved_per_s", achieved),
		number_of(s, "asked_per_s", asked), number_of(s, "lateness_max_us", late),
		count_of(s, "unstarted"));
}

static void print_asked(const json_t *cell, FILE *out)
{
	const json_t *asked = json_object_get(cell, "asked");
	const json_t *engine = json_object_get(json_object_get(cell, "environment"), "engine");
	char warmup[32], size[32];
	bool some = json_is_integer(json_object_get(cell, "payload_bytes"));

	units_format_duration(count_of(asked, "warmup_ns"), warmup, sizeof(warmup));
	units_format_bytes(count_of(cell, "payload_bytes"), size, sizeof(size));
	fprintf(out, "url          %s\n", text_of(asked, "url"));
	fprintf(out, "suite        %s", text_of(cell, "suite"));
	if (json_is_integer(json_object_get(cell, "strength_bits")))
		fprintf(out, ", %lld bits of strength", count_of(cell, "strength_bits"));
	fprintf(out, "\nnegotiated   %s\n", text_of(cell, "negotiated"));
	if (json_is_object(engine))
		fprintf(out, "engine       %s, %s (%s)\n", text_of(engine, "name"),
			text_of(engine, "version"), text_of(engine, "build"));
	else
		fprintf(out, "driver       %s\n", text_of(cell, "driver"));
	fprintf(out, "load         %lld clients, connection %s, warm-up %s\n",
		count_of(cell, "clients"), text_of(cell, "connection"), warmup);
	print_schedule(json_object_get(cell, "schedule"), out);
	fprintf(out, "content      %s, %s\n", some ? size : "n/a", text_of(cell, "encoding"));
}

static void add_latency(struct table *t, const char *name, const json_t *l)
{
	static const char *const keys[] = { "p50", "p95", "p99", "p99_9", "max", "mean", "n" };
	const char *cells[8] = { name };
	char text[7][32];

	for (int i = 0; i < 7; i++)
		cells[i + 1] = number_of(l, keys[i], text[i]);
	if (json_is_integer(json_object_get(l, "n")))
		snprintf(text[6], sizeof(text[6]), "%lld", count_of(l, "n"));
	table_row(t, cells);
}

static void print_latencies(const json_t *cell, FILE *out)
{
	static const char *const heads[] = { "latency, us", ">p50",  ">p95", ">p99", ">p99.9",
					     ">max",        ">mean", ">n",   NULL };
	struct table t;

	if (table_init(&t, heads))
		return;
	add_latency(&t, "response", json_object_get(cell, "response_us"));
	add_latency(&t, "service", json_object_get(cell, "service_us"));
	add_latency(&t, "handshake", json_object_get(cell, "handshake_us"));
	add_latency(&t, "first", json_object_get(cell, "first_us"));
	add_latency(&t, "warm", json_object_get(cell, "warm_us"));
	add_latency(&t, "failed", json_object_get(cell, "failed_us"));
	table_print(&t, out);
	table_release(&t);
}

/* "n/a" would be wrong here: it is known to be longer. */
static void print_censored(const json_t *c, FILE *out)
{
	static const char *const keys[] = { "p50", "p95", "p99", "p99_9" };
	char limit[32], value[32];

	if (!count_of(c, "timeouts"))
		return;
	number_of(c, "longer_than_us", limit);
	fprintf(out, "time-outs    %lld samples + %lld time-outs = %lld completed; with them",
		count_of(c, "samples"), count_of(c, "timeouts"), count_of(c, "completed"));
	for (int i = 0; i < 4; i++) {
		bool known = json_is_number(json_object_get(c, keys[i]));

		fprintf(out, "%s %s %s%s", i ? "," : "", keys[i], known ? "" : ">",
			known ? number_of(c, keys[i], value) : limit);
	}
	fputs(" us\n", out);
}

/* "n/a" where it is null. */
static const char *whole_of(const json_t *o, const char *key, char dst[32])
{
	if (json_is_integer(json_object_get(o, key)))
		snprintf(dst, 32, "%lld", count_of(o, key));
	else
		memcpy(dst, "n/a", 4);
	return dst;
}

static const char *bytes_of(const json_t *o, const char *key, char dst[32])
{
	if (json_is_integer(json_object_get(o, key)))
		units_format_bytes(count_of(o, key), dst, 32);
	else
		memcpy(dst, "n/a", 4);
	return dst;
}

/* Of pages there is one class, which the line above tells already. */
static void print_outcomes(const json_t *o, FILE *out)
{
	const char *name, *between = "answers      ";
	const json_t *count;

	json_object_foreach((json_t *)o, name, count)
	{
		if (!json_integer_value(count) || !strcmp(name, "page") || count_of(o, "page"))
			continue;
		fprintf(out, "%s%lld %s", between, (long long)json_integer_value(count), name);
		between = ", ";
	}
	if (*between == ',')
		fprintf(out, "\n");
}

/* What a client's half of a secured message took, on the average. */
static void print_messages(const json_t *m, FILE *out)
{
	long long secured = count_of(m, "secured"), read = count_of(m, "read");
	double ns_per_ms = (double)NS_PER_MS;

	if (secured == 0 || read == 0)
		return;
	fprintf(out,
		"messages     %.3f ms to secure one, %.3f ms to read one, %.0f %% of it "
		"cryptography\n",
		(double)count_of(m, "secure_ns") / (double)secured / ns_per_ms,
		(double)count_of(m, "read_ns") / (double)read / ns_per_ms,
		100 * json_real_value(json_object_get(m, "crypto_share")));
}

static void print_counts(const json_t *cell, FILE *out)
{
	const json_t *r = json_object_get(cell, "requests");
	const json_t *h = json_object_get(cell, "handshakes");
	const json_t *c = json_object_get(cell, "connections");
	const json_t *w = json_object_get(cell, "wire");
	char a[32], b[32], d[32], e[32], g[32];

	fprintf(out,
		"requests     %s started = %s succeeded + %s failed + %s timed out + %s in "
		"flight\n",
		whole_of(r, "started", a), whole_of(r, "succeeded", b), whole_of(r, "failed", d),
		whole_of(r, "timed_out", e), whole_of(r, "in_flight", g));
	print_outcomes(json_object_get(cell, "outcomes"), out);
	print_messages(json_object_get(cell, "message"), out);
	fprintf(out, "handshakes   %s full, %s resumed, %s failed\n", whole_of(h, "full", a),
		whole_of(h, "resumed", b), whole_of(h, "failed", d));
	if (count_of(h, "early_data") || count_of(h, "early_data_refused"))
		fprintf(out, "early data   %s accepted, %s refused and sent again\n",
			whole_of(h, "early_data", a), whole_of(h, "early_data_refused", b));
	fprintf(out, "connections  %s made, %s failed, %s reconnects\n",
		whole_of(c, "established", a), whole_of(c, "failed", b),
		whole_of(c, "reconnects", d));
	fprintf(out, "wire         %s sent, %s received\n", bytes_of(w, "bytes_sent", a),
		bytes_of(w, "bytes_received", b));
}

static void print_datagrams(const json_t *d, FILE *out)
{
	const json_t *coap = json_object_get(d, "coap"), *udp = json_object_get(d, "machine");
	char a[32], b[32];

	if (!json_is_object(d))
		return;
	fprintf(out, "datagrams    %lld sent, %lld received, %lld dropped here\n",
		count_of(d, "sent"), count_of(d, "received"), count_of(d, "dropped"));
	fprintf(out,
		"sent again   %lld messages of CoAP, %lld flights of DTLS; %lld duplicates, %lld "
		"strays, %lld resets, %lld malformed, %lld with nothing new\n",
		count_of(coap, "retransmissions"), count_of(d, "dtls_retransmissions"),
		count_of(coap, "duplicates"), count_of(coap, "strays"), count_of(coap, "resets"),
		count_of(coap, "malformed"), count_of(d, "dtls_unread"));
	fprintf(out, "buffers      %s lost receiving, %s sending, on all of this machine\n",
		whole_of(udp, "receive_buffer_errors", a), whole_of(udp, "send_buffer_errors", b));
}

static void print_fairness(const json_t *f, FILE *out)
{
	const json_t *n = json_object_get(f, "requests");
	const json_t *mean = json_object_get(f, "service_mean_us");
	char least[32], most[32], even[32], evenly[32];

	if (count_of(f, "clients") < 2)
		return;
	fprintf(out,
		"fairness     %lld clients with %lld to %lld requests (index %s), mean service %s "
		"to %s us (index %s)\n",
		count_of(f, "clients"), count_of(n, "min"), count_of(n, "max"),
		number_of(n, "jain", even), number_of(mean, "min", least),
		number_of(mean, "max", most), number_of(mean, "jain", evenly));
}

/* The lines of Californium's own report. */
static void print_californium(const json_t *c, FILE *out)
{
	static const char *const names[] = { "connects", "responses" };
	static const char *const says[] = { "connects", "success-responses" };

	for (int i = 0; json_is_object(c) && i < 2; i++) {
		const json_t *one = json_object_get(c, names[i]);

		fprintf(out, "%-18s: %s\n", says[i],
			json_is_object(one) ? text_of(one, "text") : "no values available!");
	}
}

static void print_end(const json_t *cell, FILE *out)
{
	const json_t *client = json_object_get(cell, "client");
	const json_t *window = json_object_get(cell, "window");
	char cpu[32], pct[32], late[32], elapsed[32];

	fprintf(out, "client       %s s of CPU, %s %% of a core over %s s, at most %s us late\n",
		number_of(client, "cpu_s", cpu), number_of(client, "cpu_pct", pct),
		number_of(window, "elapsed_s", elapsed),
		number_of(json_object_get(cell, "lateness_us"), "max", late));
	if (json_is_string(json_object_get(cell, "first_failure")))
		fprintf(out, "first failure  %s\n", text_of(cell, "first_failure"));
	if (json_is_false(json_object_get(cell, "valid")))
		fprintf(out, "NOT VALID    %s\n", text_of(cell, "reason"));
}

void load_text(const json_t *cell, FILE *out)
{
	char rate[32];

	print_asked(cell, out);
	fprintf(out, "\nrequests/s   %s\n\n",
		number_of(json_object_get(cell, "requests_per_s"), "mean", rate));
	print_latencies(cell, out);
	fputc('\n', out);
	print_censored(json_object_get(cell, "with_timeouts"), out);
	print_counts(cell, out);
	print_datagrams(json_object_get(cell, "datagrams"), out);
	print_fairness(json_object_get(cell, "fairness"), out);
	print_californium(json_object_get(cell, "californium"), out);
	print_end(cell, out);
}
