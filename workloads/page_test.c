/* SPDX-License-Identifier: Apache-2.0 */
/* page_test - content of exact size and kind, decoded and compared; targets; gzip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "workloads/compress.h"
#include "workloads/page_content.h"
#include "workloads/workload.h"

#define MAX_BYTES (4 << 20)

static const struct workload_params preset = { .payload_bytes = 512,
					       .payload_kind = "json",
					       .payload_bytes_max = MAX_BYTES,
					       .level[APP_GZIP] = 6 };

static struct buf scratch;

static void open_page(struct workload *w, struct workload_params params)
{
	*w = (struct workload){ .ops = &workload_page, .params = params };
	if (w->ops->open(w) != 0)
		fail_msg("%s", w->fail.text);
}

static struct app_response ask(struct workload *w, enum app_method method, const char *target,
			       bool gzip)
{
	struct app_request q = { .method = method, .target = target, .host = "h" };
	struct app_response r;

	q.accepts = 1u << APP_IDENTITY | (gzip ? 1u << APP_GZIP : 0u);
	w->ops->answer(w, &q, &scratch, &r);
	return r;
}

/* The content of a gzip answer, exactly len bytes, in memory of the caller's. */
static char *gunzip(const struct app_response *r, size_t len)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)r->body, .avail_in = (uInt)r->body_bytes };
	char *content = malloc(len + 1);

	assert_non_null(content);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_out = (Bytef *)content;
	z.avail_out = (uInt)len + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, len);
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
	return content;
}

static void json_is_valid_at_every_size(void **state)
{
	char *page = malloc(3000);

	(void)state;
	assert_non_null(page);
	for (size_t len = 1; len <= 3000; len++) {
		json_error_t error;
		json_t *value;

		memset(page, '!', 3000);
		page_fill(PAGE_JSON, page, len);
		value = json_loadb(page, len, JSON_DECODE_ANY, &error);
		if (!value)
			fail_msg("%zu bytes: %s: %.*s", len, error.text, (int)len, page);
		if (len == 1000) {
			assert_int_equal(json_array_size(value), 8);
			assert_true(json_is_real(
				json_object_get(json_array_get(value, 7), "temperature_c")));
		}
		json_decref(value);
		assert_true(len == 3000 || page[len] == '!');
	}
	free(page);
}

static void every_size_and_kind_is_exact(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 7, 8, 9, 511, 512, 65536, 1000003 };
	struct workload w;

	(void)state;
	open_page(&w, preset);
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			char target[64], *expected = malloc(sizes[i] + 1), *content;
			struct app_response r;

			assert_non_null(expected);
			page_fill((enum page_kind)kind, expected, sizes[i]);
			snprintf(target, sizeof target, "/page/%zu/%s?x", sizes[i],
				 page_kind_name[kind]);
			r = ask(&w, APP_GET, target, false);
			assert_int_equal(r.status, 200);
			assert_int_equal(r.encoding, APP_IDENTITY);
			assert_int_equal(r.body_bytes, sizes[i]);
			assert_memory_equal(r.body, expected, sizes[i]);
			assert_string_equal(r.content_type, page_content_type[kind]);
			r = ask(&w, APP_HEAD, target, true);
			assert_int_equal(r.encoding, APP_GZIP);
			content = gunzip(&r, sizes[i]);
			assert_memory_equal(content, expected, sizes[i]);
			free(content);
			free(expected);
		}
	w.ops->close(&w);
}

static void kinds_compress_as_they_should(void **state)
{
	static const struct {
		const char *target;
		double least, most; /* compressed / plain */
	} expected[] = {
		{ "/page/64KiB/json", 0.05, 0.35 },
		{ "/page/64KiB/text", 0.10, 0.50 },
		{ "/page/64KiB/random", 1.0, 1.01 },
	};
	struct workload w;

	(void)state;
	open_page(&w, preset);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct app_response r = ask(&w, APP_GET, expected[i].target, true);
		double ratio = (double)r.body_bytes / 65536;

		if (ratio < expected[i].least || ratio > expected[i].most)
			fail_msg("%s: %g", expected[i].target, ratio);
	}
	w.ops->close(&w);
}

