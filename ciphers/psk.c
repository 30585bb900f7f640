/* SPDX-License-Identifier: Apache-2.0 */
/*
 * psk - tables of pre-shared keys, and whose key an association uses. It knows no library
 * and no file.
 */
#include "ciphers/psk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "ciphers/engine.h"

#define ROWS_FIRST 16

/* --- the table ------------------------------------------------------------ */

int psk_table_add(struct psk_table *t, const struct psk *row)
{
	/* Full at each power of two: the struct needs no field for its capacity. */
	if (t->rows == 0 || (t->rows >= ROWS_FIRST && !(t->rows & (t->rows - 1)))) {
		size_t cap = t->rows ? t->rows * 2 : ROWS_FIRST;
		struct psk *more = calloc(cap, sizeof(*more));

		if (!more)
			return -1;
		if (t->rows) {
			memcpy(more, t->row, t->rows * sizeof(*more));
			explicit_bzero(t->row, t->rows * sizeof(*more));
		}
		free(t->row);
		t->row = more;
	}
	free(t->by_name);
	t->by_name = NULL;
	t->row[t->rows++] = *row;
	return 0;
}

static int compare(const void *a, const void *b, void *table)
{
	const struct psk_table *t = table;

	return strcmp(t->row[*(const uint32_t *)a].identity, t->row[*(const uint32_t *)b].identity);
}

int psk_table_sort(struct psk_table *t)
{
	free(t->by_name);
	t->by_name = calloc(t->rows + 1, sizeof(*t->by_name));
	if (!t->by_name)
		return -1;
	for (size_t i = 0; i < t->rows; i++)
		t->by_name[i] = (uint32_t)i;
	qsort_r(t->by_name, t->rows, sizeof(*t->by_name), compare, t);
	return 0;
}

const struct psk *psk_table_find(const struct psk_table *t, const char *identity)
{
	size_t low = 0, high = t->rows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct psk *row = &t->row[t->by_name[middle]];
		int order = strcmp(identity, row->identity);

		if (!order)
			return row;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const char *psk_table_double(const struct psk_table *t)
{
	for (size_t i = 1; i < t->rows; i++) {
		const char *name = t->row[t->by_name[i]].identity;

		if (!strcmp(name, t->row[t->by_name[i - 1]].identity))
			return name;
	}
	return NULL;
}

void psk_table_release(struct psk_table *t)
{
	if (t->row)
		explicit_bzero(t->row, t->rows * sizeof(*t->row));
	free(t->row);
	free(t->by_name);
	*t = (struct psk_table){ 0 };
}

/* --- an association's ----------------------------------------------------- */

static size_t give(const uint8_t *from, size_t len, uint8_t *key, size_t max)
{
	if (len > max)
		return 0;
	memcpy(key, from, len);
	return len;
}

const char *psk_client_identity(const struct assoc *a)
{
	return a->psk ? a->psk->identity : a->domain->params.psk_identity;
}

size_t psk_client_key(const struct assoc *a, uint8_t *key, size_t max)
{
	const struct tls_params *p = &a->domain->params;

	return a->psk ? give(a->psk->key, a->psk->key_bytes, key, max)
		      : give(p->psk_key, p->psk_key_bytes, key, max);
}

/* Of the length that others have: a length shows in no message, but it does in time. */
static size_t nobodys_key(const struct tls_params *p, uint8_t *key, size_t max)
{
	size_t len = p->psk_table ? p->psk_table->row[0].key_bytes : p->psk_key_bytes;

	return len <= max && getrandom(key, len, 0) == (ssize_t)len ? len : 0;
}

size_t psk_server_key(const struct assoc *a, const char *identity, uint8_t *key, size_t max)
{
	const struct tls_params *p = &a->domain->params;
	const struct psk *row =
		p->psk_table && identity ? psk_table_find(p->psk_table, identity) : NULL;
	/* Drawn for known ones too: so it takes no longer for others. */
	size_t len = nobodys_key(p, key, max);

	if (row)
		return give(row->key, row->key_bytes, key, max);
	if (!p->psk_table && identity && !strcmp(identity, p->psk_identity))
		return give(p->psk_key, p->psk_key_bytes, key, max);
	return len;
}
