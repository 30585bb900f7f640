/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_h2load - h2load, over HTTP/1.1 or HTTP/2.
 *
 * Known: by duration with a connection per request it never ends; it then counts no traffic at
 * all; versions before 1.60 tell no percentiles; its percentiles are the sample at floor(n q)
 * of a reservoir, and those of several threads are merged without weights.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clients/driver.h"
#include "lib/clock.h"

/* It takes the exponent, for a stream and for all together. 0: the window is not such a one. */
static int window_bits(const struct load_params *p)
{
	uint32_t window = p->window_bytes ? p->window_bytes : APP_WINDOW_BYTES;

	for (int bits = 10; bits < 31; bits++)
		if (window == (UINT32_C(1) << bits) - 1)
			return bits;
	return 0;
}

static const char *refuses(const struct load_params *p, char dst[256])
{
	const char *why = driver_refuses_all(p, dst);

	if (why)
		return why;
	if (p->http2 && !connection_kind[p->connection].keeps)
		snprintf(dst, 256, "a connection of HTTP/2 for each request it does not make");
	else if (p->http2 && !window_bits(p))
		snprintf(dst, 256,
			 "its window is a power of two less one: --window 65535 or 1048575");
	else if (p->duration_ns && !connection_kind[p->connection].keeps)
		snprintf(dst, 256,
			 "by duration with a connection per request it does not end: --count");
	else if (p->count && p->warmup_ns)
		snprintf(dst, 256, "it warms up by duration only: --warmup 0");
	else if (p->duration_ns % NS_PER_S || p->warmup_ns % NS_PER_S)
		snprintf(dst, 256, "it counts its time in whole seconds");
	else if (p->count && p->count < p->clients)
		snprintf(dst, 256, "it makes at least one request per client");
	else
		return NULL;
	return dst;
}

static void ask_suite(const struct suite *s, struct driver_args *a)
{
	char curve[16];

	if (s->version == TLS13)
		driver_arg(a, "--tls13-ciphers=%s", s->cipher->iana);
	else
		driver_arg(a, "--ciphers=%s", s->cipher->openssl);
	/* In TLS 1.2 an ECDSA certificate's own curve must be among the groups too. */
	snprintf(curve, sizeof(curve), "P-%d", s->credential->key_bits);
	if (s->group->id && s->version != TLS13 && s->credential->key == KEY_EC &&
	    strcmp(curve, s->group->openssl))
		driver_arg(a, "--groups=%s:%s", s->group->openssl, curve);
	else if (s->group->id)
		driver_arg(a, "--groups=%s", s->group->openssl);
}

static void command(const struct load_params *p, struct driver_args *a)
{
	char url[URL_TEXT_BYTES];

	driver_arg(a, "h2load");
	if (p->http2) {
		driver_arg(a, "-m%d", p->streams > 1 ? p->streams : 1);
		driver_arg(a, "-w%d", window_bits(p));
		driver_arg(a, "-W%d", window_bits(p));
	} else {
		driver_arg(a, "--h1");
	}
	driver_arg(a, "-c%d", p->clients);
	driver_arg(a, "-t%d", p->threads > 1 ? p->threads : 1);
	if (p->count)
		driver_arg(a, "-n%lld", (long long)p->count);
	else
		driver_arg(a, "-D%llds", (long long)(p->duration_ns / NS_PER_S));
	if (p->warmup_ns)
		driver_arg(a, "--warm-up-time=%llds", (long long)(p->warmup_ns / NS_PER_S));
	driver_arg(a, "-T%lldms", (long long)(p->timeout_ns / NS_PER_MS));
	if (!connection_kind[p->connection].keeps)
		driver_arg(a, "-HConnection: close");
	driver_ask_encodings(p, a);
	if (p->suite && p->suite->version != TLS_NONE)
		ask_suite(p->suite, a);
	driver_arg(a, "%s", url_format(&p->url, url));
}

