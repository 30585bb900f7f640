/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations on a wire, held against a plain list of the bytes that went in. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ciphers/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"

#define STEPS       20000
#define CAP_BYTES   997
#define MODEL_BYTES (STEPS * CAP_BYTES)

struct model {
	struct rng rng;
	uint8_t *sent; /* every byte ever accepted */
	size_t in, out;
};

static void model_init(struct model *m)
{
	uint64_t seed = rng_fresh_seed();

	print_message("seed %llu\n", (unsigned long long)seed);
	*m = (struct model){ .sent = malloc(MODEL_BYTES) };
	assert_non_null(m->sent);
	rng_seed(&m->rng, seed);
}

static size_t random_bytes(struct model *m, uint8_t *dst, size_t max)
{
	size_t len = (size_t)rng_below(&m->rng, max + 1);

	for (size_t i = 0; i < len; i++)
		dst[i] = (uint8_t)rng_next(&m->rng);
	return len;
}

static void stream_put(struct model *m, struct wire *w)
{
	uint8_t data[CAP_BYTES * 2];
	size_t len = random_bytes(m, data, sizeof(data)), room = wire_room(w);
	size_t n = wire_put(w, data, len);

	assert_int_equal(n, len < room ? len : room);
	memcpy(m->sent + m->in, data, n);
	m->in += n;
}

static void stream_fill(struct model *m, struct wire *w)
{
	size_t room, len;
	uint8_t *space = wire_space(w, &room);

	assert_int_equal(room, wire_room(w));
	len = random_bytes(m, space, room);
	memcpy(m->sent + m->in, space, len);
	m->in += len;
	wire_fill(w, len);
}

static void stream_get(struct model *m, struct wire *w)
{
	uint8_t data[CAP_BYTES];
	size_t n = wire_get(w, data, (size_t)rng_below(&m->rng, sizeof(data)) + 1);

	assert_true(n <= m->in - m->out);
	assert_true(n > 0 || m->in == m->out);
	assert_memory_equal(data, m->sent + m->out, n);
	m->out += n;
}

static void stream_drop(struct model *m, struct wire *w)
{
	size_t have, n;
	const uint8_t *data = wire_peek(w, &have);

	assert_int_equal(have, m->in - m->out);
	assert_memory_equal(data, m->sent + m->out, have);
	n = (size_t)rng_below(&m->rng, have + 1);
	wire_drop(w, n);
	m->out += n;
}

static void test_stream_is_a_queue_of_bytes(void **state)
{
	static void (*const acts[])(struct model *, struct wire *) = { stream_put, stream_get,
								       stream_fill, stream_drop };
	struct model m;
	struct wire w;

	(void)state;
	model_init(&m);
	assert_int_equal(wire_init(&w, CAP_BYTES, false), 0);
	for (int i = 0; i < STEPS; i++) {
		acts[rng_below(&m.rng, 4)](&m, &w);
		assert_int_equal(wire_empty(&w), m.in == m.out);
		assert_int_equal(wire_room(&w), CAP_BYTES - (m.in - m.out));
	}
	assert_true(m.in > CAP_BYTES * 10);
	wire_release(&w);
	free(m.sent);
}

static void test_datagrams_keep_their_borders(void **state)
{
	size_t *sizes = calloc(STEPS, sizeof(*sizes)), first = 0, last = 0;
	uint8_t data[CAP_BYTES * 2];
	struct model m;
	struct wire w;

	(void)state;
	model_init(&m);
	assert_int_equal(wire_init(&w, CAP_BYTES, true), 0);
	for (int i = 0; i < STEPS; i++) {
		size_t len, n, room = wire_room(&w);

		if (rng_below(&m.rng, 2)) {
			len = random_bytes(&m, data, CAP_BYTES / 3) + 1;
			n = wire_put(&w, data, len);
			assert_int_equal(n, len <= room ? len : 0);
			memcpy(m.sent + m.in, data, n);
			m.in += n;
			if (n)
				sizes[last++] = n;
			continue;
		}
		n = wire_get(&w, data, sizeof(data));
		assert_int_equal(n, first < last ? sizes[first] : 0);
		assert_memory_equal(data, m.sent + m.out, n);
		m.out += n;
		first += first < last;
	}
	assert_true(first > STEPS / 10);
	wire_release(&w);
	free(m.sent);
	free(sizes);
}

static void test_a_long_datagram_is_cut(void **state)
{
	char got[4];
	struct wire w;

	(void)state;
	assert_int_equal(wire_init(&w, 64, true), 0);
	assert_int_equal(wire_put(&w, "abcdefgh", 8), 8);
	assert_int_equal(wire_put(&w, "next", 4), 4);
	assert_int_equal(wire_get(&w, got, 4), 4);
	assert_memory_equal(got, "abcd", 4);
	assert_int_equal(wire_get(&w, got, 4), 4);
	assert_memory_equal(got, "next", 4);
	assert_true(wire_empty(&w));
	wire_release(&w);
	wire_release(&w);
}

static void test_a_datagram_is_given_in_parts(void **state)
{
	char got[8];
	struct wire w;

	(void)state;
	assert_int_equal(wire_init(&w, 64, true), 0);
	assert_int_equal(wire_get_part(&w, got, 3), 0);
	assert_int_equal(wire_put(&w, "abcdefg", 7), 7);
	assert_int_equal(wire_put(&w, "next", 4), 4);
	assert_int_equal(wire_get_part(&w, got, 1), 1);
	assert_int_equal(wire_get_part(&w, got + 1, 3), 3);
	assert_false(wire_empty(&w));
	assert_int_equal(wire_get_part(&w, got + 4, 4), 3);
	assert_memory_equal(got, "abcdefg", 7);
	assert_int_equal(wire_get_part(&w, got, 4), 4);
	assert_memory_equal(got, "next", 4);
	assert_true(wire_empty(&w));
	wire_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream_is_a_queue_of_bytes),
		cmocka_unit_test(test_datagrams_keep_their_borders),
		cmocka_unit_test(test_a_long_datagram_is_cut),
		cmocka_unit_test(test_a_datagram_is_given_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
