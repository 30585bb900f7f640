/* SPDX-License-Identifier: Apache-2.0 */
/* http2_client_test - what a client makes of servers that refuse, err or go away. */
#include "protocols/http2_raw.h"

static const struct app_limits limits = { .head_bytes = 4096, .streams = 10 };

static int ask(struct raw *r)
{
	const struct app_request q = {
		.method = APP_GET, .target = "/", .host = "h", .keep_alive = true
	};

	return app_http2.request(&r->app, &q);
}

static void raw_settings(struct raw *r, unsigned streams)
{
	const uint8_t entry[] = { 0, 3, 0, 0, 0, (uint8_t)streams };

	raw_frame(r, SETTINGS, 0, 0, entry, sizeof entry);
}

/* n requests are out; the server has said nothing but its SETTINGS. */
static void begin(struct raw *r, int n)
{
	raw_open(r, APP_CLIENT, limits);
	raw_run(r);
	raw_frame(r, SETTINGS, ACK, 0, "", 0);
	raw_run(r);
	for (int i = 0; i < n; i++) {
		assert_int_equal(ask(r), 0);
		assert_int_equal(r->app.stream, 2 * i + 1);
	}
	raw_pull(r);
}

static void streams_follow_the_servers_settings(void **state)
{
	struct raw r;

	(void)state;
	raw_open(&r, APP_CLIENT, limits);
	buf_clear(&r.in);
	assert_int_equal(ask(&r), 0);
	assert_int_equal(ask(&r), -1);
	raw_settings(&r, 3);
	raw_run(&r);
	assert_int_equal(ask(&r), 0);
	assert_int_equal(ask(&r), 0);
	assert_int_equal(ask(&r), -1);
	raw_pull(&r);
	/* Fewer: those that are open may finish. */
	raw_settings(&r, 1);
	raw_head(&r, END_HEADERS | END_STREAM, 1, OK, NULL, NULL);
	raw_head(&r, END_HEADERS | END_STREAM, 3, OK, NULL, NULL);
	assert_string_equal(raw_run(&r), "1:HEAD(200) 1:END 3:HEAD(200) 3:END ");
	assert_int_equal(ask(&r), -1);
	/* More than ours: ours counts. */
	raw_settings(&r, 200);
	raw_run(&r);
	for (int i = 1; i < 10; i++)
		assert_int_equal(ask(&r), 0);
	assert_int_equal(ask(&r), -1);
	assert_int_equal(r.app.fail.code, 0);
	raw_close(&r);
}

/* A request that was taken but not pulled when the limit came down waits in the queue. */
static void queued_requests_respect_settings_too(void **state)
{
	struct raw r;

	(void)state;
	begin(&r, 0);
	assert_int_equal(ask(&r), 0);
	assert_int_equal(ask(&r), 0);
	raw_settings(&r, 1);
	raw_run(&r);
	assert_non_null(raw_sent(&r, HEADERS, 1));
	assert_null(raw_sent(&r, HEADERS, 3));
	raw_head(&r, END_HEADERS | END_STREAM, 1, OK, NULL, NULL);
	raw_run(&r);
	assert_non_null(raw_sent(&r, HEADERS, 3));
	raw_close(&r);
}

static void refused_streams_may_be_tried_again(void **state)
{
	struct raw r;

	(void)state;
	begin(&r, 3);
	raw_number(&r, RST_STREAM, 3, REFUSED_STREAM);
	raw_number(&r, RST_STREAM, 5, CANCEL);
	raw_head(&r, END_HEADERS | END_STREAM, 1, OK, NULL, NULL);
	assert_string_equal(raw_run(&r), "3:RESET(7 retry) 5:RESET(8) 1:HEAD(200) 1:END ");
	assert_int_equal(ask(&r), 0);
	assert_false(app_http2.finished(&r.app));
	raw_close(&r);
}

static void goaway_keeps_what_was_seen(void **state)
{
	struct raw r;

	(void)state;
	begin(&r, 3);
	assert_int_equal(ask(&r), 0); /* in the queue only */
	raw_frame(&r, GOAWAY, 0, 0, "\0\0\0\x03\0\0\0\0", 8);
	raw_run(&r);
	assert_non_null(strstr(buf_text(&r.events), "5:RESET(7 retry)"));
	assert_non_null(strstr(buf_text(&r.events), "7:RESET(7 retry)"));
	assert_null(raw_sent(&r, HEADERS, 7));
	assert_int_equal(ask(&r), -1);
	assert_int_equal(r.app.fail.code, 0);
	assert_false(app_http2.finished(&r.app));
	raw_head(&r, END_HEADERS | END_STREAM, 1, OK, NULL, NULL);
	raw_head(&r, END_HEADERS | END_STREAM, 3, OK, NULL, NULL);
	assert_string_equal(raw_run(&r), "1:HEAD(200) 1:END 3:HEAD(200) 3:END ");
	assert_true(app_http2.finished(&r.app));
	raw_close(&r);
}

