/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit_test - records counted and found again, torn ends cut at every byte, damage refused,
 * threads that share a sync, a writer that is killed, a full disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "workloads/audit.h"

#define THREADS 4
#define EACH    200

static char dir[] = "/tmp/audit_test.XXXXXX";
static char file[64];

static int disk_syncs; /* the disk has been asked to keep what it has */
static bool disk_broken;

/* Instead of the C library's, so that it is seen, and can fail. */
int fdatasync(int fd)
{
	__atomic_add_fetch(&disk_syncs, 1, __ATOMIC_RELAXED);
	if (disk_broken) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof file, "%s/log", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

static int no_file(void **state)
{
	(void)state;
	unlink(file);
	return 0;
}

static struct audit *open_log(enum access_durability d, int64_t batch_ns, struct audit_found *found)
{
	struct fail f = { 0 };
	struct audit *a = audit_open(file, d, batch_ns, found, &f);

	if (!a)
		fail_msg("%s", f.text);
	return a;
}

static void close_log(struct audit *a)
{
	struct fail f = { 0 };

	if (audit_close(a, &f) != 0)
		fail_msg("%s", f.text);
}

static int add(struct audit *a, const char *who)
{
	struct fail f = { 0 };
	struct audit_record r = { .utc_ns = 1,
				  .latency_ns = 2,
				  .decision = "permit",
				  .reason = "rule",
				  .who = who,
				  .where = "P0001",
				  .rule = "" };

	return audit_add(a, &r, &f);
}

static int64_t count(void)
{
	struct audit_found found;
	struct fail f = { 0 };

	if (audit_check(file, &found, &f) != 0)
		fail_msg("%s", f.text);
	assert_int_equal(found.torn_bytes, 0);
	return found.records;
}

static void goes_on(void **state)
{
	struct audit_found found;
	struct buf text = { 0 };
	struct fail f = { 0 };

	(void)state;
	for (int d = ACCESS_NONE; d < ACCESS_DURABILITIES; d++) {
		struct audit *a = open_log(d, 0, &found);

		assert_int_equal(found.records, 2 * d);
		assert_int_equal(add(a, "U1"), 0);
		assert_int_equal(add(a, "U2"), 0);
		close_log(a);
		assert_int_equal(count(), 2 * d + 2);
	}
	assert_int_equal(path_read(file, 4096, &text, &f), 0);
	assert_memory_equal(text.data, AUDIT_HEAD, sizeof AUDIT_HEAD - 1);
	assert_non_null(strstr(buf_text(&text), "\t6\t1\tpermit\trule\tU2\tP0001\t-\t2\n"));
	buf_release(&text);
}

/* Whatever byte a write ended at: the records before are there, the rest is cut. */
static void torn_ends(void **state)
{
	struct audit_found found;
	struct buf text = { 0 };
	struct fail f = { 0 };
	struct audit *a = open_log(ACCESS_NONE, 0, &found);
	size_t last;

	(void)state;
	add(a, "U1");
	add(a, "U2");
	close_log(a);
	assert_int_equal(path_read(file, 4096, &text, &f), 0);
	last = text.len - 1;
	while (text.data[last - 1] != '\n')
		last--;
	for (size_t len = 0; len <= text.len; len++) {
		int64_t whole = len == text.len ? 2 : len >= last ? 1 : 0;

		assert_int_equal(path_write(file, text.data, len, 0600, &f), 0);
		a = open_log(ACCESS_EACH, 0, &found);
		assert_int_equal(found.records, whole);
		assert_int_equal(add(a, "U3"), 0);
		close_log(a);
		assert_int_equal(count(), whole + 1);
	}
	buf_release(&text);
}

static void refuse(const struct buf *text, const char *word)
{
	struct audit_found found;
	struct fail f = { 0 };

	assert_int_equal(path_write(file, text->data, text->len, 0600, &f), 0);
	assert_null(audit_open(file, ACCESS_NONE, 0, &found, &f));
	if (!strstr(f.text, word) || !strstr(f.text, file))
		fail_msg("\"%s\" says nothing of \"%s\"", f.text, word);
}

static void damage(void **state)
{
	struct audit_found found;
	struct buf text = { 0 };
	struct fail f = { 0 };
	struct audit *a = open_log(ACCESS_NONE, 0, &found);
	char *second;

	(void)state;
	for (int i = 0; i < 4; i++)
		add(a, "U1");
	close_log(a);
	assert_int_equal(path_read(file, 4096, &text, &f), 0);
	second = strstr(buf_text(&text), "\t2\t1\t");
	second[1] = '7';
	refuse(&text, "line 3 is damaged");
	second[1] = '2';
	second[12] ^= 1;
	refuse(&text, "line 3 is damaged");
	text.data[0] = 'C';
	refuse(&text, "is no audit log");
	buf_release(&text);
}

static void one_writer(void **state)
{
	struct audit_found found;
	struct fail f = { 0 };
	struct audit *a = open_log(ACCESS_NONE, 0, &found);

	(void)state;
	assert_null(audit_open(file, ACCESS_NONE, 0, &found, &f));
	assert_non_null(strstr(f.text, "another process"));
	close_log(a);
}

/* It would be read without end. */
static void a_device_is_refused(void **state)
{
	struct audit_found found;
	struct fail f = { 0 };

	(void)state;
	alarm(10);
	assert_null(audit_open("/dev/full", ACCESS_NONE, 0, &found, &f));
	alarm(0);
	assert_non_null(strstr(f.text, "/dev/full: is no regular file"));
}

static void *add_many(void *data)
{
	for (int i = 0; i < EACH; i++)
		if (add(data, "U1") != 0)
			return data;
	return NULL;
}

static void threads_share(void **state)
{
	struct audit_found found;
	struct audit *a = open_log(ACCESS_EACH, 0, &found);
	pthread_t thread[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, add_many, a), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(audit_durable(a), THREADS * EACH);
	assert_in_range(audit_syncs(a), 1, THREADS * EACH);
	close_log(a);
	assert_int_equal(count(), THREADS * EACH);
}

/* Before the answer may leave, of each record; and never where nothing is promised. */
static void each_is_synced(void **state)
{
	struct audit_found found;
	struct audit *a = open_log(ACCESS_EACH, 0, &found);

	(void)state;
	disk_syncs = 0;
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(add(a, "U1"), 0);
		assert_int_equal(disk_syncs, i);
	}
	close_log(a);
	a = open_log(ACCESS_NONE, 0, &found);
	assert_int_equal(add(a, "U1"), 0);
	close_log(a);
	assert_int_equal(disk_syncs, 5);
}

