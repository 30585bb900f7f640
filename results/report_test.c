/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_test - JSON by its contract, with the made-up campaign's figures worked out by
 * hand; and no format prints what is not a number, whatever is missing.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report.h"
#include "results/store_drive.h"

static int64_t make(const char *name, bool complete)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	int64_t id = s ? fixture_fill(s, name, &f) : -1;

	if (id < 0 || (complete && store_complete_campaign(s, id, &f) < 0))
		fail_msg("%s", f.text);
	store_close(s);
	return id;
}

static char *written(int64_t id, const char *format)
{
	struct fail f = { 0 };
	char *text = fixture_report(here.path, id, format, &f);

	if (!text)
		fail_msg("%s: %s", format, f.text);
	return text;
}

static json_t *parsed(int64_t id)
{
	char *text = written(id, "json");
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	free(text);
	return root;
}

/* "a.b[2].c" */
static json_t *at(json_t *root, const char *path)
{
	char copy[128], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *key = strtok_r(copy, ".[]", &save); key && root;
	     key = strtok_r(NULL, ".[]", &save))
		root = json_is_array(root) ? json_array_get(root, (size_t)atoi(key))
					   : json_object_get(root, key);
	if (!root)
		fail_msg("no %s", path);
	return root;
}

static void is_number(json_t *root, const char *path, double expected)
{
	double value = json_number_value(at(root, path));

	assert_true(json_is_number(at(root, path)));
	if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%s is %.12g, not %.12g", path, value, expected);
}

static void is_text(json_t *root, const char *path, const char *expected)
{
	assert_string_equal(json_string_value(at(root, path)), expected);
}

static const char *const contract[] = {
	"suite",
	"strength_bits",
	"engine",
	"server_under_test",
	"workload",
	"payload_bytes",
	"encoding",
	"clients",
	"connection",
	"trials",
	"valid_trials",
	"requests.started",
	"requests.succeeded",
	"requests.failed",
	"requests.timed_out",
	"requests.in_flight",
	"requests.completed",
	"notes",
	"handshakes.full",
	"handshakes.resumed",
	"handshakes.early_data",
	"handshakes.failed",
	"requests_per_s.mean",
	"requests_per_s.ci95[1]",
	"response_us.p50",
	"response_us.p99_9",
	"service_us.p95",
	"handshake_us.mean",
	"response_us.max",
	"wire.bytes_sent",
	"wire.bytes_received",
	"server.cpu_s",
	"server.cpu_pct",
	"server.rss_peak_kib",
	"server.requests_per_cpu_s.ci95[0]",
	"server.energy.source",
	"server.energy.basis",
	"server.energy.gross_mwh",
	"server.energy.idle_mwh",
	"server.energy.net_mwh",
	"server.energy.requests_per_mwh.mean",
	"server.energy.requests_per_mwh.ci95[0]",
	"server.energy.net_requests_per_mwh.ci95[1]",
	"server.energy.mj_per_request",
	"server.energy.uncertainty_pct",
	"server.energy.coverage",
	"client.cpu_s",
	"client.energy.net_requests_per_mwh.mean",
};

static void json_keeps_the_contract(void **state)
{
	json_t *root = parsed(make("made-up", true));

	(void)state;
	is_text(root, "schema", "cipherwatt/1");
	is_text(root, "campaign.name", "made-up");
	is_number(root, "campaign.seed", 42);
	is_number(root, "campaign.blocks", 4);
	is_text(root, "campaign.started", "2026-11-30T12:00:00Z");
	assert_true(json_is_true(at(root, "campaign.complete")));
	is_number(root, "options.cells[1]", 2.5);
	is_text(root, "nodes[0].engines.wolfssl", "5.5.4");
	is_text(root, "nodes[1].role", "client");
	assert_true(json_is_false(at(root, "nodes[1].environment.throttled")));
	assert_int_equal(json_array_size(at(root, "cells")), 4);
	for (size_t i = 0; i < sizeof(contract) / sizeof(*contract); i++)
		at(at(root, "cells[3]"), contract[i]);
	json_decref(root);
}

/* P-256: 300, 303, 306, 309 requests in 2 s each, 6 J gross and 4 J net. */
static void json_figures_are_right(void **state)
{
	json_t *root = parsed(make("made-up", false)), *cell;

	(void)state;
	assert_true(json_is_false(at(root, "campaign.complete")));
	cell = at(root, "cells[2]");
	is_text(cell, "suite", FIXTURE_ECDSA);
	is_number(cell, "requests.succeeded", 1218);
	is_number(cell, "handshakes.full", 1218);
	is_number(cell, "handshakes.server_full", 1618);
	is_number(cell, "requests_per_s.mean", 152.25);
	assert_true(json_number_value(at(cell, "requests_per_s.ci95[0]")) < 152.25);
	is_number(cell, "response_us.max", 3000);
	is_number(cell, "server.cpu_s", 1218 * 250e-6);
	is_number(cell, "server.requests_per_cpu_s.mean", 4000);
	is_number(cell, "client.requests_per_cpu_s.mean", 8000);
	is_text(cell, "server.energy.source", "modelled");
	is_number(cell, "server.energy.gross_mwh", 24 / 3.6);
	is_number(cell, "server.energy.net_mwh", 16 / 3.6);
	is_number(cell, "server.energy.requests_per_mwh.mean", 1218 * 3.6 / 24);
	is_number(cell, "server.energy.mj_per_request", 24000.0 / 1218);
	assert_int_equal(json_array_size(at(root, "notes")), 3);
	is_text(root, "notes[0].cell", "plain identity");
	is_number(root, "notes[1].block", 3);
	is_text(root, "notes[1].note", FIXTURE_NOTE ": it used 97 % of a CPU");
	is_text(root, "notes[2].note", "the idle power moved: by 6 %");
	is_number(at(root, "cells[0]"), "notes", 3);
	is_number(at(root, "cells[0]"), "load_generator.limited_trials", 2);
	is_number(cell, "notes", 0);
	cell = at(root, "cells[1]");
	is_number(cell, "trials", 4);
	is_number(cell, "valid_trials", 3);
	is_number(cell, "requests.succeeded", 304);
	is_text(root, "invalid_trials[0].reason", FIXTURE_REASON);
	is_number(root, "invalid_trials[0].block", 2);
	json_decref(root);
}

