/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_number - numbers, units and times as people's logs write them.
 *
 * Decimal digits are kept as digits, so that an epoch time of nineteen of them loses nothing
 * and no locale is asked. Pure functions of text.
 */
#ifndef POWER_REPLAY_NUMBER_H
#define POWER_REPLAY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a column is about; its numbers become whole nanoseconds, nW, nV, nA, nJ or nC. */
enum replay_role {
	ROLE_NONE,
	ROLE_TIME,
	ROLE_DURATION,
	ROLE_POWER,
	ROLE_VOLTAGE,
	ROLE_CURRENT,
	ROLE_ENERGY,
	ROLE_CHARGE,
	ROLE_LABEL,
	ROLE_FLAGS,
	ROLES
};
extern const char *const role_name[];

/* value * multiplier * 10^power10 is in the role's nano unit. */
struct unit {
	const char *name;
	enum replay_role role;
	int multiplier, power10;
};

/* "mW", "Ws", "mAh", "Watts"; case counts only where it could be mega. NULL: none. */
const struct unit *unit_find(const char *text, size_t len);

/* digits * 10^exponent */
struct decimal {
	bool negative;
	uint64_t digits;
	int exponent;
};

/* The number at the start of text; how many bytes it took, 0: none there. */
size_t decimal_read(const char *text, size_t len, char point, struct decimal *d);
/* Rounded to the nearest; false: more than 64 bits. */
bool decimal_scale(const struct decimal *d, int multiplier, int power10, int64_t *out);
/* "", "nan", "inf", "-", "N/A": a value that is not there. */
bool decimal_missing(const char *text, size_t len);

/* A time with colons: "0:00:00.000263", "2025-9-3 7:5:4.7", "03-09-2025 07:05:04.123456". */
struct stamp {
	bool dated;       /* ns counts from the epoch, else from midnight or a start */
	bool unpadded;    /* a field of the date or the clock has one digit */
	int64_t whole_ns; /* without the fraction */
	struct decimal fraction;
	int fraction_digits;
};
bool stamp_read(const char *text, size_t len, struct stamp *s);
/* The fraction as written, or as milliseconds whose leading zeros were left out. */
int64_t stamp_ns(const struct stamp *s, bool fraction_is_ms);

#endif
