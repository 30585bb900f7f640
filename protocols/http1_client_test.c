/* SPDX-License-Identifier: Apache-2.0 */
/* http1_client_test - what a client writes, and what it makes of answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocols/http1_drive.h"

#define L5 "Content-Length: 5\r\n"

static const struct app_request get = {
	.method = APP_GET, .target = "/", .host = "h", .keep_alive = true
};

/* content: what arrived, NULL where the answer is a failure; keep: after it. */
static const struct {
	const char *bytes;
	bool closes; /* the server closes after these bytes */
	int status;
	const char *content;
	bool keep;
	enum app_method method;
} answers[] = {
	{ "HTTP/1.1 200 OK\r\n" L5 "\r\nhello", false, 200, "hello", true, APP_GET },
	{ "HTTP/1.1 200 \r\n" L5 "\r\nhello", false, 200, "hello", true, APP_GET },
	{ "HTTP/1.1 200\r\n" L5 "\r\nhello", false, 200, "hello", true, APP_GET },
	{ "HTTP/1.1 200 OK\r\n" L5 "Connection: close\r\n\r\nhello", false, 200, "hello", false,
	  APP_GET },
	{ "HTTP/1.0 200 OK\r\n" L5 "\r\nhello", false, 200, "hello", false, APP_GET },
	{ "HTTP/1.0 200 OK\r\n" L5 "Connection: keep-alive\r\n\r\nhello", false, 200, "hello", true,
	  APP_GET },
	{ "HTTP/1.1 200 OK\r\n\r\nhello", true, 200, "hello", false, APP_GET },
	{ "HTTP/1.1 200 OK\r\n\r\n", true, 200, "", false, APP_GET },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\nT: "
	  "t\r\n\r\n",
	  false, 200, "hello", true, APP_GET },
	{ "HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
	  "HTTP/1.1 404 Not Found\r\n" L5 "\r\nhello",
	  false, 404, "hello", true, APP_GET },
	{ "HTTP/1.1 204 No Content\r\n\r\n", false, 204, "", true, APP_GET },
	{ "HTTP/1.1 304 Not Modified\r\n" L5 "\r\n", false, 304, "", true, APP_GET },
	{ "HTTP/1.1 200 OK\r\n" L5 "\r\n", false, 200, "", true, APP_HEAD },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, 200, "", true, APP_GET },
	/* cut short */
	{ "", true, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\n", true, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\n" L5 "\r\nhell", true, 200, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", true, 200, NULL,
	  false, APP_GET },
	{ "HTTP/1.1 100 Continue\r\n\r\n", true, 0, NULL, false, APP_GET },
	/* broken */
	{ "HTTP/1.1 200 OK\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 20 OK\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 2000 OK\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 600 Odd\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1  200 OK\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/2.0 200 OK\r\n", false, 0, NULL, false, APP_GET },
	{ "SSH-2.0-OpenSSH\r\n", false, 0, NULL, false, APP_GET },
	{ "\x15\x03\x03", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 101 Switching\r\n\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\nbad field\r\n\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\n" L5 "Content-Length: 6\r\n\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\n" L5 "Transfer-Encoding: chunked\r\n\r\n", false, 0, NULL, false,
	  APP_GET },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", false, 0, NULL, false,
	  APP_GET },
	{ "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\n\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, br\r\n\r\n", false, 0, NULL, false, APP_GET },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx", false, 200, NULL, false,
	  APP_GET },
};

struct seen {
	int status;
	char content[64];
	size_t len;
	bool ended, failed, keep;
};

static void collect(struct drive *d, struct seen *s)
{
	struct app_event e;

	while (app_http1.next(&d->app, &e)) {
		if (e.kind == APP_HEAD_IN)
			s->status = e.response.status;
		s->ended |= e.kind == APP_END;
		s->failed |= e.kind == APP_FAILED;
		if (e.kind == APP_END)
			s->keep = e.response.keep_alive;
		if (e.kind == APP_BODY) {
			assert_true(s->len + e.len < sizeof s->content);
			memcpy(s->content + s->len, e.bytes, e.len);
			s->len += e.len;
		}
	}
}

