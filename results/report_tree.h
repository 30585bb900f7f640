/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_tree - records as JSON trees by the field tables: dotted names are paths, unknown is
 * null. For the formats and commands that write JSON.
 */
#ifndef RESULTS_REPORT_TREE_H
#define RESULTS_REPORT_TREE_H

#include <jansson.h>

#include "lib/buf.h"
#include "results/record.h"

/* A new reference; NULL: no memory. */
json_t *report_tree(const struct field_part *parts, const void *record);
json_t *report_tree_interval(const struct interval *i);
json_t *report_tree_number(double value); /* null where not finite */
/* What is not UTF-8 loses what is not ASCII. */
json_t *report_tree_text(const char *value);

/* Writes and takes the tree; compact: on one line. A NULL tree makes out failed. */
void report_tree_put(struct buf *out, json_t *tree, bool compact);

#endif
