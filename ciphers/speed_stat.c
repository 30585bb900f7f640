/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed_stat - a running mean and its interval. It knows nothing of what is measured.
 */
#include "ciphers/speed_stat.h"

#include <math.h>

#define NORMAL_975 1.959963984540054

static const double exact[] = { 12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
				2.446912,  2.364624, 2.306004, 2.262157 };

double speed_stat_t95(int64_t degrees)
{
	double n = (double)degrees, x = NORMAL_975, x2 = x * x;
	double first = x * (x2 + 1) / 4;
	double second = x * ((5 * x2 + 16) * x2 + 3) / 96;
	double third = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384;

	if (degrees < 1)
		return INFINITY;
	if (degrees <= (int64_t)(sizeof(exact) / sizeof(exact[0])))
		return exact[degrees - 1];
	return x + first / n + second / (n * n) + third / (n * n * n);
}

void speed_stat_add(struct speed_stat *s, double value)
{
	double off = value - s->mean;

	s->count++;
	s->mean += off / (double)s->count;
	s->squares += off * (value - s->mean);
}

double speed_stat_half(const struct speed_stat *s)
{
	double n = (double)s->count;

	if (s->count < 2)
		return INFINITY;
	return speed_stat_t95(s->count - 1) * sqrt(s->squares / (n - 1) / n);
}
