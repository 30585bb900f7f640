/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_run - the life of a server under test. It must not know any server's syntax.
 *
 * A port is asked of the kernel, given back and configured; when somebody else takes it in
 * between, the server says so and another port is asked for.
 */
#include "servers/adapter_run.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/affinity.h"
#include "lib/clock.h"
#include "lib/usage.h"
#include "servers/adapter_words.h"
#include "servers/listen.h"

#define LISTENING_NS  (20 * NS_PER_S)
#define LOOK_AGAIN_NS (20 * NS_PER_MS)
#define GRACE_NS      (700 * NS_PER_MS) /* with what follows less than a node's eight seconds */
#define KILLED_NS     (5 * NS_PER_S)    /* a hundred workers each need a turn of the CPU to end */
#define PORTS_MAX     8                 /* how often a port may be taken by somebody else */
#define TREE_MAX      512
#define LOG_BYTES_MAX (1 << 20)
#define LINE_BYTES    256

/* --- small things --------------------------------------------------------------- */

const char *adapter_ca_file(const struct adapter_run *r)
{
	return r->job.credential.ca_file[0] ? r->job.credential.ca_file : NULL;
}

int adapter_pids(const struct adapter_run *r, pid_t *dst, int max)
{
	int count = r->proc.pid ? usage_tree(r->proc.pid, dst, max) : 0;

	if (r->plain.pid)
		count += usage_tree(r->plain.pid, dst + count, max - count);
	return count;
}

/* The last line of what it wrote, "" where there is none. */
static void last_words(const struct adapter_run *r, char dst[200])
{
	struct fail ignored = { 0 };
	struct buf log = { 0 };
	char *text, *end;

	dst[0] = '\0';
	if (path_read(r->log_file, LOG_BYTES_MAX, &log, &ignored) == 0 && log.len) {
		text = strdup(buf_text(&log));
		end = text ? text + strlen(text) : NULL;
		while (end > text && (end[-1] == '\n' || end[-1] == ' '))
			*--end = '\0';
		if (text)
			snprintf(dst, 200, "%s",
				 strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text);
		free(text);
	}
	buf_release(&log);
}

static bool log_says(const struct adapter_run *r, const char *words)
{
	struct fail ignored = { 0 };
	struct buf log = { 0 };
	bool says = path_read(r->log_file, LOG_BYTES_MAX, &log, &ignored) == 0 &&
		    strstr(buf_text(&log), words);

	buf_release(&log);
	return says;
}

int adapter_describe_end(struct adapter_run *r, struct fail *f)
{
	char how[64], words[200];

	proc_describe(&r->proc, how, sizeof how);
	last_words(r, words);
	return fail_set(f, ECHILD, "%s ended (%s)%s%s", r->adapter->name, how, words[0] ? ": " : "",
			words);
}

/* --- processes ------------------------------------------------------------------ */

int adapter_spawn(struct proc *proc, const struct adapter_run *r, const struct adapter_argv *argv,
		  unsigned flags, struct fail *f)
{
	static const char script[] =
		"cd \"$1/www\" && shift && exec \"$@\" >>\"$0\" 2>&1 </dev/null";
	static const char script_piped[] = "shift && exec \"$@\" 2>>\"$0\"";
	const char *words[ADAPTER_ARGV_MAX + 8] = { "/bin/sh", "-c", flags ? script_piped : script,
						    r->log_file, r->job.dir };

	if (argv->failed)
		return fail_set(f, E2BIG, "the command line of %s is too long", r->adapter->name);
	for (int i = 0; i < argv->count; i++)
		words[5 + i] = argv->word[i];
	/* httpd ends its whole process group: that must not be ours. */
	return proc_start(proc, (char *const *)(uintptr_t)words, flags | PROC_GROUP | PROC_ENDS, f);
}

