/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load - `cipherwatt load URL`: options to parameters, signals, and the exit status.
 *
 * With --control it is what a node starts: a line for each phase as it begins, then the
 * result as one line; the end of its standard input ends it.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "clients/cmd_load.h"
#include "clients/driver.h"
#include "clients/load_json.h"
#include "lib/clock.h"
#include "lib/log.h"

#define KEPT_BYTES (64 << 20)

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* --- what is said --------------------------------------------------------- */

/* One write() at a border of the window: nothing is buffered and nothing allocated. */
static void say_phase(void *data, enum load_phase phase, int64_t at_ns)
{
	static const char *const name[LOAD_PHASES] = { "warmup", "window", "closed" };
	bool window_opened = *(bool *)data;

	*(bool *)data |= phase == LOAD_WINDOW;
	if (phase != LOAD_DRAIN || window_opened)
		dprintf(STDOUT_FILENO, "{\"phase\":\"%s\",\"at_ns\":%lld}\n", name[phase],
			(long long)at_ns);
}

/* A run whose window never opened has no "closed" line: this one stands for it. */
static void say_failed(const char *why)
{
	json_t *line = json_pack("{s:s, s:I, s:s}", "phase", "failed", "at_ns",
				 (json_int_t)clock_ns(), "error", why);

	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(line);
}

static int print_result(const struct load_settings *s, json_t *cell)
{
	json_t *line;
	int status;

	if (!s->json && !s->control) {
		load_text(cell, stdout);
		return 0;
	}
	if (!s->control) {
		status = json_dumpf(cell, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
		putchar('\n');
		return status;
	}
	line = json_pack("{s:O}", "result", cell);
	status = line ? json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9)) : -1;
	putchar('\n');
	json_decref(line);
	return status;
}

static void print_warnings(const json_t *cell)
{
	const json_t *list = json_object_get(cell, "warnings"), *text;
	size_t i;

	json_array_foreach(list, i, text)
	{
		log_say(LOG_WARNING, "load: %s", json_string_value(text));
	}
}

/* --- the run -------------------------------------------------------------- */

static int judge(const struct command *c, const struct load_params *p, const struct load_result *r)
{
	char why[256];
	const char *reason = load_verdict(p, r, why);

	if (!load_result_balances(r))
		return command_fail(c, EXIT_FAILED, "%s", reason);
	if (!r->window.succeeded)
		return command_fail(c, EXIT_FAILED, "nothing succeeded%s%s",
				    r->first_failure[0] ? ": " : "", r->first_failure);
	if (reason)
		return command_fail(c, EXIT_NOT_VALID, "not valid: %s%s%s", reason,
				    r->first_failure[0] ? "; first failure: " : "",
				    r->first_failure);
	return EXIT_RESULT;
}

static int report(const struct command *c, const struct load_settings *s,
		  const struct load_params *p, const struct load_result *r)
{
	json_t *cell = load_json(p, r);
	int status;

	if (!cell || print_result(s, cell)) {
		json_decref(cell);
		return command_fail(c, EXIT_FAILED, "cannot write the result");
	}
	print_warnings(cell);
	json_decref(cell);
	status = judge(c, p, r);
	return command_finish(c, status);
}

/*
 * Each handshake takes and frees some 100 KB in small pieces: giving them back to the system in
 * between costs the client time.
 */
static void keep_memory(void)
{
	if (!mallopt(M_TRIM_THRESHOLD, KEPT_BYTES) || !mallopt(M_MMAP_THRESHOLD, KEPT_BYTES) ||
	    !mallopt(M_TOP_PAD, KEPT_BYTES / 64))
		log_say(LOG_WARNING, "load: the C library gives freed memory back to the system: "
				     "handshakes cost this client more");
}

static int measure(const struct command *c, const struct load_settings *s, struct load_params *p)
{
	struct load_result r;
	struct fail f = { 0 };
	bool window_opened = false;
	int status;

	keep_memory();
	if (load_result_init(&r))
		return command_fail(c, EXIT_FAILED, "no memory for the result");
	p->watch_stdin = s->control;
	p->on_phase = s->control ? say_phase : NULL;
	p->data = &window_opened;
	if (load_run(p, &r, &f)) {
		status = command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	} else {
		if (s->control && !window_opened)
			say_failed(r.first_failure[0] ? r.first_failure : "ended in the warm-up");
		status = report(c, s, p, &r);
	}
	load_result_release(&r);
	return status;
}

/* --- another program's run ------------------------------------------------ */

static int report_driver(const struct command *c, const struct load_settings *s,
			 const struct load_params *p, const struct driver_ops *ops,
			 const struct driver_figures *d)
{
	json_t *cell = driver_json(ops, p, d);
	char why[256];
	const char *reason = driver_verdict(p, d, why);

	if (!cell || print_result(s, cell)) {
		json_decref(cell);
		return command_fail(c, EXIT_FAILED, "cannot write the result");
	}
	print_warnings(cell);
	json_decref(cell);
	if (d->succeeded <= 0)
		return command_fail(c, EXIT_FAILED, "nothing succeeded: %s", d->first_failure);
	if (reason)
		return command_fail(c, EXIT_NOT_VALID, "not valid: %s", reason);
	return command_finish(c, EXIT_RESULT);
}

static int measure_with(const struct command *c, const struct load_settings *s,
			struct load_params *p)
{
	const struct driver_ops *ops = drivers[s->driver - 1];
	struct driver_figures d;
	struct fail f = { 0 };
	bool window_opened = true;

