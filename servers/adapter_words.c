/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_words - words, files and settings that the rows of adapters share. It must not
 * know any server's syntax.
 */
#include "servers/adapter_words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/path.h"
#include "workloads/page_content.h"

#define RESERVED_DESCRIPTORS 256 /* listeners, logs, pipes between processes */

const struct suite *job_suite(const struct adapter_job *job)
{
	return &job->params->listener[0].suite;
}

bool job_secure(const struct adapter_job *job)
{
	return !suite_is_plain(job_suite(job));
}

const char *job_cert_file(const struct adapter_job *job)
{
	return job->params->cert_file ? job->params->cert_file : job->credential.cert_file;
}

const char *job_key_file(const struct adapter_job *job)
{
	return job->params->key_file ? job->params->key_file : job->credential.key_file;
}

const char *job_cipher_list(const struct adapter_job *job, char dst[CIPHER_BYTES])
{
	const struct suite *s = job_suite(job);

	snprintf(dst, CIPHER_BYTES, "%s:@SECLEVEL=0",
		 s->version == TLS13 ? "DEFAULT" : s->cipher->openssl);
	return dst;
}

const char *job_ciphersuites(const struct adapter_job *job)
{
	const struct suite *s = job_suite(job);

	return s->version == TLS13 ? s->cipher->openssl : "";
}

const char *job_groups(const struct adapter_job *job, char dst[CIPHER_BYTES])
{
	const struct suite *s = job_suite(job);
	const char *curve = s->credential->curve;

	dst[0] = '\0';
	if (s->group->id == 0)
		return dst;
	snprintf(dst, CIPHER_BYTES, "%s", s->group->openssl);
	if (s->version == TLS12 && curve && strcmp(curve, s->group->openssl) != 0)
		snprintf(dst, CIPHER_BYTES, "%s:%s", s->group->openssl, curve);
	return dst;
}

enum app_encoding job_coding(const struct server_params *p)
{
	int e = APP_ENCODINGS - 1;

	while (e > APP_IDENTITY && !p->workload_params.level[e])
		e--;
	return (enum app_encoding)e;
}

static enum page_kind kind_of(const struct adapter_job *job)
{
	return page_kind_by_name(job->params->workload_params.payload_kind);
}

const char *job_content_type(const struct adapter_job *job)
{
	return page_content_type[kind_of(job)];
}

const char *job_page_path(const struct adapter_job *job, char dst[PAGE_PATH_BYTES])
{
	const struct workload_params *w = &job->params->workload_params;

	snprintf(dst, PAGE_PATH_BYTES, "page/%lld/%s", (long long)w->payload_bytes,
		 w->payload_kind);
	return dst;
}

const char *job_host(const struct adapter_job *job, char dst[HOST_BYTES])
{
	const char *host = job->url.host;

	snprintf(dst, HOST_BYTES, strchr(host, ':') ? "[%s]" : "%s", host);
	return dst;
}

int job_connections(const struct adapter_job *job)
{
	struct rlimit limit;
	rlim_t room;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max <= 2 * RESERVED_DESCRIPTORS)
		return job->params->connections;
	room = (limit.rlim_max - RESERVED_DESCRIPTORS) / 2;
	return room < (rlim_t)job->params->connections ? (int)room : job->params->connections;
}

int job_write(struct adapter_job *job, const char *name, const struct buf *content, unsigned mode,
	      struct fail *f)
{
	char path[2 * PATH_BYTES], *end;

	if (content->failed)
		return fail_set(f, ENOMEM, "no memory for %s", name);
	snprintf(path, sizeof path, "%s/%s", job->dir, name);
	end = strrchr(path, '/');
	*end = '\0';
	if (path_make_dirs(path, f) != 0)
		return -1;
	*end = '/';
	return path_write(path, content->data, content->len, mode, f);
}

/* One answer of the workload at both its places. */
static int write_answer(struct adapter_job *job, const struct app_response *r, const char *suffix,
			const char *head, struct fail *f)
{
	char path[PAGE_PATH_BYTES], name[2 * PAGE_PATH_BYTES];
	struct buf content = { 0 };
	int status = -1;

	if (head)
		buf_puts(&content, head);
	buf_put(&content, r->body, (size_t)r->body_bytes);
	snprintf(name, sizeof name, "www/%s%s", job_page_path(job, path), suffix);
	if (job_write(job, name, &content, 0644, f) != 0)
		goto out;
	snprintf(name, sizeof name, "www/%s%s", PAGE_FILE, suffix);
	status = job_write(job, name, &content, 0644, f);
out:
	buf_release(&content);
	return status;
}

int job_write_pages(struct adapter_job *job, const char *suffix, const char *head, struct fail *f)
{
	struct workload w = { .ops = &workload_page, .params = job->params->workload_params };
	struct app_request q = { .method = APP_GET, .target = "/", .accepts = 1u << APP_IDENTITY };
	struct buf scratch = { 0 };
	struct app_response r;
	int status = -1;

	if (w.ops->open(&w) != 0)
		return fail_set(f, w.fail.code, "%s", w.fail.text);
	w.ops->answer(&w, &q, &scratch, &r);
	if (r.status != 200)
		fail_set(f, ENOMEM, "no memory for a page of this size");
	else
		status = write_answer(job, &r, "", head, f);
	if (status == 0 && suffix) {
		q.accepts = 1u << job_coding(job->params);
		w.ops->answer(&w, &q, &scratch, &r);
		status = write_answer(job, &r, suffix, NULL, f);
	}
	w.ops->close(&w);
	buf_release(&scratch);
	return status;
}

void job_set(struct adapter_job *job, const char *name, const char *fmt, ...)
{
	char value[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof value, fmt, ap);
	va_end(ap);
	buf_printf(&job->settings, "%s=%s\n", name, value);
}

void job_set_tls(struct adapter_job *job)
{
	char list[CIPHER_BYTES];

	if (!job_secure(job))
		return;
	job_set(job, "ciphers", "%s",
		*job_ciphersuites(job) ? job_ciphersuites(job) : job_cipher_list(job, list));
	job_set(job, "groups", "%s", job_groups(job, list));
	job_set(job, "tickets", "%s", job->params->tickets ? "on" : "off");
	job_set(job, "session_cache", "%s", "off");
}

void adapter_argv_add(struct adapter_argv *a, const char *fmt, ...)
{
	char *word = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (a->count == ADAPTER_ARGV_MAX || vasprintf(&word, fmt, ap) < 0)
		a->failed = true;
	else
		a->word[a->count++] = word;
	va_end(ap);
}

void adapter_argv_release(struct adapter_argv *a)
{
	for (int i = 0; i < a->count; i++)
		free(a->word[i]);
	memset(a, 0, sizeof *a);
}

unsigned job_streams(const struct adapter_job *job)
{
	return job->params->streams ? job->params->streams : APP_STREAMS;
}
