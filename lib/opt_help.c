/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt_help - the help of a command, made from its table.
 *
 * Lines of at most 80 columns, counted in UTF-8 characters.  Says nothing that
 * the parser does not do.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/opt.h"
#include "lib/units.h"

#define LINE_COLUMNS 80
#define HELP_COLUMN  28

static int columns_of(const char *text, size_t len)
{
	int columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

void opt_print_wrapped(FILE *out, const char *text, const char *end, int at, int indent)
{
	bool first = true;

	while (text < end) {
		size_t len;

		text += strspn(text, " \n");
		len = strcspn(text, " \n");
		if (text >= end || !len)
			break;
		if (!first && at + 1 + columns_of(text, len) > LINE_COLUMNS) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
		at += !first + columns_of(text, len);
		first = false;
		text += len;
	}
	fputc('\n', out);
}

static void print_paragraphs(FILE *out, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");

		if (!end)
			end = text + strlen(text);
		fputc('\n', out);
		opt_print_wrapped(out, text, end, 0, 0);
		text = end + strspn(end, "\n");
	}
}

static void print_examples(FILE *out, const char *text)
{
	fputs("\nExamples:\n", out);
	while (*text) {
		size_t len = strcspn(text, "\n");

		fprintf(out, "%s%.*s\n", len ? "  " : "", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static void format_limit(const struct opt *o, int64_t value, char *dst, size_t len)
{
	if (o->kind == OPT_DURATION)
		units_format_duration(value, dst, len);
	else if (o->kind == OPT_BYTES)
		units_format_bytes(value, dst, len);
	else
		snprintf(dst, len, "%" PRId64, value);
}

static void add_limits(const struct opt *o, struct buf *b)
{
	char low[32], high[32];

	format_limit(o, o->min, low, sizeof(low));
	format_limit(o, o->max, high, sizeof(high));
	if (o->max)
		buf_printf(b, "%s to %s", low, high);
	else if (o->min)
		buf_printf(b, "at least %s", low);
}

static void add_choices(const struct opt *o, struct buf *b)
{
	for (int i = 0; o->choices[i]; i++)
		buf_printf(b, "%s%s", i ? ", " : "", o->choices[i]);
}

/* " (500ms to 10s; default 5s)", or nothing. */
static void add_facts(const struct opt *o, struct buf *b)
{
	const char *between = " (";

	if (o->kind == OPT_CHOICE) {
		buf_puts(b, ": ");
		add_choices(o, b);
	}
	if (o->min || o->max) {
		buf_puts(b, between);
		add_limits(o, b);
		between = "; ";
	}
	if (o->kind == OPT_LIST) {
		buf_printf(b, "%smay be repeated", between);
		between = "; ";
	}
	if (o->preset) {
		buf_printf(b, "%sdefault %s", between, o->preset);
		between = "; ";
	}
	if (*between == ';')
		buf_puts(b, ")");
}

static void print_option(FILE *out, const struct opt *o)
{
	char left[120], letter[5] = "    ";
	struct buf right = { 0 };
	const char *text;
	int at;

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "  %s--%s%s%s", letter, o->name, o->metavar ? " " : "",
		 o->metavar ? o->metavar : "");
	buf_puts(&right, o->help);
	add_facts(o, &right);
	fputs(left, out);
	at = columns_of(left, strlen(left));
	if (at > HELP_COLUMN - 2) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - at, "");
	text = buf_text(&right);
	opt_print_wrapped(out, text, text + strlen(text), HELP_COLUMN, HELP_COLUMN);
	buf_release(&right);
}

void opt_print_help(FILE *out, const struct opt_usage *usage)
{
	struct opt help = { .name = "help", .letter = 'h', .help = "show this help and exit" };

	fprintf(out, "Usage: cipherwatt %s\n", usage->synopsis);
	print_paragraphs(out, usage->description ? usage->description : usage->summary);
	fputs("\nOptions:\n", out);
	for (const struct opt *o = usage->options; o->name; o++) {
		print_option(out, o);
		if (o->letter == 'h')
			help.letter = 0;
	}
	print_option(out, &help);
	if (usage->examples)
		print_examples(out, usage->examples);
}
