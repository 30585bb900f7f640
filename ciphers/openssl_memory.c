/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_memory - OpenSSL's memory: while an owner of blocks is named, large pieces come from
 * lib/blocks, as the buffer for handshake messages that the library keeps with each association
 * over datagrams (22 KB); all else comes from malloc().
 */
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/openssl_domain.h"
#include "lib/blocks.h"

#define LEAST_BYTES 12288

static void *take(size_t bytes, const char *file, int line)
{
	void *p = bytes >= LEAST_BYTES ? block_take(bytes) : NULL;

	(void)file, (void)line;
	return p ? p : malloc(bytes);
}

static void give(void *p, const char *file, int line)
{
	(void)file, (void)line;
	/* Nothing is what the library frees most: each place of its error queue. */
	if (!p)
		return;
	if (is_block(p))
		block_give(p);
	else
		free(p);
}

static void *resize(void *p, size_t bytes, const char *file, int line)
{
	void *larger;

	if (!p)
		return take(bytes, file, line);
	if (!is_block(p))
		return realloc(p, bytes);
	if (bytes > 0 && bytes <= LARGE_BLOCK_BYTES)
		return p;
	larger = bytes ? malloc(bytes) : NULL;
	if (larger)
		memcpy(larger, p, LARGE_BLOCK_BYTES);
	if (larger || !bytes)
		give(p, file, line);
	return larger;
}

void openssl_memory(void)
{
	/* Too late, when the library has memory already: then it goes on as it began. */
	CRYPTO_set_mem_functions(take, resize, give);
}
