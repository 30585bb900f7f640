/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks - large pieces of memory of one size, in pages of their own, for libraries that keep
 * one for as long as an association lives and look into it at its beginning only. While
 * its owner rests, a block's bytes are kept in as much memory as they need and its pages
 * are the system's; the owner wakes it, with every byte as it was, before anybody looks.
 *
 * Any thread may take and give; an owner, and what was taken in its name, is one thread's.
 */
#ifndef LIB_BLOCKS_H
#define LIB_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LARGE_BLOCK_BYTES 24576 /* rounded up to whole pages */

struct block_owner {
	uint32_t first; /* 0: it has none */
};

/*
 * In whose name this thread takes blocks from now on; NULL, as in the beginning: in nobody's,
 * there are none then. The owner stays where it is for as long as it has any.
 */
void blocks_are_of(struct block_owner *o);
/* What it still has is nobody's from now on, and never rests. */
void blocks_disown(struct block_owner *o);

/* NULL: more than LARGE_BLOCK_BYTES, no owner, or there is no more. Not cleared. */
void *block_take(size_t bytes);
/* For any pointer at all. */
bool is_block(const void *p);
void block_give(void *p);

/* What has more than a quarter in use stays as it is. Twice is as good as once. */
void blocks_rest(struct block_owner *o);
void blocks_wake(struct block_owner *o);

/* The pages of blocks that nobody has, but for a few, become the system's. */
void blocks_trim(void);

struct block_tally {
	uint32_t taken, resting;
};
/* Of all threads, as they are for a moment. */
struct block_tally blocks_tally(void);

#endif
