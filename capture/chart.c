/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart - one lane a connection: a bar for the handshake, the client's messages above it
 * and the server's below; the name of each mark shows on pointing at it.
 */
#include "capture/chart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/suite_name.h"
#include "lib/buf.h"
#include "lib/path.h"

#define WIDTH       960
#define LEFT        12
#define PLOT_WIDTH  (WIDTH - 2 * LEFT)
#define LANE_HEIGHT 56
#define TOP         44
#define MODE        0644

static void label_lane(struct chart_lane *lane, const struct connection *c)
{
	char version[16], suite[SUITE_NAME_BYTES] = "-", ends[2][64];
	int client = connection_client(c);

	connection_version(c, version, sizeof(version));
	if (c->has_suite)
		suite_name(c->suite, suite, sizeof(suite));
	connection_endpoint(c, client, ends[0], sizeof(ends[0]));
	connection_endpoint(c, !client, ends[1], sizeof(ends[1]));
	snprintf(lane->label, sizeof(lane->label), "%s %s, %s to %s, %.3f ms", version, suite,
		 ends[0], ends[1], (double)lane->handshake_ns / 1e6);
}

void chart_add(struct chart *c, const struct connection *connection)
{
	int64_t handshake_ns = connection_handshake_ns(connection);
	struct chart_lane *lane;

	if (handshake_ns == TIME_NONE)
		return;
	if (!c->lane)
		c->lane = calloc(CHART_LANES_MAX, sizeof(*c->lane));
	if (!c->lane || c->lane_count == CHART_LANES_MAX) {
		c->left_out++;
		return;
	}
	lane = &c->lane[c->lane_count++];
	lane->handshake_ns = handshake_ns;
	label_lane(lane, connection);
	for (int i = 0; i < connection->message_count && lane->mark_count < CHART_MARKS_MAX; i++) {
		const struct message *m = &connection->message[i];
		struct chart_mark *mark = &lane->mark[lane->mark_count];

		mark->t_ns = m->time_ns - connection->first_hello_ns;
		if (!m->is_handshake || mark->t_ns < 0 || mark->t_ns > handshake_ns)
			continue;
		mark->is_client = m->from == connection_client(connection);
		message_long_name(connection, m, mark->name, sizeof(mark->name));
		lane->mark_count++;
	}
}

void chart_release(struct chart *c)
{
	free(c->lane);
	memset(c, 0, sizeof(*c));
}

static int64_t longest_of(const struct chart *c)
{
	int64_t longest_ns = 1;

	for (int i = 0; i < c->lane_count; i++)
		if (c->lane[i].handshake_ns > longest_ns)
			longest_ns = c->lane[i].handshake_ns;
	return longest_ns;
}

static double place(int64_t t_ns, int64_t longest_ns)
{
	return LEFT + PLOT_WIDTH * ((double)t_ns / (double)longest_ns);
}

static void draw_mark(struct buf *b, const struct chart_mark *m, int y, int64_t longest_ns)
{
	double x = place(m->t_ns, longest_ns);

	buf_printf(b,
		   "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\">"
		   "<title>%s %.3f ms</title></line>\n",
		   m->is_client ? "client" : "server", x, x, m->is_client ? y : y + 10,
		   m->is_client ? y + 10 : y + 20, m->name, (double)m->t_ns / 1e6);
}

static void draw_lane(struct buf *b, const struct chart_lane *lane, int y, int64_t longest_ns)
{
	buf_printf(b, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT, y + 12, lane->label);
	buf_printf(b, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"2\"/>\n", LEFT, y + 29,
		   place(lane->handshake_ns, longest_ns) - LEFT);
	for (int i = 0; i < lane->mark_count; i++)
		draw_mark(b, &lane->mark[i], y + 20, longest_ns);
}

static void draw(const struct chart *c, struct buf *b)
{
	int height = TOP + (c->lane_count + 1) * LANE_HEIGHT;
	int64_t longest_ns = longest_of(c);

	buf_printf(b,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
		   "<title>Handshake timeline</title>\n"
		   "<style>svg{font:12px sans-serif;background:#fff}text{fill:#222}rect{fill:#999}"
		   "line{stroke-width:3}.client{stroke:#0b62a4}.server{stroke:#c2410c}</style>\n"
		   "<text x=\"%d\" y=\"18\">Complete handshakes from the first ClientHello, axis 0 "
		   "to %.3f ms; client above the line (blue), server below (orange)</text>\n",
		   WIDTH, height, LEFT, (double)longest_ns / 1e6);
	for (int i = 0; i < c->lane_count; i++)
		draw_lane(b, &c->lane[i], TOP + i * LANE_HEIGHT, longest_ns);
	buf_printf(b, "<text x=\"%d\" y=\"%d\">%d drawn, %llu more not drawn</text>\n</svg>\n",
		   LEFT, height - LANE_HEIGHT / 2, c->lane_count, (unsigned long long)c->left_out);
}

int chart_write(const struct chart *c, const char *path, struct fail *f)
{
	struct buf b;
	int status;

	buf_init(&b, 0);
	draw(c, &b);
	status = b.failed ? fail_set(f, ENOMEM, "no memory for the picture")
			  : path_write(path, b.data, b.len, MODE, f);
	buf_release(&b);
	return status;
}
