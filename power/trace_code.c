/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_code - a trace as portable bytes and back. It must not know any meter.
 *
 *	"CWTRACE1"
 *	head:  length, CRC-32 (4 bytes, big-endian), bytes: facts and counts
 *	chunks of at most 8192 samples, each:
 *	       samples, first stamp, packed length, compressed length, CRC-32, zlib bytes
 *
 * Numbers are LEB128, signed ones zigzag. A reader of a window looks at the heads of chunks
 * and unpacks only those it needs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "power/convert.h"
#include "power/trace.h"
#include "power/trace_pack.h"

#define MAGIC       "CWTRACE1"
#define MAGIC_LEN   8
#define HEAD_MOST   4096
#define NUMBERS     16
#define PACKED_MOST (TRACE_CHUNK * 5 * 10) /* five columns of at most ten bytes */

static void put_crc(struct buf *out, const void *src, size_t len)
{
	uint32_t crc = (uint32_t)crc32(0, src, (uInt)len);

	for (int shift = 24; shift >= 0; shift -= 8)
		buf_byte(out, (uint8_t)(crc >> shift));
}

static bool crc_matches(struct unpack *u, size_t len)
{
	uint32_t crc = 0;

	if ((size_t)(u->end - u->at) < 4 || (size_t)(u->end - u->at) - 4 < len)
		return false;
	for (int i = 0; i < 4; i++)
		crc = crc << 8 | *u->at++;
	return crc == (uint32_t)crc32(0, u->at, (uInt)len);
}

static void facts_numbers(const struct meter_facts *f, int64_t v[NUMBERS])
{
	const int64_t all[NUMBERS] = {
		f->kind,       f->meaning,          f->provenance,   f->period_ns,
		f->bus_lsb_pv, f->shunt_lsb_pv,     f->shunt_uohm,   f->inverted,
		f->gain_ppm,   f->counter_range_nj, f->shunt_ppm,    f->clock_ppm,
		f->offset_na,  f->power_min_nw,     f->power_max_nw, f->gapless,
	};

	memcpy(v, all, sizeof all);
}

