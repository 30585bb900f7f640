/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Associations over datagrams under attack, every engine against every engine: forged alerts,
 * noise, records changed and records repeated.
 */
#include "ciphers/engine_test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forged_and_repeated_records),
		cmocka_unit_test(test_each_record_is_heard_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
