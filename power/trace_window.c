/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_window - whole traces and windows of them, to and from their portable form.
 * It must not know bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "power/trace_code.h"

int trace_encode(const struct trace *t, struct buf *out)
{
	trace_put_head(&t->facts, out);
	for (size_t i = 0; i < t->count; i += TRACE_CHUNK) {
		size_t count = t->count - i < TRACE_CHUNK ? t->count - i : TRACE_CHUNK;

		if (trace_put_chunk(t->sample + i, count, out) != 0)
			return -1;
	}
	trace_put_tail((int64_t)t->count, t->late, t->lost, t->cpu_ns, out);
	return out->failed ? -1 : 0;
}

struct visiting {
	struct trace_reader *reader;
	struct sample *room;
	trace_visit *visit;
	void *data;
};

static int visit_chunk(const struct visiting *v, const struct trace_chunk *c, struct fail *f)
{
	if (trace_reader_load(v->reader, c, v->room, f) != 0)
		return -1;
	return v->visit(v->data, v->room, c->count);
}

static int walk(const struct visiting *v, int64_t from_ns, int64_t to_ns, struct fail *f)
{
	struct trace_chunk c, before;
	bool has_before = false, begun = false, enough = false;
	int more, status = 0;

	/* To the end, over the heads: the tail has the counts. */
	while ((more = trace_reader_next(v->reader, &c, f)) > 0) {
		if (!begun && c.to_ns < from_ns) {
			before = c;
			has_before = true;
			continue;
		}
		if (!begun && has_before && c.from_ns > from_ns)
			status = visit_chunk(v, &before, f);
		begun = true;
		if (status == 0 && !enough)
			status = visit_chunk(v, &c, f);
		enough |= c.from_ns > to_ns || status > 0;
		if (status < 0)
			return -1;
		status = 0;
	}
	if (more == 0 && !begun && has_before)
		return visit_chunk(v, &before, f) < 0 ? -1 : 0;
	return more;
}

int trace_reader_window(struct trace_reader *r, int64_t from_ns, int64_t to_ns, trace_visit *visit,
			void *data, struct fail *f)
{
	struct visiting v = { r, malloc(TRACE_CHUNK * sizeof *v.room), visit, data };
	int status = v.room == NULL ? fail_set(f, ENOMEM, "no memory to unpack a trace")
				    : walk(&v, from_ns, to_ns, f);

	free(v.room);
	return status;
}

static int collect(void *data, const struct sample *s, size_t count)
{
	struct trace *t = data;

	for (size_t i = 0; i < count; i++)
		if (trace_add(t, &s[i]) != 0)
			return -1;
	return 0;
}

static int read_window(struct trace_reader *r, struct trace *t, int64_t from_ns, int64_t to_ns,
		       struct fail *f)
{
	int status;

	t->facts = r->facts;
	status = trace_reader_window(r, from_ns, to_ns, collect, t, f);
	if (status != 0 && f->code == 0)
		fail_set(f, ENOMEM, "no memory for the trace");
	t->late = r->late;
	t->lost = r->lost;
	t->cpu_ns = r->cpu_ns;
	return status;
}

int trace_window(struct trace *t, const void *src, size_t len, int64_t from_ns, int64_t to_ns,
		 struct fail *f)
{
	struct trace_reader r;
	int status;

	*t = (struct trace){ 0 };
	if (trace_reader_open(&r, src, -1, (int64_t)len, f) != 0)
		return -1;
	status = read_window(&r, t, from_ns, to_ns, f);
	trace_reader_close(&r);
	if (status != 0)
		trace_release(t);
	return status;
}

int trace_decode(struct trace *t, const void *src, size_t len, struct fail *f)
{
	struct trace_reader r;
	int status;

	*t = (struct trace){ 0 };
	if (trace_reader_open(&r, src, -1, (int64_t)len, f) != 0)
		return -1;
	status = read_window(&r, t, INT64_MIN, INT64_MAX, f);
	if (status == 0 && (!r.complete || r.count != (int64_t)t->count))
		status = fail_set(f, EBADMSG, "the trace is damaged: it is cut short");
	trace_reader_close(&r);
	if (status != 0)
		trace_release(t);
	return status;
}
