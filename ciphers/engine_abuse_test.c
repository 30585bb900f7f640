/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a peer may send to an engine: something that is not TLS, a hello byte by
 * byte, mutated handshakes, a goodbye, records of a stated size.
 */
#include "ciphers/engine_test.h"

#include <stdlib.h>

#include "lib/rng.h"

/* --- bytes that are not TLS ----------------------------------------------- */

/* Until the server is done with what it got: it must not ask for more for ever. */
static enum step feed_server(struct probe *p, const void *data, size_t len)
{
	enum step step = STEP_IN;

	wire_put(&p->server.assoc.in, data, len);
	for (int i = 0; i < TURNS && step == STEP_IN && !wire_empty(&p->server.assoc.in); i++)
		step = p->server.domain.ops->handshake(&p->server.assoc);
	return step;
}

static void check_not_tls(const struct engine_ops *ops, const char *text)
{
	static const char http[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct suite suite = test_suite(text);
	struct rng rng;
	struct probe p;
	struct fail f = { 0 };
	uint8_t junk[4096];

	open_with(&p, ops, ops, &suite, NULL);
	assert_int_equal(feed_server(&p, http, sizeof(http) - 1), STEP_FAILED);
	if (!strstr(p.server.assoc.fail.text, "HTTP"))
		fail_msg("%s", p.server.assoc.fail.text);
	rng_seed(&rng, 2026);
	for (int round = 0; round < 50; round++) {
		assert_int_equal(probe_restart(&p, &f), 0);
		for (size_t i = 0; i < sizeof(junk); i++)
			junk[i] = (uint8_t)rng_next(&rng);
		junk[0] |= 0x40; /* no type of a TLS record */
		assert_int_equal(feed_server(&p, junk, sizeof(junk)), STEP_FAILED);
		assert_true(strlen(p.server.assoc.fail.text) > 0);
	}
	/* The same domain serves a proper client afterwards. */
	if (probe_restart(&p, &f) || probe_handshake(&p, &f))
		fail_msg("%s", f.text);
	probe_close(&p);
}

static void test_not_tls(void **state)
{
	(void)state;
	for_each_engine(check_not_tls);
}

/* One association's error must not be seen by another of the same thread. */
static void check_bystander(const struct engine_ops *ops, const char *text)
{
	struct suite suite = test_suite(text);
	struct probe good, bad;
	struct fail f = { 0 };

	open_with(&good, ops, ops, &suite, NULL);
	open_with(&bad, ops, ops, &suite, NULL);
	for (int round = 0; round < 20; round++) {
		assert_int_equal(probe_restart(&bad, &f), 0);
		assert_int_equal(feed_server(&bad, "not TLS at all", 14), STEP_FAILED);
		if (round == 0 && probe_handshake(&good, &f))
			fail_msg("%s", f.text);
		if (probe_send(&good.client, &good.server, "ping", 4, &f))
			fail_msg("%s", f.text);
		assert_int_equal(ops->read(&good.client.assoc, (char[8]){ 0 }, 8, &(size_t){ 0 }),
				 STEP_IN);
	}
	probe_close(&good);
	probe_close(&bad);
}

static void test_an_error_stays_with_its_association(void **state)
{
	(void)state;
	for_each_engine(check_bystander);
}

/* --- pieces --------------------------------------------------------------- */

/* All bytes, one at a time, the receiver called after each. */
static enum step drip(struct probe_end *from, struct probe_end *to)
{
	enum step step = STEP_IN;
	uint8_t byte;

	while (step == STEP_IN && wire_get(&from->assoc.out, &byte, 1)) {
		wire_put(&to->assoc.in, &byte, 1);
		step = to->domain.ops->handshake(&to->assoc);
	}
	return step;
}

static void check_single_bytes(const struct engine_ops *client, const struct engine_ops *server,
			       const char *text)
{
	struct suite suite = test_suite(text);
	enum step c = STEP_IN, s = STEP_IN;
	struct probe p;
	struct fail f = { 0 };

	open_with(&p, client, server, &suite, NULL);
	assert_int_equal(client->handshake(&p.client.assoc), STEP_IN);
	for (int i = 0; i < TURNS && (c == STEP_IN || s == STEP_IN); i++) {
		if (s == STEP_IN)
			s = drip(&p.client, &p.server);
		if (c == STEP_IN)
			c = drip(&p.server, &p.client);
	}
	assert_int_equal(c, STEP_DONE);
	assert_int_equal(s, STEP_DONE);
	if (probe_send(&p.client, &p.server, "ping", 4, &f))
		fail_msg("%s", f.text);
	probe_close(&p);
}

static void test_single_bytes(void **state)
{
	(void)state;
	for_each_pair(check_single_bytes);
}

/* --- mutations ------------------------------------------------------------ */

#define MUTATED_HANDSHAKES 300

/* Flip, cut, repeat or insert some bytes of what is on its way. */
static size_t mutate(struct rng *rng, uint8_t *data, size_t len, size_t max)
{
	size_t at = (size_t)rng_below(rng, len), n = (size_t)rng_below(rng, 16) + 1;

	switch (rng_below(rng, 4)) {
	case 0:
		data[at] ^= (uint8_t)(1u << rng_below(rng, 8));
		return len;
	case 1:
		data[at] = (uint8_t)rng_next(rng);
		return len;
	case 2:
		return at;
	default:
		if (len + n > max)
			return len;
		memmove(data + at + n, data + at, len - at);
		return len + n;
	}
}

static void carry_mutated(struct rng *rng, struct probe_end *from, struct probe_end *to)
{
	uint8_t data[65536];
	size_t len = wire_get(&from->assoc.out, data, sizeof(data));

	if (len && !rng_below(rng, 3))
		len = mutate(rng, data, len, sizeof(data));
	wire_put(&to->assoc.in, data, len);
}

static void shake_mutated(struct rng *rng, struct probe *p)
{
	enum step c = STEP_IN, s = STEP_IN;
	uint8_t got[1024];
	size_t n;

	for (int i = 0; i < 10; i++) {
		if (c == STEP_IN)
			c = p->client.domain.ops->handshake(&p->client.assoc);
		carry_mutated(rng, &p->client, &p->server);
		if (s == STEP_IN)
			s = p->server.domain.ops->handshake(&p->server.assoc);
		carry_mutated(rng, &p->server, &p->client);
	}
	if (s != STEP_DONE || c != STEP_DONE)
		return;
	p->client.domain.ops->write(&p->client.assoc, "request", 7, &n);
	carry_mutated(rng, &p->client, &p->server);
	for (int i = 0; i < TURNS && !wire_empty(&p->server.assoc.in); i++)
		if (p->server.domain.ops->read(&p->server.assoc, got, sizeof(got), &n) != STEP_IN)
			break;
}

static void check_mutations(const struct engine_ops *client, const struct engine_ops *server,
			    const char *text)
{
	struct suite suite = test_suite(text);
	uint64_t seed = rng_fresh_seed();
	struct fail f = { 0 };
	struct rng rng;
	struct probe p;

	print_message("%s -> %s %s: seed %llu\n", client->name, server->name, text,
		      (unsigned long long)seed);
	rng_seed(&rng, seed);
	open_with(&p, client, server, &suite, NULL);
	for (int i = 0; i < MUTATED_HANDSHAKES; i++) {
		assert_int_equal(probe_restart(&p, &f), 0);
		shake_mutated(&rng, &p);
	}
	if (probe_restart(&p, &f) || probe_handshake(&p, &f))
		fail_msg("%s", f.text);
	probe_close(&p);
}

static void test_mutations(void **state)
{
	(void)state;
	for_each_pair(check_mutations);
}

/* --- after the handshake -------------------------------------------------- */

static void check_goodbye(const struct engine_ops *client, const struct engine_ops *server,
			  const char *text)
{
	struct suite suite = test_suite(text);
	struct fail f = { 0 };
	struct probe p;
	char got[16];
	size_t n;

	open_with(&p, client, server, &suite, NULL);
	assert_int_equal(probe_handshake(&p, &f), 0);
	server->write(&p.server.assoc, "last words", 10, &n);
	server->shutdown(&p.server.assoc);
	probe_carry(&p.server, &p.client);
	assert_int_equal(client->read(&p.client.assoc, got, sizeof(got), &n), STEP_DONE);
	assert_int_equal(n, 10);
	assert_int_equal(client->read(&p.client.assoc, got, sizeof(got), &n), STEP_CLOSED);
	probe_close(&p);
}

static void test_goodbye(void **state)
{
	(void)state;
	for_each_pair(check_goodbye);
}

static void check_tampering(const struct engine_ops *client, const struct engine_ops *server,
			    const char *text)
{
	struct suite suite = test_suite(text);
	struct fail f = { 0 };
	struct probe p;
	uint8_t data[256];
	char got[16];
	size_t n;

	open_with(&p, client, server, &suite, NULL);
	assert_int_equal(probe_handshake(&p, &f), 0);
	client->write(&p.client.assoc, "request", 7, &n);
	n = wire_get(&p.client.assoc.out, data, sizeof(data));
	data[n - 1] ^= 1;
	wire_put(&p.server.assoc.in, data, n);
	assert_int_equal(server->read(&p.server.assoc, got, sizeof(got), &n), STEP_FAILED);
	probe_close(&p);
}

static void test_tampering_is_noticed(void **state)
{
	(void)state;
	for_each_pair(check_tampering);
}

#define RECORD_BYTES 1000
#define RECORDS      7

static void small_records(struct tls_params *client, struct tls_params *server)
{
	(void)client;
	server->record_bytes = RECORD_BYTES;
}

/* Both libraries must cut the same bytes into the same records. */
static void check_records(const struct engine_ops *ops, const char *text)
{
	static const uint8_t data[RECORD_BYTES * RECORDS];
	struct suite suite = test_suite(text);
	struct fail f = { 0 };
	struct probe p;
	const uint8_t *wire;
	size_t sent = 0, len, n, records = 0;

	open_with(&p, ops, ops, &suite, small_records);
	assert_int_equal(probe_handshake(&p, &f), 0);
	wire_clear(&p.server.assoc.out);
	while (sent < sizeof(data)) {
		assert_int_equal(ops->write(&p.server.assoc, data + sent, sizeof(data) - sent, &n),
				 STEP_DONE);
		sent += n;
	}
	for (wire = wire_peek(&p.server.assoc.out, &len); len; records++) {
		size_t record = 5 + ((size_t)wire[3] << 8 | wire[4]);

		assert_int_equal(wire[0], 23);
		assert_in_range(record, RECORD_BYTES, RECORD_BYTES + 64);
		assert_true(record <= len);
		wire += record;
		len -= record;
	}
	assert_int_equal(records, RECORDS);
	probe_close(&p);
}

static void test_records_have_the_stated_size(void **state)
{
	(void)state;
	for_each_engine(check_records);
}

static int tickets_wanted;

static void with_tickets(struct tls_params *client, struct tls_params *server)
{
	(void)client;
	server->tickets = tickets_wanted;
}

/* TLS 1.3 tickets come after the handshake: without them the server has no more to say. */
static void check_tickets(const struct engine_ops *client, const struct engine_ops *server,
			  const char *text)
{
	struct suite suite = test_suite(text);
	struct fail f = { 0 };
	struct probe p;

	for (tickets_wanted = 0; tickets_wanted < 2; tickets_wanted++) {
		open_with(&p, client, server, &suite, with_tickets);
		assert_int_equal(probe_handshake(&p, &f), 0);
		if (suite.version == TLS13)
			assert_int_equal(wire_empty(&p.client.assoc.in), tickets_wanted == 0);
		if (probe_send(&p.server, &p.client, "answer", 6, &f))
			fail_msg("%s", f.text);
		/* A ticket that was taken in must not be used either. */
		if (probe_restart(&p, &f) || probe_handshake(&p, &f))
			fail_msg("%s", f.text);
		probe_close(&p);
	}
}

static void test_tickets_only_when_wanted(void **state)
{
	(void)state;
	for_each_pair(check_tickets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_tls),
		cmocka_unit_test(test_an_error_stays_with_its_association),
		cmocka_unit_test(test_single_bytes),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_goodbye),
		cmocka_unit_test(test_tampering_is_noticed),
		cmocka_unit_test(test_records_have_the_stated_size),
		cmocka_unit_test(test_tickets_only_when_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
