/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite_name - IANA's name of a cipher suite, from its number on the wire.
 */
#ifndef CAPTURE_SUITE_NAME_H
#define CAPTURE_SUITE_NAME_H

#include <stddef.h>
#include <stdint.h>

#define SUITE_NAME_BYTES 64

/* The number itself, "0x1a1a", where it has no name. */
void suite_name(uint32_t code, char *dst, size_t size);

#endif
