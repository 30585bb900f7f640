/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_claim - is a run writing to this database? Looked up in the kernel's list of locks, so
 * that asking takes none: a run that begins at this instant is not refused by who watches.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "results/store.h"

/*
 * "1: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF"; "1: -> FLOCK ..." is one that waits. The
 * device is not compared: some file systems show another there than stat() does.
 */
static bool is_claim(const char *line, unsigned long long inode)
{
	char kind[16], mode[16];
	unsigned long long number;

	return sscanf(line, "%*d: %15s %*s %15s %*d %*x:%*x:%llu", kind, mode, &number) == 3 &&
	       !strcmp(kind, "FLOCK") && !strcmp(mode, "WRITE") && number == inode;
}

int store_claimed(const char *path)
{
	char line[256];
	struct stat st;
	FILE *locks;
	int found = 0;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : -1;
	locks = fopen("/proc/locks", "re");
	if (!locks)
		return -1;
	while (!found && fgets(line, sizeof(line), locks))
		found = is_claim(line, st.st_ino);
	fclose(locks);
	return found;
}
