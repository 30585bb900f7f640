/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_test - the generator against servers that behave and misbehave, over real sockets of
 * the loopback address; every request must be accounted for, whatever the server does.
 */
#include "clients/load_testing.h"
#include "lib/testing.h"
#include "protocols/app.h"

static void kept_connections_serve_all(void **state)
{
	(void)state;
	struct run run = against(FAKE_NORMAL, CONNECTION_KEEPALIVE, 20);
	assert_int_equal(run.r.window.succeeded, 20);
	assert_int_equal(run.r.window.connects, 2);
	assert_int_equal(run.r.window.reconnects, 0);
	assert_int_equal(run.r.window.status_2xx, 20);
	assert_int_equal(run.r.window.body_bytes, 20 * FAKE_BODY_BYTES);
	assert_int_equal(run.r.encoded[APP_IDENTITY], 20);
	assert_int_equal(run.r.handshake.count, 2);
	assert_int_equal(run.r.window.handshakes_full, 0); /* there is no TLS here */
	assert_true(run.r.window.wire_bytes_received > 20 * FAKE_BODY_BYTES);
	assert_true(load_rate_per_s(&run.r) > 0);
	char text[256];
	assert_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
}

static void full_connects_for_each(void **state)
{
	(void)state;
	struct run run = against(FAKE_NORMAL, CONNECTION_FULL, 20);
	assert_int_equal(run.r.window.succeeded, 20);
	assert_int_equal(run.r.window.connects, 20);
	assert_int_equal(run.r.handshake.count, 20);
	/* A response is connecting, then the service; half a nanosecond for the sums' rounding. */
	assert_true(run.r.response.sum_ns + 0.5 >= run.r.service.sum_ns + run.r.handshake.sum_ns);
	assert_int_equal(run.r.window.reconnects, 0);
	assert_int_equal(run.r.window.closed_first, 0);
	load_result_release(&run.r);
}

static void bodies_of_all_shapes(void **state)
{
	(void)state;
	static const enum fake_way ways[] = { FAKE_CHUNKED, FAKE_TO_CLOSE, FAKE_SLOW };
	static const int bytes[] = { 8, 9, FAKE_BODY_BYTES };
	for (int i = 0; i < 6; i++) {
		struct run run = against(ways[i / 2], (enum connection_mode)(i % 2), 10);
		assert_int_equal(run.r.window.succeeded, 10);
		assert_int_equal(run.r.window.body_bytes, 10 * bytes[i / 2]);
		assert_int_equal(run.r.window.closed_first, 0);
		load_result_release(&run.r);
	}
}

static void slow_answers_are_slow_samples(void **state)
{
	(void)state;
	struct run run = against(FAKE_SLOW, CONNECTION_KEEPALIVE, 4);
	assert_true(run.r.response.min_ns >= 10 * MS);
	assert_true(hist_quantile(&run.r.service, 0.5) >= 10 * MS);
	load_result_release(&run.r);
}

static void broken_answers_are_failures(void **state)
{
	(void)state;
	static const enum fake_way ways[] = { FAKE_CLOSES_EARLY, FAKE_HALF, FAKE_GARBAGE,
					      FAKE_RESETS, FAKE_ERROR };
	for (int i = 0; i < 10; i++) {
		struct run run = against(ways[i / 2], (enum connection_mode)(i % 2), 6);
		char text[256];
		assert_int_equal(run.r.window.succeeded, 0);
		assert_int_equal(run.r.window.failed, 6);
		assert_int_equal(run.r.window.body_bytes, 0);
		assert_true(run.r.first_failure[0]);
		assert_non_null(load_verdict(&run.p, &run.r, text));
		if (ways[i / 2] == FAKE_ERROR) {
			assert_int_equal(run.r.window.status_5xx, 6);
			assert_non_null(strstr(run.r.first_failure, "500"));
		} else if (ways[i / 2] != FAKE_GARBAGE) {
			assert_int_equal(run.r.window.closed_by_peer, 6);
		}
		load_result_release(&run.r);
	}
}

static void silence_is_a_time_out(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_SILENT);
	prepare(&run, server.port);
	run.p.count = 4;
	run.p.timeout_ns = 30 * MS;
	int64_t from_ns = clock_ns();
	go(&run);
	assert_in_range(clock_ns() - from_ns, 60 * MS, 2000 * MS);
	assert_int_equal(run.r.window.timed_out, 4);
	assert_int_equal(run.r.window.failed, 0);
	assert_int_equal(run.r.failed.count, 0);
	assert_non_null(strstr(run.r.first_failure, "waiting for the response"));
	load_result_release(&run.r);
	fake_stop(&server);
}

static void refused_ends_early_without_spinning(void **state)
{
	(void)state;
	struct run run;
	uint16_t port;
	int fd = fake_bind(&port); /* bound, and does not listen */
	prepare(&run, port);
	run.p.count = 0;
	run.p.duration_ns = 600000 * MS;
	int64_t from_ns = clock_ns();
	go(&run);
	assert_in_range(clock_ns() - from_ns, LOAD_HOPELESS_NS, 5 * LOAD_HOPELESS_NS);
	assert_true(run.r.hopeless);
	assert_false(run.r.complete);
	assert_int_equal(run.r.window.connects_failed, run.r.window.failed);
	/* 1, 2, 4 .. 100 ms apart: about 16 in the first second, per client */
	assert_in_range(run.r.total.started, 4, 60);
	assert_non_null(strstr(run.r.first_failure, "refused"));
	load_result_release(&run.r);
	close(fd);
}

