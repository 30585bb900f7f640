/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_test - every profile in both directions; what is no message of the profile, of
 * the role, of the time; tokens used twice; and mutated messages, of which none is
 * accepted that says something else than what was said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/testing.h"
#include "workloads/message.h"
#include "workloads/message_replay.h"
#include "workloads/message_testing.h"

#define TEXT "21.5 degrees & <rising>, \"said\" the meter\nof the second line\ttoo"

static const char id[MESSAGE_ID_BYTES] = "0123456789abcdef0123456789ABCDEF";

static struct message_content content(const char *text)
{
	struct message_content c = { 0 };

	memcpy(c.id, id, sizeof c.id);
	buf_puts(&c.text, text);
	return c;
}

static void say(struct message_party *p, const char *text, int64_t wall_ns, struct buf *out)
{
	struct message_content c = content(text);
	struct message_stages t = { 0 };

	buf_clear(out);
	if (message_secure(p, &c, wall_ns, out, &t))
		fail_msg("%s: %s", p->profile->name, p->fail.text);
	assert_int_equal(t.secured, 1);
	message_content_release(&c);
}

static bool hears_at(struct message_party *p, const struct buf *message, int64_t wall_ns)
{
	struct message_content c = { 0 };
	struct message_stages t = { 0 };
	bool well = message_read(p, message->data, message->len, wall_ns, &c, &t) == 0;

	if (well) {
		assert_string_equal(c.id, id);
		assert_int_equal(t.read, 1);
	} else {
		assert_true(p->fail.code != 0 && p->fail.text[0]);
		assert_int_equal(c.text.len, 0);
		assert_int_equal(t.read, 0);
	}
	message_content_release(&c);
	return well;
}

static bool hears(struct message_party *p, const struct buf *message)
{
	return hears_at(p, message, clock_wall_ns());
}

/* --- what is said is heard ------------------------------------------------------------- */

static void exchange(struct message_pair *pair, const char *text)
{
	struct message_party *party[2] = { &pair->client, &pair->server };

	for (int i = 0; i < 2; i++) {
		struct message_content c = content(text), heard = { 0 };
		struct message_stages t = { 0 };
		struct buf out = { 0 };

		if (message_secure(party[i], &c, clock_wall_ns(), &out, &t) ||
		    message_read(party[1 - i], out.data, out.len, clock_wall_ns(), &heard, &t))
			fail_msg("%s: %s%s", party[i]->profile->name, party[i]->fail.text,
				 party[1 - i]->fail.text);
		assert_string_equal(heard.id, c.id);
		assert_int_equal(heard.text.len, c.text.len);
		assert_memory_equal(heard.text.data, c.text.data, c.text.len);
		message_content_release(&heard);
		message_content_release(&c);
		buf_release(&out);
	}
}

static void every_profile_both_ways(void **state)
{
	char *large = malloc(200001);

	(void)state;
	memset(large, 'x', 200000);
	large[200000] = '\0';
	for (const struct message_profile *p = message_profiles; p->name; p++) {
		struct message_pair *pair = message_pair(p->name);

		exchange(pair, TEXT);
		exchange(pair, " ");
		exchange(pair, large);
	}
	free(large);
}

static void stages_are_told_apart(void **state)
{
	struct message_pair *pair = message_pair("modern-rsa");
	struct message_content c = content(TEXT), heard = { 0 };
	struct message_stages t = { 0 };
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(message_secure(&pair->client, &c, clock_wall_ns(), &out, &t), 0);
	assert_int_equal(
		message_read(&pair->server, out.data, out.len, clock_wall_ns(), &heard, &t), 0);
	for (int i = 0; i < MESSAGE_STAGES; i++)
		if (t.ns[i] <= 0)
			fail_msg("%s took %lld ns", message_stage_rows[i].name, (long long)t.ns[i]);
	/* An RSA private key is dearer than a hash of a kilobyte, on any machine. */
	assert_true(t.ns[MESSAGE_SIGN] > t.ns[MESSAGE_DIGEST]);
	assert_true(t.ns[MESSAGE_DECRYPT_KEY] > t.ns[MESSAGE_DECRYPT_DATA]);
	message_content_release(&heard);
	message_content_release(&c);
	buf_release(&out);
}

