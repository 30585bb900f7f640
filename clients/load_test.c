/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_test - the generator against servers that behave and misbehave, over real sockets of
 * the loopback address; every request must be accounted for, whatever the server does.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "clients/fake_server.h"
#include "clients/load.h"
#include "lib/clock.h"
#include "lib/testing.h"
#include "protocols/app.h"

#define MS INT64_C(1000000)

struct run {
	struct load_params p;
	struct load_result r;
	struct fail f;
	int status;
};

static void prepare(struct run *run, uint16_t port)
{
	*run = (struct run){ 0 };
	run->p = (struct load_params){
		.engine = &engine_null,
		.clients = 2,
		.count = 20,
		.timeout_ns = 10000 * MS,
		.connection = CONNECTION_KEEPALIVE,
		.records_per_send = 1,
	};
	char text[64];
	snprintf(text, sizeof(text), "http://127.0.0.1:%u/page/1000", port);
	assert_int_equal(url_parse(text, &run->p.url, &run->f), 0);
	assert_int_equal(load_result_init(&run->r), 0);
}

/* What must hold after every run, whatever happened in it. */
static void check_accounts(const struct run *run)
{
	const struct load_result *r = &run->r;
	const struct load_counters *w = &r->window, *t = &r->total;
	assert_true(load_counters_balance(w));
	assert_true(load_counters_balance(t));
	assert_int_equal(r->response.count, w->succeeded);
	assert_int_equal(r->service.count, w->succeeded);
	assert_int_equal(r->failed.count, w->failed);
	assert_true(t->started >= w->started && t->succeeded >= w->succeeded);
	assert_true(t->wire_bytes_received >= w->wire_bytes_received);
	assert_true(r->window_to_ns >= r->window_from_ns);
	assert_true(r->response.max_ns >= r->service.max_ns);
	assert_true(w->succeeded <= w->status_2xx + w->status_3xx);
	assert_int_equal(w->failed + w->timed_out + t->failed + t->timed_out > 0,
			 r->first_failure[0] != 0);
	if (run->p.count && r->complete)
		assert_int_equal(w->started, run->p.count);
}

static void go(struct run *run)
{
	run->status = load_run(&run->p, &run->r, &run->f);
	if (run->status)
		print_message("load_run: %s\n", run->f.text);
	check_accounts(run);
}

/* A run of so many requests by two clients against a server of this kind. */
static struct run against(enum fake_way way, enum connection_mode mode, int count)
{
	static struct fake server;
	struct run run;
	fake_start(&server, way);
	prepare(&run, server.port);
	run.p.connection = mode;
	run.p.count = count;
	go(&run);
	assert_int_equal(run.status, 0);
	fake_stop(&server);
	return run;
}

static void kept_connections_serve_all(void **state)
{
	(void)state;
	struct run run = against(FAKE_NORMAL, CONNECTION_KEEPALIVE, 20);
	assert_int_equal(run.r.window.succeeded, 20);
	assert_int_equal(run.r.window.connects, 2);
	assert_int_equal(run.r.window.reconnects, 0);
	assert_int_equal(run.r.window.status_2xx, 20);
	assert_int_equal(run.r.window.body_bytes, 20 * FAKE_BODY_BYTES);
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

static void note_phase(void *data, enum load_phase phase, int64_t at_ns)
{
	int64_t *at = data;
	assert_int_equal(at[phase], 0);
	at[phase] = at_ns;
}

static void phases_by_duration(void **state)
{
	(void)state;
	static struct fake server;
	int64_t at[LOAD_PHASES] = { 0 };
	struct run run;
	fake_start(&server, FAKE_NORMAL);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 100 * MS;
	run.p.warmup_ns = 50 * MS;
	run.p.on_phase = note_phase;
	run.p.data = at;
	go(&run);
	assert_int_equal(at[LOAD_WINDOW], run.r.window_from_ns);
	assert_int_equal(at[LOAD_DRAIN], run.r.window_to_ns);
	assert_true(at[LOAD_WINDOW] - at[LOAD_WARMUP] >= 50 * MS);
	assert_true(run.r.window_to_ns - run.r.window_from_ns >= 100 * MS);
	assert_true(run.r.complete);
	/* Associations and some requests belong to the warm-up alone. */
	assert_int_equal(run.r.total.connects, 2);
	assert_int_equal(run.r.window.connects, 0);
	assert_int_equal(run.r.handshake.count, 0);
	assert_true(run.r.total.succeeded > run.r.window.succeeded);
	assert_int_equal(run.r.total.started, atomic_load(&server.requests));
	assert_int_equal(run.r.window.in_flight, 0); /* the drain is long enough for this server */
	assert_true(run.r.cpu_ns > 0 && run.r.cpu_ns <= run.r.window_to_ns - run.r.window_from_ns);
	load_result_release(&run.r);
	fake_stop(&server);
}

/* --- memory --------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1
static _Thread_local bool counting;
static _Thread_local int allocations;

/* The C library's own entry: this program's malloc() only adds a count, per thread. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	allocations += counting;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations += counting;
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	allocations += counting;
	return __libc_realloc(old, size);
}

static void count_in_window(void *data, enum load_phase phase, int64_t at_ns)
{
	(void)data;
	(void)at_ns;
	counting = phase == LOAD_WINDOW;
}
#endif

static void nothing_is_allocated_in_the_window(void **state)
{
	(void)state;
#if COUNTS_ALLOCATIONS
	static const enum fake_way ways[] = { FAKE_NORMAL, FAKE_CLOSES_UNSAID, FAKE_ERROR,
					      FAKE_CHUNKED };
	for (int i = 0; i < 8; i++) {
		static struct fake server;
		struct run run;
		fake_start(&server, ways[i / 2]);
		prepare(&run, server.port);
		run.p.connection = (enum connection_mode)(i % 2);
		run.p.warmup_ns = 10 * MS;
		run.p.count = 200;
		run.p.on_phase = count_in_window;
		allocations = 0;
		go(&run);
		counting = false;
		assert_int_equal(run.status, 0);
		/* The event library doubles its arrays a few times; requests cost nothing. */
		assert_in_range(allocations, 0, 8);
		load_result_release(&run.r);
		fake_stop(&server);
	}
