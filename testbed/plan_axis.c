/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_axis - the lists of one group of a campaign: each value checked, written
 * canonically, and no value twice.
 *
 * Must not know how cells are named or multiplied.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/load.h"
#include "servers/adapter.h"
#include "testbed/plan_read.h"
#include "workloads/compress.h"
#include "workloads/workload.h"

#define AXIS_MAX  1000
#define NAMES_MAX 128

/* Engines that a build may leave out are no mistake in a campaign. */
static const char *const engine_names[] = { "null", "openssl", "wolfssl", NULL };
static const char *const payload_kinds[] = { "json", "text", "random", NULL };

#define LIST(NAME, AXIS) .name = (NAME), .offset = offsetof(struct group_of_cells, list[AXIS])
#define WORD(NAME, FIELD)                                                 \
	.name = (NAME), .offset = offsetof(struct group_of_cells, FIELD), \
	.size = sizeof(((struct group_of_cells *)0)->FIELD)

static const struct yaml_key group_keys[] = {
	{ LIST("suites", AXIS_SUITE), .kind = YAML_NODE, .required = true },
	{ LIST("engines", AXIS_ENGINE), .kind = YAML_CHOICE, .list = true,
	  .choices = engine_names },
	{ WORD("client_engine", client_engine), .kind = YAML_CHOICE, .choices = engine_names },
	{ LIST("servers", AXIS_SERVER), .kind = YAML_CHOICE, .list = true,
	  .choices = server_adapter_names },
	{ LIST("workload", AXIS_WORKLOAD), .kind = YAML_TEXT, .list = true },
	{ LIST("payloads", AXIS_PAYLOAD), .kind = YAML_BYTES, .list = true, .min = 0,
	  .max = 256 << 20 },
	{ WORD("payload_kind", payload_kind), .kind = YAML_CHOICE, .choices = payload_kinds,
	  .preset = "json" },
	{ LIST("encodings", AXIS_ENCODING), .kind = YAML_TEXT, .list = true },
	{ LIST("clients", AXIS_CLIENTS), .kind = YAML_INTEGER, .list = true, .min = 1,
	  .max = 10000 },
	{ LIST("connections", AXIS_CONNECTION), .kind = YAML_NODE },
	{ 0 },
};

/* What an axis is where the group says nothing. */
static const struct choice preset[AXES] = {
	[AXIS_ENGINE] = { .text = "openssl" },
	[AXIS_SERVER] = { .text = "builtin" },
	[AXIS_PAYLOAD] = { .text = "512", .value = 512 },
	[AXIS_ENCODING] = { .text = "identity" },
	[AXIS_CLIENTS] = { .text = "8", .value = 8 },
	[AXIS_CONNECTION] = { .text = "full" },
	[AXIS_WORKLOAD] = { .text = "page" },
};

/* --- an axis -------------------------------------------------------------- */

static int axis_grow(struct axis *a)
{
	int cap = a->cap ? a->cap * 2 : 8;
	struct choice *grown = realloc(a->choice, (size_t)cap * sizeof(*grown));

	if (!grown)
		return -1;
	a->choice = grown;
	a->cap = cap;
	return 0;
}

int axis_add(struct axis *a, struct yaml *y, const struct choice *c)
{
	for (int i = 0; i < a->count; i++)
		if (!strcmp(a->choice[i].text, c->text))
			return yaml_error(y, c->at, "%s is in this list already, at %d:%d", c->text,
					  a->choice[i].at->line, a->choice[i].at->column);
	if (a->count >= AXIS_MAX)
		return yaml_error(y, c->at, "more than %d values in a list", AXIS_MAX);
	if (a->count >= a->cap && axis_grow(a))
		return yaml_error(y, c->at, "no memory left to read it");
	a->choice[a->count++] = *c;
	return 0;
}

/* --- encodings ------------------------------------------------------------ */

/* What is meant where no level is written: the libraries' own defaults for gzip and zstd, and
 * what servers use for br. */
static const int usual_level[APP_ENCODINGS] = { [APP_GZIP] = 6, [APP_BROTLI] = 5, [APP_ZSTD] = 3 };

/* "br" up to a colon. */
static enum app_encoding read_coding(const char *text, size_t len)
{
	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++) {
		const char *name = app_encoding_name((enum app_encoding)e);

		if (strlen(name) == len && !memcmp(name, text, len))
			return (enum app_encoding)e;
	}
	return APP_IDENTITY;
}

