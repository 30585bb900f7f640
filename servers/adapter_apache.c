/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_apache - Apache httpd 2.4 with the event or the prefork way of serving. Both have
 * a fixed pool, so that no process is born inside a measure window. Directives:
 * httpd.apache.org/docs/2.4/mod/, core, mpm_common, mod_ssl, mod_deflate, mod_brotli.
 */
#include "lib/path.h"
#include "servers/adapter_words.h"

#define THREADS_EACH 25  /* ThreadsPerChild: httpd's default */
#define POOL         150 /* MaxRequestWorkers: what Debian sets */

static const char *const module_dirs[] = { "/usr/lib/apache2/modules", "/usr/lib64/httpd/modules",
					   "/usr/lib/httpd/modules" };

static const char *modules(void)
{
	size_t last = sizeof module_dirs / sizeof *module_dirs - 1, i = 0;

	while (i < last && !path_exists(module_dirs[i]))
		i++;
	return module_dirs[i];
}

static void load(struct buf *c, const char *name)
{
	buf_printf(c, "LoadModule %s_module %s/mod_%s.so\n", name, modules(), name);
}

static void write_event(struct adapter_job *job, struct buf *c)
{
	int processes = job->params->threads ? job->params->threads : POOL / THREADS_EACH;
	int pool = processes * THREADS_EACH;

	load(c, "mpm_event");
	buf_printf(c,
		   "ServerLimit %d\nStartServers %d\nThreadsPerChild %d\nMaxRequestWorkers %d\n"
		   "MinSpareThreads %d\nMaxSpareThreads %d\n",
		   processes, processes, THREADS_EACH, pool, pool, pool);
	job_set(job, "mpm", "event");
	job_set(job, "processes", "%d", processes);
	job_set(job, "threads_per_process", "%d", THREADS_EACH);
}

static void write_prefork(struct adapter_job *job, struct buf *c)
{
	int pool = job->params->threads ? job->params->threads : POOL;

	load(c, "mpm_prefork");
	buf_printf(c,
		   "ServerLimit %d\nStartServers %d\nMaxRequestWorkers %d\nMinSpareServers %d\n"
		   "MaxSpareServers %d\n",
		   pool, pool, pool, pool, pool + 1);
	job_set(job, "mpm", "prefork");
	job_set(job, "processes", "%d", pool);
}

static void write_tls(struct adapter_job *job, struct buf *c)
{
	char words[CIPHER_BYTES];

	load(c, "ssl");
	if (job->params->http2) {
		load(c, "http2");
		buf_printf(c, "Protocols h2 http/1.1\nH2MaxSessionStreams %u\n", job_streams(job));
	}
	buf_printf(c, "SSLEngine on\nSSLCertificateFile %s\nSSLCertificateKeyFile %s\n",
		   job_cert_file(job), job_key_file(job));
	buf_printf(c, "SSLProtocol -all +%s\n",
		   job_suite(job)->version == TLS13 ? "TLSv1.3" : "TLSv1.2");
	buf_printf(c, "SSLCipherSuite SSL %s\n", job_cipher_list(job, words));
	if (*job_ciphersuites(job))
		buf_printf(c, "SSLCipherSuite TLSv1.3 %s\n", job_ciphersuites(job));
	if (*job_groups(job, words))
		buf_printf(c, "SSLOpenSSLConfCmd Groups %s\n", words);
	buf_printf(c, "SSLHonorCipherOrder on\nSSLSessionCache none\nSSLSessionTickets %s\n",
		   job->params->tickets ? "on" : "off");
}

/* Files made before for who accepts them, by the recipe of mod_deflate's documentation. */
static void write_once(struct buf *c)
{
	load(c, "rewrite");
	load(c, "headers");
	buf_puts(c, "RewriteEngine on\n"
		    "RewriteCond %{HTTP:Accept-Encoding} \\bgzip\\b\n"
		    "RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI}.gz -f\n"
		    "RewriteRule ^(.+)$ %{DOCUMENT_ROOT}$1.gz [L]\n"
		    "RewriteCond %{HTTP:Accept-Encoding} \\bgzip\\b\n"
		    "RewriteRule ^/$ %{DOCUMENT_ROOT}/" PAGE_FILE ".gz [L]\n"
		    "<FilesMatch \"\\.gz$\">\n"
		    "Header set Content-Encoding gzip\n"
		    "Header merge Vary Accept-Encoding\n"
		    "</FilesMatch>\n");
}