#else
	skip(); /* a sanitizer has malloc() for itself */
#endif
}

static void count_is_exact_behind_a_warm_up(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_CLOSES_UNSAID);
	prepare(&run, server.port);
	run.p.warmup_ns = 20 * MS;
	run.p.count = 37;
	run.p.clients = 5;
	go(&run);
	assert_int_equal(run.r.window.started, 37);
	assert_int_equal(run.r.window.succeeded, 37);
	load_result_release(&run.r);
	fake_stop(&server);
}

static void in_flight_is_said(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	char text[256];
	fake_start(&server, FAKE_SILENT);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 10 * MS;
	go(&run);
	assert_int_equal(run.r.window.started, 2);
	assert_int_equal(run.r.window.in_flight, 2);
	run.r.window.succeeded = run.r.window.started = 50; /* the verdict about in flight alone */
	assert_non_null(load_verdict(&run.p, &run.r, text));
	assert_non_null(strstr(text, "in flight"));
	load_result_release(&run.r);
	fake_stop(&server);
}

static void stop_flag_ends_it(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	const volatile int stop = 1;
	char text[256];
	fake_start(&server, FAKE_NORMAL);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 60000 * MS;
	run.p.stop = &stop;
	go(&run);
	assert_false(run.r.complete);
	assert_true(run.r.window.succeeded > 0);
	assert_non_null(load_verdict(&run.p, &run.r, text));
	assert_non_null(strstr(text, "interrupted"));
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
	assert_int_equal(run.r.encoded, 20);
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

/* --- what a handshake says ------------------------------------------------ */

static struct tls_facts claim;
static int claims, claim_changes_after;

static void claim_facts(struct assoc *a, struct tls_facts *facts)
{
	(void)a;
	*facts = claim;
	if (claim_changes_after && ++claims > claim_changes_after)
		facts->cipher_id ^= 1;
}

static const char *refuses_nothing(const struct suite *suite)
{
	(void)suite;
	return NULL;
}

/* Plaintext that claims to be a given TLS handshake. */
static struct run with_claim(const struct suite *asked, enum connection_mode mode)
{
	static struct fake server;
	static struct engine_ops claimer;
	struct run run;
	claimer = engine_null;
	claimer.name = "claimer";
	claimer.facts = claim_facts;
	claimer.refuses = refuses_nothing;
	claims = 0;
	fake_start(&server, FAKE_NORMAL);
	prepare(&run, server.port);
	run.p.url.scheme = URL_HTTPS;
	run.p.engine = &claimer;
	run.p.suite = asked;
	run.p.connection = mode;
	go(&run);
	fake_stop(&server);
	return run;
}

static void claim_suite(struct suite *s)
{
	struct fail f = { 0 };
	assert_int_equal(suite_parse("tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256", s, &f), 0);
	claim = (struct tls_facts){ .version = s->version,
				    .cipher_id = s->cipher->id,
				    .group_id = s->group->id,
				    .peer_key = s->credential->key,
				    .peer_key_bits = s->credential->key_bits };
	claim_changes_after = 0;
}

static void full_handshakes_are_counted(void **state)
{
	(void)state;
	struct suite s;
	char text[256];
	claim_suite(&s);
	struct run run = with_claim(&s, CONNECTION_FULL);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.r.window.handshakes_full, 20);
	assert_int_equal(run.r.window.handshakes_resumed, 0);
	assert_int_equal(run.r.facts.cipher_id, s.cipher->id);
	assert_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
}

