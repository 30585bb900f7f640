/* SPDX-License-Identifier: Apache-2.0 */
/* http1_answer_test - what a server says, and how it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocols/http1_drive.h"

#define H "Host: h\r\n"

static const struct app_limits limits = { .head_bytes = 512, .body_bytes = 64 };

static void answers_are_written_as_asked(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	d.app.date = "Mon, 30 Nov 2026 22:15:17 GMT";
	d.answer = (struct app_response){ .status = 405,
					  .content_type = "text/plain",
					  .encoding = APP_GZIP,
					  .vary = true,
					  .allow = "GET, HEAD",
					  .body = "no",
					  .body_bytes = 2 };
	drive_feed(&d, "GET / HTTP/1.1\r\n" H "\r\n", 27);
	assert_string_equal(buf_text(&d.sent), "HTTP/1.1 405 Method Not Allowed\r\n"
					       "Server: cipherwatt\r\n"
					       "Date: Mon, 30 Nov 2026 22:15:17 GMT\r\n"
					       "Content-Length: 2\r\n"
					       "Content-Type: text/plain\r\n"
					       "Content-Encoding: gzip\r\n"
					       "Vary: Accept-Encoding\r\n"
					       "Allow: GET, HEAD\r\n"
					       "Connection: close\r\n\r\nno");
	assert_true(app_http1.finished(&d.app));
	drive_close(&d);
}

static void head_and_204_have_no_content(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	drive_feed(&d, "HEAD / HTTP/1.1\r\n" H "\r\n", 28);
	assert_string_equal(buf_text(&d.sent), "HTTP/1.1 200 OK\r\nServer: cipherwatt\r\n"
					       "Content-Length: 5\r\n\r\n");
	drive_again(&d);
	d.answer.status = 204;
	drive_feed(&d, "GET / HTTP/1.1\r\n" H "\r\n", 27);
	assert_string_equal(buf_text(&d.sent),
			    "HTTP/1.1 204 No Content\r\nServer: cipherwatt\r\n\r\n");
	drive_close(&d);
}

static void http10_keep_alive_is_answered(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	drive_feed(&d, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 42);
	assert_non_null(strstr(buf_text(&d.sent), "\r\nConnection: keep-alive\r\n"));
	assert_false(app_http1.finished(&d.app));
	drive_close(&d);
}

static void expectations_are_answered_before_the_body(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	drive_feed(&d, "POST / HTTP/1.1\r\n" H "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n",
		   69);
	assert_string_equal(buf_text(&d.sent), "HTTP/1.1 100 Continue\r\n\r\n");
	drive_feed(&d, "ab", 2);
	assert_string_equal(buf_text(&d.events), "POST / host=h body=ab keep\nSENT\n");
	/* Too long is said instead of "continue"; an HTTP/1.0 client is not told to go on. */
	drive_again(&d);
	drive_feed(&d, "POST / HTTP/1.1\r\n" H "Expect: 100-continue\r\nContent-Length: 99\r\n\r\n",
		   70);
	assert_int_equal(strncmp(buf_text(&d.sent), "HTTP/1.1 413 ", 13), 0);
	drive_again(&d);
	drive_feed(&d, "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", 60);
	assert_int_equal(d.sent.len, 0);
	drive_close(&d);
}

static void a_peer_that_closes_is_told_apart(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	drive_end(&d);
	assert_string_equal(buf_text(&d.events), "over\n");
	drive_again(&d);
	drive_feed(&d, "GET / HTTP/1.1\r\n", 16);
	drive_end(&d);
	assert_string_equal(buf_text(&d.events), "FAILED 0\nover\n");
	drive_again(&d);
	drive_feed(&d, "POST / HTTP/1.1\r\n" H "Content-Length: 2\r\n\r\na", 48);
	drive_end(&d);
	assert_string_equal(buf_text(&d.events), "FAILED 0\nover\n");
	drive_close(&d);
}

static void a_half_closed_peer_gets_its_answer(void **state)
{
	struct app_event e;
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	assert_int_equal(app_http1.feed(&d.app, "GET / HTTP/1.1\r\n" H "\r\n", 27), 27);
	assert_int_equal(app_http1.feed(&d.app, "GET / HTTP/1.1\r\n" H "\r\n", 27), 0);
	app_http1.end(&d.app);
	assert_true(app_http1.next(&d.app, &e));
	assert_int_equal(e.kind, APP_REQUEST);
	assert_false(e.request.keep_alive);
	assert_false(app_http1.finished(&d.app));
	assert_int_equal(app_http1.respond(&d.app, &d.answer), 0);
	assert_int_equal(app_http1.respond(&d.app, &d.answer), -1);
	drive_pull(&d);
	assert_true(app_http1.next(&d.app, &e));
	assert_int_equal(e.kind, APP_SENT);
	assert_true(app_http1.finished(&d.app));
	assert_non_null(strstr(buf_text(&d.sent), "Connection: close"));
	/* The end that comes between the answer and its last byte. */
	drive_again(&d);
	assert_int_equal(app_http1.feed(&d.app, "GET / HTTP/1.1\r\n" H "\r\n", 27), 27);
	assert_true(app_http1.next(&d.app, &e));
	assert_int_equal(app_http1.respond(&d.app, &d.answer), 0);
	app_http1.end(&d.app);
	drive_pull(&d);
	assert_true(app_http1.finished(&d.app));
	drive_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_written_as_asked),
		cmocka_unit_test(head_and_204_have_no_content),
		cmocka_unit_test(http10_keep_alive_is_answered),
		cmocka_unit_test(expectations_are_answered_before_the_body),
		cmocka_unit_test(a_peer_that_closes_is_told_apart),
		cmocka_unit_test(a_half_closed_peer_gets_its_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