static bool facts_from_numbers(struct meter_facts *f, const int64_t v[NUMBERS])
{
	if (v[0] < CODE_BUS_SHUNT || v[0] > CODE_ENERGY || v[1] < SAMPLE_INSTANT ||
	    v[1] > SAMPLE_COUNTER || v[2] < PROVENANCE_MEASURED || v[2] > PROVENANCE_SYNTHETIC ||
	    v[7] < 0 || v[7] > 1 || v[15] < 0 || v[15] > 1)
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

static void encode_head(const struct trace *t, int64_t tick_ns, struct buf *head)
{
	int64_t v[NUMBERS];

	put_text(head, t->facts.source);
	put_text(head, t->facts.chip);
	put_text(head, t->facts.basis);
	facts_numbers(&t->facts, v);
	for (int i = 0; i < NUMBERS; i++)
		pack_signed(head, v[i]);
	pack_unsigned(head, t->count);
	pack_unsigned(head, (uint64_t)tick_ns);
	pack_signed(head, t->late);
	pack_signed(head, t->lost);
	pack_signed(head, t->cpu_ns);
}

static int encode_chunk(const struct sample *s, size_t count, int64_t tick_ns, struct buf *out)
{
	struct buf packed;
	uLongf len;
	Bytef *bytes;
	int result = -1;

	buf_init(&packed, 0);
	pack_samples(s, count, tick_ns, &packed);
	len = compressBound(packed.len);
	bytes = malloc(len);
	if (packed.failed || bytes == NULL ||
	    compress2(bytes, &len, (const Bytef *)packed.data, packed.len, 9) != Z_OK)
		goto out;
	pack_unsigned(out, count);
	pack_signed(out, s[0].before_ns);
	pack_unsigned(out, packed.len);
	pack_unsigned(out, len);
	put_crc(out, bytes, len);
	buf_put(out, bytes, len);
	result = out->failed ? -1 : 0;
out:
	free(bytes);
	buf_release(&packed);
	return result;
}

int trace_encode(const struct trace *t, struct buf *out)
{
	int64_t tick_ns = pack_tick_ns(t->sample, t->count);
	struct buf head;
	int result = 0;

	buf_init(&head, HEAD_MOST);
	encode_head(t, tick_ns, &head);
	buf_put(out, MAGIC, MAGIC_LEN);
	pack_unsigned(out, head.len);
	put_crc(out, head.data, head.len);
	buf_put(out, head.data, head.len);
	if (head.failed)
		result = -1;
	buf_release(&head);
	for (size_t i = 0; i < t->count && result == 0; i += TRACE_CHUNK) {
		size_t count = t->count - i < TRACE_CHUNK ? t->count - i : TRACE_CHUNK;

		result = encode_chunk(t->sample + i, count, tick_ns, out);
	}
	return result == 0 && !out->failed ? 0 : -1;
}

static int corrupt(struct fail *f, const char *what)
{
	return fail_set(f, EBADMSG, "the trace is damaged: its %s cannot be right", what);
}

static bool decode_head(struct unpack *u, struct trace *t, uint64_t *count, int64_t *tick_ns)
{
	int64_t v[NUMBERS];

	if (!get_text(u, t->facts.source, sizeof t->facts.source) ||
	    !get_text(u, t->facts.chip, sizeof t->facts.chip) ||
	    !get_text(u, t->facts.basis, sizeof t->facts.basis))
		return false;
	for (int i = 0; i < NUMBERS; i++)
		v[i] = unpack_signed(u);
	*count = unpack_unsigned(u);
	*tick_ns = (int64_t)unpack_unsigned(u);
	t->late = unpack_signed(u);
	t->lost = unpack_signed(u);
	t->cpu_ns = unpack_signed(u);
	return !u->failed && u->at == u->end && (*tick_ns == 1 || *tick_ns == 1000) &&
	       facts_from_numbers(&t->facts, v);
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

static int decode_chunk(struct unpack *u, struct trace *t, uint64_t left, int64_t tick_ns,
			Bytef *packed, struct fail *f)
{
	uint64_t count = unpack_unsigned(u);
	int64_t first_ns = unpack_signed(u);
	uint64_t packed_len = unpack_unsigned(u), len = unpack_unsigned(u);
	uLongf got = (uLongf)packed_len;
	struct unpack columns;

	if (u->failed || count == 0 || count > TRACE_CHUNK || count > left ||
	    packed_len > PACKED_MOST || packed_len < count * 5)
		return corrupt(f, "chunk head");
	if (len > (uint64_t)(u->end - u->at) || !crc_matches(u, (size_t)len) ||
	    uncompress(packed, &got, u->at, (uLong)len) != Z_OK || got != packed_len)
		return corrupt(f, "chunk (check sum or compression)");
	u->at += len;
	if (t->cap - t->count < count) {
		size_t cap = t->cap * 2 > t->count + count ? t->cap * 2 : t->count + count;
		struct sample *more = realloc(t->sample, cap * sizeof *more);

		if (more == NULL)
			return fail_set(f, ENOMEM, "no memory for the trace");
		t->sample = more;
		t->cap = cap;
	}
	columns = (struct unpack){ packed, packed + packed_len, false };
	if (!unpack_samples(&columns, (size_t)count, tick_ns, t->sample + t->count) ||
	    !stamps_sane(t->sample + t->count, (size_t)count) ||
	    t->sample[t->count].before_ns != first_ns)
		return corrupt(f, "samples");
	t->count += count;
	return 0;
}

static int decode_chunks(struct unpack *u, struct trace *t, uint64_t count, int64_t tick_ns,
			 struct fail *f)
{
	Bytef *packed = malloc(PACKED_MOST);
	int result = packed == NULL ? fail_set(f, ENOMEM, "no memory") : 0;

	while (result == 0 && t->count < count)
		result = decode_chunk(u, t, count - t->count, tick_ns, packed, f);
	if (result == 0 && u->at != u->end)
		result = corrupt(f, "end: bytes are left over");
	free(packed);
	return result;
}

int trace_decode(struct trace *t, const void *src, size_t len, struct fail *f)
{
	struct unpack u = { src, (const uint8_t *)src + len, false }, head;
	uint64_t head_len, count;
	int64_t tick_ns;

	*t = (struct trace){ 0 };
	if (len < MAGIC_LEN || memcmp(src, MAGIC, MAGIC_LEN) != 0)
		return fail_set(f, EINVAL,
				"not a trace of this program (it does not begin with %s)", MAGIC);
	u.at += MAGIC_LEN;
	head_len = unpack_unsigned(&u);
	if (u.failed || head_len > HEAD_MOST || !crc_matches(&u, (size_t)head_len))
		return corrupt(f, "head (check sum)");
	head = (struct unpack){ u.at, u.at + head_len, false };
	u.at += head_len;
	if (!decode_head(&head, t, &count, &tick_ns) || convert_check(&t->facts, f) != 0)
		return f->code ? -1 : corrupt(f, "head");
	if (decode_chunks(&u, t, count, tick_ns, f) != 0) {
		trace_release(t);
		return -1;
	}
	return 0;
}
