/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_serve - what the options of `serve` say, and how it becomes the parameters of a
 * server. The options themselves are in cmd_serve.c. Internal to servers/.
 */
#ifndef SERVERS_CMD_SERVE_H
#define SERVERS_CMD_SERVE_H

#include "lib/command.h"
#include "servers/server.h"

#define SERVE_DEFAULT_SUITE "tls1.3:AES128-GCM-SHA256:x25519:p256"

/* What every device of CoAP with certificates has: RFC 7252 section 9.1.3.3. */
#define SERVE_DTLS_SUITE "dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256"

enum serve_compress_when { SERVE_COMPRESS_REQUEST, SERVE_COMPRESS_ONCE };
enum serve_http { SERVE_HTTP_1_1, SERVE_HTTP_2 };

struct serve_access {
	const char *policy, *users, *audit;
	int64_t count, batch_ns, skew_ns;
	int model, durability;
};

struct serve_settings {
	struct opt_list suites;
	const char *server, *engine, *workload, *payload_kind, *cert, *key, *credentials, *cpus,
		*client_ca, *psk_file, *profile;
	int64_t payload_bytes, payload_bytes_max, threads, record_bytes;
	int64_t gzip_level, brotli_level, zstd_level;
	int64_t records_per_send, tickets, idle_timeout_ns, handshake_timeout_ns, head_bytes;
	int64_t handshakes, retransmit_ns, mtu;
	int64_t connections, streams, window_bytes, early_data_bytes;
	int compress_when, http;
	bool close_each, counters, session_ids, verbose;
	struct serve_access access;
};

/*
 * The count URLs and the settings to a server's parameters, which borrow their texts; p->psk is
 * the caller's to release whatever comes of it. -1, or the exit status of what contradicts
 * itself and has been said.
 */
int serve_read_params(const struct command *c, const struct serve_settings *s, char **urls,
		      int count, struct server_params *p);

/* Of --workload access, in serve_access.c; the same results. */
int serve_read_access(const struct command *c, const struct serve_settings *s,
		      struct access_params *p);

#endif
