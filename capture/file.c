/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file - the magic number, and records of the older format (pcap).
 */
#include "capture/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/bytes.h"

#define MAGIC_US      0xa1b2c3d4u
#define MAGIC_NS      0xa1b23c4du
#define MAGIC_PCAPNG  0x0a0d0d0au
#define HEADER_REST   20
#define RECORD_HEADER 16

uint16_t capture_file_16(const struct capture_file *c, const uint8_t *p)
{
	return c->is_big_endian ? be16(p) : le16(p);
}

uint32_t capture_file_32(const struct capture_file *c, const uint8_t *p)
{
	return c->is_big_endian ? be32(p) : le32(p);
}

bool capture_file_take(struct capture_file *c, void *dst, size_t len)
{
	size_t got = fread(dst, 1, len, c->in);

	c->offset_bytes += got;
	if (got < len && got)
		c->cut = true;
	return got == len;
}

static int read_pcap_header(struct capture_file *c)
{
	uint8_t rest[HEADER_REST];

	if (!capture_file_take(c, rest, sizeof(rest)))
		return fail_set(&c->fail, EINVAL, "the file ends inside its header of 24 bytes");
	if (capture_file_16(c, rest) != 2)
		return fail_set(&c->fail, EINVAL, "pcap version %u: only version 2 is known",
				capture_file_16(c, rest));
	c->interface[0] = (struct capture_interface){
		.link_type = (int)(capture_file_32(c, rest + 16) & 0xffff),
		.units_per_s = c->is_nanosecond ? 1000000000 : 1000000,
	};
	c->interface_count = 1;
	return 0;
}

static int read_magic(struct capture_file *c)
{
	uint8_t magic[4] = { 0 };

	errno = 0;
	if (!capture_file_take(c, magic, sizeof(magic)) && ferror(c->in))
		return fail_set(&c->fail, EIO, "cannot be read: %s", strerror(errno));
	if (c->offset_bytes < sizeof(magic))
		return fail_set(&c->fail, EINVAL, "too short to be a capture file");
	if (be32(magic) == MAGIC_PCAPNG) {
		c->is_pcapng = true;
		return capture_pcapng_section(c);
	}
	c->is_big_endian = be32(magic) == MAGIC_US || be32(magic) == MAGIC_NS;
	c->is_nanosecond = be32(magic) == MAGIC_NS || le32(magic) == MAGIC_NS;
	if (!c->is_big_endian && !c->is_nanosecond && le32(magic) != MAGIC_US)
		return fail_set(&c->fail, EINVAL,
				"begins with %02x %02x %02x %02x: neither pcap nor pcapng",
				magic[0], magic[1], magic[2], magic[3]);
	return read_pcap_header(c);
}

int capture_file_init(struct capture_file *c, FILE *in)
{
	memset(c, 0, sizeof(*c));
	c->in = in;
	c->secrets = (struct buf){ .max = CAPTURE_SECRETS_BYTES_MAX, .secret = true };
	c->block = malloc(CAPTURE_BLOCK_BYTES);
	if (!c->block)
		return fail_set(&c->fail, ENOMEM, "no memory to read a capture file");
	return read_magic(c);
}

void capture_file_release(struct capture_file *c)
{
	if (c->block) /* it may hold secrets still */
		explicit_bzero(c->block, CAPTURE_BLOCK_BYTES);
	free(c->block);
	c->block = NULL;
	buf_release(&c->secrets);
}

int capture_file_next(struct capture_file *c, struct capture_packet *p)
{
	uint64_t at = c->offset_bytes;
	uint8_t header[RECORD_HEADER];
	uint32_t fraction;

	if (c->is_pcapng)
		return capture_pcapng_next(c, p);
	if (!capture_file_take(c, header, sizeof(header)))
		return 0;
	fraction = capture_file_32(c, header + 4);
	p->captured_bytes = capture_file_32(c, header + 8);
	p->wire_bytes = capture_file_32(c, header + 12);
	if (p->captured_bytes > CAPTURE_BLOCK_BYTES)
		return fail_set(
			&c->fail, EINVAL,
			"damaged at byte %llu: a packet of %u bytes, at most %d are possible",
			(unsigned long long)at, p->captured_bytes, CAPTURE_BLOCK_BYTES);
	p->time_ns = (int64_t)capture_file_32(c, header) * 1000000000 +
		     (int64_t)fraction * (c->is_nanosecond ? 1 : 1000);
	p->link_type = c->interface[0].link_type;
	p->data = c->block;
	if (capture_file_take(c, c->block, p->captured_bytes))
		return 1;
	c->cut = true;
	return 0;
}
