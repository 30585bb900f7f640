/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection - the modes, and their text.
 */
#include "clients/connection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

const char *const connection_mode_name[CONNECTION_MODES + 1] = {
	[CONNECTION_FULL] = "full",
	[CONNECTION_KEEPALIVE] = "keepalive",
};

const struct connection_kind connection_kind[CONNECTION_MODES] = {
	[CONNECTION_FULL] = { .spoiled_resumed = true },
	[CONNECTION_KEEPALIVE] = { .keeps = true },
};

int connection_parse(const char *text, enum connection_mode *mode, int64_t *requests,
		     struct fail *f)
{
	size_t len = strcspn(text, ":");
	struct fail ignored = { 0 };

	*requests = 0;
	for (int i = 0; i < CONNECTION_MODES; i++) {
		if (strlen(connection_mode_name[i]) != len ||
		    strncmp(connection_mode_name[i], text, len))
			continue;
		*mode = (enum connection_mode)i;
		if (!text[len])
			return 0;
		if (connection_kind[i].keeps &&
		    !units_integer(text + len + 1, 1, CONNECTION_REQUESTS_MAX, requests, &ignored))
			return 0;
	}
	return fail_set(f, EINVAL,
			"'%s' is not a way to connect; expected full, keepalive, or keepalive:N "
			"for N requests on each connection",
			text);
}

const char *connection_format(enum connection_mode mode, int64_t requests,
			      char dst[CONNECTION_TEXT_BYTES])
{
	if (requests)
		snprintf(dst, CONNECTION_TEXT_BYTES, "%s:%lld", connection_mode_name[mode],
			 (long long)requests);
	else
		snprintf(dst, CONNECTION_TEXT_BYTES, "%s", connection_mode_name[mode]);
	return dst;
}
