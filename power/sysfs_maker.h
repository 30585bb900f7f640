/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs_maker - for tests: a tree of files in a temporary directory, and a meter that reads it.
 */
#ifndef POWER_SYSFS_MAKER_H
#define POWER_SYSFS_MAKER_H

#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "power/convert.h"
#include "power/sysfs.h"

static char root[] = "/tmp/cipherwatt-sysfs-XXXXXX";
static struct meter m;

static inline void path_of(const char *dir, const char *name, char *dst, size_t len)
{
	snprintf(dst, len, "%s/%s/%s", root, dir, name);
}

static inline void put(const char *dir, const char *name, const char *text)
{
	char path[512];
	struct fail f = { 0 };
	FILE *out;

	path_of(dir, "", path, sizeof path);
	assert_int_equal(path_make_dirs(path, &f), 0);
	path_of(dir, name, path, sizeof path);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "%s\n", text);
	fclose(out);
}

static inline void drop(const char *dir, const char *name)
{
	char path[512];

	path_of(dir, name, path, sizeof path);
	assert_int_equal(unlink(path), 0);
}

static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static inline int make_root(void **state)
{
	(void)state;
	strcpy(strrchr(root, '-'), "-XXXXXX");
	m = (struct meter){ 0 };
	return mkdtemp(root) == NULL || chmod(root, 0755) != 0;
}

static inline int remove_root(void **state)
{
	(void)state;
	meter_close(&m);
	return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static inline int try(const char *text)
{
	char full[256];

	meter_close(&m);
	snprintf(full, sizeof full, "%s,root=%s", text, root);
	return meter_open(&m, full);
}

static inline void opened(const char *text)
{
	if (try(text) != 0)
		fail_msg("%s", m.fail.text);
}

static inline void refused(const char *text, const char *word)
{
	if (try(text) == 0)
		fail_msg("%s was opened", text);
	if (strstr(m.fail.text, word) == NULL)
		fail_msg("%s: \"%s\" should say \"%s\"", text, m.fail.text, word);
}

static inline struct sample take(void)
{
	struct sample s;

	if (m.ops->read(&m, &s) != 0)
		fail_msg("%s", m.fail.text);
	return s;
}

static inline double milliwatts(void)
{
	struct sample s = take();
	struct convert c;
	int64_t nw;

	convert_init(&c, &m.facts);
	assert_true(convert_usable(&c, &s, &nw));
	return (double)nw / 1e6;
}

#endif
