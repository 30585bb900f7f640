/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_collect - what a node reads during a trial, what its children say, and how all of
 * it is handed over and forgotten.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "lib/base64.h"
#include "lib/clock.h"
#include "lib/usage.h"
#include "testbed/environment.h"
#include "testbed/node_session.h"

#define RESULT_NS (10 * NS_PER_S) /* after its window a load generator only adds up */
#define GRACE_NS  (2 * NS_PER_S)
/* serve of another's server: it waits for that one's workers, and removes their files. */
#define SERVER_GRACE_NS (8 * NS_PER_S)

int node_server_pids(const struct node_session *n, pid_t pids[NODE_PROCESSES_MAX])
{
	int count;

	if (!node_child_runs(&n->server))
		return 0;
	count = usage_tree(n->server.proc.pid, pids, NODE_PROCESSES_MAX);
	if (!json_object_get(n->counters_before, "server") || count < 2)
		return count;
	/* What only watches a server of somebody else's is no part of it. */
	memmove(pids, pids + 1, (size_t)--count * sizeof(*pids));
	return count;
}

/* Of all processes together: what they share counts for each of them. */
static int64_t server_rss_peak_kib(const struct node_session *n)
{
	pid_t pids[NODE_PROCESSES_MAX];
	int count = node_server_pids(n, pids);
	int64_t sum_kib = 0, kib;

	for (int i = 0; i < count; i++) {
		kib = usage_rss_peak_kib(pids[i]);
		sum_kib += kib > 0 ? kib : 0;
	}
	return sum_kib;
}

static int start_meter(struct node_session *n, const char *text, int64_t rate_hz,
		       int64_t expected_ns, struct fail *f)
{
	int64_t period_ns = rate_hz ? NS_PER_S / rate_hz : 0;
	pid_t pids[NODE_PROCESSES_MAX];
	int count = node_server_pids(n, pids);

	if (!text[0])
		return 0;
	memset(&n->meter, 0, sizeof(n->meter));
	if (meter_open(&n->meter, text)) /* it names the meter itself */
		return fail_set(f, EIO, "%s", n->meter.fail.text);
	if (n->meter.stored) {
		meter_close(&n->meter);
		return fail_set(f, EINVAL,
				"the meter \"%s\" is a log: a trial needs a meter that reads now",
				text);
	}
	n->metered = true;
	if (count && n->meter.ops->watch(&n->meter, pids, count))
		return fail_set(f, EIO, "the meter \"%s\": %s", text, n->meter.fail.text);
	n->sampler = sampler_start(&n->meter, period_ns, expected_ns, f);
	return n->sampler ? 0 : -1;
}

/*
 * Threads made from here on run before everything that is measured, where the system lets us
 * (root, or a limit for real time): a reader that has to wait for the load leaves gaps.
 * They sleep nearly all the time.
 */
static bool run_first(bool yes)
{
	const struct sched_param first = { .sched_priority = 1 }, usual = { 0 };

	return !pthread_setschedparam(pthread_self(), yes ? SCHED_FIFO : SCHED_OTHER,
				      yes ? &first : &usual);
}

static int start_reading(struct node_session *n, const char *text, int64_t rate_hz,
			 int64_t expected_ns, struct fail *f)
{
	pid_t pids[NODE_PROCESSES_MAX];
	int count = node_server_pids(n, pids);

	n->usage = node_usage_start(f);
	if (!n->usage)
		return -1;
	for (int i = 0; i < count; i++)
		if (node_usage_watch(n->usage, pids[i], f))
			return -1;
	return start_meter(n, text, rate_hz, expected_ns, f);
}

int node_meter(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	int status;

	json_int_t rate_hz, expected_ns;
	const char *text;

	json_object_set_new(answer, "environment", environment_state(""));
	if (node_unpack(request, f, "{s:s, s:I, s:I}", "meter", &text, "rate_hz", &rate_hz,
			"expected_ns", &expected_ns))
		return -1;
	if (n->usage)
		return fail_set(f, EBUSY, "it is being read already");
	if (rate_hz < 0 || rate_hz > 1000000 || expected_ns < 0)
		return fail_set(f, EINVAL, "a meter is read 1 to 1000000 times a second");
	json_object_set_new(answer, "real_time", json_boolean(run_first(true)));
	status = start_reading(n, text, rate_hz, expected_ns, f);
	run_first(false);
	return status;
}

/* A meter that failed half way still hands over what it had. */
static int collect_trace(struct node_session *n, json_t *answer, struct fail *f)
{
	struct buf raw = { 0 }, text = { 0 };
	struct trace trace = { 0 };
	struct fail why = { 0 };
	int status = 0;

	if (!n->sampler)
		return 0;
	if (sampler_stop(n->sampler, &trace, &why))
		json_object_set_new(answer, "meter_error", json_string(why.text));
	n->sampler = NULL;
	if (trace_encode(&trace, &raw))
		status = fail_set(f, ENOMEM, "no memory to hand over the trace");
	base64_encode(raw.data, raw.len, &text);
	if (!status && text.failed)
		status = fail_set(f, ENOMEM, "no memory to hand over the trace");
	if (!status)
		json_object_set_new(answer, "trace", json_string(buf_text(&text)));
	trace_release(&trace);
	buf_release(&raw);
	buf_release(&text);
	return status;
}

