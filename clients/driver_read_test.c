/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_read_test - other programs' output into figures: what they told, what they did not, and
 * their known faults; without the programs.
 */
#include <stdio.h>
#include <string.h>

#include "clients/driver_testing.h"

static void read_text(const struct driver_ops *ops, const struct load_params *p, const char *text,
		      struct driver_figures *d)
{
	char copy[4096], *at = copy;
	snprintf(copy, sizeof(copy), "%s", text);
	driver_figures_clear(d);
	for (char *line = strsep(&at, "\n"); line; line = strsep(&at, "\n"))
		ops->read_line(d, line);
	driver_conclude(ops, p, d);
}

static const char ab_head[] =
	"SSL/TLS Protocol:       TLSv1.2,ECDHE-ECDSA-AES128-GCM-SHA256,256,128\n"
	"Server Temp Key:        X25519 253 bits\n"
	"Time taken for tests:   0.5 seconds\n";
static const char ab_tail[] = "Total transferred:      34150 bytes\n"
			      "HTML transferred:       25600 bytes\n"
			      "Requests per second:    100.00 [#/sec] (mean)\n"
			      "Time per request:       4.680 [ms] (mean)\n"
			      "              min  mean[+/-sd] median   max\n"
			      "Connect:        1    3   2.0      2      10\n"
			      "Processing:     0    1   0.3      0       2\n"
			      "Total:          1    4   0.9      3      12\n"
			      "  50%      3\n"
			      "  95%      8\n"
			      "  99%     11\n"
			      " 100%     12 (longest request)\n";

static void ab_text(const char *middle, char dst[2048])
{
	snprintf(dst, 2048, "%s%s%s", ab_head, middle, ab_tail);
}

static void ab_is_read(void **state)
{
	(void)state;
	struct load_params p = params("https://127.0.0.1:1/", CONNECTION_FULL);
	struct driver_figures d;
	char text[2048];
	ab_text("Complete requests:      50\nFailed requests:        0\n", text);
	read_text(&driver_ab, &p, text, &d);
	assert_int_equal(d.started, 50);
	assert_int_equal(d.succeeded, 50);
	assert_int_equal(d.failed, 0);
	assert_int_equal(d.connects, 50);
	assert_int_equal(d.body_bytes, 25600);
	assert_int_equal(d.wire_bytes_received, -1); /* what it tells is decrypted */
	near(d.requests_per_s, 100);
	near(d.response.p50, 3000);
	near(d.response.p95, 8000);
	near(d.response.p99, 11000);
	near(d.response.max, 12000);
	near(d.response.mean, 4 * 0.5 * 1e6 / 50); /* finer than the whole ms of the table */
	near(d.handshake.p50, 2000);
	near(d.handshake.max, 10000);
	near(d.resolution_us, 1000);
	assert_true(isnan(d.response.p99_9) && isnan(d.service.p95));
	assert_string_equal(d.version, "TLSv1.2");
	assert_string_equal(d.cipher, "ECDHE-ECDSA-AES128-GCM-SHA256");
	assert_string_equal(d.group, "X25519");
	assert_string_equal(d.first_failure, "");
}

static void ab_faults_are_put_right(void **state)
{
	(void)state;
	struct load_params p = params("http://127.0.0.1:1/", CONNECTION_KEEPALIVE);
	struct driver_figures d;
	char text[2048], why[256];
	/* Two more connections than clients asked for: replies without keep-alive. */
	ab_text("Complete requests:      50\nFailed requests:        0\nKeep-Alive requests:    "
		"48\n",
		text);
	read_text(&driver_ab, &p, text, &d);
	assert_int_equal(d.reconnects, 2);
	assert_null(driver_verdict(&p, &d, why));
	/* Another length is none of the failures; a status of 500 is one. */
	ab_text("Complete requests:      50\nFailed requests:        7\n"
		"   (Connect: 0, Receive: 0, Length: 7, Exceptions: 0)\n",
		text);
	read_text(&driver_ab, &p, text, &d);
	assert_int_equal(d.succeeded, 50);
	assert_int_equal(d.failed, 0);
	assert_int_equal(d.notes, 1);
	ab_text("Complete requests:      50\nFailed requests:        0\nNon-2xx responses:      "
		"50\n",
		text);
	read_text(&driver_ab, &p, text, &d);
	assert_int_equal(d.succeeded, 0);
	assert_int_equal(d.failed, 50);
	assert_true(isnan(d.response.p50)); /* of failures */
	near(d.requests_per_s, 0);
	assert_non_null(driver_verdict(&p, &d, why));
	assert_true(d.first_failure[0]);
}

static const char wrk_text[] = "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
			       "    Latency     0.98ms    1.15ms   1.25s    88.75%%\n"
			       "    Req/Sec     0.93k    89.27     1.03k    80.00%%\n"
			       "  Latency Distribution\n"
			       "     50%%  416.00us\n"
			       "     75%%    1.53ms\n"
			       "     90%%    2.30ms\n"
			       "     99%%    5.45ms\n"
			       "  931 requests in 1.00s, 620.97KB read\n"
			       "%s"
			       "Requests/sec:    927.16\n"
			       "Transfer/sec:    618.41KB\n";

