/* SPDX-License-Identifier: Apache-2.0 */
/*
 * talk - an association of OpenSSL in memory, its packets and the log of its secrets, for tests.
 * Linked into tests only.
 */
#ifndef CAPTURE_TALK_H
#define CAPTURE_TALK_H

#include <openssl/ssl.h>

#include "lib/buf.h"

#define LINKTYPE_IPV4 228
#define MTU           1200
#define QUEUE_MAX     64

/* What one side has sent and the other has not read. */
struct queue {
	size_t len[QUEUE_MAX], first, count;
	uint8_t data[QUEUE_MAX][MTU + 64];
};

struct talk {
	SSL *ssl[2]; /* client, server */
	struct queue to[2];
	uint32_t seq[2];
	bool datagram;
	struct buf log, packets;
};

/* Once for all talks of a program; 0 when the library took it. */
int talk_enter(void **state);
int talk_leave(void **state);

/* Cipher by OpenSSL's name. The client's secrets go to t->log. */
void talk_open_side(struct talk *t, int side, int version, const char *cipher);
/* Both sides read until nothing is under way. */
void talk_settle(struct talk *t);
void talk_say(struct talk *t, int side, const char *text);
/* Opened and shaken hands. */
struct talk *talk_start(bool datagram, int version, const char *cipher);
struct talk *talk_new(bool datagram);
void talk_free(struct talk *t);

#endif
