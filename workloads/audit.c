/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit - records of all threads into one file. Who needs the disk first writes for all who
 * wait (a leader); the others sleep until their number is on it.
 */
#include "workloads/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/path.h"
#include "workloads/audit_record.h"

struct audit {
	int fd;
	enum access_durability durability;
	int64_t batch_ns;
	pthread_mutex_t lock;
	pthread_cond_t moved;  /* something was written, or failed */
	pthread_cond_t filled; /* to the flusher: a batch begins, or all is over */
	struct buf filling, leaving;
	int64_t batch_began_ns; /* when the first record came into filling */
	int64_t added, durable; /* numbers of records */
	int64_t file_bytes;     /* good ones, on the disk or given to the kernel */
	int64_t syncs;
	bool writing; /* a leader is at the disk */
	bool closing;
	bool flushes; /* the thread of ACCESS_BATCHED runs */
	pthread_t flusher;
	struct fail fail; /* sticky */
};

/* --- the disk ------------------------------------------------------------------- */

/* Nothing half written stays behind good records. */
static void give_up(struct audit *a, int code)
{
	fail_set(&a->fail, code, "the audit log cannot be written: %s",
		 code == ENOENT ? "somebody has deleted it" : strerror(code));
	if (ftruncate(a->fd, a->file_bytes) != 0)
		fail_within(&a->fail, "it may end in half a record");
	log_say(LOG_WARNING, "%s; nothing is decided any more, until a new start", a->fail.text);
}

/* One that has no name any more is lost when it is closed. -1: errno. */
static int has_name(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	errno = ENOENT;
	return st.st_nlink ? 0 : -1;
}

/*
 * With the lock held, which is let go while the disk works: everything added until now is
 * written, and is on the disk if sync. Afterwards another may lead.
 */
static void lead(struct audit *a, bool sync)
{
	int64_t until = a->added;
	struct buf given = a->leaving;
	int code = 0;

	a->leaving = a->filling;
	a->filling = given;
	buf_clear(&a->filling);
	a->writing = true;
	pthread_mutex_unlock(&a->lock);
	if (path_write_all(a->fd, a->leaving.data, a->leaving.len) != 0 ||
	    (sync && fdatasync(a->fd) != 0) || has_name(a->fd) != 0)
		code = errno;
	pthread_mutex_lock(&a->lock);
	a->writing = false;
	a->syncs += sync;
	if (code) {
		give_up(a, code);
	} else {
		a->file_bytes += (int64_t)a->leaving.len;
		a->durable = until;
	}
	pthread_cond_broadcast(&a->moved);
}

/* Until this number is written; with the lock held. */
static void await(struct audit *a, int64_t number, bool sync)
{
	while (a->durable < number && !a->fail.code)
		if (a->writing)
			pthread_cond_wait(&a->moved, &a->lock);
		else
			lead(a, sync);
}

/* --- batches -------------------------------------------------------------------- */

static struct timespec timespec_of(int64_t at_ns)
{
	return (struct timespec){ .tv_sec = (time_t)(at_ns / NS_PER_S),
				  .tv_nsec = (long)(at_ns % NS_PER_S) };
}

