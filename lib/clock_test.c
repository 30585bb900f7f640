/* SPDX-License-Identifier: Apache-2.0 */
/* clock_test - the clocks are the kernel's, a sleep ends no sooner than it is due. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#include "lib/clock.h"

static int64_t kernel_ns(clockid_t id)
{
	struct timespec t;

	assert_int_equal(clock_gettime(id, &t), 0);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void clocks_are_the_kernels(void **state)
{
	int64_t before_ns = kernel_ns(CLOCK_MONOTONIC), now_ns = clock_ns();
	int64_t wall_ns = clock_wall_ns(), off_ns = wall_ns - kernel_ns(CLOCK_REALTIME);

	(void)state;
	assert_true(before_ns <= now_ns);
	assert_true(now_ns <= kernel_ns(CLOCK_MONOTONIC));
	assert_true(off_ns > -60 * NS_PER_S && off_ns < 60 * NS_PER_S);
}

static void utc_is_written(void **state)
{
	char text[CLOCK_UTC_BYTES];

	(void)state;
	clock_utc(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00Z");
	clock_utc(INT64_C(1796077517) * NS_PER_S + 999999999, text);
	assert_string_equal(text, "2026-11-30T22:25:17Z");
	if (sizeof(time_t) == 4)
		return;
	clock_utc(INT64_C(4107542399) * NS_PER_S, text); /* beyond 2038 */
	assert_string_equal(text, "2100-02-28T23:59:59Z");
}

static void http_dates_are_written(void **state)
{
	char text[CLOCK_HTTP_BYTES];

	(void)state;
	clock_http(INT64_C(784111777) * NS_PER_S, text); /* the RFC's own example */
	assert_string_equal(text, "Sun, 06 Nov 1994 08:49:37 GMT");
	clock_http(INT64_C(1796077517) * NS_PER_S + 999999999, text);
	assert_string_equal(text, "Mon, 30 Nov 2026 22:25:17 GMT");
}

static volatile sig_atomic_t alarms;

static void count_alarm(int signo)
{
	(void)signo;
	alarms++;
}

static void sleep_survives_signals(void **state)
{
	const struct sigaction on_alarm = { .sa_handler = count_alarm };
	const struct itimerval every_ms = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	int64_t due_ns = clock_ns() + 20 * NS_PER_MS;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &on_alarm, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &every_ms, NULL), 0);
	clock_sleep_until(due_ns);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_true(clock_ns() >= due_ns);
	assert_true(alarms > 0);
	clock_sleep_until(0); /* long past */
	clock_sleep_until(INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_the_kernels),
		cmocka_unit_test(utc_is_written),
		cmocka_unit_test(http_dates_are_written),
		cmocka_unit_test(sleep_survives_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
