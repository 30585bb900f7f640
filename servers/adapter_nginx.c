/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_nginx - nginx: one configuration file, in the foreground, a master and as many
 * workers as asked. Directives: nginx.org/en/docs/http/, modules core, ssl, gzip and
 * gzip_static.
 */
#include "servers/adapter_words.h"

#define TEMP_PATHS      5
#define OWN_CONNECTIONS 4 /* of nginx itself: for its listening socket, its master, and spare */
static const char *const temp_path[TEMP_PATHS] = { "client_body", "proxy", "fastcgi", "uwsgi",
						   "scgi" };

static void write_tls(struct adapter_job *job, struct buf *c)
{
	const struct server_params *p = job->params;
	char words[CIPHER_BYTES];

	buf_printf(c, "\t\tssl_certificate %s;\n\t\tssl_certificate_key %s;\n", job_cert_file(job),
		   job_key_file(job));
	buf_printf(c, "\t\tssl_protocols %s;\n",
		   job_suite(job)->version == TLS13 ? "TLSv1.3" : "TLSv1.2");
	buf_printf(c, "\t\tssl_ciphers %s;\n", job_cipher_list(job, words));
	if (*job_ciphersuites(job))
		buf_printf(c, "\t\tssl_conf_command Ciphersuites %s;\n", job_ciphersuites(job));
	if (*job_groups(job, words))
		buf_printf(c, "\t\tssl_ecdh_curve %s;\n", words);
	buf_printf(c,
		   "\t\tssl_prefer_server_ciphers on;\n\t\tssl_session_cache none;\n"
		   "\t\tssl_session_tickets %s;\n\t\tssl_buffer_size %zu;\n",
		   p->tickets ? "on" : "off", p->record_bytes);
	job_set(job, "ssl_buffer_size", "%zu", p->record_bytes);
}

static void write_gzip(struct adapter_job *job, struct buf *c)
{
	const struct workload_params *w = &job->params->workload_params;
	int level = w->level[APP_GZIP];

	if (level && w->compress_once)
		buf_puts(c, "\tgzip off; gzip_static on; gzip_vary on; gzip_http_version 1.0;\n");
	else if (level)
		buf_printf(c,
			   "\tgzip on; gzip_comp_level %d; gzip_min_length 0; gzip_types *;\n"
			   "\tgzip_vary on; gzip_http_version 1.0; gzip_proxied any;\n",
			   level);
	else
		buf_puts(c, "\tgzip off;\n");
	job_set(job, "gzip", level ? "%d%s" : "off", level, w->compress_once ? " once" : "");
}

static void write_server(struct adapter_job *job, struct buf *c)
{
	char host[HOST_BYTES];

	buf_printf(c,
		   "\tserver {\n\t\tlisten %s:%u%s%s;\n\t\troot %s/www;\n\t\tindex " PAGE_FILE
		   ";\n",
		   job_host(job, host), job->url.port, job_secure(job) ? " ssl" : "",
		   job->params->http2 ? " http2" : "", job->dir);
	if (job->params->http2)
		buf_printf(c, "\t\thttp2_max_concurrent_streams %u;\n", job_streams(job));
	if (job_secure(job))
		write_tls(job, c);
	buf_puts(c, "\t}\n}\n");
}

static void write_http(struct adapter_job *job, struct buf *c)
{
	int keep_s = job->params->close_each ? 0 : LONG_IDLE_S;

	buf_puts(c, "http {\n\taccess_log off;\n\tsendfile on;\n\ttcp_nodelay on;\n");
	buf_printf(c, "\tkeepalive_timeout %d;\n\tkeepalive_requests %d;\n", keep_s,
		   NEVER_REQUESTS);
	buf_printf(c, "\ttypes { }\n\tdefault_type \"%s\";\n", job_content_type(job));
	for (int i = 0; i < TEMP_PATHS; i++)
		buf_printf(c, "\t%s_temp_path %s/temp;\n", temp_path[i], job->dir);
	job_set(job, "sendfile", "on");
	job_set(job, "access_log", "off");
	job_set(job, "keepalive_timeout", "%d", keep_s);
	job_set(job, "keepalive_requests", "%d", NEVER_REQUESTS);
}

static int configure(struct adapter_job *job, struct fail *f)
{
	bool once = job->params->workload_params.level[APP_GZIP] &&
		    job->params->workload_params.compress_once;
	struct buf c = { 0 };
	int status;

	job_set(job, "worker_processes", "%d", job->workers);
	job_set(job, "worker_connections", "%d", job_connections(job) + OWN_CONNECTIONS);
	buf_printf(&c, "daemon off;\nmaster_process on;\nworker_processes %d;\npid %s/pid;\n",
		   job->workers, job->dir);
	buf_printf(&c, "error_log %s/log error;\nevents { worker_connections %d; }\n", job->dir,
		   job_connections(job) + OWN_CONNECTIONS);
	write_http(job, &c);
	write_gzip(job, &c);
	write_server(job, &c);
	job_set_tls(job);
	status = job_write(job, "config", &c, 0600, f);
	buf_release(&c);
	return status ? -1 : job_write_pages(job, once ? ".gz" : NULL, NULL, f);
}

static void command(const struct adapter_job *job, struct adapter_argv *argv)
{
	adapter_argv_add(argv, "%s", job->program);
	adapter_argv_add(argv, "-p");
	adapter_argv_add(argv, "%s", job->dir);
	adapter_argv_add(argv, "-e"); /* else the packaged log is opened first */
	adapter_argv_add(argv, "%s/log", job->dir);
	adapter_argv_add(argv, "-c");
	adapter_argv_add(argv, "%s/config", job->dir);
}

const struct server_adapter adapter_nginx = {
	.name = "nginx",
	.package = "nginx-light",
	.program = "nginx",
	.version_flag = "-v",
	.help = "nginx, a master process and a worker for each CPU or as --threads says",
	.codings = 1u << APP_GZIP,
	.has_limit = true,
	.http2 = true,
	.configure = configure,
	.command = command,
};
