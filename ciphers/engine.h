/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine - the narrow waist between this lab and a TLS library.
 *
 * One file per library implements struct engine_ops, and only that file may
 * include the library's headers.  An engine sees two wires; it opens no socket
 * and reads no clock.  The null engine moves plaintext unchanged: it is how
 * "plain" runs and what the cost of everything but cryptography is measured with.
 *
 * Threads: a domain and its associations belong to one thread. Nothing is shared
 * between domains, so each thread opens its own.
 */
#ifndef CIPHERS_ENGINE_H
#define CIPHERS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ciphers/alpn.h"
#include "ciphers/psk.h"
#include "ciphers/session_cache.h"
#include "ciphers/suite.h"
#include "ciphers/wire.h"
#include "lib/blocks.h"
#include "lib/fail.h"

enum role { CLIENT, SERVER };

/* What an association needs before the same call can go on. */
enum step {
	STEP_DONE,   /* the call finished */
	STEP_IN,     /* wants bytes in assoc->in */
	STEP_OUT,    /* wants room in assoc->out */
	STEP_CLOSED, /* the peer said goodbye (close_notify) */
	STEP_FAILED  /* assoc->fail tells why; only close() is left */
};

#define RECORD_BYTES_MAX   16384
#define DTLS_MTU_BYTES     1200                /* fits every path of IPv6 (RFC 8200 section 5) */
#define DTLS_RETRANSMIT_NS INT64_C(1000000000) /* RFC 6347 section 4.2.4.1 */
/* Of a flight's first wait: what OpenSSL tells from nothing (it looks 15 ms ahead), and where all
 * engines end to double it (RFC 6347 section 4.2.4.1). */
#define DTLS_RETRANSMIT_NS_MIN INT64_C(15000000)
#define DTLS_RETRANSMIT_NS_MAX INT64_C(60000000000)
#define TICKET_KEY_BYTES       80 /* a name of 16, then two keys of 32 */
#define EARLY_DATA_BYTES_MAX   RECORD_BYTES_MAX

/*
 * How a later association may go on from an earlier one. TICKET is RFC 5077, and
 * under TLS 1.3 the same as PSK13: a ticket is then the name of a pre-shared key,
 * used with a fresh (EC)DHE. SESSION_ID exists before TLS 1.3 only; such sessions
 * are kept by the server.
 */
enum resumption { RESUMPTION_NONE, RESUMPTION_TICKET, RESUMPTION_SESSION_ID, RESUMPTION_PSK13 };

/* A handshake message, as the library tells of it. */
struct tls_message {
	bool sent;
	uint8_t type; /* HandshakeType (RFC 8446 section 4), or below */
	size_t bytes; /* with its header, without the record's */
};

#define TLS_MESSAGE_CHANGE_CIPHER_SPEC 253
#define TLS_MESSAGE_ALERT              252

/* "client_hello"; "unknown" where there is no name for it. */
const char *tls_message_name(uint8_t type);

struct assoc;

/*
 * Hears of each message when the library has made it or has taken it, from inside the
 * engine's calls: it stamps, and calls nothing of the association.
 */
struct tls_observer {
	void (*on_message)(void *data, const struct assoc *a, const struct tls_message *m);
	/* A line of a key log (SSLKEYLOGFILE); NULL: not asked for. Where ops->tells_secrets. */
	void (*on_secret)(void *data, const char *line);
	void *data;
};

