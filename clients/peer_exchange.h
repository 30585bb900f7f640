/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_exchange - between the parts of a peer: its states (peer.c), its way to an
 * association (peer_connect.c), and what passes over that (peer_exchange.c; of several exchanges
 * peer_streams.c). Nobody else includes this.
 */
#ifndef CLIENTS_PEER_EXCHANGE_H
#define CLIENTS_PEER_EXCHANGE_H

#include "clients/peer.h"

/* What passed on the wire since it was last counted belongs to p's exchange. */
void peer_account_wire(struct peer *p);
/* peer.c. A zeroed peer that travels over this: no memory, no association. */
void peer_prepare(struct peer *p, struct peer_env *env, const struct peer_ops *ops);
/* Memory for what it asks and hears. -1: none; peer_release() all the same. */
int peer_prepare_answers(struct peer *p, struct fail *f);
/* The exchange may be over, and another begun, when these return. */
void peer_disconnect(struct peer *p);
/* p->exchange.end and end_ns are set. */
void peer_finish(struct peer *p);
/* p->fail tells why. */
void peer_fail(struct peer *p);
void peer_on_ready(struct loop_io *io, int events);

/*
 * peer_connect.c. When a client that is free at free_ns, which is now or was, can begin: then, or
 * when it may connect. That slot is kept until it is used; asked for ahead of time it would keep
 * all others waiting.
 */
int64_t peer_ready_ns(struct peer *p, int64_t free_ns);
/* False: the peer waits for its turn to connect, then begin() comes again. */
bool peer_may_connect(struct peer *p);
/* errno says why there is no socket: p->exchange fails. */
void peer_connect_failed(struct peer *p, int code);
/* A host may have several addresses: go on to the next one? The first that works is kept. */
bool peer_another_address(struct peer *p);
/* A new association, of which the counters tell. */
void peer_count_connect(struct peer *p);
void peer_connect(struct peer *p);
/* The socket says that it is, or why not. */
void peer_connected(struct peer *p);

/* peer_session.c. Between opening an association and its handshake. -1: the association's fail. */
int peer_offer_session(struct peer *p);
/* Before an association is closed: take what it gave to resume it. */
void peer_keep_session(struct peer *p);
void peer_drop_session(struct peer *p);

/* peer_ask.c. The next question of p, in p->question.request. -1: p->fail. */
int peer_put(struct peer *p);
/* The next request on this association asks the server to close. */
bool peer_is_last(const struct peer *p);
/* Put it to the server; what cannot be sent ends the exchange. */
void peer_ask(struct peer *p);
/* p->held, and something has come: put it again. False: the exchange is over. */
bool peer_ask_held(struct peer *p);
/*
 * p->again: the server has not looked at the request. Put it once more, here or where it takes no
 * more on a new association. False: not here, or the exchange is over.
 */
bool peer_ask_again(struct peer *p);
/* The same on a new association. */
void peer_reconnect(struct peer *p);
/*
 * Before a handshake that resumes: the request goes with it, where the session allows that.
 * False: the exchange is over.
 */
bool peer_ask_early(struct peer *p);
/* That handshake is done: hear the answer, or ask again where early data was refused. */
void peer_asked_early(struct peer *p);

/* peer_pace.c. What passed since the last call is taken from the buckets. */
void peer_pay(struct peer *p);
/* True: nothing may pass now; the same step comes again when the debt is paid. */
bool peer_must_wait(struct peer *p, bool uploads);
/* The state's patience ends then. */
void peer_alarm_at(struct peer *p, int64_t due_ns);

/* peer_exchange.c. A handshake is done, and counted. False: the run is over, ask for nothing. */
bool peer_secured(struct peer *p);
/* The association's fail tells why. */
void peer_handshake_failed(struct peer *p);
/* The same: go on as far as it goes without blocking. */
void peer_secure(struct peer *p);
void peer_exchange(struct peer *p);
void peer_leave(struct peer *p);
/* Send what the codec has. STEP_DONE: all of it is on its way. STEP_OUT: the socket is full. */
enum step peer_push(struct peer *p);
/* To be called when something comes, and when the socket takes more. */
void peer_want(struct peer *p, bool write);
/* APP_HEAD_IN and APP_BODY of p's response. -1: p->fail. */
int peer_take_content(struct peer *p, const struct app_event *e);
/* The last byte is here: p's exchange ends now, and how. */
void peer_judge(struct peer *p);
/* The server did not close: we do, and remember that TIME_WAIT is ours. */
void peer_close_first(struct peer *p);

#endif
