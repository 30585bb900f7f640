/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_s_server - `openssl s_server`. With -HTTP it sends a file that has its own header
 * fields, found under the directory it runs in; -WWW would send a fixed header without a
 * length, so that a cut answer could not be told from a whole one. Its limits: one
 * connection after the other, closed after one answer; "/" has no file; no compression;
 * TLS only.
 */
#include <stdio.h>

#include "servers/adapter_words.h"

static int configure(struct adapter_job *job, struct fail *f)
{
	char head[256];

	snprintf(head, sizeof head,
		 "HTTP/1.0 200 OK\r\nContent-Type: %s\r\nContent-Length: %lld\r\n"
		 "Connection: close\r\n\r\n",
		 job_content_type(job), (long long)job->params->workload_params.payload_bytes);
	job_set(job, "connections_at_once", "%d", 1);
	job_set(job, "keepalive", "off");
	job_set(job, "max_send_frag", "%zu", job->params->record_bytes);
	job_set_tls(job);
	return job_write_pages(job, NULL, head, f);
}

static const char *refuses(const struct server_params *p)
{
	if (suite_is_plain(&p->listener[0].suite))
		return "it speaks TLS only";
	if (!p->close_each)
		return "it closes every connection after one answer: --close-each, which is "
		       "connection mode full, is the only one it can have";
	if (p->threads > 1)
		return "it serves one connection after the other: one thread is all it has";
	return NULL;
}

static void command(const struct adapter_job *job, struct adapter_argv *argv)
{
	bool tls13 = job_suite(job)->version == TLS13;
	char host[HOST_BYTES], words[CIPHER_BYTES];

	adapter_argv_add(argv, "%s", job->program);
	adapter_argv_add(argv, "s_server");
	adapter_argv_add(argv, "-quiet");
	adapter_argv_add(argv, "-HTTP");
	adapter_argv_add(argv, "-accept");
	adapter_argv_add(argv, "%s:%u", job_host(job, host), job->url.port);
	adapter_argv_add(argv, "-cert");
	adapter_argv_add(argv, "%s", job_cert_file(job));
	adapter_argv_add(argv, "-key");
	adapter_argv_add(argv, "%s", job_key_file(job));
	adapter_argv_add(argv, tls13 ? "-tls1_3" : "-tls1_2");
	adapter_argv_add(argv, "-cipher");
	adapter_argv_add(argv, "%s", job_cipher_list(job, words));
	if (tls13) {
		adapter_argv_add(argv, "-ciphersuites");
		adapter_argv_add(argv, "%s", job_ciphersuites(job));
	}
	if (*job_groups(job, words)) {
		adapter_argv_add(argv, "-groups");
		adapter_argv_add(argv, "%s", words);
	}
	adapter_argv_add(argv, "-max_send_frag");
	adapter_argv_add(argv, "%zu", job->params->record_bytes);
	adapter_argv_add(argv, "-num_tickets");
	adapter_argv_add(argv, "%d", job->params->tickets);
	adapter_argv_add(argv, "-no_cache");
	if (!job->params->tickets)
		adapter_argv_add(argv, "-no_ticket");
}

const struct server_adapter adapter_s_server = {
	.name = "s_server",
	.package = "openssl",
	.program = "openssl",
	.version_flag = "version",
	.help = "openssl s_server -HTTP: TLS only, one connection after the other",
	.by_path = true,
	.refuses = refuses,
	.configure = configure,
	.command = command,
};
