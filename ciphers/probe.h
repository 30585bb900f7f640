/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - a client and a server joined by two wires, in one thread.
 *
 * What proves that an engine really runs a suite: a full handshake, bytes both
 * ways, and the facts of both sides held against the suite. No socket, no clock.
 */
#ifndef CIPHERS_PROBE_H
#define CIPHERS_PROBE_H

#include "ciphers/credential.h"
#include "ciphers/engine.h"

struct probe_end {
	struct domain domain;
	struct assoc assoc;
};

struct probe {
	struct probe_end client, server;
	const struct suite *suite;
	bool may_resume; /* else a resumed handshake is a failure */
};

/* What both sides of a probe share where the suite has a pre-shared key. */
extern const uint8_t probe_psk[PSK_BYTES_MIN];
#define PROBE_PSK_IDENTITY "probe"

/*
 * Opens both domains for a suite and its credential (NULL for plain); the client
 * verifies the name "localhost". Everything is borrowed until probe_close(). On -1
 * nothing is left open.
 */
int probe_open(struct probe *p, const struct engine_ops *client, const struct engine_ops *server,
	       const struct suite *suite, const struct credential *credential, struct fail *f);
/* Accepts a zeroed struct. */
void probe_close(struct probe *p);

/* A new association on both domains, ending the one before. */
int probe_restart(struct probe *p, struct fail *f);

/* Until both sides are done; then the facts of both are checked against the suite. */
int probe_handshake(struct probe *p, struct fail *f);

/* len bytes from one end to the other, compared at arrival. */
int probe_send(struct probe_end *from, struct probe_end *to, const void *data, size_t len,
	       struct fail *f);

/* Carry what waits in from's out wire to to's in wire: how many bytes. */
size_t probe_carry(struct probe_end *from, struct probe_end *to);

/* All of it, once, with a little data each way. */
int probe_suite(const struct engine_ops *client, const struct engine_ops *server,
		const struct suite *suite, const struct credential *credential, struct fail *f);

#endif