struct tls_params {
	enum role role;
	/*
	 * What to pin: version min = max, this cipher, this group alone. NULL, for
	 * a client only: the library's own defaults, and the facts tell what came.
	 */
	const struct suite *suite;
	const char *cert_file, *key_file; /* PEM; server; a client that shall show one too */
	/* Who vouches for the peer. NULL: a client verifies nothing, a server asks for nothing. */
	const char *ca_file;
	const char *server_name; /* client: sent as SNI, and must be in the certificate */
	size_t record_bytes;     /* largest plaintext of one record; 0: RECORD_BYTES_MAX */
	/* Both sides; a server with tickets may leave it out. NONE: nothing is kept or offered. */
	enum resumption resumption;
	int tickets; /* server: tickets sent after a handshake; TLS 1.2 sends at most one */
	/*
	 * Server, SESSION_ID: where sessions are kept, shared by the domains of all threads.
	 * NULL: in the domain. wolfSSL has one of its own for the whole process either way.
	 */
	struct session_cache *session_cache;
	/* Server: TICKET_KEY_BYTES, the same for all domains whose tickets are good at each. */
	const uint8_t *ticket_key; /* NULL: a key of this domain's own */
	/* TLS 1.3: a server accepts, a client may send so much; 0: none. Nothing stops a replay. */
	size_t early_data_bytes;
	const char *psk_identity; /* for ciphers with a pre-shared key, both sides */
	const uint8_t *psk_key;
	size_t psk_key_bytes;
	/* Server: sorted, not empty; in place of the one above. A client's is assoc->psk. */
	const struct psk_table *psk_table;
	/*
	 * Datagram versions only. The longest datagram that is sent, headers of UDP and IP not
	 * counted; and how long the first flight waits for an answer, doubled each time.
	 */
	size_t mtu;            /* 0: DTLS_MTU_BYTES */
	int64_t retransmit_ns; /* 0: DTLS_RETRANSMIT_NS */
	/*
	 * Application protocols, the preferred first: "h2,http/1.1"; NULL for none.
	 * Offered by a client; a server selects the first of its own list that is
	 * offered, and refuses a client that offers others only (RFC 7301). The null
	 * engine negotiates nothing: it takes the first name as given.
	 */
	const char *alpn;
	const struct tls_observer *observer; /* NULL: nobody, and the library is not asked */
};

/* A prime of finite-field DHE that is none of RFC 7919's. */
#define GROUP_NOT_REGISTERED 0xffff

/* What the handshake really agreed on: checked, never assumed. */
struct tls_facts {
	enum tls_version version;
	uint16_t cipher_id;
	uint16_t group_id;      /* 0 where none was used or the library cannot tell */
	uint16_t signature_id;  /* IANA SignatureScheme; 0 where the library cannot tell */
	enum key_kind peer_key; /* of the certificate: on the client the server's */
	uint16_t peer_key_bits;
	bool resumed;
	bool early_data; /* was sent and accepted */
	bool unfinished; /* server: after it; the client's last message is still to be read */
	char alpn[ALPN_NAME_BYTES]; /* the application protocol agreed on; "" for none */
};

struct domain { /* what many associations share */
	const struct engine_ops *ops;
	struct tls_params params; /* all pointers borrowed until domain_close() */
	void *impl;
	struct fail fail;
};

struct assoc { /* one TLS or DTLS connection */
	struct domain *domain;
	struct wire in, out; /* from and to the peer, ciphertext; the owner's to init */
	/* Client: goes before params.psk_identity and psk_key; borrowed until close(). */
	const struct psk *psk;
	struct block_owner blocks; /* the engine's; where it is while any is open */
	bool dry; /* read() found out that it gives nothing more before more is put into in */
	void *impl;
	struct fail fail;
};

/* What a client needs to resume: opaque, of the engine that made it. */
struct session;

struct engine_ops {
	const char *name;
	void (*begin)(void); /* its part of engines_begin(); NULL: nothing */
	/* "OpenSSL 3.0.19 27 Jan 2026 (Library: ...)": of the library linked at run time. */
	const char *(*version)(void);
	/* How it was built and which machine code it can use: "AES-NI, AVX2" or "plain C". */
	const char *(*build)(void);
	/* The end of the stream is its only goodbye: no close_notify to expect. */
	bool ends_with_stream;
	/* Messages that an observer does not hear of, in a few words; NULL: it hears of all. */
	const char *unobserved;
	bool tells_secrets; /* to an observer that asks for them */
	/* NULL when offered, else why not, in a few words. */
	const char *(*refuses)(const struct suite *suite);

	int (*domain_open)(struct domain *d);
	void (*domain_close)(struct domain *d);
	int (*open)(struct assoc *a);
	void (*close)(struct assoc *a);

