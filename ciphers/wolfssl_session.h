/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_session - sessions kept and offered, tickets.
 *
 * For engine_wolfssl.c and wolfssl_*.c only.
 */
#ifndef CIPHERS_WOLFSSL_SESSION_H
#define CIPHERS_WOLFSSL_SESSION_H

#include "ciphers/wolfssl_domain.h"

#define WOLFSSL_ALERT_BYTES 64

struct wolfssl_flight;

/* Beside an association, where there is something to keep. */
struct wolfssl_more {
	bool fresh;   /* a ticket came that was not taken */
	bool given;   /* the one session of an older version */
	bool asked;   /* somebody for a cookie, while it listens */
	bool brought; /* the cookie, by somebody */
	/* Datagrams: the last flight, NULL until it is known; an alert that may prove hasty. */
	struct wolfssl_flight *flight;
	uint8_t alert[WOLFSSL_ALERT_BYTES];
	size_t alert_len;
	int64_t sent_ns; /* when the last datagram of a handshake left, or was to leave again */
	/* Numbers of records: the one that the library has, the highest heard, which before it. */
	uint64_t shown, heard, heard_before;
};

/* What of the parameters concerns the context. -1: f. */
int wolfssl_session_context(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f);

/* Around an association. */
int wolfssl_more_open(WOLFSSL *ssl, const struct tls_params *p);
void wolfssl_more_close(WOLFSSL *ssl);

struct session *wolfssl_session_take(struct assoc *a);
int wolfssl_session_offer(struct assoc *a, struct session *s);
void wolfssl_session_free(struct session *s);

/*
 * Datagrams. What the call that ended the handshake put behind the mark is the last flight;
 * who sees its peer's flight again sends it again.
 */
size_t wolfssl_flight_mark(const struct assoc *a);
void wolfssl_flight_keep(struct assoc *a, size_t mark);
/* A datagram left, now; how much of the wait for its answer is left, not below 0. */
void wolfssl_flight_left(struct assoc *a);
int64_t wolfssl_flight_wait_ns(const struct assoc *a, int64_t wait_ns);
/*
 * An alert in a handshake that goes on (a message came too early) would end it at the peer:
 * true when the record is held back, until it is known whether the call failed.
 */
bool wolfssl_alert_hold(struct assoc *a, const uint8_t *record, size_t len);
void wolfssl_alert_settle(struct assoc *a, bool failed);
/*
 * The next record that the library may see, 0: none. Heard: data came out of it, so that it is
 * not shown again.
 */
size_t wolfssl_take(struct assoc *a, uint8_t *dst, size_t len);
void wolfssl_heard(struct assoc *a);

#endif
