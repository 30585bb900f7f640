/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_haproxy - HAProxy ending TLS in front of this program's plain server, which also
 * compresses. Both are measured as one. Directives: docs.haproxy.org, configuration manual,
 * sections 3 to 5.
 */
#include <string.h>

#include "lib/path.h"
#include "servers/adapter_words.h"

#define PEM_BYTES_MAX (256 << 10)

/* One file with certificate and key is what `crt` wants. */
static int write_pem(struct adapter_job *job, struct fail *f)
{
	struct buf pem = { .secret = true };
	int status = -1;

	if (path_read(job_cert_file(job), PEM_BYTES_MAX, &pem, f) == 0 &&
	    path_read(job_key_file(job), PEM_BYTES_MAX, &pem, f) == 0)
		status = job_write(job, "pem", &pem, 0600, f);
	buf_release(&pem);
	return status;
}

static void write_bind(struct adapter_job *job, struct buf *c)
{
	const char *version = job_suite(job)->version == TLS13 ? "TLSv1.3" : "TLSv1.2";
	char host[HOST_BYTES], words[CIPHER_BYTES];

	buf_printf(c, "\tbind %s:%u", job_host(job, host), job->url.port);
	if (job_secure(job)) {
		buf_printf(c, " ssl crt %s/pem ssl-min-ver %s ssl-max-ver %s ciphers %s", job->dir,
			   version, version, job_cipher_list(job, words));
		if (*job_ciphersuites(job))
			buf_printf(c, " ciphersuites %s", job_ciphersuites(job));
		if (*job_groups(job, words))
			buf_printf(c, " curves %s", words);
		buf_printf(c, " alpn %shttp/1.1%s", job->params->http2 ? "h2," : "",
			   job->params->tickets ? "" : " no-tls-tickets");
	}
	buf_puts(c, "\n");
}

static void write_global(struct adapter_job *job, struct buf *c)
{
	const struct server_params *p = job->params;

	buf_printf(c, "global\n\tnbthread %d\n\tmaxconn %d\n", job->workers, job_connections(job));
	buf_printf(c, "\ttune.ssl.cachesize 0\n\ttune.ssl.maxrecord %zu\n", p->record_bytes);
	if (p->http2)
		buf_printf(c, "\ttune.h2.max-concurrent-streams %u\n", job_streams(job));
	buf_printf(c,
		   "defaults\n\tmode http\n\ttimeout connect 5s\n\ttimeout client %ds\n"
		   "\ttimeout server %ds\n\ttimeout http-keep-alive %ds\n\thttp-reuse always\n",
		   LONG_IDLE_S, LONG_IDLE_S, LONG_IDLE_S);
	job_set(job, "threads", "%d", job->workers);
	job_set(job, "maxconn", "%d", job_connections(job));
	job_set(job, "maxrecord", "%zu", p->record_bytes);
	job_set(job, "http_reuse", "always");
	job_set(job, "keepalive", "%s", p->close_each ? "off" : "on");
	job_set(job, "behind", "%s", "builtin, plain, one thread for each of its own");
}

static int configure(struct adapter_job *job, struct fail *f)
{
	struct buf c = { 0 };
	int status;

	write_global(job, &c);
	buf_puts(&c, "frontend front\n");
	write_bind(job, &c);
	if (job->params->close_each)
		buf_puts(&c, "\toption httpclose\n");
	buf_printf(&c, "\tdefault_backend plain\nbackend plain\n\tserver plain 127.0.0.1:%u\n",
		   job->plain_port);
	job_set_tls(job);
	status = job_write(job, "config", &c, 0600, f);
	buf_release(&c);
	return status == 0 && job_secure(job) ? write_pem(job, f) : status;
}

static void command(const struct adapter_job *job, struct adapter_argv *argv)
{
	adapter_argv_add(argv, "%s", job->program);
	adapter_argv_add(argv, "-db"); /* neither a daemon nor quiet */
	adapter_argv_add(argv, "-f");
	adapter_argv_add(argv, "%s/config", job->dir);
}

const struct server_adapter adapter_haproxy = {
	.name = "haproxy",
	.package = "haproxy",
	.program = "haproxy",
	.version_flag = "-v",
	.help = "HAProxy ending TLS in front of this program's plain server",
	.codings = 1u << APP_GZIP | 1u << APP_BROTLI | 1u << APP_ZSTD,
	.has_limit = true,
	.behind_it_is_ours = true,
	.http2 = true,
	.configure = configure,
	.command = command,
};
