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
	[CONNECTION_RESUME] = "resume",
};

const struct connection_kind connection_kind[CONNECTION_MODES] = {
	[CONNECTION_FULL] = { .spoiled_resumed = true },
	[CONNECTION_KEEPALIVE] = { .keeps = true, .number_max = CONNECTION_REQUESTS_MAX },
	[CONNECTION_RESUME] = { .resumes = true, .number_max = 100, .number = 100 },
};

int connection_parse(const char *text, enum connection_mode *mode, int64_t *number, struct fail *f)
{
	size_t len = strcspn(text, ":");
	struct fail ignored = { 0 };

	for (int i = 0; i < CONNECTION_MODES; i++) {
		const struct connection_kind *kind = &connection_kind[i];

		if (strlen(connection_mode_name[i]) != len ||
		    strncmp(connection_mode_name[i], text, len))
			continue;
		*mode = (enum connection_mode)i;
		*number = kind->number;
		if (!text[len])
			return 0;
		if (kind->number_max &&
		    !units_integer(text + len + 1, 1, kind->number_max, number, &ignored))
			return 0;
	}
	return fail_set(
		f, EINVAL,
		"'%s' is not a way to connect; expected full, keepalive, keepalive:N for N "
		"requests on each connection, resume, or resume:N for N %% of the handshakes",
		text);
}

const char *connection_format(enum connection_mode mode, int64_t number,
			      char dst[CONNECTION_TEXT_BYTES])
{
	if (number != connection_kind[mode].number)
		snprintf(dst, CONNECTION_TEXT_BYTES, "%s:%lld", connection_mode_name[mode],
			 (long long)number);
	else
		snprintf(dst, CONNECTION_TEXT_BYTES, "%s", connection_mode_name[mode]);
	return dst;
}
