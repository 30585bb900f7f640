/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units - numbers with units, read strictly and written for people.
 *
 * The whole text must be one number and one unit; blanks, "+", a point without
 * digits on both sides, exponents (but for units_real), nan, inf, hexadecimal and
 * overflow are refused with what was expected; the value is then left alone.
 * The decimal point is a point in every locale, read and written.
 */
#ifndef LIB_UNITS_H
#define LIB_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/fail.h"

/*
 * "500ms", "5s", "1.5s", "2m" or "2min", "1h", "30us", "100ns", and a bare "0". Whole
 * nanoseconds, never rounded, never negative.
 */
int units_duration(const char *text, int64_t *ns, struct fail *f);

/* "512", "512B", "16KiB", "128kB", "1MiB", "1MB": k = 1000, Ki = 1024. Whole bytes, never negative.
 */
int units_bytes(const char *text, int64_t *bytes, struct fail *f);

/* A whole number between min and max. */
int units_integer(const char *text, int64_t min, int64_t max, int64_t *value, struct fail *f);

/* A finite real number with no unit: "0.5", "-2", "1e-3". */
int units_real(const char *text, double *value, struct fail *f);

/*
 * A quantity in `unit` ("A", "Ohm", "W", "V", "Hz"), with the prefixes n u m k M:
 * "2A", "500mA", "0.1Ohm", "100mOhm". A bare number is in the unit itself. May be
 * negative: whether that makes sense, the caller knows.
 */
int units_quantity(const char *text, const char *unit, double *value, struct fail *f);

/*
 * For people: "1.2 s", "85 ms", "3 min 20 s"; "512 B", "16 KiB" where it is whole in
 * powers of 1024, else "1.5 MB". 32 bytes hold any of them.
 */
void units_format_duration(int64_t ns, char *dst, size_t len);
void units_format_bytes(int64_t bytes, char *dst, size_t len);

/*
 * Three significant digits, or whole numbers from 1000 on, without an exponent:
 * "12345", "56.7", "0.0123", "5.00"; "-" for what is not finite.
 */
void units_format_real(double value, char *dst, size_t len);

#endif
