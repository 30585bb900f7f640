/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_watch - `cipherwatt watch`: the live page of a campaign, until a signal ends it. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/command.h"
#include "results/cmd_watch.h"
#include "results/watch_look.h"
#include "results/watch_page.h"
#include "results/watch_serve.h"

#define LAST 19 /* of nice values */

struct settings {
	const char *campaign;
	int64_t port;
};

static const struct opt options[] = {
	{ .name = "port",
	  .letter = 'p',
	  .kind = OPT_INTEGER,
	  .offset = offsetof(struct settings, port),
	  .metavar = "N",
	  .help = "port of 127.0.0.1 that the page is at; 0: any that is free, which is printed",
	  .preset = "8642",
	  .min = 0,
	  .max = 65535 },
	{ .name = "campaign",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, campaign),
	  .metavar = "ID|NAME",
	  .help = "campaign to watch, the newest of that name; the newest of all when absent, also "
		  "one that begins later" },
	{ 0 },
};

/* --- signals ------------------------------------------------------------------ */

/* Where SIGINT and SIGTERM can be read from now on; -1. */
static int catch_signals(struct fail *f)
{
	sigset_t ends;
	int fd;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? fail_set(f, errno, "cannot wait for signals: %s", strerror(errno)) : fd;
}

/* --- what is served ------------------------------------------------------------- */

static int64_t site_look(void *data, int64_t now_ns)
{
	struct watch_look *l = data;

	watch_look(l, now_ns);
	return l->version;
}

static int write_report(const struct watch_view *v, bool json, struct buf *out)
{
	if (!v->report) {
		buf_printf(out, "There is nothing to report yet: %s.\n", v->fail.text);
		return 503;
	}
	if (json)
		report_write_json(v->report, false, out);
	else
		report_write_html(v->report, false, out);
	return 200;
}

static int site_write(void *data, enum watch_target target, const char *nonce, struct buf *out)
{
	const struct watch_view *v = &((struct watch_look *)data)->view;

	if (target == WATCH_REPORT || target == WATCH_REPORT_JSON)
		return write_report(v, target == WATCH_REPORT_JSON, out);
	if (target == WATCH_PAGE)
		watch_page(v, clock_wall_ns(), nonce, out);
	else
		watch_page_events(v, clock_wall_ns(), target == WATCH_EVENTS, out);
	return 200;
}

/* --- the command ------------------------------------------------------------------ */

static int announce(int64_t port, struct fail *f)
{
	if (printf("watching http://127.0.0.1:%" PRId64 "/\n", port) < 0 || fflush(stdout) != 0)
		return fail_set(f, errno, "cannot write to standard output: %s", strerror(errno));
	return 0;
}

static int serve(const struct command *c, struct watch_look *l, int64_t port)
{
	const struct watch_site site = { l, site_look, site_write };
	struct watch_server *s = NULL;
	struct fail f = { 0 };
	int stop_fd = catch_signals(&f), status;
	int64_t bound;

	setpriority(PRIO_PROCESS, 0, LAST); /* what is measured goes first */
	if (stop_fd >= 0)
		s = watch_server_open(&site, port, &bound, &f);
	status = s ? announce(bound, &f) : -1;
	if (status == 0)
		status = watch_server_run(s, stop_fd, &f);
	watch_server_close(s);
	if (stop_fd >= 0)
		close(stop_fd);
	return status < 0 ? command_fail(c, EXIT_FAILED, "%s", f.text) : EXIT_RESULT;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings set = { 0 };
	struct watch_look l = { 0 };
	struct fail f = { 0 };
	int operands, status = command_parse(c, &set, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands > 1)
		return command_fail(c, EXIT_USAGE, "one database at a time, %d were given",
				    operands);
	l.database = operands ? argv[1] : NULL;
	l.campaign = set.campaign;
	if (watch_look_check(&l, &f) < 0)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	status = serve(c, &l, set.port);
	watch_look_release(&l);
	return command_finish(c, status);
}

const struct command cmd_watch = {
	.name = "watch",
	.usage = {
		.synopsis = "watch [DB] [OPTION]...",
		.summary = "live page of a running campaign on the loopback address",
		.description =
			"Prints 'watching http://127.0.0.1:PORT/' and serves a page there that "
			"keeps itself up to date: how far the campaign is, the last trials, the "
			"cells so far, and the whole report. Without DB it is the database in "
			"$XDG_DATA_HOME/cipherwatt that was written last, so that `run` and "
			"`watch` find each other; one that is not there yet is waited for. Ends "
			"with status 0 on SIGINT or SIGTERM.\n\n"
			"The database is only read, and open only while it is read. With no page "
			"open nothing is done; with one, files' stamps are compared once a second, "
			"and trials that have ended are read, which takes a fiftieth of one core "
			"at most. On a small board even that is measured with the rest: keep `run` "
			"and `watch` away from the server's node where you can, and look at the "
			"page from another machine through `ssh -L`, as a browser costs more than "
			"all of this.\n\n"
			"Nobody but users of this machine reaches the page.",
		.examples = "cipherwatt watch\n"
			    "cipherwatt watch results.db --port 0\n"
			    "ssh -t -L 8642:127.0.0.1:8642 pi@board cipherwatt watch",
		.options = options,
	},
	.run = run,
};
