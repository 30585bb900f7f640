/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_fixture - a file in a directory of its own, and one error expected at its place. For
 * yaml*_test.c only.
 */
#ifndef LIB_YAML_FIXTURE_H
#define LIB_YAML_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/path.h"
#include "lib/yaml.h"

static char dir[] = "/tmp/yaml_test.XXXXXX";
static char file[64];

static inline int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/f.yaml", dir);
	return 0;
}

static inline int remove_dir(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

static inline void write_bytes(const void *bytes, size_t len)
{
	struct fail f = { 0 };

	assert_int_equal(path_write(file, bytes, len, 0600, &f), 0);
}

static inline int open_text(struct yaml *y, const char *text)
{
	write_bytes(text, strlen(text));
	return yaml_open(y, file);
}

/* The report must be exactly one error at this place with this word in it. */
static inline void expect_error(struct yaml *y, int line, int column, const char *word)
{
	struct buf out;
	char place[128];

	buf_init(&out, 0);
	assert_int_equal(yaml_report(y, &out), -1);
	if (line)
		snprintf(place, sizeof(place), "%s:%d:%d: ", file, line, column);
	else
		snprintf(place, sizeof(place), "%s: ", file);
	if (y->errors != 1 || strncmp(buf_text(&out), place, strlen(place)) ||
	    !strstr(buf_text(&out), word))
		fail_msg("expected one error at %s with \"%s\", got:\n%s", place, word,
			 buf_text(&out));
	buf_release(&out);
}

#endif
