/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress - whole texts compressed in each content coding that this build knows, with the
 * state of a library made once and used again. It must not know what is compressed, nor
 * when, nor who asked.
 *
 * One compressor per thread.
 */
#ifndef WORKLOADS_COMPRESS_H
#define WORKLOADS_COMPRESS_H

#include "lib/fail.h"
#include "protocols/app.h"

struct compressor {
	int level[APP_ENCODINGS]; /* 0: this coding is never used */
	void *state[APP_ENCODINGS];
};

/*
 * NULL where this build can use the coding, else why not, in a few words. *level_max: its
 * highest level; the lowest is 1.
 */
const char *compress_refuses(enum app_encoding e, int *level_max);

/* What level[] asks for. -1: the reason, with the coding. */
int compress_open(struct compressor *c, const int level[APP_ENCODINGS], struct fail *f);
/* Safe on a zeroed struct. */
void compress_close(struct compressor *c);

/* Of those a client accepts (a bit set), the one to use: zstd before br before gzip. */
enum app_encoding compress_choose(const struct compressor *c, unsigned accepts);

/* Room that a text of len bytes may need; len is at most INT32_MAX. */
size_t compress_bound(struct compressor *c, enum app_encoding e, size_t len);
/* Into room bytes, at least as many as compress_bound() says. Returns the length, 0: it failed. */
size_t compress_bytes(struct compressor *c, enum app_encoding e, const void *src, size_t len,
		      void *dst, size_t room);

#endif
