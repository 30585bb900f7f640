/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node - what runs on each machine of a testbed: starts the server under test or the load
 * generator as its own child, reads the meter, and answers the runner (see rpc.h).
 *
 * The verbs, in the order of a trial. Times are of this node's monotonic clock. A key that
 * is not listed is refused, and so is any verb before `hello`.
 *
 *   hello    {protocol, version} -> what struct node says of a machine, boot_id.
 *            Both must be this node's own.
 *   clock    {} -> {now_ns}
 *   limit    {role: "server" | "client", suites: [[suite, engine], ...]} -> {limits: [{us, cpu_us}
 *            or {error}, ...]}: the sum of a full handshake's primitives on that side, each
 *            measured for some milliseconds
 *   prepare  {server: {...}} -> {url, ca_pem, client_pem, psk}: starts it and waits until it
 *            listens; {client: {...}} -> {}: keeps the settings for `load`
 *   timeline {url, interface, engine, count} -> {sample}: the prepared load once, of so many
 *            requests one after another, captured on the interface ("": the one that leads
 *            to url), see wire_sample.h
 *   meter    {meter, rate_hz, expected_ns} -> {environment, real_time}: reads the meter (none
 *            when "") and the CPU time of the children from now on; real_time: its threads
 *            run before the load
 *   load     {} -> {}: starts the load generator; events follow:
 *            {event: "load", phase: "warmup" | "window" | "closed" | "ended", at_ns}, or
 *            {event: "load", phase: "failed", error}
 *   collect  {windows: [[from_ns, to_ns], ...]} -> {cpu_ns: [...], usage_cpu_ns, rss_peak_kib,
 *            trace, meter_error, counters: {before, after}, result, environment}: ends the
 *            readings. cpu_ns is -1 where a window was not seen. trace is base64 of
 *            trace_encode(). rss_peak_kib, trace, counters and result are there where there
 *            are any; rss_peak_kib is the server's
 *   stop     {} -> {}: ends the children and forgets the trial
 *
 * {event: "alive"} comes every second while an answer has to wait for a child.
 * {event: "server", phase: "ended", error} comes when the server under test ended by
 * itself. Between "window" and "closed" nothing is sent but failures.
 */
#ifndef TESTBED_NODE_H
#define TESTBED_NODE_H

#include <jansson.h>

#include "lib/buf.h"
#include "lib/fail.h"

struct node_session;

/* program: path of cipherwatt, for the children. NULL: no memory. */
struct node_session *node_session_new(const char *program);
/* Ends every child. */
void node_session_free(struct node_session *n);

/* One request line (any bytes) to its answer, the caller's to decref; never NULL. */
json_t *node_answer(struct node_session *n, const char *line, size_t len);

/*
 * Answer in_fd's lines on out_fd until the end of the input: 0. -1: a line longer than
 * RPC_REQUEST_BYTES_MAX (it was answered with an error), or the runner is gone.
 */
int node_serve(struct node_session *n, int in_fd, int out_fd, struct fail *f);

#endif
