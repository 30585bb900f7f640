/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_fake - two simulated nodes on a simulated clock, for runner_test.c only.
 *
 * The nodes' clocks are off by a known amount and the board draws a known power, so that
 * what the runner stores can be compared with the truth. Faults are set by trial number.
 */
#ifndef TESTBED_RUNNER_FAKE_H
#define TESTBED_RUNNER_FAKE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/clock.h"
#include "lib/version.h"
#include "power/trace.h"
#include "testbed/runner.h"

#define FAKE_IDLE_NW  INT64_C(1000000000)
#define FAKE_BUSY_NW  INT64_C(3000000000)
#define FAKE_GRID_NS  (100 * NS_PER_MS)
#define FAKE_RATE     1000           /* requests per second */
#define FAKE_DRAIN_NS (2 * NS_PER_S) /* the board works on for requests in flight */

enum fake_fault {
	FAKE_NONE,
	FAKE_LOSES_SERVER, /* at prepare */
	FAKE_LOSES_CLIENT, /* while the window is open */
	FAKE_REFUSES,      /* at prepare */
	FAKE_LOAD_FAILS,
	FAKE_SERVER_ENDS,
	FAKE_NEVER_CLOSES,
	FAKE_RESUMES, /* one handshake */
	FAKE_NO_RESULT,
	FAKE_BAD_TRACE
};

struct fake {
	int64_t now_ns, offset_ns[RUNNER_NODES];
	bool local;
	const char *version;
	struct plan *plan;
	enum fake_fault fault;
	int fault_at, fault_times; /* the trial (counted from 0, retries too), and how often */
	int trials, loads, restarts, stops;
	bool lost[RUNNER_NODES];
	int64_t meter_from_ns, open_ns, close_ns; /* 0: not */
	int64_t silence_ns;                       /* that the last question was given */
	int64_t longest_silence_ns;               /* that any was given */
	int stage;                                /* of the load: what comes next */
	/* Requests of one cell, known by its payload's size, are by turns more and fewer. */
	int64_t payload_bytes, waver_bytes;
	double waver;
	int wavered;
	int64_t signal_at_trial; /* raise the signal then; -1 never */
	int signal_count;
	volatile sig_atomic_t signals;
};

static inline bool fake_has(const struct fake *w, enum fake_fault fault)
{
	int trial = w->trials - 1;

	return w->fault == fault && trial >= w->fault_at && trial < w->fault_at + w->fault_times;
}

static inline int64_t fake_now_ns(void *data)
{
	return ((struct fake *)data)->now_ns;
}

/* A power meter on a grid of the node's clock: busy while the load runs, else idle. */
static inline json_t *fake_trace(const struct fake *w, enum runner_node who)
{
	struct meter_facts facts = { .kind = CODE_POWER,
				     .meaning = SAMPLE_MEAN_STARTING,
				     .provenance = PROVENANCE_SYNTHETIC,
				     .period_ns = FAKE_GRID_NS,
				     .source = "fake:",
				     .basis = "two levels" };
	int64_t busy_from_ns = w->open_ns - w->plan->times.warmup_ns;
	struct buf raw = { 0 }, text = { 0 };
	struct trace trace;
	json_t *out;

	trace_init(&trace, &facts, 0);
	for (int64_t t = w->meter_from_ns; t < w->now_ns; t += FAKE_GRID_NS) {
		bool busy = t >= busy_from_ns && t < w->close_ns + FAKE_DRAIN_NS;
		int64_t at_ns = t + w->offset_ns[who];
		struct sample s = { .before_ns = at_ns,
				    .after_ns = at_ns,
				    .code = { busy ? FAKE_BUSY_NW : FAKE_IDLE_NW, 0 } };

		trace_add(&trace, &s);
	}
	trace_encode(&trace, &raw);
	base64_encode(raw.data, fake_has(w, FAKE_BAD_TRACE) ? raw.len / 2 : raw.len, &text);
	out = json_string(buf_text(&text));
	trace_release(&trace);
	buf_release(&raw);
	buf_release(&text);
	return out;
}

static inline json_t *fake_hist(int64_t count, int64_t ns)
{
	struct buf raw = { 0 }, text = { 0 };
	struct hist h;
	json_t *out;

	hist_init(&h);
	for (int64_t i = 0; i < count; i++)
		hist_add(&h, ns);
	hist_encode(&h, &raw);
	base64_encode(raw.data, raw.len, &text);
	out = json_string(buf_text(&text));
	hist_release(&h);
	buf_release(&raw);
	buf_release(&text);
	return out;
}

static inline json_int_t fake_requests(const struct fake *w)
{
	int64_t n = (w->close_ns - w->open_ns) / (NS_PER_S / FAKE_RATE);
	double part = w->wavered % 2 ? w->waver : -w->waver;

	return w->payload_bytes == w->waver_bytes ? n + (int64_t)((double)n * part) : n;
}

