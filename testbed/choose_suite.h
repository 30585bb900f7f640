/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose_suite - what the catalogue knows of a cell's suite, and the configuration that asks a
 * well-known server for it.
 */
#ifndef TESTBED_CHOOSE_SUITE_H
#define TESTBED_CHOOSE_SUITE_H

#include "ciphers/suite.h"
#include "lib/buf.h"
#include "results/choose.h"

/* known is false where the catalogue cannot read the suite. */
void choose_suite_facts(const char *suite, struct choose_facts *k);

/* Whether choose_facts.key can be this. */
bool choose_key_known(const char *name);

/* A program to paste into. */
struct choose_config {
	const char *name;
	const char *open, *close; /* of a comment that is a line of it */
	/* -1: this program cannot be held to this suite, why in f. */
	int (*write)(const struct suite *s, struct buf *out, struct fail *f);
};
/* NULL: none of that name. */
const struct choose_config *choose_config_by_name(const char *name);

#endif