	if (driver_run(ops, p, &d, &f))
		return command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	if (s->control) {
		say_phase(&window_opened, LOAD_WINDOW, d.from_ns);
		say_phase(&window_opened, LOAD_DRAIN, d.to_ns);
	}
	return report_driver(c, s, p, ops, &d);
}

/* Settings of our engines and sockets mean nothing to another program. -1, or the exit status. */
static int refuse_ours(const struct command *c, int argc, char **argv, int operands)
{
	static const char *const ours[] = { "engine",     "record-size",     "records-per-send",
					    "psk-file",   "workload",        "find-rate",
					    "stamps",     "secrets",         "histogram",
					    "early-data", "count-per-client" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (opt_given(load_options, argc, argv, operands, ours[i]))
			return command_fail(c, EXIT_USAGE, "--%s is for --driver builtin only",
					    ours[i]);
	}
	return -1;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct load_settings s;
	struct load_params p = { 0 };
	struct suite suite;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
	int operands, status = command_parse(c, &s, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands != 1)
		return command_fail(c, EXIT_USAGE, "expected one URL, %d were given", operands);
	status = load_read_params(c, &s, argv[1], &suite, &p);
	if (status < 0)
		status = load_check_needs(c, argc, argv, operands, &s, &p);
	if (status < 0 && s.driver)
		status = refuse_ours(c, argc, argv, operands);
	if (status < 0 && s.driver) {
		if (!opt_given(load_options, argc, argv, operands, "warmup"))
			p.warmup_ns = 0;
		status = measure_with(c, &s, &p);
	} else if (status < 0) {
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
		p.stop = &stop;
		status = s.find_rate ? load_find(c, &s, &p) : measure(c, &s, &p);
	}
	psk_table_release(&p.psk);
	return status;
}

const struct command cmd_load = {
	.name = "load",
	.usage = {
		.synopsis = "load URL [OPTION]...",
		.summary = "load a server and measure requests per second and latency",
		.description =
			"Asks for URL over and over, with N clients, and measures a window behind a "
			"warm-up. The scheme is http, https, coap, coaps, coap+tcp or coaps+tcp. An "
			"option that cannot be obeyed is refused. A request belongs "
			"to the window when it was due in it; what is not over 2 s after a window "
			"by duration is counted as in flight. Every request is counted as exactly "
			"one of succeeded, failed, timed out, in flight; a status of 400 and above "
			"is a failure, and only successes have latencies and a rate.\n\n"
			"Response time runs from when a request was due, service time from when it "
			"was sent, both to the last byte; handshake time from connect() to the "
			"finished handshake. In mode full nothing that could resume a session is "
			"kept, and a resumed handshake makes the result invalid; in mode resume "
			"each session is used once, a client's first handshake is a full one, and "
			"fewer resumed ones than asked for make the result invalid. In both the "
			"server closes first: it is asked to, its close confirms the end of the response, "
			"and no local port is left in TIME_WAIT.\n\n"
			"With --rate requests are due on a schedule, the k-th k periods after the "
			"window opens, and one for which no client is free waits for it; without it "
			"each client asks again when its response is there. Response time counts that "
			"wait, so a slow server cannot hide behind a client that asks less often "
			"(coordinated omission), and a closed loop says nothing about what users who "
			"do not wait would see. Service time leaves the wait out: when the two differ, "
			"or the schedule is marked as not kept, the server could not do the asked rate; "
			"that is a result, and the rate achieved stands beside the one asked for.\n\n"
			"Over coap and coaps each client has a UDP socket of its own. What is lost is "
			"sent again, by CoAP and by DTLS, and counted; a message id is not used again "
			"within 247 s, so a client that runs out of them takes another socket. Response "
			"times stand in classes: the handshake, the first request behind one, the others, "
			"failures. With --upload-rate all datagrams wait in one queue, as in front of a "
			"slow link, while the timers of the protocols run on; counted are the bytes handed "
			"to the socket, and --datagram-overhead for each datagram.\n\n"
			"A time-out is a sample of which only the limit is known: it is in no "
			"histogram, and percentiles over successes and time-outs are printed when there "
			"is one. A failure is neither.\n\n"
			"Exit status: 0 measured; 1 nothing succeeded, the server negotiated another "
			"suite than the one asked for, or the counts do not add up; 2 wrong usage; 3 measured but not "
			"valid: fewer successes than --min-success, more than 1 % still in flight, "
			"no local port left, a resumed handshake in mode full, mixed suites, more "
			"than one connection made again for 100 requests where they are to be kept, or "
			"interrupted (SIGINT prints what is there, with \"complete\": false).",
		.examples =
			"  cipherwatt load http://127.0.0.1:8080/page/512\n"
			"  cipherwatt load https://gateway.example/ --ca ca.pem --duration 10s --json\n"
			"  cipherwatt load https://127.0.0.1:8443/ --insecure --count 1000 \\\n"
			"      --suite tls1.3:AES128-GCM-SHA256:x25519:p256 --connection keepalive\n"
			"  cipherwatt load coaps://127.0.0.1:5684/ --suite dtls1.2:PSK-AES128-CCM8:none:psk \\\n"
			"      --psk-file keys --workload access --connection keepalive --clients 40 \\\n"
			"      --count-per-client 50 --find-rate 'mean<=3s'\n"
			"  cipherwatt load http://127.0.0.1:8080/ --rate 200 --arrivals poisson --seed 7\n",
		.options = load_options,
	},
	.run = run,
};
