/* SPDX-License-Identifier: Apache-2.0 */
/* affinity_test - CPU lists, right and wrong, and that pinning pins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lib/affinity.h"

static cpu_set_t may;
static int first_cpu;

static int read_own_set(void **state)
{
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof may, &may), 0);
	while (!CPU_ISSET(first_cpu, &may))
		first_cpu++;
	return 0;
}

static void lists_are_read(void **state)
{
	struct fail f = { 0 };
	char text[64];
	cpu_set_t set;

	(void)state;
	snprintf(text, sizeof text, "%d", first_cpu);
	assert_int_equal(affinity_parse(text, &set, &f), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(first_cpu, &set));
	snprintf(text, sizeof text, "%d-%d,%d", first_cpu, first_cpu, first_cpu);
	assert_int_equal(affinity_parse(text, &set, &f), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
}

static void bad_lists_are_refused(void **state)
{
	static const char *const bad[] = { "",   ",",  "x",    "0,",  "0-",   "-1",
					   " 0", "0 ", "0--1", "0:2", "0,,1", "99999999999" };
	cpu_set_t set;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fail f = { 0 };

		if (affinity_parse(bad[i], &set, &f) == 0)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_non_null(strstr(f.text, "CPU list"));
	}
}

static void unusable_cpus_are_named(void **state)
{
	struct fail f = { 0 };
	char text[32];
	cpu_set_t set;
	int cpu = CPU_SETSIZE - 1;

	(void)state;
	while (CPU_ISSET(cpu, &may))
		cpu--;
	snprintf(text, sizeof text, "%d", cpu);
	assert_int_equal(affinity_parse(text, &set, &f), -1);
	assert_non_null(strstr(f.text, text));
	assert_non_null(strstr(f.text, "it may run on"));
}

static void pinning_goes_round(void **state)
{
	cpu_set_t now;
	int count = CPU_COUNT(&may);

	(void)state;
	assert_int_equal(affinity_count(), count);
	assert_int_equal(affinity_pin_thread(&may, count), 0);
	assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET(first_cpu, &now));
	assert_int_equal(affinity_pin_thread(&may, count - 1), 0);
	assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(count == 1 || !CPU_ISSET(first_cpu, &now));
	sched_setaffinity(0, sizeof may, &may);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read),
		cmocka_unit_test(bad_lists_are_refused),
		cmocka_unit_test(unusable_cpus_are_named),
		cmocka_unit_test(pinning_goes_round),
	};

	return cmocka_run_group_tests(tests, read_own_set, NULL);
}
