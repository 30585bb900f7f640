/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer - one client: connects, shakes hands, asks, takes the answer, closes or keeps.
 *
 * A peer knows no window and no statistics: it fills in a struct exchange and tells its
 * owner when that is over. All its memory is made by peer_init(). It lives on the loop's
 * thread, and calls its owner back from the loop only.
 */
#ifndef CLIENTS_PEER_H
#define CLIENTS_PEER_H

#include "ciphers/assoc.h"
#include "clients/body.h"
#include "clients/bucket.h"
#include "clients/load.h"
#include "clients/question.h"
#include "lib/loop.h"
#include "lib/net.h"
#include "protocols/app.h"

/* How long a server may take to close after its last response before we do. */
#define PEER_LINGER_NS INT64_C(100000000)
/* An encoded request leaves through here, in as many pieces as it takes. */
#define PEER_OUT_BYTES 2048
/* The longest head of a response that is taken. */
#define PEER_HEAD_BYTES 65536
/* What one read takes at most: a full record. */
#define PEER_SCRATCH_BYTES 16384

enum exchange_end {
	EXCHANGE_OPEN,
	EXCHANGE_OK,
	EXCHANGE_FAILED,    /* refused, broken, malformed, or a status of 400 and above */
	EXCHANGE_TIMED_OUT, /* within the owner's limit, connecting included */
	EXCHANGE_ABANDONED, /* peer_abandon(): still in flight */
};

/* One request, from due to over. Stamps are monotonic; -1 where that point was not reached. */
struct exchange {
	int64_t due_ns, begun_ns, sent_ns, end_ns;
	int64_t ready_ns;     /* when it could begin: due, a client at hand, its turn to connect */
	int64_t handshake_ns; /* -1: there was none, nor a connection to be made */
	bool fresh;           /* a new association was made for it */
	int status;
	uint32_t max_age_s; /* CoAP: of the answer */
	enum app_encoding encoding;
	int64_t decoded_bytes; /* of a verified body; -1 otherwise */
	enum exchange_end end;
	struct load_counters count; /* what this exchange adds to the run's */
};

struct peer;

/*
 * What exchanges travel over: a stream (peer.c), or datagrams (dgram_peer.c). The states of a
 * client, its timers and every way an exchange can end are the same; a row says how it goes on.
 */
struct peer_ops {
	/* The exchange is begun, or has its turn: ask, over a new association where there is none.
	 */
	void (*begin)(struct peer *p);
	/* The descriptor, or a data rate, lets it go on. */
	void (*ready)(struct peer *p);
	/* The exchange ends before its answer, which must not reach the next one. */
	void (*leave)(struct peer *p);
	/* Tell the server that the association ends; never waits. */
	void (*goodbye)(struct peer *p);
	void (*release)(struct peer *p);
};

/* What all peers of a run share. The owner's; must outlive the peers. */
struct peer_env {
	struct loop *loop;
	struct domain *domain;
	const struct app_ops *app;
	struct app_request request; /* the asker fills in what is asked */
	struct questions questions;
	struct net_address address[NET_ADDRESSES_MAX];
	int addresses, chosen; /* the one in use: the first that ever took a connection */
	bool connected;        /* one did */
	bool verify_body;
	bool lasts; /* an association's codec goes on from one request to the next */
	uint32_t window_bytes;
	int64_t timeout_ns;
	int64_t connection_requests;    /* on an association that is kept; 0: no limit */
	int streams;                    /* HTTP/2: that an association carries at once */
	int resume_pct;                 /* of the associations behind a peer's first */
	bool early_data;                /* a resumed one takes the request along */
	bool closed_loop;               /* nothing is asked for before it can begin */
	struct pacer connects;          /* new associations */
	bool limited;                   /* one of these has a limit */
	struct bucket upload, download; /* what passes on the sockets of all peers */
	struct dgram_env *dgram;        /* of peers over datagrams; else NULL */
	uint8_t scratch[PEER_SCRATCH_BYTES];
	/* A handshake is done. -1: the run is over, say nothing more. */
	int (*on_secured)(void *data, const struct tls_facts *facts);
	/* p->exchange is over and the peer is idle: peer_begin() may be called from here. */
	void (*on_end)(void *data, struct peer *p);
	void *data;
};

enum peer_state {
	PEER_IDLE,
	PEER_PAUSING, /* until the request is due */
	PEER_WAITING, /* begun; until it may connect */
	PEER_CONNECTING,
	PEER_SECURING,
	PEER_ASKING,
	PEER_LEAVING, /* the response is complete; the server closes first */
};

struct peer {
	const struct peer_ops *ops;
	struct peer_env *env;
	struct loop_io io;
	struct loop_timer timer;
	struct loop_timer pace; /* a data rate's debt is paid then */
	struct assoc_socket sock;
	struct app app;
	struct body body; /* decoder of the verified response */
	struct question question;
	struct exchange exchange;
	enum peer_state state;
	int fd;
	int tried;        /* index of the address */
	int64_t alarm_ns; /* when the state's patience ends */
	int64_t connect_ns;
	const struct psk *psk;   /* its own; NULL: the domain's */
	struct session *session; /* to resume; NULL: none */
	int resume_credit;       /* in percent: at 100 the next association is resumed */
	bool secured;            /* the handshake of this association is done */
	int64_t slot_ns;         /* when it may connect; 0: not asked yet */
	int64_t sent_before, received_before; /* of the association, already counted */
	int64_t sent_paid, received_paid;     /* and taken from the buckets */
	int served;                           /* responses on this association */
	int failures;                         /* in a row, without any response */
	bool posed;                           /* the codec has the request, out its bytes */
	bool held;                            /* the codec takes it once the server has greeted */
	bool early, early_taken;              /* they went with the first flight; accepted */
	bool asked;                           /* all of the request is on its way */
	bool again;                           /* the server has not looked at the request */
	bool answered;                        /* a byte of the response came */
	bool verified;                        /* one body of this peer was decoded */
	bool made_before;                     /* this peer had an association already */
	bool tried_before;                    /* or tried to get one */
	bool last_here;                       /* the request asks the server to close behind it */
	bool ended_as_planned;                /* so did the association before this one */
	struct dgram *dgram;                  /* over datagrams: the rest of it */
	struct peer_streams *streams; /* of a carrier: the exchanges of others, none of its own */
	struct peer *carrier;         /* of a stream: whose association it asks over */
	struct peer *next;            /* of a stream: the one that is asked for behind it */
	int slot;                     /* of a stream: the codec's; -1: not asked for */
	int taken;                    /* of a carrier: requests on this association */
	uint8_t out[PEER_OUT_BYTES];
	size_t out_len, out_at;
	struct fail fail; /* why the exchange failed */
};

int peer_init(struct peer *p, struct peer_env *env, size_t record_bytes, int records_per_send,
	      struct fail *f);
/* Accepts a zeroed struct. */
void peer_release(struct peer *p);

/*
 * The next request, due at due_ns, not begun before not_before_ns nor before its client's turn
 * where it has to connect for it. In a closed loop it is due when it can begin. The peer must be
 * idle.
 */
void peer_begin(struct peer *p, int64_t due_ns, int64_t not_before_ns);

/* End an open exchange now: on_end comes with EXCHANGE_ABANDONED, or OK when only closing was left.
 */
void peer_abandon(struct peer *p);

/* Say goodbye and close; what that adds to the wire counters is added to count. */
void peer_close(struct peer *p, struct load_counters *count);

#endif
