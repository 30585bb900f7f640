/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Associations over datagrams, every engine against every engine: cookies before anything is
 * kept, lost, doubled and overtaking flights, noise.
 */
#include "ciphers/engine_test.h"

#include "ciphers/dtls_record.h"
#include "lib/clock.h"
#include "lib/testing.h"

#define EC12D             "dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256"
#define CLIENTS           8
#define PACKET_BYTES      2048
#define RETRANSMIT_NS     (10 * NS_PER_MS)
#define PATIENCE_NS       (20 * NS_PER_S)
#define WIRE_BYTES        65536
#define LOST_IN_A_ROW_MAX 3

static void hurry(struct tls_params *client, struct tls_params *server)
{
	client->retransmit_ns = server->retransmit_ns = RETRANSMIT_NS;
}

static void for_each_dtls_pair(void (*test)(const struct engine_ops *client,
					    const struct engine_ops *server))
{
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++) {
			print_message("%s -> %s\n", engines[c]->name, engines[s]->name);
			test(engines[c], engines[s]);
		}
}

/* --- cookies ---------------------------------------------------------------- */

static enum step listen_to(struct probe *p, struct probe_end *client, uint8_t address)
{
	const uint8_t peer[] = { 2, 0, 0, address, 127, 0, 0, 1 };

	probe_carry(client, &p->server);
	return p->server.domain.ops->listen(&p->server.assoc, peer, sizeof(peer));
}

static void finish(struct probe *p)
{
	struct fail f = { 0 };

	if (probe_handshake(p, &f))
		fail_msg("%s", f.text);
}

static void hello_once(struct probe_end *client)
{
	assert_int_equal(client->domain.ops->handshake(&client->assoc), STEP_IN);
	assert_false(wire_empty(&client->assoc.out));
}

/* Hellos of many, the answers of all, then what each makes of its own. */
static void check_many_hellos(const struct engine_ops *c, const struct engine_ops *s)
{
	struct suite suite = test_suite(EC12D);
	struct probe p, other[CLIENTS];

	open_with(&p, c, s, &suite, NULL);
	for (uint8_t i = 0; i < CLIENTS; i++) {
		open_with(&other[i], c, s, &suite, NULL);
		hello_once(&other[i].client);
		assert_int_equal(listen_to(&p, &other[i].client, i), STEP_IN);
		assert_true(probe_carry(&p.server, &other[i].client) > 0);
	}
	for (uint8_t i = 1; i < CLIENTS; i++)
		hello_once(&other[i].client);
	hello_once(&other[0].client);
	/* Somebody else's cookie is none. */
	assert_int_equal(listen_to(&p, &other[1].client, 2), STEP_IN);
	wire_clear(&p.server.assoc.out);
	assert_int_equal(listen_to(&p, &other[0].client, 0), STEP_DONE);
	/* The rest of it between these two alone. */
	probe_carry(&p.server, &other[0].client);
	for (int i = 0; i < TURNS; i++) {
		enum step client = c->handshake(&other[0].client.assoc);
		enum step server;

		probe_carry(&other[0].client, &p.server);
		server = s->handshake(&p.server.assoc);
		probe_carry(&p.server, &other[0].client);
		assert_int_not_equal(server, STEP_FAILED);
		if (client == STEP_DONE && server == STEP_DONE)
			break;
		assert_int_not_equal(i, TURNS - 1);
	}
	for (int i = 0; i < CLIENTS; i++)
		probe_close(&other[i]);
	probe_close(&p);
}

static void test_many_hellos_on_one_listener(void **state)
{
	(void)state;
	for_each_dtls_pair(check_many_hellos);
}

