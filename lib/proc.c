/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc - fork, exec, wait, stop.
 *
 * fork() and not posix_spawn(), because only code between fork and exec can ask
 * for the death signal.  That code calls async-signal-safe functions only; when
 * exec fails it says so through a pipe that a successful exec closes.
 */
#include "lib/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"

#define LOOK_AGAIN_NS    (5 * NS_PER_MS) /* where the kernel has no pidfd_open() */
#define AFTER_SIGKILL_NS (5 * NS_PER_S)

/* Pipes of one start; -1 where there is none. [0] is read from, [1] written to. */
struct pipes {
	int in[2], out[2], err[2], report[2];
};

static void close_fd(int *fd)
{
	if (*fd > STDERR_FILENO)
		close(*fd);
	*fd = -1;
}

static void close_pipes(struct pipes *p)
{
	int *const all[] = { p->in, p->out, p->err, p->report };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		close_fd(&all[i][0]);
		close_fd(&all[i][1]);
	}
}

/* Above the standard three, so that the child's dup2() never meets one of them. */
static int move_up(int fd)
{
	int moved;

	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return moved;
}

static int make_pipe(int fd[2])
{
	if (pipe2(fd, O_CLOEXEC))
		return -1;
	fd[0] = move_up(fd[0]);
	fd[1] = move_up(fd[1]);
	return fd[0] < 0 || fd[1] < 0 ? -1 : 0;
}

static int make_pipes(struct pipes *p, unsigned flags)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (make_pipe(p->report) || (flags & PROC_STDIN && make_pipe(p->in)) ||
	    (flags & PROC_STDOUT && make_pipe(p->out)) ||
	    (flags & PROC_STDERR && make_pipe(p->err)))
		return -1;
	return 0;
}

static bool put_in_place(int fd, int place)
{
	return fd < 0 || dup2(fd, place) >= 0;
}

static void default_signals(void)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigaction(SIGPIPE, &by_default, NULL);
	sigaction(SIGINT, &by_default, NULL);
	sigaction(SIGTERM, &by_default, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child; returns only when it failed, with errno set. */
static void become(char *const argv[], const struct pipes *p, unsigned flags, pid_t parent)
{
	int null = -1;

	if (prctl(PR_SET_PDEATHSIG, flags & PROC_ENDS ? SIGTERM : SIGKILL))
		return;
	if (getppid() != parent) { /* it died before the line above */
		errno = ESRCH;
		return;
	}
	if (flags & PROC_GROUP && setpgid(0, 0))
		return;
	if (flags & PROC_QUIET && !(flags & PROC_STDERR)) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (null < 0)
			return;
	}
	if (!put_in_place(p->in[0], STDIN_FILENO) || !put_in_place(p->out[1], STDOUT_FILENO) ||
	    !put_in_place(p->err[1], STDERR_FILENO) || !put_in_place(null, STDERR_FILENO))
		return;
	default_signals();
	execvp(argv[0], argv);
}

static void report_and_exit(int fd)
{
	int code = errno;
	ssize_t n = write(fd, &code, sizeof(code));

	_exit(n == (ssize_t)sizeof(code) ? 127 : 126);
}

/* 0 when the child became the program, else the errno of what stopped it. */
static int read_report(int fd)
{
	int code = 0;
	ssize_t n;

	do
		n = read(fd, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(code) ? code : 0;
}

static int reap(pid_t pid, int *status)
{
	int got;

	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -1 : 0;
}

static int take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int proc_start(struct proc *p, char *const argv[], unsigned flags, struct fail *f)
{
	pid_t parent = getpid(), pid = -1;
	struct pipes pipes;
	int status = -1, code;

	*p = (struct proc){ .in_fd = -1, .out_fd = -1, .err_fd = -1 };
	if (make_pipes(&pipes, flags) || (pid = fork()) < 0) {
		fail_set(f, errno, "cannot start %s: %s", argv[0], strerror(errno));
		goto out;
	}
	if (!pid) {
		become(argv, &pipes, flags, parent);
		report_and_exit(pipes.report[1]);
	}
	close_fd(&pipes.report[1]);
	code = read_report(pipes.report[0]);
	if (code) {
		reap(pid, &p->status);
		fail_set(f, code, "cannot run %s: %s", argv[0], strerror(code));
		goto out;
	}
	p->pid = pid;
	p->in_fd = take(&pipes.in[1]);
	p->out_fd = take(&pipes.out[0]);
	p->err_fd = take(&pipes.err[0]);
	status = 0;
out:
	close_pipes(&pipes);
	return status;
}

/* Until the process ends or due_ns: may return early. */
static void wait_for_end(pid_t pid, int64_t due_ns)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	int64_t left_ns = due_ns - clock_ns();
	struct timespec left;

	if (left_ns <= 0)
		left_ns = 0;
	else if (fd < 0 && left_ns > LOOK_AGAIN_NS)
		left_ns = LOOK_AGAIN_NS;
	left.tv_sec = (time_t)(left_ns / NS_PER_S);
	left.tv_nsec = (long)(left_ns % NS_PER_S);
	ppoll(&ended, 1, &left, NULL); /* a negative descriptor is only a sleep */
	if (fd >= 0)
		close(fd);
}

int proc_wait(struct proc *p, int64_t due_ns)
{
	if (!p->pid)
		return 1;
	for (;;) {
		pid_t got = waitpid(p->pid, &p->status, WNOHANG);

		if (got == p->pid) {
			p->pid = 0;
			return 1;
		}
		if (got < 0 && errno != EINTR)
			return -1;
		if (due_ns <= clock_ns())
			return 0;
		wait_for_end(p->pid, due_ns);
	}
}

void proc_stop(struct proc *p, int64_t grace_ns)
{
	close_fd(&p->in_fd);
	close_fd(&p->out_fd);
	close_fd(&p->err_fd);
	if (!p->pid)
		return;
	kill(p->pid, SIGTERM);
	if (proc_wait(p, clock_ns() + grace_ns) == 0) {
		kill(p->pid, SIGKILL);
		/* A process stuck in the kernel cannot be reaped; it must not stop us too. */
		proc_wait(p, clock_ns() + AFTER_SIGKILL_NS);
	}
	p->pid = 0;
}

void proc_describe(const struct proc *p, char *dst, int len)
{
	size_t room = len > 0 ? (size_t)len : 0;

	if (p->pid)
		snprintf(dst, room, "still running");
	else if (WIFEXITED(p->status))
		snprintf(dst, room, "exit status %d", WEXITSTATUS(p->status));
	else
		snprintf(dst, room, "killed by signal %d (%s)", WTERMSIG(p->status),
			 strsignal(WTERMSIG(p->status)));
}
