/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hex - bytes as hexadecimal digits and back.
 */
#ifndef LIB_HEX_H
#define LIB_HEX_H

#include <stddef.h>
#include <stdint.h>

/* 0 to 15 of a digit of either case; -1: it is none. */
int hex_value(char c);

/* 2 * len digits to len bytes. -1: there is something else among them; dst may be written in part.
 */
int hex_decode(const char *text, size_t len, uint8_t *dst);

/* 2 * len digits, small letters, and a NUL. */
void hex_encode(const void *src, size_t len, char *dst);

#endif
