/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_schema - the JSON report's schema (JSON Schema 2020-12), made from the field tables
 * that the report itself is made from. docs/report.schema.json is its copy.
 */
#ifndef RESULTS_REPORT_SCHEMA_H
#define RESULTS_REPORT_SCHEMA_H

#include "lib/buf.h"

void report_schema(struct buf *out);

#endif
