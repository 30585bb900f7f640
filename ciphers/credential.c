/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential - the cache of certificates: which files, whose they are, when they
 * are made anew.
 *
 * In a directory there are KIND-ca.pem and KIND-ca.key, the authority,
 * KIND-client.pem and KIND-client.key, what a client shows, and KIND.pem and KIND.key, or
 * KIND@NAME.pem and .key for a name beyond the loopback ones. One lock file serialises processes.
 * It knows files; what stands in them is credential_x509.c's business.
 */
#include "ciphers/credential.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#ifdef WITH_OPENSSL
#include "ciphers/credential_x509.h"

#define PEM_BYTES_MAX 65536
#define NAME_MAX_TEXT 253 /* RFC 1035 section 2.3.4, without the final dot */
#define KEY_MODE      0600
#define CERT_MODE     0644

struct store {
	const char *dir;
	bool ours; /* the user's cache directory: what stands in the way may be replaced */
	const struct credential_kind *kind;
	enum x509_use use;
};

static int file_name(char dst[PATH_BYTES], const struct store *s, const char *tail, struct fail *f)
{
	int n = snprintf(dst, PATH_BYTES, "%s/%s%s", s->dir, s->kind->name, tail);

	if (n > 0 && n < PATH_BYTES)
		return 0;
	return fail_set(f, ENAMETOOLONG, "the directory name is too long: %.100s...", s->dir);
}

/* Letters, digits, dots, dashes, colons: also what may stand in a file name. */
static int check_name(const char *name, struct fail *f)
{
	size_t len = name ? strlen(name) : 0;

	if (!name)
		return 0;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(".-:", *c))
			len = 0;
	if (len && len <= NAME_MAX_TEXT && *name != '.' && *name != '-')
		return 0;
	return fail_set(f, EINVAL,
			"\"%.60s\" is no host name or IP address to make a certificate for", name);
}

static bool is_loopback_name(const char *name)
{
	return !name || !strcasecmp(name, "localhost") || !strcmp(name, "127.0.0.1") ||
	       !strcmp(name, "::1");
}

/* --- one pair of files ---------------------------------------------------- */

static int load_one(const char *path, struct buf *out)
{
	struct fail ignored = { 0 };

	return path_exists(path) ? path_read(path, PEM_BYTES_MAX, out, &ignored) : 0;
}

static int save(const char *cert_file, const char *key_file, struct x509_pair *p, struct fail *f)
{
	if (path_write(key_file, p->key.data, p->key.len, KEY_MODE, f) ||
	    path_write(cert_file, p->cert.data, p->cert.len, CERT_MODE, f))
		return -1;
	return 0;
}

/* May these two files be written over? */
static int check_replaceable(const struct store *s, enum x509_state state, const char *cert_file,
			     const char *key_file, struct fail *f)
{
	bool cert = path_exists(cert_file), key = path_exists(key_file);

	if (s->ours || state == X509_WORN || (!cert && !key))
		return 0;
	return fail_set(f, EEXIST,
			"%s is not a file that cipherwatt made; move it away or name another "
			"directory",
			cert ? cert_file : key_file);
}

static int get_ca(const struct store *s, struct credential *out, struct x509_pair *ca,
		  struct fail *f)
{
	char key_file[PATH_BYTES];
	enum x509_state state;

	if (file_name(out->ca_file, s, "-ca.pem", f) || file_name(key_file, s, "-ca.key", f))
		return -1;
	load_one(out->ca_file, &ca->cert);
	load_one(key_file, &ca->key);
	state = x509_judge_ca(s->kind, ca);
	if (state == X509_GOOD)
		return 0;
	if (check_replaceable(s, state, out->ca_file, key_file, f))
		return -1;
	buf_clear(&ca->cert);
	buf_clear(&ca->key);
	if (x509_make_ca(s->kind, ca, f))
		return -1;
	return save(out->ca_file, key_file, ca, f);
}