static void first_messages_are_apart(void **state)
{
	struct message_tally t = { 0 }, copy;
	struct message_stages both = { .secured = 1, .read = 1 };

	(void)state;
	both.ns[MESSAGE_SIGN] = 5;
	both.ns[MESSAGE_PARSE] = 7;
	for (int i = 0; i < 4; i++)
		message_tally_add(&t, &both);
	message_tally_copy(&t, &copy);
	message_tally_merge(&copy, &t);
	assert_int_equal(copy.warm_up.secured, 2);
	assert_int_equal(copy.warm_up.ns[MESSAGE_SIGN], 10);
	assert_int_equal(copy.measured.read, 6);
	assert_int_equal(copy.measured.ns[MESSAGE_PARSE], 42);
	assert_true(message_stages_crypto(&copy.measured) > 5.0 / 12 - 1e-9);
	assert_true(message_stages_crypto(&copy.measured) < 5.0 / 12 + 1e-9);
}

/* --- what is not to be believed -------------------------------------------------------- */

static void no_profile_takes_another(void **state)
{
	struct buf out = { 0 };

	(void)state;
	for (const struct message_profile *p = message_profiles; p->name; p++) {
		say(&message_pair(p->name)->client, TEXT, clock_wall_ns(), &out);
		for (const struct message_profile *q = message_profiles; q->name; q++)
			if (hears(&message_pair(q->name)->server, &out) != (p == q))
				fail_msg("%s of %s", q->name, p->name);
	}
	buf_release(&out);
}

static void no_answer_is_a_request(void **state)
{
	struct buf out = { 0 };

	(void)state;
	for (const struct message_profile *p = message_profiles; p->name; p++) {
		struct message_pair *pair = message_pair(p->name);

		if (p->ops == message_profile_by_name("none")->ops)
			continue;
		say(&pair->client, TEXT, clock_wall_ns(), &out);
		assert_false(hears(&pair->client, &out));
		say(&pair->server, TEXT, clock_wall_ns(), &out);
		assert_false(hears(&pair->server, &out));
	}
	buf_release(&out);
}

static void messages_have_their_time(void **state)
{
	int64_t now_ns = clock_wall_ns();
	struct buf out = { 0 };

	(void)state;
	for (const struct message_profile *p = message_profiles; p->name; p++) {
		struct message_pair *pair = message_pair(p->name);

		if (!p->signer)
			continue;
		say(&pair->client, TEXT, now_ns, &out);
		assert_true(hears_at(&pair->server, &out, now_ns - 59 * NS_PER_S));
		assert_false(hears_at(&pair->server, &out, now_ns - 62 * NS_PER_S));
		assert_true(hears_at(&pair->server, &out, now_ns + 358 * NS_PER_S));
		assert_false(hears_at(&pair->server, &out, now_ns + 361 * NS_PER_S));
	}
	buf_release(&out);
}

static void times_are_judged(void **state)
{
	const int64_t now_ns = 1000000 * NS_PER_S;
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(message_check_times(1000000, 1000300, now_ns, &f), 0);
	assert_int_equal(message_check_times(1000000, 1000301, now_ns, &f), -1);
	assert_int_equal(message_check_times(1000000, 1000000, now_ns, &f), -1);
	assert_int_equal(message_check_times(1000061, 1000300, now_ns, &f), -1);
	assert_int_equal(message_check_times(999700, 999940, now_ns, &f), -1);
	assert_int_equal(message_check_times(999700, 999941, now_ns, &f), 0);
	/* Their difference would pass for a small one where it wraps. */
	assert_int_equal(message_check_times(-(INT64_C(1) << 62) - 1, (INT64_C(1) << 62) + 1,
					     now_ns, &f),
			 -1);
	assert_int_equal(message_check_times(1000000, INT64_MAX, now_ns, &f), -1);
	assert_int_equal(message_check_times(INT64_MAX, INT64_MIN, now_ns, &f), -1);
	assert_int_equal(message_check_times(INT64_MIN, INT64_MIN + 1, now_ns, &f), -1);
}

