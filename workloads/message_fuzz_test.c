/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_fuzz_test - mutated messages, ten thousand of the signed and encrypted profiles: none
 * is accepted that says something else than what was said; and mutations around a token that
 * has been used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/testing.h"
#include "workloads/message.h"
#include "workloads/message_testing.h"

#define TEXT      "21.5 degrees & <rising>, \"said\" the meter\nof the second line\ttoo"
#define MUTATIONS 10000

static const char id[MESSAGE_ID_BYTES] = "0123456789abcdef0123456789ABCDEF";

static void say(struct message_party *p, struct buf *out)
{
	struct message_content c = { 0 };
	struct message_stages t = { 0 };

	memcpy(c.id, id, sizeof c.id);
	buf_puts(&c.text, TEXT);
	buf_clear(out);
	if (message_secure(p, &c, clock_wall_ns(), out, &t))
		fail_msg("%s: %s", p->profile->name, p->fail.text);
	message_content_release(&c);
}

/* What is accepted may differ in what is not secured, never in what is said. */
static bool hears(struct message_party *p, const struct buf *message, bool *harmless)
{
	struct message_content c = { 0 };
	struct message_stages t = { 0 };
	bool well = message_read(p, message->data, message->len, clock_wall_ns(), &c, &t) == 0;

	*harmless = !well || (!strcmp(c.id, id) && c.text.len == strlen(TEXT) &&
			      !memcmp(c.text.data, TEXT, c.text.len));
	message_content_release(&c);
	return well;
}

static void mutate(struct rng *r, struct buf *m)
{
	static const char bytes[] = "<>/&;#\"'=! ?-AZaz09\0\xff";
	size_t at = (size_t)rng_below(r, m->len), n = 1 + (size_t)rng_below(r, 40);

	switch (rng_below(r, 5)) {
	case 0:
		m->data[at] ^= (char)(1u << rng_below(r, 8));
		break;
	case 1:
		m->data[at] = bytes[rng_below(r, sizeof bytes)];
		break;
	case 2: /* lose some */
		n = n < m->len - at ? n : m->len - at;
		memmove(m->data + at, m->data + at + n, m->len - at - n);
		m->len -= n;
		break;
	case 3: /* copy some over others */
		n = n < m->len - at ? n : m->len - at;
		memmove(m->data + rng_below(r, m->len - n + 1), m->data + at, n);
		break;
	default:
		m->len = at;
	}
}

static void mutated_messages_say_nothing_else(void **state)
{
	static const char *const profiles[] = { "modern-ecdsa", "modern-rsa", "cose", "legacy" };
	struct rng r = testing_rng("message_fuzz_test");
	struct buf good[4] = { { 0 } }, bad = { 0 };
	bool harmless;

	(void)state;
	for (int i = 0; i < MUTATIONS; i++) {
		struct message_pair *pair = message_pair(profiles[i % 4]);

		if (i % 1000 < 4)
			say(&pair->client, &good[i % 4]);
		buf_clear(&bad);
		buf_put(&bad, good[i % 4].data, good[i % 4].len);
		for (uint64_t n = 1 + rng_below(&r, 3); n > 0 && bad.len > 0; n--)
			mutate(&r, &bad);
		hears(&pair->server, &bad, &harmless);
		if (!harmless)
			fail_msg("%s: mutation %d is accepted", profiles[i % 4], i);
	}
	for (int i = 0; i < 4; i++)
		buf_release(&good[i]);
	buf_release(&bad);
}

/* The token has been used: with whatever else around it, it must not open anything again. */
static void mutated_tokens_open_nothing(void **state)
{
	struct message_pair *pair = message_pair("username-token");
	struct rng r = testing_rng("message_fuzz_test");
	struct buf good = { 0 }, bad = { 0 };
	bool harmless;

	(void)state;
	say(&pair->client, &good);
	assert_true(hears(&pair->server, &good, &harmless));
	for (int i = 0; i < MUTATIONS / 5; i++) {
		buf_clear(&bad);
		buf_put(&bad, good.data, good.len);
		mutate(&r, &bad);
		assert_false(hears(&pair->server, &bad, &harmless));
	}
	buf_release(&good);
	buf_release(&bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_messages_say_nothing_else),
		cmocka_unit_test(mutated_tokens_open_nothing),
	};

	return cmocka_run_group_tests(tests, message_pairs_open, message_pairs_close);
}
