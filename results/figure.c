/* SPDX-License-Identifier: Apache-2.0 */
/* figure - numbers and intervals written for people. */
#include "results/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

#define DECIMALS_MAX 6
#define LOPSIDED     0.1

void figure_number(double value, char dst[FIGURE_BYTES])
{
	units_format_real(value, dst, FIGURE_BYTES);
}

/* Two digits of the half width, but never more than five of the mean. */
static int decimals_for(double half, double mean)
{
	int by_half = half > 0 ? 1 - (int)floor(log10(half)) : DECIMALS_MAX;
	int by_mean = mean != 0 ? 4 - (int)floor(log10(fabs(mean))) : DECIMALS_MAX;
	int decimals = by_half < by_mean ? by_half : by_mean;

	return decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
}

void figure_range(const struct interval *i, char dst[FIGURE_BYTES])
{
	int decimals;

	if (!isfinite(i->lo) || !isfinite(i->hi)) {
		figure_number(i->mean, dst);
		return;
	}
	decimals = decimals_for((i->hi - i->lo) / 2, i->mean);
	snprintf(dst, FIGURE_BYTES, "%.*f (%.*f to %.*f)", decimals, i->mean, decimals, i->lo,
		 decimals, i->hi);
}

void figure_interval(const struct interval *i, char dst[FIGURE_BYTES])
{
	double half = (i->hi - i->lo) / 2;
	char mean[FIGURE_BYTES];
	int decimals;

	figure_number(i->mean, mean);
	if (!isfinite(i->mean)) {
		snprintf(dst, FIGURE_BYTES, "-");
	} else if (!isfinite(half)) {
		snprintf(dst, FIGURE_BYTES, "%.16s ± ?", mean);
	} else if (fabs(i->hi + i->lo - 2 * i->mean) > LOPSIDED * 2 * half) {
		figure_range(i, dst);
	} else {
		decimals = decimals_for(half, i->mean);
		snprintf(dst, FIGURE_BYTES, "%.*f ± %.*f", decimals, i->mean, decimals, half);
	}
}

void figure_field(const struct field *f, const void *base, char *dst, size_t len)
{
	char text[FIGURE_BYTES];

	if (f->kind == FIELD_TEXT || f->kind == FIELD_JSON)
		snprintf(dst, len, "%s", field_text(f, base));
	else if (!field_known(f, base))
		snprintf(dst, len, "-");
	else if (f->kind == FIELD_BOOL)
		snprintf(dst, len, "%s", field_number(f, base) != 0 ? "yes" : "no");
	else if (f->kind == FIELD_INT)
		snprintf(dst, len, "%" PRId64,
			 *(const int64_t *)(const void *)((const char *)base + f->offset));
	else {
		if (f->kind == FIELD_REAL)
			figure_number(field_number(f, base), text);
		else
			figure_interval((const void *)((const char *)base + f->offset), text);
		snprintf(dst, len, "%s", text);
	}
}
