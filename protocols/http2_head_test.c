/* SPDX-License-Identifier: Apache-2.0 */
/* http2_head_test - heads of requests as a server takes them, and of answers as it writes. */
#include <nghttp2/nghttp2.h>

#include "protocols/http2_raw.h"

static const struct app_limits limits = { .body_bytes = 64 };

/* fixed head, one more field, what comes of it. */
static const struct {
	const char *fixed, *name, *value, *events;
} heads[] = {
	{ GET, "accept-encoding", "gzip", "1:REQUEST 1:SENT " },
	{ GET, "content-encoding", "identity", "1:REQUEST 1:SENT " },
	{ GET, "content-encoding", "compress", "1:RESET(415) " },
	{ GET, "content-length", "65", "" }, /* and nothing follows: nghttp2 resets it */
	{ GET, "Upper", "x", "" },           /* malformed (RFC 9113 section 8.2.1) */
	{ GET, "connection", "close", "" },  /* section 8.2.2 */
	{ GET, "transfer-encoding", "chunked", "" },
	{ GET, ":path", "/again", "" },
	{ "\x82\x87\x01\x01h", NULL, NULL, "" }, /* no path */
	{ "\x82\x84\x87", NULL, NULL, "" },      /* no authority */
	{ "\x82\x84\x87", "host", "h", "1:REQUEST 1:SENT " },
	{ "\x82\x84\x87\x01\x03h h", NULL, NULL, "" },
	{ "\x82\x84\x87\x01\x01h\x0f\x0d\x01x", NULL, NULL, "" }, /* content-length: x */
	{ "\x82\x04\x03/ x\x87\x01\x01h", NULL, NULL, "" },
	{ "\x82\x04\x03/%x\x87\x01\x01h", NULL, NULL, "1:RESET(400) " },
	{ "\x02\x07"
	  "CONNECT\x01\x03h:1",
	  NULL, NULL, "1:RESET(501) " },
	{ "\x02\x07"
	  "OPTIONS\x04\x01*\x87\x01\x01h",
	  NULL, NULL, "1:REQUEST 1:SENT " },
	{ "\x02\x06"
	  "DELETE\x84\x87\x01\x01h",
	  NULL, NULL, "1:REQUEST 1:SENT " },
};

static void heads_are_judged_one_by_one(void **state)
{
	struct raw r;

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		raw_open(&r, APP_SERVER, limits);
		raw_head(&r, END_STREAM | END_HEADERS, 1, heads[i].fixed, heads[i].name,
			 heads[i].value);
		raw_run(&r);
		if (strcmp(buf_text(&r.events), heads[i].events) != 0)
			fail_msg("head %zu: %s", i, buf_text(&r.events));
		if (heads[i].events[0] == '\0')
			assert_int_equal(raw_code(&r, 1), PROTOCOL_ERROR);
		/* Whatever it was, the association goes on. */
		raw_head(&r, END_STREAM | END_HEADERS, 3, GET, NULL, NULL);
		assert_string_equal(raw_run(&r), "3:REQUEST 3:SENT ");
		raw_close(&r);
	}
}

static void long_heads_are_431(void **state)
{
	struct app_limits small = limits;
	char text[100];
	struct raw r;

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[99] = '\0';
	/* Each field counts 32 bytes more (RFC 9113 section 6.5.2): GET is 42 + 38 + 44 + 43. */
	small.head_bytes = 42 + 38 + 44 + 43 + 1 + 99 + 32;
	for (int less = 0; less < 2; less++) {
		small.head_bytes -= (size_t)less;
		raw_open(&r, APP_SERVER, small);
		raw_head(&r, END_STREAM | END_HEADERS, 1, GET, "x", text);
		assert_string_equal(raw_run(&r), less ? "1:RESET(431) " : "1:REQUEST 1:SENT ");
		raw_close(&r);
	}
}

/* The head of an answer, as text. */
static void read_head(const struct raw *r, uint32_t id, struct buf *text)
{
	const uint8_t *head = raw_sent(r, HEADERS, id);
	nghttp2_hd_inflater *inflater;
	size_t len;

	assert_non_null(head);
	len = raw_u32(head - 9) >> 8;
	assert_int_equal(nghttp2_hd_inflate_new(&inflater), 0);
	for (int flags = 0; !(flags & NGHTTP2_HD_INFLATE_FINAL);) {
		nghttp2_nv nv;
		ssize_t used = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, head, len, 1);

		assert_true(used >= 0);
		head += used;
		len -= (size_t)used;
		if (flags & NGHTTP2_HD_INFLATE_EMIT)
			buf_printf(text, "%s: %s\n", (char *)nv.name, (char *)nv.value);
	}
	nghttp2_hd_inflate_del(inflater);
}

static void answers_are_written_as_asked(void **state)
{
	struct app_response a = { .status = 405,
				  .content_type = "text/plain",
				  .encoding = APP_GZIP,
				  .vary = true,
				  .allow = "GET, HEAD",
				  .body = "no",
				  .body_bytes = 2,
				  .keep_alive = true,
				  .stream = 1 };
	struct buf text = { 0 };
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	r.app.date = "Mon, 30 Nov 2026 22:15:17 GMT";
	r.stays_unanswered = true;
	raw_head(&r, END_STREAM | END_HEADERS, 1, GET, NULL, NULL);
	raw_run(&r);
	assert_int_equal(app_http2.respond(&r.app, &a), 0);
	raw_run(&r);
	read_head(&r, 1, &text);
	assert_string_equal(buf_text(&text), ":status: 405\nserver: cipherwatt\n"
					     "date: Mon, 30 Nov 2026 22:15:17 GMT\n"
					     "content-length: 2\ncontent-type: text/plain\n"
					     "content-encoding: gzip\nvary: accept-encoding\n"
					     "allow: GET, HEAD\n");
	assert_memory_equal(raw_sent(&r, DATA, 1), "no", 2);
	buf_release(&text);
	/* An answer that nobody could read. */
	raw_head(&r, END_STREAM | END_HEADERS, 3, GET, NULL, NULL);
	raw_run(&r);
	a.stream = 3;
	a.status = 99;
	assert_int_equal(app_http2.respond(&r.app, &a), -1);
	assert_int_not_equal(r.app.fail.code, 0);
	raw_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_are_judged_one_by_one),
		cmocka_unit_test(long_heads_are_431),
		cmocka_unit_test(answers_are_written_as_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
