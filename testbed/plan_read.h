/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_read - what the files that read a campaign share; nobody else includes it.
 */
#ifndef TESTBED_PLAN_READ_H
#define TESTBED_PLAN_READ_H

#include "lib/yaml.h"
#include "testbed/plan.h"

#define PLAN_CELLS_MAX 10000

/* One point of an axis: what was written, and what it says. */
struct choice {
	const struct yaml_node *at;
	char text[SUITE_TEXT_BYTES]; /* canonical */
	int64_t value;
	struct suite suite;
};

/* The values that one key of a group runs through. */
struct axis {
	struct choice *choice;
	int count, cap;
};

enum axis_of {
	AXIS_SUITE,
	AXIS_ENGINE,
	AXIS_SERVER,
	AXIS_PAYLOAD,
	AXIS_ENCODING,
	AXIS_CLIENTS,
	AXIS_CONNECTION,
	AXIS_WORKLOAD,
	AXIS_SETTINGS, /* one for each row of setting_rows[], from here on */
	AXES = AXIS_SETTINGS + SETTINGS_MAX
};

/* One group of `cells`, read but not yet multiplied. */
struct group_of_cells {
	const struct yaml_node *list[AXES]; /* NULL: the default */
	char client_engine[16];             /* "": the same as the server's */
	char payload_kind[16];
	struct axis axis[AXES];
};

#define PLAN_KEYS_MAX 64

/* A map's own keys and those of the settings; the settings of a workload are in a map of it. */
struct plan_keys {
	struct yaml_key key[PLAN_KEYS_MAX];
	struct yaml_key inner[SETTINGS_MAX + PLAN_KEYS_MAX];
	char map[PLAN_KEYS_MAX][16]; /* names of those maps */
};

/*
 * A key for each setting behind the own ones, of a const struct yaml_node * that is checked to be
 * one value or several, in an array at offset. Once: later calls do nothing.
 */
const struct yaml_key *plan_setting_keys(struct plan_keys *k, const struct yaml_key *own,
					 size_t offset);
/* The value at n, canonical; an error is noted. */
int plan_read_setting(struct yaml *y, int row, const struct yaml_node *n,
		      char dst[SETTING_TEXT_BYTES]);

/*
 * Fill g from one map of `cells`; what it does not set is p's usual. -1: errors were noted
 * in y.
 */
int group_read(struct group_of_cells *g, const struct plan *p, struct yaml *y,
	       const struct yaml_node *map);
void group_release(struct group_of_cells *g);

/* AXIS_SUITE from texts, or from a map of parts to be multiplied. */
int axis_read_suites(struct axis *a, struct yaml *y, const struct yaml_node *list);
/* Append a choice; one whose canonical text is there already is an error. */
int axis_add(struct axis *a, struct yaml *y, const struct choice *c);

/*
 * "identity", "gzip", "gzip:6", "gzip:6:once", and br and zstd likewise. -1 where it is none
 * of them.
 */
int encoding_parse(const char *text, struct encoding *e);

/*
 * One cell from one choice of each axis: named, its settings recorded, and whether it can run.
 * -1: its name or settings are longer than what keeps them, or there is no memory.
 */
int plan_fill_cell(struct plan *p, struct plan_cell *pc, const struct group_of_cells *g,
		   const struct choice *const at[AXES]);

/* testbed.root NULL: there is none. */
struct plan_files {
	struct yaml campaign, testbed;
};

/* Letters, digits, dots, dashes and underscores, at least one. */
bool plan_is_name(const char *text);
/* What they say of nodes, held together, and its defaults into p. Errors are noted in them. */
void plan_check_nodes(struct plan_files *files, struct plan *p);

/* What `until` says, into p; "" and 0 where it is not there. Errors are noted in y. */
void plan_check_until(struct plan *p, struct yaml *y, const char *ci_pct, int blocks_max);

/* Every group of the list `cells` into p->cell. -1: errors were noted in y. */
int plan_read_cells(struct plan *p, struct yaml *y, const struct yaml_node *cells);

#endif
