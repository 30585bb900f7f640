/* SPDX-License-Identifier: Apache-2.0 */
/* hist_code_test - histograms as bytes: given back, cut short, and tampered with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hist_testing.h"
#include "lib/testing.h"

static void fill_and_encode(struct rng *r, struct hist *h, struct buf *b)
{
	int n = (int)rng_below(r, 200);

	hist_clear(h);
	for (int i = 0; i < n; i++)
		hist_add(h, draw(r, (enum shape)(i % SHAPES)) + (i % 50 ? 0 : HIST_MAX_NS));
	buf_clear(b);
	hist_encode(h, b);
	assert_false(b->failed);
}

static void decode_gives_back(void **state)
{
	struct rng r = testing_rng(__func__);
	struct hist h, back;
	struct fail f = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	assert_int_equal(hist_init(&back), 0);
	for (int trial = 0; trial < 200; trial++) {
		fill_and_encode(&r, &h, &b);
		assert_int_equal(hist_decode(&back, b.data, b.len, &f), 0);
		assert_same(&back, &h);
		assert_true(back.sum_ns == h.sum_ns);
		for (size_t cut = 0; cut < b.len;
		     cut += 1 + b.len / 9) { /* a short one is refused */
			assert_int_equal(hist_decode(&back, b.data, cut, &f), -1);
			assert_int_equal(back.count, 0);
			fail_clear(&f);
		}
		buf_byte(&b, 0);
		assert_int_equal(hist_decode(&back, b.data, b.len, &f), -1);
		assert_non_null(strstr(f.text, "histogram"));
		fail_clear(&f);
	}
	hist_release(&h);
	hist_release(&back);
	buf_release(&b);
}

/* One sample in the last bucket, and the same one bucket further on. */
static void a_bucket_beyond_the_last_is_refused(void **state)
{
	struct fail f = { 0 };
	struct buf b = { 0 };
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	hist_add(&h, HIST_MAX_NS - 1);
	hist_encode(&h, &b);
	assert_int_equal(hist_decode(&h, b.data, b.len, &f), 0);
	assert_int_equal(b.data[b.len - 1], 1);             /* the count */
	assert_int_equal((uint8_t)b.data[b.len - 4], 0x80); /* 17408 as a varint: 80 88 01 */
	b.data[b.len - 4]++;
	assert_int_equal(hist_decode(&h, b.data, b.len, &f), -1);
	hist_release(&h);
	buf_release(&b);
}

static void add_counts(void *data, int64_t low_ns, int64_t high_ns, uint64_t count)
{
	(void)low_ns;
	(void)high_ns;
	*(uint64_t *)data += count;
}

static void mutate(struct rng *r, uint8_t *data, size_t *len)
{
	for (uint64_t n = 1 + rng_below(r, 3); n && *len; n--) {
		size_t at = (size_t)rng_below(r, *len);

		switch (rng_below(r, 4)) {
		case 0:
			data[at] = (uint8_t)rng_next(r);
			break;
		case 1:
			data[at] ^= (uint8_t)(1 << rng_below(r, 8));
			break;
		case 2:
			memmove(data + at, data + at + 1, *len - at - 1);
			--*len;
			break;
		default:
			data[at] = (uint8_t)(data[at] + (rng_below(r, 2) ? 1 : -1));
		}
	}
}

static void check_consistent(const struct hist *h)
{
	uint64_t total = h->above;

	hist_each(h, add_counts, &total);
	assert_int_equal(total, h->count);
	if (!h->count)
		return;
	for (double q = 0; q <= 1; q += 0.25) {
		int64_t ns = hist_quantile(h, q);

		assert_true(ns >= h->min_ns && ns <= h->max_ns);
	}
	assert_true(hist_mean(h) >= (double)h->min_ns * (1 - 1e-8));
	assert_true(hist_mean(h) <= (double)h->max_ns * (1 + 1e-8));
}

static void damaged_bytes_are_refused_or_consistent(void **state)
{
	struct rng r = testing_rng(__func__);
	struct buf b = { 0 };
	int accepted = 0;
	struct hist h;

	(void)state;
	assert_int_equal(hist_init(&h), 0);
	for (int trial = 0; trial < 10000; trial++) {
		struct fail f = { 0 };
		uint8_t *copy;
		size_t len;

		if (trial % 100 == 0)
			fill_and_encode(&r, &h, &b);
		len = b.len;
		copy = malloc(len ? len : 1); /* its own size, so that a sanitizer sees the edge */
		assert_non_null(copy);
		memcpy(copy, b.data, len);
		mutate(&r, copy, &len);
		if (hist_decode(&h, copy, len, &f))
			assert_int_equal(h.count, 0);
		else
			accepted++;
		check_consistent(&h);
		free(copy);
	}
	printf("%d of 10000 damaged histograms were still consistent\n", accepted);
	hist_release(&h);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode_gives_back),
		cmocka_unit_test(a_bucket_beyond_the_last_is_refused),
		cmocka_unit_test(damaged_bytes_are_refused_or_consistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
