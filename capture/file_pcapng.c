/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_pcapng - blocks of a pcapng file: sections, interfaces, packets and the secrets of TLS;
 * others are stepped over.
 */
#include <errno.h>

#include "capture/bytes.h"
#include "capture/file.h"
#include "lib/clock.h"

#define SECTION         0x0a0d0d0au
#define INTERFACE       1
#define OLD_PACKET      2
#define SIMPLE_PACKET   3
#define PACKET          6
#define SECRETS         10
#define SECRETS_TLS     0x544c534bu /* "TLSK" */
#define ORDER           0x1a2b3c4du
#define OPTION_TSRESOL  9
#define OPTION_TSOFFSET 14
#define MINIMUM_BYTES   12 /* type and length twice */

static int damaged(struct capture_file *c, uint64_t at, const char *what)
{
	return fail_set(&c->fail, EINVAL, "damaged at byte %llu: %s", (unsigned long long)at, what);
}

static bool skip(struct capture_file *c, uint64_t len)
{
	uint8_t piece[4096];

	while (len) {
		size_t part = len < sizeof(piece) ? (size_t)len : sizeof(piece);

		if (!capture_file_take(c, piece, part)) {
			c->cut = true;
			return false;
		}
		len -= part;
	}
	return true;
}

int capture_pcapng_section(struct capture_file *c)
{
	uint64_t at = c->offset_bytes - 4;
	uint8_t head[8];
	uint32_t len;

	if (!capture_file_take(c, head, sizeof(head)))
		return damaged(c, at, "the file ends inside a section header");
	if (be32(head + 4) != ORDER && le32(head + 4) != ORDER)
		return damaged(c, at, "a section header without its byte-order magic");
	c->is_big_endian = be32(head + 4) == ORDER;
	c->interface_count = 0;
	len = capture_file_32(c, head);
	if (len < 28 || len % 4)
		return damaged(c, at, "a section header of an impossible length");
	skip(c, len - 12);
	return 0;
}

static bool set_resolution(struct capture_interface *i, uint8_t code)
{
	int power = code & 0x7f;

	if (code & 0x80 ? power > 62 : power > 18)
		return false;
	i->units_per_s = 1;
	while (power--)
		i->units_per_s *= code & 0x80 ? 2 : 10;
	return true;
}

static bool read_interface_option(struct capture_file *c, struct capture_interface *i, int code,
				  const uint8_t *value, uint32_t len)
{
	uint64_t high;

	if (code == OPTION_TSRESOL)
		return len >= 1 && set_resolution(i, value[0]);
	if (code != OPTION_TSOFFSET)
		return true;
	if (len < 8)
		return false;
	high = capture_file_32(c, value + (c->is_big_endian ? 0 : 4));
	i->offset_s =
		(int64_t)(high << 32 | capture_file_32(c, value + (c->is_big_endian ? 4 : 0)));
	return true;
}

static int read_interface(struct capture_file *c, uint64_t at, uint32_t len)
{
	struct capture_interface *i = &c->interface[c->interface_count];
	const uint8_t *body = c->block;
	uint32_t pos = 8;

	if (len < 8)
		return damaged(c, at, "an interface description that is too short");
	if (c->interface_count == CAPTURE_INTERFACES_MAX)
		return damaged(c, at, "more than 256 interfaces in a section");
	*i = (struct capture_interface){ .link_type = capture_file_16(c, body),
					 .snap_bytes = capture_file_32(c, body + 4),
					 .units_per_s = 1000000 };
	while (len - pos >= 4) {
		int code = capture_file_16(c, body + pos);
		uint32_t size = capture_file_16(c, body + pos + 2);

		if (!code)
			break;
		pos += 4;
		if (size > len - pos || !read_interface_option(c, i, code, body + pos, size))
			return damaged(c, at, "an interface option that does not fit");
		size = (size + 3) & ~3u;
		pos = size > len - pos ? len : pos + size;
	}
	c->interface_count++;
	return 0;
}

/*
 * Whole seconds apart from the rest, so that 64 bits do. Units finer than a tenth of a nanosecond
 * are coarsened together with the rest first: what is lost is below a nanosecond.
 */
