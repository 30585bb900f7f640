/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_stages - how long each step of securing and reading messages took, on the
 * monotonic clock, as the study of WS-Security tabled them: the first message apart, because
 * it warms caches up.
 */
#ifndef WORKLOADS_MESSAGE_STAGES_H
#define WORKLOADS_MESSAGE_STAGES_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of their happening: what is said first, what is read behind it. */
enum message_stage {
	MESSAGE_BUILD,        /* the message as a tree, nothing secured yet */
	MESSAGE_CANONICALISE, /* for the signature */
	MESSAGE_DIGEST,
	MESSAGE_SIGN,
	MESSAGE_ENCRYPT_KEY,
	MESSAGE_ENCRYPT_DATA,
	MESSAGE_SERIALISE,
	MESSAGE_SEND_REST, /* computed: the whole less the stages above */
	MESSAGE_PARSE,
	MESSAGE_HEADER, /* its shape: what must be there, and what must not */
	MESSAGE_DECRYPT_KEY,
	MESSAGE_DECRYPT_DATA,
	MESSAGE_TRUST,
	MESSAGE_TIMESTAMP,
	MESSAGE_CANONICALISE_AGAIN,
	MESSAGE_DIGEST_AGAIN,
	MESSAGE_VERIFY,
	MESSAGE_READ_REST, /* computed, as above */
	MESSAGE_STAGES
};

struct message_stage_row {
	const char *name; /* "decrypt_key": a key of JSON */
	const char *label;
	bool reads;  /* of reading; else of securing */
	bool crypto; /* cryptography on this message: keys, ciphers, digests, signatures */
};

extern const struct message_stage_row message_stage_rows[MESSAGE_STAGES];

struct message_stages {
	int64_t ns[MESSAGE_STAGES];
	int64_t secured, read; /* how many of each are summed here */
};

/* For one thread; across threads there is the tally below. */
void message_stages_add(struct message_stages *into, const struct message_stages *from);

/* Sums over the life of a party; one thread writes, any may read (message_tally_copy). */
struct message_tally {
	struct message_stages warm_up; /* the first message of each direction */
	struct message_stages measured;
};

/* Add the stages of one call, in which one message was secured, read, or both. */
void message_tally_add(struct message_tally *t, const struct message_stages *one);
/* From another thread: no value is torn. */
void message_tally_copy(const struct message_tally *from, struct message_tally *to);
void message_tally_merge(struct message_tally *into, const struct message_tally *from);

/* Of all the time in them, that of cryptography, 0 to 1; 0 when there is none. */
double message_stages_crypto(const struct message_stages *s);

#endif
