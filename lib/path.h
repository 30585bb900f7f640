/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - files and directories: XDG places, whole-file reads with a limit,
 * writes that are seen whole or not at all.
 */
#ifndef LIB_PATH_H
#define LIB_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/fail.h"

enum path_place { PATH_DATA, PATH_CACHE, PATH_STATE };

#define PATH_BYTES 4096

/*
 * $XDG_DATA_HOME/cipherwatt, $XDG_CACHE_HOME/cipherwatt or $XDG_STATE_HOME/cipherwatt, with the
 * specification's defaults under $HOME, and "/" NAME behind it when name is
 * not NULL. The directories above NAME are made (0700), or the place itself when
 * there is no name. A relative XDG value is ignored, as the specification says.
 */
int path_place(enum path_place place, const char *name, char dst[PATH_BYTES], struct fail *f);

/* Make a directory and those above it (0777 less the umask); one that is there is well. */
int path_make_dirs(const char *path, struct fail *f);

bool path_exists(const char *path);

/*
 * Writing to one would change the other: the same file by whatever names, or, where one is not
 * there yet, the same place.
 */
bool path_same(const char *a, const char *b);

/*
 * Append the whole file to out; more than max bytes is an error that says so. On -1
 * out has what it had.
 */
int path_read(const char *path, size_t max, struct buf *out, struct fail *f);

/*
 * Write beside it, fsync, rename, fsync the directory: on -1 the old content is
 * there unharmed. mode as for open(2). A symbolic link stays one; what is not a
 * file (a pipe, /dev/stdout) is written straight.
 */
int path_write(const char *path, const void *src, size_t len, unsigned mode, struct fail *f);

/* All of it, whatever interrupts. -1: errno. */
int path_write_all(int fd, const void *src, size_t len);

/* A file that was made or renamed is on the disk only when its directory is. -1: errno. */
int path_sync_directory_of(const char *path);

#endif
