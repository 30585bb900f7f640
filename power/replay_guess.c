/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_guess - which separator and decimal sign the first lines agree on.
 * It must not know columns.
 */
#include <string.h>

#include "power/replay_text.h"

#define PROBE_LINES 64

bool text_is_tuple(struct slice line)
{
	return line.len >= 2 && *line.at == '(' && line.at[line.len - 1] == ')';
}

bool text_is_comment(struct slice line)
{
	return line.len > 0 &&
	       (*line.at == '#' || (line.len > 1 && line.at[0] == '/' && line.at[1] == '/'));
}

/* How many of the first lines have the most usual number of cells, if that is two or more. */
static int agreement(const char *data, size_t len, char separator)
{
	struct lex l = { data, data + len, 0 };
	int votes[LEX_CELLS + 1] = { 0 }, best = 0;
	struct slice line;
	struct cells c;
	bool cut;

	for (int i = 0; i < PROBE_LINES && lex_line(&l, &line, &cut);) {
		if (line.len == 0 || text_is_comment(line) || !lex_split(line, separator, &c))
			continue;
		votes[c.count]++;
		i++;
	}
	for (int n = 2; n <= LEX_CELLS; n++)
		if (votes[n] > votes[best] || best == 0)
			best = votes[n] ? n : best;
	return best ? votes[best] : 0;
}

char text_find_separator(const char *data, size_t len)
{
	static const char order[] = "\t;, ";
	char best = ',';
	int most = 0;

	for (const char *s = order; *s != '\0'; s++) {
		int n = agreement(data, len, *s);

		/* A blank is a separator only where nothing else is. */
		if (*s == ' ' ? most == 0 && n > 0 : n > most) {
			most = n;
			best = *s;
		}
	}
	return best;
}

static bool digits_comma_digits(struct slice s)
{
	struct decimal d;

	return memchr(s.at, ',', s.len) != NULL && memchr(s.at, '.', s.len) == NULL &&
	       decimal_read(s.at, s.len, ',', &d) > 0;
}

/* Commas inside cells are decimal where no cell has a point. */
char text_find_point(const char *data, size_t len, char separator)
{
	struct lex l = { data, data + len, 0 };
	int commas = 0, points = 0;
	struct slice line;
	struct cells c;
	bool cut;

	for (int i = 0; separator != ',' && i < PROBE_LINES && lex_line(&l, &line, &cut); i++) {
		struct decimal d;

		if (text_is_comment(line) || !lex_split(line, separator, &c))
			continue;
		for (int k = 0; k < c.count; k++) {
			struct slice s = c.cell[k];

			commas += digits_comma_digits(s);
			points += memchr(s.at, '.', s.len) != NULL &&
				  decimal_read(s.at, s.len, '.', &d) == s.len && s.len > 0;
		}
	}
	return commas > 0 && points == 0 ? ',' : '.';
}

bool text_is_serial(const char *data, size_t len)
{
	struct lex l = { data, data + len, 0 };
	struct slice line;
	bool cut;

	for (int i = 0; i < PROBE_LINES && lex_line(&l, &line, &cut); i++)
		if (memmem(line.at, line.len, " -> ", 4) != NULL &&
		    memchr(line.at, ':', line.len) != NULL)
			return true;
	return false;
}
