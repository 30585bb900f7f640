/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection - what is known of one association: its messages and when they passed.
 *
 * The dissectors write here, the reports read. Directions are 0 and 1 (who sent the first
 * packet that was seen is 0); who is the client is decided from the hellos. Times are
 * nanoseconds of the capture's clock, TIME_NONE where a thing was not seen.
 */
#ifndef CAPTURE_CONNECTION_H
#define CAPTURE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIME_NONE          (-1)
#define MESSAGES_MAX       96 /* kept for each connection; more are counted */
#define VERSION_SSL2       0x0002
#define VERSION_TLS10      0x0301
#define VERSION_TLS12      0x0303
#define VERSION_TLS13      0x0304
#define VERSION_DTLS_DRAFT 0x0100 /* before RFC 4347, as some VPNs still speak it */
#define VERSION_DTLS12     0xfefd
#define VERSION_DTLS13     0xfefc
#define ALERT_FATAL        2

enum conn_proto { CONN_NONE, CONN_TLS, CONN_DTLS, CONN_COAP };

enum message_kind { MESSAGE_PLAIN, MESSAGE_ALERT, MESSAGE_COAP };

struct message {
	const char *type; /* a constant text; of an alert and of CoAP the first word */
	int64_t first_ns; /* its first byte passed */
	int64_t time_ns;  /* the packet that completed it passed */
	uint32_t bytes;   /* with its own header, without the record's */
	uint8_t kind, from;
	uint8_t code[2];   /* alert: level and description; CoAP: type and code */
	bool either_side;  /* a type that client and server both send */
	bool is_repeat;    /* of DTLS: the same message number again */
	bool is_unified;   /* in a DTLS 1.3 unified header: its epoch says what it is */
	bool is_handshake; /* a step of the handshake, change_cipher_spec included */
};

struct connection {
	enum conn_proto proto;
	uint64_t stream; /* number among its transport's flows, from 0 */
	uint8_t ip_version;
	uint8_t address[2][16];
	uint16_t port[2];
	int hello_from;   /* direction of the first ClientHello; -1 */
	int answer_from;  /* direction of the first ServerHello; -1 */
	uint32_t version; /* negotiated, as on the wire; 0: no ServerHello seen */
	uint32_t suite;   /* SSL 2 has three bytes */
	bool has_suite;
	bool early_data_offered;
	uint8_t random[2][32]; /* of the hellos: the client's, the server's */
	bool has_random[2];
	struct decrypt *decrypt; /* NULL without a key log */
	bool was_decrypted;      /* records were opened with it */
	int cid_bytes[2]; /* of the connection id that a direction's sender asked to be sent; -1 */

	int64_t origin_ns; /* first packet of the file */
	int64_t start_ns;  /* first packet of the connection */
	int64_t syn_ns, syn_ack_ns, ack_ns;
	int64_t first_hello_ns, second_hello_ns, server_hello_ns;
	int64_t finished_ns[2]; /* by direction */
	int64_t first_data_ns, last_data_ns, close_ns, last_ns;
	int64_t first_bytes_ns, last_bytes_ns; /* over TCP: payload that had not passed before */

	struct message *message; /* message_count of them; NULL while there is none */
	int message_count;
	uint64_t messages_dropped;
	int client_hellos, hello_retries, hello_verifies;
	uint64_t unified_records;
	uint64_t bytes[2], packets[2], repeated_bytes[2]; /* of transport payload */
	uint32_t protected_records[2];
	uint8_t fatal[2]; /* level and description of a fatal alert before the end; 0, 0 */
	bool is_other[2]; /* bytes that are no TLS came in this direction */
	bool has_gap[2];  /* bytes are missing: what came behind them was not read */
	bool was_reset;
};

void connection_init(struct connection *c);
void connection_release(struct connection *c);
/* Keeps a copy; without memory, or beyond MESSAGES_MAX, it is counted as dropped. */
void connection_add(struct connection *c, const struct message *m);
/* Remember application data (or what cannot be told from it) at now. */
void connection_data(struct connection *c, int64_t now_ns);

/* The sender of the ClientHello, else the receiver of the ServerHello, else the higher port. */
int connection_client(const struct connection *c);
bool connection_is_13(const struct connection *c);
/* Both sides' hellos and Finished were seen. */
bool connection_complete(const struct connection *c);
/*
 * "complete", "partial", "unanswered", "alert:LEVEL/DESCRIPTION" or "not-tls-reply"; dst
 * holds at least 16 bytes.
 */
void connection_outcome(const struct connection *c, char *dst, size_t size);
/* First ClientHello to the last Finished; TIME_NONE unless complete, or where the clock stepped
 * back. */
int64_t connection_handshake_ns(const struct connection *c);
/* "TLS1.2"; "-" when not known. dst holds at least 8 bytes. */
void connection_version(const struct connection *c, char *dst, size_t size);
/* "10.0.0.1:443", "[::1]:443"; dst holds at least 64 bytes. */
void connection_endpoint(const struct connection *c, int direction, char *dst, size_t size);
/*
 * "client_hello", "alert:2/40", "NON PUT": without the side; with the side in front (and
 * _repeat behind) as long_name. dst holds at least 64 bytes.
 */
void message_name(const struct message *m, char *dst, size_t size);
void message_long_name(const struct connection *c, const struct message *m, char *dst, size_t size);

/* Who was being waited for, of the handshake's time; they add up to it. */
struct shares {
	int64_t client_ns, server_ns;
	int64_t network_ns; /* TIME_NONE: no round trip was seen, the sides include it */
	int round_trips;    /* client flights that the server answered before the end */
};
struct shares connection_shares(const struct connection *c);

#endif
