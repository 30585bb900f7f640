/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - connections as they end, to a stream: text, JSON or CSV.
 *
 * Each is written at once, so a report of any length needs no memory. Knows nothing of
 * files and packets.
 */
#ifndef CAPTURE_REPORT_H
#define CAPTURE_REPORT_H

#include <stdio.h>

#include "capture/connection.h"
#include "capture/tally.h"

struct report_file {
	const char *name;
	uint64_t packets;
	bool cut;
	const char *damage; /* where and how; NULL when sound */
};

struct report {
	FILE *out;
	FILE *coap;       /* JSON only: what goes into the list behind the connections */
	const char *file; /* the capture that is being read; NULL for an interface */
	uint64_t written, coap_written;
};

struct report_ops {
	int (*begin)(struct report *r); /* -1: no place for a temporary file */
	void (*connection)(struct report *r, const struct connection *c);
	void (*end)(struct report *r, const struct tally *s, const struct report_file *files,
		    int file_count);
};

extern const struct report_ops report_text, report_json, report_csv;

#endif
