/* SPDX-License-Identifier: Apache-2.0 */
/* runner_place - names of databases, and looking through them. */
#include "testbed/runner_place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "results/store.h"

#define ENDING     ".db"
#define SAME_START 100 /* campaigns of one name begun within one second */

/* A campaign's name as part of a file's: letters, digits and dashes. */
static void file_word(const char *name, char *dst, size_t len)
{
	size_t n = 0;

	for (; name[n] && n + 1 < len; n++)
		dst[n] = isalnum((unsigned char)name[n]) ? name[n] : '-';
	dst[n] = '\0';
}

/* "2026-11-30T22:15:17Z" without what separates. */
static void stamp(char *dst, size_t len)
{
	char utc[CLOCK_UTC_BYTES];
	size_t n = 0;

	clock_utc(clock_wall_ns(), utc);
	for (size_t i = 0; utc[i] && n + 1 < len; i++)
		if (isalnum((unsigned char)utc[i]))
			dst[n++] = utc[i];
	dst[n] = '\0';
}

int runner_place_new(const char *campaign, char dst[PATH_BYTES], struct fail *f)
{
	char word[72], when[CLOCK_UTC_BYTES], name[160];

	file_word(campaign, word, sizeof(word));
	stamp(when, sizeof(when));
	for (int i = 1; i <= SAME_START; i++) {
		if (i == 1)
			snprintf(name, sizeof(name), "%s-%s" ENDING, word, when);
		else
			snprintf(name, sizeof(name), "%s-%s-%d" ENDING, word, when, i);
		if (path_place(PATH_DATA, name, dst, f))
			return -1;
		if (!path_exists(dst))
			return 0;
	}
	return fail_set(f, EEXIST, "%s and %d more like it are there already", dst, SAME_START);
}

static bool has_ending(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(ENDING) && !strcmp(name + len - strlen(ENDING), ENDING);
}

static bool holds(const char *path, const char *text, bool complete)
{
	struct fail ignored = { 0 };
	struct store *s = store_open(path, STORE_READ, &ignored);
	bool found = s && (complete ? store_complete_campaign_of(s, text, &ignored)
				    : store_unfinished_campaign(s, text, &ignored)) > 0;

	store_close(s);
	return found;
}

int runner_place_find(const char *campaign, const char *text, bool complete, char dst[PATH_BYTES],
		      struct fail *f)
{
	char dir[PATH_BYTES], prefix[80];
	struct dirent **names = NULL;
	int count, found = 0;

	file_word(campaign, prefix, sizeof(prefix) - 2);
	strcat(prefix, "-");
	if (path_place(PATH_DATA, NULL, dir, f))
		return -1;
	count = scandir(dir, &names, NULL, alphasort);
	if (count < 0)
		return fail_set(f, errno, "cannot look through %s: %s", dir, strerror(errno));
	for (int i = count - 1; i >= 0; i--) { /* the newest stands last */
		if (!found && !strncmp(names[i]->d_name, prefix, strlen(prefix)) &&
		    has_ending(names[i]->d_name) &&
		    snprintf(dst, PATH_BYTES, "%s/%s", dir, names[i]->d_name) < PATH_BYTES)
			found = holds(dst, text, complete);
		free(names[i]);
	}
	free(names);
	return found;
}

void runner_place_beside(const char *path, const char *ending, char dst[PATH_BYTES])
{
	size_t len = strlen(path);

	if (has_ending(path))
		len -= strlen(ENDING);
	snprintf(dst, PATH_BYTES, "%.*s%s", (int)len, path, ending);
}
