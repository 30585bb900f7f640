/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_wrk - wrk.
 *
 * Known: a new connection resumes the session of the one before without a word, so "full" is
 * full only where the server gives no tickets and keeps no sessions; latencies leave connecting
 * out; a response later than the time-out is in no percentile; no suite can be asked for or is
 * told; connections that the server closed are made again silently.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clients/driver.h"
#include "lib/clock.h"

static const char *refuses(const struct load_params *p, char dst[256])
{
	const char *why = driver_refuses_all(p, dst);

	if (why)
		return why;
	if (p->http2)
		snprintf(dst, 256, "it speaks HTTP/1.1 only");
	else if (p->count)
		snprintf(dst, 256, "it runs by duration only: --duration");
	else if (p->warmup_ns)
		snprintf(dst, 256, "it has no warm-up: --warmup 0");
	else if (p->duration_ns % NS_PER_S)
		snprintf(dst, 256, "it counts its time in whole seconds");
	else if (p->suite && p->suite->version != TLS_NONE)
		snprintf(dst, 256, "it can neither ask for a suite nor tell which was negotiated");
	else
		return NULL;
	return dst;
}

static void command(const struct load_params *p, struct driver_args *a)
{
	char url[URL_TEXT_BYTES];

	driver_arg(a, "wrk");
	driver_arg(a, "--latency");
	driver_arg(a, "-t%d", p->threads > 1 ? p->threads : 1);
	driver_arg(a, "-c%d", p->clients);
	driver_arg(a, "-d%llds", (long long)(p->duration_ns / NS_PER_S));
	driver_arg(a, "--timeout");
	driver_arg(a, "%llds", (long long)((p->timeout_ns + NS_PER_S - 1) / NS_PER_S));
	if (!connection_kind[p->connection].keeps)
		driver_arg(a, "-HConnection: close");
	driver_ask_encodings(p, a);
	driver_arg(a, "%s", url_format(&p->url, url));
}

static void read_percentile(struct driver_figures *d, const char *line)
{
	char text[32];
	int percent;

	if (sscanf(line, " %d%% %31s", &percent, text) != 2)
		return;
	if (percent == 50)
		d->service.p50 = driver_duration_us(text);
	else if (percent == 99)
		d->service.p99 = driver_duration_us(text);
}

static void read_line(struct driver_figures *d, const char *line)
{
	char a[32], b[32], c[32];
	long long n, m, k, l;

	if (sscanf(line, " Latency %31s %31s %31s", a, b, c) == 3 && a[0] != 'D') {
		d->service.mean = driver_duration_us(a);
		d->service.max = driver_duration_us(c);
	}
	read_percentile(d, line);
	if (sscanf(line, " %lld requests in %31[^,], %31s", &n, a, b) == 3) {
		d->succeeded = n;
		d->elapsed_s = driver_duration_us(a) / 1e6;
	}
	if (sscanf(line, " Socket errors: connect %lld, read %lld, write %lld, timeout %lld", &n,
		   &m, &k, &l) == 4) {
		d->connects_failed = n;
		d->failed = n + m + k;
		d->timed_out = l;
	}
	if (sscanf(line, " Non-2xx or 3xx responses: %lld", &n) == 1)
		d->status[0] = n;
	sscanf(line, "Requests/sec: %lf", &d->requests_per_s);
}

/* While reading, status[0] holds the responses beside 2xx and 3xx. */
static void finish(const struct load_params *p, struct driver_figures *d)
{
	int64_t strange = d->status[0] > 0 ? d->status[0] : 0;

	d->status[0] = -1;
	if (d->succeeded < 0)
		return;
	d->succeeded -= strange;
	d->failed = (d->failed > 0 ? d->failed : 0) + strange;
	if (d->timed_out < 0)
		d->timed_out = 0;
	else if (d->timed_out)
		driver_note(d, "responses later than the time-out are in no percentile of wrk's");
	if (strange)
		snprintf(d->first_failure, sizeof(d->first_failure),
			 "%lld responses with another status than success", (long long)strange);
	d->resolution_us = 1;
	if (!url_is_secure(&p->url))
		return;
	if (!connection_kind[p->connection].keeps)
		driver_note(d,
			    "resumption not excluded: wrk offers the last session again; compare "
			    "the server's counts, or give it no tickets and no session cache");
}

const struct driver_ops driver_wrk = {
	.name = "wrk",
	.package = "wrk",
	.refuses = refuses,
	.command = command,
	.read_line = read_line,
	.finish = finish,
};
