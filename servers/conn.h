/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conn - one accepted connection, from handshake to the last byte, as a state machine
 * that runs until it would block. Objects are recycled by their worker, and what a
 * connection needs while it works is borrowed from the worker's pool: after the first
 * use nothing is allocated for a connection by this project's code.
 * Internal to servers/.
 */
#ifndef SERVERS_CONN_H
#define SERVERS_CONN_H

#include "ciphers/assoc.h"
#include "servers/pool.h"
#include "servers/worker.h"

enum conn_state {
	CONN_HANDSHAKE,
	CONN_OPEN,    /* requests and answers */
	CONN_CLOSING, /* the last bytes are on their way to the socket */
	CONN_LINGER,  /* nothing more is sent: wait for the peer's end, so that no reset
			 overtakes the last answer */
	CONN_DEAD
};

struct conn {
	struct worker *worker;
	struct worker_listener *from;
	struct conn *next, *prev;
	enum conn_state state;
	int fd;
	struct assoc_socket sock;
	struct pool_space *space;    /* NULL: nothing is on its way */
	struct pool_talk *talk;      /* NULL: nothing is asked, or who talks is not known yet */
	enum pool_protocol protocol; /* POOL_PROTOCOLS: the first bytes will tell */
	struct loop_io io;
	struct loop_timer timer;
	int64_t due_ns;                     /* when patience ends */
	int64_t timer_due_ns;               /* what the timer is set to: due_ns or earlier */
	int64_t sent_bytes, received_bytes; /* of the socket, already counted */
	bool peer_ended;
	bool unacked; /* the peer's last handshake message may still wait for its ACK */
	bool early;   /* it sent early data, and its last message may not be here yet */
	bool goodbye; /* close_notify was queued, or must not be */
	bool begun;   /* HTTP/1.1: bytes of a request have come that is not answered yet */
	size_t rx_at, rx_len, tx_at, tx_len; /* in space; 0 without one */
};

/* NULL: no memory. */
struct conn *conn_new(struct worker *w);
void conn_free(struct conn *c);

/* fd is the connection's from here on, whatever happens. */
void conn_begin(struct conn *c, struct worker_listener *from, int fd);
/* Say goodbye as far as that goes without waiting, and go back to the spare ones. */
void conn_drop(struct conn *c);

/*
 * For conn.c and conn_serve.c. serve: requests and answers until that would block.
 * patience: the idle time-out begins anew. die: over at once. fail: over when the alert
 * is out. The reason of both is in sock.assoc.fail. give_talk: the codec goes back, with
 * its answers.
 */
void conn_serve(struct conn *c);
void conn_patience(struct conn *c);
void conn_die(struct conn *c, const char *when);
void conn_fail(struct conn *c, const char *what);
void conn_give_talk(struct conn *c);

#endif