static bool to_ns(const struct capture_interface *i, uint64_t stamp, int64_t *time_ns)
{
	uint64_t units = i->units_per_s, rest = stamp % units;
	int64_t seconds;

	if (stamp / units > INT64_MAX / 2 ||
	    __builtin_add_overflow((int64_t)(stamp / units), i->offset_s, &seconds))
		return false;
	while (units > UINT64_MAX / NS_PER_S) {
		units >>= 1;
		rest >>= 1;
	}
	return !__builtin_mul_overflow(seconds, NS_PER_S, time_ns) &&
	       !__builtin_add_overflow(*time_ns, (int64_t)(rest * NS_PER_S / units), time_ns) &&
	       *time_ns >= 0;
}

/* Enhanced packets, and the obsolete ones that differ in the interface's width alone. */
static int read_packet(struct capture_file *c, uint64_t at, uint32_t type, uint32_t len,
		       struct capture_packet *p)
{
	const uint8_t *body = c->block;
	uint32_t number;
	uint64_t stamp;

	if (len < 20)
		return damaged(c, at, "a packet block that is too short");
	number = type == PACKET ? capture_file_32(c, body) : capture_file_16(c, body);
	stamp = (uint64_t)capture_file_32(c, body + 4) << 32 | capture_file_32(c, body + 8);
	p->captured_bytes = capture_file_32(c, body + 12);
	p->wire_bytes = capture_file_32(c, body + 16);
	if (number >= (uint32_t)c->interface_count)
		return damaged(c, at, "a packet of an interface that was not described");
	if (p->captured_bytes > len - 20)
		return damaged(c, at, "a packet longer than its block");
	if (!to_ns(&c->interface[number], stamp, &p->time_ns))
		return damaged(c, at, "a time stamp before 1970 or behind 2262");
	p->link_type = c->interface[number].link_type;
	p->data = body + 20;
	return 1;
}

/* A key log as text (draft-ietf-opsawg-pcapng section 4.7); other kinds of secrets are left alone.
 */
static int read_secrets(struct capture_file *c, uint64_t at, uint32_t len)
{
	uint32_t bytes;

	if (len < 8)
		return damaged(c, at, "a block of secrets that is too short");
	bytes = capture_file_32(c, c->block + 4);
	if (bytes > len - 8)
		return damaged(c, at, "secrets longer than their block");
	if (capture_file_32(c, c->block) == SECRETS_TLS)
		buf_put(&c->secrets, c->block + 8, bytes);
	return c->secrets.failed ? damaged(c, at, "more than 64 MiB of secrets") : 0;
}

/* A simple packet has no time: it cannot stand in a timeline. */
static int take_block(struct capture_file *c, uint64_t at, uint32_t type, uint32_t len,
		      struct capture_packet *p)
{
	if (type == SIMPLE_PACKET)
		return damaged(c, at, "a simple packet block, which has no time stamp");
	if (len > CAPTURE_BLOCK_BYTES)
		return damaged(c, at, "a block of more than 512 KiB");
	if (!capture_file_take(c, c->block, len) || !skip(c, 4)) {
		c->cut = true;
		return 2;
	}
	if (type == SECRETS)
		return read_secrets(c, at, len);
	return type == INTERFACE ? read_interface(c, at, len) : read_packet(c, at, type, len, p);
}

int capture_pcapng_next(struct capture_file *c, struct capture_packet *p)
{
	for (;;) {
		uint64_t at = c->offset_bytes;
		uint8_t head[8];
		uint32_t type, len;
		int taken = 0;

		if (!capture_file_take(c, head, 4))
			return 0;
		type = capture_file_32(c, head);
		if (type == SECTION) {
			if (capture_pcapng_section(c) != 0)
				return -1;
			continue;
		}
		if (!capture_file_take(c, head + 4, 4)) {
			c->cut = true;
			return 0;
		}
		len = capture_file_32(c, head + 4);
		if (len < MINIMUM_BYTES || len % 4)
			return damaged(c, at, "a block of an impossible length");
		if (type == INTERFACE || type == PACKET || type == OLD_PACKET ||
		    type == SIMPLE_PACKET || (type == SECRETS && len <= CAPTURE_BLOCK_BYTES))
			taken = take_block(c, at, type, len - MINIMUM_BYTES, p);
		else if (!skip(c, len - 8))
			return 0;
		if (taken)
			return taken == 2 ? 0 : taken;
	}
}