/* Nothing that is no hello with a cookie is kept, and a real client still gets in. */
static void check_noise_then_client(const struct engine_ops *c, const struct engine_ops *s)
{
	struct rng rng = testing_rng("noise at a listener");
	struct suite suite = test_suite(EC12D);
	uint8_t hello[PACKET_BYTES], noise[PACKET_BYTES];
	struct probe p;
	size_t len;

	open_with(&p, c, s, &suite, NULL);
	hello_once(&p.client);
	len = wire_get(&p.client.assoc.out, hello, sizeof(hello));
	for (int i = 0; i < 3000; i++) {
		size_t changed = rng_below(&rng, len), cut = rng_below(&rng, 4) ? len : changed;
		const uint8_t peer[] = { 2, (uint8_t)i };
		enum step step;

		memcpy(noise, hello, len);
		noise[changed] ^= (uint8_t)(1 + rng_below(&rng, 255));
		wire_put(&p.server.assoc.in, noise, cut);
		step = s->listen(&p.server.assoc, peer, sizeof(peer));
		assert_int_not_equal(step, STEP_DONE);
		if (step == STEP_FAILED) {
			s->close(&p.server.assoc);
			fail_clear(&p.server.assoc.fail);
			assert_int_equal(s->open(&p.server.assoc), 0);
		}
		wire_clear(&p.server.assoc.in);
		wire_clear(&p.server.assoc.out);
	}
	wire_put(&p.client.assoc.out, hello, len);
	assert_int_equal(listen_to(&p, &p.client, 1), STEP_IN);
	probe_carry(&p.server, &p.client);
	hello_once(&p.client);
	assert_int_equal(listen_to(&p, &p.client, 1), STEP_DONE);
	probe_carry(&p.server, &p.client);
	finish(&p);
	probe_close(&p);
}

/* A record's number is anybody's choice: it must not make the next peer's hello an old one. */
static void check_high_number(const struct engine_ops *c, const struct engine_ops *s)
{
	struct suite suite = test_suite(EC12D);
	uint8_t hello[PACKET_BYTES];
	struct probe p;
	size_t len;

	open_with(&p, c, s, &suite, NULL);
	hello_once(&p.client);
	len = wire_get(&p.client.assoc.out, hello, sizeof(hello));
	for (int turn = 0; turn < 12; turn++) {
		hello[5 + turn / 2] ^= 0xff; /* another number, and then the right one */
		wire_put(&p.server.assoc.in, hello, len);
		s->listen(&p.server.assoc, "peer", 4);
		if (turn % 2)
			assert_false(wire_empty(&p.server.assoc.out));
		wire_clear(&p.server.assoc.out);
	}
	probe_close(&p);
}

static void test_noise_at_a_listener(void **state)
{
	(void)state;
	for_each_dtls_pair(check_high_number);
	for_each_dtls_pair(check_noise_then_client);
}

/* --- a bad network ------------------------------------------------------------ */

struct side {
	struct probe_end *end;
	struct wire coming;
	bool listens, done;
	int64_t due_ns; /* when the flight is sent again */
};

struct network {
	struct rng rng;
	unsigned loss_percent, trouble_percent, lost_in_a_row;
	struct side client, server;
	uint8_t late[PACKET_BYTES]; /* overtaken by the next datagram to the same side */
	size_t late_len;
	struct side *late_to;
};

static bool happens(struct network *n, unsigned percent)
{
	return rng_below(&n->rng, 100) < percent;
}

static void put(struct network *n, struct side *to, const uint8_t *packet, size_t len)
{
	if (!n->late_len && happens(n, n->trouble_percent)) {
		memcpy(n->late, packet, len);
		n->late_len = len;
		n->late_to = to;
		return;
	}
	wire_put(&to->coming, packet, len);
	if (happens(n, n->trouble_percent))
		wire_put(&to->coming, packet, len);
	if (!n->late_len || n->late_to != to)
		return;
	wire_put(&to->coming, n->late, n->late_len);
	n->late_len = 0;
}

static void send_all(struct network *n, struct side *from, struct side *to)
{
	struct wire *out = &from->end->assoc.out;
	uint8_t packet[PACKET_BYTES];

	while (!wire_empty(out)) {
		size_t len = wire_get(out, packet, sizeof(packet));

		n->lost_in_a_row = happens(n, n->loss_percent) ? n->lost_in_a_row + 1 : 0;
		/* After many in a row an end rightly gives up. */
		if (n->lost_in_a_row % (LOST_IN_A_ROW_MAX + 1) == 0)
			put(n, to, packet, len);
	}
}

static enum step go_on(struct side *s)
{
	const struct engine_ops *ops = s->end->domain.ops;
	struct assoc *a = &s->end->assoc;
	uint8_t bytes[64];
	size_t got;

	if (s->listens) {
		s->listens = ops->listen(a, "\1", 1) != STEP_DONE;
		return s->listens ? STEP_IN : ops->handshake(a);
	}
	return s->done ? ops->read(a, bytes, sizeof(bytes), &got) : ops->handshake(a);
}

