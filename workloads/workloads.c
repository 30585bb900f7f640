/* SPDX-License-Identifier: Apache-2.0 */
/* workloads - the list of them, and what they have in common. */
#include <string.h>

#include "workloads/workload.h"

const struct workload_ops *const workloads[] = {
	&workload_page,
	&workload_access,
#if defined(WITH_XMLSEC) || defined(WITH_CBOR)
	&workload_message,
#endif
	NULL,
};

const struct workload_ops *workload_by_name(const char *name)
{
	for (int i = 0; workloads[i]; i++)
		if (strcmp(workloads[i]->name, name) == 0)
			return workloads[i];
	return NULL;
}

void workload_say(struct app_response *r, int status, const char *text)
{
	*r = (struct app_response){ .status = status,
				    .content_type = "text/plain; charset=utf-8",
				    .body = text,
				    .body_bytes = strlen(text),
				    .keep_alive = true };
}

bool workload_is_at(const char *target, const char *path)
{
	size_t len = strlen(path);

	return strncmp(target, path, len) == 0 && (target[len] == '\0' || target[len] == '?');
}

bool workload_turns_away(const struct workload_door *d, const struct app_request *q, bool found,
			 struct app_response *r)
{
	if (q->method == APP_OPTIONS) {
		*r = (struct app_response){ .status = 204, .allow = d->allow, .keep_alive = true };
	} else if (!found) {
		workload_say(r, 404, d->not_found);
	} else if (!(d->methods >> q->method & 1)) {
		workload_say(r, 405, d->not_allowed);
		r->allow = d->allow;
	} else {
		return false;
	}
	return true;
}
