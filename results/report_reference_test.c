/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_reference_test - which cells correspond to a published figure and which do not, and
 * what stands beside it; and the sentence about blocks that were added.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/report_reference.h"

#define COAP "dtls1.2:PSK-AES128-CCM8:none:psk"
#define HTTP "tls1.2:PSK-AES128-CCM8:none:psk"

/* Means of 10 ms, 95 % of 20 ms (19 to 21), 99 % of 30 ms, 50 % of a CPU, 8 kB a second. */
static struct cell_summary make_cell(const char *suite, int clients, const char *settings)
{
	struct cell_summary s = { .trials = 3, .valid_trials = 3, .window_s = 2 };

	snprintf(s.cell.name, sizeof(s.cell.name), "%s/c%d/%s", suite, clients, settings);
	snprintf(s.cell.suite, sizeof(s.cell.suite), "%s", suite);
	snprintf(s.cell.settings, sizeof(s.cell.settings), "{%s}", settings);
	strcpy(s.cell.workload, "access");
	strcpy(s.cell.connection, "keepalive");
	s.cell.clients = clients;
	s.response.mean = 10000;
	s.response.p95_trials = (struct interval){ 20000, 19000, 21000, 3 };
	s.response.p99_trials = (struct interval){ 30000, 29000, 31000, 3 };
	s.response.p99_9 = 40000;
	s.response.max = 50000;
	s.server.cpu_pct = 50;
	s.server.energy.gross_mwh = NAN;
	s.wire_bytes_sent = 16000;
	return s;
}

static int occurrences(const char *text, const char *what)
{
	int count = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		count++;
	return count;
}

struct found {
	int figures;
	struct report_reference last;
	const char *want; /* keep the one of this figure */
};

static void keep(const struct report *r, const struct report_reference *x, void *data)
{
	struct found *f = data;

	(void)r;
	f->figures++;
	if (!strcmp(x->figure, f->want))
		f->last = *x;
}

static struct found find(struct cell_summary *cell, const char *want)
{
	struct report r = { .cell = cell, .cells = 1 };
	struct found f = { .want = want };

	size_t told;

	told = report_references(&r, keep, &f);

	assert_int_equal(told, f.figures);
	return f;
}

static void a_table_beside_its_cell(void **state)
{
	struct cell_summary c = make_cell(COAP, 40, "\"protocol\":\"coap\",\"count\":2000");
	struct found f = find(&c, "p95_ms");

	(void)state;
	assert_int_equal(f.figures, 7);
	assert_string_equal(f.last.row->table, "3");
	assert_true(f.last.published == 744);
	assert_true(f.last.ours.mean == 20 && f.last.ours.lo == 19 && f.last.ours.hi == 21);
	f = find(&c, "cpu_pct");
	assert_true(f.last.published == 53.28 && f.last.ours.mean == 50 && f.last.ours.n == 0);
	f = find(&c, "rate_kb_per_s");
	assert_true(f.last.published == 62.16 && f.last.ours.mean == 8);
}

static void an_equal_rate_beside_its_cell(void **state)
{
	struct cell_summary c = make_cell(
		HTTP, 120, "\"protocol\":\"http\",\"count\":2040,\"upload_bytes_per_s\":30550");
	struct found f = find(&c, "mean_ms");

	(void)state;
	assert_int_equal(f.figures, 1);
	assert_string_equal(f.last.row->what, "HTTP");
	assert_true(f.last.published == 5521.77 && f.last.ours.mean == 10);
}

/* The 2000 of 120 clients are published; 2040 can be shared. */
static void so_many_requests_as_can_be_shared(void **state)
{
	struct cell_summary c = make_cell(COAP, 120, "\"count\":2040");

	(void)state;
	assert_int_equal(find(&c, "").figures, 7);
}

static void the_mean_at_a_break_even_rate(void **state)
{
	struct cell_summary c = make_cell(COAP, 40, "\"count\":800,\"upload_bytes_per_s\":17000");
	struct found f = find(&c, "mean_ms at 17 kB/s");

	(void)state;
	assert_int_equal(f.figures, 1);
	assert_true(f.last.published == 3000 && f.last.ours.mean == 10);
}