/* As clients/load_json.c writes it, the keys that the runner reads. */
static inline json_t *fake_result(const struct fake *w)
{
	json_int_t n = fake_requests(w);
	json_int_t resumed = fake_has(w, FAKE_RESUMES), from = w->open_ns, to = w->close_ns;
	int64_t offset_ns = w->offset_ns[RUNNER_CLIENT];

	return json_pack("{s:{s:I, s:i, s:i, s:i, s:I, s:I}, s:{s:i}, s:{s:I, s:I, s:i, s:i}, "
			 "s:{s:I, s:I}, s:I, "
			 "s:{s:{s:I, s:i, s:i, s:i}, s:{s:I, s:I}}, s:{s:f, s:i}, s:{s:f}, s:{s:I, "
			 "s:I}, s:s, "
			 "s:n, s:n, s:{s:o, s:o, s:o}}",
			 "requests", "started", n, "failed", 0, "timed_out", 0, "in_flight", 0,
			 "succeeded", n, "completed", n - 3, "connections", "reconnects", 4,
			 "handshakes", "full", n - resumed, "resumed", resumed, "early_data", 0,
			 "failed", 0, "wire", "bytes_sent", 100 * n, "bytes_received", 900 * n,
			 "body_bytes", 512 * n, "total", "requests", "succeeded", n + 50, "failed",
			 0, "timed_out", 0, "in_flight", 0, "handshakes", "full", n + 50 - resumed,
			 "resumed", resumed, "client", "cpu_s",
			 0.25 * (double)(to - from) / (double)NS_PER_S, "rss_peak_kib", 4096,
			 "lateness_us", "max", 12.5, "window", "from_ns", from + offset_ns, "to_ns",
			 to + offset_ns, "negotiated", "tls", "first_failure", "reason",
			 "histograms", "response", fake_hist(n, 2000000), "service",
			 fake_hist(n, 1000000), "handshake", fake_hist(n, 500000));
}

static inline json_t *fake_counters(json_int_t n, json_int_t resumed)
{
	return json_pack("{s:I, s:{s:I, s:I}}", "requests", n, "handshakes", "full", n - resumed,
			 "resumed", resumed);
}

static inline json_t *fake_collect(const struct fake *w, enum runner_node who)
{
	json_int_t n = fake_requests(w) + 50;
	json_t *answer = json_pack("{s:[I], s:o, s:{}}", "cpu_ns",
				   (json_int_t)(w->close_ns - w->open_ns) / 2, "trace",
				   fake_trace(w, who), "environment");

	if (who == RUNNER_CLIENT && !fake_has(w, FAKE_NO_RESULT))
		json_object_set_new(answer, "result", fake_result(w));
	if (who == RUNNER_CLIENT)
		return answer;
	json_object_set_new(answer, "rss_peak_kib", json_integer(8192));
	json_object_set_new(answer, "counters",
			    json_pack("{s:o, s:o}", "before", fake_counters(7, 0), "after",
				      fake_counters(7 + n, fake_has(w, FAKE_RESUMES))));
	return answer;
}

static inline json_t *fake_hello(const struct fake *w)
{
	char boot_id[64] = "elsewhere";
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (in && w->local && fscanf(in, "%63s", boot_id) != 1)
		boot_id[0] = '\0';
	if (in)
		fclose(in);
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:{s:s}, s:{}, s:{}, s:s}", "version",
			 w->version, "kernel", "Linux 6.1", "machine", "armv7l", "cpu", "fake",
			 "cpus", (json_int_t)4, "governor", "performance", "os", "none", "engines",
			 "null", "none", "builds", "environment", "boot_id", boot_id);
}

/* NULL: the fault f says. */
static inline json_t *fake_prepare(struct fake *w, enum runner_node who, const json_t *request,
				   struct fail *f)
{
	const json_t *server = json_object_get(request, "server");

	if (who == RUNNER_CLIENT)
		return json_object();
	w->payload_bytes = json_integer_value(json_object_get(server, "payload_bytes"));
	w->wavered += w->payload_bytes == w->waver_bytes;
	w->trials++;
	w->open_ns = w->close_ns = 0;
	w->stage = 0;
	if (w->trials - 1 == w->signal_at_trial)
		w->signals = w->signal_count;
	w->lost[who] = fake_has(w, FAKE_LOSES_SERVER);
	if (w->lost[who])
		fail_set(f, EPIPE, "server node is lost: it ended");
	else if (fake_has(w, FAKE_REFUSES))
		fail_set(f, EPROTO, "server node: the port is taken");
	return f->code ? NULL : json_pack("{s:s, s:s}", "url", "https://10.0.0.1:1/", "ca_pem", "");
}