static void check_answer(struct drive *d, size_t i)
{
	struct app_request q = get;
	struct seen s = { 0 };
	const char *bytes = answers[i].bytes;
	size_t len = strlen(bytes), used = 0;

	q.method = answers[i].method;
	assert_int_equal(app_http1.request(&d->app, &q), 0);
	drive_pull(d);
	while (used < len) {
		used += app_http1.feed(&d->app, bytes + used, len - used);
		collect(d, &s);
	}
	if (answers[i].closes)
		app_http1.end(&d->app);
	collect(d, &s);
	if (s.status != answers[i].status || s.failed != !answers[i].content || s.ended == s.failed)
		fail_msg("%s\nstatus %d ended %d failed %d: %s", bytes, s.status, s.ended, s.failed,
			 d->app.fail.text);
	if (answers[i].content)
		assert_string_equal(s.content, answers[i].content);
	assert_int_equal(s.keep, answers[i].keep);
	assert_int_equal(app_http1.finished(&d->app), !answers[i].keep);
	assert_int_equal(app_http1.request(&d->app, &q), answers[i].keep ? 0 : -1);
}

static void answers_are_read(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_CLIENT, (struct app_limits){ .head_bytes = 512 });
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		drive_again(&d);
		check_answer(&d, i);
	}
	drive_close(&d);
}

static void codings_are_told(void **state)
{
	static const struct {
		const char *name;
		enum app_encoding coding;
	} known[] = { { "", APP_IDENTITY },   { "Identity", APP_IDENTITY }, { "gzip", APP_GZIP },
		      { "x-gzip", APP_GZIP }, { "br", APP_BROTLI },         { "ZSTD", APP_ZSTD } };

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		char bytes[128];
		struct app_event e;
		struct drive d;

		snprintf(bytes, sizeof bytes,
			 "HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\n" L5 "\r\nhello",
			 known[i].name);
		drive_open(&d, APP_CLIENT, (struct app_limits){ 0 });
		assert_int_equal(app_http1.request(&d.app, &get), 0);
		drive_pull(&d);
		app_http1.feed(&d.app, bytes, strlen(bytes));
		assert_true(app_http1.next(&d.app, &e));
		assert_int_equal(e.kind, APP_HEAD_IN);
		assert_int_equal(e.response.encoding, known[i].coding);
		drive_close(&d);
	}
	assert_int_equal(app_encoding_by_name("deflate"), APP_ENCODINGS);
	assert_null(app_encoding_name(APP_IDENTITY));
}

static void requests_are_written(void **state)
{
	struct app_request q = get;
	struct drive d;

	(void)state;
	drive_open(&d, APP_CLIENT, (struct app_limits){ 0 });
	q.accepts = 1u << APP_GZIP;
	assert_int_equal(app_http1.request(&d.app, &q), 0);
	assert_int_equal(app_http1.request(&d.app, &q), -1);
	assert_int_equal(d.app.fail.code, 0);
	drive_pull(&d);
	assert_string_equal(buf_text(&d.sent),
			    "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: cipherwatt\r\n"
			    "Accept-Encoding: gzip\r\n\r\n");
	drive_again(&d);
	q.accepts = 1u << APP_IDENTITY | 1u << APP_BROTLI | 1u << APP_ZSTD;
	assert_int_equal(app_http1.request(&d.app, &q), 0);
	drive_pull(&d);
	assert_string_equal(buf_text(&d.sent),
			    "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: cipherwatt\r\n"
			    "Accept-Encoding: br, zstd\r\n\r\n");
	drive_again(&d);
	q = (struct app_request){ .method = APP_POST,
				  .target = "/p",
				  .host = "[::1]:8",
				  .content_type = "text/plain",
				  .body = "abc",
				  .body_bytes = 3 };
	assert_int_equal(app_http1.request(&d.app, &q), 0);
	drive_pull(&d);
	assert_string_equal(buf_text(&d.sent),
			    "POST /p HTTP/1.1\r\nHost: [::1]:8\r\nUser-Agent: cipherwatt\r\n"
			    "Accept-Encoding: identity\r\nConnection: close\r\n"
			    "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc");
	drive_close(&d);
}