static void other_cells_have_none(void **state)
{
	static const struct {
		const char *suite;
		int clients;
		const char *settings;
	} others[] = {
		{ COAP, 41, "\"count\":2000" },
		{ COAP, 40, "\"count\":1000" },
		{ COAP, 40, "" },
		{ COAP, 40, "\"count\":2000,\"access_model\":\"rbac\"" },
		{ COAP, 40, "\"count\":2000,\"upload_bytes_per_s\":50000" },
		{ HTTP, 40, "\"protocol\":\"http\",\"count\":2000" },
		{ HTTP, 40,
		  "\"protocol\":\"coap+tcp\",\"count\":2000,\"upload_bytes_per_s\":47140" },
		{ "plain", 40, "\"protocol\":\"coap\",\"count\":2000" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct cell_summary c =
			make_cell(others[i].suite, others[i].clients, others[i].settings);

		if (find(&c, "").figures)
			fail_msg("%s", c.cell.name);
		c = make_cell(COAP, 40, "\"count\":2000");
		strcpy(c.cell.workload, "page");
		assert_int_equal(find(&c, "").figures, 0);
		strcpy(c.cell.workload, "access");
		strcpy(c.cell.connection, "full");
		assert_int_equal(find(&c, "").figures, 0);
		strcpy(c.cell.connection, "keepalive");
		c.valid_trials = 0;
		assert_int_equal(find(&c, "").figures, 0);
	}
}

/* Of one figure on energy, and one that needs none. */
static void modelled_energy_is_said(const struct report *r)
{
	struct buf out = { 0 };
	json_t *list = report_references_json(r);

	report_references_text(r, &out);
	assert_int_equal(occurrences(buf_text(&out), "; ours on energy that is modelled"), 1);
	buf_clear(&out);
	report_references_markdown(r, &out);
	assert_int_equal(occurrences(buf_text(&out), "; ours on energy that is modelled |"), 1);
	buf_clear(&out);
	report_references_html(r, &out);
	assert_int_equal(occurrences(buf_text(&out), "<span class=\"badge\">modelled</span>"), 1);
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *row = json_array_get(list, i), *energy = json_object_get(row, "energy");
		const char *figure = json_string_value(json_object_get(row, "figure"));

		if (strcmp(figure, "energy_saving_pct") == 0)
			assert_string_equal(json_string_value(energy), "modelled");
		else
			assert_true(json_is_null(energy));
	}
	json_decref(list);
	buf_release(&out);
}

/* ECDSA does 1.5 to 2.5 times the requests of an energy: it saves a third to 60 %. */
static void two_keys_of_one_strength(void **state)
{
	static const char *const suites[] = { "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256",
					      "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p256:rsa3072" };
	struct report_comparison both[] = {
		{ .cell = 0, .reference = 1, .energy = { 2, 1.5, 2.5, 5 } },
		{ .cell = 1, .reference = 0, .energy = { 0.5, 0.4, 1 / 1.5, 5 } }
	};
	struct cell_summary cells[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		cells[i] = make_cell(suites[i], 16, "");
		strcpy(cells[i].cell.workload, "page");
		strcpy(cells[i].cell.connection, "full");
		cells[i].requests_per_s.mean = i ? 100 : 190;
		strcpy(cells[i].server.energy.source, "modelled");
	}
	for (int i = 0; i < 2; i++) {
		struct report r = {
			.cell = cells, .cells = 2, .comparison = &both[i], .comparisons = 1
		};
		struct found f = { .want = "energy_saving_pct" };

		assert_int_equal(report_references(&r, keep, &f), 2);
		assert_true(f.last.cell == 0 && f.last.against == 1);
		assert_true(fabs(f.last.ours.mean - 50) < 1e-9);
		assert_true(fabs(f.last.ours.lo - 100.0 / 3) < 1e-9);
		assert_true(fabs(f.last.ours.hi - 60) < 1e-9);
		assert_string_equal(f.last.energy, "modelled");
		modelled_energy_is_said(&r);
		f.want = "throughput_ratio";
		report_references(&r, keep, &f);
		assert_true(fabs(f.last.ours.mean - 1.9) < 1e-9);
		assert_string_equal(f.last.energy, "");
		cells[0].cell.strength_bits = 192; /* not of one strength */
		assert_int_equal(report_references(&r, keep, &f), 0);
		cells[0].cell.strength_bits = 0;
	}
}

