/* SPDX-License-Identifier: Apache-2.0 */
/* record_key - of a build without OpenSSL: nothing is opened. */
#include "ciphers/record_key.h"

struct record_key *record_key_13(const struct cipher *c, const uint8_t *secret, size_t len)
{
	(void)c;
	(void)secret;
	(void)len;
	return NULL;
}

struct record_key *record_key_12(const struct cipher *c, const uint8_t master[RECORD_MASTER_BYTES],
				 const uint8_t client_random[RECORD_RANDOM_BYTES],
				 const uint8_t server_random[RECORD_RANDOM_BYTES], bool of_client)
{
	(void)c;
	(void)master;
	(void)client_random;
	(void)server_random;
	(void)of_client;
	return NULL;
}

void record_key_free(struct record_key *k)
{
	(void)k;
}

int record_key_open(struct record_key *k, const struct record_head *head, const uint8_t *body,
		    size_t len, uint8_t *dst, size_t *dst_len, uint8_t *type)
{
	(void)k;
	(void)head;
	(void)body;
	(void)len;
	(void)dst;
	(void)dst_len;
	(void)type;
	return -1;
}

int record_secret_next(const struct cipher *c, uint8_t *secret, size_t len)
{
	(void)c;
	(void)secret;
	(void)len;
	return -1;
}

bool record_key_available(void)
{
	return false;
}
