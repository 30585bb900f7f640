/* SPDX-License-Identifier: Apache-2.0 */
/* watch_library_test - the library of this system is the one that the name means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/watch_library.h"

static void is_there_with_all(void **state)
{
	struct fail f = { 0 };
	const struct watch_library *l = watch_library(&f);

	(void)state;
	if (!l)
		fail_msg("%s", f.text);
	assert_ptr_equal(watch_library(&f), l);
#define IS_THERE(name) assert_non_null(l->name);
	WATCH_LIBRARY(IS_THERE)
#undef IS_THERE
	/* 0.9.75 and later: what the headers of this build promise. */
	assert_int_equal(l->get_version()[0], '0' + (MHD_VERSION >> 24));
	assert_int_equal(l->get_version()[1], '.');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_there_with_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