static void every_format_says_it(void **state)
{
	struct cell_summary c = make_cell(COAP, 40, "\"count\":2000");
	struct report r = { .cell = &c, .cells = 1 };
	struct buf text = { 0 }, page = { 0 };
	json_t *list = report_references_json(&r), *first = json_array_get(list, 1);

	(void)state;
	report_references_text(&r, &text);
	report_references_html(&r, &page);
	assert_non_null(strstr(buf_text(&text), "other hardware"));
	assert_non_null(strstr(buf_text(&text), "doi 10.21203/rs.3.rs-4630516/v1"));
	assert_non_null(strstr(buf_text(&text), "20.0 ± 1.0            0.0269"));
	buf_clear(&text);
	assert_int_equal(report_write_markdown(&r, false, &text), 0);
	assert_non_null(
		strstr(buf_text(&text), "\n## Published beside ours\n\nPublished by others"));
	assert_int_equal(occurrences(buf_text(&text), "\n### "), 1);
	assert_non_null(strstr(buf_text(&text), "\n| table | of | figure | unit | published | "));
	assert_non_null(strstr(buf_text(&text), " | 744 | 20.0 ± 1.0 | 0.0269 | "));
	assert_non_null(strstr(buf_text(&page), "other hardware"));
	assert_non_null(strstr(buf_text(&page), "Californium"));
	assert_non_null(strstr(buf_text(&page), "<td class=\"n\">744</td>"));
	assert_int_equal(json_array_size(list), 7);
	assert_string_equal(json_string_value(json_object_get(first, "figure")), "p95_ms");
	assert_true(json_number_value(json_object_get(first, "published")) == 744);
	assert_true(json_is_null(json_object_get(first, "against")));
	c.cell.clients = 3;
	buf_clear(&text);
	buf_clear(&page);
	report_references_text(&r, &text);
	report_references_markdown(&r, &text);
	report_references_html(&r, &page);
	assert_int_equal(text.len + page.len, 0);
	json_decref(list);
	buf_release(&text);
	buf_release(&page);
}

static void blocks_that_were_added(void **state)
{
	struct cell_summary cells[] = { make_cell(COAP, 1, ""), make_cell(COAP, 2, "") };
	struct report r = { .cell = cells, .cells = 2 };
	char options[] = "{\"until\":{\"ci_pct\":2.0,\"max_blocks\":9}}";
	struct buf out = { 0 };

	(void)state;
	cells[0].requests_per_s = (struct interval){ 100, 99, 101, 6 };
	cells[1].requests_per_s = (struct interval){ 100, 95, 105, 9 };
	cells[0].trials = 6;
	cells[1].trials = 9;
	report_until(&r, &out);
	assert_int_equal(out.len, 0);
	r.campaign.options = options;
	report_until(&r, &out);
	assert_non_null(strstr(buf_text(&out), "not known to 2 % to either side, up to 9 in all"));
	assert_non_null(strstr(buf_text(&out), "6 to 9 trials, and 1 of 2 are not known so well"));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_beside_its_cell),
		cmocka_unit_test(an_equal_rate_beside_its_cell),
		cmocka_unit_test(so_many_requests_as_can_be_shared),
		cmocka_unit_test(the_mean_at_a_break_even_rate),
		cmocka_unit_test(other_cells_have_none),
		cmocka_unit_test(two_keys_of_one_strength),
		cmocka_unit_test(every_format_says_it),
		cmocka_unit_test(blocks_that_were_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
