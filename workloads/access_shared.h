/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_shared - what the threads of one decision point must have in common: the nonces that
 * were used, or a replay would only have to reach another thread, and the audit log.
 *
 * Workloads are one per thread and do not know each other, so those of this process with
 * the same settings find each other here; the last one to leave closes what is shared.
 */
#ifndef WORKLOADS_ACCESS_SHARED_H
#define WORKLOADS_ACCESS_SHARED_H

#include "workloads/access.h"
#include "workloads/audit.h"
#include "workloads/nonces.h"

struct access_shared {
	struct nonces *nonces;
	struct audit *audit; /* NULL: none is kept */
};

/* NULL: f. Every thread that took it gives it back. */
struct access_shared *access_shared_take(const struct access_params *p, struct fail *f);
void access_shared_give(struct access_shared *s);

#endif
