/* SPDX-License-Identifier: Apache-2.0 */
/* http1_server_test - what a server makes of requests, good, odd and hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocols/http1_drive.h"

#define H "Host: h\r\n"

/* events: what is written down by http1_drive.h, without its last line. */
static const struct {
	const char *bytes, *events;
} taken[] = {
	{ "GET / HTTP/1.1\r\n" H "\r\n", "GET / host=h keep\nSENT\n" },
	{ "\r\nGET / HTTP/1.1\r\n" H "\r\n", "GET / host=h keep\nSENT\n" },
	{ "HEAD /a?b=%20 HTTP/1.1\r\nhOsT:\t h:1 \t\r\n\r\n",
	  "HEAD /a?b=%20 host=h:1 keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Connection: x, Close\r\n\r\n", "GET / host=h close\nSENT\n" },
	{ "GET / HTTP/1.0\r\n\r\n", "GET / close\nSENT\n" },
	{ "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / keep\nSENT\n" },
	{ "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", "GET / close\nSENT\n" },
	{ "GET / HTTP/1.7\r\n" H "\r\n", "GET / host=h keep\nSENT\n" },
	{ "GET http://x:8/y HTTP/1.1\r\n" H "\r\n", "GET /y host=x:8 keep\nSENT\n" },
	{ "GET HTTPS://x?q HTTP/1.1\r\n" H "\r\n", "GET /?q host=x keep\nSENT\n" },
	{ "GET http://x HTTP/1.1\r\n" H "\r\n", "GET / host=x keep\nSENT\n" },
	{ "OPTIONS * HTTP/1.1\r\n" H "\r\n", "OPTIONS * host=h keep\nSENT\n" },
	{ "OPTIONS http://x HTTP/1.1\r\n" H "\r\n", "OPTIONS * host=x keep\nSENT\n" },
	{ "DELETE / HTTP/1.1\r\n" H "\r\n", "OTHER / host=h keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / host= keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "X-Empty:\r\nX-High: \xe9\r\n\r\n", "GET / host=h keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: br, gzip;q=0.5\r\n\r\n",
	  "GET / host=h gzip br keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: br\r\nAccept-Encoding: X-GZIP\r\n\r\n",
	  "GET / host=h gzip br keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: *\r\n\r\n",
	  "GET / host=h gzip br zstd keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: ZSTD;q=0.1, br;q=0, identity;q=0\r\n\r\n",
	  "GET / host=h zstd keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: *, zstd;q=0\r\n\r\n",
	  "GET / host=h gzip br keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: gzip;q=0, *\r\n\r\n",
	  "GET / host=h br zstd keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: gzip ; q=0.000\r\n\r\n",
	  "GET / host=h keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: gzip;q=0.001\r\n\r\n",
	  "GET / host=h gzip keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: gzip;q=1.000\r\n\r\n",
	  "GET / host=h gzip keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: gzip;q=1.1\r\n\r\n",
	  "GET / host=h keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: gzip;q=2\r\n\r\n", "GET / host=h keep\nSENT\n" },
	{ "GET / HTTP/1.1\r\n" H "Accept-Encoding: gzipped\r\n\r\n", "GET / host=h keep\nSENT\n" },
	{ "POST /p HTTP/1.1\r\n" H "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc",
	  "POST /p host=h type=text/plain body=abc keep\nSENT\n" },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 3\r\nContent-Length: 03\r\n\r\nabc",
	  "POST / host=h body=abc keep\nSENT\n" },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n", "POST / host=h keep\nSENT\n" },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: Chunked\r\n\r\n"
	  "2;x=\"y z\"\r\nab\r\n00000001\r\nc\r\n0\r\nTrailer: t\r\n\r\n",
	  "POST / host=h body=abc keep\nSENT\n" },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	  "POST / host=h keep\nSENT\n" },
	{ "GET /1 HTTP/1.1\r\n" H "\r\nPOST /2 HTTP/1.1\r\n" H "Content-Length: 2\r\n\r\nxy"
	  "HEAD /3 HTTP/1.1\r\n" H "Connection: close\r\n\r\nGET /never HTTP/1.1\r\n" H "\r\n",
	  "GET /1 host=h keep\nSENT\nPOST /2 host=h body=xy keep\nSENT\n"
	  "HEAD /3 host=h close\nSENT\n" },
};

