/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board - published power figures of boards, for the model meter: const rows with
 * their source, so that the one program that is copied to a board has them all.
 *
 * Sizing defaults, never measurements: sources differ by up to a factor of two.
 */
#ifndef POWER_BOARD_H
#define POWER_BOARD_H

#include <stdbool.h>

struct board {
	const char *name; /* "rpi-4b"; NULL ends the table */
	const char *title;
	int cores;
	int idle_mw, loaded_mw; /* 0: not published */
	int idle_min_mw, idle_max_mw, loaded_min_mw,
		loaded_max_mw; /* over the sources; 0: one source */
	const char *scope;     /* "wall", "board input", ... */
	const char *source;
};

extern const struct board boards[];
const struct board *board_by_name(const char *name);
bool board_has_watts(const struct board *b);

#endif
