/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_code - head, chunks and tail as bytes. It must not know any meter, nor files.
 *
 *	"CWTRACE2"
 *	'H', length, CRC-32, facts
 *	'C', length, CRC-32, head of the chunk (samples, stamps, lengths, CRC-32 of what
 *	     follows), zlib bytes; as often as there are chunks
 *	'E', length, CRC-32, counts: the tail, there when the writer ended well
 *
 * Numbers are LEB128, signed ones zigzag; a CRC is four bytes, big-endian. Lengths before a CRC
 * are one byte in chunks and tail, LEB128 in the head.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "power/convert.h"
#include "power/trace_code.h"

#define MAGIC_LEN     8
#define HEAD_MOST     4096
#define PIECE_MOST    128
#define NUMBERS       20
#define PACKED_MOST   (TRACE_CHUNK * 5 * 10) /* five columns of at most ten bytes */
#define SQUEEZED_MOST (PACKED_MOST + PACKED_MOST / 1000 + 64)

static void put_crc(struct buf *out, uint32_t crc)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_byte(out, (uint8_t)(crc >> shift));
}

static uint32_t crc_of(const void *src, size_t len)
{
	return (uint32_t)crc32(0, src, (uInt)len);
}

static void facts_numbers(const struct meter_facts *f, int64_t v[NUMBERS])
{
	const int64_t all[NUMBERS] = {
		f->kind,
		f->meaning,
		f->provenance,
		f->period_ns,
		f->bus_lsb_pv,
		f->shunt_lsb_pv,
		f->shunt_uohm,
		f->inverted,
		f->gain_ppm,
		f->counter_range_nj,
		f->shunt_ppm,
		f->clock_ppm,
		f->offset_na,
		f->power_min_nw,
		f->power_max_nw,
		f->gapless,
		f->counter_step_nj,
		f->trim_gain_ppm,
		f->trim_offset_na,
		f->error_unknown,
	};

	memcpy(v, all, sizeof all);
}

static bool facts_from_numbers(struct meter_facts *f, const int64_t v[NUMBERS])
{
	if (v[0] < CODE_BUS_SHUNT || v[0] > CODE_ENERGY || v[1] < SAMPLE_INSTANT ||
	    v[1] > SAMPLE_COUNTER || v[2] < PROVENANCE_MEASURED || v[2] > PROVENANCE_SYNTHETIC ||
	    v[7] < 0 || v[7] > 1 || v[15] < 0 || v[15] > 1 || v[19] < 0 || v[19] > 1)
		return false;
	f->kind = (enum code_kind)v[0];
	f->meaning = (enum sample_meaning)v[1];
	f->provenance = (enum provenance)v[2];
	f->period_ns = v[3];
	f->bus_lsb_pv = v[4];
	f->shunt_lsb_pv = v[5];
	f->shunt_uohm = v[6];
	f->inverted = v[7];
	f->gain_ppm = v[8];
	f->counter_range_nj = v[9];
	f->shunt_ppm = v[10];
	f->clock_ppm = v[11];
	f->offset_na = v[12];
	f->power_min_nw = v[13];
	f->power_max_nw = v[14];
	f->gapless = v[15];
	f->counter_step_nj = v[16];
	f->trim_gain_ppm = v[17];
	f->trim_offset_na = v[18];
	f->error_unknown = v[19];
	return true;
}

static void put_text(struct buf *out, const char *text)
{
	pack_unsigned(out, strlen(text));
	buf_puts(out, text);
}

static bool get_text(struct unpack *u, char *dst, size_t size)
{
	uint64_t len = unpack_unsigned(u);

	if (u->failed || len >= size || len > (size_t)(u->end - u->at) ||
	    memchr(u->at, '\0', (size_t)len) != NULL)
		return false;
	memcpy(dst, u->at, (size_t)len);
	dst[len] = '\0';
	u->at += len;
	return true;
}

static void put_piece(struct buf *out, char mark, struct buf *piece)
{
	buf_byte(out, (uint8_t)mark);
	pack_unsigned(out, piece->len);
	put_crc(out, crc_of(piece->data, piece->len));
	buf_put(out, piece->data, piece->len);
	out->failed |= piece->failed;
	buf_release(piece);
}

void trace_put_head(const struct meter_facts *facts, struct buf *out)
{
	struct buf head = { .max = HEAD_MOST };
	int64_t v[NUMBERS];

	put_text(&head, facts->source);
	put_text(&head, facts->chip);
	put_text(&head, facts->basis);
	facts_numbers(facts, v);
	for (int i = 0; i < NUMBERS; i++)
		pack_signed(&head, v[i]);
	buf_put(out, TRACE_MAGIC, MAGIC_LEN);
	put_piece(out, 'H', &head);
}

