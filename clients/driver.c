/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver - a load generator as a child process: found, started, read to its end, ended.
 */
#include "clients/driver.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/affinity.h"
#include "lib/clock.h"
#include "lib/proc.h"

/* What a child may take beyond what was asked. */
#define PATIENCE_NS  (20 * NS_PER_S)
#define GRACE_NS     NS_PER_S
#define LINE_BYTES   4096
#define COUNT_NS_MAX (3600 * NS_PER_S)

const struct driver_ops *const drivers[] = { &driver_ab, &driver_wrk, &driver_h2load, NULL };
const char *const driver_names[] = { "builtin", "ab", "wrk", "h2load", NULL };

bool driver_available(const struct driver_ops *d)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (path && *path) {
		int len = (int)strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", len, path, d->name);
		if (!access(file, X_OK))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

void driver_figures_clear(struct driver_figures *d)
{
	static const struct driver_latency unknown = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	*d = (struct driver_figures){ .response = unknown,
				      .service = unknown,
				      .handshake = unknown,
				      .requests_per_s = NAN,
				      .elapsed_s = NAN,
				      .resolution_us = NAN };
	d->started = d->succeeded = d->failed = d->timed_out = -1;
	d->connects = d->reconnects = d->connects_failed = -1;
	d->wire_bytes_received = d->body_bytes = -1;
	for (int i = 0; i < 6; i++)
		d->status[i] = -1;
}

const char *driver_refuses_all(const struct load_params *p, char dst[256])
{
	const char *what = p->rate_per_s > 0              ? "--rate"
			   : p->think_ns                  ? "--think"
			   : p->ramp_ns                   ? "--ramp"
			   : p->url.scheme > URL_HTTPS    ? "CoAP"
			   : p->resume_pct                ? "--connection resume"
			   : p->connection_requests       ? "--connection keepalive:N"
			   : p->connection_rate_per_s > 0 ? "--connection-rate"
			   : p->upload_bytes_per_s        ? "--upload-rate"
			   : p->download_bytes_per_s      ? "--download-rate"
			   : p->ca_file                   ? "--ca (it verifies nothing: --insecure)"
			   : p->cert_file                 ? "--cert"
			   : p->server_name               ? "--server-name"
			   : p->verify_body               ? "--verify-body"
			   : p->streams > 1 && !p->http2  ? "--streams over HTTP/1.1"
							  : NULL;

	if (!what)
		return NULL;
	snprintf(dst, 256, "it has no equal of %s", what);
	return dst;
}

void driver_ask_encodings(const struct load_params *p, struct driver_args *args)
{
	char text[64] = "";
	size_t len = 0;

	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++) {
		if (p->accepts >> e & 1)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
						len ? ", " : "",
						app_encoding_name((enum app_encoding)e));
	}
	if (len)
		driver_arg(args, "-HAccept-Encoding: %s", text);
}

/* --- what was negotiated -------------------------------------------------- */

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
	return !strcasecmp(text, a) || !strcasecmp(text, b) || (c && !strcasecmp(text, c));
}

/* Only what was told can differ. */
static int check_suite(const struct driver_ops *ops, const struct suite *s,
		       const struct driver_figures *d, struct fail *f)
{
	const char *version = s->version == TLS13 ? "TLSv1.3" : "TLSv1.2";
	const char *group = !strcmp(d->group, "prime256v1") ? "P-256" : d->group;

	if (d->version[0] && strcmp(d->version, version))
		return fail_set(f, EPROTO, "%s negotiated %s, asked for %s", ops->name, d->version,
				version);
	if (d->cipher[0] && !is_one_of(d->cipher, s->cipher->openssl, s->cipher->iana, NULL))
		return fail_set(f, EPROTO, "%s negotiated %s, asked for %s", ops->name, d->cipher,
				s->cipher->openssl);
	if (group[0] && s->group->id &&
	    !is_one_of(group, s->group->openssl, s->group->iana, s->group->name))
		return fail_set(f, EPROTO, "%s negotiated group %s, asked for %s", ops->name, group,
				s->group->name);
	return 0;
}

void driver_read_group(struct driver_figures *d, const char *line)
{
	char first[32], second[32];
	int n = sscanf(line, "Server Temp Key: %31[^ ,]%*[ ,]%31[^ ,]", first, second);

	if (n < 1)
		return;
	snprintf(d->group, sizeof(d->group), "%s",
		 n == 2 && !strcmp(first, "ECDH") ? second : first);
}

/* --- the child ------------------------------------------------------------ */

/* The child inherits them; ours are put back. */
static int restrict_cpus(const char *cpus, cpu_set_t *before, struct fail *f)
{
	cpu_set_t set;

	if (!cpus)
		return 0;
	if (affinity_parse(cpus, &set, f))
		return -1;
	if (sched_getaffinity(0, sizeof(*before), before) ||
	    sched_setaffinity(0, sizeof(set), &set))
		return fail_set(f, errno, "cannot keep to CPUs %s: %s", cpus, strerror(errno));
	return 0;
}

/* True: more may come. */
static bool drain(const struct driver_ops *ops, struct driver_figures *d, struct proc_lines *lines,
		  bool complaints)
{
	struct fail f = { 0 };
	const char *line;
	int got;

	while ((got = proc_lines_next(lines, 0, &line, &f)) == 1) {
		if (complaints && line[0])
			snprintf(d->first_failure, sizeof(d->first_failure), "%s", line);
		ops->read_line(d, line);
	}
	return got < 0 && f.code == ETIMEDOUT;
}

