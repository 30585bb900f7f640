/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_test - that the published figures were copied right: they obey the rules of the tool
 * that made them, and agree with each other as the arithmetic between them demands.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "results/reference.h"

static double value(const char *table, const char *what, int requests, int clients,
		    enum reference_metric metric)
{
	const struct reference_row *row =
		reference_find(&reference_access_control, table, what, requests, clients, metric);
	assert_non_null(row);
	return row->value;
}

static const struct {
	const char *table;
	int requests, clients;
} first_phase[] = { { "1", 200, 1 }, { "2", 2000, 1 }, { "3", 2000, 40 }, { "4", 2000, 120 } };

/* Slots of 5 ms: a percentile ends in 4 or 9, or is the maximum. */
static void percentiles_are_edges_of_slots(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		int n = first_phase[i].requests, c = first_phase[i].clients;
		double max = value(first_phase[i].table, "CoAP", n, c, REFERENCE_MAX_MS);
		double before = value(first_phase[i].table, "CoAP", n, c, REFERENCE_MEAN_MS);
		for (int m = REFERENCE_P95_MS; m <= REFERENCE_MAX_MS; m++) {
			double v =
				value(first_phase[i].table, "CoAP", n, c, (enum reference_metric)m);
			assert_true(fmod(v, 5) == 4 || v == max);
			assert_true(v >= before);
			before = v;
		}
	}
}

/* Little: c / mean requests a second; rate over that is 626 to 675 bytes a request. */
static void rates_and_means_agree(void **state)
{
	(void)state;
	static const double bytes[] = { 86, 626, 675, 645 }; /* the first fits nothing */
	for (int i = 0; i < 4; i++) {
		int n = first_phase[i].requests, c = first_phase[i].clients;
		double per_s =
			c * 1000 / value(first_phase[i].table, "CoAP", n, c, REFERENCE_MEAN_MS);
		double each = 1000 *
			      value(first_phase[i].table, "CoAP", n, c, REFERENCE_RATE_KB_PER_S) /
			      per_s;
		assert_true(fabs(each - bytes[i]) < 1);
	}
}

static void http_is_slower_by_the_printed_share(void **state)
{
	(void)state;
	static const struct {
		int requests, clients;
		double ratio;
	} tests[] = {
		{ 200, 1, 1.14 }, { 2000, 1, 1.09 }, { 2000, 40, 1.64 }, { 2040, 120, 1.12 }
	};
	for (int i = 0; i < 4; i++) {
		int n = tests[i].requests, c = tests[i].clients;
		double ratio = value("5", "HTTP", n, c, REFERENCE_MEAN_MS) /
			       value("5", "CoAP", n, c, REFERENCE_MEAN_MS);
		assert_true(fabs(ratio - tests[i].ratio) < 0.005);
		assert_true(value("5", "HTTP", n, c, REFERENCE_RATE_KB_PER_S) ==
			    value("5", "CoAP", n, c, REFERENCE_RATE_KB_PER_S));
	}
}

/* At the break-even rate a client has its target's worth of bytes: 700, 1275, 1225. */
static void break_even_rates_are_of_bytes_and_targets(void **state)
{
	(void)state;
	static const struct {
		int clients;
		double bytes;
	} tests[] = { { 1, 700 }, { 40, 1275 }, { 120, 1225 } };
	for (int i = 0; i < 3; i++) {
		const struct reference_row *row =
			reference_find(&reference_access_control, "break-even", NULL, 2000,
				       tests[i].clients, REFERENCE_BREAK_EVEN_KB_PER_S);
		assert_non_null(row);
		assert_true(fabs(row->value * row->target_ms / row->clients - tests[i].bytes) < 1);
	}
}

/* The longest request of iPACS is 10 times or twice ours, which is a bound and says so. */
static void bounds_are_marked(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		int n = first_phase[i].requests, c = first_phase[i].clients;
		const struct reference_row *row = reference_find(&reference_access_control, "iPACS",
								 NULL, n, c, REFERENCE_MAX_MS);
		double ours = value(first_phase[i].table, "CoAP", n, c, REFERENCE_MAX_MS);
		assert_non_null(row);
		assert_int_equal(row->mark, REFERENCE_AT_LEAST);
		assert_true(fabs(row->value / ours - (c == 1 ? 10 : 2)) < 0.01);
		assert_string_equal(reference_mark_text(row->mark), ">= ");
	}
}

static double message_middle_ms(const char *what)
{
	const struct reference_row *low = reference_find(&reference_message_security, "scenario 3",
							 what, 0, 0, REFERENCE_LOW_MS);
	const struct reference_row *high = reference_find(&reference_message_security, "scenario 3",
							  what, 0, 0, REFERENCE_HIGH_MS);
	assert_true(low && high && low->value < high->value);
	return (low->value + high->value) / 2;
}

/* Shares are of the middles of the seven stages, 78 ms; the stages of a side are its whole. */
static void stages_of_messages_add_up(void **state)
{
	(void)state;
	static const char *const stages[] = {
		"sign",           "encrypt", "rest of sending",
		"verify",         "decrypt", "trust, timestamp, header",
		"rest of reading"
	};
	double sum_ms = 0;
	for (int i = 0; i < 7; i++)
		sum_ms += message_middle_ms(stages[i]);
	assert_true(fabs(sum_ms - 78) < 0.01);
	for (int i = 0; i < 7; i++) {
		const struct reference_row *share =
			reference_find(&reference_message_security, "scenario 3", stages[i], 0, 0,
				       REFERENCE_SHARE_PCT);
		assert_non_null(share);
		assert_true(fabs(share->value - 100 * message_middle_ms(stages[i]) / sum_ms) <
			    0.06);
	}
	assert_true(fabs(message_middle_ms("client sends") - 35.5) < 0.01);
	assert_true(fabs(message_middle_ms("server receives") - 44.5) < 0.01);
}

static void every_row_is_whole(void **state)
{
	(void)state;
	size_t studies = 0;
	for (; reference_studies[studies]; studies++) {
		const struct reference_study *s = reference_studies[studies];
		assert_true(s->count > 0 && s->title && s->source && s->notes);
		for (size_t i = 0; i < s->count; i++) {
			const struct reference_row *row = &s->rows[i];
			assert_true(row->table && row->what && row->value > 0);
			assert_in_range(row->metric, 0, REFERENCE_METRICS - 1);
			assert_true((row->metric == REFERENCE_BREAK_EVEN_KB_PER_S) ==
				    (row->target_ms > 0));
			/* Found as itself, so no two say the same. */
			assert_ptr_equal(reference_find(s, row->table, row->what, row->requests,
							row->clients, row->metric),
					 row);
		}
	}
	assert_int_equal(studies, 4);
	for (int m = 0; m < REFERENCE_METRICS; m++)
		assert_true(reference_info[m].name && reference_info[m].unit &&
			    reference_info[m].help);
	assert_null(reference_find(&reference_access_control, NULL, NULL, 7, 1, REFERENCE_MEAN_MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_edges_of_slots),
		cmocka_unit_test(rates_and_means_agree),
		cmocka_unit_test(http_is_slower_by_the_printed_share),
		cmocka_unit_test(break_even_rates_are_of_bytes_and_targets),
		cmocka_unit_test(bounds_are_marked),
		cmocka_unit_test(stages_of_messages_add_up),
		cmocka_unit_test(every_row_is_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
