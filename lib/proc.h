/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc - a child process with pipes, ended by its id and never left behind.
 *
 * The child dies with its parent (PR_SET_PDEATHSIG with SIGKILL), so a runner killed
 * with SIGKILL leaves no server behind; what the child itself started is not reached. Who has
 * children of its own and ends them on SIGTERM gets that signal instead (PROC_ENDS). Not
 * thread-safe per struct; start children from a thread that outlives them (the death signal follows
 * the thread).
 */
#ifndef LIB_PROC_H
#define LIB_PROC_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/fail.h"

enum proc_flags {
	PROC_STDIN = 1,  /* pipe to in_fd */
	PROC_STDOUT = 2, /* pipe from out_fd */
	PROC_STDERR = 4, /* pipe from err_fd; else inherited */
	PROC_QUIET = 8,  /* standard error to /dev/null */
	PROC_GROUP = 16, /* a process group of its own: a terminal's Ctrl-C does not reach it */
	PROC_ENDS = 32,  /* it ends its own children when it is told to end: see above */
};

struct proc {
	pid_t pid;                 /* 0: not running */
	int in_fd, out_fd, err_fd; /* -1 where not asked for; close-on-exec, blocking */
	int status;                /* of waitpid(), once ended */
};

/*
 * argv[0] is looked up in PATH. A program that cannot be run is reported here, with its name.
 * The child starts with default SIGPIPE, SIGINT and SIGTERM and nothing blocked.
 */
int proc_start(struct proc *p, char *const argv[], unsigned flags, struct fail *f);

/* 1 ended, now or before (status set), 0 still running, -1 error. Waits until due_ns (0: only
 * look). */
int proc_wait(struct proc *p, int64_t due_ns);

/*
 * Close the pipes, SIGTERM, wait grace_ns, SIGKILL, reap. Safe on a zeroed or ended struct, and
 * called on an ended one to close its pipes. Comes back also when the kernel holds the process.
 */
void proc_stop(struct proc *p, int64_t grace_ns);

/* "exit status 2", "killed by signal 9 (Killed)". */
void proc_describe(const struct proc *p, char *dst, int len);

/*
 * The next line of fd without its newline in *line, valid until the next call;
 * waits until due_ns (in the past: takes what is there). Returns 1 a line, 0 end of
 * file, -1 failed (f->code: ETIMEDOUT, EMSGSIZE for a line longer than max, ...). A
 * last line without a newline is a line. After a time-out it can be called again,
 * with f cleared.
 */
struct proc_lines {
	int fd;
	char *data;
	size_t len, cap, used, max; /* max: bytes of the longest line */
};
void proc_lines_init(struct proc_lines *l, int fd, size_t max);
void proc_lines_release(struct proc_lines *l);
int proc_lines_next(struct proc_lines *l, int64_t due_ns, const char **line, struct fail *f);

#endif