static int read_all(const struct driver_ops *ops, struct proc *child, struct driver_figures *d,
		    int64_t until_ns, struct fail *f)
{
	struct proc_lines lines[2];
	struct pollfd fds[2] = { { .fd = child->out_fd, .events = POLLIN },
				 { .fd = child->err_fd, .events = POLLIN } };
	bool late = false;

	proc_lines_init(&lines[0], child->out_fd, LINE_BYTES);
	proc_lines_init(&lines[1], child->err_fd, LINE_BYTES);
	while ((fds[0].fd >= 0 || fds[1].fd >= 0) && !late) {
		int64_t left_ns = until_ns - clock_ns();

		poll(fds, 2, left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0);
		for (int i = 0; i < 2; i++) {
			if (fds[i].fd >= 0 && fds[i].revents && !drain(ops, d, &lines[i], i == 1))
				fds[i].fd = -1;
		}
		late = clock_ns() >= until_ns;
	}
	proc_lines_release(&lines[0]);
	proc_lines_release(&lines[1]);
	return late ? fail_set(f, ETIMEDOUT, "%s did not end when it should have", ops->name) : 0;
}

static int64_t children_cpu_ns(int64_t *rss_peak_kib)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	*rss_peak_kib = used.ru_maxrss;
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_S +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * NS_PER_US;
}

static int64_t deadline_ns(const struct load_params *p)
{
	int64_t asked_ns = p->duration_ns ? p->duration_ns + p->warmup_ns : COUNT_NS_MAX;

	return clock_ns() + asked_ns + p->timeout_ns + PATIENCE_NS;
}

static int run_child(const struct driver_ops *ops, char *const argv[], const struct load_params *p,
		     struct driver_figures *d, struct fail *f)
{
	struct proc child = { 0 };
	int64_t ignored, cpu_ns = children_cpu_ns(&ignored);
	int status;

	d->from_ns = clock_ns();
	if (proc_start(&child, argv, PROC_STDOUT | PROC_STDERR, f))
		return -1;
	status = read_all(ops, &child, d, deadline_ns(p), f);
	d->to_ns = clock_ns(); /* of one that lingers, its last word */
	if (!status && proc_wait(&child, clock_ns() + GRACE_NS) == 1)
		d->to_ns = clock_ns();
	proc_stop(&child, GRACE_NS);
	d->cpu_ns = children_cpu_ns(&d->rss_peak_kib) - cpu_ns;
	return status;
}

/* Errors never count as fast successes: what mixes both is left out. */
void driver_conclude(const struct driver_ops *ops, const struct load_params *p,
		     struct driver_figures *d)
{
	static const struct driver_latency unknown = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	ops->finish(p, d);
	if (d->succeeded < 0)
		return;
	if (d->failed <= 0) {
		d->first_failure[0] = '\0';
		return;
	}
	d->response = d->service = unknown;
	d->requests_per_s = d->elapsed_s > 0 ? (double)d->succeeded / d->elapsed_s : NAN;
	driver_note(d, "latencies of %s mix successes and failures: left out", ops->name);
	if (!d->first_failure[0])
		snprintf(d->first_failure, sizeof(d->first_failure),
			 "%lld requests failed, %s does not say why", (long long)d->failed,
			 ops->name);
}

int driver_run(const struct driver_ops *d, const struct load_params *p,
	       struct driver_figures *figures, struct fail *f)
{
	struct driver_args args = { 0 };
	cpu_set_t before;
	char why[256];
	int status = -1;

	driver_figures_clear(figures);
	if (!driver_available(d))
		return fail_set(f, ENOENT, "%s is not installed: it is in Debian's package %s",
				d->name, d->package);
	if (d->refuses(p, why))
		return fail_set(f, EINVAL, "%s cannot do this: %s", d->name, why);
	d->command(p, &args);
	if (args.failed)
		fail_set(f, ENOMEM, "no memory for the command line of %s", d->name);
	else if (!restrict_cpus(p->cpus, &before, f)) {
		status = run_child(d, args.word, p, figures, f);
		if (p->cpus)
			sched_setaffinity(0, sizeof(before), &before);
	}
	driver_args_release(&args);
	if (status)
		return status;
	driver_conclude(d, p, figures);
	if (figures->succeeded < 0)
		return fail_set(f, EPROTO, "%s told no result: %s", d->name,
				figures->first_failure[0] ? figures->first_failure
							  : "nor a reason");
	return p->suite && !suite_is_plain(p->suite) ? check_suite(d, p->suite, figures, f) : 0;
}

const char *driver_verdict(const struct load_params *p, const struct driver_figures *d,
			   char dst[256])
{
	int64_t bad = (d->failed > 0 ? d->failed : 0) + (d->timed_out > 0 ? d->timed_out : 0);

	if (d->succeeded <= 0)
		snprintf(dst, 256, "no request succeeded");
	else if (100.0 * (double)d->succeeded < p->min_success_pct * (double)(d->succeeded + bad))
		snprintf(dst, 256, "%lld requests failed or timed out and %lld succeeded",
			 (long long)bad, (long long)d->succeeded);
	else
		return NULL;
	return dst;
}
