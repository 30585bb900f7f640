/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket - credit as bytes times 10^9, so that a nanosecond at a byte per second is one unit and
 * nothing is ever rounded.
 */
#include "clients/bucket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/units.h"

void bucket_init(struct bucket *b, int64_t bytes_per_s, int64_t burst_bytes, int64_t now_ns)
{
	*b = (struct bucket){ .bytes_per_s = bytes_per_s,
			      .burst_bytes = burst_bytes,
			      .level_byte_ns = burst_bytes * NS_PER_S,
			      .at_ns = now_ns };
}

static void refill(struct bucket *b, int64_t now_ns)
{
	int64_t full = b->burst_bytes * NS_PER_S;
	int64_t passed_ns = now_ns - b->at_ns;

	b->at_ns = now_ns;
	if (passed_ns > (full - b->level_byte_ns) / b->bytes_per_s)
		b->level_byte_ns = full;
	else
		b->level_byte_ns += passed_ns * b->bytes_per_s;
}

void bucket_take(struct bucket *b, int64_t bytes, int64_t now_ns)
{
	if (!b->bytes_per_s)
		return;
	refill(b, now_ns);
	b->level_byte_ns -= bytes * NS_PER_S;
}

int64_t bucket_ready_ns(const struct bucket *b)
{
	if (!b->bytes_per_s || b->level_byte_ns >= 0)
		return b->at_ns;
	return b->at_ns + (-b->level_byte_ns + b->bytes_per_s - 1) / b->bytes_per_s;
}

int bucket_parse_rate(const char *text, int64_t *bytes_per_s, struct fail *f)
{
	char size[32];
	size_t len = strlen(text);
	struct fail ignored = { 0 };
	char *kilo;

	if (len > 2 && len < sizeof(size) && !strcmp(text + len - 2, "/s")) {
		snprintf(size, sizeof(size), "%.*s", (int)len - 2, text);
		kilo = strstr(size, "KB");
		if (kilo)
			*kilo = 'k';
		if (!units_bytes(size, bytes_per_s, &ignored) && *bytes_per_s >= 1 &&
		    *bytes_per_s <= BUCKET_RATE_MAX)
			return 0;
	}
	return fail_set(f, EINVAL,
			"'%s' is not a data rate; expected whole bytes per second from 1 to 4 GB, "
			"such as 0.7kB/s, 64KiB/s or 700B/s",
			text);
}
