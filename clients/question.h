/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question - what one client asks, and what it keeps of the answer until that is judged.
 *
 * The questions come from the thread's asker (workloads/asker.h), numbered in the order in
 * which they are put. It knows no association and no clock.
 */
#ifndef CLIENTS_QUESTION_H
#define CLIENTS_QUESTION_H

#include <stdbool.h>

#include "workloads/asker.h"

#define QUESTION_TYPE_BYTES 64

struct question {
	uint64_t number;
	struct app_request request; /* as it was put */
	bool waits;                 /* the owner's: put, and not on its way yet */
	struct buf scratch;         /* the request's body */
	char *answer;               /* answer_bytes_max of the asker; NULL: nothing is kept */
	size_t answer_len;
	bool too_long; /* the answer is longer than what is kept */
	int status;
	char type[QUESTION_TYPE_BYTES]; /* content type of the answer; "" none */
};

/* Where all questions of a thread come from. The owner's; the asker is open. */
struct questions {
	struct asker asker;
	uint64_t put; /* so far: the next one's number */
};

/* -1: no memory; release() all the same. */
int question_init(struct question *q, const struct questions *all, struct fail *f);
/* Accepts a zeroed struct. */
void question_release(struct question *q);

/*
 * The next one into q->request, with what else is in common. It stays until the next. -1: the
 * asker's reason.
 */
int question_put(struct question *q, struct questions *all, const struct app_request *common,
		 struct fail *f);

/* APP_HEAD_IN and APP_BODY of the answer. */
void question_hear(struct question *q, const struct questions *all, const struct app_event *e);

/* The answer is whole. -1: it is not right, and why. */
int question_judge(struct question *q, struct questions *all, enum asker_outcome *outcome,
		   struct fail *f);

#endif