/* "min max mean sd +/- sd", or with median, p95 and p99 between. */
static void read_heads(struct driver_figures *d, const char *line)
{
	char head[8][16];
	int n = sscanf(line, " %15s %15s %15s %15s %15s %15s %15s %15s", head[0], head[1], head[2],
		       head[3], head[4], head[5], head[6], head[7]);

	if (n < 4 || strcmp(head[0], "min") || strcmp(head[1], "max"))
		return;
	memcpy(d->table, head, sizeof(head));
	d->columns = n;
}

static void put(struct driver_latency *l, const char *head, double us)
{
	const struct {
		const char *head;
		double *value;
	} columns[] = { { "min", &l->min },    { "max", &l->max }, { "mean", &l->mean },
			{ "median", &l->p50 }, { "p95", &l->p95 }, { "p99", &l->p99 } };

	for (int i = 0; i < 6; i++) {
		if (!strcmp(columns[i].head, head))
			*columns[i].value = us;
	}
}

static void read_row(struct driver_figures *d, const char *line, const char *label,
		     struct driver_latency *l)
{
	size_t len = strlen(label);
	char cell[8][16];
	int n;

	if (strncmp(line, label, len))
		return;
	n = sscanf(line + len, " : %15s %15s %15s %15s %15s %15s %15s %15s", cell[0], cell[1],
		   cell[2], cell[3], cell[4], cell[5], cell[6], cell[7]);
	for (int i = 0; i < n && i < d->columns; i++)
		put(l, d->table[i], driver_duration_us(cell[i]));
}

static void read_counts(struct driver_figures *d, const char *line)
{
	long long total, started, done, ok, failed, errored, timed_out, s2, s3, s4, s5;

	if (sscanf(line,
		   "requests: %lld total, %lld started, %lld done, %lld succeeded, %lld failed, "
		   "%lld errored, %lld timeout",
		   &total, &started, &done, &ok, &failed, &errored, &timed_out) == 7) {
		d->started = started;
		d->succeeded = ok;
		d->failed = failed - timed_out;
		d->timed_out = timed_out;
	}
	if (sscanf(line, "status codes: %lld 2xx, %lld 3xx, %lld 4xx, %lld 5xx", &s2, &s3, &s4,
		   &s5) == 4) {
		d->status[2] = s2;
		d->status[3] = s3;
		d->status[4] = s4;
		d->status[5] = s5;
	}
}

static void read_line(struct driver_figures *d, const char *line)
{
	long long wire, head, body;
	char a[32];

	sscanf(line, "TLS Protocol: %15s", d->version);
	sscanf(line, "Cipher: %63s", d->cipher);
	driver_read_group(d, line);
	if (sscanf(line, "finished in %31[^,], %lf req/s", a, &d->requests_per_s) == 2)
		d->elapsed_s = driver_duration_us(a) / 1e6;
	read_counts(d, line);
	if (sscanf(line,
		   "traffic: %*s (%lld) total, %*s (%lld) headers (space savings %*[^)]), %*s "
		   "(%lld) "
		   "data",
		   &wire, &head, &body) == 3)
		d->body_bytes = body;
	read_heads(d, line);
	read_row(d, line, "time for request", &d->service);
	read_row(d, line, "time for connect", &d->handshake);
}

static void finish(const struct load_params *p, struct driver_figures *d)
{
	struct driver_latency unknown = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	if (d->succeeded < 0)
		return;
	d->resolution_us = 1;
	if (p->duration_ns)
		d->elapsed_s = (double)p->duration_ns / NS_PER_S; /* it tells warm-up and end too */
	if (!(d->handshake.max > 0))
		d->handshake = unknown; /* all connections were made in the warm-up */
	if (d->started < d->succeeded + d->failed)
		d->started = d->succeeded + d->failed + d->timed_out; /* never connected */
	if (isfinite(d->service.p95) && p->threads > 1)
		driver_note(d, "percentiles of several threads are merged without weights");
	if (d->failed > 0 && connection_kind[p->connection].keeps)
		driver_note(d, "a server that closes after so many requests (nginx: "
			       "keepalive_requests) makes failures here");
}

const struct driver_ops driver_h2load = {
	.name = "h2load",
	.package = "nghttp2-client",
	.refuses = refuses,
	.command = command,
	.read_line = read_line,
	.finish = finish,
};
