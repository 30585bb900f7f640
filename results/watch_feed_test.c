/* SPDX-License-Identifier: Apache-2.0 */
/* watch_feed_test - what each of several pages gets of the same news, in pieces of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "results/watch_feed.h"

/* Reads until there is no more, in pieces; the whole as text. */
static const char *drain(struct watch_feed *e, struct watch_news *all, struct watch_news *tick,
			 size_t piece)
{
	static char text[256];
	size_t len = 0, n;

	while ((n = watch_feed_read(e, all, tick, text + len, piece)))
		len += n;
	text[len] = '\0';
	return text;
}

static void every_page_gets_it_once_and_whole(void **state)
{
	struct watch_news *all = watch_news_new("everything", 10), *tick = watch_news_new("age", 3);

	(void)state;
	for (size_t piece = 1; piece < 16; piece++) {
		struct watch_feed e = { .wants_all = true };

		assert_string_equal(drain(&e, all, tick, piece), "everything");
		assert_string_equal(drain(&e, all, tick, piece), "");
		e.wants_tick = true;
		assert_string_equal(drain(&e, all, tick, piece), "age");
		/* Both: one of them has it all. */
		e.wants_all = e.wants_tick = true;
		assert_string_equal(drain(&e, all, tick, piece), "everything");
		assert_string_equal(drain(&e, all, tick, piece), "");
	}
	watch_news_leave(all);
	watch_news_leave(tick);
}

static void a_slow_page_ends_what_it_began_and_gets_the_newest(void **state)
{
	struct watch_news *all = watch_news_new("first", 5);
	struct watch_feed slow = { .wants_all = true };
	char piece[8] = { 0 };

	(void)state;
	assert_int_equal(watch_feed_read(&slow, all, NULL, piece, 2), 2);
	assert_string_equal(piece, "fi");
	watch_news_leave(all); /* the slow one still has it */
	watch_news_leave(watch_news_new("second, which nobody gets", 25));
	all = watch_news_new("third", 5);
	slow.wants_all = true;
	assert_string_equal(drain(&slow, all, NULL, 100), "rstthird");
	watch_news_leave(all);
}

static void a_page_that_goes_away_leaves_nothing(void **state)
{
	struct watch_news *all = watch_news_new("first", 5);
	struct watch_feed e = { .wants_all = true };
	char piece[8];

	(void)state;
	assert_int_equal(watch_feed_read(&e, all, NULL, piece, 2), 2);
	watch_feed_release(&e);
	watch_feed_release(&e);
	assert_string_equal(drain(&e, all, NULL, 100), "");
	watch_news_leave(all); /* what is left is for the leak sanitizer to find */
}

static void without_news_there_is_nothing_to_send(void **state)
{
	struct watch_feed e = { .wants_all = true, .wants_tick = true };

	(void)state;
	assert_string_equal(drain(&e, NULL, NULL, 10), "");
	assert_false(e.wants_all || e.wants_tick);
	watch_news_leave(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_gets_it_once_and_whole),
		cmocka_unit_test(a_slow_page_ends_what_it_began_and_gets_the_newest),
		cmocka_unit_test(a_page_that_goes_away_leaves_nothing),
		cmocka_unit_test(without_news_there_is_nothing_to_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
