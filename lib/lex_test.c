/* SPDX-License-Identifier: Apache-2.0 */
/* lex_test - lines by their ends, cells by their separators and quotes, and bytes that are no text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lex.h"
#include "lib/testing.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

static void what_is_no_text(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} rows[] = {
		{ "\xFF\xFE"
		  "a\0",
		  4, "line 1: the text is UTF-16" },
		{ "\xFE\xFF\0a", 4, "iconv" },
		{ "a\nb\n\0c", 6, "line 3: a zero byte" },
		{ "\xEF\xBB\xBF\0", 4, "line 1: a zero byte" },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fail f = { 0 };
		struct lex l;

		assert_int_equal(lex_init(&l, rows[i].bytes, rows[i].len, &f), -1);
		if (!strstr(f.text, rows[i].says))
			fail_msg("row %zu: %s", i, f.text);
	}
}

/* Lines joined by '|', a cut one with '~' behind it. */
static void join_lines(const char *text, size_t len, char *dst)
{
	struct fail f = { 0 };
	struct slice line;
	struct lex l;
	bool cut;
	int n = 0;

	assert_int_equal(lex_init(&l, text, len, &f), 0);
	while (lex_line(&l, &line, &cut)) {
		assert_int_equal(l.line, ++n);
		memcpy(dst, line.at, line.len);
		dst += line.len;
		*dst++ = cut ? '~' : '|';
	}
	*dst = '\0';
}

static void lines_and_their_ends(void **state)
{
	static const struct {
		const char *text, *lines;
	} rows[] = {
		{ "", "" },
		{ "\n", "|" },
		{ "a", "a~" },
		{ "a\nb\n", "a|b|" },
		{ "a\r\nb\rc", "a|b|c~" },
		{ "a\r\r\nb\n\n", "a||b||" },
		{ "  a b  \n", "a b|" },
		{ "\ta\t\n", "\ta\t|" }, /* empty cells, perhaps */
		{ "\xEF\xBB\xBF"
		  "a\n",
		  "a|" },
		{ "a\n\xEF\xBB\xBF\n", "a|\xEF\xBB\xBF|" }, /* no mark in the middle */
		{ "   ", "~" },
	};
	char lines[64];

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		join_lines(rows[i].text, strlen(rows[i].text), lines);
		if (strcmp(lines, rows[i].lines))
			fail_msg("\"%s\": %s", rows[i].text, lines);
	}
}

static void join_cells(const struct cells *c, char *dst)
{
	for (int i = 0; i < c->count; i++) {
		*dst++ = '[';
		memcpy(dst, c->cell[i].at, c->cell[i].len);
		dst += c->cell[i].len;
		*dst++ = ']';
	}
	*dst = '\0';
}

static void cells_of_a_line(void **state)
{
	static const struct {
		const char *line;
		char separator;
		const char *cells;
	} rows[] = {
		{ "a,b", ',', "[a][b]" },
		{ " a , b ", ',', "[a][b]" },
		{ "a,,b", ',', "[a][][b]" },
		{ "a,b,", ',', "[a][b]" }, /* one that ends the line adds none */
		{ "a,b,,", ',', "[a][b][]" },
		{ ",a", ',', "[][a]" },
		{ "", ',', "[]" },
		{ "\"a,b\",c", ',', "[a,b][c]" },
		{ "\" a \",'b'", ',', "[a][b]" },
		{ "'a,b'", ',', "['a][b']" }, /* a single quote may be an apostrophe */
		{ "\"a,b", ',', "[\"a,b]" },  /* never closed */
		{ "\"", ',', "[\"]" },
		{ "(1, 2)", ',', "[1][2]" },
		{ "(1, 2", ',', "[(1][2]" },
		{ "()", ',', "[]" },
		{ " a \t b  c ", ' ', "[a][b][c]" },
		{ "\"a b\" c", ' ', "[a b][c]" },
		{ "", ' ', "" },
		{ "a\tb", ';', "[a\tb]" },
		{ "\ta\t", '\t', "[][a]" },
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct cells c;
		char cells[64];

		assert_true(lex_split((struct slice){ rows[i].line, strlen(rows[i].line) },
				      rows[i].separator, &c));
		join_cells(&c, cells);
		if (strcmp(cells, rows[i].cells))
			fail_msg("\"%s\": %s", rows[i].line, cells);
	}
}

static void more_cells_than_there_is_room_for(void **state)
{
	char line[2 * LEX_CELLS + 1];
	struct cells c;

	(void)state;
	for (size_t i = 0; i < sizeof line; i += 2)
		memcpy(line + i, "x,", i + 1 < sizeof line ? 2 : 1);
	assert_true(lex_split((struct slice){ line, sizeof line - 1 }, ',', &c));
	assert_int_equal(c.count, LEX_CELLS);
	assert_false(lex_split((struct slice){ line, sizeof line }, ',', &c));
}

static void slices(void **state)
{
	(void)state;
	assert_true(slice_equal(slice_trim((struct slice){ " \t\r a b \r", 8 }), "a b"));
	assert_int_equal(slice_trim((struct slice){ " \t\r", 3 }).len, 0);
	assert_false(slice_equal((struct slice){ "ab", 2 }, "a"));
	assert_false(slice_equal((struct slice){ "ab", 2 }, "abc"));
	assert_true(slice_equal((struct slice){ "ab", 0 }, ""));
}

/* Any bytes of any length, in memory of that length: sanitizers see what is read beyond. */
static void any_bytes_are_cut_within_their_bounds(void **state)
{
	static const char bytes[] = "a,;\t \r\n\"'()\xEF\xBB\xBF\xFF\xFE";
	struct rng r = testing_rng("lex_test");

	(void)state;
	for (int trial = 0; trial < 20000; trial++) {
		size_t len = (size_t)rng_below(&r, 40), seen = 0;
		char *text = malloc(len ? len : 1);
		struct fail f = { 0 };
		struct slice line;
		struct cells c;
		struct lex l;
		bool cut;

		assert_non_null(text);
		for (size_t i = 0; i < len; i++)
			text[i] = bytes[rng_below(&r, sizeof bytes - 1)];
		if (lex_init(&l, text, len, &f) == 0)
			while (lex_line(&l, &line, &cut)) {
				assert_true(line.at >= text && line.at + line.len <= text + len);
				assert_true(lex_split(line, ",;\t "[trial % 4], &c));
				for (int i = 0; i < c.count; i++)
					assert_true(c.cell[i].at >= line.at &&
						    c.cell[i].at + c.cell[i].len <=
							    line.at + line.len);
				assert_true(++seen <= len);
			}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_text),
		cmocka_unit_test(lines_and_their_ends),
		cmocka_unit_test(cells_of_a_line),
		cmocka_unit_test(more_cells_than_there_is_room_for),
		cmocka_unit_test(slices),
		cmocka_unit_test(any_bytes_are_cut_within_their_bounds),
	};

	return cmocka_run_group_tests_name("lex", tests, NULL, NULL);
}
