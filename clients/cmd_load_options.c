/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load_options - the options of `cipherwatt load`, as a table.
 */
#include <stddef.h>

#include "clients/cmd_load.h"
#include "clients/dgram_peer.h"
#include "clients/driver.h"

#define AT(field) offsetof(struct load_settings, field)

static const char *const http_name[] = { "1.1", "2", NULL };
static const char *const histogram_name[] = { "none", "californium", NULL };
static const char *const resumption_name[] = { "ticket", "session-id", NULL };

const struct opt load_options[] = {
	{ "count", 'n', OPT_INTEGER, AT(count), "N",
	  "measure exactly this many requests instead of a duration", NULL, NULL, 1, 0 },
	{ "workload", 0, OPT_TEXT, AT(workload), "NAME",
	  "what is asked, and what is a right answer: page, the URL's; or another one that the "
	  "server was started with",
	  "page", NULL, 0, 0 },
	{ "access-encoding", 0, OPT_CHOICE, AT(access_encoding), "CODING",
	  "workload access: how a question is written", "json", access_encoding_name, 0, 0 },
	{ "access-model", 0, OPT_CHOICE, AT(access_model), "MODEL",
	  "workload access: attributes of user, access point and environment (abac), or area and "
	  "role alone (rbac)",
	  "abac", access_model_name, 0, 0 },
	{ "access-users", 0, OPT_INTEGER, AT(access_users), "N",
	  "workload access: users that ask, of those the server generates; 1000 when left out",
	  NULL, NULL, 1, ACCESS_USERS_MAX },
	{ "profile", 0, OPT_TEXT, AT(profile), "NAME",
	  "workload message: how messages are secured, as the server was told", NULL, NULL, 0, 0 },
	{ "payload", 'p', OPT_BYTES, AT(payload_bytes), "SIZE",
	  "workload message: size of what a message says", "512B", NULL, 0,
	  MESSAGE_PAYLOAD_BYTES_MAX },
	{ "credentials", 0, OPT_TEXT, AT(credentials), "DIR",
	  "workload message: where certificates and secrets of both sides are kept, a copy of the "
	  "server's; the user's cache when left out",
	  NULL, NULL, 0, 0 },
	{ "duration", 'd', OPT_DURATION, AT(duration_ns), "DURATION",
	  "measure for this long; 5s when --count is not given either", NULL, NULL, 1, 0 },
	{ "count-per-client", 0, OPT_INTEGER, AT(count_each), "N",
	  "measure exactly this many requests of each client; --count is then N times --clients",
	  NULL, NULL, 1, INT64_MAX / LOAD_CLIENTS_MAX },
	{ "clients", 'c', OPT_INTEGER, AT(clients), "N",
	  "clients at once, each with a connection and one request at a time, or --streams", "8",
	  NULL, 1, LOAD_CLIENTS_MAX },
	{ "connection", 0, OPT_TEXT, AT(connection), "MODE",
	  "full: a new connection and full handshake for each request; keepalive: one per client "
	  "that is kept; keepalive:N: a new one after N requests; resume, resume:N: a new "
	  "connection for each request, all or N percent of the handshakes resumed",
	  "full", NULL, 0, 0 },
	{ "resumption", 0, OPT_CHOICE, AT(resumption), "KIND",
	  "what a resumed handshake offers; a session id exists before TLS 1.3 only", "ticket",
	  resumption_name, 0, 0 },
	{ "early-data", 0, OPT_FLAG, AT(early_data), NULL,
	  "with --connection resume, TLS 1.3: a resumed handshake takes the request along (0-RTT); "
	  "what the server refuses of it is sent again. A service time then begins with the "
	  "handshake. "
	  "Nothing stops a replay",
	  NULL, NULL, 0, 0 },
	{ "http", 0, OPT_CHOICE, AT(http), "VERSION",
	  "2 asks for HTTP/2 by ALPN, or speaks it at once to http://; a server that does not "
	  "agree ends the run",
	  "1.1", http_name, 0, 0 },
	{ "streams", 0, OPT_INTEGER, AT(streams), "N",
	  "HTTP/2: requests that each client has open at once on its connection, which must be "
	  "kept",
	  "1", NULL, 1, LOAD_CLIENTS_MAX },
	{ "window", 0, OPT_BYTES, AT(window_bytes), "BYTES",
	  "HTTP/2: content that the server may send ahead; 65535 when not given", NULL, NULL, 1,
	  INT32_MAX },
	{ "rate", 'r', OPT_REAL, AT(rate_per_s), "R",
	  "open loop: this many requests per second are due, of all clients together, whether or "
	  "not responses came; without it, or 0, each client waits for its response",
	  NULL, NULL, 0, (int64_t)ARRIVAL_RATE_MAX_PER_S },
	{ "arrivals", 0, OPT_CHOICE, AT(arrivals), "KIND",
	  "with --rate: starts a fixed period apart, or random ones as of many independent users",
	  "fixed", arrival_kind_name, 0, 0 },
	{ "seed", 0, OPT_INTEGER, AT(seed), "N",
	  "of random arrivals, and of what a workload asks at random; a fresh one when not given",
	  NULL, NULL, 1, INT64_C(1) << 53 },
	{ "think", 0, OPT_DURATION, AT(think_ns), "DURATION",
	  "closed loop: each client waits this long before it asks again", "0", NULL, 0, 0 },
	{ "ramp", 0, OPT_DURATION, AT(ramp_ns), "DURATION",
	  "clients start evenly spread over this instead of all at once", "0", NULL, 0, 0 },
	{ "connection-rate", 0, OPT_REAL, AT(connection_rate_per_s), "R",
	  "at most this many new connections per second, of all clients together", NULL, NULL, 0,
	  (int64_t)ARRIVAL_RATE_MAX_PER_S },
	{ "threads", 'T', OPT_INTEGER, AT(threads), "N",
	  "threads, each with a loop, a TLS context and its share of the clients", "1", NULL, 1,
	  LOAD_THREADS_MAX },
	{ "upload-rate", 0, OPT_TEXT, AT(upload_rate), "RATE",
	  "send at most this, such as 0.7kB/s, of all clients together, TLS included", NULL, NULL,
	  0, 0 },
	{ "download-rate", 0, OPT_TEXT, AT(download_rate), "RATE", "receive at most this", NULL,
	  NULL, 0, 0 },
	{ "find-rate", 0, OPT_TEXT, AT(find_rate), "TARGET",
	  "search the lowest --upload-rate at which the response time meets this, such as "
	  "'mean<=1s' (or p50, p95, p99); every run is listed",
	  NULL, NULL, 0, 0 },
	{ "find-range", 0, OPT_TEXT, AT(find_range), "LOW..HIGH",
	  "with --find-rate: where to search", "100B/s..1MB/s", NULL, 0, 0 },
	{ "find-tolerance", 0, OPT_REAL, AT(find_tolerance_pct), "PERCENT",
	  "with --find-rate: how far a rate that misses the target may be below the one found", "5",
	  NULL, 1, 100 },
	{ "min-success", 0, OPT_REAL, AT(min_success_pct), "PERCENT",
	  "fewer successes of the requests, or fewer clients that get a connection, and the result "
	  "is not valid",
	  "99", NULL, 0, 100 },
	{ "suite", 's', OPT_TEXT, AT(suite), "SUITE",
	  "offer this alone, as VERSION:CIPHER:GROUP:CREDENTIAL, and end the run when another is "
	  "negotiated; without it the library's defaults are offered and the result reported, but "
	  "coaps:// needs one",
	  NULL, NULL, 0, 0 },
	{ "engine", 'e', OPT_TEXT, AT(engine), "ENGINE",
	  "TLS and DTLS library of the client, see 'cipherwatt suites'", NULL, NULL, 0, 0 },
	{ "ca", 0, OPT_TEXT, AT(ca), "FILE",
	  "verify the server's certificate against these CA certificates (PEM)", NULL, NULL, 0, 0 },
	{ "cert", 0, OPT_TEXT, AT(cert), "FILE",
	  "certificate chain (PEM) that the clients show to a server that asks; needs --key", NULL,
	  NULL, 0, 0 },
	{ "key", 0, OPT_TEXT, AT(key), "FILE", "private key (PEM) of --cert", NULL, NULL, 0, 0 },
	{ "insecure", 'k', OPT_FLAG, AT(insecure), NULL, "do not verify the server's certificate",
	  NULL, NULL, 0, 0 },
	{ "server-name", 0, OPT_TEXT, AT(server_name), "NAME",
	  "name to ask for and to verify instead of the URL's host", NULL, NULL, 0, 0 },
	{ "psk-file", 0, OPT_TEXT, AT(psk_file), "FILE",
	  "pre-shared keys, for a suite with the credential psk: a line IDENTITY=BASE64 for each",
	  NULL, NULL, 0, 0 },
	{ "psk-identity", 0, OPT_TEXT, AT(psk_identity), "NAME",
	  "which of them the clients use; the first of the file when left out; each: client after "
	  "client another, in the file's order and over again",
	  NULL, NULL, 0, 0 },
	{ "warmup", 'w', OPT_DURATION, AT(warmup_ns), "DURATION",
	  "run this long before the measured window; not counted", "500ms", NULL, 0, 0 },
	{ "timeout", 't', OPT_DURATION, AT(timeout_ns), "DURATION",
	  "give a request up after this long, connecting included", "10s", NULL, 1, 0 },
	{ "accept", 0, OPT_LIST, AT(accept), "CODING",
	  "accept content coded so: gzip, br or zstd; may be given several times", NULL, NULL, 0,
	  0 },
	{ "gzip", 0, OPT_FLAG, AT(gzip), NULL, "the same as --accept gzip", NULL, NULL, 0, 0 },
	{ "verify-body", 0, OPT_FLAG, AT(verify_body), NULL,
	  "decode the first response of each client; one that does not decode, or is coded as "
	  "was not accepted, is a failure",
	  NULL, NULL, 0, 0 },
	{ "record-size", 0, OPT_BYTES, AT(record_bytes), "BYTES",
	  "largest plaintext of one TLS record", "16KiB", NULL, 512, RECORD_BYTES_MAX },
	{ "records-per-send", 0, OPT_INTEGER, AT(records_per_send), "N",
	  "TLS records gathered in one send", "1", NULL, 1, 64 },
	{ "cpus", 0, OPT_TEXT, AT(cpus), "LIST",
	  "run each thread on one of these CPUs, in turn, such as 1 or 2-3", NULL, NULL, 0, 0 },
	{ "histogram", 0, OPT_CHOICE, AT(histogram), "KIND",
	  "californium: sum up in slots of 5 ms too, as the benchmark client of that does, each "
	  "client's first response apart; nothing else changes",
	  "none", histogram_name, 0, 0 },
	{ "reuse-ids", 0, OPT_FLAG, AT(reuse_ids), NULL,
	  "CoAP: a message id may be used again before 247 s are over, against RFC 7252; without "
	  "it about 265 requests a second leave a socket",
	  NULL, NULL, 0, 0 },
	{ "non", 0, OPT_FLAG, AT(non), NULL,
	  "CoAP: requests are Non-confirmable: nothing is sent again", NULL, NULL, 0, 0 },
	{ "ack-timeout", 0, OPT_DURATION, AT(ack_timeout_ns), "DURATION",
	  "CoAP: a message that is not acknowledged is sent again after this, up to half as long "
	  "again at random, then after twice that, 4 times in all",
	  "2s", NULL, 1000000, 0 },
	{ "dtls-timeout", 0, OPT_DURATION, AT(dtls_timeout_ns), "DURATION",
	  "DTLS: a flight of the handshake that is not answered is sent again after this, then "
	  "after twice that; the engine's 1s when not given",
	  NULL, NULL, DTLS_RETRANSMIT_NS_MIN, DTLS_RETRANSMIT_NS_MAX },
	{ "block", 0, OPT_BYTES, AT(block_bytes), "BYTES",
	  "CoAP: longer content goes in blocks of this, a power of two; as --mtu allows when not "
	  "given",
	  NULL, NULL, COAP_BLOCK_BYTES_MIN, COAP_BLOCK_BYTES_MAX },
	{ "mtu", 0, OPT_BYTES, AT(mtu_bytes), "BYTES",
	  "largest datagram that is sent, without the headers of IP and UDP", "1232", NULL,
	  DGRAM_MTU_BYTES_MIN, DGRAM_MTU_BYTES_MAX },
	{ "datagram-overhead", 0, OPT_BYTES, AT(overhead_bytes), "BYTES",
	  "with --upload-rate and --download-rate: count so much for each datagram besides its "
	  "content; 28 is IPv4 with UDP, 48 is IPv6",
	  "0", NULL, 0, 1000 },
	{ "receive-buffer", 0, OPT_BYTES, AT(receive_bytes), "BYTES",
	  "ask for this receive buffer of each UDP socket; the system's own when not given", NULL,
	  NULL, 1024, INT32_MAX / 2 },
	{ "obey-max-age", 0, OPT_FLAG, AT(obey_max_age), NULL,
	  "closed loop: a client that is told 4.29 or 5.03 waits for its Max-Age before it asks "
	  "again",
	  NULL, NULL, 0, 0 },
	{ "driver", 0, OPT_CHOICE, AT(driver), "NAME",
	  "cross-check: let this program load the server, and read its figures; what it cannot do "
	  "is refused, what it does not tell is null",
	  "builtin", driver_names, 0, 0 },
	{ "stamps", 0, OPT_TEXT, AT(stamps), "FILE",
	  "write JSON lines: when each handshake message was made or taken inside the engine, and "
	  "how that clock stood to a capture's. It costs the client time: not for figures",
	  NULL, NULL, 0, 0 },
	{ "secrets", 0, OPT_TEXT, AT(secrets), "FILE",
	  "with --stamps: write the secrets of every association, for `timeline --keys`; whoever "
	  "has this file can read what was captured",
	  NULL, NULL, 0, 0 },
	{ "json", 'j', OPT_FLAG, AT(json), NULL, "print one cell object", NULL, NULL, 0, 0 },
	{ "control", 0, OPT_FLAG, AT(control), NULL,
	  "print JSON lines, one for each phase as it begins and one with the result; end when "
	  "standard input ends",
	  NULL, NULL, 0, 0 },
	{ 0 },
};