static void wrk_is_read(void **state)
{
	(void)state;
	struct load_params p = params("https://127.0.0.1:1/", CONNECTION_FULL);
	struct driver_figures d;
	char text[2048], why[256];
	snprintf(text, sizeof(text), wrk_text, "");
	read_text(&driver_wrk, &p, text, &d);
	assert_int_equal(d.succeeded, 931);
	assert_int_equal(d.failed, 0);
	assert_int_equal(d.started, -1);
	near(d.requests_per_s, 927.16);
	near(d.service.mean, 980);
	near(d.service.max, 1.25e6);
	near(d.service.p50, 416);
	near(d.service.p99, 5450);
	assert_true(isnan(d.service.p95) && isnan(d.response.p50));
	/* A connection per request over TLS: it may resume, and never says so. */
	assert_non_null(strstr(d.note[0], "resumption not excluded"));
	p = params("http://127.0.0.1:1/", CONNECTION_FULL);
	read_text(&driver_wrk, &p, text, &d);
	assert_int_equal(d.notes, 0);
	snprintf(text, sizeof(text), wrk_text,
		 "  Socket errors: connect 2, read 3, write 0, timeout 4\n"
		 "  Non-2xx or 3xx responses: 31\n");
	read_text(&driver_wrk, &p, text, &d);
	assert_int_equal(d.succeeded, 900);
	assert_int_equal(d.failed, 36);
	assert_int_equal(d.timed_out, 4);
	assert_int_equal(d.connects_failed, 2);
	near(d.requests_per_s, 900);
	assert_true(isnan(d.service.p50));
	assert_non_null(driver_verdict(&p, &d, why));
}

static const char h2load_text[] =
	"TLS Protocol: TLSv1.3\nCipher: TLS_AES_128_GCM_SHA256\nServer Temp Key: %s\n"
	"finished in 2.21s, 26105.00 req/s, 16.53MB/s\n"
	"requests: 52 total, 51 started, 50 done, %d succeeded, %d failed, 0 errored, 1 timeout\n"
	"status codes: 48 2xx, 1 3xx, 1 4xx, 0 5xx\n"
	"traffic: 32.42KB (33200) total, 5.52KB (5650) headers (space savings 0.00%%), 25.00KB "
	"(25600) data\n"
	"%s\n"
	"time for connect:     5.45ms     10.34ms      8.32ms      2.44ms    75.00%%\n";

static void h2load_is_read(void **state)
{
	(void)state;
	struct load_params p = params("https://127.0.0.1:1/", CONNECTION_KEEPALIVE);
	struct driver_figures d;
	char text[2048];
	snprintf(text, sizeof(text), h2load_text, "X25519 253 bits", 50, 1,
		 "                     min         max         mean         sd        +/- sd\n"
		 "time for request:      198us      5.09ms       530us       784us    96.00%");
	read_text(&driver_h2load, &p, text, &d);
	assert_int_equal(d.started, 51);
	assert_int_equal(d.succeeded, 50);
	assert_int_equal(d.failed, 0);
	assert_int_equal(d.timed_out, 1);
	assert_int_equal(d.status[2], 48);
	assert_int_equal(d.status[4], 1);
	assert_int_equal(d.body_bytes, 25600);
	near(d.elapsed_s, 2.21);
	near(d.service.min, 198);
	near(d.service.max, 5090);
	near(d.service.mean, 530);
	near(d.handshake.mean, 8320);
	assert_true(isnan(d.service.p50) && isnan(d.service.p99));
	/* A version that tells percentiles, and OpenSSL's words for P-256. */
	snprintf(text, sizeof(text), h2load_text, "ECDH prime256v1 256 bits", 50, 1,
		 "                min     max    median   p95      p99      mean     sd    +/- sd\n"
		 "time for request: 198us 5.09ms 400us 1.5ms 2ms 530us 784us 96.00%");
	read_text(&driver_h2load, &p, text, &d);
	near(d.service.p50, 400);
	near(d.service.p95, 1500);
	near(d.service.p99, 2000);
	near(d.service.mean, 530);
	assert_string_equal(d.group, "prime256v1");
	/* By duration it tells its warm-up too: the rate is over the duration. */
	p.duration_ns = NS_PER_S;
	read_text(&driver_h2load, &p, text, &d);
	near(d.elapsed_s, 1);
	/* Connections cut by the server. */
	snprintf(text, sizeof(text), h2load_text, "X25519", 40, 11, "");
	read_text(&driver_h2load, &p, text, &d);
	assert_int_equal(d.failed, 10);
	assert_non_null(strstr(d.note[0], "keepalive_requests"));
}

static void nothing_readable_is_no_result(void **state)
{
	(void)state;
	struct load_params p = params("http://127.0.0.1:1/", CONNECTION_FULL);
	for (int i = 0; drivers[i]; i++) {
		struct driver_figures d;
		char why[256];
		read_text(drivers[i], &p, "apr_socket_recv: Connection refused (111)\n%\n\n  x%",
			  &d);
		assert_int_equal(d.succeeded, -1);
		assert_non_null(driver_verdict(&p, &d, why));
	}
}

static void numbers_with_units(void **state)
{
	(void)state;
	near(driver_duration_us("416.00us"), 416);
	near(driver_duration_us("1.53ms"), 1530);
	near(driver_duration_us("2s"), 2e6);
	near(driver_duration_us("1.5m"), 9e7);
	assert_true(isnan(driver_duration_us("")) && isnan(driver_duration_us("5 parsecs")) &&
		    isnan(driver_duration_us("88.75%")) && isnan(driver_duration_us("12")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ab_is_read),
		cmocka_unit_test(ab_faults_are_put_right),
		cmocka_unit_test(wrk_is_read),
		cmocka_unit_test(h2load_is_read),
		cmocka_unit_test(nothing_readable_is_no_result),
		cmocka_unit_test(numbers_with_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
