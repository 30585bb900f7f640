/* SPDX-License-Identifier: Apache-2.0 */
/* compare_print - comparisons as text and as JSON. */
#ifndef RESULTS_COMPARE_PRINT_H
#define RESULTS_COMPARE_PRINT_H

#include "results/compare.h"
#include "results/report.h"

struct comparison {
	const struct report *a, *b; /* may be the same */
	struct compare_pair *pair;
	size_t pairs;
	bool paired;
	size_t only_a, only_b; /* cells without a partner, of two campaigns */
};

void compare_print_text(const struct comparison *c, struct buf *out);
void compare_print_json(const struct comparison *c, struct buf *out);

/* A line for each thing that differs between the machines of the two, "" when nothing does. */
void compare_machines(const struct comparison *c, struct buf *out);

#endif
