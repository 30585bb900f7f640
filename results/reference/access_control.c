/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_control - the attribute-based access-control server (ABACS) under load, tables 1 to 5 and
 * the break-even rates; and the role-based system (iPACS) that it is compared with.
 */
#include "results/reference.h"

static const struct reference_row rows[] = {
	{ "1", "CoAP", 200, 1, 0, REFERENCE_RATE_KB_PER_S, 3.83, REFERENCE_PRINTED },
	{ "1", "CoAP", 200, 1, 0, REFERENCE_P95_MS, 34, REFERENCE_PRINTED },
	{ "1", "CoAP", 200, 1, 0, REFERENCE_P99_MS, 44, REFERENCE_PRINTED },
	{ "1", "CoAP", 200, 1, 0, REFERENCE_P99_9_MS, 45, REFERENCE_PRINTED },
	{ "1", "CoAP", 200, 1, 0, REFERENCE_MAX_MS, 45, REFERENCE_PRINTED },
	{ "1", "CoAP", 200, 1, 0, REFERENCE_MEAN_MS, 22.34, REFERENCE_PRINTED },
	{ "1", "CoAP", 200, 1, 0, REFERENCE_CPU_PCT, 19.7, REFERENCE_PRINTED },
	{ "2", "CoAP", 2000, 1, 0, REFERENCE_RATE_KB_PER_S, 21.36, REFERENCE_PRINTED },
	{ "2", "CoAP", 2000, 1, 0, REFERENCE_P95_MS, 49, REFERENCE_PRINTED },
	{ "2", "CoAP", 2000, 1, 0, REFERENCE_P99_MS, 59, REFERENCE_PRINTED },
	{ "2", "CoAP", 2000, 1, 0, REFERENCE_P99_9_MS, 74, REFERENCE_PRINTED },
	{ "2", "CoAP", 2000, 1, 0, REFERENCE_MAX_MS, 83, REFERENCE_PRINTED },
	{ "2", "CoAP", 2000, 1, 0, REFERENCE_MEAN_MS, 29.30, REFERENCE_PRINTED },
	{ "2", "CoAP", 2000, 1, 0, REFERENCE_CPU_PCT, 18.51, REFERENCE_PRINTED },
	{ "3", "CoAP", 2000, 40, 0, REFERENCE_RATE_KB_PER_S, 62.16, REFERENCE_PRINTED },
	{ "3", "CoAP", 2000, 40, 0, REFERENCE_P95_MS, 744, REFERENCE_PRINTED },
	{ "3", "CoAP", 2000, 40, 0, REFERENCE_P99_MS, 794, REFERENCE_PRINTED },
	{ "3", "CoAP", 2000, 40, 0, REFERENCE_P99_9_MS, 824, REFERENCE_PRINTED },
	{ "3", "CoAP", 2000, 40, 0, REFERENCE_MAX_MS, 837, REFERENCE_PRINTED },
	{ "3", "CoAP", 2000, 40, 0, REFERENCE_MEAN_MS, 434.41, REFERENCE_PRINTED },
	{ "3", "CoAP", 2000, 40, 0, REFERENCE_CPU_PCT, 53.28, REFERENCE_PRINTED },
	{ "4", "CoAP", 2000, 120, 0, REFERENCE_RATE_KB_PER_S, 56.63, REFERENCE_PRINTED },
	{ "4", "CoAP", 2000, 120, 0, REFERENCE_P95_MS, 2494, REFERENCE_PRINTED },
	{ "4", "CoAP", 2000, 120, 0, REFERENCE_P99_MS, 2804, REFERENCE_PRINTED },
	{ "4", "CoAP", 2000, 120, 0, REFERENCE_P99_9_MS, 2859, REFERENCE_PRINTED },
	{ "4", "CoAP", 2000, 120, 0, REFERENCE_MAX_MS, 2871, REFERENCE_PRINTED },
	{ "4", "CoAP", 2000, 120, 0, REFERENCE_MEAN_MS, 1367.22, REFERENCE_PRINTED },
	{ "4", "CoAP", 2000, 120, 0, REFERENCE_CPU_PCT, 62.22, REFERENCE_PRINTED },
	{ "5", "HTTP", 200, 1, 0, REFERENCE_RATE_KB_PER_S, 10.77, REFERENCE_PRINTED },
	{ "5", "HTTP", 200, 1, 0, REFERENCE_MEAN_MS, 61.43, REFERENCE_PRINTED },
	{ "5", "CoAP", 200, 1, 0, REFERENCE_RATE_KB_PER_S, 10.77, REFERENCE_PRINTED },
	{ "5", "CoAP", 200, 1, 0, REFERENCE_MEAN_MS, 53.99, REFERENCE_PRINTED },
	{ "5", "HTTP", 2000, 1, 0, REFERENCE_RATE_KB_PER_S, 12.59, REFERENCE_PRINTED },
	{ "5", "HTTP", 2000, 1, 0, REFERENCE_MEAN_MS, 54.26, REFERENCE_PRINTED },
	{ "5", "CoAP", 2000, 1, 0, REFERENCE_RATE_KB_PER_S, 12.59, REFERENCE_PRINTED },
	{ "5", "CoAP", 2000, 1, 0, REFERENCE_MEAN_MS, 49.69, REFERENCE_PRINTED },
	{ "5", "HTTP", 2000, 40, 0, REFERENCE_RATE_KB_PER_S, 47.14, REFERENCE_PRINTED },
	{ "5", "HTTP", 2000, 40, 0, REFERENCE_MEAN_MS, 1257.82, REFERENCE_PRINTED },
	{ "5", "CoAP", 2000, 40, 0, REFERENCE_RATE_KB_PER_S, 47.14, REFERENCE_PRINTED },
	{ "5", "CoAP", 2000, 40, 0, REFERENCE_MEAN_MS, 768.10, REFERENCE_PRINTED },
	{ "5", "HTTP", 2040, 120, 0, REFERENCE_RATE_KB_PER_S, 30.55, REFERENCE_PRINTED },
	{ "5", "HTTP", 2040, 120, 0, REFERENCE_MEAN_MS, 5521.77, REFERENCE_PRINTED },
	{ "5", "CoAP", 2040, 120, 0, REFERENCE_RATE_KB_PER_S, 30.55, REFERENCE_PRINTED },
	{ "5", "CoAP", 2040, 120, 0, REFERENCE_MEAN_MS, 4947.14, REFERENCE_PRINTED },
	{ "break-even", "CoAP", 2000, 1, 1000, REFERENCE_BREAK_EVEN_KB_PER_S, 0.7,
	  REFERENCE_PRINTED },
	{ "break-even", "CoAP", 2000, 40, 3000, REFERENCE_BREAK_EVEN_KB_PER_S, 17,
	  REFERENCE_PRINTED },
	{ "break-even", "CoAP", 2000, 120, 3000, REFERENCE_BREAK_EVEN_KB_PER_S, 49,
	  REFERENCE_PRINTED },
	{ "iPACS", "iPACS", 200, 1, 0, REFERENCE_RATE_KB_PER_S, 0.61, REFERENCE_PRINTED },
	{ "iPACS", "iPACS", 2000, 1, 0, REFERENCE_RATE_KB_PER_S, 0.61, REFERENCE_PRINTED },
	{ "iPACS", "iPACS", 2000, 40, 0, REFERENCE_RATE_KB_PER_S, 7.04, REFERENCE_PRINTED },
	{ "iPACS", "iPACS", 2000, 120, 0, REFERENCE_RATE_KB_PER_S, 7.61, REFERENCE_PRINTED },
	{ "iPACS", "iPACS", 200, 1, 0, REFERENCE_MAX_MS, 450, REFERENCE_AT_LEAST },
	{ "iPACS", "iPACS", 2000, 1, 0, REFERENCE_MAX_MS, 830, REFERENCE_AT_LEAST },
	{ "iPACS", "iPACS", 2000, 40, 0, REFERENCE_MAX_MS, 1670, REFERENCE_AT_LEAST },
	{ "iPACS", "iPACS", 2000, 120, 0, REFERENCE_MAX_MS, 5740, REFERENCE_AT_LEAST },
};

const struct reference_study reference_access_control = {
	.key = "access-control",
	.title = "ABACS: attribute-based access control using digital keys",
	.source = "S. I. Mohamed, M. Mostafa, J. Assaly, A. S. Shalabi, preprint 2024, "
		  "doi 10.21203/rs.3.rs-4630516/v1; J. Umm Al-Qura Univ. Eng. Archit., 28 May 2025",
	.notes =
		"Made with the benchmark client of Eclipse Californium: percentiles are upper "
		"edges "
		"of slots of 5 ms, each client's first response is left out, and requests are "
		"those "
		"of each client times the clients, so that 2000 of 120 were probably 1920 or 2040. "
		"The board is a Raspberry Pi of no stated model; its DTLS suite, its payload and "
		"the meaning of its CPU share are not published. The break-even rate of one client "
		"is given as 0.6 to 0.7, taken as 0.7. Longest response times of iPACS are lower "
		"bounds, from 'at least 10 times' and 'at least twice' as long.",
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};
