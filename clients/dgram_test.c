/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_test - the generator over datagrams against servers that behave and misbehave; every
 * request and every datagram must be accounted for.
 */
#include "clients/load_testing.h"

#include "clients/fairness.h"
#include "clients/fake_coap.h"

static struct fake_coap server;

static void ready(struct run *run, enum fake_coap_way way, enum connection_mode mode, int count)
{
	char text[64];
	assert_int_equal(fake_coap_start(&server, way), 0);
	prepare(run, server.port);
	run->p.connection = mode;
	run->p.count = count;
	run->p.datagrams.ack_timeout_ns = 20 * MS;
	run->p.californium = true;
	snprintf(text, sizeof(text), "coap://127.0.0.1:%u/a/b", server.port);
	assert_int_equal(url_parse(text, &run->p.url, &run->f), 0);
}

static void finish(struct run *run)
{
	go(run);
	assert_int_equal(run->status, 0);
	fake_coap_stop(&server);
	/* What is sent is counted, and nothing is made up. */
	assert_true(run->r.total.datagrams_sent >= run->r.total.started);
	assert_true(server.requests <= run->r.total.datagrams_sent);
}

static struct run with(enum fake_coap_way way, enum connection_mode mode, int count)
{
	struct run run;
	ready(&run, way, mode, count);
	finish(&run);
	return run;
}

static void each_client_keeps_its_socket(void **state)
{
	(void)state;
	struct run run = with(FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 40);
	const struct load_counters *w = &run.r.window;
	assert_int_equal(w->succeeded, 40);
	assert_int_equal(w->status_2xx, 40);
	assert_int_equal(w->connects, 2);
	assert_int_equal(server.sockets, 2);
	assert_int_equal(w->datagrams_sent, 40);
	assert_int_equal(w->datagrams_received, 40);
	assert_int_equal(w->body_bytes, 40 * strlen(FAKE_COAP_BODY));
	assert_int_equal(run.r.first.count, 2);
	assert_int_equal(run.r.warm.count, 38);
	assert_int_equal(run.r.handshake.count, 0); /* there is none */
	assert_int_equal(run.r.connects.count, 2);
	assert_int_equal(run.r.responses.count, 38);
	assert_true(run.r.udp_known && run.r.udp.out_datagrams >= 80);
	assert_true(run.r.receive_granted_bytes > 0);
	char text[256];
	assert_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
}

static void full_takes_a_socket_for_each(void **state)
{
	(void)state;
	struct run run = with(FAKE_COAP_NORMAL, CONNECTION_FULL, 40);
	assert_int_equal(run.r.window.succeeded, 40);
	assert_int_equal(run.r.window.connects, 40);
	assert_int_equal(run.r.window.reconnects, 0);
	assert_true(server.sockets > 30); /* the kernel may hand out one again */
	assert_int_equal(run.r.first.count, 40);
	load_result_release(&run.r);
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 40);
	run.p.connection_requests = 5;
	run.p.californium = false;
	finish(&run);
	assert_in_range(run.r.window.connects, 8, 9); /* 20 of each, or not quite */
	assert_int_equal(run.r.connects.count + run.r.responses.count, 0); /* not asked for */
	load_result_release(&run.r);
}

static void what_is_lost_is_sent_again(void **state)
{
	(void)state;
	struct run run = with(FAKE_COAP_LOSSY, CONNECTION_KEEPALIVE, 60);
	const struct load_counters *w = &run.r.window;
	assert_int_equal(w->succeeded, 60);
	assert_int_equal(w->datagrams_sent, 60 + w->coap_retransmissions);
	assert_in_range(w->coap_retransmissions, 25, 35);
	assert_int_equal(w->reconnects, 0);
	assert_true(run.r.service.max_ns >= 20 * MS);
	load_result_release(&run.r);
}

static void what_comes_twice_counts_once(void **state)
{
	(void)state;
	struct run run = with(FAKE_COAP_TWICE, CONNECTION_KEEPALIVE, 50);
	const struct load_counters *t = &run.r.total;
	assert_int_equal(run.r.window.succeeded, 50);
	assert_int_equal(run.r.window.body_bytes, 50 * strlen(FAKE_COAP_BODY));
	assert_true(t->coap_strays >= 40); /* but for the last ones */
	assert_int_equal(t->coap_resets, 0);
	load_result_release(&run.r);
	run = with(FAKE_COAP_GARBAGE, CONNECTION_KEEPALIVE, 50);
	assert_int_equal(run.r.window.succeeded, 50);
	assert_true(run.r.total.coap_malformed >= 50);
	load_result_release(&run.r);
}

