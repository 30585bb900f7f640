/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_inspect - is this file a database of ours? Answered from its first bytes,
 * so that a file that is not is never opened by the database library.
 *
 * Offsets are of "The Database Header" in SQLite's file format: 16 page size, 24 and
 * 92 change counters, 28 pages, 60 user version, 68 application id; big-endian.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/store_db.h"

#define HEADER_BYTES 100

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

int store_check_version(const char *path, int64_t version, struct fail *f)
{
	if (version > STORE_SCHEMA)
		return fail_set(f, EPROTO,
				"%s: written with schema version %" PRId64
				", this program reads versions up to %d; use a newer cipherwatt",
				path, version, STORE_SCHEMA);
	if (version < 1)
		return fail_set(f, EBADMSG,
				"%s: not a cipherwatt database or damaged: schema version %" PRId64,
				path, version);
	return 0;
}

bool store_has_log(const char *path)
{
	char log[PATH_BYTES + 8];
	struct stat st;

	snprintf(log, sizeof(log), "%s-wal", path);
	return stat(log, &st) == 0 && st.st_size > 0;
}

static int check_size(const char *path, const uint8_t *header, int64_t size, struct fail *f)
{
	int64_t page = header[16] << 8 | header[17];
	int64_t pages = be32(header + 28);
	bool counted = be32(header + 24) == be32(header + 92);

	page = page == 1 ? 65536 : page;
	if (!counted || store_has_log(path) || size >= page * pages)
		return 0;
	return fail_set(f, EBADMSG,
			"%s: not a cipherwatt database or damaged: it is cut off, %" PRId64
			" of %" PRId64 " bytes are there",
			path, size, page * pages);
}

static int check_header(const char *path, const uint8_t *header, ssize_t got, int64_t size,
			struct fail *f)
{
	static const char magic[16] = "SQLite format 3";

	if (got < HEADER_BYTES || memcmp(header, magic, sizeof(magic)) != 0)
		return fail_set(f, EBADMSG,
				"%s: not a cipherwatt database or damaged: it does not begin like "
				"one",
				path);
	if (be32(header + 68) != STORE_APPLICATION_ID)
		return fail_set(f, EBADMSG,
				"%s: a database of another program (application id 0x%08" PRIx32
				", expected 0x%08x)",
				path, be32(header + 68), STORE_APPLICATION_ID);
	if (store_check_version(path, be32(header + 60), f) < 0)
		return -1;
	return check_size(path, header, size, f);
}

static int inspect(int fd, const char *path, enum store_mode mode, struct fail *f)
{
	uint8_t header[HEADER_BYTES];
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) < 0)
		return fail_set(f, errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail_set(f, EINVAL, "%s: not a regular file; a database is one", path);
	if (st.st_size == 0 && mode == STORE_WRITE)
		return 1;
	if (st.st_size == 0)
		return fail_set(f, ENODATA, "%s: empty, it holds no campaign", path);
	got = pread(fd, header, sizeof(header), 0);
	if (got < 0)
		return fail_set(f, errno, "%s: %s", path, strerror(errno));
	return check_header(path, header, got, st.st_size, f);
}

int store_inspect(const char *path, enum store_mode mode, struct fail *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int status;

	if (fd < 0 && errno == ENOENT && mode == STORE_WRITE)
		return 1;
	if (fd < 0)
		return fail_set(f, errno, "%s: %s", path, strerror(errno));
	status = inspect(fd, path, mode, f);
	close(fd);
	return status;
}
