/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference - the studies as a list, and a row by what it is about.
 */
#include "results/reference.h"

#include <string.h>

const struct reference_info reference_info[REFERENCE_METRICS] = {
	[REFERENCE_RATE_KB_PER_S] = { "rate_kb_per_s", "kB/s", "data rate of the client" },
	[REFERENCE_P95_MS] = { "p95_ms", "ms", "95 % of the response times" },
	[REFERENCE_P99_MS] = { "p99_ms", "ms", "99 % of the response times" },
	[REFERENCE_P99_9_MS] = { "p99_9_ms", "ms", "99.9 % of the response times" },
	[REFERENCE_MAX_MS] = { "max_ms", "ms", "longest response time" },
	[REFERENCE_MEAN_MS] = { "mean_ms", "ms", "mean response time" },
	[REFERENCE_CPU_PCT] = { "cpu_pct", "%", "CPU share of the server" },
	[REFERENCE_BREAK_EVEN_KB_PER_S] = { "break_even_kb_per_s", "kB/s",
					    "lowest data rate whose mean response time meets the "
					    "target" },
	[REFERENCE_REQUESTS_PER_S] = { "requests_per_s", "1/s", "requests per second" },
	[REFERENCE_HANDSHAKES_PER_S] = { "handshakes_per_s", "1/s", "handshakes per second" },
	[REFERENCE_RETRANSMISSIONS_PCT] = { "retransmissions_pct", "%",
					    "messages sent again, of the requests" },
	[REFERENCE_ENERGY_SAVING_PCT] = { "energy_saving_pct", "%",
					  "energy that EC saves against RSA authentication" },
	[REFERENCE_THROUGHPUT_RATIO] = { "throughput_ratio", "",
					 "throughput of EC against RSA authentication" },
	[REFERENCE_SIGN_MS] = { "sign_ms", "ms", "one signature" },
	[REFERENCE_VERIFY_MS] = { "verify_ms", "ms", "one verification" },
	[REFERENCE_ECDH_MS] = { "ecdh_ms", "ms", "one key agreement" },
	[REFERENCE_LOW_MS] = { "low_ms", "ms", "shortest time usually seen" },
	[REFERENCE_HIGH_MS] = { "high_ms", "ms", "longest time usually seen" },
	[REFERENCE_LOW_PCT] = { "low_pct", "%", "lowest share seen" },
	[REFERENCE_HIGH_PCT] = { "high_pct", "%", "highest share seen" },
	[REFERENCE_SHARE_PCT] = { "share_pct", "%", "share of the time" },
};

const struct reference_study *const reference_studies[] = { &reference_access_control,
							    &reference_gateway,
							    &reference_californium,
							    &reference_message_security, NULL };

static bool same(const char *asked, const char *has)
{
	return !asked || !strcmp(asked, has);
}

const struct reference_row *reference_find(const struct reference_study *s, const char *table,
					   const char *what, int requests, int clients,
					   enum reference_metric metric)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct reference_row *row = &s->rows[i];

		if (row->metric == metric && row->requests == requests && row->clients == clients &&
		    same(table, row->table) && same(what, row->what))
			return row;
	}
	return NULL;
}

const char *reference_mark_text(enum reference_mark mark)
{
	static const char *const text[] = { [REFERENCE_PRINTED] = "",
					    [REFERENCE_DERIVED] = "derived ",
					    [REFERENCE_AT_LEAST] = ">= ",
					    [REFERENCE_AT_MOST] = "up to " };

	return text[mark];
}
