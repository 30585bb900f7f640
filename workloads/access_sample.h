/* SPDX-License-Identifier: Apache-2.0 */
/* access_sample - a request whose every field is there, for access_*_test.c only. */
#ifndef WORKLOADS_ACCESS_SAMPLE_H
#define WORKLOADS_ACCESS_SAMPLE_H

#include "workloads/access_message.h"

#define SAMPLE_NOW_MS INT64_C(1796112000000) /* Tuesday 2026-12-01 08:00 UTC */

static inline struct access_request sample_request(void)
{
	struct access_request q = {
		.version = 1,
		.time_ms = SAMPLE_NOW_MS,
		.user = { .id = "U0000042",
			  .role = "nurse",
			  .department = "cardiology",
			  .employment = "permanent",
			  .issuer = "hospital-keys-2026",
			  .clearance = 5,
			  .valid_from_ms = SAMPLE_NOW_MS - 1000,
			  .valid_until_ms = SAMPLE_NOW_MS + 1000 },
		.point = { .id = "P0003",
			   .area = "ward-3",
			   .building = "east",
			   .kind = "door",
			   .floor = -2,
			   .security = 3 },
		.environment = { .emergency = 0,
				 .occupancy = 12,
				 .temperature_c = -4,
				 .direction = "in" },
	};

	for (int i = 0; i < ACCESS_NONCE_BYTES; i++)
		q.nonce[i] = (uint8_t)(i * 17);
	for (int i = 0; i < ACCESS_KEY_BYTES; i++)
		q.user.key[i] = (uint8_t)(255 - i);
	return q;
}

#endif
