/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_other - a server under test from its start to its end, in the words of `serve`: it
 * says where it listens, answers lines with what is known from outside, and ends with its
 * server, whoever ends first. It must not know how any server is configured.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/usage.h"
#include "servers/adapter_run.h"
#include "servers/serve_life.h"
#include "servers/serve_loop.h"

#define TREE_MAX 512

/*
 * A parent that dies would have this process killed at once, and what it started left
 * behind: ask for a signal that can be obeyed. Without a parent's wish nothing changes.
 */
static void end_gently(void)
{
	int signal_id = 0;

	if (prctl(PR_GET_PDEATHSIG, &signal_id) == 0 && signal_id == SIGKILL)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* "name=value" lines as an object. */
static json_t *settings_json(const struct adapter_run *r)
{
	struct buf text = r->job.settings;
	const char *line = buf_text(&text), *end;
	json_t *all = json_object();

	for (; (end = strchr(line, '\n')); line = end + 1) {
		const char *equals = memchr(line, '=', (size_t)(end - line));
		char name[64];

		snprintf(name, sizeof name, "%.*s", (int)(equals - line), line);
		json_object_set_new(all, name,
				    json_stringn(equals + 1, (size_t)(end - equals - 1)));
	}
	return all;
}

static json_t *other_counters(void *data)
{
	struct adapter_run *r = data;
	const char *ca_file = adapter_ca_file(r);
	int64_t cpu_ns = 0, one_ns, rss_kib = 0, one_kib;
	json_t *pids = json_array();
	pid_t tree[TREE_MAX];
	int count = adapter_pids(r, tree, TREE_MAX);

	for (int i = 0; i < count; i++) {
		one_ns = usage_process_cpu_ns(tree[i]);
		one_kib = usage_rss_peak_kib(tree[i]);
		cpu_ns += one_ns > 0 ? one_ns : 0;
		rss_kib += one_kib > 0 ? one_kib : 0;
		json_array_append_new(pids, json_integer(tree[i]));
	}
	return json_pack("{s:I, s:s, s:s, s:o, s:o, s:I, s:I, s:s, s:[s?]}", "at_ns",
			 (json_int_t)clock_ns(), "server", r->adapter->name, "server_version",
			 r->version, "settings", settings_json(r), "pids", pids, "cpu_ns",
			 (json_int_t)cpu_ns, "rss_peak_kib", (json_int_t)rss_kib, "log",
			 r->log_file, "ca_files", ca_file);
}

static int announce(const struct adapter_run *r, struct fail *f)
{
	if (serve_loop_announce(r->url, f) != 0)
		return -1;
	if (adapter_ca_file(r))
		log_say(LOG_NOTE, "serve: clients verify %s with --ca %s", r->url,
			adapter_ca_file(r));
	log_say(LOG_NOTE, "serve: %s, log %s", r->version, r->log_file);
	return 0;
}

static int watch_it(struct adapter_run *r, bool counters, struct fail *f)
{
	int end_fd = (int)syscall(SYS_pidfd_open, r->proc.pid, 0), status;
	const struct serve_watch watch = { counters ? other_counters : NULL, r, end_fd };
	bool ended = false;

	if (end_fd < 0)
		return fail_set(f, errno, "cannot watch %s: %s", r->adapter->name, strerror(errno));
	status = serve_loop_run(&watch, &ended, f);
	close(end_fd);
	if (status == 0 && ended) {
		proc_wait(&r->proc, clock_ns() + NS_PER_S);
		return adapter_describe_end(r, f);
	}
	return status;
}

int serve_other(const struct command *c, const struct server_adapter *a,
		const struct server_params *p, bool counters)
{
	static struct adapter_run r;
	char own[PATH_BYTES] = "";
	struct fail f = { 0 };
	int status;

	end_gently();
	serve_raise_descriptor_limit(p);
	serve_loop_prepare();
	if (readlink("/proc/self/exe", own, sizeof own - 1) < 0)
		return command_fail(c, EXIT_FAILED, "cannot find this program: %s",
				    strerror(errno));
	if (adapter_start(&r, a, p, own, &f) != 0)
		return command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	status = announce(&r, &f) == 0 ? watch_it(&r, counters, &f) : -1;
	adapter_stop(&r);
	if (status != 0)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	return command_finish(c, EXIT_RESULT);
}
