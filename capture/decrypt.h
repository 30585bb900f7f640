/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decrypt - protected records opened with logged secrets: which key is due in which direction.
 *
 * TLS 1.3 goes from early data to the handshake to the application's keys, and on with each
 * KeyUpdate; up to TLS 1.2 one key follows ChangeCipherSpec. A record that no key opens stays
 * what it was without a log: encrypted.
 */
#ifndef CAPTURE_DECRYPT_H
#define CAPTURE_DECRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/keylog.h"
#include "ciphers/record_key.h"
#include "lib/buf.h"

struct connection;

struct decrypt_half {
	struct record_key *key;
	uint64_t seq;
	int stage; /* of TLS 1.3: early data, handshake, application */
	uint8_t secret[KEYLOG_SECRET_MAX];
	size_t secret_bytes;
	const struct cipher *cipher;
	bool changed; /* ChangeCipherSpec passed */
	bool lost;    /* a record did not open: nothing does from here */
};

/* Of one connection; zeroed but for keys. */
struct decrypt {
	struct keylog *keys; /* borrowed */
	struct decrypt_half half[2];
	uint64_t opened; /* records */
};

void decrypt_release(struct decrypt *d);

/*
 * One record of direction `from` without its header; false: it stays closed. head->seq counts
 * for DTLS alone. plain is cleared and gets the content, type what that is.
 */
bool decrypt_record(struct decrypt *d, const struct connection *c, int from,
		    const struct record_head *head, const uint8_t *body, size_t len,
		    struct buf *plain, uint8_t *type);
/* ChangeCipherSpec, and handshake messages that were opened: what they do to the keys. */
void decrypt_changed(struct decrypt *d, int from);
void decrypt_message(struct decrypt *d, const struct connection *c, int from, uint8_t type);

#endif
