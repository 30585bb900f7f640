/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_secret - what a trial's two sides must both know, in memory alone: a node that is killed
 * leaves no file behind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ciphers/credential.h"
#include "ciphers/suite.h"
#include "lib/base64.h"
#include "testbed/node_session.h"

#define KEY_BYTES     16
#define PEM_BYTES_MAX (256 << 10)

int node_keep(const char *name, const char *text, int *fd, struct fail *f)
{
	size_t len = strlen(text);

	if (!len)
		return 0;
	*fd = memfd_create(name, 0);
	if (*fd < 0 || fchmod(*fd, 0600) || write(*fd, text, len) != (ssize_t)len)
		return fail_set(f, errno, "cannot keep %s: %s", name, strerror(errno));
	return 0;
}

int node_make_client(const char *suite, struct buf *pem, char ca_file[PATH_BYTES], struct fail *f)
{
	struct credential shown;
	struct suite s;

	if (suite_parse(suite, &s, f) || credential_get_client(s.credential, NULL, &shown, f) ||
	    path_read(shown.cert_file, PEM_BYTES_MAX, pem, f) ||
	    path_read(shown.key_file, PEM_BYTES_MAX, pem, f))
		return -1;
	memcpy(ca_file, shown.ca_file, PATH_BYTES);
	return pem->failed ? fail_set(f, ENOMEM, "no memory for the client's certificate") : 0;
}

int node_make_psk(struct buf *text, struct fail *f)
{
	unsigned char key[KEY_BYTES];

	if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		return fail_set(f, errno, "cannot make a pre-shared key: %s", strerror(errno));
	buf_puts(text, "client=");
	base64_encode(key, sizeof(key), text);
	buf_byte(text, '\n');
	explicit_bzero(key, sizeof(key));
	return text->failed ? fail_set(f, ENOMEM, "no memory for a pre-shared key") : 0;
}