static void one_resumed_handshake_spoils_full(void **state)
{
	(void)state;
	struct suite s;
	char text[256];
	claim_suite(&s);
	claim.resumed = true;
	struct run run = with_claim(&s, CONNECTION_FULL);
	assert_int_equal(run.r.window.handshakes_resumed, 20);
	assert_int_equal(run.r.window.handshakes_full, 0);
	assert_non_null(load_verdict(&run.p, &run.r, text));
	assert_non_null(strstr(text, "resumed"));
	load_result_release(&run.r);
}

static void another_suite_ends_the_run(void **state)
{
	(void)state;
	struct suite s;
	claim_suite(&s);
	claim.version = TLS13;
	struct run run = with_claim(&s, CONNECTION_FULL);
	assert_int_equal(run.status, -1);
	assert_non_null(strstr(run.f.text, "tls1.2"));
	assert_non_null(strstr(run.f.text, "tls1.3"));
	assert_true(run.r.total.started <= 2);
	load_result_release(&run.r);
}

static void mixed_suites_are_seen(void **state)
{
	(void)state;
	struct suite s;
	char text[256];
	claim_suite(&s);
	claim_changes_after = 15;
	struct run run = with_claim(NULL, CONNECTION_FULL);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.r.facts_mixed, 5);
	assert_non_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
}

/* --- settings and limits -------------------------------------------------- */

static void expect_refusal(struct run *run, const char *word)
{
	run->status = load_run(&run->p, &run->r, &run->f);
	assert_int_equal(run->status, -1);
	if (!strstr(run->f.text, word))
		fail_msg("\"%s\" lacks \"%s\"", run->f.text, word);
	load_result_release(&run->r);
}

static void impossible_settings_are_refused(void **state)
{
	(void)state;
	struct run run;
	prepare(&run, 1);
	run.p.url.scheme = URL_COAP;
	expect_refusal(&run, "coap");
	prepare(&run, 1);
	run.p.url.scheme = URL_HTTPS;
	expect_refusal(&run, "null");
	prepare(&run, 1);
	run.p.duration_ns = 1;
	expect_refusal(&run, "duration");
	prepare(&run, 1);
	run.p.clients = 0;
	expect_refusal(&run, "clients");
	prepare(&run, 1);
	strcpy(run.p.url.host, "no..such");
	expect_refusal(&run, "no..such");
	prepare(&run, 1);
	run.p.cpus = "nonsense";
	expect_refusal(&run, "nonsense");
}

static void machine_limits_are_raised_or_named(void **state)
{
	(void)state;
	struct rlimit before, low;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	struct run run;
	prepare(&run, 1);
	run.p.clients = 40;
	run.p.count = 1;
	assert_int_equal(load_run(&run.p, &run.r, &run.f), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &low), 0);
	assert_true(low.rlim_cur >= 72);
	load_result_release(&run.r);
	prepare(&run, 1);
	run.p.clients = LOAD_CLIENTS_MAX;
	if (before.rlim_max < LOAD_CLIENTS_MAX)
		expect_refusal(&run, "open files");
	else
		expect_refusal(&run, "ip_local_port_range");
	setrlimit(RLIMIT_NOFILE, &before);
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
		run.p.connection = (enum connection_mode)rng_below(&rng, CONNECTION_MODES);
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
		cmocka_unit_test(phases_by_duration),
		cmocka_unit_test(nothing_is_allocated_in_the_window),
		cmocka_unit_test(count_is_exact_behind_a_warm_up),
		cmocka_unit_test(in_flight_is_said),
		cmocka_unit_test(stop_flag_ends_it),
		cmocka_unit_test(coded_bodies_are_decoded),
		cmocka_unit_test(full_handshakes_are_counted),
		cmocka_unit_test(one_resumed_handshake_spoils_full),
		cmocka_unit_test(another_suite_ends_the_run),
		cmocka_unit_test(mixed_suites_are_seen),
		cmocka_unit_test(impossible_settings_are_refused),
		cmocka_unit_test(machine_limits_are_raised_or_named),
		cmocka_unit_test(accounts_balance_in_any_mix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
