/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_run - a server under test from its start to its end: private files, a port, the
 * processes, and the check that it answers with what was asked.
 *
 * Whoever starts one becomes the parent of what its processes leave behind
 * (PR_SET_CHILD_SUBREAPER), so that all of them can be ended by their ids, also when a
 * master process was killed and could not end its workers. So a process runs one of them at a
 * time, and has no other children.
 */
#ifndef SERVERS_ADAPTER_RUN_H
#define SERVERS_ADAPTER_RUN_H

#include "servers/adapter.h"

struct adapter_run {
	const struct server_adapter *adapter;
	struct server_params params; /* a copy; its texts are borrowed until stop */
	struct adapter_job job;
	struct proc proc;
	struct proc plain;        /* our own server behind it; not running: none */
	char version[96];         /* as it says itself */
	char url[URL_TEXT_BYTES]; /* to ask, with the page's target */
	char log_file[PATH_BYTES];
};

/*
 * Find, configure and start it, wait until it accepts connections, and have one connection
 * answered. own: path of this program. 0: it serves. -1: the reason in f, with what the server
 * said; nothing is left behind.
 */
int adapter_start(struct adapter_run *r, const struct server_adapter *a,
		  const struct server_params *p, const char *own, struct fail *f);
/* What a client can trust; NULL where plain, and where the certificate was given. */
const char *adapter_ca_file(const struct adapter_run *r);
/* Every living process of it, at most max; returns how many. */
int adapter_pids(const struct adapter_run *r, pid_t *dst, int max);
/* After it ended by itself: how, and its last words. Always -1. */
int adapter_describe_end(struct adapter_run *r, struct fail *f);
/* End every process, remove the files. Safe on a zeroed struct. */
void adapter_stop(struct adapter_run *r);

/* --- for adapter_*.c and the tests ------------------------------------------------ */

/*
 * argv as r's child, in the document root with its output in the log; with flags, of proc.h, in
 * this directory and only its standard error there. A shell becomes the program: one process,
 * with the signal that comes when its parent dies.
 */
int adapter_spawn(struct proc *proc, const struct adapter_run *r, const struct adapter_argv *argv,
		  unsigned flags, struct fail *f);
/* r->plain, and its port for the configuration. */
int adapter_start_plain(struct adapter_run *r, const char *own, struct fail *f);

/*
 * A process of the tree at pid listens on this TCP port: read from /proc, because a
 * connection would be taken by anybody who had the port.
 */
bool adapter_listens(pid_t pid, uint16_t port);

/*
 * One connection: the handshake agrees on exactly the suite of params, and the page comes
 * whole with status 200. -1: what was asked, and what came.
 */
int adapter_answers(const struct adapter_run *r, struct fail *f);

#endif
