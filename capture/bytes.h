/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes - numbers out of captured bytes: big-endian as on the wire, little-endian as in files.
 *
 * No checks here: whoever calls has compared the length first.
 */
#ifndef CAPTURE_BYTES_H
#define CAPTURE_BYTES_H

#include <stdint.h>

static inline uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | be24(p + 1);
}

static inline uint16_t le16(const uint8_t *p)
{
	return (uint16_t)(p[1] << 8 | p[0]);
}

static inline uint32_t le32(const uint8_t *p)
{
	return (uint32_t)le16(p + 2) << 16 | le16(p);
}

#endif
