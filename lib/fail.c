/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail - keeping the first reason, and putting the place in front of it.
 *
 * A text that does not fit loses its end, never its start: the start says where.
 */
#include "lib/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fail_set(struct fail *f, int code, const char *fmt, ...)
{
	va_list ap;

	if (f->code)
		return -1;
	f->code = code ? code : EIO;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return -1;
}

int fail_within(struct fail *f, const char *fmt, ...)
{
	char reason[sizeof(f->text)];
	va_list ap;
	size_t len;

	if (!f->code)
		return -1;
	memcpy(reason, f->text, sizeof(reason));
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	len = strlen(f->text);
	snprintf(f->text + len, sizeof(f->text) - len, ": %.*s", (int)sizeof(reason) - 1, reason);
	return -1;
}

void fail_clear(struct fail *f)
{
	f->code = 0;
	f->text[0] = '\0';
}
