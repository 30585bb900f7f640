/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail - why an object stopped working, kept inside the object.
 *
 * A fallible function returns 0 or -1.  On -1 the reason is in the struct fail
 * it was given.  The first reason wins: later ones are consequences.
 */
#ifndef LIB_FAIL_H
#define LIB_FAIL_H

struct fail {
	int code; /* errno value, 0 while all is well */
	char text[320];
};

/* Always returns -1, so that a function can end with `return fail_set(...)`. */
int fail_set(struct fail *f, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put "context: " in front of a reason that is already there.  Returns -1. */
int fail_within(struct fail *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void fail_clear(struct fail *f);

#endif
