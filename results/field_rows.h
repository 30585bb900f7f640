/* SPDX-License-Identifier: Apache-2.0 */
/* field_rows - the last members of a row of a field table, from a struct's member. */
#ifndef RESULTS_FIELD_ROWS_H
#define RESULTS_FIELD_ROWS_H

#include <stddef.h>

#define ROW_AT(type, member)     .offset = offsetof(struct type, member)
#define ROW_OF(type, member)     ROW_AT(type, member), .size = sizeof(((struct type *)0)->member)
#define TEXT(type, member)       .kind = FIELD_TEXT, ROW_OF(type, member)
#define MAYBE_TEXT(type, member) TEXT(type, member), .flags = FIELD_MAY_BE_UNKNOWN
#define JSON(type, member)       .kind = FIELD_JSON, ROW_OF(type, member)
#define LONG_TEXT(type, member)  .kind = FIELD_TEXT, ROW_AT(type, member)
#define LONG_JSON(type, member)  .kind = FIELD_JSON, ROW_AT(type, member)
#define INT(type, member)        .kind = FIELD_INT, ROW_AT(type, member)
#define REAL(type, member)       .kind = FIELD_REAL, ROW_AT(type, member)
#define BOOL(type, member)       .kind = FIELD_BOOL, ROW_AT(type, member)
#define INTERVAL(type, member)   .kind = FIELD_INTERVAL, ROW_AT(type, member)
#define SIGNED(type, member)     INTERVAL(type, member), .flags = FIELD_SIGNED

#endif
