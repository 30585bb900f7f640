/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_lighttpd - lighttpd 1.4. Directives: redmine.lighttpd.net/projects/lighttpd/wiki,
 * Docs_ConfigurationOptions, Docs_SSL, Docs_ModDeflate.
 */
#include "servers/adapter_words.h"

/* server.max-keep-alive-requests is 16 bits wide: more than this cannot be said. */
#define REQUESTS_MAX 65535

static void write_tls(struct adapter_job *job, struct buf *c)
{
	const char *version = job_suite(job)->version == TLS13 ? "TLSv1.3" : "TLSv1.2";
	char words[CIPHER_BYTES];

	buf_printf(c, "ssl.engine = \"enable\"\nssl.pemfile = \"%s\"\nssl.privkey = \"%s\"\n",
		   job_cert_file(job), job_key_file(job));
	buf_printf(c,
		   "ssl.openssl.ssl-conf-cmd = (\n\t\"MinProtocol\" => \"%s\",\n"
		   "\t\"MaxProtocol\" => \"%s\",\n\t\"CipherString\" => \"%s\",\n",
		   version, version, job_cipher_list(job, words));
	if (*job_ciphersuites(job))
		buf_printf(c, "\t\"Ciphersuites\" => \"%s\",\n", job_ciphersuites(job));
	if (*job_groups(job, words))
		buf_printf(c, "\t\"Groups\" => \"%s\",\n", words);
	buf_printf(c, "\t\"Options\" => \"%sSessionTicket\",\n)\n",
		   job->params->tickets ? "" : "-");
}

static void write_coding(struct adapter_job *job, struct buf *c)
{
	const struct workload_params *w = &job->params->workload_params;
	enum app_encoding e = job_coding(job->params);
	int level = w->level[e];

	if (e == APP_IDENTITY) {
		job_set(job, "compression", "off");
		return;
	}
	job_set(job, "compression", "%s %d%s", app_encoding_name(e), level,
		w->compress_once ? " once" : "");
	buf_printf(c, "deflate.allowed-encodings = ( \"%s\" )\ndeflate.mimetypes = ( \"\" )\n",
		   app_encoding_name(e));
	buf_puts(c, "deflate.min-compress-size = 0\ndeflate.max-compress-size = 2097151\n");
	if (e == APP_GZIP)
		buf_printf(c, "deflate.compression-level = %d\n", level);
	else
		buf_printf(c, "deflate.params = ( \"%s\" => %d )\n",
			   e == APP_BROTLI ? "BROTLI_PARAM_QUALITY" : "ZSTD_c_compressionLevel",
			   level);
	if (w->compress_once)
		buf_printf(c, "deflate.cache-dir = \"%s/cache\"\n", job->dir);
}

static void write_limits(struct adapter_job *job, struct buf *c)
{
	int requests = job->params->close_each ? 0 : REQUESTS_MAX;

	buf_printf(c, "server.max-worker = %d\n", job->workers > 1 ? job->workers : 0);
	buf_printf(c, "server.max-fds = %d\nserver.max-connections = %d\n",
		   2 * job_connections(job) + 64, job_connections(job));
	buf_printf(c, "server.max-keep-alive-requests = %d\nserver.max-keep-alive-idle = %d\n",
		   requests, LONG_IDLE_S);
	job_set(job, "processes", "%d", job->workers);
	job_set(job, "max_connections", "%d", job_connections(job));
	job_set(job, "max_keep_alive_requests", "%d", requests);
	job_set(job, "network_backend", "%s", "default");
	job_set(job, "access_log", "off");
	job_set(job, "record_bytes", "%d", RECORD_BYTES_MAX);
}

static int configure(struct adapter_job *job, struct fail *f)
{
	struct buf c = { 0 }, empty = { 0 };
	char host[HOST_BYTES];
	int status;

	buf_printf(&c, "server.modules = ( %s%s )\n", job_secure(job) ? "\"mod_openssl\", " : "",
		   job_coding(job->params) ? "\"mod_deflate\"" : "");
	buf_printf(&c, "server.document-root = \"%s/www\"\nserver.errorlog = \"%s/log\"\n",
		   job->dir, job->dir);
	buf_printf(&c, "server.bind = \"%s\"\nserver.port = %u\nserver.pid-file = \"%s/pid\"\n",
		   job_host(job, host), job->url.port, job->dir);
	buf_printf(&c,
		   "index-file.names = ( \"" PAGE_FILE
		   "\" )\nmimetype.assign = ( \"\" => \"%s\" )\n",
		   job_content_type(job));
	buf_printf(&c, "server.feature-flags = ( \"server.h2proto\" => \"%s\" )\n",
		   job->params->http2 ? "enable" : "disable");
	write_limits(job, &c);
	write_coding(job, &c);
	if (job_secure(job))
		write_tls(job, &c);
	job_set_tls(job);
	status = job_write(job, "config", &c, 0600, f);
	if (status == 0)
		status = job_write(job, "cache/.keep", &empty, 0600, f);
	buf_release(&c);
	return status ? -1 : job_write_pages(job, NULL, NULL, f);
}

static const char *refuses(const struct server_params *p)
{
	if (p->http2 && p->streams)
		return "the number of streams of HTTP/2 cannot be set";
	if (p->record_bytes != RECORD_BYTES_MAX && !suite_is_plain(&p->listener[0].suite))
		return "the size of its TLS records cannot be set; it is 16 KiB";
	return NULL;
}

static void command(const struct adapter_job *job, struct adapter_argv *argv)
{
	adapter_argv_add(argv, "%s", job->program);
	adapter_argv_add(argv, "-D");
	adapter_argv_add(argv, "-f");
	adapter_argv_add(argv, "%s/config", job->dir);
}

const struct server_adapter adapter_lighttpd = {
	.name = "lighttpd",
	.package = "lighttpd (and lighttpd-mod-openssl, lighttpd-mod-deflate)",
	.program = "lighttpd",
	.version_flag = "-v",
	.help = "lighttpd, one process for each CPU or as --threads says",
	.codings = 1u << APP_GZIP | 1u << APP_BROTLI | 1u << APP_ZSTD,
	.has_limit = true,
	.http2 = true,
	.refuses = refuses,
	.configure = configure,
	.command = command,
};
