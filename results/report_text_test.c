/* SPDX-License-Identifier: Apache-2.0 */
/* report_text_test - CSV by RFC 4180, and the terminal's text. */
#include <stdlib.h>
#include <string.h>

#include "results/report.h"
#include "results/store_drive.h"

#define NAME "a,\"b\" <script>alert(1)</script>"

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

/* The columns of one record; *text is moved behind it. Quotes by RFC 4180. */
static int csv_record(const char **text, char first[64])
{
	int columns = 1;
	bool quoted = false;
	const char *c = *text;
	size_t len = 0;

	for (; quoted || strncmp(c, "\r\n", 2) != 0; c++) {
		assert_true(*c && (quoted || *c != '\n'));
		if (*c == '"')
			quoted = !quoted;
		else if (*c == ',' && !quoted)
			columns++;
		else if (columns == 1 && len < 63)
			first[len++] = *c;
	}
	first[len] = '\0';
	*text = c + 2;
	return columns;
}

static void count_columns(const char *name, const struct field *f, const void *base, void *data)
{
	(void)name;
	(void)base;
	*(int *)data += f->kind == FIELD_INTERVAL ? 3 : 1;
}

static void csv_is_whole(void **state)
{
	char *text = written(make(NAME, false), "csv"), first[64];
	const char *at_record = text;
	int expected = 2;

	(void)state;
	field_each(summary_parts, NULL, count_columns, &expected);
	assert_non_null(strstr(text, ",response_us.p99,"));
	assert_non_null(strstr(text, ",notes,"));
	assert_non_null(strstr(text, ",requests.completed,"));
	assert_non_null(strstr(text, ",server.energy.requests_per_mwh.ci95_lo,"));
	assert_int_equal(csv_record(&at_record, first), expected);
	assert_string_equal(first, "campaign");
	for (int i = 0; i < 4; i++) {
		assert_int_equal(strncmp(at_record, "\"a,\"\"b\"\" <script>", 17), 0);
		assert_non_null(strstr(at_record, ",false,"));
		assert_int_equal(csv_record(&at_record, first), expected);
	}
	assert_string_equal(at_record, "");
	free(text);
}

static int count(const char *text, const char *word)
{
	int n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* Wherever its lines are wrapped. */
static void says(const char *text, const char *words)
{
	char *line = strdup(text);

	for (char *c = line; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	if (!strstr(line, words))
		fail_msg("the report does not say: %s", words);
	free(line);
}

static void text_says_what_it_is(void **state)
{
	char *text = written(make(NAME, false), "text");

	(void)state;
	assert_non_null(strstr(text, "NOT COMPLETE"));
	assert_non_null(strstr(text, "complete: false"));
	assert_non_null(strstr(text, "Energy is modelled, not measured"));
	assert_true(count(text, "  modelled\n") == 4); /* each line of the energy table */
	assert_non_null(strstr(text, FIXTURE_REASON));
	says(text, FIXTURE_RSA " identity, block 3: "); /* counted from 1, as progress does */
	assert_non_null(strstr(text, "152.2"));
	assert_non_null(strstr(text, "3 of 4"));
	says(text, "Published figures of such boards differ by up to 1.2 % from those used");
	says(text, "a ratio's has no bounds where its divisor varies too much");
	assert_int_equal(count(text, " (load-limited) "), 1);
	assert_int_equal(count(text, "4 of 4 [1,2]\n"), 1);
	assert_int_equal(count(text, "4 of 4\n"), 1); /* P-256 has none */
	says(text, "[1] " FIXTURE_NOTE ": 2 trials, first in block 2 of");
	says(text, "[2] the idle power moved: 1 trial, first in block 4");
	assert_int_equal(count(text, "\033"), 0);
	free(text);
	text = written(make("b", true), "text");
	assert_null(strstr(text, "NOT COMPLETE"));
	free(text);
}

static void text_takes_colour(void **state)
{
	struct fail f = { 0 };
	struct buf out = { 0 };
	struct report r;
	struct store *s;
	int64_t id = make("made-up", false);

	(void)state;
	s = store_open(here.path, STORE_READ, &f);
	assert_int_equal(report_load(s, id, &r, &f), 0);
	assert_int_equal(report_write_text(&r, true, &out), 0);
	assert_true(count(buf_text(&out), "\033[1m") >= 3);
	buf_release(&out);
	report_release(&r);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(csv_is_whole, enter, leave),
		cmocka_unit_test_setup_teardown(text_says_what_it_is, enter, leave),
		cmocka_unit_test_setup_teardown(text_takes_colour, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
