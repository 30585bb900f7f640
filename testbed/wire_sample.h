/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_sample - a few associations of a cell, as they passed on the wire and as the client's engine
 * stamped them, joined and summed up.
 *
 * Pure: connections and stamps come in, a JSON object comes out. Times count from the first
 * packet on the wire (the SYN, or the first datagram) and inside the client from connect().
 *
 *   {"interface", "wanted", "seen", "complete", "joined",
 *    "handshake_us": {"median", "p95"}, "payload_us": {"median", "p95"},
 *    "steps": [{"step", "from", "wire_us", "wire_p95_us", "engine_us", "difference_us", "n"}],
 *    "agreement": {"compared", "beyond", "error_us", "error_p95_us"} or null, "unobserved"}
 *
 * handshake_us runs from that first packet to the later Finished, of a connection without TLS to
 * the ACK; payload_us from there to the last data. difference_us is engine less wire, of the
 * same message of the same association on one clock. Each is held against the error that its
 * association's stamps state; error_us is the median of those.
 */
#ifndef TESTBED_WIRE_SAMPLE_H
#define TESTBED_WIRE_SAMPLE_H

#include <jansson.h>

#include "capture/connection.h"
#include "lib/fail.h"

#define WIRE_SAMPLE_MAX       1000 /* associations */
#define WIRE_SAMPLE_STEPS_MAX 40   /* of one */

struct wire_step {
	char name[64]; /* as message_long_name() */
	bool from_client;
	int64_t t_ns; /* on that side's clock */
};

struct wire_association {
	int64_t start_ns, last_ns; /* of the wire: its packets; of the engine: connect to end */
	int64_t handshake_ns, payload_ns; /* of the wire; TIME_NONE: not seen */
	int64_t error_ns;                 /* of the engine's stamps, against a packet's */
	struct wire_step step[WIRE_SAMPLE_STEPS_MAX];
	int steps;
};

struct wire_sample {
	const char *interface;
	const char *unobserved; /* NULL: the engine hides nothing */
	const char *ready;      /* what data waits for: "handshake", "tcp_open"; NULL: nothing */
	int wanted, seen, complete;
	struct wire_association *wire, *engine; /* WIRE_SAMPLE_MAX of each */
	int wires, engines;
	int64_t offset_ns; /* wall clock less the stamps' clock */
	int64_t clock_error_ns;
	int clocks;
};

/* -1: no memory. */
int wire_sample_init(struct wire_sample *s);
void wire_sample_release(struct wire_sample *s);
/* Of the capture; those that are neither complete nor plain are counted only. */
void wire_sample_connection(struct wire_sample *s, const struct connection *c);
/* The lines of `load --stamps`. -1: what is wrong with them. */
int wire_sample_stamps(struct wire_sample *s, const char *text, struct fail *f);
/* A new object; NULL: no memory. */
json_t *wire_sample_json(const struct wire_sample *s);

#endif
