/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers over datagrams against a server in this process: who begins anew from the same port,
 * who never goes on, who floods, who forges; each engine on both sides.
 */
#include "servers/dgram_drive.h"

#include <malloc.h>

#include "servers/tls_drive.h"

#define CCM8        "dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256"
#define SOCKETS     100
#define HELLOS_EACH 100
#define RESTING     16

static struct server *start(struct server_params *p, const struct engine_ops *ops)
{
	*p = drive_params("coaps://127.0.0.1:0", ops, CCM8);
	p->handshakes = 100;
	p->credential_dir = credential_dir;
	return drive_start(p);
}

static void for_each(void (*test)(const struct engine_ops *client, const struct engine_ops *server))
{
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			test(engines[c], engines[s]);
}

static void check_requests(const struct engine_ops *client, const struct engine_ops *server)
{
	struct server_params p;
	struct server *s = start(&p, server);
	struct server_counters c;
	struct visitor v;

	visitor_open(&v, &p, client);
	enter(&v);
	for (uint8_t id = 0; id < 10; id++)
		ask(&v, id);
	c = wait_open(s, 1);
	assert_int_equal(c.handshakes_full, 1);
	assert_int_equal(c.cookies, 1);
	assert_int_equal(c.connections, 1);
	assert_int_equal(c.requests, 10);
	v.domain.ops->shutdown(&v.assoc);
	send_all(&v);
	c = wait_open(s, 0);
	assert_int_equal(c.handshakes_failed, 0);
	visitor_close(&v);
	server_stop(s);
}

/* The shortest records that there are: of a message of four bytes, and of the end. */
static void check_short(const struct engine_ops *client, const struct engine_ops *server)
{
	static const char *const suites[] = { CCM8,
					      "dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256",
					      "dtls1.2:ECDHE-ECDSA-CHACHA20-POLY1305:p256:p256" };
	static const uint8_t ping[] = { 0x40, 0, 0x41, 7 }, reset[] = { 0x70, 0, 0x41, 7 };

	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
		struct server_params p = drive_params("coaps://127.0.0.1:0", server, suites[i]);
		uint8_t answer[64];
		struct server *s;
		struct visitor v;
		size_t n = 0;

		p.handshakes = 2;
		p.credential_dir = credential_dir;
		s = drive_start(&p);
		visitor_open(&v, &p, client);
		enter(&v);
		assert_int_equal(v.domain.ops->write(&v.assoc, ping, sizeof ping, &n), STEP_DONE);
		send_all(&v);
		assert_int_equal(next_message(&v, answer, sizeof answer, &n), STEP_DONE);
		assert_int_equal(n, sizeof reset);
		assert_memory_equal(answer, reset, sizeof reset);
		v.domain.ops->shutdown(&v.assoc);
		send_all(&v);
		assert_int_equal(wait_open(s, 0).timed_out, 0);
		visitor_close(&v);
		server_stop(s);
	}
}

static void short_records_are_heard(void **state)
{
	(void)state;
	for_each(check_short);
}

static void requests_are_answered(void **state)
{
	(void)state;
	for_each(check_requests);
}

/* The old association lives until the new one is proven, and no longer. */
static void check_anew(const struct engine_ops *client, const struct engine_ops *server)
{
	struct server_params p;
	struct server *s = start(&p, server);
	struct server_counters c;
	struct visitor v, other;

	visitor_open(&v, &p, client);
	visitor_open(&other, &p, client);
	enter(&v);
	begin(&other);
	/* Somebody who can send in its name, and hears nothing. */
	assert_int_equal(send(v.fd, other.hello, other.hello_len, 0), other.hello_len);
	ask(&v, 1);
	for (int i = 0; i < 3; i++) {
		enter(&v);
		ask(&v, 2);
	}
	c = wait_open(s, 1);
	assert_int_equal(c.replaced, 3);
	assert_int_equal(c.handshakes_full, 4);
	assert_int_equal(c.handshakes_failed, 0);
	visitor_close(&v);
	visitor_close(&other);
	server_stop(s);
}

static void a_peer_begins_anew_from_the_same_port(void **state)
{
	(void)state;
	for_each(check_anew);
}

