/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keylog - the secrets that an endpoint wrote down (SSLKEYLOGFILE, draft-ietf-tls-keylogfile),
 * found by label and the client's random bytes. They come from a file, or from a pcapng capture
 * itself.
 */
#ifndef CAPTURE_KEYLOG_H
#define CAPTURE_KEYLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"

#define KEYLOG_BYTES_MAX    (64 << 20)
#define KEYLOG_RANDOM_BYTES 32
#define KEYLOG_SECRET_MAX   64

enum keylog_label {
	KEYLOG_MASTER, /* CLIENT_RANDOM: the master secret up to TLS 1.2 */
	KEYLOG_CLIENT_EARLY,
	KEYLOG_CLIENT_HANDSHAKE,
	KEYLOG_SERVER_HANDSHAKE,
	KEYLOG_CLIENT_TRAFFIC,
	KEYLOG_SERVER_TRAFFIC,
	KEYLOG_LABELS
};

struct keylog_entry {
	enum keylog_label label;
	uint8_t random[KEYLOG_RANDOM_BYTES];
	uint8_t secret[KEYLOG_SECRET_MAX];
	size_t secret_bytes;
	bool is_from_file;
};

struct keylog {
	struct keylog_entry *entry;
	size_t count, room;
	size_t others;          /* lines of labels that are of no use here */
	size_t from_file;       /* secrets that keylog_read() added; the rest stood in captures */
	size_t found_from_file; /* searches that had one of them for a result */
	bool sorted;
};

/* Adds the lines of a text; name is what messages call it. -1: a malformed line, by its number. */
int keylog_add(struct keylog *k, const char *name, const char *text, size_t len, struct fail *f);
int keylog_read(struct keylog *k, const char *path, struct fail *f);
void keylog_release(struct keylog *k); /* clears the secrets */

/* NULL: not there. Of two, the one from the file. Valid until the next keylog_add(). */
const struct keylog_entry *keylog_find(struct keylog *k, enum keylog_label label,
				       const uint8_t random[KEYLOG_RANDOM_BYTES]);

#endif