static void content_never_changes(void **state)
{
	/* Of pages of 100,000 bytes: results of two versions are about the same bytes. */
	static const unsigned long expected[PAGE_KINDS] = { 0xdd75a8f0, 0x0c484315, 0x25dbb315 };
	char *page = malloc(100000);

	(void)state;
	assert_non_null(page);
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		page_fill((enum page_kind)kind, page, 100000);
		assert_int_equal(crc32(0, (const Bytef *)page, 100000), expected[kind]);
	}
	free(page);
}

static void gzip_once_and_per_request_give_the_same(void **state)
{
	struct workload_params once = preset;
	struct workload a, b;
	struct app_response first, again, fresh;

	(void)state;
	once.compress_once = true;
	open_page(&a, once);
	open_page(&b, preset);
	first = ask(&a, APP_GET, "/page/9000/text", true);
	again = ask(&a, APP_GET, "/page/9000/text", true);
	assert_ptr_equal(first.body, again.body);
	fresh = ask(&b, APP_GET, "/page/9000/text", true);
	assert_ptr_equal(fresh.body, scratch.data);
	assert_int_equal(fresh.body_bytes, first.body_bytes);
	assert_memory_equal(fresh.body, first.body, first.body_bytes);
	assert_true(first.vary && fresh.vary);
	a.ops->close(&a);
	b.ops->close(&b);
}

static struct app_response ask_for(struct workload *w, unsigned accepts)
{
	struct app_request q = { .method = APP_GET,
				 .target = "/page/9000/text",
				 .accepts = accepts };
	struct app_response r;

	w->ops->answer(w, &q, &scratch, &r);
	return r;
}

static void each_coding_is_kept_apart(void **state)
{
	struct workload_params params = preset;
	struct app_response br, zstd, gzip;
	int level_max;
	struct workload w;

	(void)state;
	if (compress_refuses(APP_BROTLI, &level_max) || compress_refuses(APP_ZSTD, &level_max))
		skip();
	params.level[APP_BROTLI] = 5;
	params.level[APP_ZSTD] = 3;
	params.compress_once = true;
	open_page(&w, params);
	gzip = ask_for(&w, 1u << APP_GZIP);
	br = ask_for(&w, 1u << APP_BROTLI | 1u << APP_GZIP);
	zstd = ask_for(&w, ~0u);
	assert_int_equal(gzip.encoding, APP_GZIP);
	assert_int_equal(br.encoding, APP_BROTLI);
	assert_int_equal(zstd.encoding, APP_ZSTD);
	assert_memory_equal(gzip.body, "\x1f\x8b", 2);
	assert_memory_equal(zstd.body, "\x28\xb5\x2f\xfd", 4); /* RFC 8878 section 3.1.1 */
	assert_true(br.body_bytes < gzip.body_bytes);
	assert_ptr_equal(ask_for(&w, 1u << APP_BROTLI).body, br.body);
	assert_ptr_equal(ask_for(&w, 1u << APP_ZSTD).body, zstd.body);
	assert_int_equal(ask_for(&w, 1u << APP_IDENTITY).body_bytes, 9000);
	w.ops->close(&w);
}

static void level_zero_never_compresses(void **state)
{
	struct workload_params params = preset;
	struct app_response r;
	struct workload w;

	(void)state;
	params.level[APP_GZIP] = 0;
	open_page(&w, params);
	r = ask(&w, APP_GET, "/", true);
	assert_int_equal(r.encoding, APP_IDENTITY);
	assert_false(r.vary);
	w.ops->close(&w);
}

static void targets_are_read(void **state)
{
	static const struct {
		const char *target;
		int status;
		uint64_t len;
	} expected[] = {
		{ "/", 200, 512 },
		{ "/?q=/page/1", 200, 512 },
		{ "/page/16KiB", 200, 16384 },
		{ "/page/2kB/text", 200, 2000 },
		{ "/page/4MiB", 200, MAX_BYTES },
		{ "/page/4194305", 404, 0 },
		{ "/page/", 404, 0 },
		{ "/page/x", 404, 0 },
		{ "/page/-1", 404, 0 },
		{ "/page/1.5", 404, 0 },
		{ "/page/1/", 404, 0 },
		{ "/page/1/jsonx", 404, 0 },
		{ "/page/1/json/", 404, 0 },
		{ "/page/99999999999999999999999999999999999999", 404, 0 },
		{ "/pages", 404, 0 },
		{ "/page", 404, 0 },
		{ "//", 404, 0 },
		{ "*", 404, 0 },
	};
	struct workload w;

	(void)state;
	open_page(&w, preset);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct app_response r = ask(&w, APP_GET, expected[i].target, false);

		if (r.status != expected[i].status)
			fail_msg("%s: %d", expected[i].target, r.status);
		if (r.status == 200)
			assert_int_equal(r.body_bytes, expected[i].len);
		assert_true(r.keep_alive);
	}
	w.ops->close(&w);
}

