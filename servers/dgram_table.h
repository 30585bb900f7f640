/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_table - peers by their address: open addressing over pointers, at most half full.
 *
 * Which addresses fall together depends on a seed of the table's own, so that nobody can
 * choose his to. Internal to servers/.
 */
#ifndef SERVERS_DGRAM_TABLE_H
#define SERVERS_DGRAM_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* IPv4 or IPv6; equal addresses are equal byte by byte. */
struct dgram_address {
	uint16_t family, port; /* port in network order */
	uint32_t scope;
	uint8_t ip[16];
};

/* What the table holds begins with its address. */
struct dgram_entry {
	struct dgram_address address;
};

struct dgram_table {
	struct dgram_entry **slot;
	size_t slots, count; /* slots: a power of two */
	uint64_t seed;
};

/* -1: no memory. */
int dgram_table_init(struct dgram_table *t, uint64_t seed);
void dgram_table_release(struct dgram_table *t);

struct dgram_entry *dgram_table_find(const struct dgram_table *t, const struct dgram_address *a);
/* Its address must not be there yet. -1: no memory. */
int dgram_table_add(struct dgram_table *t, struct dgram_entry *e);
/* In place of the entry of the same address. */
void dgram_table_replace(struct dgram_table *t, struct dgram_entry *e);
void dgram_table_remove(struct dgram_table *t, const struct dgram_address *a);

void dgram_address_read(struct dgram_address *a, const struct sockaddr_storage *from);
/* Returns the length. */
socklen_t dgram_address_write(const struct dgram_address *a, struct sockaddr_storage *to);

#endif
