/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_drive - for the tests: a place for a database before each test or group, and what fails
 * the test where the store does.
 */
#ifndef RESULTS_STORE_DRIVE_H
#define RESULTS_STORE_DRIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/fixture_store.h"

static struct fixture_place here;

static inline int enter(void **state)
{
	(void)state;
	return fixture_enter(&here);
}

static inline int leave(void **state)
{
	(void)state;
	return fixture_leave(&here);
}

static inline struct store *open_or_fail(const char *path, enum store_mode mode)
{
	struct fail f = { 0 };
	struct store *s = store_open(path, mode, &f);

	if (!s)
		fail_msg("%s", f.text);
	return s;
}

static inline int64_t count_trials(struct store *s, int64_t cell)
{
	struct fail f = { 0 };
	int64_t count = fixture_count_trials(s, cell, &f);

	if (count < 0)
		fail_msg("%s", f.text);
	return count;
}

#endif
