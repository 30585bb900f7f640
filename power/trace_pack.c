/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_pack - column by column: stamps as differences of differences, durations and codes as
 * differences, flags as they are. It must not know compression or files.
 *
 * Differences wrap modulo 2^64, so any values survive, sensible or not.
 */
#include "power/trace_pack.h"

#include "lib/clock.h"

void pack_unsigned(struct buf *out, uint64_t v)
{
	while (v >= 0x80) {
		buf_byte(out, (uint8_t)(v | 0x80));
		v >>= 7;
	}
	buf_byte(out, (uint8_t)v);
}

static uint64_t zigzag(uint64_t v)
{
	return v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
}

void pack_signed(struct buf *out, int64_t v)
{
	pack_unsigned(out, zigzag((uint64_t)v));
}

uint64_t unpack_unsigned(struct unpack *u)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 64 && u->at < u->end; shift += 7) {
		uint8_t byte = *u->at++;

		v |= (uint64_t)(byte & 0x7F) << shift;
		if (byte & 0x80)
			continue;
		/* The tenth byte holds one bit. */
		if (shift == 63 && byte > 1)
			break;
		return u->failed ? 0 : v;
	}
	u->failed = true;
	return 0;
}

int64_t unpack_signed(struct unpack *u)
{
	uint64_t v = unpack_unsigned(u);

	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

int64_t pack_tick_ns(const struct sample *s, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (s[i].before_ns % NS_PER_US != 0 || s[i].after_ns % NS_PER_US != 0)
			return 1;
	return NS_PER_US;
}

enum { COLUMN_BEFORE, COLUMN_LENGTH, COLUMN_CODE0, COLUMN_CODE1, COLUMN_FLAGS, COLUMNS };

static uint64_t get_column(const struct sample *s, int column, int64_t tick_ns)
{
	switch (column) {
	case COLUMN_BEFORE:
		return (uint64_t)(s->before_ns / tick_ns);
	case COLUMN_LENGTH:
		return (uint64_t)(s->after_ns / tick_ns) - (uint64_t)(s->before_ns / tick_ns);
	case COLUMN_CODE0:
		return (uint64_t)s->code[0];
	case COLUMN_CODE1:
		return (uint64_t)s->code[1];
	}
	return s->flags;
}

static inline void set_column(struct sample *s, int column, int64_t tick_ns, uint64_t v)
{
	switch (column) {
	case COLUMN_BEFORE:
		s->before_ns = (int64_t)(v * (uint64_t)tick_ns);
		return;
	case COLUMN_LENGTH:
		s->after_ns = (int64_t)((uint64_t)s->before_ns + v * (uint64_t)tick_ns);
		return;
	case COLUMN_CODE0:
		s->code[0] = (int64_t)v;
		return;
	case COLUMN_CODE1:
		s->code[1] = (int64_t)v;
		return;
	}
	s->flags = (uint32_t)v;
}

void pack_samples(const struct sample *s, size_t count, int64_t tick_ns, struct buf *out)
{
	for (int column = 0; column < COLUMNS; column++) {
		uint64_t last = 0, last_step = 0;

		for (size_t i = 0; i < count; i++) {
			uint64_t v = get_column(&s[i], column, tick_ns), step = v - last;

			pack_unsigned(out,
				      zigzag(column == COLUMN_BEFORE ? step - last_step : step));
			last = v;
			/* The first step is the stamp itself, not a step. */
			last_step = i ? step : 0;
		}
	}
}

/* Nearly all differences fit into one byte. */
static inline uint64_t next_step(struct unpack *u)
{
	uint64_t v = u->at < u->end && *u->at < 0x80 ? *u->at++ : unpack_unsigned(u);

	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

/* Inlined with a constant column, so that no value asks which one it is of. */
static inline __attribute__((always_inline)) void
unpack_column(struct unpack *u, int column, size_t count, int64_t tick_ns, struct sample *s)
{
	uint64_t last = 0, last_step = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t step = next_step(u);

		if (column == COLUMN_BEFORE) {
			step += last_step;
			last_step = i ? step : 0;
		}
		last += step;
		set_column(&s[i], column, tick_ns, last);
	}
}

bool unpack_samples(struct unpack *u, size_t count, int64_t tick_ns, struct sample *s)
{
	unpack_column(u, COLUMN_BEFORE, count, tick_ns, s);
	unpack_column(u, COLUMN_LENGTH, count, tick_ns, s);
	unpack_column(u, COLUMN_CODE0, count, tick_ns, s);
	unpack_column(u, COLUMN_CODE1, count, tick_ns, s);
	unpack_column(u, COLUMN_FLAGS, count, tick_ns, s);
	return !u->failed && u->at == u->end;
}
