/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_keys - whose certificate and key is whose: the credentials of both sides of an
 * exchange, from the directory that both must have, and secrets that they share.
 */
#ifndef WORKLOADS_MESSAGE_KEYS_H
#define WORKLOADS_MESSAGE_KEYS_H

#include "ciphers/credential.h"
#include "workloads/message.h"

/* Files; those of a kind that the profile does not need are "". */
struct message_keys {
	struct credential signer;    /* this side's own, and the authority of its kind */
	struct credential recipient; /* this side's own: what is encrypted for it */
	char peer_cert[PATH_BYTES];  /* whom this side encrypts for */
};

int message_keys_find(const struct message_party *p, struct message_keys *k, struct fail *f);

/*
 * A secret of so many random bytes, at most 64, that both sides share: found in, or made in,
 * the file "message-NAME.secret" of the credentials' directory, in hex, 0600. Two processes
 * may ask at once.
 */
int message_secret(const char *dir, const char *name, void *secret, size_t len, struct fail *f);

#endif