	/*
	 * Server of datagrams, after open(), in place of handshake() until it is done: one
	 * datagram in a->in and the address of who sent it, as bytes that differ for no two
	 * peers. STEP_IN: nothing was kept of it, and a->out may hold what to answer; the same
	 * association may listen to the next datagram, of anybody. STEP_DONE: the peer has
	 * proven its address with a cookie, its hello was taken, and handshake() goes on from
	 * there; from now on the association is this peer's. STEP_FAILED: close it.
	 */
	enum step (*listen)(struct assoc *a, const void *peer, size_t len);
	/*
	 * Done when application data can flow: for a server that has accepted early data
	 * that is before the client's last message; read() then gives the early data.
	 */
	enum step (*handshake)(struct assoc *a);
	/* STEP_IN may come while in is not empty: call again until it is; see also dry. */
	enum step (*read)(struct assoc *a, void *dst, size_t len, size_t *got);
	enum step (*write)(struct assoc *a, const void *src, size_t len, size_t *put);
	/* Queue a close_notify; never waits. */
	void (*shutdown)(struct assoc *a);

	/* DTLS: nanoseconds until a retransmission is due, -1 for never. */
	int64_t (*deadline)(struct assoc *a);
	enum step (*expire)(struct assoc *a);

	/*
	 * Nothing has come for a while: what it keeps for later takes as little memory as may be,
	 * until the next call of it. NULL: it can do nothing about that.
	 */
	void (*rest)(struct assoc *a);

	void (*facts)(struct assoc *a, struct tls_facts *facts);

	/*
	 * Client, with params.resumption. A session to resume later, the caller's; NULL
	 * until there is one: a ticket of TLS 1.3 comes with what is read after the
	 * handshake. Each is given once (RFC 8446 appendix C.4); before TLS 1.3 a resumed
	 * association gives its session again. Belongs to the domain: free it before that
	 * closes.
	 */
	struct session *(*session_take)(struct assoc *a);
	/* After open(), before handshake(). Takes the session whatever comes of it. */
	int (*session_offer)(struct assoc *a, struct session *s);
	void (*session_free)(struct session *s); /* NULL is allowed */
	/* Client: bytes that write_early() would take; 0 without a session that allows it. */
	size_t (*early_room)(struct assoc *a);
	/*
	 * Client, before handshake(), with a session that allows it. The facts tell later
	 * whether it was accepted; when not, it must be sent again.
	 */
	enum step (*write_early)(struct assoc *a, const void *src, size_t len, size_t *put);
};

extern const struct engine_ops engine_null;
#ifdef WITH_OPENSSL
extern const struct engine_ops engine_openssl;
#endif
#ifdef WITH_WOLFSSL
extern const struct engine_ops engine_wolfssl;
#endif
extern const struct engine_ops *const engines[]; /* ends with NULL; null first */

const struct engine_ops *engine_by_name(const char *name);
/* The one used when none is named: the first that is not null, or null. */
const struct engine_ops *engine_default(void);

/*
 * Before anything else of any engine, and of any library that uses one: how they take memory.
 * Without it they take it as they are used to.
 */
void engines_begin(void);

/* What every engine asks of its parameters before it opens a domain. */
int tls_params_check(const struct tls_params *p, struct fail *f);
/* NONE, TICKET or SESSION_ID: what is meant. */
enum resumption tls_params_resumption(const struct tls_params *p);
/* A key for tickets, from the kernel. */
int ticket_key_make(uint8_t key[TICKET_KEY_BYTES], struct fail *f);

/*
 * 0 when what came is the suite asked for, else -1 and the reason: which part
 * differs, asked and negotiated. A fact the library cannot tell is not held
 * against it. Resumed handshakes carry no certificate: the key is not checked.
 */
int facts_check(const struct suite *asked, const struct tls_facts *got, enum role role,
		struct fail *f);

/* The suite that the facts describe, as text; parts not known are "?". */
const char *facts_format(const struct tls_facts *got, char dst[SUITE_TEXT_BYTES]);

#endif
