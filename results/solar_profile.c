/* SPDX-License-Identifier: Apache-2.0 */
/* solar_profile - when the requests of a day come: a name, or a share for each hour. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "results/solar_design.h"

#define HOURS_PER_DAY 24

static int read_shares(const char *text, double share[24], struct fail *f)
{
	struct fail no = { 0 };
	double sum = 0;
	int n = 0;

	while (*text) {
		size_t len = strcspn(text, ",");
		char one[32];

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		if (len >= sizeof(one) || n == HOURS_PER_DAY ||
		    units_real(one, &share[n], &no) < 0 || share[n] < 0)
			return fail_set(f, EINVAL,
					"hour %d: \"%s\"; expected 24 shares, none negative", n,
					one);
		sum += share[n++];
		text += len + (text[len] == ',');
	}
	if (n != HOURS_PER_DAY)
		return fail_set(
			f, EINVAL,
			"%d shares; expected 24 (from 0 o'clock, local standard time), or flat, "
			"day, evening",
			n);
	if (!(sum > 0))
		return fail_set(f, EINVAL, "24 shares of nothing; expected one above 0");
	for (int h = 0; h < HOURS_PER_DAY; h++)
		share[h] /= sum;
	return 0;
}

int solar_profile(const char *text, double share[24], struct fail *f)
{
	static const struct {
		const char *name;
		int from, to;
	} named[] = { { "flat", 0, 24 }, { "day", 8, 18 }, { "evening", 17, 23 } };

	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		if (strcmp(text, named[i].name) != 0)
			continue;
		for (int h = 0; h < HOURS_PER_DAY; h++)
			share[h] = h >= named[i].from && h < named[i].to
					   ? 1.0 / (named[i].to - named[i].from)
					   : 0;
		return 0;
	}
	if (!strchr(text, ','))
		return fail_set(
			f, EINVAL,
			"there is no \"%s\"; expected flat, day, evening, or 24 shares with "
			"commas",
			text);
	return read_shares(text, share, f);
}