static void refused_by_count_still_counts(void **state)
{
	(void)state;
	struct run run;
	uint16_t port;
	int fd = fake_bind(&port);
	prepare(&run, port);
	run.p.count = 5;
	go(&run);
	assert_int_equal(run.r.window.failed, 5);
	load_result_release(&run.r);
	close(fd);
}

static void closed_between_requests_is_a_reconnect(void **state)
{
	(void)state;
	for (int way = FAKE_CLOSES_UNSAID; way <= FAKE_CLOSES_SAID; way++) {
		struct run run = against((enum fake_way)way, CONNECTION_KEEPALIVE, 20);
		assert_int_equal(run.r.window.succeeded, 20);
		assert_int_equal(run.r.window.failed, 0);
		assert_in_range(run.r.window.reconnects, 5, 6);
		assert_int_equal(run.r.window.connects, run.r.window.reconnects + 2);
		load_result_release(&run.r);
	}
}

static void server_that_leaves_closing_to_us(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_LEAVES_OPEN);
	prepare(&run, server.port);
	run.p.connection = CONNECTION_FULL;
	run.p.count = 4;
	int64_t from_ns = clock_ns();
	go(&run);
	assert_in_range(clock_ns() - from_ns, 200 * MS, 5000 * MS);
	assert_int_equal(run.r.window.succeeded, 4);
	assert_int_equal(run.r.window.closed_first, 4);
	/* The wait for the close is no part of the response. */
	assert_true(run.r.response.min_ns < 100 * MS);
	load_result_release(&run.r);
	fake_stop(&server);
}

/* --- content -------------------------------------------------------------- */

/* gzip of ten zero bytes, written by the gzip program. */
static const unsigned char gzip_body[] = { 0x1f, 0x8b, 8,    0,    0,    0, 0, 0,
					   2,    3,    0x63, 0x60, 0x80, 1, 0, 0x76,
					   0x68, 0x8a, 0xe3, 10,   0,    0, 0 };

static struct run with_gzip(size_t cut_bytes, bool verify)
{
	static struct fake server;
	static char canned[256];
	struct run run;
	fake_start(&server, FAKE_CANNED);
	size_t len = sizeof(gzip_body) - cut_bytes;
	int head =
		snprintf(canned, sizeof(canned),
			 "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
			 len);
	memcpy(canned + head, gzip_body, len);
	server.canned = canned;
	server.canned_bytes = (size_t)head + len;
	prepare(&run, server.port);
	run.p.accepts = 1u << APP_GZIP;
	run.p.verify_body = verify;
	go(&run);
	fake_stop(&server);
	return run;
}

static void coded_bodies_are_decoded(void **state)
{
	(void)state;
	struct run run = with_gzip(0, true);
	assert_int_equal(run.r.window.succeeded, 20);
	assert_int_equal(run.r.encoded[APP_GZIP], 20);
	assert_int_equal(run.r.encoded[APP_IDENTITY], 0);
	assert_int_equal(run.r.decoded_bytes, 10);
	assert_int_equal(run.r.window.body_bytes, 20 * (int)sizeof(gzip_body));
	load_result_release(&run.r);
	run = with_gzip(5, true);
	assert_int_equal(run.r.window.failed, 2); /* the first of each client */
	assert_non_null(strstr(run.r.first_failure, "gzip"));
	load_result_release(&run.r);
	run = with_gzip(5, false);
	assert_int_equal(run.r.window.failed, 0);
	assert_int_equal(run.r.decoded_bytes, -1);
	load_result_release(&run.r);
}

/* --- properties ----------------------------------------------------------- */

static void accounts_balance_in_any_mix(void **state)
{
	(void)state;
	struct rng rng = testing_rng("accounts_balance_in_any_mix");
	for (int i = 0; i < 25; i++) {
		static struct fake server;
		struct run run;
		fake_start(&server, i % 2 ? FAKE_MIX : (enum fake_way)rng_below(&rng, FAKE_CANNED));
		prepare(&run, server.port);
		run.p.clients = 1 + (int)rng_below(&rng, 8);
		run.p.connection = (enum connection_mode)rng_below(&rng, CONNECTION_RESUME);
		run.p.timeout_ns = (int64_t)(5 + rng_below(&rng, 40)) * MS;
		run.p.warmup_ns = (int64_t)rng_below(&rng, 3) * 10 * MS;
		if (rng_below(&rng, 2)) {
			run.p.count = 0;
			run.p.duration_ns = (int64_t)(1 + rng_below(&rng, 50)) * MS;
		} else {
			run.p.count = 1 + (int64_t)rng_below(&rng, 40);
		}
		go(&run);
		assert_int_equal(run.status, 0);
		load_result_release(&run.r);
		fake_stop(&server);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_connections_serve_all),
		cmocka_unit_test(full_connects_for_each),
		cmocka_unit_test(bodies_of_all_shapes),
		cmocka_unit_test(slow_answers_are_slow_samples),
		cmocka_unit_test(broken_answers_are_failures),
		cmocka_unit_test(silence_is_a_time_out),
		cmocka_unit_test(refused_ends_early_without_spinning),
		cmocka_unit_test(refused_by_count_still_counts),
		cmocka_unit_test(closed_between_requests_is_a_reconnect),
		cmocka_unit_test(server_that_leaves_closing_to_us),
		cmocka_unit_test(coded_bodies_are_decoded),
		cmocka_unit_test(accounts_balance_in_any_mix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