int encoding_parse(const char *text, struct encoding *e)
{
	size_t len = strcspn(text, ":");
	int level_max;
	char *end;

	*e = (struct encoding){ .coding = read_coding(text, len) };
	if (e->coding == APP_IDENTITY)
		return strcmp(text, "identity") ? -1 : 0;
	e->level = usual_level[e->coding];
	if (!text[len])
		return 0;
	compress_refuses(e->coding, &level_max);
	if (text[len + 1] < '1' || text[len + 1] > '9')
		return -1;
	e->level = (int)strtol(text + len + 1, &end, 10);
	e->once = !strcmp(end, ":once");
	return e->level <= level_max && (e->once || !*end) ? 0 : -1;
}

static int read_encoding(struct yaml *y, struct choice *c)
{
	struct encoding e;

	if (encoding_parse(c->at->text, &e))
		return yaml_error(
			y, c->at,
			"encodings: unknown encoding \"%.60s\"; expected identity, gzip, "
			"gzip:1 to gzip:9, br:1 to br:11, zstd:1 to zstd:22, or gzip:6:once "
			"(compressed once and kept)",
			c->at->text);
	if (e.coding)
		snprintf(c->text, sizeof(c->text), "%s:%d%s", app_encoding_name(e.coding), e.level,
			 e.once ? ":once" : "");
	else
		snprintf(c->text, sizeof(c->text), "identity");
	return 0;
}

/* --- connections ---------------------------------------------------------- */

/* "resume: 80%" is a map of one pair, and may be written "resume:80" too. */
static int read_connection(struct yaml *y, struct choice *c)
{
	const struct yaml_node *n = c->at, *share = n->shape == YAML_MAP ? n->child : NULL;
	char text[2 * CONNECTION_TEXT_BYTES];
	enum connection_mode mode;
	struct fail f = { 0 };
	size_t len;

	if (n->broken)
		return -1;
	if (share && !share->next && share->text)
		snprintf(text, sizeof(text), "%.30s:%.30s", share->key->text, share->text);
	else if (n->text)
		snprintf(text, sizeof(text), "%.60s", n->text);
	else
		return yaml_error(y, n,
				  "connections: expected full, keepalive, keepalive:N, resume or "
				  "resume: 80%%, found %s",
				  yaml_shape_text(n));
	len = strlen(text);
	if (len && text[len - 1] == '%' && !strncmp(text, "resume:", strlen("resume:")))
		text[len - 1] = '\0';
	if (connection_parse(text, &mode, &c->value, &f))
		return yaml_error(y, share ? share : n, "connections: %s", f.text);
	connection_format(mode, c->value, c->text);
	return 0;
}

/* The key's value is a list, one of them, or the one pair that is one of them. */
static int read_connections(struct axis *a, struct yaml *y, const struct yaml_node *list)
{
	const struct yaml_node *n = list->shape == YAML_LIST ? list->child : list;
	int status = 0;

	if (!n)
		return yaml_error(y, list,
				  "connections: the list is empty; expected at least one value");
	for (; n; n = list->shape == YAML_LIST ? n->next : NULL) {
		struct choice c = { .at = n };

		if (read_connection(y, &c) || axis_add(a, y, &c))
			status = -1;
	}
	return status;
}

/* --- settings ------------------------------------------------------------- */

static struct yaml_key setting_key(int row, const char *name, size_t offset)
{
	return (struct yaml_key){ .name = name,
				  .kind = YAML_TEXT,
				  .list = true,
				  .offset = offset + (size_t)row * sizeof(void *) };
}

/* Rows from `row` on of one workload into k->inner; returns the first row behind them. */
static int put_map(struct plan_keys *k, int map, struct yaml_key **inner, int row, size_t offset)
{
	const char *dot = strchr(setting_rows[row].key, '.');
	int len = (int)(dot - setting_rows[row].key);

	snprintf(k->map[map], sizeof(k->map[map]), "%.*s", len, setting_rows[row].key);
	k->key[map] = (struct yaml_key){ .name = k->map[map], .kind = YAML_TABLE, .keys = *inner };
	for (; row < settings_count() && strchr(setting_rows[row].key, '.') &&
	       setting_is_of(&setting_rows[row], k->map[map]);
	     row++)
		*(*inner)++ = setting_key(row, setting_rows[row].key + len + 1, offset);
	(*inner)++; /* a last one that is empty */
	return row;
}

const struct yaml_key *plan_setting_keys(struct plan_keys *k, const struct yaml_key *own,
					 size_t offset)
{
	struct yaml_key *inner = k->inner;
	int n = 0, row = 0;

	if (k->key[0].name)
		return k->key;
	for (; own[n].name; n++)
		k->key[n] = own[n];
	for (; row < settings_count() && n < PLAN_KEYS_MAX - 1; n++) {
		if (strchr(setting_rows[row].key, '.')) {
			row = put_map(k, n, &inner, row, offset);
			continue;
		}
		k->key[n] = setting_key(row, setting_rows[row].key, offset);
		row++;
	}
	return k->key;
}

