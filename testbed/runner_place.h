/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_place - where a campaign's database stands when nobody says so.
 *
 * In the user's data directory, named by campaign and UTC start, so that names sort by age.
 */
#ifndef TESTBED_RUNNER_PLACE_H
#define TESTBED_RUNNER_PLACE_H

#include "lib/fail.h"
#include "lib/path.h"

/* "DATA/quick-20261130T221517Z.db", a path that is not there yet. */
int runner_place_new(const char *campaign, char dst[PATH_BYTES], struct fail *f);

/*
 * The newest of this campaign's databases that holds an unfinished one, or a complete one, with
 * this text: 1 and the path, 0 none. Files that cannot be read are passed over. -1: failure.
 */
int runner_place_find(const char *campaign, const char *text, bool complete, char dst[PATH_BYTES],
		      struct fail *f);

/* The same path with another ending: "a/b.db" and ".html" give "a/b.html". */
void runner_place_beside(const char *path, const char *ending, char dst[PATH_BYTES]);

#endif