static void goaway_with_an_error_says_why(void **state)
{
	struct raw r;

	(void)state;
	begin(&r, 1);
	raw_frame(&r, GOAWAY, 0, 0,
		  "\0\0\0\x01\0\0\0\x0b"
		  "too fast",
		  16);
	assert_string_equal(raw_run(&r), "0:FAILED ");
	assert_non_null(strstr(r.app.fail.text, "ENHANCE_YOUR_CALM: too fast"));
	assert_int_equal(ask(&r), -1);
	assert_true(app_http2.finished(&r.app));
	raw_close(&r);
}

/* Frames of one response after the other; events: what comes of them on stream 1. */
static void responses_are_judged(void **state)
{
	static const struct {
		const char *fixed, *name, *value;
		const char *body;
		const char *trailer, *events;
	} cases[] = {
		{ OK, "content-length", "3", "abc", NULL, "1:HEAD(200) 1:BODY 1:END " },
		{ OK, "content-length", "3", "ab", NULL, "1:HEAD(200) 1:BODY 1:RESET(1) " },
		{ OK, "content-length", "3", "abcd", NULL, "1:HEAD(200) 1:RESET(1) " },
		{ OK, NULL, NULL, "abcd", "content-encoding", "1:HEAD(200) 1:BODY 1:END " },
		{ OK, NULL, NULL, "abcd", ":status", "1:HEAD(200) 1:BODY 1:RESET(1) " },
		{ "\x8d", NULL, NULL, "no", NULL, "1:HEAD(404) 1:BODY 1:END " },
		{ "", "x", "y", "no", NULL, "1:RESET(1) " }, /* no status */
		{ "\x08\x03"
		  "20x",
		  NULL, NULL, "", NULL, "1:RESET(1) " },
		{ "\x08\x03"
		  "101",
		  NULL, NULL, "", NULL, "1:RESET(1) " },
		{ OK, "content-encoding", "gzip", "x", NULL, "1:HEAD(200) 1:BODY 1:END " },
		{ OK, "content-encoding", "compress", "x", NULL, "1:RESET(2) " },
	};
	struct raw r;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(&r, 1);
		/* An interim response comes first, with a field that means nothing later. */
		raw_head(&r, END_HEADERS, 1,
			 "\x08\x03"
			 "103",
			 "link", "9");
		raw_run(&r);
		raw_head(&r, END_HEADERS, 1, cases[i].fixed, cases[i].name, cases[i].value);
		raw_frame(&r, DATA, cases[i].trailer ? 0 : END_STREAM, 1, cases[i].body,
			  strlen(cases[i].body));
		if (cases[i].trailer)
			raw_head(&r, END_HEADERS | END_STREAM, 1, "", cases[i].trailer, "200");
		raw_run(&r);
		if (strcmp(buf_text(&r.events), cases[i].events) != 0)
			fail_msg("response %zu: %s", i, buf_text(&r.events));
		assert_int_equal(ask(&r), 0);
		raw_close(&r);
	}
}

static void long_heads_are_refused(void **state)
{
	struct raw r;

	(void)state;
	begin(&r, 2);
	/* 40 bytes on the wire each, 71 as they count. */
	raw_head(&r, 0, 1, OK, NULL, NULL);
	for (int n = 0; n < 8; n++) {
		uint8_t fields[400];

		for (int i = 0; i < 400; i += 40) {
			memset(fields + i, 'x', 40);
			memcpy(fields + i, "\0\x01y\x24", 4);
		}
		raw_frame(&r, CONTINUATION, n == 7 ? END_HEADERS : 0, 1, fields, sizeof fields);
	}
	assert_string_equal(raw_run(&r), "1:RESET(2) ");
	raw_head(&r, END_HEADERS | END_STREAM, 3, OK, NULL, NULL);
	assert_string_equal(raw_run(&r), "3:HEAD(200) 3:END ");
	raw_close(&r);
}

