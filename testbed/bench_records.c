/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_records - what a server's engine takes for a request and its answer over datagrams:
 * a record opened and one sealed, without sockets and without what is in them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/probe.h"
#include "lib/usage.h"
#include "testbed/bench_tls.h"

#define BATCH        32 /* between two looks at the clock */
#define RECORD_BYTES 1024

struct talk {
	struct probe p;
	size_t request_bytes, answer_bytes;
	int64_t cpu_ns;
};

static int ask(struct talk *t, struct fail *f)
{
	struct assoc *client = &t->p.client.assoc;
	uint8_t request[RECORD_BYTES] = { 0 };
	size_t put;

	for (int i = 0; i < BATCH; i++)
		if (engine_openssl.write(client, request, t->request_bytes, &put) != STEP_DONE ||
		    put != t->request_bytes)
			return fail_set(f, EPROTO, "a request was not sealed");
	return 0;
}

/* As servers/dgram_peer does: until the datagram holds no more, and then the answer. */
static int serve(struct talk *t, struct fail *f)
{
	struct assoc *server = &t->p.server.assoc;
	uint8_t datagram[2 * RECORD_BYTES], message[2 * RECORD_BYTES] = { 0 };
	size_t len, got, put, unused;

	for (int i = 0; i < BATCH; i++) {
		len = wire_get(&t->p.client.assoc.out, datagram, sizeof(datagram));
		wire_put(&server->in, datagram, len);
		if (engine_openssl.read(server, message, sizeof(message), &got) != STEP_DONE ||
		    got != t->request_bytes ||
		    engine_openssl.read(server, message, sizeof(message), &unused) != STEP_IN ||
		    engine_openssl.write(server, message, t->answer_bytes, &put) != STEP_DONE ||
		    put != t->answer_bytes)
			return fail_set(f, EPROTO, "a request was not opened or not answered");
	}
	return 0;
}

static int hear(struct talk *t, struct fail *f)
{
	struct assoc *client = &t->p.client.assoc;
	uint8_t message[2 * RECORD_BYTES];
	size_t got;

	probe_carry(&t->p.server, &t->p.client);
	for (int i = 0; i < BATCH; i++)
		if (engine_openssl.read(client, message, sizeof(message), &got) != STEP_DONE ||
		    got != t->answer_bytes)
			return fail_set(f, EPROTO, "an answer was not opened");
	return 0;
}

static int measure(struct talk *t, int count, struct fail *f)
{
	int batches = (count + BATCH - 1) / BATCH;

	for (int i = -1; i < batches; i++) { /* the first is the warm-up */
		int64_t began_ns;

		if (ask(t, f))
			return -1;
		began_ns = usage_thread_cpu_ns();
		if (serve(t, f))
			return -1;
		t->cpu_ns += i < 0 ? 0 : usage_thread_cpu_ns() - began_ns;
		if (hear(t, f))
			return -1;
	}
	printf("%.3f\n", (double)t->cpu_ns / 1e3 / batches / BATCH);
	return 0;
}

static int read_bytes(const char *text, size_t *bytes, struct fail *f)
{
	*bytes = (size_t)strtoul(text, NULL, 10);
	if (*bytes >= 1 && *bytes <= RECORD_BYTES)
		return 0;
	return fail_set(f, EINVAL, "'%s': records hold 1 to %d bytes here", text, RECORD_BYTES);
}

static int open_probe(struct probe *p, const struct suite *s, struct fail *f)
{
	bool certified = s->credential->key != KEY_PSK;
	struct credential credential;

	if (certified && credential_get(s->credential, NULL, NULL, &credential, f))
		return -1;
	return probe_open(p, &engine_openssl, &engine_openssl, s, certified ? &credential : NULL,
			  f);
}

int bench_records(char **argv, struct fail *f)
{
	int count = atoi(argv[1]), status;
	struct talk t = { 0 };
	struct suite suite;

	if (count < 1)
		return fail_set(f, EINVAL, "'%s' is no number of requests", argv[1]);
	if (read_bytes(argv[2], &t.request_bytes, f) || read_bytes(argv[3], &t.answer_bytes, f) ||
	    suite_parse(argv[0], &suite, f) || open_probe(&t.p, &suite, f))
		return -1;
	status = probe_handshake(&t.p, f) || measure(&t, count, f) ? -1 : 0;
	probe_close(&t.p);
	return status;
}