static void check_forged(const struct engine_ops *client, const struct engine_ops *server)
{
	static const uint8_t alert[] = { 21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40 };
	static const uint8_t sealed[] = { 21, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 9, 9, 0, 2, 1, 0 };
	struct server_params p;
	struct server *s = start(&p, server);
	struct visitor v;

	visitor_open(&v, &p, client);
	begin(&v);
	assert_true(hear(&v, PATIENCE_MS));
	v.domain.ops->handshake(&v.assoc);
	send_all(&v);
	/* In the middle of the handshake, and after it. */
	assert_int_equal(send(v.fd, alert, sizeof alert, 0), sizeof alert);
	assert_true(finish(&v, PATIENCE_MS));
	assert_int_equal(send(v.fd, alert, sizeof alert, 0), sizeof alert);
	assert_int_equal(send(v.fd, sealed, sizeof sealed, 0), sizeof sealed);
	assert_int_equal(send(v.fd, "noise", 5, 0), 5);
	ask(&v, 1);
	visitor_close(&v);
	server_stop(s);
}

static void forged_alerts_and_noise_end_nothing(void **state)
{
	(void)state;
	for_each(check_forged);
}

/* Who takes the cookie and goes silent keeps a place for a while, and not for ever. */
static void check_half_open(const struct engine_ops *client, const struct engine_ops *server)
{
	struct server_params p = drive_params("coaps://127.0.0.1:0", server, CCM8);
	struct visitor silent[2], v;
	struct server *s;
	struct server_counters c;

	p.handshakes = 2;
	p.handshake_timeout_ns = 300 * NS_PER_MS;
	p.credential_dir = credential_dir;
	s = drive_start(&p);
	for (int i = 0; i < 2; i++) {
		visitor_open(&silent[i], &p, client);
		begin(&silent[i]);
		assert_true(hear(&silent[i], PATIENCE_MS));
		silent[i].domain.ops->handshake(&silent[i].assoc);
		send_all(&silent[i]);
		assert_true(hear(&silent[i], PATIENCE_MS));
	}
	visitor_open(&v, &p, client);
	begin(&v);
	c = wait_open(s, 0);
	assert_int_equal(c.refused, 1);
	assert_int_equal(c.handshakes_failed, 2);
	assert_int_equal(c.timed_out, 2);
	enter(&v);
	ask(&v, 1);
	visitor_close(&v);
	for (int i = 0; i < 2; i++)
		visitor_close(&silent[i]);
	server_stop(s);
}

static void half_open_associations_are_bounded(void **state)
{
	(void)state;
	for_each(check_half_open);
}

/* Hellos without a cookie from many ports, and somebody real among them. */
static void check_flood(const struct engine_ops *client, const struct engine_ops *server)
{
	struct server_params p;
	struct server *s = start(&p, server);
	struct visitor v, flood[SOCKETS];
	struct server_counters c;
	uint32_t blocks;
	size_t before;

	visitor_open(&v, &p, client);
	enter(&v);
	for (int i = 0; i < SOCKETS; i++)
		visitor_open(&flood[i], &p, client);
	begin(&flood[0]);
	assert_true(hear(&flood[0], PATIENCE_MS));
	before = mallinfo2().uordblks;
	blocks = blocks_tally().taken;
	for (int n = 0; n < HELLOS_EACH; n++)
		for (int i = 0; i < SOCKETS; i++)
			send(flood[i].fd, flood[0].hello, flood[0].hello_len, 0);
	ask(&v, 1);
	c = wait_open(s, 1);
	assert_in_range(mallinfo2().uordblks, 0, before + 65536);
	assert_in_range(blocks_tally().taken, 0, blocks + 2);
	assert_true(c.cookies > SOCKETS);
	assert_int_equal(c.connections, 1);
	v.domain.ops->shutdown(&v.assoc);
	send_all(&v);
	wait_open(s, 0);
	enter(&v);
	ask(&v, 2);
	visitor_close(&v);
	for (int i = 0; i < SOCKETS; i++)
		visitor_close(&flood[i]);
	server_stop(s);
}

static void hellos_without_a_cookie_leave_nothing(void **state)
{
	(void)state;
	for_each(check_flood);
}

/*
 * Until so many blocks of the engine rest (OpenSSL 3.5 has two for each association), and memory
 * has come down by so much where it is counted.
 */
