/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_machine - for tests: a machine made of small files in a directory.
 */
#ifndef TESTBED_FAKE_MACHINE_H
#define TESTBED_FAKE_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/path.h"

static char root[64];

static inline int enter(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/cipherwatt-machine-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static inline int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static inline void put_bytes(const char *path, const void *data, size_t len)
{
	char full[512], dir[512];
	struct fail f = { 0 };

	snprintf(full, sizeof(full), "%s%s", root, path);
	snprintf(dir, sizeof(dir), "%s", full);
	*strrchr(dir, '/') = '\0';
	assert_int_equal(path_make_dirs(dir, &f), 0);
	assert_int_equal(path_write(full, data, len, 0644, &f), 0);
}

static inline void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

#endif