static const struct {
	const char *bytes;
	int status;
} refused[] = {
	{ "GET /\r\n", 400 },
	{ "GET\r\n", 400 },
	{ "\r\n\r\n", 400 },
	{ " GET / HTTP/1.1\r\n", 400 },
	{ "GET  / HTTP/1.1\r\n", 400 },
	{ "GET / HTTP/1.1 \r\n", 400 },
	{ "GET\t/ HTTP/1.1\r\n", 400 },
	{ "GET / HTTP/1.1\n", 400 },
	{ "GET / HTTP/1.1\r\n" H "\n", 400 },
	{ "GET / HTTP/1.1\rX", 400 },
	{ "G(T / HTTP/1.1\r\n", 400 },
	{ "get / HTTP/1.1\r\n", 501 },
	{ "BREW / HTTP/1.1\r\n", 501 },
	{ "CONNECT h:1 HTTP/1.1\r\n", 501 },
	{ "GET / HTTP/2.0\r\n", 505 },
	{ "GET / HTTP/0.9\r\n", 505 },
	{ "GET / HTTP/11\r\n", 400 },
	{ "GET / HTTP/1.1x\r\n", 400 },
	{ "GET / http/1.1\r\n", 400 },
	{ "PRI * HTTP/2.0\r\n", 505 },
	{ "GET * HTTP/1.1\r\n", 400 },
	{ "GET x HTTP/1.1\r\n", 400 },
	{ "GET /# HTTP/1.1\r\n", 400 },
	{ "GET /%g0 HTTP/1.1\r\n", 400 },
	{ "GET /\xff HTTP/1.1\r\n", 400 },
	{ "GET ftp://h/ HTTP/1.1\r\n", 400 },
	{ "GET http:///x HTTP/1.1\r\n", 400 },
	{ "GET http://u@h/x HTTP/1.1\r\n", 400 },
	{ "\x16\x03\x01", 400 },
	{ "GET / HTTP/1.1\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" H H "\r\n", 400 },
	{ "GET / HTTP/1.0\r\n" H H "\r\n", 400 },
	{ "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" H "X: a\r\n b\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" H ": empty\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" H "no colon\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" H "X: \x01\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" H "X: \x7f\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\n" H "Connection: \"\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 1, 1\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: +1\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: -1\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 0x1\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length:\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 65\r\n\r\n", 413 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 18446744073709551616\r\n\r\n", 413 },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n", 501 },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: identity\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: \x0b"
	  "chunked\r\n\r\n",
	  400 },
	{ "POST / HTTP/1.1\r\n" H
	  "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
	  400 },
	{ "POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n", 400 },
	{ "POST / HTTP/1.1\r\n" H "Expect: tea\r\nContent-Length: 1\r\n\r\n", 417 },
#define C "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	{ C "\r\n", 400 },
	{ C ";x\r\n", 400 },
	{ C "g\r\n", 400 },
	{ C "1 \r\na\r\n", 400 },
	{ C "1\na\r\n", 400 },
	{ C "1\r\nab", 400 },
	{ C "1\r\na\n", 400 },
	{ C "0x1\r\na\r\n", 400 },
	{ C "-1\r\n", 400 },
	{ C "00000000000000001\r\na", 400 },
	{ C "ffffffffffffffff\r\na", 413 },
	{ C "41\r\na", 413 },
	{ C "40\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n1\r\na",
	  413 },
	{ C "0\r\nbad trailer\r\n\r\n", 400 },
	{ C "0\r\n folded: x\r\n\r\n", 400 },
	{ C "1;\x01\r\n", 400 },
};

static const struct app_limits limits = { .head_bytes = 512, .body_bytes = 64 };

