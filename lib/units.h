/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units - numbers with units, read strictly and written for people.
 *
 * The whole text must be one number and one unit; leading or trailing blanks,
 * nan, inf, hexadecimal and overflow are refused with what was expected.
 * The decimal point is a point in every locale.
 */
#ifndef LIB_UNITS_H
#define LIB_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"

/* "500ms", "5s", "1.5s", "2m", "1h", "30us", "100ns", and a bare "0". Never negative. */
int units_duration(const char *text, int64_t *ns, struct fail *f);

/* "512", "512B", "16KiB", "128kB", "1MiB", "1MB": k = 1000, Ki = 1024. Whole bytes, never negative.
 */
int units_bytes(const char *text, int64_t *bytes, struct fail *f);

/* A whole number between min and max. */
int units_integer(const char *text, int64_t min, int64_t max, int64_t *value, struct fail *f);

/* A finite real number with no unit. */
int units_real(const char *text, double *value, struct fail *f);

/*
 * A quantity in `unit` ("A", "Ohm", "W", "V", "Hz"), with the prefixes n u m k M:
 * "2A", "500mA", "0.1Ohm", "100mOhm". A bare number is in the unit itself.
 */
int units_quantity(const char *text, const char *unit, double *value, struct fail *f);

/* For people: "1.2 s", "85 ms", "3 min 20 s"; "512 B", "16 KiB", "1.5 MB". */
void units_format_duration(int64_t ns, char *dst, size_t len);
void units_format_bytes(int64_t bytes, char *dst, size_t len);

/* Three or four significant digits without an exponent: "1234", "56.7", "0.0123". */
void units_format_real(double value, char *dst, size_t len);

#endif
