/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node - lines in, a table of verbs, lines out; one thread, one poll().
 *
 * A request may take its time (a server has to come up); events wait meanwhile, because
 * the runner asks one thing at a time.
 */
#include "testbed/node.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/version.h"
#include "testbed/environment.h"
#include "testbed/node_session.h"
#include "testbed/rpc.h"

int node_unpack(json_t *object, struct fail *f, const char *fmt, ...)
{
	json_error_t why;
	va_list ap;
	int bad;

	va_start(ap, fmt);
	bad = json_vunpack_ex(object, &why, JSON_STRICT, fmt, ap);
	va_end(ap);
	return bad ? fail_set(f, EINVAL, "the request is not as expected: %s", why.text) : 0;
}

void node_say_alive(const struct node_session *n)
{
	struct fail ignored = { 0 }; /* who is gone is found out by the answer */
	json_t *alive;

	if (n->out_fd < 0)
		return;
	alive = json_pack("{s:s}", "event", "alive");
	rpc_send(n->out_fd, alive, &ignored);
	json_decref(alive);
}

static void pack_node(const struct node *self, json_t *answer)
{
	json_error_t bad;
	char boot_id[64];

	environment_boot_id("", boot_id, sizeof(boot_id));
	json_object_set_new(answer, "version", json_string(self->version));
	json_object_set_new(answer, "kernel", json_string(self->kernel));
	json_object_set_new(answer, "machine", json_string(self->machine));
	json_object_set_new(answer, "cpu", json_string(self->cpu));
	json_object_set_new(answer, "cpus", json_integer(self->cpus));
	json_object_set_new(answer, "governor", json_string(self->governor));
	json_object_set_new(answer, "os", json_string(self->os));
	json_object_set_new(answer, "engines", json_loads(self->engines, 0, &bad));
	json_object_set_new(answer, "builds", json_loads(self->builds, 0, &bad));
	json_object_set_new(answer, "environment", json_loads(self->environment, 0, &bad));
	json_object_set_new(answer, "boot_id", json_string(boot_id));
}

static int do_hello(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	struct node self = { 0 };
	const char *version;
	int protocol;

	if (node_unpack(request, f, "{s:i, s:s}", "protocol", &protocol, "version", &version))
		return -1;
	if (protocol != RPC_PROTOCOL || strcmp(version, cipherwatt_version))
		return fail_set(f, EPROTO,
				"versions differ: the runner is %s (protocol %d), this node is %s "
				"(protocol %d); install the same build on both",
				version, protocol, cipherwatt_version, RPC_PROTOCOL);
	environment_describe("", &self);
	pack_node(&self, answer);
	n->greeted = true;
	return 0;
}

static int do_clock(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	(void)n;
	json_object_set_new(answer, "now_ns", json_integer(clock_ns()));
	return node_unpack(request, f, "{}");
}

static int do_stop(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	(void)answer;
	node_clear(n);
	return node_unpack(request, f, "{}");
}

static const struct {
	const char *verb;
	int (*run)(struct node_session *n, json_t *request, json_t *answer, struct fail *f);
} verbs[] = {
	{ "hello", do_hello },   { "clock", do_clock },   { "prepare", node_prepare },
	{ "meter", node_meter }, { "load", node_load },   { "collect", node_collect },
	{ "stop", do_stop },     { "limit", node_limit }, { "timeline", node_timeline },
};

static int dispatch(struct node_session *n, const char *verb, json_t *request, json_t *answer,
		    struct fail *f)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].verb, verb))
			continue;
		if (!n->greeted && verbs[i].run != do_hello)
			return fail_set(f, EPROTO, "\"%s\" came before \"hello\"", verb);
		return verbs[i].run(n, request, answer, f);
	}
	return fail_set(f, EINVAL, "unknown verb \"%.40s\"", verb);
}

/* Answers the request, its id and verb taken out of it. */
static int answer_object(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	json_t *id = json_object_get(request, "id"), *verb = json_object_get(request, "do");
	int status;

	if (!json_is_integer(id))
		return fail_set(f, EINVAL, "a request needs a whole number as \"id\"");
	json_object_set(answer, "id", id);
	if (!json_is_string(verb))
		return fail_set(f, EINVAL, "a request needs a verb as \"do\"");
	json_incref(verb);
	json_object_del(request, "id");
	json_object_del(request, "do");
	status = dispatch(n, json_string_value(verb), request, answer, f);
	json_decref(verb);
	return status;
}

