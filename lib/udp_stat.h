/* SPDX-License-Identifier: Apache-2.0 */
/*
 * udp_stat - what the kernel counts of UDP on this machine, IPv4 and IPv6 together: read twice and
 * subtracted it says whether datagrams were lost for want of a buffer.
 *
 * The counts are of the whole network namespace, whoever caused them. See proc_net_snmp(5).
 */
#ifndef LIB_UDP_STAT_H
#define LIB_UDP_STAT_H

#include <stdint.h>

#include "lib/fail.h"

struct udp_stat {
	int64_t in_datagrams, out_datagrams;
	int64_t no_ports;  /* came for a port that nobody has */
	int64_t in_errors; /* those below and others */
	int64_t receive_buffer_errors;
	int64_t send_buffer_errors;
	int64_t checksum_errors;
};

/* -1: the system does not tell; f says which file and why. */
int udp_stat_read(struct udp_stat *s, struct fail *f);
/* now - before, field by field. */
struct udp_stat udp_stat_since(const struct udp_stat *now, const struct udp_stat *before);

/*
 * The texts of /proc/net/snmp and /proc/net/snmp6 added up; snmp6 may be NULL. -1: there are no
 * such lines in snmp.
 */
int udp_stat_parse(const char *snmp, const char *snmp6, struct udp_stat *s);

#endif