static void wait_resting(uint32_t blocks, size_t before, size_t bytes)
{
	int64_t end_ns = clock_ns() + PATIENCE_NS;
	bool counted = true;

#ifdef __SANITIZE_ADDRESS__
	counted = false;
#endif
	while (blocks_tally().resting < blocks ||
	       (counted && mallinfo2().uordblks > before - bytes)) {
		if (clock_ns() > end_ns)
			fail_msg("%u blocks rest of %u taken, not %u; %zu bytes, %zu before",
				 blocks_tally().resting, blocks_tally().taken, blocks,
				 mallinfo2().uordblks, before);
		clock_sleep_until(clock_ns() + NS_PER_MS);
	}
}

/* Who has been silent takes less memory, and is known as before: a duplicate is one. */
static void check_rest(const struct engine_ops *client, const struct engine_ops *server)
{
	struct server_params p;
	struct server *s = start(&p, server);
	struct visitor v[RESTING];
	struct server_counters c;
	size_t before;

	for (int i = 0; i < RESTING; i++) {
		visitor_open(&v[i], &p, client);
		enter(&v[i]);
		ask(&v[i], 1);
	}
	before = mallinfo2().uordblks;
	wait_resting(server->rest ? RESTING : 0, before, RESTING * 6000);
	for (int i = 0; i < RESTING; i++) {
		ask(&v[i], 1);
		ask(&v[i], 2);
		v[i].domain.ops->shutdown(&v[i].assoc);
		send_all(&v[i]);
	}
	c = wait_open(s, 0);
	assert_int_equal(c.requests, 2 * RESTING);
	assert_int_equal(c.coap.replays, RESTING);
	assert_int_equal(c.handshakes_full, RESTING);
	assert_int_equal(c.handshakes_failed, 0);
	for (int i = 0; i < RESTING; i++)
		visitor_close(&v[i]);
	server_stop(s);
}

static void silent_peers_rest(void **state)
{
	(void)state;
	for_each(check_rest);
}

static void check_idle(const struct engine_ops *client, const struct engine_ops *server)
{
	struct server_params p = drive_params("coaps://127.0.0.1:0", server, CCM8);
	uint8_t bytes[64];
	struct server *s;
	struct visitor v;
	size_t got;

	p.handshakes = 2;
	p.idle_timeout_ns = 100 * NS_PER_MS;
	p.credential_dir = credential_dir;
	s = drive_start(&p);
	visitor_open(&v, &p, client);
	enter(&v);
	assert_int_equal(next_message(&v, bytes, sizeof bytes, &got), STEP_CLOSED);
	assert_int_equal(wait_open(s, 0).timed_out, 1);
	visitor_close(&v);
	server_stop(s);
}

static void silence_is_ended_with_a_goodbye(void **state)
{
	(void)state;
	for_each(check_idle);
}

/* At the limit of connections a peer may replace its own; others are not answered. */
static void check_full(const struct engine_ops *client, const struct engine_ops *server)
{
	struct server_params p = drive_params("coaps://127.0.0.1:0", server, CCM8);
	struct server_counters c;
	struct visitor v, other;
	struct server *s;

	p.handshakes = 2;
	p.connections = 1;
	p.credential_dir = credential_dir;
	s = drive_start(&p);
	visitor_open(&v, &p, client);
	visitor_open(&other, &p, client);
	enter(&v);
	ask(&v, 1);
	begin(&other);
	assert_false(hear(&other, 100));
	begin(&v);
	assert_true(finish(&v, 5000));
	ask(&v, 2);
	c = wait_open(s, 1);
	assert_int_equal(c.refused, 1);
	assert_int_equal(c.replaced, 1);
	visitor_close(&v);
	visitor_close(&other);
	server_stop(s);
}

static void a_full_server_lets_a_peer_begin_anew(void **state)
{
	(void)state;
	for_each(check_full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_answered),
		cmocka_unit_test(short_records_are_heard),
		cmocka_unit_test(a_peer_begins_anew_from_the_same_port),
		cmocka_unit_test(forged_alerts_and_noise_end_nothing),
		cmocka_unit_test(half_open_associations_are_bounded),
		cmocka_unit_test(hellos_without_a_cookie_leave_nothing),
		cmocka_unit_test(silent_peers_rest),
		cmocka_unit_test(silence_is_ended_with_a_goodbye),
		cmocka_unit_test(a_full_server_lets_a_peer_begin_anew),
	};

	engines_begin();
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
