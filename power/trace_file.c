/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_file - appends chunks. It must not know what is measured.
 */
#include "power/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"

#define PATIENCE_NS (5 * NS_PER_S)

static int append(struct trace_writer *w, struct fail *f)
{
	const char *at = w->out.data;
	size_t left = w->out.len;

	if (w->out.failed)
		return fail_set(f, ENOMEM, "no memory to write %s", w->path);
	while (left > 0) {
		ssize_t n = write(w->fd, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_set(f, n < 0 ? errno : ENOSPC, "cannot write %s: %s", w->path,
					strerror(n < 0 ? errno : ENOSPC));
		at += n;
		left -= (size_t)n;
	}
	buf_clear(&w->out);
	return 0;
}

int trace_writer_open(struct trace_writer *w, const char *path, const struct meter_facts *facts,
		      struct fail *f)
{
	struct stat st;

	*w = (struct trace_writer){ .path = path };
	w->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (w->fd < 0)
		return fail_set(f, errno, "cannot write %s: %s", path, strerror(errno));
	if (fstat(w->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		fail_set(f, EEXIST, "%s is there already and is not overwritten: give a new name",
			 path);
		goto out;
	}
	w->pending = malloc(TRACE_CHUNK * sizeof *w->pending);
	if (w->pending == NULL) {
		fail_set(f, ENOMEM, "no memory to write %s", path);
		goto out;
	}
	trace_put_head(facts, &w->out);
	if (append(w, f) == 0)
		return 0;
out:
	close(w->fd);
	w->fd = -1;
	free(w->pending);
	buf_release(&w->out);
	return -1;
}

static int flush(struct trace_writer *w, struct fail *f)
{
	if (w->count == 0)
		return 0;
	if (trace_put_chunk(w->pending, w->count, &w->out) != 0)
		return fail_set(f, ENOMEM, "no memory to write %s", w->path);
	w->written += (int64_t)w->count;
	w->count = 0;
	return append(w, f);
}

int trace_writer_add(struct trace_writer *w, const struct sample *s, size_t count, struct fail *f)
{
	int64_t now_ns = clock_ns();

	for (size_t i = 0; i < count; i++) {
		if (w->count == 0)
			w->due_ns = now_ns + PATIENCE_NS;
		w->pending[w->count++] = s[i];
		if (w->count == TRACE_CHUNK && flush(w, f) != 0)
			return -1;
	}
	return now_ns >= w->due_ns ? flush(w, f) : 0;
}

int trace_writer_close(struct trace_writer *w, int64_t late, int64_t lost, int64_t cpu_ns,
		       struct fail *f)
{
	int status;

	if (w->fd < 0)
		return 0;
	status = flush(w, f);
	if (status == 0) {
		trace_put_tail(w->written, late, lost, cpu_ns, &w->out);
		status = append(w, f);
	}
	if (close(w->fd) != 0 && status == 0)
		status = fail_set(f, errno, "cannot write %s: %s", w->path, strerror(errno));
	w->fd = -1;
	free(w->pending);
	w->pending = NULL;
	buf_release(&w->out);
	return status;
}
