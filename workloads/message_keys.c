/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_keys - credentials by role from ciphers/credential.h, and shared secrets beside
 * them. Which directory that is, and that both sides have it, is for the user to see to.
 */
#include "workloads/message_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "ciphers/object_crypto.h"
#include "lib/hex.h"

#define SECRET_BYTES_MAX 64
#define SECRET_MODE      0600

static int get(const char *kind_name, bool client, const char *dir, struct credential *out,
	       struct fail *f)
{
	const struct credential_kind *kind = credential_kind_by_name(kind_name);

	if (!kind)
		return fail_set(f, EINVAL, "no such credential: %s", kind_name);
	return client ? credential_get_client(kind, dir, out, f)
		      : credential_get(kind, dir, NULL, out, f);
}

int message_keys_find(const struct message_party *p, struct message_keys *k, struct fail *f)
{
	const struct message_profile *profile = p->profile;
	bool client = p->role == MESSAGE_CLIENT;
	struct credential peer;

	memset(k, 0, sizeof *k);
	if (profile->signer && get(profile->signer, client, p->credential_dir, &k->signer, f))
		return -1;
	if (!profile->recipient)
		return 0;
	if (get(profile->recipient, client, p->credential_dir, &k->recipient, f) ||
	    get(profile->recipient, !client, p->credential_dir, &peer, f))
		return -1;
	memcpy(k->peer_cert, peer.cert_file, sizeof k->peer_cert);
	return 0;
}

/* --- shared secrets ------------------------------------------------------------------- */

static int make(const char *path, uint8_t *secret, size_t len, struct fail *f)
{
	char text[2 * SECRET_BYTES_MAX + 2];
	int ret = object_random(secret, len, f);

	if (ret == 0) {
		hex_encode(secret, len, text);
		text[2 * len] = '\n';
		ret = path_write(path, text, 2 * len + 1, SECRET_MODE, f);
	}
	object_wipe(text, sizeof text);
	return ret;
}

static int find_or_make(const char *path, uint8_t *secret, size_t len, struct fail *f)
{
	struct buf text = { .secret = true };
	int ret;

	if (!path_exists(path))
		return make(path, secret, len, f);
	ret = path_read(path, 4 * SECRET_BYTES_MAX, &text, f);
	if (ret == 0 && (text.len < 2 * len || hex_decode(text.data, len, secret)))
		ret = fail_set(f, EINVAL,
			       "%s: expected %zu hex digits; remove it to have it made anew", path,
			       2 * len);
	buf_release(&text);
	return ret;
}

static int lock_dir(const char *dir, struct fail *f)
{
	char path[PATH_BYTES];
	int fd = -1;

	if (snprintf(path, sizeof path, "%s/message-lock", dir) < (int)sizeof path)
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, SECRET_MODE);
	if (fd >= 0 && flock(fd, LOCK_EX) == 0)
		return fd;
	fail_set(f, errno, "%.200s: cannot keep secrets here: %s", dir, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int message_secret(const char *dir, const char *name, void *secret, size_t len, struct fail *f)
{
	char cache[PATH_BYTES], path[PATH_BYTES];
	int lock, ret;

	if (!dir && path_place(PATH_CACHE, "credentials", cache, f))
		return -1;
	dir = dir ? dir : cache;
	if (path_make_dirs(dir, f))
		return -1;
	if (snprintf(path, sizeof path, "%s/message-%s.secret", dir, name) >= (int)sizeof path)
		return fail_set(f, ENAMETOOLONG, "the directory name is too long: %.100s", dir);
	lock = lock_dir(dir, f);
	if (lock < 0)
		return -1;
	ret = find_or_make(path, secret, len, f);
	close(lock);
	return ret;
}
