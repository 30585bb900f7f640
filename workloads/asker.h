/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asker - the client's half of a workload: what is asked, and whether an answer is right.
 *
 * A load generator asks it for each request by number and shows it what came back; it must
 * not know the protocol that carries them, nor when. One instance per thread; nothing is
 * shared between instances.
 */
#ifndef WORKLOADS_ASKER_H
#define WORKLOADS_ASKER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"
#include "protocols/app.h"
#include "workloads/access.h"
#include "workloads/message_params.h"
#include "workloads/message_stages.h"

/* What a request came to: an array of counters has one for each. */
enum asker_outcome {
	ASKER_PAGE,           /* page: it came */
	ASKER_PERMIT,         /* access: the three decisions */
	ASKER_DENY,           /* status 403, and right */
	ASKER_NOT_APPLICABLE, /* status 404, and right */
	ASKER_MESSAGE,        /* message: verified, opened and answered in kind */
	ASKER_ERROR,          /* of every workload: not a right answer */
	ASKER_OUTCOMES
};

/* "page", "permit", "deny", "not_applicable", "message", "error"; ends with NULL. */
extern const char *const asker_outcome_name[ASKER_OUTCOMES + 1];

/* Settings of every asker; each reads its own. Texts are borrowed until close. */
struct asker_params {
	const char *target; /* page: what is asked for; others: NULL takes the workload's own */
	unsigned accepts;   /* bit per enum app_encoding */
	struct access_asking access;
	struct message_params message;
};

struct asker {
	const struct asker_ops *ops;
	struct asker_params params;
	void *impl;
	struct fail fail;
};

struct asker_ops {
	const char *name; /* the workload's */
	const char *help;
	/*
	 * The longest answer that check() wants to see: a client keeps so many bytes of each
	 * and takes a longer one for an error. 0: it keeps none and shows NULL.
	 */
	size_t answer_bytes_max;
	int (*open)(struct asker *a);
	void (*close)(struct asker *a);
	/*
	 * Fill method, target, accepts, content_type and body of q, the rest being the
	 * caller's. scratch is the caller's too, one per exchange: it is cleared, the body
	 * stands in it and stays until the exchange is over. A number asks one question in
	 * the life of an asker: what is sent anew because an association was lost is asked
	 * anew, with a number of its own. -1: a->fail.
	 */
	int (*request)(struct asker *a, uint64_t number, struct buf *scratch,
		       struct app_request *q);
	/*
	 * The whole answer to the request of that number; scratch is what request() left.
	 * r: status, and content_type where the protocol told it. 0: right, as *outcome
	 * says, whatever the status. -1: not a right answer, *outcome is ASKER_ERROR and f
	 * says why.
	 */
	int (*check)(struct asker *a, uint64_t number, const struct buf *scratch,
		     const struct app_response *r, const void *body, size_t len,
		     enum asker_outcome *outcome, struct fail *f);
	/*
	 * message only, NULL in others: what securing and reading took, so far. Any thread may
	 * copy it (message_tally_copy) until close.
	 */
	const struct message_tally *(*stages)(const struct asker *a);
};

extern const struct asker_ops asker_page, asker_access;
/* Where this program has a profile of messages. */
extern const struct asker_ops asker_message;
extern const struct asker_ops *const askers[]; /* ends with NULL */
const struct asker_ops *asker_by_name(const char *name);

#endif
