/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml - a YAML file as a tree that knows every line and column, and its check
 * against a const table of keys.
 *
 * All errors of a file are collected and reported at once. The subset is what a
 * campaign needs: one document of maps, lists and one-line texts; anchors, aliases
 * and tags are refused by a sentence. Only yaml.c knows the library that parses.
 */
#ifndef LIB_YAML_H
#define LIB_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"

#define YAML_BYTES_MAX (256 * 1024)

enum yaml_shape { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_shape shape;
	int line, column;            /* from 1; columns count characters */
	const char *text;            /* of a scalar, "" when empty; NULL for the others */
	char *owned;                 /* what text points to, where it was copied */
	int64_t value;               /* a number or choice, once yaml_check() has read it */
	const struct yaml_node *key; /* in a map */
	struct yaml_node *parent, *child, *last, *next;
	int children;
	bool broken; /* reported already: not to be looked at */
	struct yaml_node *made_before;
};

struct yaml_error {
	int line, column; /* 0: of the file as a whole */
	int order;        /* as they were found */
	char *text;
};

struct yaml {
	const char *file;       /* borrowed: until yaml_close() */
	struct buf text;        /* the file as it is */
	struct yaml_node *root; /* NULL when it could not be parsed */
	struct yaml_node *made;
	struct yaml_error *error;
	int errors,
		kept; /* found; of these kept, those beyond YAML_ERRORS_MAX being counted only */
};

#define YAML_ERRORS_MAX 100

/* -1: not readable, too large, not UTF-8 or not YAML, with errors that say which and where. */
int yaml_open(struct yaml *y, const char *file);
/* The same with a text that is at hand; name is what errors call it. */
int yaml_open_text(struct yaml *y, const char *name, const char *text);
void yaml_close(struct yaml *y);

/* Note an error at a node (NULL: the file). Always -1. Control characters become '?'. */
int yaml_error(struct yaml *y, const struct yaml_node *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same at a place without a node; line 0: the file. */
int yaml_note(struct yaml *y, int line, int column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* So many errors that looking for more is of no use. */
bool yaml_gave_up(const struct yaml *y);

/*
 * Append every error in the order of the file, "FILE:LINE:COLUMN: what" and a line
 * end each. Returns 0, or -1 when there was any.
 */
int yaml_report(struct yaml *y, struct buf *out);

/* --- the tree ------------------------------------------------------------- */

/* The value of a key, or NULL; map may be NULL or no map. */
const struct yaml_node *yaml_find(const struct yaml_node *map, const char *key);
/* "a list", "a map of keys and values", "nothing", "a single value": for messages. */
const char *yaml_shape_text(const struct yaml_node *n);
/* One value may stand for a list: the first of a list, or the scalar itself. */
const struct yaml_node *yaml_first(const struct yaml_node *n);
/* The one behind it, or NULL; n is where yaml_first() began. */
const struct yaml_node *yaml_next(const struct yaml_node *n, const struct yaml_node *item);

/* --- the check ------------------------------------------------------------ */

enum yaml_kind {
	YAML_TEXT,     /* char[size] */
	YAML_INTEGER,  /* int64_t, or int where size says so */
	YAML_DURATION, /* int64_t ns */
	YAML_BYTES,    /* int64_t */
	YAML_CHOICE,   /* char[size]: one of choices */
	YAML_TABLE,    /* a struct described by keys */
	YAML_NODE      /* const struct yaml_node *: whatever it is, for the caller to read */
};

struct yaml_key {
	const char *name; /* NULL ends the table */
	enum yaml_kind kind;
	size_t offset, size;
	int64_t min, max;           /* numbers; both 0: any */
	const char *const *choices; /* ends with NULL */
	const char *preset;         /* as a user would write it; NULL: what is there stays */
	bool required;
	bool empty; /* a text may be empty */
	bool list;  /* one value or several of the kind: const struct yaml_node *, values checked */
	const struct yaml_key *keys;
};

/* Give everything in *into its preset, tables within included. */
void yaml_preset(const struct yaml_key *keys, void *into);

/*
 * Read a map by its table. Unknown keys (with the nearest name), keys given twice,
 * missing ones, wrong shapes, units, ranges and choices are noted; what is right is
 * stored all the same. Sets no presets. Returns -1 when something was noted.
 */
int yaml_check(struct yaml *y, const struct yaml_node *map, const struct yaml_key *keys,
	       void *into);

/* Note that a word is none of names (ends with NULL): the nearest, or all. Always -1. */
int yaml_unknown(struct yaml *y, const struct yaml_node *at, const char *what, const char *word,
		 const char *const *names);

#endif