static void methods_are_told_apart(void **state)
{
	struct app_response r;
	struct workload w;

	(void)state;
	open_page(&w, preset);
	r = ask(&w, APP_POST, "/", false);
	assert_int_equal(r.status, 405);
	assert_string_equal(r.allow, "GET, HEAD, OPTIONS");
	assert_int_equal(ask(&w, APP_METHOD_OTHER, "/page/1", false).status, 405);
	assert_int_equal(ask(&w, APP_POST, "/nothing", false).status, 404);
	r = ask(&w, APP_OPTIONS, "*", false);
	assert_int_equal(r.status, 204);
	assert_string_equal(r.allow, "GET, HEAD, OPTIONS");
	w.ops->close(&w);
}

static void more_pages_than_are_kept_are_still_right(void **state)
{
	char target[64], expected[1400];
	struct workload w;

	(void)state;
	open_page(&w, preset);
	for (size_t len = 1000; len < 1400; len++) {
		struct app_response r;
		char *content;

		snprintf(target, sizeof target, "/page/%zu/text", len);
		page_fill(PAGE_TEXT, expected, len);
		r = ask(&w, APP_GET, target, false);
		assert_int_equal(r.body_bytes, len);
		assert_memory_equal(r.body, expected, len);
		r = ask(&w, APP_GET, target, true);
		content = gunzip(&r, len);
		assert_memory_equal(content, expected, len);
		free(content);
	}
	assert_ptr_equal(ask(&w, APP_GET, "/page/1399/text", false).body, scratch.data);
	assert_ptr_not_equal(ask(&w, APP_GET, "/", false).body, scratch.data);
	w.ops->close(&w);
}

static void a_full_scratch_is_an_answer(void **state)
{
	struct app_response r;
	struct workload w;

	(void)state;
	open_page(&w, preset);
	scratch.max = 100;
	buf_release(&scratch);
	r = ask(&w, APP_GET, "/page/100KiB/random", true);
	scratch.max = 0;
	assert_int_equal(r.status, 500);
	assert_int_equal(r.encoding, APP_IDENTITY);
	assert_int_equal(ask(&w, APP_GET, "/page/100KiB/random", true).status, 200);
	w.ops->close(&w);
}

static void impossible_settings_are_refused(void **state)
{
	struct workload_params bad[4] = { preset, preset, preset, preset };

	(void)state;
	bad[0].payload_bytes = MAX_BYTES + 1;
	bad[1].payload_kind = "xml";
	bad[2].level[APP_GZIP] = 10;
	bad[3].payload_bytes_max = INT64_C(1) << 32;
	for (int i = 0; i < 4; i++) {
		struct workload w = { .ops = &workload_page, .params = bad[i] };

		assert_int_equal(w.ops->open(&w), -1);
		assert_true(w.fail.text[0] != '\0');
	}
}

static void workloads_are_found_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(workload_by_name("page"), &workload_page);
	assert_null(workload_by_name("pag"));
}

static int release_scratch(void **state)
{
	(void)state;
	buf_release(&scratch);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_valid_at_every_size),
		cmocka_unit_test(every_size_and_kind_is_exact),
		cmocka_unit_test(kinds_compress_as_they_should),
		cmocka_unit_test(content_never_changes),
		cmocka_unit_test(gzip_once_and_per_request_give_the_same),
		cmocka_unit_test(each_coding_is_kept_apart),
		cmocka_unit_test(level_zero_never_compresses),
		cmocka_unit_test(targets_are_read),
		cmocka_unit_test(methods_are_told_apart),
		cmocka_unit_test(more_pages_than_are_kept_are_still_right),
		cmocka_unit_test(a_full_scratch_is_an_answer),
		cmocka_unit_test(impossible_settings_are_refused),
		cmocka_unit_test(workloads_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, release_scratch);
}
