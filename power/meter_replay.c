/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_replay - "replay:FILE,...": a log, or a trace that this program recorded, as a meter.
 * It must not know dialects.
 *
 * A log is read whole when it is opened; of a recorded trace only what is asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/path.h"
#include "power/replay.h"

#define LOG_MOST (size_t)(INT64_C(256) << 20)

struct replay {
	struct trace log;
	bool recorded;
	int fd;
	int64_t len;
	/* Reading one after the other: */
	struct trace_reader reader;
	struct sample *chunk;
	size_t next, count;
};

static bool begins_with_magic(int fd)
{
	char head[8];

	return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
	       memcmp(head, TRACE_MAGIC, sizeof head) == 0;
}

static int open_recorded(struct meter *m, struct replay *r, const char *path)
{
	char source[sizeof m->facts.source];
	struct stat st;

	r->recorded = true;
	if (fstat(r->fd, &st) != 0)
		return fail_set(&m->fail, errno, "cannot read %s: %s", path, strerror(errno));
	r->len = st.st_size;
	if (trace_reader_open(&r->reader, NULL, r->fd, r->len, &m->fail) != 0)
		return -1;
	r->chunk = malloc(TRACE_CHUNK * sizeof *r->chunk);
	if (r->chunk == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	snprintf(source, sizeof source, "%s", m->facts.source);
	m->facts = r->reader.facts;
	/* What measured it is the source; the file's name is on the command line. */
	if (m->facts.source[0] == '\0')
		snprintf(m->facts.source, sizeof m->facts.source, "%s", source);
	return 0;
}

static int open_log(struct meter *m, struct replay *r, const char *path,
		    const struct replay_options *o)
{
	char source[sizeof m->facts.source];
	struct buf text = { .max = 0 };
	int status = -1;

	if (path_read(path, LOG_MOST, &text, &m->fail) == 0) {
		status = replay_read(&r->log, o, text.data ? text.data : "", text.len, &m->fail);
	}
	buf_release(&text);
	if (status != 0)
		return -1;
	r->log.facts.error_unknown = o->error_pct < 0;
	if (o->error_pct > 0)
		r->log.facts.gain_ppm = llround(o->error_pct * 1e4);
	snprintf(source, sizeof source, "%s", m->facts.source);
	m->facts = r->log.facts;
	snprintf(m->facts.source, sizeof m->facts.source, "%s", source);
	return 0;
}

static void replay_free(struct replay *r)
{
	if (r->fd >= 0)
		close(r->fd);
	trace_reader_close(&r->reader);
	trace_release(&r->log);
	free(r->chunk);
	free(r);
}

static int replay_open(struct meter *m, const char *arg)
{
	struct replay *r = calloc(1, sizeof *r);
	struct replay_options o;
	const char *path;
	struct args a;
	int status = -1;

	if (r == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	r->fd = -1;
	replay_options_init(&o);
	if (args_init(&a, arg, &m->fail) != 0)
		goto out;
	path = args_first(&a);
	if (path == NULL) {
		fail_set(&m->fail, EINVAL, "expected a file, such as replay:log.csv");
		goto out;
	}
	if (replay_options_read(&o, &a) != 0 || args_finish(&a) != 0)
		goto out;
	r->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0)
		fail_set(&m->fail, errno == ENOENT ? EINVAL : errno, "cannot read %s: %s", path,
			 strerror(errno));
	else if (begins_with_magic(r->fd))
		status = open_recorded(m, r, path);
	else
		status = open_log(m, r, path, &o);
out:
	if (status != 0) {
		replay_free(r);
		return -1;
	}
	m->impl = r;
	m->stored = true;
	return 0;
}

static int replay_read_next(struct meter *m, struct sample *s)
{
	struct replay *r = m->impl;
	struct trace_chunk c;
	int more;

	if (!r->recorded) {
		if (r->next == r->log.count)
			return 1;
		*s = r->log.sample[r->next++];
		return 0;
	}
	if (r->next == r->count) {
		more = trace_reader_next(&r->reader, &c, &m->fail);
		if (more <= 0)
			return more < 0 ? -1 : 1;
		if (trace_reader_load(&r->reader, &c, r->chunk, &m->fail) != 0)
			return -1;
		r->next = 0;
		r->count = c.count;
	}
	*s = r->chunk[r->next++];
	return 0;
}

/* The first stamp of a recorded trace; its reader stands behind the head again afterwards. */
static int first_stamp(struct replay *r, struct trace_reader *reader, int64_t *first_ns,
		       struct fail *f)
{
	int64_t at = reader->at;
	struct trace_chunk c;
	int more = trace_reader_next(reader, &c, f);

	if (more == 0)
		return fail_set(f, ENODATA, "the trace holds no complete chunk of readings");
	if (more < 0 || trace_reader_load(reader, &c, r->chunk, f) != 0)
		return -1;
	*first_ns = r->chunk[0].before_ns + (r->chunk[0].after_ns - r->chunk[0].before_ns) / 2;
	reader->at = at;
	return 0;
}

static int64_t seconds(double s, int64_t first_ns, int64_t otherwise_ns)
{
	return isnan(s) ? otherwise_ns : first_ns + llround(s * 1e9);
}

int replay_window(struct meter *m, double from_s, double to_s, trace_visit *visit, void *data,
		  int64_t *first_ns, struct trace *counts, struct fail *f)
{
	struct replay *r = m->impl;
	struct trace_reader reader;
	int status;

	*counts = (struct trace){ .facts = m->facts };
	if (!r->recorded) {
		*first_ns = r->log.sample[0].before_ns;
		return visit(data, r->log.sample, r->log.count) < 0 ? -1 : 0;
	}
	if (trace_reader_open(&reader, NULL, r->fd, r->len, f) != 0)
		return -1;
	status = first_stamp(r, &reader, first_ns, f);
	if (status == 0)
		status = trace_reader_window(&reader, seconds(from_s, *first_ns, INT64_MIN),
					     seconds(to_s, *first_ns, INT64_MAX), visit, data, f);
	counts->late = reader.late;
	counts->lost = reader.lost;
	counts->cpu_ns = reader.cpu_ns;
	trace_reader_close(&reader);
	return status;
}

static int replay_watch(struct meter *m, const pid_t *pids, int count)
{
	(void)m, (void)pids, (void)count;
	return 0;
}

static void replay_close(struct meter *m)
{
	if (m->impl != NULL)
		replay_free(m->impl);
}

const struct meter_ops meter_replay = {
	.name = "replay",
	.help = "FILE[,dialect=NAME][,time=UNIT|none][,power=NAME:UNIT][,columns=time:ms/power:mW]"
		"[,meaning=instant][,rate=HZ][,volts=3.3V][,wrap=J][,use=power|vi|energy|charge]"
		"[,label=NAME][,separator=comma][,decimal=comma][,backward=refuse|rebase|drop]"
		"[,scale=1][,zeros=data][,error=PERCENT]: a log of another tool, or a trace that "
		"--record wrote",
	.open = replay_open,
	.read = replay_read_next,
	.watch = replay_watch,
	.close = replay_close,
};
