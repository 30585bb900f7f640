/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart - connections drawn as lanes on one time axis, a mark for each message, as SVG.
 *
 * Keeps the first CHART_LANES_MAX complete connections; how many more there were is written
 * below them. Knows nothing of captures.
 */
#ifndef CAPTURE_CHART_H
#define CAPTURE_CHART_H

#include "capture/connection.h"
#include "lib/fail.h"

#define CHART_LANES_MAX 40
#define CHART_MARKS_MAX 24

struct chart_mark {
	char name[48];
	bool is_client;
	int64_t t_ns; /* since the first ClientHello's first byte */
};

struct chart_lane {
	char label[320];
	struct chart_mark mark[CHART_MARKS_MAX];
	int mark_count;
	int64_t handshake_ns;
};

struct chart {
	struct chart_lane *lane; /* CHART_LANES_MAX of them; NULL until the first */
	int lane_count;
	uint64_t left_out; /* complete, but there was no lane left */
};

void chart_add(struct chart *c, const struct connection *connection);
int chart_write(const struct chart *c, const char *path, struct fail *f);
void chart_release(struct chart *c);

#endif
