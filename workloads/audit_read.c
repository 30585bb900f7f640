/* SPDX-License-Identifier: Apache-2.0 */
/* audit_read - what a log holds: every line checked, a torn end told from damage. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "workloads/audit_record.h"

#define CHECKSUM_DIGITS 8
#define LINE_BYTES      (AUDIT_RECORD_BYTES + 1)

uint32_t audit_checksum(const char *text, size_t len)
{
	return (uint32_t)crc32(crc32(0, NULL, 0), (const unsigned char *)text, (unsigned)len);
}

/* Right, and of this number; without its line end. */
static bool is_record(const char *line, size_t len, int64_t number)
{
	char begin[40];
	int n;

	if (len < CHECKSUM_DIGITS + 1 || line[CHECKSUM_DIGITS] != '\t')
		return false;
	n = snprintf(begin, sizeof begin, "%08" PRIx32 "\t%" PRId64 "\t",
		     audit_checksum(line + CHECKSUM_DIGITS, len - CHECKSUM_DIGITS), number);
	return len > (size_t)n && memcmp(line, begin, (size_t)n) == 0;
}

/* Reads in blocks what may be larger than memory. */
struct reading {
	int fd;
	char block[AUDIT_BUFFER_BYTES];
	size_t at, len;
	char line[LINE_BYTES + 1]; /* ends with NUL */
	size_t line_len;           /* with its line end */
	bool whole;                /* it has one, and fits */
};

/* 1: a line, whole or the last bytes of the file. 0: the end. -1: errno. */
static int next_line(struct reading *r)
{
	r->line_len = 0;
	r->whole = false;
	for (;;) {
		if (r->at == r->len) {
			ssize_t got = read(r->fd, r->block, sizeof r->block);

			if (got < 0)
				return -1;
			if (got == 0)
				return r->line_len > 0;
			r->at = 0;
			r->len = (size_t)got;
		}
		if (r->line_len < LINE_BYTES)
			r->line[r->line_len] = r->block[r->at];
		r->line_len++;
		r->line[r->line_len < LINE_BYTES ? r->line_len : LINE_BYTES] = '\0';
		if (r->block[r->at++] == '\n') {
			r->whole = r->line_len <= LINE_BYTES;
			return 1;
		}
	}
}

/*
 * Lines behind the last good one, while none of them is a good record of any number: the torn
 * end, which may hold a line end of what was there before.
 */
static int read_torn(struct reading *r, int64_t line, struct audit_found *found, struct fail *f)
{
	int64_t bad_line = line;
	int more;

	do {
		int64_t number;

		if (r->whole && line > bad_line && r->line_len > CHECKSUM_DIGITS &&
		    sscanf(r->line + CHECKSUM_DIGITS, "\t%" SCNd64 "\t", &number) == 1 &&
		    is_record(r->line, r->line_len - 1, number))
			return fail_set(f, EBADMSG,
					"line %" PRId64
					" is damaged and good records follow: move the "
					"file away, what it says is no longer sure",
					bad_line);
		found->torn_bytes += (int64_t)r->line_len;
		line++;
		more = next_line(r);
	} while (more > 0);
	return more < 0 ? fail_set(f, errno, "cannot be read: %s", strerror(errno)) : 0;
}

static int read_records(struct reading *r, struct audit_found *found, struct fail *f)
{
	int more;

	while ((more = next_line(r)) > 0) {
		if (!r->whole || !is_record(r->line, r->line_len - 1, found->records + 1))
			return read_torn(r, found->records + 2, found, f);
		found->records++;
	}
	return more < 0 ? fail_set(f, errno, "cannot be read: %s", strerror(errno)) : 0;
}

int audit_read(int fd, struct audit_found *found, struct fail *f)
{
	struct reading *r = calloc(1, sizeof *r);
	const size_t head = sizeof AUDIT_HEAD - 1;
	int status = -1;

	*found = (struct audit_found){ 0 };
	if (!r)
		return fail_set(f, ENOMEM, "no memory to read it");
	r->fd = fd;
	if (next_line(r) < 0)
		fail_set(f, errno, "cannot be read: %s", strerror(errno));
	else if (r->line_len > head || memcmp(r->line, AUDIT_HEAD, r->line_len) != 0)
		fail_set(f, EBADMSG, "is no audit log: expected \"%.*s\" as its first line",
			 (int)head - 1, AUDIT_HEAD);
	else if (r->line_len < head) /* empty, or torn when it was made */
		status = (found->torn_bytes = (int64_t)r->line_len, 0);
	else
		status = read_records(r, found, f);
	free(r);
	return status;
}

int audit_check(const char *file, struct audit_found *found, struct fail *f)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), status;

	if (fd < 0)
		return fail_set(f, errno, "%s: %s", file, strerror(errno));
	status = audit_read(fd, found, f);
	close(fd);
	return status == 0 ? 0 : fail_within(f, "%s", file);
}
