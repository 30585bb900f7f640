/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_write - a file replaced in one step: write beside it, fsync, rename, fsync
 * the directory.
 *
 * A device or a pipe has no old content to keep and must not be replaced by a
 * file (think of /dev/stdout), so it is written straight.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/path.h"

int path_write_all(int fd, const void *src, size_t len)
{
	const char *at = src;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int path_sync_directory_of(const char *path)
{
	char dir[PATH_BYTES];
	char *slash;
	int fd, status;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (!slash)
		snprintf(dir, sizeof(dir), ".");
	else
		slash[slash == dir] = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	status = fsync(fd);
	if (status && errno == EINVAL) /* a file system that has no such thing */
		status = 0;
	close(fd);
	return status;
}

static int fill(const char *path, int flags, const void *src, size_t len, unsigned mode, bool sync)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, (mode_t)mode);
	int status, kept_errno;

	if (fd < 0)
		return -1;
	status = path_write_all(fd, src, len);
	if (!status && sync)
		status = fsync(fd);
	kept_errno = errno;
	if (close(fd) && !status)
		return -1;
	errno = kept_errno;
	return status;
}

static int replace(const char *path, const void *src, size_t len, unsigned mode)
{
	static atomic_uint counter;
	char beside[PATH_BYTES];
	int kept_errno;

	if (snprintf(beside, sizeof(beside), "%s.%ld-%u.new", path, (long)getpid(), counter++) >=
	    (int)sizeof(beside)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!fill(beside, O_CREAT | O_EXCL, src, len, mode, true) && !rename(beside, path))
		return path_sync_directory_of(path);
	kept_errno = errno;
	if (kept_errno != EEXIST) /* then it is not ours */
		unlink(beside);
	errno = kept_errno;
	return -1;
}

int path_write(const char *path, const void *src, size_t len, unsigned mode, struct fail *f)
{
	char *target = realpath(path, NULL); /* so that a symbolic link stays one */
	const char *to = target ? target : path;
	struct stat st;
	int status;

	if (!stat(to, &st) && !S_ISREG(st.st_mode))
		status = fill(to, 0, src, len, mode, false);
	else
		status = replace(to, src, len, mode);
	if (status)
		fail_set(f, errno, "cannot write %s: %s", path, strerror(errno));
	free(target);
	return status;
}
