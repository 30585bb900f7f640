/* SPDX-License-Identifier: Apache-2.0 */
/* message_replay - nonces.h for a whole process: opened by the first party, closed by the last. */
#include "workloads/message_replay.h"

#include <errno.h>
#include <pthread.h>

#include "lib/clock.h"

static const int keep_s[MESSAGE_ONCE] = {
	[MESSAGE_TOKEN] = MESSAGE_TOKEN_S,
	[MESSAGE_EXCHANGE] = MESSAGE_EXCHANGE_S,
};

/* The lock is of the count; who has opened may use the memory without it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nonces *seen[MESSAGE_ONCE];
static int users;

static void forget(void)
{
	for (int i = 0; i < MESSAGE_ONCE; i++) {
		nonces_free(seen[i]);
		seen[i] = NULL;
	}
}

static int begin(struct fail *f)
{
	for (int i = 0; i < MESSAGE_ONCE; i++)
		seen[i] = nonces_new(keep_s[i] * NS_PER_S);
	if (seen[MESSAGE_TOKEN] && seen[MESSAGE_EXCHANGE])
		return 0;
	forget();
	return fail_set(f, ENOMEM, "no memory to know replays");
}

int message_replay_open(struct fail *f)
{
	int ret = 0;

	pthread_mutex_lock(&lock);
	if (users == 0)
		ret = begin(f);
	if (ret == 0)
		users++;
	pthread_mutex_unlock(&lock);
	return ret;
}

void message_replay_close(void)
{
	pthread_mutex_lock(&lock);
	if (--users == 0)
		forget();
	pthread_mutex_unlock(&lock);
}

int message_replay_use(enum message_once kind, const uint8_t nonce[NONCE_BYTES], int64_t now_ns,
		       struct fail *f)
{
	switch (nonces_use(seen[kind], nonce, now_ns)) {
	case NONCE_NEW:
		return 0;
	case NONCE_FULL:
		return fail_set(f, ENOBUFS, "more messages than can be remembered for %d s",
				keep_s[kind]);
	default:
		return fail_set(f, EACCES, "a %s that has been used before",
				kind == MESSAGE_TOKEN ? "token" : "message");
	}
}
