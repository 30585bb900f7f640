/* SPDX-License-Identifier: Apache-2.0 */
/* report_number - a real number for machines. */
#include "results/report_number.h"

#include <math.h>
#include <stdio.h>

void report_number(struct buf *out, double value)
{
	char text[32];

	if (!isfinite(value))
		return;
	snprintf(text, sizeof(text), "%.15g", value);
	for (char *c = text; *c; c++)
		if (*c == ',') /* the only other point that locales use */
			*c = '.';
	buf_puts(out, text);
}