static json_t *refusal(json_t *answer, const struct fail *f)
{
	json_t *id = json_incref(json_object_get(answer, "id"));

	json_object_clear(answer);
	json_object_set_new(answer, "id", id ? id : json_null());
	json_object_set_new(answer, "ok", json_false());
	/* A reason may quote bytes that came in and are no text. */
	if (json_object_set_new(answer, "error", json_string(f->text)))
		json_object_set_new(answer, "error", json_string("the request is not valid UTF-8"));
	return answer;
}

json_t *node_answer(struct node_session *n, const char *line, size_t len)
{
	json_t *answer = json_object(), *request;
	struct fail f = { 0 };
	json_error_t bad;

	json_object_set_new(answer, "ok", json_true());
	request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &bad);
	if (!request)
		fail_set(&f, EINVAL, "the request is not JSON: column %d: %s", bad.column,
			 bad.text);
	else if (!json_is_object(request))
		fail_set(&f, EINVAL, "the request is not a JSON object");
	else
		answer_object(n, request, answer, &f);
	json_decref(request);
	return f.code ? refusal(answer, &f) : answer;
}

static int send_events(struct node_session *n, int out_fd, struct fail *f)
{
	int status = 0;
	json_t *event;

	while (!status && node_next_event(n, &event)) {
		status = rpc_send(out_fd, event, f);
		json_decref(event);
	}
	return status;
}

/* A negative descriptor is not looked at. */
static void wait_for_any(const struct node_session *n, int in_fd)
{
	bool serving = node_child_runs(&n->server), loading = node_child_runs(&n->load);
	struct pollfd fds[] = {
		{ .fd = in_fd, .events = POLLIN },
		{ .fd = serving && !n->server_over ? n->server.proc.out_fd : -1, .events = POLLIN },
		{ .fd = serving ? n->server.proc.err_fd : -1, .events = POLLIN },
		{ .fd = loading && !n->load_over ? n->load.proc.out_fd : -1, .events = POLLIN },
		{ .fd = loading ? n->load.proc.err_fd : -1, .events = POLLIN },
	};

	poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
}

static int answer_line(struct node_session *n, const char *line, size_t len, int out_fd,
		       struct fail *f)
{
	json_t *answer = node_answer(n, line, len);
	int status = rpc_send(out_fd, answer, f);

	json_decref(answer);
	return status;
}

static int refuse_long_line(int out_fd, const struct fail *why, struct fail *f)
{
	json_t *answer = refusal(json_object(), why);

	rpc_send(out_fd, answer, f);
	json_decref(answer);
	return fail_set(f, EMSGSIZE, "a request is too long: %s", why->text);
}

int node_serve(struct node_session *n, int in_fd, int out_fd, struct fail *f)
{
	struct proc_lines lines;
	int status = 0;

	proc_lines_init(&lines, in_fd, RPC_REQUEST_BYTES_MAX);
	n->out_fd = out_fd;
	while (!status) {
		struct fail why = { 0 };
		const char *line;
		int got = proc_lines_next(&lines, 0, &line, &why);

		if (got > 0)
			status = answer_line(n, line, strlen(line), out_fd, f);
		else if (!got)
			break;
		else if (why.code == EMSGSIZE)
			status = refuse_long_line(out_fd, &why, f);
		else if (why.code != ETIMEDOUT)
			status = fail_set(f, why.code, "%s", why.text);
		else
			wait_for_any(n, in_fd);
		if (!status)
			status = send_events(n, out_fd, f);
	}
	proc_lines_release(&lines);
	n->out_fd = -1;
	return status;
}

struct node_session *node_session_new(const char *program)
{
	struct node_session *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->ca_fd = n->own_fd = n->psk_fd = n->out_fd = -1;
	n->program = strdup(program);
	if (n->program)
		return n;
	free(n);
	return NULL;
}

void node_session_free(struct node_session *n)
{
	node_clear(n);
	free(n->program);
	free(n);
}
