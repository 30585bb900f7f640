/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Associations over datagrams under attack, every engine against every engine: forged alerts,
 * noise, records changed and records repeated.
 */
#include "ciphers/dtls_record.h"
#include "ciphers/engine_test.h"
#include "lib/clock.h"

#define CCM8D        "dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256"
#define PACKET_BYTES 2048

static void for_each_dtls_pair(void (*test)(const struct engine_ops *client,
					    const struct engine_ops *server))
{
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++) {
			print_message("%s -> %s\n", engines[c]->name, engines[s]->name);
			test(engines[c], engines[s]);
		}
}

static void finish(struct probe *p)
{
	struct fail f = { 0 };

	if (probe_handshake(p, &f))
		fail_msg("%s", f.text);
}

static void expect_nothing(struct probe_end *e)
{
	uint8_t bytes[64];
	size_t got = 0;

	enum step step = e->domain.ops->read(&e->assoc, bytes, sizeof(bytes), &got);

	if (step != STEP_IN)
		fail_msg("%s: step %d, %s", e->domain.ops->name, (int)step, e->assoc.fail.text);
	assert_int_equal(got, 0);
	wire_clear(&e->assoc.out);
}

/* Who sends something now and then does not keep a lost flight from being repeated. */
static void check_trickle(const struct engine_ops *c, const struct engine_ops *s)
{
	struct suite suite = test_suite(CCM8D);
	int64_t before_ns, after_ns, began_ns;
	struct probe p;

	open_with(&p, c, s, &suite, NULL);
	assert_int_equal(c->handshake(&p.client.assoc), STEP_IN);
	wire_clear(&p.client.assoc.out); /* lost */
	began_ns = clock_ns();
	before_ns = c->deadline(&p.client.assoc);
	assert_true(before_ns > 0);
	clock_sleep_until(began_ns + 30 * NS_PER_MS);
	wire_put(&p.client.assoc.in, "\x16\xfe\xfd\0\0nonsense of no record", 20);
	assert_int_equal(c->handshake(&p.client.assoc), STEP_IN);
	assert_true(wire_empty(&p.client.assoc.out));
	after_ns = c->deadline(&p.client.assoc);
	if (after_ns > before_ns - 29 * NS_PER_MS)
		fail_msg("%s: due in %lld ns, and 30 ms later in %lld", c->name,
			 (long long)before_ns, (long long)after_ns);
	probe_close(&p);
}

static void check_attack(const struct engine_ops *c, const struct engine_ops *s)
{
	static const uint8_t alert[] = { 21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40 };
	static const uint8_t later[] = { 21, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40 };
	struct suite suite = test_suite(CCM8D);
	uint8_t packet[PACKET_BYTES], bytes[64];
	struct probe p;
	size_t len, got = 0;

	open_with(&p, c, s, &suite, NULL);
	finish(&p);
	wire_put(&p.server.assoc.in, alert, sizeof(alert));
	expect_nothing(&p.server);
	wire_put(&p.server.assoc.in, later, sizeof(later));
	expect_nothing(&p.server);
	wire_put(&p.server.assoc.in, "\x17\xfe\xfd\0\1nonsense of no record", 20);
	expect_nothing(&p.server);
	/* Once changed, once whole, once again. */
	assert_int_equal(c->write(&p.client.assoc, "hello", 5, &got), STEP_DONE);
	len = wire_get(&p.client.assoc.out, packet, sizeof(packet));
	packet[len - 1] ^= 1;
	wire_put(&p.server.assoc.in, packet, len);
	expect_nothing(&p.server);
	packet[len - 1] ^= 1;
	wire_put(&p.server.assoc.in, packet, len);
	assert_int_equal(s->read(&p.server.assoc, bytes, sizeof(bytes), &got), STEP_DONE);
	assert_memory_equal(bytes, "hello", 5);
	wire_put(&p.server.assoc.in, packet, len);
	expect_nothing(&p.server);
	probe_close(&p);
}

static size_t seal(struct probe *p, const char *text, uint8_t *packet)
{
	size_t put = 0, len = strlen(text);

	assert_int_equal(p->client.domain.ops->write(&p->client.assoc, text, len, &put), STEP_DONE);
	assert_int_equal(put, len);
	return wire_get(&p->client.assoc.out, packet, PACKET_BYTES / 2);
}

static void expect_text(struct probe_end *e, const char *text)
{
	uint8_t bytes[64];
	size_t got = 0;

	assert_int_equal(e->domain.ops->read(&e->assoc, bytes, sizeof(bytes), &got), STEP_DONE);
	assert_int_equal(got, strlen(text));
	assert_memory_equal(bytes, text, got);
}

/* Several records in a datagram, late ones, ones behind the window: each is heard once. */
static void check_repeats(const struct engine_ops *c, const struct engine_ops *s)
{
	struct suite suite = test_suite(CCM8D);
	uint8_t first[PACKET_BYTES], late[PACKET_BYTES], packet[PACKET_BYTES];
	struct probe p;
	size_t first_len, late_len, len;

	open_with(&p, c, s, &suite, NULL);
	finish(&p);
	first_len = seal(&p, "first", first);
	late_len = seal(&p, "late", late);
	first_len += seal(&p, "second", first + first_len);
	wire_put(&p.server.assoc.in, first, first_len);
	expect_text(&p.server, "first");
	expect_text(&p.server, "second");
	expect_nothing(&p.server);
	wire_put(&p.server.assoc.in, late, late_len);
	expect_text(&p.server, "late");
	for (int i = 0; i < 100; i++) {
		wire_put(&p.server.assoc.in, first, first_len);
		expect_nothing(&p.server);
		wire_put(&p.server.assoc.in, late, late_len);
		expect_nothing(&p.server);
		len = seal(&p, "more", packet);
		wire_put(&p.server.assoc.in, packet, len);
		expect_text(&p.server, "more");
	}
	probe_close(&p);
}

