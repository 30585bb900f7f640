/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting - what a cell may set of its server and of its load: one row each, and nothing
 * else anywhere.
 *
 * A row is a key of a group of `cells`, where several values make an axis, and of `request`, where
 * one value holds for every group. Kind, range, choices and help are those of the options
 * of `serve` and `load` that take it, so they are written once. The record has all that
 * are set, in the cell's object `settings`.
 */
#ifndef TESTBED_SETTING_H
#define TESTBED_SETTING_H

#include <jansson.h>

#include "clients/load.h"
#include "lib/buf.h"
#include "lib/fail.h"
#include "lib/opt.h"
#include "servers/server.h"

struct plan_cell;

enum setting_side { SETTING_SERVE, SETTING_LOAD, SETTING_SIDES };

/* A word of a campaign that is not the option's own, or an option on one side only. */
struct setting_value {
	const char *text;                /* NULL ends the list */
	const char *word[SETTING_SIDES]; /* whole option without dashes; NULL: none */
	int64_t number[SETTING_SIDES];   /* for the places */
};

/* A member of struct server_params or load_params, so that other programs' rows can refuse it. */
struct setting_place {
	size_t offset, size; /* size 0: none */
	bool real;
};

struct setting {
	/*
	 * NULL ends the table. "access.model" is the key `model` in the map `access`: it is of
	 * that workload alone. Rows of one workload stand together.
	 */
	const char *key;
	const char *field;                 /* in the record, with its unit */
	const char *option[SETTING_SIDES]; /* without dashes; NULL: that side takes none */
	const char *preset;                /* as a campaign writes it; NULL: the program's own */
	const char *help;                  /* NULL: the option's */
	const struct setting_value *values;
	/* For an option of kind text: what it must be, as a number. NULL: any text. */
	int (*read)(const char *text, int64_t *number, struct fail *f);
	struct setting_place place[SETTING_SIDES];
	bool own_client; /* means nothing to another load generator: it is not told */
	/* NULL, or why the cell, which has it set, cannot be run so. */
	const char *(*refuses)(const struct plan_cell *c, const char *text);
};

#define SETTINGS_MAX 40
extern const struct setting setting_rows[];
/* Rows of setting_rows[]. */
int settings_count(void);
/* Whether cells of this workload can have it. */
bool setting_is_of(const struct setting *s, const char *workload);
/* -1: there is none. */
int setting_index(const char *key);
const char *setting_help(const struct setting *s);

#define SETTING_TEXT_BYTES 128
/*
 * A value as a campaign writes it to its canonical text: "1000ms" is "1s". -1: not one, with
 * what was expected.
 */
int setting_read(const struct setting *s, const char *text, char dst[SETTING_TEXT_BYTES],
		 struct fail *f);

/* "--streams=4" of a canonical value; false: that side takes no word for it. */
bool setting_word(const struct setting *s, enum setting_side side, const char *text,
		  struct buf *word);
/* Into the struct server_params or load_params. */
void setting_store(const struct setting *s, enum setting_side side, const char *text, void *params);
/* A new value for the record: numbers in their base units. */
json_t *setting_json(const struct setting *s, const char *text);

/* 131072 is 128KiB, and 128000 is 128kB although it is 125KiB too. */
void setting_put_bytes(struct buf *out, int64_t bytes);

/* What the cell has set for this key; NULL: nothing. */
const char *setting_of(const struct plan_cell *c, const char *key);
bool setting_is(const struct plan_cell *c, const char *key, const char *value);

#endif