/* The answer apart from its ACK is acknowledged too. */
static void separate_answers_are_taken(void **state)
{
	(void)state;
	struct run run = with(FAKE_COAP_SEPARATE, CONNECTION_KEEPALIVE, 30);
	assert_int_equal(run.r.window.succeeded, 30);
	assert_true(server.confirmed >= 28);
	assert_true(run.r.total.coap_duplicates >= 25);
	assert_int_equal(run.r.total.coap_strays, 0);
	load_result_release(&run.r);
	run = with(FAKE_COAP_SEPARATE, CONNECTION_FULL, 30);
	assert_int_equal(run.r.window.succeeded, 30);
	assert_int_equal(run.r.window.datagrams_sent, 60);
	load_result_release(&run.r);
}

static void silence_is_a_time_out(void **state)
{
	(void)state;
	struct run run;
	ready(&run, FAKE_COAP_SILENT, CONNECTION_KEEPALIVE, 4);
	run.p.timeout_ns = 100 * MS;
	finish(&run);
	assert_int_equal(run.r.window.timed_out, 4);
	assert_true(run.r.window.coap_retransmissions > 0);
	assert_non_null(strstr(run.r.first_failure, "waiting for the response"));
	load_result_release(&run.r);
	/* CoAP gives up on its own: 1 + 2 + 4 + 8 + 16 times 2 ms, at most half as much again. */
	ready(&run, FAKE_COAP_SILENT, CONNECTION_KEEPALIVE, 4);
	run.p.datagrams.ack_timeout_ns = 2 * MS;
	finish(&run);
	assert_int_equal(run.r.window.timed_out, 4);
	assert_int_equal(run.r.window.coap_retransmissions, 16);
	assert_non_null(strstr(run.r.first_failure, "CoAP"));
	assert_in_range(run.r.timed_out_least_ns, 62 * MS, run.p.timeout_ns - 1);
	load_result_release(&run.r);
}

static void refusals_are_failures(void **state)
{
	(void)state;
	struct run run = with(FAKE_COAP_REJECTS, CONNECTION_KEEPALIVE, 10);
	assert_int_equal(run.r.window.failed, 10);
	assert_int_equal(run.r.window.coap_resets, 10);
	load_result_release(&run.r);
	run = with(FAKE_COAP_MISSES, CONNECTION_KEEPALIVE, 10);
	assert_int_equal(run.r.window.failed, 10);
	assert_int_equal(run.r.window.status_4xx, 10);
	assert_int_equal(run.r.window.connects, 2);
	/* As Californium counts them: answers, whatever they say. */
	assert_int_equal(run.r.responses.count, 8);
	assert_non_null(strstr(run.r.first_failure, "4.04"));
	load_result_release(&run.r);
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 4);
	fake_coap_stop(&server); /* nobody has the port: ICMP says so */
	go(&run);
	assert_int_equal(run.r.window.failed, 4);
	assert_int_equal(run.r.window.connects_failed, 4);
	assert_non_null(strstr(run.r.first_failure, "refused"));
	load_result_release(&run.r);
}

/* D16: never a success; who is told to wait does so where that was asked for. */
static void a_busy_server_is_given_time(void **state)
{
	(void)state;
	for (int obeys = 0; obeys < 2; obeys++) {
		struct run run;
		ready(&run, FAKE_COAP_BUSY, CONNECTION_KEEPALIVE, 3);
		run.p.clients = 1;
		run.p.obey_max_age = obeys;
		run.p.min_success_pct = 0;
		finish(&run);
		assert_int_equal(run.r.window.succeeded, 2);
		assert_int_equal(run.r.window.failed, 1);
		assert_int_equal(run.r.window.status_5xx, 1);
		assert_int_equal(run.r.window_to_ns - run.r.window_from_ns >= 1000 * MS, obeys);
		load_result_release(&run.r);
	}
}

static void requests_are_shared_out_evenly(void **state)
{
	(void)state;
	struct run run;
	struct fairness f;
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 0);
	run.p.clients = 12;
	run.p.threads = 2;
	run.p.count_each = 17;
	run.p.count = 17 * 12;
	finish(&run);
	assert_int_equal(run.r.window.succeeded, 204);
	assert_int_equal(server.sockets, 12);
	assert_int_equal(run.r.each_count, 12);
	fairness_judge(run.r.each, 12, &f);
	assert_int_equal(f.requests_min, 17);
	assert_int_equal(f.requests_max, 17);
	load_result_release(&run.r);
}

