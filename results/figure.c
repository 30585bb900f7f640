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

const char figure_zero[] = "Where an interval begins at 0 it reaches zero and is cut there: the "
			   "trials are too few to say more.";

bool figure_reaches_zero(const struct interval *i)
{
	return i->mean >= 0 && i->lo <= 0 && i->hi > 0;
}

bool figure_cut(struct interval *i)
{
	if (!figure_reaches_zero(i))
		return false;
	i->lo = 0;
	return true;
}

/* 0 is the end of what was cut; what is more than that is never written so. */
static void write_low(double lo, int decimals, char dst[FIGURE_BYTES])
{
	if (lo == 0)
		snprintf(dst, FIGURE_BYTES, "0");
	else if (lo > 0 && lo < 0.5 * pow(10, -decimals))
		snprintf(dst, FIGURE_BYTES, "%.1g", lo);
	else
		snprintf(dst, FIGURE_BYTES, "%.*f", decimals, lo);
}

void figure_range(const struct interval *i, char dst[FIGURE_BYTES])
{
	char lo[FIGURE_BYTES];
	int decimals;

	if (!isfinite(i->lo) || !isfinite(i->hi)) {
		figure_number(i->mean, dst);
		return;
	}
	decimals = decimals_for((i->hi - i->lo) / 2, i->mean);
	write_low(i->lo, decimals, lo);
	snprintf(dst, FIGURE_BYTES, "%.*f (%.24s to %.*f)", decimals, i->mean, lo, decimals, i->hi);
}

void figure_interval(const struct interval *i, char dst[FIGURE_BYTES])
{
	struct interval shown = *i;

	if (figure_cut(&shown))
		figure_range(&shown, dst);
	else
		figure_signed(i, dst);
}

void figure_signed(const struct interval *i, char dst[FIGURE_BYTES])
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

	if ((f->flags & FIELD_MAY_BE_UNKNOWN) && !*field_text(f, base))
		snprintf(dst, len, "not known");
	else if (f->kind == FIELD_TEXT || f->kind == FIELD_JSON)
		snprintf(dst, len, "%s", field_text(f, base));
	else if (!field_known(f, base))
		snprintf(dst, len, "-");
	else if (f->kind == FIELD_BOOL)
		snprintf(dst, len, "%s", field_number(f, base) != 0 ? "yes" : "no");
	else if (f->kind == FIELD_INT)
		snprintf(dst, len, "%" PRId64,
			 *(const int64_t *)(const void *)((const char *)base + f->offset));
	else {
		const void *at = (const char *)base + f->offset;

		if (f->kind == FIELD_REAL)
			figure_number(field_number(f, base), text);
		else if (f->flags & FIELD_SIGNED)
			figure_signed(at, text);
		else
			figure_interval(at, text);
		snprintf(dst, len, "%s", text);
	}
}
