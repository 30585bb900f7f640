/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an engine tells when there is nothing more to read: a caller that is told too early
 * leaves bytes lying.
 */
#include <malloc.h>

#include "ciphers/engine_test.h"

#define CCM8D "dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256"

static void finish(struct probe *p)
{
	struct fail f = { 0 };

	if (probe_handshake(p, &f))
		fail_msg("%s", f.text);
	/* Tickets of TLS 1.3 are read with what comes first. */
	if (probe_send(&p->server, &p->client, "x", 1, &f) ||
	    probe_send(&p->client, &p->server, "x", 1, &f))
		fail_msg("%s", f.text);
}

static void seal(struct probe *p, const char *text)
{
	size_t put;

	assert_int_equal(p->client.domain.ops->write(&p->client.assoc, text, strlen(text), &put),
			 STEP_DONE);
	assert_int_equal(put, strlen(text));
}

static enum step read_up_to(struct probe *p, size_t len, size_t *got)
{
	uint8_t bytes[64];

	return p->server.domain.ops->read(&p->server.assoc, bytes, len, got);
}

static void expect(struct probe *p, size_t len, size_t got, bool dry)
{
	size_t n;

	assert_int_equal(read_up_to(p, len, &n), STEP_DONE);
	assert_int_equal(n, got);
	assert_int_equal(p->server.assoc.dry, dry);
}

static void check(const struct engine_ops *c, const struct engine_ops *s, const char *name)
{
	struct suite suite = test_suite(name);
	struct probe p;
	size_t n;

	print_message("%s -> %s, %s\n", c->name, s->name, name);
	open_with(&p, c, s, &suite, NULL);
	finish(&p);
	assert_int_equal(read_up_to(&p, 64, &n), STEP_IN);
	assert_true(p.server.assoc.dry);
	seal(&p, "one");
	seal(&p, "two");
	probe_carry(&p.client, &p.server);
	expect(&p, 64, 3, false);
	expect(&p, 64, 3, true);
	if (!p.server.assoc.in.datagram) { /* part of a record; a message over datagrams is whole */
		seal(&p, "in parts");
		probe_carry(&p.client, &p.server);
		expect(&p, 3, 3, false);
		expect(&p, 64, 5, true);
	}
	seal(&p, "the last");
	c->shutdown(&p.client.assoc);
	probe_carry(&p.client, &p.server);
	expect(&p, 64, 8, false);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(read_up_to(&p, 64, &n), STEP_CLOSED);
		assert_false(p.server.assoc.dry);
	}
	probe_close(&p);
}

static void test_streams(void **state)
{
	(void)state;
	for_each_pair(check);
}

static void test_datagrams(void **state)
{
	(void)state;
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			check(engines[c], engines[s], CCM8D);
}

#ifdef WITH_OPENSSL
#define BUFFERS_BYTES 8192 /* less than one of the library's buffers for records */

/* An association over datagrams that waits has no buffers of records, also behind its answer. */
static void test_buffers_go_back(void **state)
{
	const struct engine_ops *o = &engine_openssl;
	struct suite suite = test_suite(CCM8D);
	struct fail f = { 0 };
	struct probe p;
	size_t n, before, after;

	(void)state;
	open_with(&p, o, o, &suite, NULL);
	finish(&p);
	assert_int_equal(read_up_to(&p, 64, &n), STEP_IN);
	before = mallinfo2().uordblks;
	seal(&p, "a request");
	probe_carry(&p.client, &p.server);
	expect(&p, 64, 9, true);
	assert_int_equal(o->write(&p.server.assoc, "its answer", 10, &n), STEP_DONE);
	after = mallinfo2().uordblks;
	if (after > before + BUFFERS_BYTES)
		fail_msg("%zu bytes stay behind an answer", after - before);
	if (probe_send(&p.client, &p.server, "again", 5, &f))
		fail_msg("%s", f.text);
	probe_close(&p);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_datagrams),
#ifdef WITH_OPENSSL
		cmocka_unit_test(test_buffers_go_back),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
