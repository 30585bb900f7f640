/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_setup - what a run over datagrams needs besides: settings that CoAP allows, and what the
 * clients of a thread share.
 */
#ifndef CLIENTS_DGRAM_SETUP_H
#define CLIENTS_DGRAM_SETUP_H

#include "clients/load.h"
#include "clients/peer.h"

/* Room for a message's head, token and options beside a block of its content. */
#define DGRAM_MESSAGE_BYTES 128

/* -1: the reason names the setting and the cure. */
int dgram_settings_check(const struct load_params *p, struct fail *f);
/* Of one message with all its options: what DTLS leaves of the mtu. */
size_t dgram_message_bytes(const struct load_params *p);
/* env->dgram for so many clients. env->upload is set. -1: release all the same. */
int dgram_setup_open(struct peer_env *env, const struct load_params *p, int clients,
		     struct fail *f);
/* Accepts an env without. */
void dgram_setup_release(struct peer_env *env);

#endif
