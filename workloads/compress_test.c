/* SPDX-License-Identifier: Apache-2.0 */
/* compress_test - every coding at every level, decoded again by its library's other half. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef WITH_BROTLI
#include <brotli/decode.h>
#endif
#ifdef WITH_ZSTD
#include <zstd.h>
#endif

#include "workloads/compress.h"
#include "workloads/page_content.h"

/* Decoded length, or SIZE_MAX. */
static size_t decode(enum app_encoding e, const void *src, size_t len, void *dst, size_t room)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)src,
		       .avail_in = (uInt)len,
		       .next_out = dst,
		       .avail_out = (uInt)room };
	int status;

#ifdef WITH_BROTLI
	size_t got = room;

	if (e == APP_BROTLI)
		return BrotliDecoderDecompress(len, src, &got, dst) == BROTLI_DECODER_RESULT_SUCCESS
			       ? got
			       : SIZE_MAX;
#endif
#ifdef WITH_ZSTD
	if (e == APP_ZSTD) {
		size_t n = ZSTD_decompress(dst, room, src, len);

		return ZSTD_isError(n) ? SIZE_MAX : n;
	}
#endif
	assert_int_equal(e, APP_GZIP);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	status = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return status == Z_STREAM_END && z.avail_in == 0 ? z.total_out : SIZE_MAX;
}

/* Into memory of exactly the bound, so that a sanitizer sees a byte too many. */
static size_t check_one(struct compressor *c, enum app_encoding e, enum page_kind kind, size_t len)
{
	size_t room = compress_bound(c, e, len), used;
	char *page = malloc(len + 1), *coded = malloc(room), *again = malloc(len + 1);

	assert_true(page && coded && again);
	page_fill(kind, page, len);
	used = compress_bytes(c, e, page, len, coded, room);
	assert_true(used > 0 && used <= room);
	assert_int_equal(decode(e, coded, used, again, len + 1), len);
	assert_memory_equal(page, again, len);
	free(page);
	free(coded);
	free(again);
	return used;
}

static void every_level_decodes(void **state)
{
	static const size_t sizes[] = { 0, 1, 512, 9000, 0, 70000 };

	(void)state;
	for (int e = APP_GZIP; e < APP_ENCODINGS; e++) {
		int level[APP_ENCODINGS] = { 0 }, level_max;
		struct fail f = { 0 };
		struct compressor c;

		if (compress_refuses((enum app_encoding)e, &level_max))
			continue;
		for (level[e] = 1; level[e] <= level_max; level[e]++) {
			assert_int_equal(compress_open(&c, level, &f), 0);
			for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
				for (int kind = 0; kind < PAGE_KINDS; kind++)
					check_one(&c, (enum app_encoding)e, (enum page_kind)kind,
						  sizes[i]);
			compress_close(&c);
		}
	}
}

static size_t text_at(enum app_encoding e, int of)
{
	int level[APP_ENCODINGS] = { 0 };
	struct fail f = { 0 };
	struct compressor c;
	size_t len;

	level[e] = of;
	assert_int_equal(compress_open(&c, level, &f), 0);
	len = check_one(&c, e, PAGE_TEXT, 100000);
	compress_close(&c);
	return len;
}

static void levels_matter(void **state)
{
	(void)state;
	for (int e = APP_GZIP; e < APP_ENCODINGS; e++) {
		int level_max;

		if (!compress_refuses((enum app_encoding)e, &level_max))
			assert_true(text_at((enum app_encoding)e, level_max) * 10 <
				    text_at((enum app_encoding)e, 1) * 9);
	}
}

static void the_best_that_is_accepted_is_chosen(void **state)
{
	struct compressor c = { .level = { 0, 6, 5, 3 } };

	(void)state;
	assert_int_equal(compress_choose(&c, 1u << APP_IDENTITY), APP_IDENTITY);
	assert_int_equal(compress_choose(&c, ~0u), APP_ZSTD);
	assert_int_equal(compress_choose(&c, 1u << APP_GZIP | 1u << APP_BROTLI), APP_BROTLI);
	c.level[APP_ZSTD] = c.level[APP_BROTLI] = 0;
	assert_int_equal(compress_choose(&c, ~0u), APP_GZIP);
	assert_int_equal(compress_choose(&c, 1u << APP_ZSTD), APP_IDENTITY);
}

static void impossible_levels_are_refused(void **state)
{
	(void)state;
	for (int e = APP_GZIP; e < APP_ENCODINGS; e++) {
		int level[APP_ENCODINGS] = { 0 }, level_max;
		const char *absent = compress_refuses((enum app_encoding)e, &level_max);
		struct fail f = { 0 };
		struct compressor c;

		level[e] = absent ? 1 : level_max + 1;
		assert_int_equal(compress_open(&c, level, &f), -1);
		assert_non_null(strstr(f.text, app_encoding_name((enum app_encoding)e)));
		assert_non_null(strstr(f.text, absent ? "package" : "1 to"));
		level[e] = -1;
		assert_int_equal(compress_open(&c, level, &f), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_level_decodes),
		cmocka_unit_test(levels_matter),
		cmocka_unit_test(the_best_that_is_accepted_is_chosen),
		cmocka_unit_test(impossible_levels_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
