/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_tally - which exchange counts where: one thread's result, filled as exchanges end.
 *
 * Whether an exchange belongs to the window is decided by when it was due. It knows no loop and
 * no client; its owner says which phase it is.
 */
#ifndef CLIENTS_LOAD_TALLY_H
#define CLIENTS_LOAD_TALLY_H

#include "clients/peer.h"

struct load_tally {
	struct load_result *r; /* with the borders of the window, once they are known */
	enum load_phase phase;
	int64_t count;  /* to be measured; 0: by duration */
	bool scheduled; /* an open loop: how late a request began is told */
	bool slots;     /* Californium's are filled too */
};

/* An exchange of this client is over; why is read when it failed. */
void load_tally_add(struct load_tally *t, const struct exchange *x, const struct fail *why,
		    struct fairness_client *client);
/* The loop got late to something by this. */
void load_tally_late(struct load_tally *t, int64_t late_ns);
/* As many as asked for are counted. */
bool load_tally_is_full(const struct load_tally *t);

#endif