static void what_was_not_asked_for_is_a_failure(void **state)
{
	struct raw r;

	(void)state;
	/* A push, which the SETTINGS forbid. */
	begin(&r, 1);
	raw_frame(&r, PUSH_PROMISE, END_HEADERS, 1, "\0\0\0\x02" GET, 10);
	assert_string_equal(raw_run(&r), "0:FAILED ");
	raw_close(&r);
	/* HTTP/1.1 where HTTP/2 was agreed. */
	raw_open(&r, APP_CLIENT, limits);
	buf_clear(&r.in);
	assert_int_equal(ask(&r), 0);
	raw_pull(&r);
	buf_puts(&r.in, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
	assert_string_equal(raw_run(&r), "0:FAILED ");
	assert_int_not_equal(r.app.fail.code, 0);
	raw_close(&r);
	/* An answer on a stream that was never opened. */
	begin(&r, 1);
	raw_head(&r, END_HEADERS | END_STREAM, 9, OK, NULL, NULL);
	assert_string_equal(raw_run(&r), "0:FAILED ");
	assert_int_equal(raw_code(&r, 0), PROTOCOL_ERROR);
	raw_close(&r);
}

/* The first frame of a SETTINGS says what we allow; the connection's window follows. */
static void windows_are_announced(void **state)
{
	struct app_limits wide = limits;
	const uint8_t *increment;
	struct raw r;

	(void)state;
	wide.stream_window_bytes = 1 << 20;
	wide.session_window_bytes = 1 << 24;
	for (int half = APP_CLIENT; half <= APP_SERVER; half++) {
		const uint8_t *entry;

		raw_open(&r, (enum app_half)half, wide);
		raw_pull(&r);
		entry = raw_sent(&r, SETTINGS, 0);
		assert_int_equal(entry[1], 4);
		assert_int_equal(raw_u32(entry + 2), 1 << 20);
		assert_int_equal(entry[6 + 1], 6); /* MAX_HEADER_LIST_SIZE */
		assert_int_equal(raw_u32(entry + 6 + 2), limits.head_bytes);
		increment = raw_sent(&r, WINDOW_UPDATE, 0);
		assert_non_null(increment);
		assert_int_equal(raw_u32(increment), (1 << 24) - 65535);
		raw_close(&r);
	}
}

static void content_is_borrowed_until_its_frame_is_pulled(void **state)
{
	static char body[40000];
	const struct app_request q = { .method = APP_POST,
				       .target = "/",
				       .host = "h",
				       .body = body,
				       .body_bytes = sizeof body,
				       .keep_alive = true };
	struct app_event e;
	struct raw r;
	char piece[5000];

	(void)state;
	begin(&r, 0);
	assert_int_equal(app_http2.request(&r.app, &q), 0);
	assert_int_equal(ask(&r), 0);
	assert_int_equal(ask(&r), 0);
	/* Into the middle of the first DATA frame: its rest needs the body. */
	do {
		assert_int_equal(app_http2.pull(&r.app, piece, 50), 50);
		buf_put(&r.out, piece, 50);
	} while (r.out.len < 4000);
	raw_head(&r, END_HEADERS | END_STREAM, 1, OK, NULL, NULL);
	assert_int_equal(app_http2.feed(&r.app, r.in.data, r.in.len), r.in.len);
	assert_true(app_http2.next(&r.app, &e));
	assert_int_equal(e.kind, APP_HEAD_IN);
	assert_false(app_http2.next(&r.app, &e));
	/* Other streams' events do not wait for it. */
	buf_clear(&r.in);
	raw_frame(&r, GOAWAY, 0, 0, "\0\0\0\x01\0\0\0\0", 8);
	assert_int_equal(app_http2.feed(&r.app, r.in.data, r.in.len), r.in.len);
	for (int i = 0; i < 2; i++) {
		assert_true(app_http2.next(&r.app, &e));
		assert_int_equal(e.kind, APP_RESET);
		assert_true(e.stream == 3 || e.stream == 5);
	}
	assert_false(app_http2.next(&r.app, &e));
	raw_pull(&r);
	assert_string_equal(buf_text(&r.events), "1:END ");
	/* The rest of that frame, and then no more of the body. */
	assert_int_equal(raw_code(&r, 1), CANCEL);
	assert_true(r.out.len < 20000);
	raw_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_follow_the_servers_settings),
		cmocka_unit_test(queued_requests_respect_settings_too),
		cmocka_unit_test(refused_streams_may_be_tried_again),
		cmocka_unit_test(goaway_keeps_what_was_seen),
		cmocka_unit_test(goaway_with_an_error_says_why),
		cmocka_unit_test(responses_are_judged),
		cmocka_unit_test(long_heads_are_refused),
		cmocka_unit_test(what_was_not_asked_for_is_a_failure),
		cmocka_unit_test(windows_are_announced),
		cmocka_unit_test(content_is_borrowed_until_its_frame_is_pulled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