/* Until nothing of the datagram is left: the last of a handshake may come with what follows it. */
static void work(struct side *s)
{
	const struct engine_ops *ops = s->end->domain.ops;
	enum step step;
	int64_t left_ns;

	do {
		step = go_on(s);
		if (step == STEP_FAILED)
			fail_msg("%s: %s", ops->name, s->end->assoc.fail.text);
		s->done = s->done || step == STEP_DONE;
		if (ops->rest && !s->listens)
			ops->rest(&s->end->assoc);
	} while (!wire_empty(&s->end->assoc.in));
	left_ns = s->listens ? -1 : ops->deadline(&s->end->assoc);
	s->due_ns = left_ns < 0 ? INT64_MAX : clock_ns() + left_ns;
}

static void receive(struct side *s)
{
	uint8_t packet[PACKET_BYTES];
	size_t len = wire_get(&s->coming, packet, sizeof(packet));
	struct dtls_record r;

	if (s->listens && (!dtls_record_read(packet, len, &r) || !r.is_hello))
		return;
	wire_put(&s->end->assoc.in, packet, len);
	work(s);
}

static void expire(struct network *n)
{
	struct side *s = n->client.due_ns < n->server.due_ns ? &n->client : &n->server;

	assert_true(s->due_ns < INT64_MAX);
	clock_sleep_until(s->due_ns);
	if (s->end->domain.ops->expire(&s->end->assoc) == STEP_FAILED)
		fail_msg("%s", s->end->assoc.fail.text);
	s->due_ns = clock_ns() + s->end->domain.ops->deadline(&s->end->assoc);
}

static void shake_badly(struct network *n)
{
	int64_t end_ns = clock_ns() + PATIENCE_NS;

	work(&n->client);
	while (!n->client.done || !n->server.done) {
		assert_true(clock_ns() < end_ns);
		send_all(n, &n->client, &n->server);
		send_all(n, &n->server, &n->client);
		if (!wire_empty(&n->server.coming))
			receive(&n->server);
		else if (!wire_empty(&n->client.coming))
			receive(&n->client);
		else
			expire(n);
	}
}

/* What the library keeps of the handshake has given up its pages; bytes still go both ways. */
static void check_rest(struct network *n)
{
	static const char text[] = "after a rest";
	struct probe_end *ends[] = { n->client.end, n->server.end };
	struct fail f = { 0 };
	int keeping = 0;

	for (int i = 0; i < 2; i++) {
		keeping += ends[i]->domain.ops->rest != NULL;
		wire_clear(&ends[i]->assoc.in);
		wire_clear(&ends[i]->assoc.out);
	}
	/* One each, and buffers of records that were not given up yet. */
	assert_in_range(blocks_tally().resting, keeping, 3 * keeping);
	for (int i = 0; i < 2; i++)
		if (probe_send(ends[i], ends[!i], text, sizeof(text), &f) < 0)
			fail_msg("%s", f.text);
	assert_int_equal(blocks_tally().resting, 0);
}

static void check_bad_network(const struct engine_ops *c, const struct engine_ops *s)
{
	struct suite suite = test_suite(EC12D);
	struct network n = { .loss_percent = 15, .trouble_percent = 15 };
	struct probe p;

	n.rng = testing_rng("a bad network");
	open_with(&p, c, s, &suite, hurry);
	assert_int_equal(wire_init(&n.client.coming, WIRE_BYTES, true), 0);
	assert_int_equal(wire_init(&n.server.coming, WIRE_BYTES, true), 0);
	for (int i = 0; i < 30; i++) {
		struct fail f = { 0 };

		assert_int_equal(probe_restart(&p, &f), 0);
		wire_clear(&p.client.assoc.out);
		n.client = (struct side){ .end = &p.client, .coming = n.client.coming };
		n.server = (struct side){ .end = &p.server,
					  .coming = n.server.coming,
					  .listens = true,
					  .due_ns = INT64_MAX };
		wire_clear(&n.client.coming);
		wire_clear(&n.server.coming);
		n.late_len = 0;
		shake_badly(&n);
		check_rest(&n);
	}
	wire_release(&n.client.coming);
	wire_release(&n.server.coming);
	probe_close(&p);
}

static void test_a_bad_network(void **state)
{
	(void)state;
	for_each_dtls_pair(check_bad_network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_hellos_on_one_listener),
		cmocka_unit_test(test_noise_at_a_listener),
		cmocka_unit_test(test_a_bad_network),
	};

	engines_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
