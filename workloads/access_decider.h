/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_decider - the decision point: a request in bytes to an answer. One per thread.
 *
 * Every call is answered and, where there is an audit log, recorded there first as its
 * durability says; what cannot be recorded is answered with an error.
 */
#ifndef WORKLOADS_ACCESS_DECIDER_H
#define WORKLOADS_ACCESS_DECIDER_H

#include "workloads/access_policy.h"
#include "workloads/access_shared.h"
#include "workloads/access_users.h"

struct access_decider {
	struct access_params params; /* texts are borrowed until close */
	struct access_policy *policy;
	struct access_users *users; /* NULL in model rbac */
	struct access_shared *shared;
	int64_t tell_ns; /* on clock_ns: no fault is logged before, else each request would */
};

/* -1: f, and closed. */
int access_decider_open(struct access_decider *d, const struct access_params *p, struct fail *f);
void access_decider_close(struct access_decider *d);

void access_decider_ask(struct access_decider *d, enum access_encoding e, const void *src,
			size_t len, struct access_answer *a);

#endif
