/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_text - numbers with units as ab, wrk and h2load print them, and words for their command
 * lines.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/driver.h"

struct scale {
	const char *unit;
	double factor;
};

static double scaled(const char *text, const struct scale *scales)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text)
		return NAN;
	for (; scales->unit; scales++) {
		if (!strcmp(end, scales->unit))
			return value * scales->factor;
	}
	return NAN;
}

double driver_duration_us(const char *text)
{
	static const struct scale scales[] = { { "us", 1 },  { "ms", 1e3 },  { "s", 1e6 },
					       { "m", 6e7 }, { "h", 3.6e9 }, { NULL, 0 } };

	return scaled(text, scales);
}

void driver_arg(struct driver_args *args, const char *fmt, ...)
{
	char *word = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (args->count == DRIVER_ARGS_MAX || vasprintf(&word, fmt, ap) < 0)
		args->failed = true;
	else
		args->word[args->count++] = word;
	va_end(ap);
}

void driver_args_release(struct driver_args *args)
{
	for (int i = 0; i < args->count; i++)
		free(args->word[i]);
	*args = (struct driver_args){ 0 };
}

void driver_note(struct driver_figures *d, const char *fmt, ...)
{
	va_list ap;

	if (d->notes == DRIVER_NOTES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(d->note[d->notes++], sizeof(d->note[0]), fmt, ap);
	va_end(ap);
}