static void check_status(const struct buf *sent, int status, const char *bytes)
{
	char line[32];

	snprintf(line, sizeof line, "HTTP/1.1 %d ", status);
	if (sent->len < 13 || strncmp(sent->data, line, 13) != 0)
		fail_msg("%s\nwas answered: %.*s", bytes, (int)sent->len, sent->data);
}

static void good_requests_are_read(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		drive_again(&d);
		drive_feed(&d, taken[i].bytes, strlen(taken[i].bytes));
		if (strcmp(buf_text(&d.events), taken[i].events) != 0)
			fail_msg("%s\ngave %s, %s", taken[i].bytes, buf_text(&d.events),
				 d.app.fail.text);
	}
	drive_close(&d);
}

static void bad_requests_are_answered_and_end_it(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		char event[32];

		drive_again(&d);
		drive_feed(&d, refused[i].bytes, strlen(refused[i].bytes));
		check_status(&d.sent, refused[i].status, refused[i].bytes);
		snprintf(event, sizeof event, "FAILED %d\n", refused[i].status);
		assert_string_equal(buf_text(&d.events), event);
		assert_true(d.app.fail.text[0] != '\0');
		assert_true(app_http1.finished(&d.app));
		assert_non_null(strstr(buf_text(&d.sent), "\r\nConnection: close\r\n"));
		/* What follows is nobody's request. */
		drive_feed(&d, "GET / HTTP/1.1\r\n" H "\r\n", 27);
		assert_string_equal(buf_text(&d.events), event);
	}
	drive_close(&d);
}

static void a_zero_byte_is_refused(void **state)
{
	static const char bytes[] = "GET / HTTP/1.1\r\nX: a\0b\r\n\r\n";
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	drive_feed(&d, bytes, sizeof bytes - 1);
	check_status(&d.sent, 400, "zero byte");
	assert_non_null(strstr(d.app.fail.text, "0x00"));
	drive_close(&d);
}

static void limits_are_exact(void **state)
{
	char head[700], target[1200];
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, limits);
	/* A head of exactly the limit is taken, one byte more is not. */
	for (int extra = 0; extra < 2; extra++) {
		int len = snprintf(head, sizeof head, "GET / HTTP/1.1\r\n" H "X: %*s\r\n\r\n",
				   512 - 32 + extra, "x");

		assert_int_equal(len, 512 + extra);
		drive_again(&d);
		drive_feed(&d, head, (size_t)len);
		check_status(&d.sent, extra ? 431 : 200, head);
	}
	/* A request line without an end. */
	memset(target, 'a', sizeof target);
	drive_again(&d);
	drive_feed(&d, target, sizeof target);
	check_status(&d.sent, 414, "endless request line");
	drive_close(&d);
}

static void long_targets_are_414(void **state)
{
	struct drive d;

	(void)state;
	drive_open(&d, APP_SERVER, (struct app_limits){ 0 });
	for (int len = APP_TARGET_BYTES - 1; len <= APP_TARGET_BYTES; len++) {
		char head[1200];
		int n = snprintf(head, sizeof head, "GET /%0*d HTTP/1.1\r\n" H "\r\n", len - 1, 0);

		drive_again(&d);
		drive_feed(&d, head, (size_t)n);
		check_status(&d.sent, len < APP_TARGET_BYTES ? 200 : 414, head);
	}
	drive_close(&d);
}

static void endless_chunk_extensions_end(void **state)
{
	char extension[5000];
	struct drive d;

	(void)state;
	memset(extension, 'x', sizeof extension);
	drive_open(&d, APP_SERVER, limits);
	drive_feed(&d, C "1;", strlen(C "1;"));
	drive_feed(&d, extension, sizeof extension);
	check_status(&d.sent, 400, "extension");
	drive_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_requests_are_read),
		cmocka_unit_test(bad_requests_are_answered_and_end_it),
		cmocka_unit_test(a_zero_byte_is_refused),
		cmocka_unit_test(limits_are_exact),
		cmocka_unit_test(long_targets_are_414),
		cmocka_unit_test(endless_chunk_extensions_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
