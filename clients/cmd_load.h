/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load - between the parts of the command: its options (cmd_load_options.c), what they mean
 * (cmd_load_params.c), and the run with what is said of it (cmd_load.c). Nobody else includes
 * this.
 */
#ifndef CLIENTS_CMD_LOAD_H
#define CLIENTS_CMD_LOAD_H

#include "clients/load.h"
#include "lib/command.h"
#include "lib/opt.h"

struct load_settings {
	int64_t count, count_each, duration_ns, warmup_ns, timeout_ns, clients, threads;
	int64_t record_bytes, records_per_send;
	int64_t think_ns, ramp_ns, seed, window_bytes, streams;
	double rate_per_s, connection_rate_per_s, min_success_pct;
	const char *cert, *key; /* of the clients */
	const char *suite, *engine, *ca, *server_name, *cpus, *psk_file, *psk_identity;
	const char *connection, *upload_rate, *download_rate;
	int64_t ack_timeout_ns, dtls_timeout_ns, block_bytes, mtu_bytes, overhead_bytes,
		receive_bytes;
	const char *workload;
	int64_t access_users;
	const char *profile, *credentials; /* of messages */
	int64_t payload_bytes;
	int access_encoding, access_model;
	int arrivals, driver, resumption, http, histogram;
	struct opt_list accept;
	const char *stamps, *secrets;
	bool insecure, gzip, verify_body, json, control, early_data;
	const char *find_rate, *find_range;
	double find_tolerance_pct;
	bool reuse_ids, non, obey_max_age;
};

extern const struct opt load_options[];

/*
 * -1: p is ready; else the exit status, and the error is printed. suite is p's storage; p->psk
 * is the caller's to release whatever comes of it.
 */
int load_read_params(const struct command *c, const struct load_settings *s, const char *url,
		     struct suite *suite, struct load_params *p);

/* cmd_load_find.c: --find-rate in place of one run; p->stop is set. The exit status. */
int load_find(const struct command *c, const struct load_settings *s, struct load_params *p);

/*
 * cmd_load_needs.c: is there what each given option needs? argv and operands as command_parse()
 * left them, s and p as they were read. -1: yes; else the exit status, as above.
 */
int load_check_needs(const struct command *c, int argc, char **argv, int operands,
		     const struct load_settings *s, const struct load_params *p);

/* CoAP over datagrams: the same as load_read_params(). */
int load_read_datagrams(const struct command *c, const struct load_settings *s,
			struct load_params *p);

#endif