/* One of epoch 1, which claims a number of its own and fills its body with what is no ciphertext.
 */
static size_t forge(uint8_t *dst, uint8_t content, size_t body)
{
	static uint8_t number;
	const uint8_t head[] = { content,  0xfe, 0xfd,         0, 1, 0, 0, 0, 0, 1,
				 number++, 0,    (uint8_t)body };

	memcpy(dst, head, sizeof(head));
	memset(dst + sizeof(head), content, body);
	return sizeof(head) + body;
}

#define FORGED_MAX 100 /* bytes: longer than any nonce, tag or MAC */

static void send_forged(struct probe *p, struct probe_end *to, uint8_t content, size_t body)
{
	struct probe_end *from = to == &p->server ? &p->client : &p->server;
	uint8_t packet[PACKET_BYTES], bytes[64];
	size_t len = forge(packet, content, body), put = 0, got = 0;

	wire_put(&to->assoc.in, packet, len);
	expect_nothing(to);
	/* In one datagram with a good one, before it and behind it. */
	assert_int_equal(from->domain.ops->write(&from->assoc, "good", 4, &put), STEP_DONE);
	len += wire_get(&from->assoc.out, packet + len, sizeof(packet) / 2);
	len += forge(packet + len, content, body);
	wire_put(&to->assoc.in, packet, len);
	assert_int_equal(to->domain.ops->read(&to->assoc, bytes, sizeof(bytes), &got), STEP_DONE);
	assert_int_equal(got, 4);
	assert_memory_equal(bytes, "good", 4);
	expect_nothing(to);
}

static void shake_among_forged(struct probe *p, size_t body)
{
	struct probe_end *ends[] = { &p->client, &p->server };
	enum step steps[] = { STEP_IN, STEP_IN };
	uint8_t packet[PACKET_BYTES];

	for (int turn = 0; steps[0] != STEP_DONE || steps[1] != STEP_DONE; turn++) {
		struct probe_end *e = ends[turn % 2];
		uint8_t content = (uint8_t)(DTLS_CHANGE_CIPHER_SPEC + turn / 2 % 4);

		assert_true(turn < TURNS);
		wire_put(&e->assoc.in, packet, forge(packet, content, body));
		if (steps[turn % 2] != STEP_DONE)
			steps[turn % 2] = e->domain.ops->handshake(&e->assoc);
		if (steps[turn % 2] == STEP_FAILED)
			fail_msg("%s, %zu bytes: %s", e->domain.ops->name, body,
				 e->assoc.fail.text);
		probe_carry(e, ends[1 - turn % 2]);
	}
}

static const char *const sealed_otherwise[] = {
	CCM8D,
	"dtls1.2:ECDHE-ECDSA-AES128-CCM:p256:p256",
	"dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256",
	"dtls1.2:ECDHE-ECDSA-CHACHA20-POLY1305:p256:p256",
	"dtls1.2:ECDHE-ECDSA-AES128-SHA256:p256:p256",
	"dtls1.2:ECDHE-ECDSA-AES256-SHA384:p384:p256",
	NULL,
};

static void check_short(const struct engine_ops *c, const struct engine_ops *s)
{
	for (const char *const *name = sealed_otherwise; *name; name++) {
		struct suite suite = test_suite(*name);
		struct probe p;

		open_with(&p, c, s, &suite, NULL);
		finish(&p);
		for (uint8_t content = DTLS_CHANGE_CIPHER_SPEC; content <= DTLS_APPLICATION_DATA;
		     content++)
			for (size_t body = 0; body <= FORGED_MAX; body++) {
				/* OpenSSL 3.0 gives up over any wrong MAC behind blocks. */
				if (!suite.cipher->aead && dtls_may_be_sealed(suite.cipher, body))
					continue;
				send_forged(&p, &p.server, content, body);
				send_forged(&p, &p.client, content, body);
			}
		probe_close(&p);
	}
}

/* Of the epoch to come, before each step of a handshake. */
static void check_early_short(const struct engine_ops *c, const struct engine_ops *s)
{
	for (const char *const *name = sealed_otherwise; *name; name++)
		for (size_t body = 0; body <= FORGED_MAX; body += 4) {
			struct suite suite = test_suite(*name);
			struct probe p;

			open_with(&p, c, s, &suite, NULL);
			shake_among_forged(&p, body);
			finish(&p);
			probe_close(&p);
		}
}

static void test_records_too_short(void **state)
{
	(void)state;
	for_each_dtls_pair(check_short);
}

static void test_early_records_too_short(void **state)
{
	(void)state;
	for_each_dtls_pair(check_early_short);
}

static void test_each_record_is_heard_once(void **state)
{
	(void)state;
	for_each_dtls_pair(check_repeats);
}

static void test_forged_and_repeated_records(void **state)
{
	(void)state;
	for_each_dtls_pair(check_attack);
}

static void test_a_trickle_postpones_nothing(void **state)
{
	(void)state;
	for_each_dtls_pair(check_trickle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forged_and_repeated_records),
		cmocka_unit_test(test_records_too_short),
		cmocka_unit_test(test_early_records_too_short),
		cmocka_unit_test(test_each_record_is_heard_once),
		cmocka_unit_test(test_a_trickle_postpones_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
