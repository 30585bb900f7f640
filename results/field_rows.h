/* SPDX-License-Identifier: Apache-2.0 */
/* field_rows - the last members of a row of a field table, from a struct's member. */
#ifndef RESULTS_FIELD_ROWS_H
#define RESULTS_FIELD_ROWS_H

#include <stddef.h>

#define ROW_AT(type, member)    offsetof(struct type, member)
#define TEXT(type, member)      FIELD_TEXT, ROW_AT(type, member), sizeof(((struct type *)0)->member)
#define JSON(type, member)      FIELD_JSON, ROW_AT(type, member), sizeof(((struct type *)0)->member)
#define LONG_TEXT(type, member) FIELD_TEXT, ROW_AT(type, member), 0
#define LONG_JSON(type, member) FIELD_JSON, ROW_AT(type, member), 0
#define INT(type, member)       FIELD_INT, ROW_AT(type, member), 0
#define REAL(type, member)      FIELD_REAL, ROW_AT(type, member), 0
#define BOOL(type, member)      FIELD_BOOL, ROW_AT(type, member), 0
#define INTERVAL(type, member)  FIELD_INTERVAL, ROW_AT(type, member), 0
#define SIGNED(type, member)    FIELD_INTERVAL, ROW_AT(type, member), FIELD_SIGNED

#endif