/* From the first record of a batch batch_ns pass, then it is written. */
static void *flush_batches(void *data)
{
	struct audit *a = data;

	pthread_mutex_lock(&a->lock);
	while (!a->closing && !a->fail.code) {
		struct timespec until;

		if (a->filling.len == 0) {
			pthread_cond_wait(&a->filled, &a->lock);
			continue;
		}
		until = timespec_of(a->batch_began_ns + a->batch_ns);
		while (!a->closing &&
		       pthread_cond_timedwait(&a->filled, &a->lock, &until) != ETIMEDOUT)
			;
		await(a, a->added, true);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* --- opening -------------------------------------------------------------------- */

static int settle(struct audit *a, const char *file, const struct audit_found *found)
{
	struct stat st;

	if (fstat(a->fd, &st) != 0)
		return -1;
	a->added = a->durable = found->records;
	a->file_bytes = st.st_size - found->torn_bytes;
	if (found->torn_bytes && ftruncate(a->fd, a->file_bytes) != 0)
		return -1;
	if (a->file_bytes == 0) {
		if (path_write_all(a->fd, AUDIT_HEAD, sizeof AUDIT_HEAD - 1) != 0 ||
		    path_sync_directory_of(file) != 0)
			return -1;
		a->file_bytes = sizeof AUDIT_HEAD - 1;
	}
	return fsync(a->fd);
}

static int open_file(struct audit *a, const char *file, struct audit_found *found, struct fail *f)
{
	struct stat st;

	a->fd = open(file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (a->fd < 0)
		return fail_set(f, errno, "cannot be opened: %s", strerror(errno));
	/* A device such as /dev/full would be read for ever. */
	if (fstat(a->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return fail_set(f, EINVAL, "is no regular file: an audit log is one");
	if (flock(a->fd, LOCK_EX | LOCK_NB) != 0)
		return fail_set(f, errno, "another process writes to it: end that one first");
	if (audit_read(a->fd, found, f) != 0)
		return -1;
	if (settle(a, file, found) != 0)
		return fail_set(f, errno, "cannot be written: %s", strerror(errno));
	return 0;
}

static int start(struct audit *a, struct fail *f)
{
	pthread_condattr_t monotonic;
	int code = 0;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->moved, NULL);
	pthread_cond_init(&a->filled, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (a->durability == ACCESS_BATCHED)
		code = pthread_create(&a->flusher, NULL, flush_batches, a);
	a->flushes = a->durability == ACCESS_BATCHED && code == 0;
	return code ? fail_set(f, code, "no thread for its batches: %s", strerror(code)) : 0;
}

static void release(struct audit *a)
{
	if (a->fd >= 0)
		close(a->fd);
	buf_release(&a->filling);
	buf_release(&a->leaving);
	free(a);
}

struct audit *audit_open(const char *file, enum access_durability d, int64_t batch_ns,
			 struct audit_found *found, struct fail *f)
{
	struct audit *a = calloc(1, sizeof *a);

	if (!a) {
		fail_set(f, ENOMEM, "no memory for the audit log");
		return NULL;
	}
	a->durability = d;
	a->batch_ns = batch_ns ? batch_ns : ACCESS_BATCH_NS;
	if (open_file(a, file, found, f) == 0 && start(a, f) == 0)
		return a;
	fail_within(f, "audit log %s", file);
	release(a);
	return NULL;
}

int audit_close(struct audit *a, struct fail *f)
{
	int status = 0;

	pthread_mutex_lock(&a->lock);
	a->closing = true;
	pthread_cond_signal(&a->filled);
	pthread_mutex_unlock(&a->lock);
	if (a->flushes)
		pthread_join(a->flusher, NULL);
	pthread_mutex_lock(&a->lock);
	await(a, a->added, a->durability != ACCESS_NONE);
	pthread_mutex_unlock(&a->lock);
	if (a->fail.code)
		status = fail_set(f, a->fail.code, "%s", a->fail.text);
	pthread_cond_destroy(&a->filled);
	pthread_cond_destroy(&a->moved);
	pthread_mutex_destroy(&a->lock);
	release(a);
	return status;
}

/* --- adding --------------------------------------------------------------------- */

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

/* The record's line into the buffer, under its number. */
static void put(struct audit *a, const struct audit_record *r)
{
	char line[AUDIT_RECORD_BYTES];
	int len = snprintf(line, sizeof line,
			   "\t%" PRId64 "\t%" PRId64 "\t%s\t%s\t%s\t%s\t%s\t%" PRId64, a->added + 1,
			   r->utc_ns, r->decision, r->reason, or_dash(r->who), or_dash(r->where),
			   or_dash(r->rule), r->latency_ns);

	if (len >= (int)sizeof line - 16)
		len = (int)sizeof line - 16;
	buf_printf(&a->filling, "%08" PRIx32 "%.*s\n", audit_checksum(line, (size_t)len), len,
		   line);
	if (a->filling.failed)
		fail_set(&a->fail, ENOMEM, "no memory for the audit log");
	else
		a->added++;
}

/* What the durability asks of this record before its answer may leave. */
static void promise(struct audit *a, int64_t number, bool begins_batch)
{
	switch (a->durability) {
	case ACCESS_EACH:
		await(a, number, true);
		break;
	case ACCESS_BATCHED:
		if (a->filling.len >= AUDIT_BUFFER_BYTES)
			await(a, number, true);
		else if (begins_batch)
			pthread_cond_signal(&a->filled);
		break;
	default:
		if (a->filling.len >= AUDIT_BUFFER_BYTES)
			await(a, number, false);
	}
}

int audit_add(struct audit *a, const struct audit_record *r, struct fail *f)
{
	bool begins_batch;
	int status = 0;

	pthread_mutex_lock(&a->lock);
	begins_batch = a->filling.len == 0;
	if (begins_batch)
		a->batch_began_ns = clock_ns();
	if (!a->fail.code)
		put(a, r);
	if (!a->fail.code)
		promise(a, a->added, begins_batch);
	if (a->fail.code)
		status = fail_set(f, a->fail.code, "%s", a->fail.text);
	pthread_mutex_unlock(&a->lock);
	return status;
}

int64_t audit_durable(struct audit *a)
{
	int64_t durable;

	pthread_mutex_lock(&a->lock);
	durable = a->durable;
	pthread_mutex_unlock(&a->lock);
	return durable;
}

int64_t audit_syncs(struct audit *a)
{
	int64_t syncs;

	pthread_mutex_lock(&a->lock);
	syncs = a->syncs;
	pthread_mutex_unlock(&a->lock);
	return syncs;
}