static int collect_cpu(struct node_session *n, json_t *windows, json_t *answer, struct fail *f)
{
	json_t *cpu = json_array(), *window;
	json_int_t from_ns, to_ns;
	size_t i;

	json_object_set_new(answer, "cpu_ns", cpu);
	if (!n->usage)
		return fail_set(f, EINVAL, "nothing is being read");
	node_usage_stop(n->usage);
	json_array_foreach(windows, i, window)
	{
		if (json_unpack(window, "[I,I!]", &from_ns, &to_ns))
			return fail_set(f, EINVAL, "a window is [from_ns, to_ns]");
		json_array_append_new(cpu,
				      json_integer(node_usage_between(n->usage, from_ns, to_ns)));
	}
	json_object_set_new(answer, "usage_cpu_ns", json_integer(node_usage_own_cpu_ns(n->usage)));
	return 0;
}

/* One line of the load generator; 1 and *event (NULL where it is none), 0 none yet. */
static int read_load_line(struct node_session *n, int64_t due_ns, json_t **event)
{
	struct fail why = { 0 };
	json_error_t bad;
	const char *line;
	json_t *said;
	int got = node_await_line(n, &n->load, due_ns, &line, &why);

	*event = NULL;
	if (!got)
		return 0;
	said = got > 0 ? json_loads(line, JSON_REJECT_DUPLICATES, &bad) : NULL;
	if (json_is_string(json_object_get(said, "phase")) &&
	    json_is_integer(json_object_get(said, "at_ns"))) {
		json_object_set_new(said, "event", json_string("load"));
		*event = said;
		return 1;
	}
	if (json_is_object(json_object_get(said, "result")) && !n->result) {
		n->result = json_incref(json_object_get(said, "result"));
		*event = json_pack("{s:s, s:s, s:I}", "event", "load", "phase", "ended", "at_ns",
				   (json_int_t)clock_ns());
	} else if (got > 0)
		fail_set(&why, EPROTO, "the load generator said \"%.80s\"", line);
	json_decref(said);
	n->load_over = got < 0 || why.code;
	if (n->load_over && !n->result)
		*event = json_pack("{s:s, s:s, s:s}", "event", "load", "phase", "failed", "error",
				   why.text);
	return 1;
}

static json_t *server_event(struct node_session *n)
{
	struct fail why = { 0 };
	const char *line;
	int got = node_child_line(&n->server, 0, &line, &why);

	if (got >= 0) /* a line that nobody asked for is of no use, but no harm either */
		return NULL;
	n->server_over = true;
	return json_pack("{s:s, s:s, s:s}", "event", "server", "phase", "ended", "error", why.text);
}

int node_next_event(struct node_session *n, json_t **event)
{
	*event = NULL;
	if (node_child_runs(&n->server) && !n->server_over) {
		node_child_listen(&n->server);
		*event = server_event(n);
	}
	if (!*event && node_child_runs(&n->load)) {
		node_child_listen(&n->load);
		while (!*event && !n->load_over && read_load_line(n, 0, event))
			;
	}
	return *event != NULL;
}

static void collect_result(struct node_session *n, json_t *answer)
{
	int64_t due_ns = clock_ns() + RESULT_NS;
	json_t *event;

	while (node_child_runs(&n->load) && !n->load_over && !n->result &&
	       read_load_line(n, due_ns, &event))
		json_decref(event);
	if (n->result)
		json_object_set(answer, "result", n->result);
}

static int collect_counters(struct node_session *n, json_t *answer, struct fail *f)
{
	json_t *after;

	if (!node_child_runs(&n->server) || n->server_over)
		return 0;
	after = node_server_counters(n, f);
	if (!after)
		return -1;
	json_object_set_new(answer, "counters",
			    json_pack("{s:O, s:o}", "before", n->counters_before, "after", after));
	return 0;
}

int node_collect(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	json_t *windows;

	if (node_unpack(request, f, "{s:o}", "windows", &windows))
		return -1;
	if (node_child_runs(&n->server))
		json_object_set_new(answer, "rss_peak_kib", json_integer(server_rss_peak_kib(n)));
	json_object_set_new(answer, "environment", environment_state(""));
	collect_result(n, answer);
	return collect_cpu(n, windows, answer, f) || collect_trace(n, answer, f) ||
			       collect_counters(n, answer, f)
		       ? -1
		       : 0;
}

static void clear_meter(struct node_session *n)
{
	struct trace trace = { 0 };
	struct fail ignored = { 0 };

	if (n->sampler) {
		sampler_stop(n->sampler, &trace, &ignored);
		trace_release(&trace);
		n->sampler = NULL;
	}
	if (n->metered)
		meter_close(&n->meter);
	n->metered = false;
	node_usage_free(n->usage);
	n->usage = NULL;
}

static void end_server(struct node_session *n)
{
	int64_t due_ns = clock_ns() + SERVER_GRACE_NS;

	node_child_tell_to_end(&n->server);
	while (!node_child_ended(&n->server, clock_ns() + NS_PER_S) && clock_ns() < due_ns)
		node_say_alive(n);
	node_child_stop(&n->server, 0);
}

void node_clear(struct node_session *n)
{
	clear_meter(n);
	node_child_stop(&n->load, GRACE_NS);
	end_server(n);
	node_argv_release(&n->load_argv);
	if (n->ca_fd >= 0)
		close(n->ca_fd);
	if (n->psk_fd >= 0)
		close(n->psk_fd);
	if (n->own_fd >= 0)
		close(n->own_fd);
	n->ca_fd = n->own_fd = n->psk_fd = -1;
	json_decref(n->counters_before);
	json_decref(n->result);
	n->counters_before = n->result = NULL;
	n->load_over = n->server_over = false;
}
