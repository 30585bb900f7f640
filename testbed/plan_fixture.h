/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_fixture - campaigns written to a scratch directory and read, for the tests of the
 * plan; each test program has its own copy.
 */
#ifndef TESTBED_PLAN_FIXTURE_H
#define TESTBED_PLAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "testbed/plan.h"

#define P256 "tls1.3:AES128-GCM-SHA256:x25519:p256"
#define RSA  "tls1.3:AES128-GCM-SHA256:x25519:rsa2048"

static char dir[] = "/tmp/plan_test.XXXXXX";
static char file[64], other[64];

static inline int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/c.yaml", dir);
	snprintf(other, sizeof(other), "%s/t.yaml", dir);
	return 0;
}

static inline int remove_dir(void **state)
{
	(void)state;
	unlink(file);
	unlink(other);
	return rmdir(dir);
}

static inline void write_text(const char *path, const char *text)
{
	struct fail f = { 0 };

	assert_int_equal(path_write(path, text, strlen(text), 0600, &f), 0);
}

static inline int lines_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static inline struct plan read_text(const char *text, const char *testbed)
{
	struct buf errors;
	struct plan p;

	buf_init(&errors, 0);
	write_text(file, text);
	if (testbed)
		write_text(other, testbed);
	if (plan_read(&p, file, testbed ? other : NULL, &errors))
		fail_msg("%s", buf_text(&errors));
	assert_int_equal(errors.len, 0);
	buf_release(&errors);
	return p;
}

static inline const struct plan_cell *find_cell(const struct plan *p, const char *name)
{
	for (int i = 0; i < p->cells; i++)
		if (!strcmp(p->cell[i].cell.name, name))
			return &p->cell[i];
	fail_msg("no cell %s", name);
	return NULL;
}

static inline struct plan read_file(const char *path)
{
	struct buf errors;
	struct plan p;

	buf_init(&errors, 0);
	if (plan_read(&p, path, NULL, &errors))
		fail_msg("%s", buf_text(&errors));
	buf_release(&errors);
	return p;
}

/* A build may leave the engine out. */
static inline void need_openssl(void)
{
	if (!engine_by_name("openssl")) {
		print_message("skipped: this build has no engine openssl\n");
		skip();
	}
}

static inline struct plan read_for_openssl(const char *text)
{
	need_openssl();
	return read_text(text, NULL);
}

#endif
