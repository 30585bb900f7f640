/* SPDX-License-Identifier: Apache-2.0 */
/* workloads - the list of them. */
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