static void impossible_requests_are_refused(void **state)
{
	static const struct app_request bad[] = {
		{ .method = APP_GET, .target = "x", .host = "h" },
		{ .method = APP_GET, .target = "/ x", .host = "h" },
		{ .method = APP_GET, .target = "/\r\nX: y", .host = "h" },
		{ .method = APP_GET, .target = "*", .host = "h" },
		{ .method = APP_GET, .target = "/", .host = "h\r\nX: y" },
		{ .method = APP_METHOD_OTHER, .target = "/", .host = "h" },
	};
	struct drive d;

	(void)state;
	drive_open(&d, APP_CLIENT, (struct app_limits){ 0 });
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		drive_again(&d);
		assert_int_equal(app_http1.request(&d.app, &bad[i]), -1);
		assert_true(d.app.fail.text[0] != '\0');
	}
	drive_close(&d);
}

static void bytes_unasked_are_a_failure(void **state)
{
	static const char twice[] = "HTTP/1.1 204 No\r\n\r\nHTTP/1.1 204 No\r\n\r\n";
	struct drive d;

	(void)state;
	drive_open(&d, APP_CLIENT, (struct app_limits){ 0 });
	assert_int_equal(app_http1.request(&d.app, &get), 0);
	drive_pull(&d);
	drive_feed(&d, twice, sizeof twice - 1);
	assert_string_equal(buf_text(&d.events), "HEAD 204 0 keep\nEND 204 0 keep\nFAILED 0\n");
	assert_true(app_http1.finished(&d.app));
	drive_close(&d);
}

static void interim_answers_come_to_an_end(void **state)
{
	static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct drive d;
	int fed = 0;

	(void)state;
	drive_open(&d, APP_CLIENT, (struct app_limits){ 0 });
	assert_int_equal(app_http1.request(&d.app, &get), 0);
	drive_pull(&d);
	while (!app_http1.finished(&d.app) && fed < 1000) {
		drive_feed(&d, interim, sizeof interim - 1);
		fed++;
	}
	assert_in_range(fed, 2, 100);
	assert_string_equal(buf_text(&d.events), "FAILED 0\n");
	/* The count is of one request. */
	for (int i = 0; i < 3 * fed; i++) {
		drive_again(&d);
		assert_int_equal(app_http1.request(&d.app, &get), 0);
		drive_pull(&d);
		drive_feed(&d, interim, sizeof interim - 1);
		assert_false(app_http1.finished(&d.app));
	}
	drive_close(&d);
}

static void an_idle_close_is_orderly(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_CLIENT, (struct app_limits){ 0 });
	assert_int_equal(app_http1.request(&d.app, &get), 0);
	drive_pull(&d);
	drive_feed(&d, "HTTP/1.1 204 No\r\n\r\n", 19);
	drive_end(&d);
	assert_string_equal(buf_text(&d.events),
			    "HEAD 204 0 keep\nEND 204 0 keep\nbody 0 0\nover\n");
	drive_close(&d);
}

static void an_early_answer_ends_the_sending(void **state)
{
	static char body[100000];
	struct app_request q = get;
	struct app_event e;
	struct drive d;
	char piece[2000];

	(void)state;
	q.method = APP_POST;
	q.body = body;
	q.body_bytes = sizeof body;
	drive_open(&d, APP_CLIENT, (struct app_limits){ 0 });
	assert_int_equal(app_http1.request(&d.app, &q), 0);
	assert_int_equal(app_http1.pull(&d.app, piece, sizeof piece), sizeof piece);
	assert_int_equal(app_http1.feed(&d.app, "HTTP/1.1 413 x\r\nContent-Length: 0\r\n\r\n", 37),
			 37);
	assert_true(app_http1.next(&d.app, &e));
	assert_true(app_http1.next(&d.app, &e));
	assert_int_equal(e.kind, APP_END);
	assert_false(e.response.keep_alive);
	assert_true(app_http1.finished(&d.app));
	drive_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_read),
		cmocka_unit_test(codings_are_told),
		cmocka_unit_test(requests_are_written),
		cmocka_unit_test(impossible_requests_are_refused),
		cmocka_unit_test(bytes_unasked_are_a_failure),
		cmocka_unit_test(interim_answers_come_to_an_end),
		cmocka_unit_test(an_idle_close_is_orderly),
		cmocka_unit_test(an_early_answer_ends_the_sending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
