/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_test - XDG places, limits, and a failed write that leaves the old content.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/path.h"

static char root[64];

static int enter_scratch(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/cipherwatt-path-XXXXXX");
	return mkdtemp(root) && !chdir(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_scratch(void **state)
{
	(void)state;
	return chdir("/") || nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS) ? -1 : 0;
}

static void expect_content(const char *path, const char *expected)
{
	struct fail f = { 0 };
	struct buf b = { 0 };

	if (path_read(path, 1 << 20, &b, &f))
		fail_msg("%s", f.text);
	assert_string_equal(buf_text(&b), expected);
	buf_release(&b);
}

static void write_text(const char *path, const char *text)
{
	struct fail f = { 0 };

	if (path_write(path, text, strlen(text), 0644, &f))
		fail_msg("%s", f.text);
}

static int count_entries(const char *path)
{
	char command[128];
	FILE *in;
	int n = -1;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", path);
	in = popen(command, "r");
	assert_non_null(in);
	assert_int_equal(fscanf(in, "%d", &n), 1);
	pclose(in);
	return n;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode;
}

static void places_follow_xdg(void **state)
{
	char dst[PATH_BYTES], expected[PATH_BYTES];
	struct fail f = { 0 };

	(void)state;
	setenv("HOME", root, 1);
	unsetenv("XDG_DATA_HOME");
	setenv("XDG_CACHE_HOME", "relative", 1); /* ignored, as the specification says */
	snprintf(expected, sizeof(expected), "%s/state", root);
	setenv("XDG_STATE_HOME", expected, 1);

	assert_int_equal(path_place(PATH_DATA, NULL, dst, &f), 0);
	snprintf(expected, sizeof(expected), "%s/.local/share/cipherwatt", root);
	assert_string_equal(dst, expected);
	assert_int_equal(mode_of(dst), S_IFDIR | 0700);

	assert_int_equal(path_place(PATH_CACHE, "keys/rsa.pem", dst, &f), 0);
	snprintf(expected, sizeof(expected), "%s/.cache/cipherwatt/keys/rsa.pem", root);
	assert_string_equal(dst, expected);
	assert_false(path_exists(dst)); /* the name is a file's: only what is above is made */
	*strrchr(dst, '/') = '\0';
	assert_true(path_exists(dst));

	assert_int_equal(path_place(PATH_STATE, "x", dst, &f), 0);
	snprintf(expected, sizeof(expected), "%s/state/cipherwatt/x", root);
	assert_string_equal(dst, expected);
	assert_false(path_exists("relative"));
}

static void a_place_needs_a_home(void **state)
{
	struct fail f = { 0 };
	char dst[PATH_BYTES];

	(void)state;
	unsetenv("HOME");
	unsetenv("XDG_DATA_HOME");
	assert_int_equal(path_place(PATH_DATA, NULL, dst, &f), -1);
	assert_non_null(strstr(f.text, "HOME or XDG_DATA_HOME"));
	setenv("HOME", root, 1);
}

static void directories_are_made(void **state)
{
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(path_make_dirs("a/b//c/", &f), 0);
	assert_true(path_exists("a/b/c"));
	assert_int_equal(path_make_dirs("a/b/c", &f), 0); /* again */
	assert_int_equal(path_make_dirs("/", &f), 0);
	write_text("a/file", "x");
	assert_int_equal(path_make_dirs("a/file/d", &f), -1);
	assert_int_equal(f.code, ENOTDIR);
	assert_non_null(strstr(f.text, "a/file"));
	fail_clear(&f);
	assert_int_equal(path_make_dirs("", &f), -1);
}

static void reads_have_a_limit(void **state)
{
	struct fail f = { 0 };
	struct buf b = { 0 };

	(void)state;
	write_text("ten", "0123456789");
	buf_puts(&b, "before ");
	assert_int_equal(path_read("ten", 10, &b, &f), 0);
	assert_string_equal(buf_text(&b), "before 0123456789");
	assert_int_equal(path_read("ten", 9, &b, &f), -1);
	assert_int_equal(f.code, EFBIG);
	assert_non_null(strstr(f.text, "ten is longer than the limit of 9 bytes"));
	assert_string_equal(buf_text(&b), "before 0123456789"); /* nothing half read */
	fail_clear(&f);
	assert_int_equal(path_read("missing", 9, &b, &f), -1);
	assert_int_equal(f.code, ENOENT);
	assert_non_null(strstr(f.text, "missing"));
	fail_clear(&f);
	assert_int_equal(path_read("/", 9, &b, &f), -1);
	assert_int_equal(f.code, EISDIR);
	fail_clear(&f);
	assert_int_equal(path_read("/dev/zero", 100000, &b, &f), -1); /* has no size to look at */
	assert_int_equal(f.code, EFBIG);
	buf_release(&b);
}

static void writes_replace_whole_files(void **state)
{
	mode_t mask = umask(022);
	struct fail f = { 0 };
	static char large[300000];

	(void)state;
	assert_int_equal(mkdir("w", 0777), 0);
	assert_int_equal(path_write("w/key", "secret", 6, 0600, &f), 0);
	assert_int_equal(mode_of("w/key"), S_IFREG | 0600);
	assert_int_equal(path_write("w/key", "s", 1, 0666, &f), 0);
	assert_int_equal(mode_of("w/key"), S_IFREG | 0644);
	expect_content("w/key", "s");
	memset(large, 'L', sizeof(large) - 1);
	write_text("w/key", large);
	expect_content("w/key", large);
	write_text("w/key", "");
	expect_content("w/key", "");
	assert_int_equal(count_entries("w"), 1); /* nothing is left beside it */
	umask(mask);
}

static void links_and_pipes_stay(void **state)
{
	struct fail f = { 0 };
	char got[8];
	int fd;

	(void)state;
	assert_int_equal(mkdir("l", 0777), 0);
	write_text("l/real", "old");
	assert_int_equal(symlink("real", "l/link"), 0);
	write_text("l/link", "new");
	assert_true(S_ISLNK(mode_of("l/link")));
	expect_content("l/real", "new");
	assert_int_equal(mkfifo("l/pipe", 0600), 0);
	fd = open("l/pipe", O_RDWR | O_CLOEXEC);
	write_text("l/pipe", "text");
	assert_true(S_ISFIFO(mode_of("l/pipe")));
	assert_int_equal(read(fd, got, sizeof(got)), 4);
	close(fd);
	assert_int_equal(path_write("l", "x", 1, 0644, &f), -1);
	assert_int_equal(f.code, EISDIR);
	fail_clear(&f);
	assert_int_equal(path_write("nowhere/file", "x", 1, 0644, &f), -1);
	assert_int_equal(f.code, ENOENT);
	assert_non_null(strstr(f.text, "nowhere/file"));
}

/* In a child whose files may hold 4 bytes: the fifth fails like a full disk. */
static int write_under_limit(const char *path)
{
	const struct rlimit four = { 4, 4 };
	struct fail f = { 0 };
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &four))
			_exit(2);
		_exit(path_write(path, "new content", 11, 0644, &f) == -1 && f.code == EFBIG ? 0
											     : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void failed_write_leaves_the_old_content(void **state)
{
	(void)state;
	assert_int_equal(mkdir("full", 0777), 0);
	write_text("full/result", "old content");
	assert_int_equal(write_under_limit("full/result"), 0);
	expect_content("full/result", "old content");
	assert_int_equal(count_entries("full"), 1);
	assert_int_equal(write_under_limit("full/first"), 0);
	assert_false(path_exists("full/first"));
	assert_int_equal(count_entries("full"), 1);
}

static void same_file_by_any_name(void **state)
{
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(path_write("one", "1", 1, 0600, &f), 0);
	assert_int_equal(path_write("two", "1", 1, 0600, &f), 0);
	assert_int_equal(symlink("one", "link"), 0);
	assert_int_equal(link("one", "hard"), 0);
	assert_int_equal(mkdir("below", 0700), 0);
	assert_true(path_same("one", "one"));
	assert_true(path_same("one", "./below/../one"));
	assert_true(path_same("link", "one"));
	assert_true(path_same("hard", "link"));
	assert_false(path_same("one", "two"));
	/* Not there yet. */
	assert_true(path_same("new", "below/..//new"));
	assert_false(path_same("new", "below/new"));
	assert_false(path_same("new", "one"));
	assert_false(path_same("nowhere/new", "new"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_follow_xdg),
		cmocka_unit_test(a_place_needs_a_home),
		cmocka_unit_test(directories_are_made),
		cmocka_unit_test(same_file_by_any_name),
		cmocka_unit_test(reads_have_a_limit),
		cmocka_unit_test(writes_replace_whole_files),
		cmocka_unit_test(links_and_pipes_stay),
		cmocka_unit_test(failed_write_leaves_the_old_content),
	};

	return cmocka_run_group_tests(tests, enter_scratch, remove_scratch);
}
