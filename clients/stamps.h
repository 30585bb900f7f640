/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stamps - when each handshake message was made or taken inside the client's engine, to lay beside
 * a capture of the same associations.
 *
 * A file of JSON lines. The first and the last are {"clock": {"monotonic_ns", "realtime_ns",
 * "error_ns"}}, how the stamps' clock stood to a capture's. Between them, one for each
 * exchange: {"connect_ns", "secured_ns", "sent_ns", "end_ns", "ok", "late_ns", "messages":
 * [{"type", "from", "t_ns", "bytes"}]}; what did not happen is null.
 *
 * SUMMARY. While the file is open a timer is due every STAMPS_PROBE_NS. late_ns is the most that
 * it was late between an exchange's begin and its end. A stamp then differs from the packet's
 * own time by at most 2 * (late_ns + STAMPS_PROBE_NS).
 *
 * DETAILS. What is sent leaves in the turn of the loop that made it. A turn that takes D makes
 * a timer due in it late by at least D - STAMPS_PROBE_NS. What has come is taken in the turn
 * that finds it: the loop gets to it at most one such time after the packet (busy, or not
 * run at all), and then needs at most one more to reach it within the turn.
 */
#ifndef CLIENTS_STAMPS_H
#define CLIENTS_STAMPS_H

#include <stdio.h>

#include "clients/peer.h"

#define STAMPS_PROBE_NS     INT64_C(100000)
#define STAMPS_MESSAGES_MAX 64 /* of one exchange; more are left out */

struct stamp {
	const struct assoc *assoc;
	struct tls_message message;
	int64_t t_ns;
};

struct stamps {
	FILE *out, *secrets;
	struct tls_observer observer; /* for the domain */
	struct loop_timer probe;
	int64_t probe_due_ns; /* 0: it does not run */
	int64_t late_ns;
	struct stamp stamp[STAMPS_MESSAGES_MAX];
	bool failed; /* to write */
	int count;
};

/* The files are made anew; secrets may be NULL. -1: f. */
int stamps_open(struct stamps *s, const char *path, const char *secrets, struct fail *f);
/* From the thread whose loop it is. */
void stamps_start(struct stamps *s, struct loop *loop);
/* A peer's exchange is over. */
void stamps_exchange(struct stamps *s, const struct peer *p);
void stamps_stop(struct stamps *s);
/* -1: not all of it could be written. Accepts a zeroed struct. */
int stamps_close(struct stamps *s, struct fail *f);

#endif
