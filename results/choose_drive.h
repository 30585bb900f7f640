/* SPDX-License-Identifier: Apache-2.0 */
/* choose_drive - for the tests: the made-up campaign, what its suites are, and a ranking of it. */
#ifndef RESULTS_CHOOSE_DRIVE_H
#define RESULTS_CHOOSE_DRIVE_H

#include "results/choose.h"
#include "results/report_drive.h"

#define CELLS 4

static struct choose_facts facts[CELLS];

/* Plain, RSA, P-256, and P-256 with gzip, as the fixture makes them. */
static inline void tell_facts(void)
{
	for (size_t i = 0; i < report.cells; i++) {
		const char *suite = report.cell[i].cell.suite;
		bool rsa = strstr(suite, "RSA") != NULL, plain = strcmp(suite, "plain") == 0;

		facts[i] = (struct choose_facts){ .known = true,
						  .strength_bits = plain ? 0
								   : rsa ? 112
									 : 128,
						  .forward_secret = !plain,
						  .version = plain ? "plain" : "tls1.2",
						  .credential = plain ? "none"
								: rsa ? "rsa2048"
								      : "p256",
						  .key = plain ? "none"
							 : rsa ? "rsa"
							       : "ecdsa",
						  .status = plain ? "broken" : "recommended" };
		snprintf(facts[i].suite, sizeof(facts[i].suite), "%s", suite);
	}
}

static inline int enter(void **state)
{
	(void)state;
	if (report_drive_enter() < 0)
		return -1;
	assert_int_equal(report.cells, CELLS);
	tell_facts();
	return 0;
}

static inline struct choice made(const struct choose_rules *rules)
{
	struct choice c;
	struct fail f = { 0 };

	if (choose_make(&c, &report, facts, rules, &f) < 0)
		fail_msg("%s", f.text);
	return c;
}

#endif
