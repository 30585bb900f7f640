/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of credentials: made once, reused, remade when of no use, never over strangers' files.
 */
#include "ciphers/credential.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ciphers/credential_x509.h"
#include "ciphers/engine_test.h"

static char dir[64];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cipherwatt-credential-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const struct credential_kind *kind_p256(void)
{
	return credential_kind_by_name("p256");
}

static struct credential get(const char *where, const char *name)
{
	struct credential c;
	struct fail f = { 0 };

	if (credential_get(kind_p256(), where, name, &c, &f))
		fail_msg("%s", f.text);
	return c;
}

static void read_file(const char *path, char dst[8192])
{
	struct buf b;
	struct fail f = { 0 };

	buf_init(&b, 0);
	if (path_read(path, 8191, &b, &f))
		fail_msg("%s", f.text);
	snprintf(dst, 8192, "%s", buf_text(&b));
	buf_release(&b);
}

static void write_file(const char *path, const char *text)
{
	struct fail f = { 0 };

	assert_int_equal(path_write(path, text, strlen(text), 0600, &f), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

static void test_made_once_and_private(void **state)
{
	struct credential a = get(dir, NULL), b;
	char first[8192], second[8192], ca_key[PATH_BYTES];

	(void)state;
	read_file(a.cert_file, first);
	assert_int_equal(mode_of(a.key_file), 0600);
	snprintf(ca_key, sizeof(ca_key), "%s/p256-ca.key", dir);
	assert_int_equal(mode_of(ca_key), 0600);
	b = get(dir, "localhost");
	assert_string_equal(a.cert_file, b.cert_file);
	read_file(b.cert_file, second);
	assert_string_equal(first, second);
}

static void test_each_name_has_its_own(void **state)
{
	struct credential plain = get(dir, NULL), named = get(dir, "board-7.example.org"),
			  address = get(dir, "192.0.2.7");
	struct fail f = { 0 };

	(void)state;
	assert_string_not_equal(plain.cert_file, named.cert_file);
	assert_string_not_equal(named.cert_file, address.cert_file);
	assert_string_equal(plain.ca_file, named.ca_file);
	for (const char *const *bad =
		     (const char *const[]){ "../x", "a/b", "", "a b", "x\n", NULL };
	     *bad; bad++) {
		fail_clear(&f);
		assert_int_equal(credential_get(kind_p256(), dir, *bad, &plain, &f), -1);
		assert_non_null(strstr(f.text, "no host name"));
	}
}

/* In the user's own cache whatever is of no use is replaced, without a word. */
static void test_the_cache_mends_itself(void **state)
{
	struct credential c;
	char before[8192], after[8192], ca_key[PATH_BYTES];

	(void)state;
	assert_int_equal(setenv("XDG_CACHE_HOME", dir, 1), 0);
	c = get(NULL, NULL);
	assert_non_null(strstr(c.cert_file, "/cipherwatt/credentials/p256.pem"));
	read_file(c.cert_file, before);
	write_file(c.cert_file, "garbage");
	c = get(NULL, NULL);
	read_file(c.cert_file, after);
	assert_string_not_equal(before, after);
	assert_non_null(strstr(after, "BEGIN CERTIFICATE"));
	/* A cut key. */
	read_file(c.key_file, before);
	before[strlen(before) / 2] = '\0';
	write_file(c.key_file, before);
	read_file(c.cert_file, before);
	c = get(NULL, NULL);
	read_file(c.cert_file, after);
	assert_string_not_equal(before, after);
	/* A lost authority takes its certificates with it. */
	snprintf(ca_key, sizeof(ca_key), "%.*s-ca.key", (int)strlen(c.ca_file) - 7, c.ca_file);
	assert_int_equal(unlink(ca_key), 0);
	c = get(NULL, NULL);
	read_file(c.cert_file, before);
	assert_string_not_equal(before, after);
	c = get(NULL, NULL);
	read_file(c.cert_file, after);
	assert_string_equal(before, after);
}

/* Signed by our authority, but the key is of another kind: it does not serve. */
static void test_another_kind_under_our_name(void **state)
{
	struct credential c = get(dir, NULL);
	char path[PATH_BYTES], now[8192];
	struct x509_pair ca, leaf;
	struct fail f = { 0 };

	(void)state;
	x509_pair_init(&ca);
	x509_pair_init(&leaf);
	snprintf(path, sizeof(path), "%s/p256-ca.key", dir);
	assert_int_equal(path_read(c.ca_file, 65536, &ca.cert, &f), 0);
	assert_int_equal(path_read(path, 65536, &ca.key, &f), 0);
	assert_int_equal(x509_make_leaf(credential_kind_by_name("p384"), &ca, NULL, X509_FOR_SERVER,
					100, &leaf, &f),
			 0);
	write_file(c.cert_file, buf_text(&leaf.cert));
	write_file(c.key_file, buf_text(&leaf.key));
	c = get(dir, NULL);
	read_file(c.cert_file, now);
	assert_string_not_equal(now, buf_text(&leaf.cert));
	x509_pair_release(&ca);
	x509_pair_release(&leaf);
}

/* One that ends today is made anew in time. */
static void test_a_worn_certificate(void **state)
{
	struct credential c = get(dir, NULL);
	char path[PATH_BYTES], now[8192];
	struct x509_pair ca, leaf;
	struct fail f = { 0 };

	(void)state;
	x509_pair_init(&ca);
	x509_pair_init(&leaf);
	snprintf(path, sizeof(path), "%s/p256-ca.key", dir);
	assert_int_equal(path_read(c.ca_file, 65536, &ca.cert, &f), 0);
	assert_int_equal(path_read(path, 65536, &ca.key, &f), 0);
	assert_int_equal(x509_make_leaf(kind_p256(), &ca, NULL, X509_FOR_SERVER, 0, &leaf, &f), 0);
	write_file(c.cert_file, buf_text(&leaf.cert));
	write_file(c.key_file, buf_text(&leaf.key));
	c = get(dir, NULL);
	read_file(c.cert_file, now);
	assert_string_not_equal(now, buf_text(&leaf.cert));
	x509_pair_release(&ca);
	x509_pair_release(&leaf);
}

static void test_strangers_files_stay(void **state)
{
	static const char *const files[] = { "p256.pem", "p256.key", "p256-ca.pem", "p256-ca.key" };
	struct credential c;
	char path[PATH_BYTES], text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct fail f = { 0 };

		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		write_file(path, "my own file\n");
		assert_int_equal(credential_get(kind_p256(), dir, NULL, &c, &f), -1);
		if (!strstr(f.text, path))
			fail_msg("%s is not in: %s", path, f.text);
		read_file(path, text);
		assert_string_equal(text, "my own file\n");
		assert_int_equal(unlink(path), 0);
	}
}

static void test_many_processes_at_once(void **state)
{
	enum { CHILDREN = 8 };
	pid_t pid[CHILDREN];
	struct credential c;
	char first[8192];
	int status;

	(void)state;
	for (int i = 0; i < CHILDREN; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (!pid[i]) {
			struct fail f = { 0 };

			_exit(credential_get(kind_p256(), dir, NULL, &c, &f) ? 1 : 0);
		}
	}
	for (int i = 0; i < CHILDREN; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	c = get(dir, NULL);
	read_file(c.cert_file, first);
	c = get(dir, NULL);
	assert_non_null(strstr(first, "BEGIN CERTIFICATE"));
}

static void test_kinds_without_a_certificate(void **state)
{
	struct credential c;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(credential_get(credential_kind_by_name("psk"), dir, NULL, &c, &f), -1);
	assert_non_null(strstr(f.text, "psk"));
}

static void test_a_directory_that_cannot_be(void **state)
{
	struct credential c;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(credential_get(kind_p256(), "/proc/nowhere", NULL, &c, &f), -1);
	assert_non_null(strstr(f.text, "/proc/nowhere"));
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_made_once_and_private),      TEST(test_each_name_has_its_own),
		TEST(test_the_cache_mends_itself),     TEST(test_another_kind_under_our_name),
		TEST(test_a_worn_certificate),         TEST(test_strangers_files_stay),
		TEST(test_many_processes_at_once),     TEST(test_kinds_without_a_certificate),
		TEST(test_a_directory_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