static void put_chunk_head(const struct sample *s, size_t count, int64_t tick_ns, size_t packed_len,
			   const void *bytes, size_t len, struct buf *out)
{
	struct buf head = { .max = PIECE_MOST };
	int64_t from_ns = s[0].before_ns, to_ns = s[0].after_ns;

	for (size_t i = 1; i < count; i++) {
		from_ns = s[i].before_ns < from_ns ? s[i].before_ns : from_ns;
		to_ns = s[i].after_ns > to_ns ? s[i].after_ns : to_ns;
	}
	pack_unsigned(&head, count);
	pack_signed(&head, from_ns);
	pack_signed(&head, to_ns);
	pack_unsigned(&head, (uint64_t)tick_ns);
	pack_unsigned(&head, packed_len);
	pack_unsigned(&head, len);
	pack_unsigned(&head, crc_of(bytes, len));
	put_piece(out, 'C', &head);
}

int trace_put_chunk(const struct sample *s, size_t count, struct buf *out)
{
	int64_t tick_ns = pack_tick_ns(s, count);
	struct buf packed = { .max = 0 };
	uLongf len;
	Bytef *bytes;
	int result = -1;

	pack_samples(s, count, tick_ns, &packed);
	len = compressBound(packed.len);
	bytes = malloc(len);
	if (packed.failed || bytes == NULL ||
	    compress2(bytes, &len, (const Bytef *)packed.data, packed.len, 9) != Z_OK)
		goto out;
	put_chunk_head(s, count, tick_ns, packed.len, bytes, len, out);
	buf_put(out, bytes, len);
	result = out->failed ? -1 : 0;
out:
	free(bytes);
	buf_release(&packed);
	return result;
}

void trace_put_tail(int64_t count, int64_t late, int64_t lost, int64_t cpu_ns, struct buf *out)
{
	struct buf tail = { .max = PIECE_MOST };

	pack_signed(&tail, count);
	pack_signed(&tail, late);
	pack_signed(&tail, lost);
	pack_signed(&tail, cpu_ns);
	put_piece(out, 'E', &tail);
}

static int corrupt(struct fail *f, const char *what)
{
	return fail_set(f, EBADMSG, "the trace is damaged: its %s cannot be right", what);
}

