/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage_test - CPU time of others against what they say of themselves, memory
 * after touching it, families.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/usage.h"

#define BURN_NS (20 * NS_PER_MS)

static void burn(int64_t cpu_ns)
{
	int64_t end_ns = usage_thread_cpu_ns() + cpu_ns;

	while (usage_thread_cpu_ns() < end_ns)
		;
}

/* A child that burns, says so, and stays until its standard input closes. */
struct child {
	pid_t pid;
	int said, hold;
};

static void live(int said, int hold)
{
	int64_t own_ns;
	char byte;

	burn(BURN_NS);
	own_ns = usage_self_cpu_ns();
	if (write(said, &own_ns, sizeof(own_ns)) != (ssize_t)sizeof(own_ns))
		_exit(1);
	_exit(read(hold, &byte, 1) != 0);
}

static int64_t start_child(struct child *c)
{
	int said[2], hold[2];
	int64_t own_ns;

	assert_int_equal(pipe(said), 0);
	assert_int_equal(pipe(hold), 0);
	c->pid = fork();
	assert_true(c->pid >= 0);
	if (!c->pid) {
		close(hold[1]);
		live(said[1], hold[0]);
	}
	close(said[1]);
	close(hold[0]);
	c->said = said[0];
	c->hold = hold[1];
	assert_int_equal(read(c->said, &own_ns, sizeof(own_ns)), sizeof(own_ns));
	return own_ns;
}

static void end_child(struct child *c)
{
	close(c->said);
	close(c->hold);
	waitpid(c->pid, NULL, 0);
}

static void cpu_time_of_another_process(void **state)
{
	struct child c;
	int64_t own_ns = start_child(&c), seen_ns = usage_process_cpu_ns(c.pid);
	pid_t gone = c.pid;

	(void)state;
	assert_true(own_ns >= BURN_NS);
	assert_true(seen_ns >= own_ns);                   /* it read its own clock before */
	assert_true(seen_ns < own_ns + 1000 * NS_PER_MS); /* and did next to nothing since */
	assert_true(usage_self_cpu_ns() != seen_ns);
	end_child(&c);
	assert_int_equal(usage_process_cpu_ns(gone), -1);
	assert_int_equal(usage_process_cpu_ns(0), -1); /* would be the caller itself */
	assert_int_equal(usage_process_cpu_ns(-1), -1);
}

static void *burn_in_thread(void *data)
{
	int64_t *own_ns = data;

	burn(BURN_NS);
	*own_ns = usage_thread_cpu_ns();
	return NULL;
}

static void ended_threads_count(void **state)
{
	int64_t before_ns = usage_self_cpu_ns(), mine_ns = usage_thread_cpu_ns(), thread_ns = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, burn_in_thread, &thread_ns), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(thread_ns >= BURN_NS);
	assert_true(usage_self_cpu_ns() - before_ns >= BURN_NS);
	assert_true(usage_thread_cpu_ns() - mine_ns < BURN_NS); /* joining is waiting */
	assert_true(usage_process_cpu_ns(getpid()) >= before_ns + BURN_NS);
}

static void peak_memory_grows(void **state)
{
	const size_t bytes = 16 << 20;
	int64_t before_kib = usage_rss_peak_kib(getpid());
	volatile char *block = malloc(bytes);

	(void)state;
	assert_true(before_kib > 0);
	assert_non_null(block);
	for (size_t i = 0; i < bytes; i += 1024)
		block[i] = 1;
	assert_true(usage_rss_peak_kib(getpid()) >= (int64_t)(bytes >> 10));
	free((char *)block);
	assert_true(usage_rss_peak_kib(getpid()) >= (int64_t)(bytes >> 10)); /* the peak stays */
	assert_int_equal(usage_rss_peak_kib(0), -1);
}

/* The child forks a grandchild; both hang on one pipe. */
static void families(void **state)
{
	pid_t family[8], middle, grandchild = 0;
	int said[2], hold[2], count;
	siginfo_t ended;
	char byte;

	(void)state;
	assert_int_equal(pipe(said), 0);
	assert_int_equal(pipe(hold), 0);
	middle = fork();
	assert_true(middle >= 0);
	if (!middle) {
		pid_t pid = fork();

		close(hold[1]);
		if (pid && write(said[1], &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
			_exit(1);
		_exit(read(hold[0], &byte, 1) != 0 || (pid && waitpid(pid, NULL, 0) != pid));
	}
	close(hold[0]);
	assert_int_equal(read(said[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	count = usage_tree(getpid(), family, 8);
	assert_int_equal(count, 3);
	assert_int_equal(family[0], getpid());
	assert_int_equal(family[1], middle);
	assert_int_equal(family[2], grandchild);
	assert_int_equal(usage_tree(middle, family, 8), 2);
	assert_int_equal(usage_tree(getpid(), family, 2), 2);
	assert_int_equal(usage_tree(getpid(), family, 0), 0);
	close(hold[1]);
	assert_int_equal(waitid(P_PID, (id_t)middle, &ended, WEXITED | WNOWAIT), 0);
	assert_int_equal(usage_tree(middle, family, 8), 0); /* waits only to be reaped */
	assert_int_equal(waitpid(middle, NULL, 0), middle);
	assert_int_equal(usage_tree(middle, family, 8), 0);
	assert_int_equal(usage_tree(getpid(), family, 8), 1);
	close(said[0]);
	close(said[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_of_another_process),
		cmocka_unit_test(ended_threads_count),
		cmocka_unit_test(peak_memory_grows),
		cmocka_unit_test(families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
