/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - runs a handshake between two wires and checks what came of it.
 */
#include "ciphers/probe.h"

#include <errno.h>
#include <string.h>

#define WIRE_BYTES     65536
#define PACKET_BYTES   65536
#define MTU_BYTES      1400
#define IDLE_TURNS     4 /* turns in which nothing moved before it counts as stalled */
#define CHUNK_BYTES    16384
#define GREETING       "as long as a short request"
#define GREETING_BYTES sizeof(GREETING)

static void end_close_assoc(struct probe_end *e)
{
	if (e->assoc.impl)
		e->domain.ops->close(&e->assoc);
	e->assoc.impl = NULL;
	wire_clear(&e->assoc.in);
	wire_clear(&e->assoc.out);
}

static void end_release(struct probe_end *e)
{
	end_close_assoc(e);
	if (e->domain.ops)
		e->domain.ops->domain_close(&e->domain);
	wire_release(&e->assoc.in);
	wire_release(&e->assoc.out);
}

static int end_init(struct probe_end *e, const struct engine_ops *ops, struct tls_params params,
		    struct fail *f)
{
	bool datagram = tls_version_is_datagram(params.suite->version);

	e->domain = (struct domain){ .ops = ops, .params = params };
	e->assoc = (struct assoc){ .domain = &e->domain };
	if (wire_init(&e->assoc.in, WIRE_BYTES, datagram) ||
	    wire_init(&e->assoc.out, WIRE_BYTES, datagram))
		return fail_set(f, ENOMEM, "no memory for a wire");
	if (ops->domain_open(&e->domain)) {
		*f = e->domain.fail;
		return fail_within(f, "%s %s", ops->name,
				   params.role == SERVER ? "server" : "client");
	}
	return 0;
}

static int end_restart(struct probe_end *e, struct fail *f)
{
	end_close_assoc(e);
	fail_clear(&e->assoc.fail);
	if (!e->domain.ops->open(&e->assoc))
		return 0;
	*f = e->assoc.fail;
	return -1;
}

int probe_restart(struct probe *p, struct fail *f)
{
	return end_restart(&p->client, f) || end_restart(&p->server, f) ? -1 : 0;
}

/* No secret: the same in every probe, and of no use elsewhere. */
const uint8_t probe_psk[PSK_BYTES_MIN] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static void share_key(struct tls_params *p)
{
	p->psk_identity = PROBE_PSK_IDENTITY;
	p->psk_key = probe_psk;
	p->psk_key_bytes = sizeof(probe_psk);
}

int probe_open(struct probe *p, const struct engine_ops *client, const struct engine_ops *server,
	       const struct suite *suite, const struct credential *credential, struct fail *f)
{
	struct tls_params c = { .role = CLIENT, .suite = suite, .mtu = MTU_BYTES };
	struct tls_params s = { .role = SERVER, .suite = suite, .mtu = MTU_BYTES };

	*p = (struct probe){ .suite = suite };
	share_key(&c);
	share_key(&s);
	if (credential) {
		c.ca_file = credential->ca_file;
		c.server_name = "localhost";
		s.cert_file = credential->cert_file;
		s.key_file = credential->key_file;
	}
	if (!end_init(&p->client, client, c, f) && !end_init(&p->server, server, s, f) &&
	    !probe_restart(p, f))
		return 0;
	probe_close(p);
	return -1;
}

void probe_close(struct probe *p)
{
	end_release(&p->client);
	end_release(&p->server);
	*p = (struct probe){ 0 };
}

size_t probe_carry(struct probe_end *from, struct probe_end *to)
{
	uint8_t packet[PACKET_BYTES];
	size_t moved = 0, room, n;

	while ((room = wire_room(&to->assoc.in)) && !wire_empty(&from->assoc.out)) {
		n = wire_get(&from->assoc.out, packet,
			     from->assoc.out.datagram || room > sizeof(packet) ? sizeof(packet)
									       : room);
		moved += wire_put(&to->assoc.in, packet, n);
	}
	return moved;
}

