/* SPDX-License-Identifier: Apache-2.0 */
/* watch_answer - what stands around an answer of the live page: headers, and words of refusals. */
#ifndef RESULTS_WATCH_ANSWER_H
#define RESULTS_WATCH_ANSWER_H

#include <stddef.h>

#include "results/watch_request.h"

#define WATCH_POLICY_BYTES 320

struct watch_header {
	const char *name, *value; /* NULL ends a list */
};
/* Of every answer: not kept, not guessed at, not for other sites. */
extern const struct watch_header watch_headers[];

/* Of plain text where target is WATCH_TARGETS. */
const char *watch_content_type(enum watch_target target);
/* The content security policy: nothing from elsewhere, and of scripts the page's own alone. */
void watch_policy(enum watch_target target, const char *nonce, char dst[WATCH_POLICY_BYTES]);

/* Of 403, 404, 405, 500, 503: a sentence with its cure. */
const char *watch_refusal(int status);

#endif
