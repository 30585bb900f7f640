/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_test - what the tests of engines share: credentials kept in the build
 * directory, so that long RSA keys are made once, and a way to open a probe.
 */
#ifndef CIPHERS_ENGINE_TEST_H
#define CIPHERS_ENGINE_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ciphers/probe.h"

/* build/CONFIG/ciphers/x_test lies beside build/credentials. */
static inline const char *test_credential_dir(void)
{
	static char dir[PATH_BYTES];
	const char *slash = strrchr(program_invocation_name, '/');
	int len = slash ? (int)(slash - program_invocation_name) : 1;

	snprintf(dir, sizeof(dir), "%.*s/../../credentials", len,
		 slash ? program_invocation_name : ".");
	return dir;
}

/* NULL for plain. */
static inline const struct credential *test_credential(const struct suite *s)
{
	static struct credential made[32];
	size_t i = (size_t)(s->credential - credential_kinds);
	struct fail f = { 0 };

	if (suite_is_plain(s))
		return NULL;
	assert_true(i < sizeof(made) / sizeof(made[0]));
	if (!made[i].kind &&
	    credential_get(s->credential, test_credential_dir(), NULL, &made[i], &f))
		fail_msg("%s", f.text);
	return &made[i];
}

static inline struct suite test_suite(const char *text)
{
	struct suite s = { 0 };
	struct fail f = { 0 };

	if (suite_parse(text, &s, &f))
		fail_msg("%s", f.text);
	return s;
}

#endif
