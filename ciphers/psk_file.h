/* SPDX-License-Identifier: Apache-2.0 */
/*
 * psk_file - pre-shared keys from a text file: IDENTITY=BASE64 on each line, as
 * Californium's --psk-store reads it.
 *
 * Empty lines, and lines that begin with '#', are passed over. The identity ends at the
 * first '='. A line that is wrong is refused with its number.
 */
#ifndef CIPHERS_PSK_FILE_H
#define CIPHERS_PSK_FILE_H

#include "ciphers/psk.h"
#include "lib/fail.h"

#define PSK_FILE_BYTES_MAX (16 << 20)

/* Into an empty table, sorted and with one row at least. -1: the reason, and it is empty. */
int psk_file_read(const char *path, struct psk_table *t, struct fail *f);

/* The same from memory; path is what messages call it. */
int psk_file_parse(const char *text, size_t len, const char *path, struct psk_table *t,
		   struct fail *f);

#endif
