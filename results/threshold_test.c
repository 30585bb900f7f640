/* SPDX-License-Identifier: Apache-2.0 */
/* threshold_test - what a demand means, what misses it, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "results/fixture_store.h"
#include "results/threshold.h"

static struct fixture_place here;
static struct report report;

static int enter(void **state)
{
	struct fail f = { 0 };
	struct store *s;
	int64_t id;

	(void)state;
	if (fixture_enter(&here) < 0)
		return -1;
	s = store_open(here.path, STORE_WRITE, &f);
	id = s ? fixture_fill(s, "made-up", &f) : -1;
	if (id < 0 || report_load(s, id, &report, &f) < 0)
		fail_msg("%s", f.text);
	store_close(s);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	report_release(&report);
	return fixture_leave(&here);
}

/* Cells that miss it; -1: refused, and the message has this word. */
static int missed(const char *text, const char *word)
{
	struct threshold t;
	struct buf out = { 0 };
	struct fail f = { 0 };
	int status = threshold_read(&t, text, &f);

	if (status == 0)
		status = threshold_check(&t, &report, &out, &f);
	if (word && !strstr(status < 0 ? f.text : buf_text(&out), word))
		fail_msg("%s: \"%s\" lacks \"%s\"", text, status < 0 ? f.text : buf_text(&out),
			 word);
	buf_release(&out);
	return status;
}

/* Per server CPU second: plain 20000, RSA 1000, P-256 4000 twice. */
static void demands_are_checked(void **state)
{
	(void)state;
	assert_int_equal(missed("server.requests_per_cpu_s>3999", FIXTURE_RSA " identity: "), 1);
	assert_int_equal(missed("server.requests_per_cpu_s(plain)>3999", NULL), 0);
	assert_int_equal(missed("server.requests_per_cpu_s ( * ) > 1", NULL), -1);
	assert_int_equal(missed("server.requests_per_cpu_s(*) > 1", NULL), 0);
	assert_int_equal(missed("server.requests_per_cpu_s(*:p256)>4000", "is 4000, wanted > 4000"),
			 2);
	assert_int_equal(missed("server.requests_per_cpu_s(*:p256)>=4000", NULL), 0);
	assert_int_equal(missed("server.requests_per_cpu_s(*:p256,plain)<=4000", NULL), 1);
	assert_int_equal(missed("server.requests_per_cpu_s(* gzip:6)<3000", "gzip:6: server.req"),
			 1);
	assert_int_equal(missed("valid_trials>=4", "valid_trials is 3"), 2);
	assert_int_equal(missed("response_us.p99<5000", "identity: response_us.p99 is"), 1);
}

static void ends_of_an_interval(void **state)
{
	(void)state;
	assert_int_equal(missed("requests_per_s(plain)>1000", NULL), 0);
	assert_int_equal(missed("requests_per_s.lo(plain)>1014", "requests_per_s.lo is"), 1);
	assert_int_equal(missed("requests_per_s.hi(plain)<1016", "requests_per_s.hi is"), 1);
	assert_int_equal(missed("requests_per_s(plain)<1016", NULL), 0);
	assert_int_equal(missed("valid_trials.lo>1", "has no interval"), -1);
}

static void modelled_energy_says_so(void **state)
{
	(void)state;
	assert_int_equal(missed("server.requests_per_mwh(plain)>1e9",
				"server.energy.requests_per_mwh is 1218 (modelled)"),
			 1);
	assert_int_equal(missed("client.energy.requests_per_mwh(plain)>1e9",
				"(modelled), wanted > 1e+09"),
			 1);
}

/* What both sides have means the server's; one of three latencies must say which. */
static void ends_that_fit_several(void **state)
{
	(void)state;
	assert_int_equal(missed("requests_per_mwh(plain)>1e9", "server.energy.requests_per_mwh is"),
			 1);
	assert_int_equal(missed("requests_per_mwh.lo(plain)>1e9",
				"server.energy.requests_per_mwh.lo is"),
			 1);
	assert_int_equal(missed("p99<5", "could be response_us.p99, service_us.p99"), -1);
	assert_int_equal(missed("client.requests_per_mwh.lo(plain)>1e9",
				"client.energy.requests_per_mwh.lo is"),
			 1);
	assert_int_equal(missed("server.speed>5", "no figure \"server.speed\""), -1);
	assert_int_equal(missed("server.p99>5", "no figure \"server.p99\""), -1);
}

static void what_is_wrong_is_said(void **state)
{
	(void)state;
	assert_int_equal(missed("", "expected FIGURE(CELLS)>NUMBER"), -1);
	assert_int_equal(missed(">5", "expected FIGURE"), -1);
	assert_int_equal(missed("speed>5", "no figure \"speed\""), -1);
	assert_int_equal(missed("suite>5", "no figure \"suite\""), -1);
	assert_int_equal(missed("requests_per_s", "expected >, >=, < or <="), -1);
	assert_int_equal(missed("requests_per_s=5", "expected >, >=, < or <="), -1);
	assert_int_equal(missed("requests_per_s>", "threshold"), -1);
	assert_int_equal(missed("requests_per_s>5/s", "5/s"), -1);
	assert_int_equal(missed("requests_per_s>nan", "nan"), -1);
	assert_int_equal(missed("requests_per_s(plain>5", "without"), -1);
	assert_int_equal(missed("requests_per_s()>5", "no cells between"), -1);
	assert_int_equal(missed("requests_per_s(none)>5", "no cell matches \"none\""), -1);
	assert_int_equal(missed("server.net_mwh(plain)>5", NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(demands_are_checked),     cmocka_unit_test(ends_of_an_interval),
		cmocka_unit_test(modelled_energy_says_so), cmocka_unit_test(ends_that_fit_several),
		cmocka_unit_test(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests_name("threshold", tests, enter, leave);
}
