/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - places, directories, whole files.
 *
 * A write becomes visible by rename(), after the data are on the disk; a crash or
 * a full disk leaves the old file.  Knows nothing of what the files mean.
 */
#include "lib/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES 65536

static int make_dir(const char *path, mode_t mode, struct fail *f)
{
	struct stat st;

	if (!mkdir(path, mode))
		return 0;
	if (errno == EEXIST && !stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	return fail_set(f, errno, "cannot make the directory %s: %s", path, strerror(errno));
}

/* Every directory that ends at a '/', and the whole path too when `all`. */
static int make_dirs(const char *path, mode_t mode, bool all, struct fail *f)
{
	char part[PATH_BYTES];
	size_t len = strlen(path);

	if (!len || len >= sizeof(part))
		return fail_set(f, len ? ENAMETOOLONG : EINVAL,
				"a path of %zu bytes: 1 to %d expected", len, PATH_BYTES - 1);
	for (size_t i = 1; i < len; i++) {
		if (path[i] != '/' || path[i - 1] == '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (make_dir(part, mode, f))
			return -1;
	}
	return all ? make_dir(path, mode, f) : 0;
}

int path_make_dirs(const char *path, struct fail *f)
{
	return make_dirs(path, 0777, true, f);
}

static const struct {
	const char *variable, *under_home;
} places[] = {
	[PATH_DATA] = { "XDG_DATA_HOME", ".local/share" },
	[PATH_CACHE] = { "XDG_CACHE_HOME", ".cache" },
	[PATH_STATE] = { "XDG_STATE_HOME", ".local/state" },
};

int path_place(enum path_place place, const char *name, char dst[PATH_BYTES], struct fail *f)
{
	const char *base = getenv(places[place].variable), *home = getenv("HOME");
	const char *slash = name ? "/" : "", *under = "", *between = "";
	int len;

	if (!base || base[0] != '/') {
		if (!home || home[0] != '/')
			return fail_set(f, ENOENT,
					"no place for files: set HOME or %s to an absolute path",
					places[place].variable);
		base = home;
		between = "/";
		under = places[place].under_home;
	}
	len = snprintf(dst, PATH_BYTES, "%s%s%s/cipherwatt%s%s", base, between, under, slash,
		       name ? name : "");
	if (len >= PATH_BYTES)
		return fail_set(f, ENAMETOOLONG, "the path under %s is longer than %d bytes", base,
				PATH_BYTES - 1);
	return make_dirs(dst, 0700, !name, f);
}

bool path_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

/* The directory as it really is called, and the name in it. */
static bool real_place(const char *path, char dst[2 * PATH_BYTES])
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char above[PATH_BYTES], real[PATH_MAX];

	snprintf(above, sizeof(above), "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
	if (!realpath(above, real))
		return false;
	snprintf(dst, 2 * PATH_BYTES, "%s/%s", real, name);
	return true;
}

bool path_same(const char *a, const char *b)
{
	char place[2 * PATH_BYTES], other[2 * PATH_BYTES];
	struct stat x, y;

	if (!stat(a, &x) && !stat(b, &y))
		return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	return real_place(a, place) && real_place(b, other) && !strcmp(place, other);
}

static int read_all(int fd, const char *path, size_t max, struct buf *out, struct fail *f)
{
	size_t before = out->len;

	for (;;) {
		char *room = buf_reserve(out, READ_BYTES);
		ssize_t n;

		if (!room)
			return fail_set(f, ENOMEM, "no room for the content of %s", path);
		n = read(fd, room, READ_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_set(f, errno, "cannot read %s: %s", path, strerror(errno));
		if (!n)
			return 0;
		out->len += (size_t)n;
		if (out->len - before > max)
			return fail_set(f, EFBIG, "%s is longer than the limit of %zu bytes", path,
					max);
	}
}

int path_read(const char *path, size_t max, struct buf *out, struct fail *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), status;
	size_t before = out->len;

	if (fd < 0)
		return fail_set(f, errno, "cannot open %s: %s", path, strerror(errno));
	status = read_all(fd, path, max, out, f);
	if (status)
		out->len = before;
	close(fd);
	return status;
}
