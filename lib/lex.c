/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex - cuts text. It must not decide which separator or encoding is right.
 */
#include "lib/lex.h"

#include <errno.h>
#include <string.h>

int lex_init(struct lex *l, const char *data, size_t len, struct fail *f)
{
	const char *zero;
	int line = 1;

	if (len >= 2 && (memcmp(data, "\xFF\xFE", 2) == 0 || memcmp(data, "\xFE\xFF", 2) == 0))
		return fail_set(f, EINVAL,
				"line 1: the text is UTF-16; expected UTF-8: convert it first "
				"(iconv -f UTF-16 -t UTF-8)");
	if (len >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
		data += 3;
		len -= 3;
	}
	zero = memchr(data, '\0', len);
	if (zero != NULL) {
		for (const char *p = data; p < zero; p++)
			line += *p == '\n';
		return fail_set(f, EINVAL, "line %d: a zero byte: this is no text", line);
	}
	*l = (struct lex){ data, data + len, 0 };
	return 0;
}

struct slice slice_trim(struct slice s)
{
	while (s.len > 0 && (*s.at == ' ' || *s.at == '\t' || *s.at == '\r')) {
		s.at++;
		s.len--;
	}
	while (s.len > 0 &&
	       (s.at[s.len - 1] == ' ' || s.at[s.len - 1] == '\t' || s.at[s.len - 1] == '\r'))
		s.len--;
	return s;
}

bool slice_equal(struct slice s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

bool lex_line(struct lex *l, struct slice *line, bool *cut)
{
	const char *begin = l->at, *stop = begin;

	if (begin >= l->end)
		return false;
	while (stop < l->end && *stop != '\n' && *stop != '\r')
		stop++;
	*line = (struct slice){ begin, (size_t)(stop - begin) };
	*cut = stop == l->end;
	if (stop < l->end) {
		if (*stop == '\r' && stop + 1 < l->end && stop[1] == '\n')
			stop++;
		stop++;
	}
	l->at = stop;
	l->line++;
	/* Tabs at the ends may be empty cells. */
	while (line->len > 0 && *line->at == ' ') {
		line->at++;
		line->len--;
	}
	while (line->len > 0 && line->at[line->len - 1] == ' ')
		line->len--;
	return true;
}

static struct slice unquote(struct slice s)
{
	if (s.len >= 2 && (*s.at == '"' || *s.at == '\'') && s.at[s.len - 1] == *s.at)
		return slice_trim((struct slice){ s.at + 1, s.len - 2 });
	return s;
}

/* Where the cell that begins at `at` ends: a separator outside quotes. */
static const char *cell_end(const char *at, const char *end, char separator)
{
	char quote = 0;

	for (; at < end; at++) {
		if (quote != 0)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"')
			quote = *at;
		else if (*at == separator || (separator == ' ' && *at == '\t'))
			return at;
	}
	return end;
}

bool lex_split(struct slice line, char separator, struct cells *c)
{
	const char *at, *end;

	if (line.len >= 2 && *line.at == '(' && line.at[line.len - 1] == ')')
		line = (struct slice){ line.at + 1, line.len - 2 };
	at = line.at;
	end = line.at + line.len;
	c->count = 0;
	while (at <= end) {
		const char *stop = cell_end(at, end, separator);
		struct slice cell = slice_trim((struct slice){ at, (size_t)(stop - at) });

		at = stop + 1;
		if (separator == ' ' && cell.len == 0)
			continue;
		if (cell.len == 0 && stop == end && c->count > 0)
			break;
		if (c->count == LEX_CELLS)
			return false;
		c->cell[c->count++] = unquote(cell);
	}
	return true;
}
