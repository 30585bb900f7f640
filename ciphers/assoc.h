/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assoc - one association on a non-blocking stream socket.
 *
 * The thin shell around an engine: ciphertext between the wires and a
 * descriptor, and the loops that the engine's rules ask for (read again while
 * input is queued; flush before waiting). Both servers and clients use it; it
 * knows no event loop and no protocol above TLS.
 */
#ifndef CIPHERS_ASSOC_H
#define CIPHERS_ASSOC_H

#include "ciphers/engine.h"

struct assoc_socket {
	struct assoc assoc;
	int fd;       /* -1 when closed */
	bool eof;     /* the peer closed its side of the socket */
	bool stuck;   /* the socket took less than was waiting: wait for LOOP_WRITE */
	bool emptied; /* the last recv() left nothing: another one would only say so */
	/* The owner's: it writes at once behind a handshake, whose last flight waits for that. */
	bool gathers;
	int64_t bytes_sent, bytes_received; /* ciphertext, cumulative */
	int socket_error;                   /* errno of the socket when it failed, else 0 */
	int records, records_per_send;      /* sealed since the out wire was last empty; limit */
};

/*
 * records_per_send: how many full records gather in the out wire before a send();
 * it sizes the wire, for every engine alike (write batching changes CPU more than the
 * cipher does). The wires are made here once and kept over reuse: release ends them.
 */
int assoc_socket_init(struct assoc_socket *s, size_t record_bytes, int records_per_send);
void assoc_socket_release(struct assoc_socket *s);

/*
 * For owners of many associations of which few work at once: wires of the same size,
 * made apart and lent to an association while it works. Without wires it can be opened,
 * closed and asked for facts, and nothing else.
 */
struct assoc_wires {
	struct wire in, out;
};

int assoc_wires_init(struct assoc_wires *w, size_t record_bytes, int records_per_send);
void assoc_wires_release(struct assoc_wires *w);
/* In place of assoc_socket_init(). */
void assoc_socket_init_bare(struct assoc_socket *s, int records_per_send);
void assoc_socket_lend(struct assoc_socket *s, struct assoc_wires *w);
/* Back to their owner. false: bytes wait in them, they stay lent. */
bool assoc_socket_return(struct assoc_socket *s, struct assoc_wires *w);

/* fd stays the caller's to close. -1: s->assoc.fail. */
int assoc_socket_open(struct assoc_socket *s, struct domain *d, int fd);
/*
 * The socket has become readable. Who waits for that (level-triggered) says it here, and is
 * spared a recv() that finds nothing behind each that took all there was; without it, a step
 * may say STEP_IN once too often.
 */
static inline void assoc_socket_ready(struct assoc_socket *s)
{
	s->emptied = false;
}

/* Ends the association, keeps the wires' memory. */
void assoc_socket_close(struct assoc_socket *s);

/*
 * Each goes as far as it can without blocking. STEP_IN: wait until the socket is
 * readable. STEP_OUT: wait until it is writable. STEP_CLOSED: orderly end.
 * STEP_FAILED: s->assoc.fail. A peer that vanished without close_notify gives
 * STEP_FAILED with code ECONNRESET or EPIPE ("closed by peer").
 */
enum step assoc_socket_handshake(struct assoc_socket *s);
enum step assoc_socket_read(struct assoc_socket *s, void *dst, size_t len, size_t *got);
/*
 * Client, between opening (with a session offered) and the handshake, whose first flight takes it
 * along: all of it, up to ops->early_room(). The facts tell whether it was accepted. -1: the
 * association's fail.
 */
int assoc_socket_write_early(struct assoc_socket *s, const void *src, size_t len);
/* May take less than len. What was sealed may still wait in the out wire: flush. */
enum step assoc_socket_write(struct assoc_socket *s, const void *src, size_t len, size_t *put);
/* STEP_DONE when nothing waits any more. */
enum step assoc_socket_flush(struct assoc_socket *s);
/* Seal and send a close_notify, best effort. */
void assoc_socket_shutdown(struct assoc_socket *s);

#endif
