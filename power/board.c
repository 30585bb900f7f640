/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board - the rows. Each figure as its source gives it, no averaging between sources; the
 * ranges span the average figures that other sources give for the same board.
 */
#include "power/board.h"

#include <stddef.h>
#include <string.h>

const struct board boards[] = {
	{
		.name = "orange-pi-pc",
		.title = "Orange Pi PC",
		.cores = 4,
		.source = "not published; Armbian only says that H3 boards draw rather little",
	},
	{
		.name = "orange-pi-zero-2w",
		.title = "Orange Pi Zero 2W",
		.cores = 4,
		.idle_mw = 1120,
		.loaded_mw = 2400,
		.scope = "wall",
		.source = "geerlingguy/sbc-reviews @968b675",
	},
	{
		.name = "rpi-2b",
		.title = "Raspberry Pi 2 Model B",
		.cores = 4,
		.idle_mw = 1200,
		.loaded_mw = 1900,
		.idle_min_mw = 1100,
		.idle_max_mw = 1200,
		.loaded_min_mw = 1900,
		.loaded_max_mw = 3800,
		.scope = "wall, six headless boards",
		.source = "geerlingguy/raspberry-pi-dramble#14",
	},
	{
		.name = "rpi-3b",
		.title = "Raspberry Pi 3 Model B",
		.cores = 4,
		.idle_mw = 1400,
		.loaded_mw = 3700,
		.idle_min_mw = 1400,
		.idle_max_mw = 1500,
		.loaded_min_mw = 3700,
		.loaded_max_mw = 4300,
		.scope = "scope not stated",
		.source = "pidramble power table",
	},
	{
		.name = "rpi-3b-plus",
		.title = "Raspberry Pi 3 Model B+",
		.cores = 4,
		.idle_mw = 1900,
		.loaded_mw = 5100,
		.idle_min_mw = 1900,
		.idle_max_mw = 3100,
		.loaded_min_mw = 5100,
		.loaded_max_mw = 5600,
		.scope = "scope not stated",
		.source = "pidramble power table",
	},
	{
		.name = "rpi-4b",
		.title = "Raspberry Pi 4 Model B",
		.cores = 4,
		.idle_mw = 1600,
		.loaded_mw = 5000,
		.idle_min_mw = 1600,
		.idle_max_mw = 3100,
		.loaded_min_mw = 5000,
		.loaded_max_mw = 7200,
		.scope = "wall",
		.source = "geerlingguy/sbc-reviews @968b675",
	},
	{
		.name = "rpi-5",
		.title = "Raspberry Pi 5",
		.cores = 4,
		.idle_mw = 2800,
		.loaded_mw = 9700,
		.idle_min_mw = 2800,
		.idle_max_mw = 3710,
		.loaded_min_mw = 7900,
		.loaded_max_mw = 13800,
		.scope = "wall",
		.source = "geerlingguy/sbc-reviews @968b675",
	},
	{
		.name = "rpi-zero-2w",
		.title = "Raspberry Pi Zero 2 W",
		.cores = 4,
		.idle_mw = 600,
		.scope = "board input, Otii Arc",
		.source = "cnx-software.com 2021-12-09; loaded not published",
	},
	{ .name = NULL },
};

const struct board *board_by_name(const char *name)
{
	for (const struct board *b = boards; b->name != NULL; b++)
		if (strcmp(b->name, name) == 0)
			return b;
	return NULL;
}

bool board_has_watts(const struct board *b)
{
	return b->idle_mw > 0 && b->loaded_mw > 0;
}