/* Up to len bytes at an offset; how many there are. */
static size_t fetch(struct trace_reader *r, int64_t at, void *dst, size_t len)
{
	size_t got = 0;

	if (at < 0 || at >= r->len)
		return 0;
	if ((uint64_t)(r->len - at) < len)
		len = (size_t)(r->len - at);
	if (r->bytes != NULL) {
		memcpy(dst, r->bytes + at, len);
		got = len;
	}
	while (got < len) {
		ssize_t n = pread(r->fd, (char *)dst + got, len - got, (off_t)(at + (int64_t)got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	r->bytes_read += (int64_t)got;
	return got;
}

struct piece {
	uint8_t bytes[HEAD_MOST + 16];
	char mark;
	struct unpack content;
	int64_t end; /* offset behind it */
	bool cut;    /* the file ends inside it */
};

/* The piece at an offset; false: there is none that is whole and right. */
static bool read_piece(struct trace_reader *r, int64_t at, size_t most, struct piece *p)
{
	size_t got = fetch(r, at, p->bytes, most + 16);
	struct unpack u = { p->bytes + 1, p->bytes + got, false };
	uint32_t crc = 0;
	uint64_t len;

	p->cut = got < 2;
	if (p->cut)
		return false;
	p->mark = (char)p->bytes[0];
	len = unpack_unsigned(&u);
	if (u.failed || len > most || (size_t)(u.end - u.at) < len + 4) {
		p->cut = got < most + 16 && (u.failed || len <= most);
		return false;
	}
	for (int i = 0; i < 4; i++)
		crc = crc << 8 | *u.at++;
	p->content = (struct unpack){ u.at, u.at + len, false };
	p->end = at + (u.at - p->bytes) + (int64_t)len;
	return crc == crc_of(u.at, (size_t)len);
}

static bool decode_head(struct unpack *u, struct meter_facts *facts)
{
	int64_t v[NUMBERS];

	if (!get_text(u, facts->source, sizeof facts->source) ||
	    !get_text(u, facts->chip, sizeof facts->chip) ||
	    !get_text(u, facts->basis, sizeof facts->basis))
		return false;
	for (int i = 0; i < NUMBERS; i++)
		v[i] = unpack_signed(u);
	return !u->failed && u->at == u->end && facts_from_numbers(facts, v);
}

int trace_reader_open(struct trace_reader *r, const void *bytes, int fd, int64_t len,
		      struct fail *f)
{
	char magic[MAGIC_LEN];
	struct piece p;

	*r = (struct trace_reader){ .bytes = bytes, .fd = fd, .len = len };
	if (fetch(r, 0, magic, MAGIC_LEN) != MAGIC_LEN ||
	    memcmp(magic, TRACE_MAGIC, MAGIC_LEN) != 0)
		return fail_set(f, EINVAL,
				"not a trace of this program (it does not begin with %s)",
				TRACE_MAGIC);
	if (!read_piece(r, MAGIC_LEN, HEAD_MOST, &p) || p.mark != 'H' ||
	    !decode_head(&p.content, &r->facts))
		return corrupt(f, "head (check sum)");
	if (convert_check(&r->facts, f) != 0)
		return -1;
	r->at = p.end;
	r->packed = malloc(PACKED_MOST);
	r->squeezed = malloc(SQUEEZED_MOST);
	if (r->packed != NULL && r->squeezed != NULL)
		return 0;
	trace_reader_close(r);
	return fail_set(f, ENOMEM, "no memory to unpack a trace");
}

void trace_reader_close(struct trace_reader *r)
{
	free(r->packed);
	free(r->squeezed);
	r->packed = r->squeezed = NULL;
}

static bool decode_tail(struct trace_reader *r, struct unpack *u)
{
	r->count = unpack_signed(u);
	r->late = unpack_signed(u);
	r->lost = unpack_signed(u);
	r->cpu_ns = unpack_signed(u);
	r->complete = !u->failed && u->at == u->end;
	return r->complete;
}

static bool decode_chunk_head(struct unpack *u, struct trace_chunk *c)
{
	uint64_t count = unpack_unsigned(u), tick, packed_len, len, crc;

	c->from_ns = unpack_signed(u);
	c->to_ns = unpack_signed(u);
	tick = unpack_unsigned(u);
	packed_len = unpack_unsigned(u);
	len = unpack_unsigned(u);
	crc = unpack_unsigned(u);
	if (u->failed || u->at != u->end || count == 0 || count > TRACE_CHUNK ||
	    (tick != 1 && tick != 1000) || packed_len > PACKED_MOST || packed_len < count * 5 ||
	    len > SQUEEZED_MOST || crc > UINT32_MAX)
		return false;
	c->count = (uint32_t)count;
	c->tick_ns = (int64_t)tick;
	c->packed_len = (uint32_t)packed_len;
	c->len = (uint32_t)len;
	c->crc = (uint32_t)crc;
	return true;
}

int trace_reader_next(struct trace_reader *r, struct trace_chunk *c, struct fail *f)
{
	struct piece p;

	if (r->complete || r->at >= r->len)
		return 0;
	if (!read_piece(r, r->at, PIECE_MOST, &p))
		return p.cut ? 0 : corrupt(f, "chunk head");
	if (p.mark == 'E') {
		if (!decode_tail(r, &p.content) || p.end != r->len)
			return corrupt(f, "end: bytes are left over");
		return 0;
	}
	if (p.mark != 'C' || !decode_chunk_head(&p.content, c))
		return corrupt(f, "chunk head");
	c->at = p.end;
	if (c->at + (int64_t)c->len > r->len)
		return 0; /* cut */
	r->at = c->at + (int64_t)c->len;
	return 1;
}

/* Stamps that no clock shows: differences between those inside cannot overflow. */
static bool stamps_sane(const struct sample *s, size_t count)
{
	const int64_t most = INT64_MAX / 4;

	for (size_t i = 0; i < count; i++)
		if (s[i].before_ns < -most || s[i].before_ns > most || s[i].after_ns < -most ||
		    s[i].after_ns > most)
			return false;
	return true;
}

int trace_reader_load(struct trace_reader *r, const struct trace_chunk *c, struct sample *dst,
		      struct fail *f)
{
	uLongf got = c->packed_len;
	struct unpack columns;

	if (fetch(r, c->at, r->squeezed, c->len) != c->len ||
	    crc_of(r->squeezed, c->len) != c->crc ||
	    uncompress(r->packed, &got, r->squeezed, c->len) != Z_OK || got != c->packed_len)
		return corrupt(f, "chunk (check sum or compression)");
	columns = (struct unpack){ r->packed, (uint8_t *)r->packed + got, false };
	if (!unpack_samples(&columns, c->count, c->tick_ns, dst) || !stamps_sane(dst, c->count))
		return corrupt(f, "samples");
	return 0;
}
