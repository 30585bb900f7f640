/* SPDX-License-Identifier: Apache-2.0 */
/* asker - the list of askers, and the one that asks for a page. */
#include "workloads/asker.h"

#include <errno.h>
#include <string.h>

const char *const asker_outcome_name[ASKER_OUTCOMES + 1] = {
	[ASKER_PAGE] = "page",       [ASKER_PERMIT] = "permit",
	[ASKER_DENY] = "deny",       [ASKER_NOT_APPLICABLE] = "not_applicable",
	[ASKER_MESSAGE] = "message", [ASKER_ERROR] = "error",
};

const struct asker_ops *const askers[] = {
	&asker_page,
	&asker_access,
#if defined(WITH_XMLSEC) || defined(WITH_CBOR)
	&asker_message,
#endif
	NULL,
};

const struct asker_ops *asker_by_name(const char *name)
{
	for (int i = 0; askers[i]; i++)
		if (strcmp(askers[i]->name, name) == 0)
			return askers[i];
	return NULL;
}

static int open_page(struct asker *a)
{
	if (a->params.target && a->params.target[0] == '/')
		return 0;
	return fail_set(&a->fail, EINVAL,
			"no page to ask for: expected a target such as /page/512");
}

static void close_page(struct asker *a)
{
	(void)a;
}

static int request_page(struct asker *a, uint64_t number, struct buf *scratch,
			struct app_request *q)
{
	(void)number;
	buf_clear(scratch);
	q->method = APP_GET;
	q->target = a->params.target;
	q->accepts = a->params.accepts;
	q->content_type = NULL;
	q->body = NULL;
	q->body_bytes = 0;
	return 0;
}

static int check_page(struct asker *a, uint64_t number, const struct buf *scratch,
		      const struct app_response *r, const void *body, size_t len,
		      enum asker_outcome *outcome, struct fail *f)
{
	(void)a, (void)number, (void)scratch, (void)body, (void)len;
	*outcome = r->status < 400 ? ASKER_PAGE : ASKER_ERROR;
	if (*outcome == ASKER_PAGE)
		return 0;
	return fail_set(f, EPROTO, "the server answered with status %d", r->status);
}

const struct asker_ops asker_page = {
	.name = "page",
	.help = "GET of one page",
	.open = open_page,
	.close = close_page,
	.request = request_page,
	.check = check_page,
};
