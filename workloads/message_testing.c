/* SPDX-License-Identifier: Apache-2.0 */
/* message_testing - parties of every profile, opened once for a test program. */
#include "workloads/message_testing.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAIRS_MAX 8

static struct message_pair pairs[PAIRS_MAX];
static char dir[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int open_one(struct message_party *p, const struct message_profile *profile,
		    enum message_role role)
{
	*p = (struct message_party){ .profile = profile, .role = role, .credential_dir = dir };
	if (message_open(p) == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", profile->name, p->fail.text);
	return -1;
}

int message_pairs_open(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cipherwatt-message-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	for (int i = 0; message_profiles[i].name; i++)
		if (i >= PAIRS_MAX ||
		    open_one(&pairs[i].client, &message_profiles[i], MESSAGE_CLIENT) ||
		    open_one(&pairs[i].server, &message_profiles[i], MESSAGE_SERVER))
			return -1;
	return 0;
}

int message_pairs_close(void **state)
{
	(void)state;
	for (int i = 0; message_profiles[i].name; i++) {
		message_close(&pairs[i].client);
		message_close(&pairs[i].server);
	}
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

struct message_pair *message_pair(const char *profile)
{
	for (int i = 0; message_profiles[i].name; i++)
		if (!strcmp(message_profiles[i].name, profile))
			return &pairs[i];
	fprintf(stderr, "no profile %s\n", profile);
	abort();
}

const char *message_pairs_dir(void)
{
	return dir;
}
