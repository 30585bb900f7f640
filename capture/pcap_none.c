/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcap_none - this build has no libpcap: files are read, interfaces are not.
 */
#include <errno.h>

#include "capture/live.h"

int live_run(const struct live_settings *s, struct timeline *t, uint64_t *dropped, struct fail *f)
{
	(void)t;
	*dropped = 0;
	return fail_set(f, ENOTSUP,
			"--live %s: this program was built without libpcap; capture with another "
			"tool and read its file",
			s->interface);
}
