/* SPDX-License-Identifier: Apache-2.0 */
/* node_usage_test - interpolation against known truth, and a real child that burns CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/testing.h"
#include "lib/usage.h"
#include "testbed/node_usage.h"

static void test_edges(void **state)
{
	const struct usage_point p[] = { { 100, 5 }, { 200, 15 }, { 300, 15 }, { 1300, 1015 } };

	(void)state;
	assert_int_equal(usage_points_at(p, 0, 100), -1);
	assert_int_equal(usage_points_at(p, 4, 99), -1);
	assert_int_equal(usage_points_at(p, 4, 1301), -1);
	assert_int_equal(usage_points_at(p, 4, 100), 5);
	assert_int_equal(usage_points_at(p, 4, 150), 10);
	assert_int_equal(usage_points_at(p, 4, 200), 15);
	assert_int_equal(usage_points_at(p, 4, 299), 15);
	assert_int_equal(usage_points_at(p, 4, 800), 515);
	assert_int_equal(usage_points_at(p, 4, 1300), 1015);
	assert_int_equal(usage_points_at(p, 1, 100), 5);
}

/* A process of constant load: any grid gives its line back, before and after halving. */
static void test_line(void **state)
{
	struct rng rng = testing_rng("node_usage line");

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct usage_point p[300];
		size_t count = 3 + rng_below(&rng, 297), kept;
		int64_t at_ns = (int64_t)rng_below(&rng, 1000000000), slope = 1 + round % 7, t;

		for (size_t i = 0; i < count; i++) {
			at_ns += 1 + (int64_t)rng_below(&rng, 20000000);
			p[i] = (struct usage_point){ at_ns, slope * at_ns };
		}
		t = p[0].at_ns + (int64_t)rng_below(&rng, (uint64_t)(at_ns - p[0].at_ns + 1));
		assert_true(llabs(usage_points_at(p, count, t) - slope * t) <= slope);
		kept = usage_points_halve(p, count);
		assert_true(kept <= count / 2 + 1);
		assert_int_equal(p[kept - 1].at_ns, at_ns);
		assert_true(llabs(usage_points_at(p, kept, t) - slope * t) <= slope);
	}
}

/* Sleeps, works for 200 ms of CPU, sleeps; says over the pipe when each begins. */
static void burn(int report)
{
	int64_t now_ns = clock_ns(), from_cpu_ns;

	clock_sleep_until(now_ns + 50 * NS_PER_MS);
	from_cpu_ns = usage_self_cpu_ns();
	now_ns = clock_ns();
	if (write(report, &now_ns, sizeof(now_ns)) != sizeof(now_ns))
		_exit(1);
	while (usage_self_cpu_ns() - from_cpu_ns < 200 * NS_PER_MS)
		;
	now_ns = clock_ns();
	if (write(report, &now_ns, sizeof(now_ns)) != sizeof(now_ns))
		_exit(1);
	for (;;)
		pause();
}

static void test_real_process(void **state)
{
	int64_t from_ns, to_ns, used_ns, start_ns = clock_ns();
	struct fail f = { 0 };
	struct node_usage *u;
	int report[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(report), 0);
	u = node_usage_start(&f);
	assert_non_null(u);
	pid = fork();
	if (!pid)
		burn(report[1]);
	assert_int_equal(node_usage_watch(u, pid, &f), 0);
	assert_int_equal(read(report[0], &from_ns, sizeof(from_ns)), sizeof(from_ns));
	assert_int_equal(read(report[0], &to_ns, sizeof(to_ns)), sizeof(to_ns));
	clock_sleep_until(clock_ns() + 30 * NS_PER_MS);
	node_usage_stop(u);
	used_ns = node_usage_between(u, from_ns, to_ns);
	/* A grid step at each edge, and more where a busy machine holds the thread up. */
	assert_in_range(used_ns, 100 * NS_PER_MS, 215 * NS_PER_MS);
	assert_int_equal(node_usage_between(u, start_ns - 1, to_ns), -1);
	assert_int_equal(node_usage_between(u, from_ns, clock_ns() + NS_PER_S), -1);
	assert_true(node_usage_own_cpu_ns(u) > 0);
	node_usage_free(u);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(report[0]);
	close(report[1]);
}

/* What a process used before it ended stays counted. */
static void test_ended_process(void **state)
{
	int64_t from_ns, to_ns, seen_ns;
	struct fail f = { 0 };
	struct node_usage *u = node_usage_start(&f);
	int report[2];
	pid_t pid;

	(void)state;
	assert_non_null(u);
	assert_int_equal(pipe(report), 0);
	pid = fork();
	if (!pid)
		burn(report[1]);
	assert_int_equal(node_usage_watch(u, pid, &f), 0);
	assert_int_equal(read(report[0], &from_ns, sizeof(from_ns)), sizeof(from_ns));
	assert_int_equal(read(report[0], &to_ns, sizeof(to_ns)), sizeof(to_ns));
	clock_sleep_until(clock_ns() + 50 * NS_PER_MS);
	seen_ns = clock_ns();
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	clock_sleep_until(clock_ns() + 50 * NS_PER_MS);
	node_usage_stop(u);
	/* Neither lost nor counted again; on a busy machine its way to its pause may come late. */
	assert_in_range(node_usage_between(u, seen_ns, clock_ns() - 20 * NS_PER_MS), 0,
			5 * NS_PER_MS);
	assert_true(node_usage_between(u, from_ns, seen_ns) > 100 * NS_PER_MS);
	node_usage_free(u);
	close(report[0]);
	close(report[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_real_process),
		cmocka_unit_test(test_ended_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
