/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_profile - what else hangs on the battery: a year of power, by the hour, the quarter or the
 * minute.
 *
 * A file of numbers in W, in order from the beginning of the year in the site's standard time, one
 * or many a line (SolBatSim writes an hour of minutes in each); lines that begin with # are left
 * out.
 */
#ifndef SOLAR_LOAD_PROFILE_H
#define SOLAR_LOAD_PROFILE_H

#include "solar/weather.h"

/*
 * Puts the profile into load_w of every row, as the mean over the row's time. A year of 365 days
 * serves any file: on 29 February the 28th comes again. -1: the line, or how many numbers there
 * are.
 */
int load_profile_open(struct weather *w, const char *path, struct fail *f);
int load_profile_parse(struct weather *w, const char *text, size_t len, struct fail *f);

#endif
