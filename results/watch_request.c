/* SPDX-License-Identifier: Apache-2.0 */
/* watch_request - method, host and path of a request. */
#include "results/watch_request.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *path;
	enum watch_target target;
} paths[] = {
	{ "/", WATCH_PAGE },
	{ "/events", WATCH_EVENTS },
	{ "/report", WATCH_REPORT },
	{ "/report.json", WATCH_REPORT_JSON },
};

/* "" or ":8642". */
static bool is_port(const char *text)
{
	size_t digits;

	if (!*text)
		return true;
	digits = strspn(text + 1, "0123456789");
	return *text == ':' && digits >= 1 && digits <= 5 && !text[1 + digits];
}

bool watch_host_is_local(const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

	for (size_t i = 0; host && i < sizeof(names) / sizeof(*names); i++)
		if (!strncasecmp(host, names[i], strlen(names[i])) &&
		    is_port(host + strlen(names[i])))
			return true;
	return false;
}

int watch_request(const char *method, const char *host, const char *path, enum watch_target *target)
{
	if (!watch_host_is_local(host))
		return 403;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return 405;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (!strcmp(path, paths[i].path)) {
			*target = paths[i].target;
			return 200;
		}
	return 404;
}