static void comparisons_are_right(void **state)
{
	json_t *root = parsed(make("made-up", true)), *all, *one;
	const char *sentence;

	(void)state;
	all = at(root, "comparisons"); /* plain and P-256 against RSA, gzip against none */
	assert_int_equal(json_array_size(all), 3);
	sentence = json_string_value(at(json_array_get(all, 0), "sentence"));
	assert_non_null(strstr(sentence, "plain does"));
	assert_non_null(strstr(sentence, " of " FIXTURE_RSA " with openssl; "));
	assert_non_null(strstr(sentence, " mWh (identity)."));
	one = json_array_get(all, 1);
	is_text(one, "cell", FIXTURE_ECDSA " identity");
	is_text(one, "reference", FIXTURE_RSA " identity");
	is_number(one, "server_requests_per_cpu_s_ratio.mean", 4);
	is_number(one, "server_requests_per_cpu_s_ratio.n", 3); /* block 2 has no pair */
	is_number(one, "server_requests_per_mwh_ratio.ci95[0]", 3);
	sentence = json_string_value(at(one, "sentence"));
	assert_non_null(strstr(sentence,
			       "does 4.0000 (4.0000 to 4.0000) times the requests per server "
			       "CPU second of " FIXTURE_RSA));
	assert_non_null(strstr(sentence, "modelled mWh"));
	one = json_array_get(all, 2);
	is_text(one, "differ", "encoding");
	is_number(one, "server_requests_per_cpu_s_ratio.n", 3);
	assert_non_null(strstr(json_string_value(at(one, "sentence")), "no difference proven"));
	json_decref(root);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void lacks_word(const char *format, const char *text, const char *word)
{
	for (const char *c = text; (c = strcasestr(c, word)); c++)
		if ((c == text || !is_word(c[-1])) && !is_word(c[strlen(word)]))
			fail_msg("%s prints %.40s", format, c > text + 20 ? c - 20 : text);
}

static void spoil(struct trial *t, int how)
{
	if (how == 1) {
		t->server.gross_nj = t->server.net_nj = t->server.cpu_ns = FIELD_UNKNOWN_INT;
		t->client_busy = t->server.coverage = NAN;
	} else if (how == 2) {
		t->window_ns = t->requests_completed = t->server.cpu_ns = 0;
		hist_clear(&t->response);
	} else if (how == 3) {
		t->server.gross_nj = 0;
		t->client.net_nj = -1;
		t->server.idle_drift_pct = INFINITY;
		strcpy(t->client.energy_source, "");
	}
}

/* What is not known is there, and null. */
static void check_nulls(int64_t id)
{
	json_t *root = parsed(id);

	for (size_t cell = 0; cell < json_array_size(at(root, "cells")); cell++)
		for (size_t i = 0; i < sizeof(contract) / sizeof(*contract); i++)
			at(json_array_get(at(root, "cells"), cell), contract[i]);
	assert_true(json_is_null(at(root, "cells[1].server.energy.gross_mwh")));
	assert_true(json_is_null(at(root, "cells[1].server.requests_per_cpu_s.ci95[0]")));
	assert_true(json_is_null(at(root, "cells[4].response_us.p99")));
	assert_true(json_is_null(at(root, "cells[0].strength_bits")));
	json_decref(root);
}

/* Cells with nothing, and with all that may be missing; formats must still say something. */
static void nothing_prints_nan(void **state)
{
	struct fail f = { 0 };
	struct store *s = store_open(here.path, STORE_WRITE, &f);
	struct campaign c;
	struct cell cell;
	struct trial t;
	int64_t id, empty;

	(void)state;
	fixture_campaign(&c);
	c.options = (char *)"not json";
	empty = store_add_campaign(s, &c, &f);
	id = store_add_campaign(s, &c, &f);
	assert_int_equal(trial_init(&t), 0);
	for (int i = 0; i < 5; i++) {
		int64_t row;

		fixture_cell(&cell, "plain", FIELD_UNKNOWN_INT, "identity");
		snprintf(cell.name, sizeof(cell.name), "cell %d", i);
		row = store_add_cell(s, id, &cell, &f);
		for (int block = 0; block < (i < 4 ? 2 : 0); block++) {
			fixture_trial(&t, block, 10, 1000, 10);
			spoil(&t, i);
			t.valid = i > 0 || block == 0;
			assert_true(store_add_trial(s, row, &t, NULL, 0, &f) > 0);
		}
	}
	trial_release(&t);
	store_close(s);
	for (const struct report_format *way = report_formats; way->name; way++)
		for (int64_t k = empty; k <= id; k++) {
			char *text = written(k, way->name);

			lacks_word(way->name, text, "nan");
			lacks_word(way->name, text, "inf");
			lacks_word(way->name, text, "infinity");
			free(text);
		}
	json_decref(parsed(empty));
	check_nulls(id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(json_keeps_the_contract, enter, leave),
		cmocka_unit_test_setup_teardown(json_figures_are_right, enter, leave),
		cmocka_unit_test_setup_teardown(comparisons_are_right, enter, leave),
		cmocka_unit_test_setup_teardown(nothing_prints_nan, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