int plan_read_setting(struct yaml *y, int row, const struct yaml_node *n,
		      char dst[SETTING_TEXT_BYTES])
{
	struct fail f = { 0 };

	if (!setting_read(&setting_rows[row], n->text, dst, &f))
		return 0;
	return yaml_error(y, n, "%s: %s", setting_rows[row].key, f.text);
}

/* --- a group -------------------------------------------------------------- */

static int check_workload(struct yaml *y, const struct choice *c)
{
	const char *names[NAMES_MAX] = { 0 };

	for (int i = 0; workloads[i] && i < NAMES_MAX - 1; i++) {
		names[i] = workloads[i]->name;
		if (!strcmp(names[i], c->text))
			return 0;
	}
	return yaml_unknown(y, c->at, "workload", c->text, names);
}

static int read_choice(struct yaml *y, enum axis_of of, struct choice *c)
{
	if (of >= AXIS_SETTINGS)
		return plan_read_setting(y, (int)of - AXIS_SETTINGS, c->at, c->text);
	if (of == AXIS_ENCODING)
		return read_encoding(y, c);
	if (of == AXIS_PAYLOAD || of == AXIS_CLIENTS)
		snprintf(c->text, sizeof(c->text), "%" PRId64, c->value);
	else
		snprintf(c->text, sizeof(c->text), "%s", c->at->text);
	return of == AXIS_WORKLOAD ? check_workload(y, c) : 0;
}

/* What a group that does not say it has; "" for a setting that is left to the program. */
static struct choice usual_choice(const struct plan *p, enum axis_of of)
{
	struct choice c = of < AXIS_SETTINGS ? preset[of] : (struct choice){ 0 };
	const char *usual = of < AXIS_SETTINGS ? NULL : p->usual[of - AXIS_SETTINGS];

	if (usual)
		snprintf(c.text, sizeof(c.text), "%s", usual);
	return c;
}

static int read_axis(struct group_of_cells *g, const struct plan *p, struct yaml *y,
		     const struct yaml_node *map, enum axis_of of)
{
	const struct yaml_node *list = g->list[of], *n;
	struct choice c = usual_choice(p, of);
	int status = 0;

	if (!list) {
		c.at = map;
		return axis_add(&g->axis[of], y, &c);
	}
	if (of == AXIS_CONNECTION)
		return read_connections(&g->axis[of], y, list);
	for (n = yaml_first(list); n; n = yaml_next(list, n)) {
		c = (struct choice){ .at = n, .value = n->value };
		if (read_choice(y, of, &c) || axis_add(&g->axis[of], y, &c))
			status = -1;
	}
	return status;
}

static bool has_workload(const struct group_of_cells *g, const struct setting *s)
{
	const struct axis *a = &g->axis[AXIS_WORKLOAD];

	for (int i = 0; i < a->count; i++)
		if (setting_is_of(s, a->choice[i].text))
			return true;
	return false;
}

/* A map of a workload that no cell of the group has. */
static int check_maps(const struct group_of_cells *g, struct yaml *y)
{
	int status = 0;

	for (int i = 0; i < settings_count(); i++) {
		const struct setting *s = &setting_rows[i];

		if (g->list[AXIS_SETTINGS + i] && !has_workload(g, s))
			status = yaml_error(y, g->list[AXIS_SETTINGS + i],
					    "%s: no cell of this group has workload: %.*s", s->key,
					    (int)strcspn(s->key, "."), s->key);
	}
	return status;
}

int group_read(struct group_of_cells *g, const struct plan *p, struct yaml *y,
	       const struct yaml_node *map)
{
	static struct plan_keys all;
	const struct yaml_key *keys = plan_setting_keys(
		&all, group_keys, offsetof(struct group_of_cells, list[AXIS_SETTINGS]));
	int status;

	*g = (struct group_of_cells){ 0 };
	yaml_preset(keys, g);
	status = yaml_check(y, map, keys, g);
	if (g->list[AXIS_SUITE] && axis_read_suites(&g->axis[AXIS_SUITE], y, g->list[AXIS_SUITE]))
		status = -1;
	if (status) /* values that are no values must not be reported twice */
		return -1;
	for (int of = AXIS_ENGINE; of < AXIS_SETTINGS + settings_count(); of++)
		if (read_axis(g, p, y, map, (enum axis_of)of))
			status = -1;
	return check_maps(g, y) ? -1 : status;
}

void group_release(struct group_of_cells *g)
{
	for (int of = 0; of < AXES; of++)
		free(g->axis[of].choice);
	*g = (struct group_of_cells){ 0 };
}