static int end_failed(const struct probe_end *e, struct fail *f)
{
	*f = e->assoc.fail;
	return fail_within(f, "%s %s", e->domain.ops->name,
			   e->domain.params.role == SERVER ? "server" : "client");
}

static int check_end(struct probe_end *e, const struct probe *p, struct fail *f)
{
	struct tls_facts facts;

	e->domain.ops->facts(&e->assoc, &facts);
	if (facts_check(p->suite, &facts, e->domain.params.role, f))
		return -1;
	if (facts.resumed && !p->may_resume)
		return fail_set(f, EPROTO, "the handshake resumed an older session");
	return 0;
}

int probe_handshake(struct probe *p, struct fail *f)
{
	struct probe_end *c = &p->client, *s = &p->server;
	enum step cs = STEP_IN, ss = STEP_IN;
	int idle = 0;

	while (cs != STEP_DONE || ss != STEP_DONE) {
		size_t moved = 0;

		if (cs != STEP_DONE)
			cs = c->domain.ops->handshake(&c->assoc);
		moved += probe_carry(c, s);
		if (ss != STEP_DONE)
			ss = s->domain.ops->handshake(&s->assoc);
		moved += probe_carry(s, c);
		/* The side that refused knows why; the other only heard an alert. */
		if (ss == STEP_FAILED && cs != STEP_FAILED && !wire_empty(&c->assoc.in))
			cs = c->domain.ops->handshake(&c->assoc);
		if (cs == STEP_FAILED)
			return end_failed(c, f);
		if (ss == STEP_FAILED)
			return end_failed(s, f);
		idle = moved ? 0 : idle + 1;
		if (idle > IDLE_TURNS)
			return fail_set(f, ETIMEDOUT, "the handshake stalled");
	}
	return check_end(c, p, f) || check_end(s, p, f) ? -1 : 0;
}

/* Read what arrived; it must be the bytes from *at on. */
static int receive(struct probe_end *to, const uint8_t *data, size_t len, size_t *at,
		   struct fail *f)
{
	uint8_t got[CHUNK_BYTES];
	size_t n;

	for (;;) {
		enum step step = to->domain.ops->read(&to->assoc, got, sizeof(got), &n);

		if (step == STEP_IN && wire_empty(&to->assoc.in))
			return 0;
		if (step == STEP_IN)
			continue;
		if (step != STEP_DONE)
			return step == STEP_FAILED ? end_failed(to, f)
						   : fail_set(f, EPROTO, "closed while receiving");
		if (n > len - *at || memcmp(got, data + *at, n))
			return fail_set(f, EPROTO, "other bytes arrived than were sent");
		*at += n;
	}
}

int probe_send(struct probe_end *from, struct probe_end *to, const void *data, size_t len,
	       struct fail *f)
{
	const uint8_t *bytes = data;
	size_t sent = 0, received = 0, n;
	int idle = 0;

	while (received < len) {
		enum step step = STEP_OUT;

		n = 0;
		if (sent < len)
			step = from->domain.ops->write(&from->assoc, bytes + sent, len - sent, &n);
		if (step == STEP_FAILED)
			return end_failed(from, f);
		sent += n;
		idle = probe_carry(from, to) + n ? 0 : idle + 1;
		if (idle > IDLE_TURNS)
			return fail_set(f, ETIMEDOUT, "stalled after %zu bytes", received);
		if (receive(to, bytes, len, &received, f))
			return -1;
	}
	return 0;
}

int probe_suite(const struct engine_ops *client, const struct engine_ops *server,
		const struct suite *suite, const struct credential *credential, struct fail *f)
{
	struct probe p;
	int ret = -1;

	if (probe_open(&p, client, server, suite, credential, f))
		return -1;
	if (!probe_handshake(&p, f) &&
	    !probe_send(&p.client, &p.server, GREETING, GREETING_BYTES, f) &&
	    !probe_send(&p.server, &p.client, GREETING, GREETING_BYTES, f))
		ret = 0;
	probe_close(&p);
	return ret;
}