/* Everything below this process, children of dead parents included. */
static void end_all(struct adapter_run *r)
{
	pid_t tree[TREE_MAX];
	int64_t due_ns;

	proc_stop(&r->proc, GRACE_NS);
	proc_stop(&r->plain, GRACE_NS);
	due_ns = clock_ns() + KILLED_NS; /* from here: a master may take seconds for its children */
	for (;;) {
		int count = usage_tree(getpid(), tree, TREE_MAX);

		for (int i = 1; i < count; i++)
			kill(tree[i], SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (count <= 1 || clock_ns() > due_ns)
			return;
		clock_sleep_until(clock_ns() + NS_PER_MS);
	}
}

/* --- files ---------------------------------------------------------------------- */

static int make_dir(struct adapter_run *r, struct fail *f)
{
	const char *temp = getenv("TMPDIR");
	char www[PATH_BYTES + 8];

	snprintf(r->job.dir, sizeof r->job.dir, "%s/cipherwatt-%s-XXXXXX",
		 temp && temp[0] == '/' ? temp : "/tmp", r->adapter->name);
	if (!mkdtemp(r->job.dir)) {
		fail_set(f, errno, "cannot make the directory %s: %s", r->job.dir, strerror(errno));
		r->job.dir[0] = '\0';
		return -1;
	}
	snprintf(www, sizeof www, "%s/www", r->job.dir);
	if (mkdir(www, 0755) != 0 || chmod(www, 0755) != 0)
		return fail_set(f, errno, "%s: %s", www, strerror(errno));
	/* A server that changes its user must still reach the pages; keys are 0600. */
	if (r->job.root && chmod(r->job.dir, 0711) != 0)
		return fail_set(f, errno, "%s: %s", r->job.dir, strerror(errno));
	snprintf(r->log_file, sizeof r->log_file, "%.*s/log", PATH_BYTES - 8, r->job.dir);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_dir(struct adapter_run *r)
{
	if (r->job.dir[0])
		nftw(r->job.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	r->job.dir[0] = '\0';
}

/* --- what it is configured from -------------------------------------------------- */

static int count_workers(const struct server_params *p, struct fail *f)
{
	cpu_set_t set;

	if (p->cpus && affinity_parse(p->cpus, &set, f) != 0)
		return -1;
	if (p->threads)
		return p->threads;
	return p->cpus ? CPU_COUNT(&set) : affinity_count();
}

/* This process and all that it starts. */
static int pin(const struct server_params *p, struct fail *f)
{
	cpu_set_t set;

	if (!p->cpus)
		return 0;
	if (affinity_parse(p->cpus, &set, f) != 0)
		return -1;
	return sched_setaffinity(0, sizeof set, &set) == 0
		       ? 0
		       : fail_set(f, errno, "cannot keep to the CPUs %s: %s", p->cpus,
				  strerror(errno));
}

static int get_credential(struct adapter_run *r, struct fail *f)
{
	const struct server_params *p = &r->params;
	const char *host = p->listener[0].url.host;

	if (!job_secure(&r->job) || p->cert_file)
		return 0;
	if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
		host = NULL;
	return credential_get(p->listener[0].suite.credential, p->credential_dir, host,
			      &r->job.credential, f);
}

static int run_version(struct adapter_run *r, struct fail *f)
{
	const char *const words[] = { "/bin/sh",
				      "-c",
				      "exec \"$0\" \"$1\" 2>&1",
				      r->job.program,
				      r->adapter->version_flag,
				      NULL };
	struct proc_lines lines;
	struct proc proc;
	const char *line = NULL;

	if (proc_start(&proc, (char *const *)(uintptr_t)words, PROC_STDOUT | PROC_STDIN, f) != 0)
		return -1;
	proc_lines_init(&lines, proc.out_fd, LINE_BYTES);
	if (proc_lines_next(&lines, clock_ns() + LISTENING_NS, &line, f) > 0)
		snprintf(r->version, sizeof r->version, "%.95s", line);
	proc_lines_release(&lines);
	proc_stop(&proc, GRACE_NS);
	return 0;
}

/* A port that is free now. */
static int choose_port(struct adapter_run *r, struct fail *f)
{
	struct net_address bound;
	int fd = listen_first(&r->params.listener[0].url, 1, &bound, f);

	if (fd < 0)
		return -1;
	r->job.url.port = listen_port(&bound);
	close(fd);
	return 0;
}

/* --- the start -------------------------------------------------------------------- */

enum started { STARTED, PORT_TAKEN, NOT_STARTED };

static enum started wait_listening(struct adapter_run *r, struct fail *f)
{
	int64_t due_ns = clock_ns() + LISTENING_NS;

	while (proc_wait(&r->proc, clock_ns() + LOOK_AGAIN_NS) == 0) {
		if (adapter_listens(r->proc.pid, r->job.url.port))
			return STARTED;
		if (log_says(r, "Address already in use"))
			return PORT_TAKEN;
		if (clock_ns() > due_ns) {
			fail_set(f, ETIMEDOUT, "%s did not listen within %d s", r->adapter->name,
				 (int)(LISTENING_NS / NS_PER_S));
			return NOT_STARTED;
		}
	}
	if (log_says(r, "Address already in use"))
		return PORT_TAKEN;
	adapter_describe_end(r, f);
	return NOT_STARTED;
}

static enum started start_once(struct adapter_run *r, struct fail *f)
{
	struct adapter_argv argv = { 0 };
	enum started how = NOT_STARTED;

	buf_clear(&r->job.settings);
	unlink(r->log_file);
	job_set(&r->job, "version", "%s", r->version);
	if (choose_port(r, f) != 0 || r->adapter->configure(&r->job, f) != 0)
		return NOT_STARTED;
	r->adapter->command(&r->job, &argv);
	if (adapter_spawn(&r->proc, r, &argv, 0, f) == 0)
		how = wait_listening(r, f);
	adapter_argv_release(&argv);
	return how;
}

static int start_on_a_port(struct adapter_run *r, struct fail *f)
{
	enum started how = start_once(r, f);

	/* A port that was asked for by number is no other's to choose. */
	for (int n = 1; how == PORT_TAKEN && n < PORTS_MAX && !r->params.listener[0].url.port;
	     n++) {
		proc_stop(&r->proc, GRACE_NS);
		how = start_once(r, f);
	}
	if (how == PORT_TAKEN)
		fail_set(f, EADDRINUSE, "%s: Address already in use", r->adapter->name);
	return how == STARTED ? 0 : -1;
}

static void set_target(struct adapter_run *r)
{
	char path[PAGE_PATH_BYTES];

	snprintf(r->job.url.target, sizeof r->job.url.target, "/%s",
		 r->adapter->by_path ? job_page_path(&r->job, path) : "");
	url_format(&r->job.url, r->url);
}

static int start(struct adapter_run *r, const char *own, struct fail *f)
{
	if (adapter_check(r->adapter, &r->params, f) != 0)
		return -1;
	r->job.workers = count_workers(&r->params, f);
	if (r->job.workers < 0 || pin(&r->params, f) != 0 || make_dir(r, f) != 0 ||
	    get_credential(r, f) != 0 || run_version(r, f) != 0)
		return -1;
	if (r->adapter->behind_it_is_ours && adapter_start_plain(r, own, f) != 0)
		return -1;
	if (start_on_a_port(r, f) != 0)
		return -1;
	set_target(r);
	if (adapter_answers(r, f) != 0)
		return fail_within(f, "%s", r->adapter->name);
	return r->job.settings.failed ? fail_set(f, ENOMEM, "no memory for its settings") : 0;
}

int adapter_start(struct adapter_run *r, const struct server_adapter *a,
		  const struct server_params *p, const char *own, struct fail *f)
{
	memset(r, 0, sizeof *r);
	r->adapter = a;
	r->params = *p;
	r->job.params = &r->params;
	r->job.url = p->listener[0].url;
	r->job.root = geteuid() == 0;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (adapter_find(a, r->job.program, f) == 0 && start(r, own, f) == 0)
		return 0;
	adapter_stop(r);
	return -1;
}

void adapter_stop(struct adapter_run *r)
{
	if (!r->adapter)
		return;
	end_all(r);
	remove_dir(r);
	buf_release(&r->job.settings);
}
