/* SPDX-License-Identifier: Apache-2.0 */
/* stamps - kept in memory while an exchange runs, written when it is over. */
#include "clients/stamps.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"

static void on_message(void *data, const struct assoc *a, const struct tls_message *m)
{
	int64_t now_ns = clock_ns();
	struct stamps *s = data;

	if (s->count < STAMPS_MESSAGES_MAX)
		s->stamp[s->count++] = (struct stamp){ a, *m, now_ns };
}

static void write_line(struct stamps *s, json_t *line)
{
	if (!line || json_dumpf(line, s->out, JSON_COMPACT) || fputc('\n', s->out) == EOF)
		s->failed = true;
	json_decref(line);
}

/* The narrowest of several readings of one clock between two of the other. */
static void write_clock(struct stamps *s)
{
	int64_t best_ns = INT64_MAX, monotonic_ns = 0, realtime_ns = 0;

	for (int i = 0; i < 16; i++) {
		int64_t before_ns = clock_ns(), wall_ns = clock_wall_ns(), after_ns = clock_ns();

		if (after_ns - before_ns >= best_ns)
			continue;
		best_ns = after_ns - before_ns;
		monotonic_ns = before_ns + best_ns / 2;
		realtime_ns = wall_ns;
	}
	write_line(s, json_pack("{s:{s:I, s:I, s:I}}", "clock", "monotonic_ns",
				(json_int_t)monotonic_ns, "realtime_ns", (json_int_t)realtime_ns,
				"error_ns", (json_int_t)(best_ns / 2 + 1)));
}

static void on_secret(void *data, const char *line)
{
	struct stamps *s = data;

	s->failed |= fprintf(s->secrets, "%s\n", line) < 0;
}

/* A file that was there before keeps its mode when it is opened. */
static int close_to_others(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	return S_ISREG(st.st_mode) && st.st_mode & 077 ? fchmod(fd, 0600) : 0;
}

/* Nobody else may read it. */
static int open_secrets(struct stamps *s, const char *path, struct fail *f)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	s->secrets = fd < 0 || close_to_others(fd) ? NULL : fdopen(fd, "w");
	if (!s->secrets) {
		fail_set(f, errno, "--secrets %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	setvbuf(s->secrets, NULL, _IOLBF, 0);
	s->observer.on_secret = on_secret;
	return 0;
}

int stamps_open(struct stamps *s, const char *path, const char *secrets, struct fail *f)
{
	*s = (struct stamps){ .observer = { .on_message = on_message, .data = s } };
	if (secrets && open_secrets(s, secrets, f))
		return -1;
	s->out = fopen(path, "we");
	if (!s->out)
		return fail_set(f, errno, "--stamps %s: %s", path, strerror(errno));
	write_clock(s);
	return 0;
}

static void note_late(struct stamps *s)
{
	int64_t late_ns = s->probe_due_ns ? clock_ns() - s->probe_due_ns : 0;

	if (late_ns > s->late_ns)
		s->late_ns = late_ns;
}

static void on_probe(struct loop_timer *t)
{
	struct stamps *s = t->data;

	note_late(s);
	s->probe_due_ns = clock_ns() + STAMPS_PROBE_NS;
	loop_timer_at(t, s->probe_due_ns);
}

void stamps_start(struct stamps *s, struct loop *loop)
{
	loop_timer_init(&s->probe, loop, on_probe, s);
	s->probe_due_ns = clock_ns() + STAMPS_PROBE_NS;
	loop_timer_at(&s->probe, s->probe_due_ns);
}

void stamps_stop(struct stamps *s)
{
	loop_timer_stop(&s->probe);
}

static json_t *stamp_or_null(int64_t t_ns)
{
	return t_ns > 0 ? json_integer(t_ns) : json_null();
}

/* And forgets them. */
static json_t *take_messages(struct stamps *s, const struct assoc *a)
{
	json_t *list = json_array();
	int kept = 0;

	for (int i = 0; i < s->count; i++) {
		const struct stamp *x = &s->stamp[i];

		if (x->assoc != a) {
			s->stamp[kept++] = *x;
			continue;
		}
		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I}", "type",
						      tls_message_name(x->message.type), "from",
						      x->message.sent ? "client" : "server", "t_ns",
						      (json_int_t)x->t_ns, "bytes",
						      (json_int_t)x->message.bytes));
	}
	s->count = kept;
	return list;
}

void stamps_exchange(struct stamps *s, const struct peer *p)
{
	const struct exchange *x = &p->exchange;
	bool made = x->handshake_ns >= 0;

	note_late(s); /* of the timer that is late now, and does not know it yet */
	write_line(s,
		   json_pack("{s:o, s:o, s:o, s:o, s:b, s:I, s:o}", "connect_ns",
			     stamp_or_null(made ? p->connect_ns : 0), "secured_ns",
			     stamp_or_null(made ? p->connect_ns + x->handshake_ns : 0), "sent_ns",
			     stamp_or_null(x->sent_ns), "end_ns", stamp_or_null(x->end_ns), "ok",
			     x->end == EXCHANGE_OK, "late_ns", (json_int_t)s->late_ns, "messages",
			     take_messages(s, &p->sock.assoc)));
	s->late_ns = 0;
}

int stamps_close(struct stamps *s, struct fail *f)
{
	bool failed = s->failed;

	if (s->secrets)
		failed |= fclose(s->secrets) != 0;
	s->secrets = NULL;
	s->observer.on_secret = NULL;
	if (!s->out)
		return 0;
	write_clock(s);
	failed |= ferror(s->out) != 0;
	failed |= fclose(s->out) != 0;
	s->out = NULL;
	return failed ? fail_set(f, EIO, "--stamps: not all could be written") : 0;
}