static int get_leaf(const struct store *s, const char *name, struct credential *out,
		    struct x509_pair *ca, struct x509_pair *leaf, struct fail *f)
{
	const char *use = s->use == X509_FOR_CLIENT ? "-client" : "";
	char tail[NAME_MAX_TEXT + 16];
	enum x509_state state;

	snprintf(tail, sizeof(tail), "%s%s%s.pem", use, name ? "@" : "", name ? name : "");
	if (file_name(out->cert_file, s, tail, f))
		return -1;
	snprintf(tail, sizeof(tail), "%s%s%s.key", use, name ? "@" : "", name ? name : "");
	if (file_name(out->key_file, s, tail, f))
		return -1;
	load_one(out->cert_file, &leaf->cert);
	load_one(out->key_file, &leaf->key);
	state = x509_judge_leaf(s->kind, ca, name, s->use, leaf);
	if (state == X509_GOOD)
		return 0;
	if (check_replaceable(s, state, out->cert_file, out->key_file, f))
		return -1;
	buf_clear(&leaf->cert);
	buf_clear(&leaf->key);
	if (x509_make_leaf(s->kind, ca, name, s->use, X509_VALID_DAYS, leaf, f))
		return -1;
	return save(out->cert_file, out->key_file, leaf, f);
}

/* --- the directory -------------------------------------------------------- */

static int lock_dir(const char *dir, struct fail *f)
{
	char path[PATH_BYTES];
	int fd = -1;

	if (snprintf(path, sizeof(path), "%s/lock", dir) < (int)sizeof(path))
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, KEY_MODE);
	if (fd < 0)
		return fail_set(f, errno, "%.200s: cannot keep credentials here: %s", dir,
				strerror(errno));
	while (flock(fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		fail_set(f, errno, "%.200s: cannot lock: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

static int get_locked(const struct store *s, const char *name, struct credential *out,
		      struct fail *f)
{
	struct x509_pair ca, leaf;
	int ret;

	x509_pair_init(&ca);
	x509_pair_init(&leaf);
	ret = get_ca(s, out, &ca, f) || get_leaf(s, name, out, &ca, &leaf, f) ? -1 : 0;
	x509_pair_release(&leaf);
	x509_pair_release(&ca);
	return ret;
}

static int get(const struct credential_kind *kind, enum x509_use use, const char *dir,
	       const char *name, struct credential *out, struct fail *f)
{
	char cache[PATH_BYTES];
	struct store s = { .dir = dir, .ours = !dir, .kind = kind, .use = use };
	int lock, ret;

	*out = (struct credential){ .kind = kind };
	if (kind->key == KEY_NONE || kind->key == KEY_PSK)
		return fail_set(f, EINVAL, "the credential \"%s\" has no certificate", kind->name);
	if (check_name(name, f))
		return -1;
	if (!dir && path_place(PATH_CACHE, "credentials", cache, f))
		return -1;
	s.dir = dir ? dir : cache;
	if (path_make_dirs(s.dir, f))
		return -1;
	lock = lock_dir(s.dir, f);
	if (lock < 0)
		return -1;
	ret = get_locked(&s, is_loopback_name(name) ? NULL : name, out, f);
	close(lock);
	return ret;
}

int credential_get(const struct credential_kind *kind, const char *dir, const char *name,
		   struct credential *out, struct fail *f)
{
	return get(kind, X509_FOR_SERVER, dir, name, out, f);
}

int credential_get_client(const struct credential_kind *kind, const char *dir,
			  struct credential *out, struct fail *f)
{
	return get(kind, X509_FOR_CLIENT, dir, NULL, out, f);
}
#else
int credential_get(const struct credential_kind *kind, const char *dir, const char *name,
		   struct credential *out, struct fail *f)
{
	(void)dir, (void)name;
	*out = (struct credential){ .kind = kind };
	return fail_set(f, ENOSYS,
			"making a certificate needs OpenSSL, which this program was built "
			"without; give one with --cert and --key");
}

int credential_get_client(const struct credential_kind *kind, const char *dir,
			  struct credential *out, struct fail *f)
{
	return credential_get(kind, dir, NULL, out, f);
}
#endif
