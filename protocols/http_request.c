/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request - methods, what can be asked for, content codings. It must not know how a version
 * of HTTP writes them.
 */
#include "protocols/http_request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "protocols/http1_parse.h"
#include "protocols/url.h"

#define HOST_BYTES_MAX 512

const char *http_method_name(enum app_method method)
{
	static const char *const names[] = { "GET", "HEAD", "POST", "OPTIONS" };

	return method < APP_METHOD_OTHER ? names[method] : NULL;
}

int http_request_check(const struct app_request *q, struct fail *f)
{
	size_t target = strlen(q->target), host = strlen(q->host);
	bool asterisk = q->method == APP_OPTIONS && strcmp(q->target, "*") == 0;

	if (!http_method_name(q->method))
		return fail_set(f, EINVAL, "a request without a method");
	if (target >= APP_TARGET_BYTES || (!asterisk && !url_is_target(q->target, target)))
		return fail_set(f, EINVAL, "\"%.80s\" cannot be asked for", q->target);
	if (host > HOST_BYTES_MAX || !http1_is_host(q->host, host))
		return fail_set(f, EINVAL, "\"%.80s\" is no host for a request", q->host);
	return 0;
}

const char *http_accepts(unsigned accepts, char text[HTTP_ACCEPTS_BYTES])
{
	size_t len = 0;

	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++)
		if (accepts & 1u << e && len < HTTP_ACCEPTS_BYTES)
			len += (size_t)snprintf(text + len, HTTP_ACCEPTS_BYTES - len, "%s%s",
						len ? ", " : "",
						app_encoding_name((enum app_encoding)e));
	return len ? text : "identity";
}
