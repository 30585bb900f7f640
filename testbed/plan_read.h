/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_read - what the files that read a campaign share; nobody else includes it.
 */
#ifndef TESTBED_PLAN_READ_H
#define TESTBED_PLAN_READ_H

#include "testbed/plan.h"
#include "lib/yaml.h"

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
	AXES
};

/* One group of `cells`, read but not yet multiplied. */
struct group_of_cells {
	const struct yaml_node *list[AXES]; /* NULL: the default */
	char client_engine[16];             /* "": the same as the server's */
	char workload[16], payload_kind[16];
	struct axis axis[AXES];
};

/* Fill g from one map of `cells`. -1: errors were noted in y. */
int group_read(struct group_of_cells *g, struct yaml *y, const struct yaml_node *map);
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

/* Every group of the list `cells` into p->cell. -1: errors were noted in y. */
int plan_read_cells(struct plan *p, struct yaml *y, const struct yaml_node *cells);

#endif
