/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_test - one peer on a loop of its own: a host with several addresses, and the stamps of
 * an exchange in their order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clients/fake_server.h"
#include "clients/peer.h"
#include "lib/clock.h"

#define MS INT64_C(1000000)

struct bench {
	struct loop *loop;
	struct domain domain;
	struct peer_env env;
	struct peer peer;
	struct exchange ended[8];
	int wanted, ends;
};

static int on_secured(void *data, const struct tls_facts *facts)
{
	(void)data;
	assert_int_equal(facts->version, TLS_NONE);
	return 0;
}

static void on_end(void *data, struct peer *p)
{
	struct bench *b = data;
	b->ended[b->ends++] = p->exchange;
	if (b->ends == b->wanted)
		loop_stop(b->loop);
	else
		peer_begin(p, clock_ns(), 0);
}

static void begin_first(struct loop_timer *t)
{
	peer_begin(t->data, clock_ns(), 0);
}

static void add_address(struct bench *b, uint16_t port)
{
	struct fail f = { 0 };
	assert_int_equal(
		net_resolve("127.0.0.1", port, false, &b->env.address[b->env.addresses], 1, &f), 1);
	b->env.addresses++;
}

static void bench_open(struct bench *b, bool keep_alive)
{
	struct fail f = { 0 };
	*b = (struct bench){ .loop = loop_new(), .domain = { .ops = &engine_null } };
	assert_non_null(b->loop);
	assert_int_equal(engine_null.domain_open(&b->domain), 0);
	b->env = (struct peer_env){
		.loop = b->loop,
		.domain = &b->domain,
		.app = &app_http1,
		.request = { .method = APP_GET,
			     .target = "/",
			     .host = "a",
			     .keep_alive = keep_alive },
		.questions.asker = { .ops = &asker_page, .params.target = "/" },
		.timeout_ns = 10000 * MS,
		.on_secured = on_secured,
		.on_end = on_end,
		.data = b,
	};
	assert_int_equal(peer_init(&b->peer, &b->env, 0, 1, &f), 0);
}

static void bench_run(struct bench *b, int wanted)
{
	struct loop_timer first;
	b->wanted = wanted;
	loop_timer_init(&first, b->loop, begin_first, &b->peer);
	loop_timer_at(&first, 0);
	loop_run(b->loop);
	assert_int_equal(b->ends, wanted);
}

static void bench_close(struct bench *b)
{
	peer_release(&b->peer);
	engine_null.domain_close(&b->domain);
	loop_free(b->loop);
}

static void the_first_address_that_connects_is_kept(void **state)
{
	(void)state;
	static struct fake server;
	struct bench b;
	uint16_t port[2];
	int fd[2] = { fake_bind(&port[0]), fake_bind(&port[1]) }; /* bound, not listening */
	fake_start(&server, FAKE_NORMAL);
	bench_open(&b, false);
	add_address(&b, port[0]);
	add_address(&b, port[1]);
	add_address(&b, server.port);
	bench_run(&b, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(b.ended[i].end, EXCHANGE_OK);
		assert_int_equal(b.ended[i].count.connects_failed, 0);
		assert_int_equal(b.ended[i].count.connects, 1);
	}
	assert_int_equal(b.env.chosen, 2);
	bench_close(&b);
	fake_stop(&server);
	close(fd[0]);
	close(fd[1]);
}

static void the_last_address_tells_the_failure(void **state)
{
	(void)state;
	struct bench b;
	uint16_t port;
	int fd = fake_bind(&port);
	bench_open(&b, false);
	add_address(&b, port);
	add_address(&b, port);
	bench_run(&b, 2);
	assert_int_equal(b.ended[0].end, EXCHANGE_FAILED);
	assert_int_equal(b.ended[0].count.connects_failed, 1);
	assert_int_equal(b.ended[0].sent_ns, -1);
	assert_non_null(strstr(b.peer.fail.text, "refused"));
	bench_close(&b);
	close(fd);
}

static void stamps_are_in_order(void **state)
{
	(void)state;
	static struct fake server;
	struct bench b;
	fake_start(&server, FAKE_NORMAL);
	bench_open(&b, true);
	add_address(&b, server.port);
	bench_run(&b, 4);
	for (int i = 0; i < 4; i++) {
		const struct exchange *x = &b.ended[i];
		assert_true(x->due_ns <= x->begun_ns && x->begun_ns <= x->sent_ns &&
			    x->sent_ns <= x->end_ns);
		assert_int_equal(x->handshake_ns >= 0, i == 0);
		assert_int_equal(x->status, 200);
		assert_int_equal(x->count.body_bytes, FAKE_BODY_BYTES);
		assert_true(x->count.wire_bytes_received > FAKE_BODY_BYTES);
		assert_int_equal(x->count.wire_bytes_received,
				 b.ended[0].count.wire_bytes_received);
		assert_int_equal(x->count.wire_bytes_sent, b.ended[0].count.wire_bytes_sent);
	}
	bench_close(&b);
	fake_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_address_that_connects_is_kept),
		cmocka_unit_test(the_last_address_tells_the_failure),
		cmocka_unit_test(stamps_are_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
