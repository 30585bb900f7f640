/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question - requests from the asker, answers to it.
 */
#include "clients/question.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int question_init(struct question *q, const struct questions *all, struct fail *f)
{
	size_t bytes = all->asker.ops->answer_bytes_max;

	*q = (struct question){ 0 };
	if (!bytes)
		return 0;
	q->answer = malloc(bytes);
	return q->answer ? 0 : fail_set(f, ENOMEM, "no memory for answers of %zu bytes", bytes);
}

void question_release(struct question *q)
{
	free(q->answer);
	q->answer = NULL;
	buf_release(&q->scratch);
}

int question_put(struct question *q, struct questions *all, const struct app_request *common,
		 struct fail *f)
{
	struct asker *a = &all->asker;

	q->number = all->put++;
	q->request = *common;
	q->answer_len = 0;
	q->too_long = false;
	q->status = 0;
	q->type[0] = '\0';
	if (!a->ops->request(a, q->number, &q->scratch, &q->request))
		return 0;
	return fail_set(f, a->fail.code, "%s", a->fail.text);
}

void question_hear(struct question *q, const struct questions *all, const struct app_event *e)
{
	size_t room = all->asker.ops->answer_bytes_max - q->answer_len;

	if (e->kind == APP_HEAD_IN) {
		q->status = e->response.status;
		if (q->answer && e->response.content_type)
			snprintf(q->type, sizeof(q->type), "%s", e->response.content_type);
	} else if (q->answer && e->kind == APP_BODY) {
		q->too_long |= e->len > room;
		room = e->len < room ? e->len : room;
		memcpy(q->answer + q->answer_len, e->bytes, room);
		q->answer_len += room;
	}
}

int question_judge(struct question *q, struct questions *all, enum asker_outcome *outcome,
		   struct fail *f)
{
	struct asker *a = &all->asker;
	struct app_response r = { .status = q->status,
				  .content_type = q->type[0] ? q->type : NULL,
				  .body_bytes = q->answer_len };

	*outcome = ASKER_ERROR;
	if (q->too_long)
		return fail_set(f, EMSGSIZE,
				"the answer is longer than the %zu bytes of any right one",
				a->ops->answer_bytes_max);
	return a->ops->check(a, q->number, &q->scratch, &r, q->answer, q->answer_len, outcome, f);
}
