/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter - the servers under test: a const row for each says how a well-known server is
 * found, configured from a cell and started. `builtin`, this program's own, is one of them.
 *
 * A row must not know who measures. What all of them share (files, ports, processes, the
 * check of what they negotiate) is in adapter_run.h.
 */
#ifndef SERVERS_ADAPTER_H
#define SERVERS_ADAPTER_H

#include "ciphers/credential.h"
#include "lib/proc.h"
#include "servers/server.h"

/* What a server is configured from: the first listener of p, and p's other settings. */
struct adapter_job {
	const struct server_params *params;
	char program[PATH_BYTES];     /* path of the server's program */
	char dir[PATH_BYTES];         /* private, of this job alone */
	struct url url;               /* where it listens; host and port are real */
	struct credential credential; /* of the suite; files "" where plain */
	uint16_t plain_port; /* of our own plain server behind it, where the row wants one */
	int workers;         /* processes or threads, at least 1 */
	bool root;           /* run as root: a server may change its user */
	struct buf settings; /* "name=value" lines: those that decide the result */
};

#define ADAPTER_ARGV_MAX 48
struct adapter_argv {
	char *word[ADAPTER_ARGV_MAX + 1];
	int count;
	bool failed; /* no memory, or more words than fit */
};

struct server_adapter {
	const char *name;    /* as in a campaign's `servers` */
	const char *package; /* Debian package that brings it; NULL: nothing is needed */
	const char *program; /* looked for by adapter_find(); NULL: this program itself */
	const char *version_flag;
	const char *help;
	unsigned codings;       /* bit set of enum app_encoding that it can compress with */
	bool behind_it_is_ours; /* it stands in front of this program's plain server */
	bool by_path;           /* it has no "/": the page is at /page/SIZE/KIND */
	bool http2;             /* over TLS, by ALPN, beside HTTP/1.1 */
	bool has_limit;         /* on the connections at once, as it is configured here */
	/* NULL, or why it cannot do what p asks, in a sentence's end. Rows may be NULL here. */
	const char *(*refuses)(const struct server_params *p);
	/* Writes what it needs into job->dir and names its settings. */
	int (*configure)(struct adapter_job *job, struct fail *f);
	void (*command)(const struct adapter_job *job, struct adapter_argv *argv);
};

extern const struct server_adapter adapter_builtin, adapter_nginx, adapter_apache_event,
	adapter_apache_prefork, adapter_lighttpd, adapter_s_server, adapter_haproxy;
extern const struct server_adapter *const server_adapters[]; /* ends with NULL; builtin first */
extern const char *const server_adapter_names[];             /* the same, their names */

const struct server_adapter *adapter_by_name(const char *name);

/*
 * Path of its program: in the directories of PATH, and in the sbin beside each of them that
 * is called bin, because an ordinary user's PATH has none. -1: the reason names the package.
 */
int adapter_find(const struct server_adapter *a, char dst[PATH_BYTES], struct fail *f);

/* Whether it can do what p asks: one listener, its suite, compression and so on. -1: why not. */
int adapter_check(const struct server_adapter *a, const struct server_params *p, struct fail *f);

#endif
