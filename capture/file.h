/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file - packets out of a capture file, pcap or pcapng, told apart by magic number.
 *
 * Sources: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. Each interface of a pcapng
 * file has its own link type and time resolution, which libpcap's reader refuses to mix: that
 * is why this one exists. It streams: one block is in memory at a time. Knows nothing of
 * what is in a packet.
 */
#ifndef CAPTURE_FILE_H
#define CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/buf.h"
#include "lib/fail.h"

/* The largest block; libpcap stops at packets of half that. */
#define CAPTURE_BLOCK_BYTES       (1 << 19)
#define CAPTURE_SECRETS_BYTES_MAX (64 << 20) /* between two packets */
#define CAPTURE_INTERFACES_MAX    256

struct capture_packet {
	int64_t time_ns; /* since 1970, never negative */
	int link_type;   /* LINKTYPE_ number */
	const uint8_t *data;
	uint32_t captured_bytes, wire_bytes;
};

struct capture_interface {
	int link_type;
	uint32_t snap_bytes;  /* 0: no limit */
	uint64_t units_per_s; /* of its time stamps */
	int64_t offset_s;
};

struct capture_file {
	FILE *in; /* borrowed */
	bool is_pcapng, is_big_endian, is_nanosecond;
	struct capture_interface interface[CAPTURE_INTERFACES_MAX];
	int interface_count;
	uint8_t *block;
	struct buf secrets;    /* TLS key logs that stood in the file: whoever reads it clears it */
	uint64_t offset_bytes; /* of the next record or block, for messages */
	bool cut;              /* the file ends inside a record: what stood before was read */
	struct fail fail;
};

/* Reads the file header. The stream is borrowed until capture_file_release(). */
int capture_file_init(struct capture_file *c, FILE *in);
void capture_file_release(struct capture_file *c);
/*
 * 1: a packet, whose data is valid until the next call; 0: the end, also where the file
 * is cut short (see cut); -1: damaged, with the place in c->fail.
 */
int capture_file_next(struct capture_file *c, struct capture_packet *p);

/* For file*.c: len bytes, or false with cut set when some but not all are there. */
bool capture_file_take(struct capture_file *c, void *dst, size_t len);
uint16_t capture_file_16(const struct capture_file *c, const uint8_t *p);
uint32_t capture_file_32(const struct capture_file *c, const uint8_t *p);
/* For file.c: the rest of a section header whose type has been read. */
int capture_pcapng_section(struct capture_file *c);
int capture_pcapng_next(struct capture_file *c, struct capture_packet *p);

#endif
