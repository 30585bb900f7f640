/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_ab - ApacheBench.
 *
 * Known: latencies are whole milliseconds; a response of another length than the first counts as
 * failed, one of status 500 does not; one thread; no group can be asked for; responses without
 * keep-alive end a connection silently, which its count of kept ones gives away.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clients/driver.h"
#include "lib/clock.h"

/* It stops at the time limit or here: it makes room for a record of each request beforehand. */
#define COUNT_MAX 2000000

static const char *refuses(const struct load_params *p, char dst[256])
{
	const char *why = driver_refuses_all(p, dst);

	if (why)
		return why;
	if (p->http2)
		snprintf(dst, 256, "it speaks HTTP/1.1 only");
	else if (p->threads > 1)
		snprintf(dst, 256, "it has one thread");
	else if (p->warmup_ns)
		snprintf(dst, 256, "it has no warm-up: --warmup 0");
	else if (p->duration_ns % NS_PER_S)
		snprintf(dst, 256, "it counts its time in whole seconds");
	else if (p->count && p->count < p->clients)
		snprintf(dst, 256, "it makes at least one request per client");
	else
		return NULL;
	return dst;
}

static void ask_suite(const struct suite *s, struct driver_args *a)
{
	driver_arg(a, "-f");
	driver_arg(a, "%s", s->version == TLS13 ? "TLS1.3" : "TLS1.2");
	if (s->version == TLS13)
		return;
	driver_arg(a, "-Z");
	driver_arg(a, "%s", s->cipher->openssl);
}

static void command(const struct load_params *p, struct driver_args *a)
{
	char url[URL_TEXT_BYTES];

	driver_arg(a, "ab");
	driver_arg(a, "-q");
	driver_arg(a, "-c");
	driver_arg(a, "%d", p->clients);
	if (p->duration_ns) {
		driver_arg(a, "-t");
		driver_arg(a, "%lld", (long long)(p->duration_ns / NS_PER_S));
	}
	driver_arg(a, "-n");
	driver_arg(a, "%lld", (long long)(p->count ? p->count : COUNT_MAX));
	driver_arg(a, "-s");
	driver_arg(a, "%lld", (long long)((p->timeout_ns + NS_PER_S - 1) / NS_PER_S));
	if (connection_kind[p->connection].keeps)
		driver_arg(a, "-k");
	driver_ask_encodings(p, a);
	if (p->suite && p->suite->version != TLS_NONE)
		ask_suite(p->suite, a);
	driver_arg(a, "%s", url_format(&p->url, url));
}

static bool count_of(const char *line, const char *label, int64_t *into)
{
	size_t len = strlen(label);
	long long n;

	if (strncmp(line, label, len) || sscanf(line + len, " %lld", &n) != 1)
		return false;
	*into = n;
	return true;
}

static void read_times(const char *line, const char *label, struct driver_latency *l)
{
	double min, mean, sd, median, max;
	size_t len = strlen(label);

	if (strncmp(line, label, len) ||
	    sscanf(line + len, " %lf %lf %lf %lf %lf", &min, &mean, &sd, &median, &max) != 5)
		return;
	l->min = min * 1000;
	l->mean = mean * 1000;
	l->p50 = median * 1000;
	l->max = max * 1000;
}

static void read_percentile(struct driver_figures *d, const char *line)
{
	int percent;
	double ms;

	if (sscanf(line, " %d%% %lf", &percent, &ms) != 2)
		return;
	if (percent == 50)
		d->response.p50 = ms * 1000;
	else if (percent == 95)
		d->response.p95 = ms * 1000;
	else if (percent == 99)
		d->response.p99 = ms * 1000;
}

static void read_line(struct driver_figures *d, const char *line)
{
	int64_t kept, bytes, length;
	double value;

	sscanf(line, "SSL/TLS Protocol: %15[^,],%63[^,]", d->version, d->cipher);
	driver_read_group(d, line);
	if (sscanf(line, "Time taken for tests: %lf", &value) == 1)
		d->elapsed_s = value;
	if (sscanf(line, "Requests per second: %lf", &value) == 1)
		d->requests_per_s = value;
	count_of(line, "Complete requests:", &d->succeeded);
	count_of(line, "Failed requests:", &d->failed);
	if (count_of(line, "Non-2xx responses:", &bytes))
		d->status[0] = bytes;
	if (count_of(line, "   (Connect:", &d->connects_failed)) {
		const char *at = strstr(line, "Length:");

		if (at && count_of(at, "Length:", &length))
			d->status[1] = length;
	}
	if (count_of(line, "Keep-Alive requests:", &kept))
		d->reconnects = kept;
	if (count_of(line, "Total transferred:", &bytes))
		d->wire_bytes_received = -1; /* decrypted bytes: not what is meant here */
	count_of(line, "HTML transferred:", &d->body_bytes);
	read_times(line, "Connect:", &d->handshake);
	read_times(line, "Processing:", &d->service);
	read_times(line, "Total:", &d->response);
	read_percentile(d, line);
}

/* While reading, status[0] and [1] hold responses beside 2xx and of another length. */
static void finish(const struct load_params *p, struct driver_figures *d)
{
	int64_t complete = d->succeeded;
	int64_t strange = d->status[0] > 0 ? d->status[0] : 0;
	int64_t lengths = d->status[1] > 0 ? d->status[1] : 0;

	d->status[0] = d->status[1] = -1;
	if (complete < 0)
		return;
	if (lengths)
		driver_note(d,
			    "%lld responses had another length than the first: ab calls that a "
			    "failure, here it is none",
			    (long long)lengths);
	d->resolution_us = 1000;
	d->failed += strange - lengths;
	d->succeeded = complete - strange - (d->connects_failed > 0 ? d->connects_failed : 0);
	d->started = d->succeeded + d->failed;
	d->timed_out = 0; /* ab gives up altogether at its first */
	if (strange)
		snprintf(d->first_failure, sizeof(d->first_failure),
			 "%lld responses with another status than success", (long long)strange);
	if (!strange)
		d->status[2] = complete;
	if (!connection_kind[p->connection].keeps)
		d->connects = complete;
	else if (d->reconnects >= 0)
		d->reconnects = complete - d->reconnects;
	if (!strange && !d->failed && d->elapsed_s > 0 && complete)
		d->response.mean = (double)p->clients * d->elapsed_s * 1e6 / (double)complete;
}

const struct driver_ops driver_ab = {
	.name = "ab",
	.package = "apache2-utils",
	.refuses = refuses,
	.command = command,
	.read_line = read_line,
	.finish = finish,
};
