/* SPDX-License-Identifier: Apache-2.0 */
/*
 * psk_file - lines of IDENTITY=BASE64 to a table of pre-shared keys.
 */
#include "ciphers/psk_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/path.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* which some editors put in front of UTF-8 */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* An identity is sent as it stands here: one that cannot be seen is a slip. */
static int read_identity(const char *text, size_t len, struct psk *row, struct fail *f)
{
	if (!len)
		return fail_set(f, EINVAL, "no identity before '=': expected IDENTITY=BASE64");
	if (len > PSK_IDENTITY_MAX)
		return fail_set(f, EINVAL,
				"the identity \"%.30s...\" has %zu bytes: expected up to %d", text,
				len, PSK_IDENTITY_MAX);
	if (is_blank(text[0]) || is_blank(text[len - 1]))
		return fail_set(f, EINVAL,
				"the identity \"%.*s\" begins or ends with a blank: write "
				"IDENTITY=BASE64 without any",
				(int)len, text);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return fail_set(f, EINVAL,
					"byte %zu of the identity is the control character 0x%02x",
					i + 1, (unsigned char)text[i]);
	memcpy(row->identity, text, len);
	return 0;
}

/* Never quoted in a message. */
static int read_key(const char *text, size_t len, struct psk *row, struct fail *f)
{
	struct buf key = { .secret = true };
	int ret;

	ret = base64_decode(text, len, &key, f);
	if (ret)
		fail_within(f, "the key of \"%s\"", row->identity);
	else if (key.len < PSK_BYTES_MIN || key.len > PSK_BYTES_MAX)
		ret = fail_set(f, EINVAL,
			       "the key of \"%s\" has %zu bytes: expected %d to %d, for a strength "
			       "of at least 128 bits",
			       row->identity, key.len, PSK_BYTES_MIN, PSK_BYTES_MAX);
	if (!ret) {
		memcpy(row->key, key.data, key.len);
		row->key_bytes = key.len;
	}
	buf_release(&key);
	return ret;
}

static int read_line(const char *line, size_t len, struct psk_table *t, struct fail *f)
{
	const char *equals = memchr(line, '=', len);
	struct psk row = { 0 };
	size_t name = equals ? (size_t)(equals - line) : 0;
	int ret;

	if (!equals)
		return fail_set(f, EINVAL, "no '=': expected IDENTITY=BASE64");
	ret = read_identity(line, name, &row, f) || read_key(equals + 1, len - name - 1, &row, f)
		      ? -1
		      : 0;
	if (!ret && psk_table_add(t, &row))
		ret = fail_set(f, ENOMEM, "no memory for the keys");
	explicit_bzero(&row, sizeof(row));
	return ret;
}

static int read_lines(const char *text, size_t len, struct psk_table *t, struct fail *f)
{
	const char *end = text + len, *line, *next;

	for (int number = 1; text < end; number++, text = next) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		line = text;
		next = stop ? stop + 1 : end;
		stop = stop ? stop : end;
		while (stop > line && is_blank(stop[-1]))
			stop--;
		if (stop == line || *line == '#')
			continue;
		if (read_line(line, (size_t)(stop - line), t, f))
			return fail_within(f, "line %d", number);
	}
	return 0;
}

static int check(struct psk_table *t, struct fail *f)
{
	const char *twice;

	if (!t->rows)
		return fail_set(f, EINVAL, "no key in it: expected lines IDENTITY=BASE64");
	if (psk_table_sort(t))
		return fail_set(f, ENOMEM, "no memory for the keys");
	twice = psk_table_double(t);
	if (!twice)
		return 0;
	return fail_set(f, EINVAL, "the identity \"%s\" stands there twice: leave one of them",
			twice);
}

int psk_file_parse(const char *text, size_t len, const char *path, struct psk_table *t,
		   struct fail *f)
{
	size_t mark = sizeof(BYTE_ORDER_MARK) - 1;
	bool marked = len >= mark && memcmp(text, BYTE_ORDER_MARK, mark) == 0;

	*t = (struct psk_table){ 0 };
	if (!read_lines(marked ? text + mark : text, marked ? len - mark : len, t, f) &&
	    !check(t, f))
		return 0;
	psk_table_release(t);
	return fail_within(f, "%s", path);
}

int psk_file_read(const char *path, struct psk_table *t, struct fail *f)
{
	struct buf text = { .secret = true };
	int ret;

	*t = (struct psk_table){ 0 };
	ret = path_read(path, PSK_FILE_BYTES_MAX, &text, f);
	if (!ret)
		ret = psk_file_parse(text.data, text.len, path, t, f);
	buf_release(&text);
	return ret;
}
