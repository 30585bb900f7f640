/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_setup - all that a run needs before its first connection: settings that fit together,
 * the limits of this machine, addresses, the TLS domain, the request, the peers.
 */
#ifndef CLIENTS_LOAD_SETUP_H
#define CLIENTS_LOAD_SETUP_H

#include "clients/peer.h"

struct load_setup {
	struct loop *loop;
	struct domain domain;
	bool domain_is_open;
	struct peer_env env; /* callbacks are the driver's to set */
	struct peer *peers;
	int clients;
	char host[sizeof(((struct url *)0)->host) + 16]; /* as the Host field says it */
};

/* -1: the reason names the setting or the limit, and the cure. release() all the same. */
int load_setup_open(struct load_setup *s, const struct load_params *p, struct fail *f);
/* Closes what is still open without a goodbye. Accepts a zeroed struct. */
void load_setup_release(struct load_setup *s);

#endif
