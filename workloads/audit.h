/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit - a log of decisions that survives the process and, where asked, the machine. One
 * writer for all threads.
 *
 * A file of lines. The first is AUDIT_HEAD, each other one a record:
 *
 *   CHECKSUM NUMBER UTC_NS DECISION REASON WHO WHERE RULE LATENCY_NS
 *
 * with one tab between two fields: CRC-32 of the rest of the line, in 8 hexadecimal digits;
 * a number that grows by one from 1; "-" for an empty text.
 *
 * What is promised, when audit_add() has returned 0:
 *   ACCESS_EACH     the record is on the disk (fdatasync). Threads that wait at the same
 *                   time share one write and one fdatasync.
 *   ACCESS_BATCHED  it will be on the disk batch_ns from now, and the time of one fdatasync, or
 *                   two where another was under way.
 *   ACCESS_NONE     nothing: it is written when 64 KiB have come together, and at the close.
 * A process killed at any instant loses at most what is not promised. A record that was
 * being written then is torn: audit_open() cuts it off. A wrong record with right ones behind
 * it is damage, not a torn end: audit_open() refuses the file and says which line.
 *
 * The first error of the disk is the last: from then on audit_add() fails, and the file is
 * cut back to what was on the disk. A file that was deleted is such an error, when it is next
 * written to.
 */
#ifndef WORKLOADS_AUDIT_H
#define WORKLOADS_AUDIT_H

#include <stdint.h>

#include "lib/fail.h"
#include "workloads/access.h"

#define AUDIT_HEAD         "cipherwatt audit log 1\n"
#define AUDIT_BUFFER_BYTES 65536
#define AUDIT_RECORD_BYTES 320

struct audit_record {
	int64_t utc_ns, latency_ns;
	const char *decision, *reason, *who, *where, *rule; /* printable ASCII */
};

struct audit_found { /* at the opening */
	int64_t records;
	int64_t torn_bytes; /* cut off */
};

struct audit;

/* One process at a time: a file that another holds is refused. NULL: f. */
struct audit *audit_open(const char *file, enum access_durability d, int64_t batch_ns,
			 struct audit_found *found, struct fail *f);
/* Writes what is left. -1: f, and not everything is on the disk. */
int audit_close(struct audit *a, struct fail *f);

/* From any thread. */
int audit_add(struct audit *a, const struct audit_record *r, struct fail *f);

/* Records on the disk as far as is known; writes to it so far. */
int64_t audit_durable(struct audit *a);
int64_t audit_syncs(struct audit *a);

/* Read a log and change nothing: counts, or -1 as audit_open() would. */
int audit_check(const char *file, struct audit_found *found, struct fail *f);

#endif
