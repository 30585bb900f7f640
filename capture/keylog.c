/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/keylog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hex.h"
#include "lib/lex.h"
#include "lib/path.h"

static const char *const labels[KEYLOG_LABELS] = {
	[KEYLOG_MASTER] = "CLIENT_RANDOM",
	[KEYLOG_CLIENT_EARLY] = "CLIENT_EARLY_TRAFFIC_SECRET",
	[KEYLOG_CLIENT_HANDSHAKE] = "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
	[KEYLOG_SERVER_HANDSHAKE] = "SERVER_HANDSHAKE_TRAFFIC_SECRET",
	[KEYLOG_CLIENT_TRAFFIC] = "CLIENT_TRAFFIC_SECRET_0",
	[KEYLOG_SERVER_TRAFFIC] = "SERVER_TRAFFIC_SECRET_0",
};

/* false: no hexadecimal, or more than max bytes. */
static bool read_hex(struct slice text, uint8_t *dst, size_t max, size_t *bytes)
{
	*bytes = text.len / 2;
	return text.len % 2 == 0 && *bytes > 0 && *bytes <= max &&
	       hex_decode(text.at, *bytes, dst) == 0;
}

/* Not by realloc(): what it leaves behind would keep the secrets. */
static struct keylog_entry *new_entry(struct keylog *k, struct fail *f)
{
	if (k->count == k->room) {
		size_t room = k->room ? k->room * 2 : 64, old = k->room * sizeof(*k->entry);
		struct keylog_entry *entry = calloc(room, sizeof(*entry));

		if (!entry) {
			fail_set(f, ENOMEM, "no memory for %zu secrets", room);
			return NULL;
		}
		if (k->entry) {
			memcpy(entry, k->entry, old);
			explicit_bzero(k->entry, old);
		}
		free(k->entry);
		k->entry = entry;
		k->room = room;
	}
	return &k->entry[k->count];
}

static int label_of(struct slice word)
{
	for (int i = 0; i < KEYLOG_LABELS; i++)
		if (slice_equal(word, labels[i]))
			return i;
	return -1;
}

static int add_line(struct keylog *k, struct slice line, struct fail *f)
{
	struct keylog_entry *e = new_entry(k, f);
	struct cells c;
	size_t random_bytes;
	int label;

	if (!e)
		return -1;
	if (!lex_split(line, ' ', &c) || c.count != 3)
		return fail_set(f, EINVAL, "%d words; expected LABEL RANDOM SECRET", c.count);
	label = label_of(c.cell[0]);
	if (label < 0) {
		k->others++;
		return 0;
	}
	e->label = (enum keylog_label)label;
	if (!read_hex(c.cell[1], e->random, sizeof(e->random), &random_bytes) ||
	    random_bytes != KEYLOG_RANDOM_BYTES)
		return fail_set(f, EINVAL, "the client's random is not 64 hexadecimal digits");
	if (!read_hex(c.cell[2], e->secret, sizeof(e->secret), &e->secret_bytes))
		return fail_set(f, EINVAL,
				"the secret is not hexadecimal, or longer than 64 bytes");
	k->count++;
	k->sorted = false;
	return 0;
}

int keylog_add(struct keylog *k, const char *name, const char *text, size_t len, struct fail *f)
{
	struct lex l;
	struct slice line;
	bool cut;

	if (lex_init(&l, text, len, f) < 0)
		return fail_within(f, "%s", name);
	while (lex_line(&l, &line, &cut)) {
		line = slice_trim(line);
		if (line.len == 0 || *line.at == '#')
			continue;
		/* A last line without an end is being written still. */
		if (cut && add_line(k, line, &(struct fail){ 0 }) < 0)
			return 0;
		if (!cut && add_line(k, line, f) < 0)
			return fail_within(f, "%s, line %d", name, l.line);
	}
	return 0;
}

int keylog_read(struct keylog *k, const char *path, struct fail *f)
{
	struct buf text = { .secret = true };
	size_t before = k->count;
	int status = path_read(path, KEYLOG_BYTES_MAX, &text, f);

	if (status == 0)
		status = keylog_add(k, path, text.data ? text.data : "", text.len, f);
	buf_release(&text);
	for (size_t i = before; i < k->count; i++)
		k->entry[i].is_from_file = true;
	k->from_file += k->count - before;
	return status;
}

void keylog_release(struct keylog *k)
{
	if (k->entry)
		explicit_bzero(k->entry, k->room * sizeof(*k->entry));
	free(k->entry);
	*k = (struct keylog){ 0 };
}

static int by_key(const void *left, const void *right)
{
	const struct keylog_entry *l = left, *r = right;
	int order = memcmp(l->random, r->random, sizeof(l->random));

	return order ? order : (int)l->label - (int)r->label;
}

static int by_key_and_origin(const void *left, const void *right)
{
	const struct keylog_entry *l = left, *r = right;
	int order = by_key(left, right);

	return order ? order : r->is_from_file - l->is_from_file;
}

const struct keylog_entry *keylog_find(struct keylog *k, enum keylog_label label,
				       const uint8_t random[KEYLOG_RANDOM_BYTES])
{
	struct keylog_entry wanted = { .label = label };
	const struct keylog_entry *found;

	if (k->count == 0)
		return NULL;
	if (!k->sorted)
		qsort(k->entry, k->count, sizeof(*k->entry), by_key_and_origin);
	k->sorted = true;
	memcpy(wanted.random, random, sizeof(wanted.random));
	found = bsearch(&wanted, k->entry, k->count, sizeof(*k->entry), by_key);
	while (found && found > k->entry && by_key(found, found - 1) == 0)
		found--;
	k->found_from_file += found && found->is_from_file;
	return found;
}