/* What a disk did not keep was never recorded, and nothing is again. */
static void broken_disk(void **state)
{
	struct audit_found found;
	struct fail f = { 0 };
	struct audit *a = open_log(ACCESS_EACH, 0, &found);

	(void)state;
	assert_int_equal(add(a, "U1"), 0);
	disk_broken = true;
	assert_int_equal(add(a, "U2"), -1);
	disk_broken = false;
	assert_int_equal(add(a, "U3"), -1);
	assert_int_equal(audit_close(a, &f), -1);
	assert_int_equal(count(), 1);
}

/* Without anybody's help: the batch is on the disk some time later. */
static void batches(void **state)
{
	struct audit_found found;
	struct audit *a = open_log(ACCESS_BATCHED, NS_PER_MS, &found);
	int64_t give_up_ns = clock_ns() + 20 * NS_PER_S;

	(void)state;
	for (int round = 1; round <= 3; round++) {
		for (int i = 0; i < 10; i++)
			assert_int_equal(add(a, "U1"), 0);
		while (audit_durable(a) < 10 * round && clock_ns() < give_up_ns)
			clock_sleep_until(clock_ns() + NS_PER_MS);
		assert_int_equal(audit_durable(a), 10 * round);
		assert_int_equal(count(), 10 * round);
	}
	assert_in_range(audit_syncs(a), 3, 29);
	close_log(a);
}

/* A child says each number once its record is promised, and is killed at some instant. */
static void killed(void **state)
{
	struct audit_found found;
	struct fail f = { 0 };
	int64_t told = 0, n;
	int pipes[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct audit *a = audit_open(file, ACCESS_EACH, 0, &found, &f);

		for (n = 1; a && add(a, "U1") == 0; n++)
			if (write(pipes[1], &n, sizeof n) != sizeof n)
				break;
		_exit(1);
	}
	close(pipes[1]);
	while (told < 50 && read(pipes[0], &n, sizeof n) == sizeof n)
		told = n;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	while (read(pipes[0], &n, sizeof n) == sizeof n)
		told = n;
	close(pipes[0]);
	assert_true(told >= 50);
	close_log(open_log(ACCESS_EACH, 0, &found));
	/* One more may have been written, but not told of. */
	assert_in_range(found.records, told, told + 1);
}

/* A file that may not grow is a full disk: an error, for ever, and nothing half written. */
static void full_disk(void **state)
{
	struct audit_found found;
	struct fail f = { 0 };
	int status;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		struct audit *a = audit_open(file, ACCESS_EACH, 0, &found, &f);
		int good = 0;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1000, 1000 });
		while (good < 100 && add(a, "U1") == 0)
			good++;
		if (add(a, "U1") == 0 || audit_close(a, &f) == 0 || !strstr(f.text, "written"))
			_exit(100);
		_exit(good);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_in_range(WEXITSTATUS(status), 5, 50);
	assert_int_equal(count(), WEXITSTATUS(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(goes_on, no_file),
		cmocka_unit_test_setup(torn_ends, no_file),
		cmocka_unit_test_setup(damage, no_file),
		cmocka_unit_test(a_device_is_refused),
		cmocka_unit_test_setup(one_writer, no_file),
		cmocka_unit_test_setup(threads_share, no_file),
		cmocka_unit_test_setup(each_is_synced, no_file),
		cmocka_unit_test_setup(broken_disk, no_file),
		cmocka_unit_test_setup(batches, no_file),
		cmocka_unit_test_setup(killed, no_file),
		cmocka_unit_test_setup(full_disk, no_file),
	};

	return cmocka_run_group_tests_name("audit", tests, make_dir, remove_dir);
}