/* The link sends in turn, headers counted where asked for, and CoAP's timers run on meanwhile. */
static void a_slow_link_is_one_queue(void **state)
{
	(void)state;
	struct run run;
	struct fairness f;
	int64_t bytes, elapsed_ns;
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 80);
	run.p.clients = 8;
	run.p.datagrams.ack_timeout_ns = 10000 * MS;
	run.p.upload_bytes_per_s = 10000;
	run.p.datagrams.overhead_bytes = 28;
	finish(&run);
	bytes = run.r.window.wire_bytes_sent + 28 * run.r.window.datagrams_sent;
	elapsed_ns = run.r.window_to_ns - run.r.window_from_ns;
	assert_int_equal(run.r.window.coap_retransmissions, 0);
	assert_true(elapsed_ns >=
		    (bytes - 100) * 100000); /* its burst is a hundredth of a second */
	assert_true(elapsed_ns < bytes * 100000 * 3);
	fairness_judge(run.r.each, 8, &f);
	assert_in_range(f.requests_min, 8, 10);
	assert_true(f.mean_jain > 0.9);
	load_result_release(&run.r);
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 16);
	run.p.clients = 8;
	run.p.datagrams.ack_timeout_ns = 150 * MS;
	run.p.upload_bytes_per_s = 1000;
	run.p.datagrams.overhead_bytes = 28;
	finish(&run);
	/* 8 datagrams of 41 bytes take 328 ms: those behind are sent again while they wait. */
	assert_int_equal(run.r.window.succeeded, 16);
	assert_true(run.r.window.coap_retransmissions >= 4);
	load_result_release(&run.r);
}

/* D11: another socket where ids are used up, and none where they may be used again. */
static void used_up_ids_cost_a_socket(void **state)
{
	(void)state;
	for (int reuses = 0; reuses < 2; reuses++) {
		struct run run;
		ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 66000);
		run.p.clients = 1;
		run.p.datagrams.reuse_ids = reuses;
		finish(&run);
		assert_int_equal(run.r.window.succeeded, 66000);
		assert_int_equal(run.r.window.coap_ids_exhausted, !reuses);
		assert_int_equal(server.sockets, reuses ? 1 : 2);
		assert_int_equal(run.r.window.reconnects, 0);
		load_result_release(&run.r);
	}
}

/* So many requests that ids would come twice on a socket: it is changed, as without a number. */
static void no_id_comes_twice_on_a_planned_socket(void **state)
{
	(void)state;
	struct run run;
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 66000);
	run.p.clients = 1;
	run.p.connection_requests = 70000;
	finish(&run);
	assert_int_equal(run.r.window.succeeded, 66000);
	assert_int_equal(run.r.window.coap_ids_exhausted, 1);
	assert_int_equal(server.sockets, 2);
	load_result_release(&run.r);
	/* Two messages of ours each, and one socket would do for the requests alone. */
	ready(&run, FAKE_COAP_SEPARATE, CONNECTION_KEEPALIVE, 36000);
	run.p.clients = 1;
	run.p.connection_requests = 40000;
	finish(&run);
	assert_int_equal(run.r.window.succeeded, 36000);
	assert_int_equal(run.r.window.coap_ids_exhausted, 1);
	assert_int_equal(server.sockets, 2);
	load_result_release(&run.r);
}

static void refused(struct run *run, const char *word)
{
	assert_int_equal(load_run(&run->p, &run->r, &run->f), -1);
	if (!strstr(run->f.text, word))
		fail_msg("\"%s\" lacks \"%s\"", run->f.text, word);
	load_result_release(&run->r);
	fake_coap_stop(&server);
}

static void impossible_settings_are_refused(void **state)
{
	(void)state;
	struct run run;
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 1);
	run.p.rate_per_s = 1000;
	run.p.clients = 3;
	refused(&run, "use 4 clients");
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 1);
	run.p.rate_per_s = 1000;
	run.p.clients = 3;
	run.p.connection_requests = 70000;
	refused(&run, "use 4 clients");
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 1);
	run.p.datagrams.block_bytes = 1024;
	run.p.datagrams.mtu_bytes = 700;
	refused(&run, "the largest is 512");
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 1);
	run.p.datagrams.block_bytes = 100;
	refused(&run, "power of two");
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 1);
	run.p.http2 = true;
	refused(&run, "HTTP/2");
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 1);
	run.p.accepts = 1u << APP_GZIP;
	refused(&run, "content codings");
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_RESUME, 1);
	refused(&run, "nothing to resume");
	ready(&run, FAKE_COAP_NORMAL, CONNECTION_KEEPALIVE, 10);
	run.p.count_each = 3;
	refused(&run, "3 of each");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_client_keeps_its_socket),
		cmocka_unit_test(full_takes_a_socket_for_each),
		cmocka_unit_test(what_is_lost_is_sent_again),
		cmocka_unit_test(what_comes_twice_counts_once),
		cmocka_unit_test(separate_answers_are_taken),
		cmocka_unit_test(silence_is_a_time_out),
		cmocka_unit_test(refusals_are_failures),
		cmocka_unit_test(a_busy_server_is_given_time),
		cmocka_unit_test(requests_are_shared_out_evenly),
		cmocka_unit_test(a_slow_link_is_one_queue),
		cmocka_unit_test(used_up_ids_cost_a_socket),
		cmocka_unit_test(no_id_comes_twice_on_a_planned_socket),
		cmocka_unit_test(impossible_settings_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
