/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc - lines out, lines in, matched by id.
 *
 * Knows nothing of campaigns or trials.
 */
#include "testbed/rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"

#define WORDS_MAX 32
#define LOOK_NS   (200 * NS_PER_MS) /* between two looks at the signals */
#define HURRY_NS  (5 * NS_PER_S)    /* what a silent node gets once a signal came */

/*
 * Without a prefix the very file that runs here, even when it was replaced on disk meanwhile:
 * builds are not mixed within a campaign. Behind a prefix that path means another program.
 */
static int own_program(const char *prefix, char *dst, size_t len, struct fail *f)
{
	ssize_t n;

	if (!prefix[0]) {
		snprintf(dst, len, "/proc/self/exe");
		return 0;
	}
	n = readlink("/proc/self/exe", dst, len - 1);
	if (n < 0)
		return fail_set(f, errno, "cannot find this program's own file: %s",
				strerror(errno));
	dst[n] = '\0';
	return 0;
}

/* Words of text (which is cut up) into argv; how many, or -1 when there are too many. */
static int split_words(char *text, char **argv, int max)
{
	char *rest = NULL;
	int count = 0;

	for (char *w = strtok_r(text, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
		if (count == max)
			return -1;
		argv[count++] = w;
	}
	return count;
}

int rpc_start(struct rpc *r, const char *name, const char *prefix, const char *program,
	      struct fail *f)
{
	char verb[] = "node", own[4096], *words = strdup(prefix);
	char *argv[WORDS_MAX + 3];
	int count, status = -1;

	*r = (struct rpc){ 0 };
	snprintf(r->name, sizeof(r->name), "%s", name);
	if (!words)
		return fail_set(f, ENOMEM, "no memory");
	count = split_words(words, argv, WORDS_MAX);
	if (count < 0) {
		fail_set(f, EINVAL, "%s: the command has more than %d words", name, WORDS_MAX);
		goto out;
	}
	snprintf(own, sizeof(own), "%s", program);
	if (!program[0] && own_program(prefix, own, sizeof(own), f))
		goto out;
	argv[count++] = own;
	argv[count++] = verb;
	argv[count] = NULL;
	if (proc_start(&r->proc, argv, PROC_STDIN | PROC_STDOUT | PROC_GROUP, f)) {
		fail_within(f, "%s", name);
		goto out;
	}
	proc_lines_init(&r->lines, r->proc.out_fd, RPC_REPLY_BYTES_MAX);
	r->events = json_array();
	status = 0;
out:
	free(words);
	return status;
}

void rpc_stop(struct rpc *r, int64_t grace_ns)
{
	if (r->proc.pid) {
		/* End of input is the polite request; only a node that does not hear it is killed.
		 */
		close(r->proc.in_fd);
		r->proc.in_fd = -1;
		proc_wait(&r->proc, clock_ns() + grace_ns);
	}
	if (r->name[0])
		proc_stop(&r->proc, 0);
	proc_lines_release(&r->lines);
	json_decref(r->events);
	*r = (struct rpc){ .lost = true };
}

int rpc_send(int fd, const json_t *object, struct fail *f)
{
	char *text = json_dumps(object, JSON_COMPACT);
	size_t len, done = 0;
	ssize_t n;

	if (!text)
		return fail_set(f, ENOMEM, "no memory for a line");
	len = strlen(text);
	text[len] = '\n'; /* in place of the NUL: one write for the whole line */
	while (done <= len) {
		n = write(fd, text + done, len + 1 - done);
		if (n < 0 && errno != EINTR) {
			fail_set(f, errno, "cannot write a line: %s", strerror(errno));
			break;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	free(text);
	return done > len ? 0 : -1;
}

/* Always -1. Says how the process ended where it did. */
static int lose(struct rpc *r, struct fail *f, const char *what)
{
	char how[64] = "";

	r->lost = true;
	if (r->proc.pid && proc_wait(&r->proc, clock_ns() + NS_PER_S) == 1)
		proc_describe(&r->proc, how, sizeof(how));
	return fail_set(f, EPIPE, "%s is lost: %s%s%s%s", r->name, what, how[0] ? " (" : "", how,
			how[0] ? ")" : "");
}

/* 1 a line as an object, 0 not in time, -1 lost. */
static int next_object(struct rpc *r, int64_t due_ns, json_t **object, struct fail *f)
{
	struct fail why = { 0 };
	json_error_t bad;
	const char *line;
	int got = proc_lines_next(&r->lines, due_ns, &line, &why);

	*object = NULL;
	if (got < 0 && why.code == ETIMEDOUT)
		return 0;
	if (got <= 0)
		return lose(r, f, got ? why.text : "it ended");
	*object = json_loads(line, JSON_REJECT_DUPLICATES, &bad);
	if (json_is_object(*object))
		return 1;
	json_decref(*object);
	*object = NULL;
	return lose(r, f, "what it said is not a JSON object");
}

static bool is_alive(const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "event"));

	return name && !strcmp(name, "alive");
}

/* 1 the answer awaited, 0 something else (kept or dropped), -1 refused. Takes over object. */
static int take_answer(struct rpc *r, json_t *object, json_t **reply, struct fail *f)
{
	const char *error;

	if (is_alive(object)) {
		json_decref(object);
		return 0;
	}
	if (json_object_get(object, "event")) {
		json_array_append_new(r->events, object);
		return 0;
	}
	if (json_integer_value(json_object_get(object, "id")) != r->last_id) {
		json_decref(object); /* of a question that was given up */
		return 0;
	}
	if (json_is_true(json_object_get(object, "ok"))) {
		*reply = object;
		return 1;
	}
	error = json_string_value(json_object_get(object, "error"));
	fail_set(f, EPROTO, "%s: %s", r->name, error ? error : "refused without a reason");
	json_decref(object);
	return -1;
}

/* As next_object(), until the node has been silent for too long. Never 0. */
static int await_object(struct rpc *r, int64_t silence_ns, json_t **object, struct fail *f)
{
	int64_t heard_ns = clock_ns(), limit_ns, now_ns;
	size_t heard = r->lines.len;
	int signals, got;

	for (;;) {
		signals = r->signals ? *r->signals : 0;
		if (signals > 1)
			return fail_set(f, EINTR, "stopped at once, while %s was asked", r->name);
		limit_ns = heard_ns + (signals && silence_ns > HURRY_NS ? HURRY_NS : silence_ns);
		now_ns = clock_ns();
		got = next_object(r, limit_ns < now_ns + LOOK_NS ? limit_ns : now_ns + LOOK_NS,
				  object, f);
		if (got)
			return got;
		if (r->lines.len != heard) { /* a part of a line */
			heard = r->lines.len;
			heard_ns = clock_ns();
		} else if (clock_ns() >= limit_ns) {
			return lose(r, f, "it did not answer in time");
		}
	}
}

int rpc_call(struct rpc *r, json_t *request, int64_t silence_ns, json_t **reply, struct fail *f)
{
	json_t *object, *answer = NULL;
	struct fail why = { 0 };
	int got;

	if (r->lost) {
		json_decref(request);
		return lose(r, f, "it ended before");
	}
	json_object_set_new(request, "id", json_integer(++r->last_id));
	got = rpc_send(r->proc.in_fd, request, &why) ? -1 : 0;
	json_decref(request);
	if (got)
		return lose(r, f, why.text);
	while (!got) {
		got = await_object(r, silence_ns, &object, f);
		if (got > 0)
			got = take_answer(r, object, &answer, f);
	}
	if (reply)
		*reply = answer;
	else
		json_decref(answer);
	return got < 0 ? -1 : 0;
}

void rpc_drop_events(struct rpc *r)
{
	json_array_clear(r->events);
}

/* As rpc_wait(), without waiting, for one node. */
static int look(struct rpc *r, json_t **event, struct fail *f)
{
	int got;

	if (json_array_size(r->events)) {
		*event = json_incref(json_array_get(r->events, 0));
		json_array_remove(r->events, 0);
		return 1;
	}
	if (r->lost)
		return lose(r, f, "it ended before");
	while ((got = next_object(r, 0, event, f)) > 0) {
		if (json_object_get(*event, "event") && !is_alive(*event))
			return 1;
		json_decref(*event); /* an answer to a question that was given up */
	}
	return got;
}

int rpc_wait(struct rpc *const *nodes, int count, int64_t due_ns, int *who, json_t **event,
	     struct fail *f)
{
	struct pollfd fds[8];
	struct timespec left;
	int64_t left_ns;
	int got, n;

	for (;;) {
		for (int i = 0; i < count; i++) {
			*who = i;
			fds[i] = (struct pollfd){ .fd = nodes[i]->lines.fd, .events = POLLIN };
			got = look(nodes[i], event, f);
			if (got)
				return got;
		}
		left_ns = due_ns - clock_ns();
		if (left_ns <= 0)
			return 0;
		left = (struct timespec){ .tv_sec = (time_t)(left_ns / NS_PER_S),
					  .tv_nsec = (long)(left_ns % NS_PER_S) };
		n = ppoll(fds, (nfds_t)count, &left, NULL);
		if (n < 0) /* a signal: the caller may want to look at something */
			return 0;
	}
}