/* One for each suite that is asked for; what the second one is, is not known. */
static inline json_t *fake_limits(enum runner_node who, const json_t *request)
{
	size_t n = json_array_size(json_object_get(request, "suites"));
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, i == 1 ? json_pack("{s:s}", "error", "no primitive")
						   : json_pack("{s:f, s:f}", "us", 99.0, "cpu_us",
							       who == RUNNER_SERVER ? 77.0 : 33.0));
	return json_pack("{s:o}", "limits", list);
}

static inline json_t *fake_answer(struct fake *w, enum runner_node who, const json_t *request,
				  struct fail *f)
{
	const char *verb = json_string_value(json_object_get(request, "do"));

	if (!strcmp(verb, "hello"))
		return fake_hello(w);
	if (!strcmp(verb, "limit"))
		return fake_limits(who, request);
	if (!strcmp(verb, "prepare"))
		return fake_prepare(w, who, request, f);
	if (!strcmp(verb, "clock"))
		return json_pack("{s:I}", "now_ns", (json_int_t)(w->now_ns + w->offset_ns[who]));
	if (!strcmp(verb, "collect"))
		return fake_collect(w, who);
	if (!strcmp(verb, "meter") && who == RUNNER_SERVER)
		w->meter_from_ns = w->now_ns;
	if (!strcmp(verb, "stop"))
		w->stops++;
	if (!strcmp(verb, "load")) {
		w->loads++;
		w->open_ns = w->now_ns + w->plan->times.warmup_ns;
		w->close_ns = w->open_ns + w->plan->times.measure_ns;
		w->stage = 1;
	}
	return json_pack("{s:{}}", "environment");
}

static inline int fake_call(void *data, enum runner_node who, json_t *request, int64_t silence_ns,
			    json_t **reply, struct fail *f)
{
	struct fake *w = data;
	json_t *answer = NULL;

	w->silence_ns = silence_ns;
	if (silence_ns > w->longest_silence_ns)
		w->longest_silence_ns = silence_ns;
	w->now_ns += 300 * NS_PER_US; /* there */
	if (w->lost[who])
		fail_set(f, EPIPE, "%s node is lost: it ended before", runner_node_name[who]);
	else
		answer = fake_answer(w, who, request, f);
	w->now_ns += 100 * NS_PER_US; /* and back */
	json_decref(request);
	if (reply)
		*reply = answer;
	else
		json_decref(answer);
	return answer ? 0 : -1;
}

static inline json_t *fake_event(const struct fake *w, const char *phase, int64_t at_ns)
{
	return json_pack("{s:s, s:s, s:I}", "event", "load", "phase", phase, "at_ns",
			 (json_int_t)(at_ns + w->offset_ns[RUNNER_CLIENT]));
}

static inline json_t *fake_trouble(const struct fake *w, enum runner_node *who)
{
	if (fake_has(w, FAKE_LOAD_FAILS))
		return json_pack("{s:s, s:s, s:s}", "event", "load", "phase", "failed", "error",
				 "connection refused");
	if (!fake_has(w, FAKE_SERVER_ENDS))
		return NULL;
	*who = RUNNER_SERVER;
	return json_pack("{s:s, s:s, s:s}", "event", "server", "phase", "ended", "error",
			 "the server ended (exit status 9)");
}

/* The next thing the load does, if it is before due_ns. */
static inline int fake_wait(void *data, int64_t due_ns, enum runner_node *who, json_t **event,
			    struct fail *f)
{
	static const char *const words[] = { "window", "closed", "ended" };
	struct fake *w = data;
	int64_t next_ns = w->stage == 1   ? w->open_ns
			  : w->stage == 2 ? w->close_ns
					  : w->close_ns + FAKE_DRAIN_NS;

	*who = RUNNER_CLIENT;
	*event = NULL;
	if (!w->stage || w->stage > 3 || next_ns > due_ns ||
	    (w->stage == 2 && fake_has(w, FAKE_NEVER_CLOSES))) {
		w->now_ns = (due_ns > w->now_ns ? due_ns : w->now_ns) + NS_PER_US;
		return 0;
	}
	w->now_ns = next_ns + 50 * NS_PER_US; /* it is heard a little later */
	w->stage++;
	w->lost[RUNNER_CLIENT] = w->stage == 3 && fake_has(w, FAKE_LOSES_CLIENT);
	if (w->lost[RUNNER_CLIENT])
		return fail_set(f, EPIPE, "client node is lost: killed by signal 9");
	if (w->stage == 3)
		*event = fake_trouble(w, who);
	if (!*event)
		*event = fake_event(w, words[w->stage - 2], next_ns);
	return 1;
}

static inline int fake_restart(void *data, enum runner_node who, struct fail *f)
{
	struct fake *w = data;

	(void)f;
	w->restarts++;
	w->lost[who] = false;
	return 0;
}

#endif
