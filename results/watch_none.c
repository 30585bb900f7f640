/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_none - this build has no libmicrohttpd: there is no live page.
 */
#include <errno.h>

#include "results/watch_serve.h"

struct watch_server *watch_server_open(const struct watch_site *site, int64_t port, int64_t *bound,
				       struct fail *f)
{
	(void)site;
	*bound = port;
	fail_set(
		f, ENOTSUP,
		"this program was built without libmicrohttpd: install libmicrohttpd-dev and build "
		"it again; `cipherwatt report` works meanwhile, also of a campaign that is "
		"running");
	return NULL;
}

int watch_server_run(struct watch_server *s, int stop_fd, struct fail *f)
{
	(void)s;
	(void)stop_fd;
	return fail_set(f, ENOTSUP, "this program was built without libmicrohttpd");
}

void watch_server_close(struct watch_server *s)
{
	(void)s;
}