static void a_token_is_good_once(void **state)
{
	struct message_pair *pair = message_pair("username-token");
	int64_t now_ns = clock_wall_ns();
	struct buf out = { 0 };

	(void)state;
	say(&pair->client, TEXT, now_ns, &out);
	assert_false(hears_at(&pair->server, &out, now_ns + 61 * NS_PER_S));
	assert_true(hears_at(&pair->server, &out, now_ns));
	assert_false(hears_at(&pair->server, &out, now_ns));
	say(&pair->client, TEXT, now_ns, &out);
	assert_true(hears_at(&pair->server, &out, now_ns));
	buf_release(&out);
}

static void what_was_used_is_remembered_long_enough(void **state)
{
	static const int keep_s[MESSAGE_ONCE] = { [MESSAGE_TOKEN] = 120, [MESSAGE_EXCHANGE] = 420 };
	int64_t now_ns = clock_ns();

	(void)state;
	for (int i = 0; i < MESSAGE_ONCE; i++) {
		uint8_t nonce[NONCE_BYTES] = { 7 };
		struct fail f = { 0 };

		assert_int_equal(message_replay_open(&f), 0);
		assert_int_equal(message_replay_use(i, nonce, now_ns, &f), 0);
		for (int s = 0; s < keep_s[i]; s += 10)
			assert_int_equal(message_replay_use(i, nonce, now_ns + s * NS_PER_S, &f),
					 -1);
		assert_non_null(strstr(f.text, "used before"));
		now_ns += 2 * keep_s[i] * NS_PER_S;
		assert_int_equal(message_replay_use(i, nonce, now_ns, &f), 0);
		message_replay_close();
	}
}

static void what_no_message_can_hold_is_refused(void **state)
{
	struct message_party *p = &message_pair("modern-ecdsa")->client;
	static const char *const texts[] = { "a\x01z", "caf\xe9", "\xed\xa0\x80" };
	struct message_stages t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct message_content c = content(texts[i]);
		struct buf out = { 0 };

		assert_int_equal(message_secure(p, &c, clock_wall_ns(), &out, &t), -1);
		message_content_release(&c);
		buf_release(&out);
	}
}

/* --- threads -------------------------------------------------------------------------- */

#define THREADS 4

/* How many of its exchanges were as they should be; without cmocka, which is of one thread. */
static void *exchange_alone(void *data)
{
	int *well = data;

	for (const struct message_profile *p = message_profiles; p->name; p++) {
		struct message_party client = { .profile = p,
						.credential_dir = message_pairs_dir() };
		struct message_party server = client;
		struct message_content c = content(TEXT), heard = { 0 };
		struct message_stages t = { 0 };
		struct buf out = { 0 };
		int opened;

		server.role = MESSAGE_SERVER;
		opened = message_open(&client) | message_open(&server);
		for (int i = 0; opened == 0 && i < 20; i++) {
			buf_clear(&out);
			*well += message_secure(&client, &c, clock_wall_ns(), &out, &t) == 0 &&
				 message_read(&server, out.data, out.len, clock_wall_ns(), &heard,
					      &t) == 0 &&
				 heard.text.len == c.text.len;
		}
		message_close(&client);
		message_close(&server);
		message_content_release(&c);
		message_content_release(&heard);
		buf_release(&out);
	}
	return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
	pthread_t thread[THREADS];
	int well[THREADS] = { 0 }, profiles = 0;

	(void)state;
	while (message_profiles[profiles].name)
		profiles++;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, exchange_alone, &well[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(well[i], 20 * profiles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_both_ways),
		cmocka_unit_test(stages_are_told_apart),
		cmocka_unit_test(first_messages_are_apart),
		cmocka_unit_test(no_profile_takes_another),
		cmocka_unit_test(no_answer_is_a_request),
		cmocka_unit_test(messages_have_their_time),
		cmocka_unit_test(times_are_judged),
		cmocka_unit_test(a_token_is_good_once),
		cmocka_unit_test(what_was_used_is_remembered_long_enough),
		cmocka_unit_test(what_no_message_can_hold_is_refused),
		cmocka_unit_test(threads_do_not_disturb_each_other),
	};

	return cmocka_run_group_tests(tests, message_pairs_open, message_pairs_close);
}
