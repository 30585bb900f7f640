/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_schema - does a JSON value fit a schema? Linked into tests only. */
#ifndef RESULTS_FIXTURE_SCHEMA_H
#define RESULTS_FIXTURE_SCHEMA_H

#include <jansson.h>

#include "lib/fail.h"

/*
 * The keywords that report_schema() uses: type, const, properties, required, items, minItems,
 * maxItems, and $ref into $defs. Any other but title, description, $schema, $defs and x-* is an
 * error, so that none goes unchecked; and a key that the schema does not list is one too.
 * -1 with the place in f.
 */
int fixture_schema_check(const json_t *schema, const json_t *value, struct fail *f);

#endif
