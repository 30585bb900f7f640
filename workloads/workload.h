/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload - what a server answers, whatever the protocol that asked.
 *
 * One instance per thread; nothing is shared between instances.
 */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/fail.h"
#include "protocols/app.h"
#include "workloads/access.h"
#include "workloads/message_params.h"
#include "workloads/message_stages.h"

/* Settings of every workload; each reads its own and ignores none that was given. */
struct workload_params {
	int64_t payload_bytes;     /* page: size of "/" */
	const char *payload_kind;  /* page: "json", "text" or "random" (incompressible) */
	int64_t payload_bytes_max; /* page: largest size that may be asked for */
	int level[APP_ENCODINGS];  /* of each content coding; 0: it is never used */
	bool compress_once;        /* each page once and kept, instead of per request */
	struct access_params access;
	struct message_params message; /* its text is of payload_bytes and payload_kind */
};

struct workload {
	const struct workload_ops *ops;
	struct workload_params params;
	void *impl;
	struct fail fail;
};

struct workload_ops {
	const char *name; /* "page" */
	const char *help;
	int (*open)(struct workload *w);
	void (*close)(struct workload *w);
	/*
	 * Always answers: errors are answers too. r->body is borrowed from the workload
	 * (until close) or from scratch, which is the caller's, one per association, and
	 * must stay untouched until the response has been sent.
	 */
	void (*answer)(struct workload *w, const struct app_request *q, struct buf *scratch,
		       struct app_response *r);
	/*
	 * message only, NULL in others: what securing and reading took, so far. Any thread may
	 * copy it (message_tally_copy) until close.
	 */
	const struct message_tally *(*stages)(const struct workload *w);
};

extern const struct workload_ops workload_page, workload_access;
/* Where this program has a profile of messages. */
extern const struct workload_ops workload_message;
extern const struct workload_ops *const workloads[]; /* ends with NULL */
const struct workload_ops *workload_by_name(const char *name);

/* For workloads: an answer that is a text for people, which is borrowed. */
void workload_say(struct app_response *r, int status, const char *text);

/* For workloads: the target is this path, with a query or without. */
bool workload_is_at(const char *target, const char *path);

/* For workloads: what may be done where they answer, and what others are told. */
struct workload_door {
	unsigned methods; /* bit per enum app_method, OPTIONS aside */
	const char *allow;
	const char *not_found, *not_allowed; /* texts for people */
};

/*
 * For workloads: true: r answers a request that is none of theirs. OPTIONS 204; not found 404;
 * a method that the door does not let in 405.
 */
bool workload_turns_away(const struct workload_door *d, const struct app_request *q, bool found,
			 struct app_response *r);

#endif
