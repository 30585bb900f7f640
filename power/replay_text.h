/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_text - what the files that read a text log share.
 */
#ifndef POWER_REPLAY_TEXT_H
#define POWER_REPLAY_TEXT_H

#include "power/replay_rows.h"

struct replay_reading {
	struct replay_rows rows;
	const struct replay_options *options;
	struct fail *fail;
	struct cells header, comment; /* comment: one that may be a header */
	int header_line, comment_line;
	bool has_header, has_comment, planned, fraction_is_ms;
	char separator, point;
	struct slice label;                /* of the first row */
	int said_meaning, said_provenance; /* by comments of our own CSV; -1 */
	bool said_gapless;
};

/* replay_guess.c: from the first lines. */
bool text_is_tuple(struct slice line);
bool text_is_comment(struct slice line);
char text_find_separator(const char *data, size_t len);
char text_find_point(const char *data, size_t len, char separator);
/* "20:38:05.040 -> Bus Voltage:   4.70 V" */
bool text_is_serial(const char *data, size_t len);

/* replay_cells.c: one row of a planned log into rows. */
int text_read_row(struct replay_reading *r, const struct cells *c, int line);

/* replay_serial.c: a serial monitor's blocks. */
int replay_serial_read(struct replay_reading *r, const char *data, size_t len);

/* replay_binary.c: byte 0xF1, the rate, then microjoules of each sample (MLPerf Tiny). */
bool replay_binary_is(const char *data, size_t len);
int replay_binary_read(struct trace *t, const char *data, size_t len, struct fail *f);

#endif
