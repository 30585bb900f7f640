/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_words - what several servers' configurations are written with: OpenSSL's words for
 * a suite, pages as files, settings as text. Internal to servers/adapter*.c.
 */
#ifndef SERVERS_ADAPTER_WORDS_H
#define SERVERS_ADAPTER_WORDS_H

#include "servers/adapter.h"

#define NEVER_REQUESTS  1000000000 /* answers on one connection: beyond any run */
#define LONG_IDLE_S     3600       /* a server must not end what a client keeps */
#define CIPHER_BYTES    160
#define HOST_BYTES      260
#define PAGE_FILE       "index"
#define PAGE_PATH_BYTES 96

const struct suite *job_suite(const struct adapter_job *job);
bool job_secure(const struct adapter_job *job);
const char *job_cert_file(const struct adapter_job *job);
const char *job_key_file(const struct adapter_job *job);

/*
 * The cipher list up to TLS 1.2, at security level 0 as this program's own engine has it,
 * and for TLS 1.3 a list that only sets that level.
 */
const char *job_cipher_list(const struct adapter_job *job, char dst[CIPHER_BYTES]);
/* The cipher suites of TLS 1.3; "" for TLS 1.2. */
const char *job_ciphersuites(const struct adapter_job *job);
/*
 * The groups, "" where the suite has none. In TLS 1.2 the curve of the certificate has to
 * be among them too (RFC 8422 section 5.1.1): it comes second, and is not preferred.
 */
const char *job_groups(const struct adapter_job *job, char dst[CIPHER_BYTES]);

/* The only content coding with a level, or APP_IDENTITY. */
enum app_encoding job_coding(const struct server_params *p);
const char *job_content_type(const struct adapter_job *job);
/* "page/512/json". */
const char *job_page_path(const struct adapter_job *job, char dst[PAGE_PATH_BYTES]);
/* "[::1]" for an IPv6 address. */
const char *job_host(const struct adapter_job *job, char dst[HOST_BYTES]);

/*
 * Connections at once: as many as asked, and as the hard limit of descriptors leaves room for
 * with two for each, of a client and of a file or a server behind.
 */
int job_connections(const struct adapter_job *job);

/* Write dir/name; its directories are made. */
int job_write(struct adapter_job *job, const char *name, const struct buf *content, unsigned mode,
	      struct fail *f);
/*
 * The page as files under dir/www: index and page/SIZE/KIND, of the workload's own bytes;
 * with suffix (".gz") also compressed by it. head: text in front of each, or NULL.
 */
int job_write_pages(struct adapter_job *job, const char *suffix, const char *head, struct fail *f);

/* One more line of settings. */
void job_set(struct adapter_job *job, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The lines that every TLS server has: suite, certificate, session resumption. */
void job_set_tls(struct adapter_job *job);

void adapter_argv_add(struct adapter_argv *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void adapter_argv_release(struct adapter_argv *a);

/* Requests at once on a connection of HTTP/2. */
unsigned job_streams(const struct adapter_job *job);

#endif