static void write_coding(struct adapter_job *job, struct buf *c)
{
	const struct workload_params *w = &job->params->workload_params;
	enum app_encoding e = job_coding(job->params);

	if (e == APP_GZIP && w->compress_once) {
		write_once(c);
	} else if (e == APP_GZIP) {
		load(c, "deflate");
		buf_printf(c, "SetOutputFilter DEFLATE\nDeflateCompressionLevel %d\n", w->level[e]);
	} else if (e == APP_BROTLI) {
		load(c, "brotli");
		buf_printf(c, "SetOutputFilter BROTLI_COMPRESS\nBrotliCompressionQuality %d\n",
			   w->level[e]);
	}
	if (e == APP_IDENTITY)
		job_set(job, "compression", "off");
	else
		job_set(job, "compression", "%s %d%s", app_encoding_name(e), w->level[e],
			w->compress_once ? " once" : "");
}

static void write_files(struct adapter_job *job, struct buf *c)
{
	load(c, "authz_core");
	load(c, "dir");
	buf_printf(c,
		   "DocumentRoot %s/www\n<Directory %s/www>\nAllowOverride None\n"
		   "Require all granted\nOptions FollowSymLinks\nForceType \"%s\"\n"
		   "DirectoryIndex " PAGE_FILE "\nDirectorySlash off\n</Directory>\n",
		   job->dir, job->dir, job_content_type(job));
}

static void write_common(struct adapter_job *job, struct buf *c)
{
	bool keep = !job->params->close_each;
	char host[HOST_BYTES];

	buf_printf(c, "ServerRoot %s\nDefaultRuntimeDir %s\nPidFile %s/pid\nErrorLog %s/log\n",
		   job->dir, job->dir, job->dir, job->dir);
	buf_printf(c, "LogLevel error\nServerName localhost\nListen %s:%u\n", job_host(job, host),
		   job->url.port);
	buf_printf(c, "KeepAlive %s\nMaxKeepAliveRequests 0\nKeepAliveTimeout %d\n",
		   keep ? "on" : "off", LONG_IDLE_S);
	buf_puts(c, "MaxConnectionsPerChild 0\nEnableSendfile off\nEnableMMAP on\n");
	/* httpd will not serve as root: these are "nobody" and "nogroup". */
	if (job->root)
		buf_puts(c, "User #65534\nGroup #65534\n");
	job_set(job, "keepalive", "%s", keep ? "on" : "off");
	job_set(job, "max_keepalive_requests", "%s", "unlimited");
	job_set(job, "sendfile", "off");
	job_set(job, "mmap", "on");
	job_set(job, "access_log", "off");
	job_set(job, "record_bytes", "%d", RECORD_BYTES_MAX);
}

static int configure(struct adapter_job *job, struct fail *f,
		     void (*write_mpm)(struct adapter_job *, struct buf *))
{
	const struct workload_params *w = &job->params->workload_params;
	bool once = w->level[APP_GZIP] && w->compress_once;
	struct buf c = { 0 };
	int status;

	write_mpm(job, &c);
	write_common(job, &c);
	write_files(job, &c);
	write_coding(job, &c);
	if (job_secure(job))
		write_tls(job, &c);
	job_set_tls(job);
	status = job_write(job, "config", &c, 0600, f);
	buf_release(&c);
	return status ? -1 : job_write_pages(job, once ? ".gz" : NULL, NULL, f);
}

static int configure_event(struct adapter_job *job, struct fail *f)
{
	return configure(job, f, write_event);
}

static int configure_prefork(struct adapter_job *job, struct fail *f)
{
	return configure(job, f, write_prefork);
}

static const char *refuses(const struct server_params *p)
{
	if (p->record_bytes != RECORD_BYTES_MAX && !suite_is_plain(&p->listener[0].suite))
		return "the size of its TLS records cannot be set; it is 16 KiB";
	if (p->workload_params.compress_once && job_coding(p) == APP_BROTLI)
		return "it is configured to compress with br for every request only";
	return NULL;
}

static void command(const struct adapter_job *job, struct adapter_argv *argv)
{
	adapter_argv_add(argv, "%s", job->program);
	adapter_argv_add(argv, "-D");
	adapter_argv_add(argv, "FOREGROUND");
	adapter_argv_add(argv, "-d");
	adapter_argv_add(argv, "%s", job->dir);
	adapter_argv_add(argv, "-f");
	adapter_argv_add(argv, "%s/config", job->dir);
}

const struct server_adapter adapter_apache_event = {
	.name = "apache-event",
	.package = "apache2-bin",
	.program = "apache2",
	.version_flag = "-v",
	.help = "Apache httpd, event; --threads is its number of processes of 25 threads",
	.codings = 1u << APP_GZIP | 1u << APP_BROTLI,
	.http2 = true,
	.refuses = refuses,
	.configure = configure_event,
	.command = command,
};

const struct server_adapter adapter_apache_prefork = {
	.name = "apache-prefork",
	.package = "apache2-bin",
	.program = "apache2",
	.version_flag = "-v",
	.help = "Apache httpd, prefork; --threads is its number of processes",
	.codings = 1u << APP_GZIP | 1u << APP_BROTLI,
	.refuses = refuses,
	.configure = configure_prefork,
	.command = command,
};
