/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_memory - OpenSSL's memory: what is as large as a record, or as the buffer for
 * handshake messages that it keeps with each association over datagrams (22 KB), comes from
 * lib/blocks, all else from malloc(). That spares the heap its holes, and the allocator
 * the work of closing them: a large piece makes glibc merge all small ones that are free.
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
