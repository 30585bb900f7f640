/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_timeline_lanes - the time to each step, a lane for each cell on one axis, and the table of
 * all steps: on the wire, inside the client, and how far these are apart.
 *
 * Steps are numbered as in the table; what stands too close together shares a number.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/figure.h"
#include "results/html_text.h"
#include "results/report.h"
#include "results/report_timeline.h"

#define US_PER_MS   1e3
#define LINE_PX     17
#define MARK_PX     16
#define LANE_PX     46 /* below its two lines of text */
#define AXIS_PX     40
#define PLOT_PCT    94.0
#define APART_PCT   9.0 /* of two numbers on a phone */
#define TICKS_MAX   4
#define LANES_MAX   60
#define FIGURE_ID   "wire-steps"
#define DESCRIPTION "When each step of an association was over, medians, from the first packet on."

static double number(const json_t *step, const char *key)
{
	const json_t *value = json_object_get(step, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* On the wire; of a step that cannot be seen there, inside the client. */
static double step_us(const json_t *step)
{
	double us = number(step, "wire_us");

	return isfinite(us) ? us : number(step, "engine_us");
}

static const json_t *steps_of(const struct report_timeline *t)
{
	return json_object_get(t->sample, "steps");
}

/* Of at least half the associations: the others (a first full handshake) are in the table only. */
static bool is_drawn(const struct report_timeline *t, const json_t *step)
{
	return isfinite(step_us(step)) && 2 * number(step, "n") >= number(t->sample, "complete");
}

static size_t lanes(const struct report *r)
{
	return r->timelines < LANES_MAX ? r->timelines : LANES_MAX;
}

static double end_us(const struct report *r)
{
	double end = 0;

	for (size_t i = 0; i < lanes(r); i++) {
		const struct report_timeline *t = &r->timeline[i];
		const json_t *step;
		size_t j;

		json_array_foreach((json_t *)(uintptr_t)steps_of(t), j, step)
		{
			if (is_drawn(t, step))
				end = fmax(end, step_us(step));
		}
	}
	return end > 0 ? end : 1;
}

/* 0 the client's, 1 the server's, 2 inside the client only: colours and the legend's order. */
static int kind_of(const json_t *step)
{
	const char *from = json_string_value(json_object_get(step, "from"));

	if (!isfinite(number(step, "wire_us")))
		return 2;
	return from && !strcmp(from, "server");
}

/* --- the picture ------------------------------------------------------------ */

static void put_number(struct buf *out, double x_pct, size_t from, size_t to, int y)
{
	if (from == to)
		buf_printf(out, "<text class=\"tick\" x=\"%.3f%%\" y=\"%d\">%zu</text>\n", x_pct, y,
			   from);
	else
		buf_printf(out, "<text class=\"tick\" x=\"%.3f%%\" y=\"%d\">%zu-%zu</text>\n",
			   x_pct, y, from, to);
}

static void put_marks(const struct report_timeline *t, double scale, int y, struct buf *out)
{
	double first_pct = -APART_PCT;
	size_t i, from = 0;
	const json_t *step;

	json_array_foreach((json_t *)(uintptr_t)steps_of(t), i, step)
	{
		double x_pct = step_us(step) * scale;

		if (!is_drawn(t, step))
			continue;
		buf_printf(out,
			   "<rect class=\"bar step s%d\" x=\"%.3f%%\" y=\"%d\" width=\"2\" "
			   "height=\"%d\"/>",
			   kind_of(step), x_pct, y, MARK_PX);
		if (from && x_pct - first_pct < APART_PCT)
			continue;
		if (from)
			put_number(out, first_pct, from, i, y + MARK_PX + 14);
		first_pct = x_pct;
		from = i + 1;
	}
	if (from)
		put_number(out, first_pct, from, json_array_size(steps_of(t)), y + MARK_PX + 14);
}

static void put_text(struct buf *out, const char *class, int y, const char *text)
{
	buf_printf(out, "<text class=\"%s\" x=\"0\" y=\"%d\">", class, y + LINE_PX - 4);
	html_text(out, text);
	buf_puts(out, "</text>\n");
}

static void put_lane(const struct report *r, const struct report_timeline *t, double scale, int y,
		     struct buf *out)
{
	const struct cell *c = &r->cell[t->cell].cell;
	char detail[256];

	report_detail(r, c, NULL, detail, sizeof(detail));
	put_text(out, "label", y, c->suite);
	put_text(out, "detail", y + LINE_PX, detail);
	y += 2 * LINE_PX;
	buf_printf(out, "<line class=\"axis\" x1=\"0\" x2=\"%.3f%%\" y1=\"%d\" y2=\"%d\"/>\n",
		   PLOT_PCT, y + MARK_PX / 2, y + MARK_PX / 2);
	put_marks(t, scale, y, out);
}

/* A whole number of 1, 2 or 5 times a power of ten. */
static double tick_step(double end)
{
	double power = pow(10, floor(log10(end / TICKS_MAX)));

	for (int i = 0; i < 3; i++)
		if ((const double[]){ 1, 2, 5 }[i] * power * TICKS_MAX >= end)
			return (const double[]){ 1, 2, 5 }[i] * power;
	return 10 * power;
}

static void put_ticks(double end_ms, int height, struct buf *out)
{
	double step = tick_step(end_ms);

	for (int i = 0; i * step <= end_ms; i++) {
		double x = i * step / end_ms * PLOT_PCT;

		buf_printf(out,
			   "<line class=\"axis\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" "
			   "y2=\"%d\"/><text class=\"tick\" x=\"%.3f%%\" y=\"%d\" "
			   "text-anchor=\"%s\">%.9g</text>\n",
			   x, x, height, x, height + 16, i ? "middle" : "start", i * step);
	}
	buf_printf(out, "<text class=\"tick\" x=\"0\" y=\"%d\">ms from the first packet</text>\n",
		   height + 33);
}

static void put_picture(const struct report *r, struct buf *out)
{
	int lane_px = 2 * LINE_PX + LANE_PX, height = (int)lanes(r) * lane_px;
	double end = end_us(r);

	buf_printf(out,
		   "<svg role=\"img\" width=\"100%%\" height=\"%d\" aria-labelledby=\"" FIGURE_ID
		   "-t " FIGURE_ID "-d\"><title id=\"" FIGURE_ID
		   "-t\">Time to each step, ms</title><desc id=\"" FIGURE_ID "-d\">" DESCRIPTION
		   "</desc>\n",
		   height + AXIS_PX);
	put_ticks(end / US_PER_MS, height, out);
	for (size_t i = 0; i < lanes(r); i++)
		put_lane(r, &r->timeline[i], PLOT_PCT / end, (int)i * lane_px, out);
	buf_puts(out, "</svg>\n");
}

/* --- the table ----------------------------------------------------------------- */

static void put_value(struct buf *out, double value)
{
	char text[FIGURE_BYTES];

	figure_number(value, text);
	buf_printf(out, "<td class=\"n\">%s</td>", text);
}

static void put_row(size_t index, const json_t *step, struct buf *out)
{
	const char *name = json_string_value(json_object_get(step, "step"));
	const char *from = json_string_value(json_object_get(step, "from"));

	buf_printf(out, "<tr><td class=\"n\">%zu</td><td>", index + 1);
	html_text(out, name ? name : "");
	buf_puts(out, "</td><td>");
	html_text(out, from ? from : "");
	buf_puts(out, "</td>");
	put_value(out, number(step, "wire_us") / US_PER_MS);
	put_value(out, number(step, "wire_p95_us") / US_PER_MS);
	put_value(out, number(step, "engine_us") / US_PER_MS);
	put_value(out, number(step, "difference_us"));
	buf_puts(out, "</tr>\n");
}

static void put_agreement(const struct report_timeline *t, struct buf *out)
{
	const json_t *a = json_object_get(t->sample, "agreement");
	const char *hidden = json_string_value(json_object_get(t->sample, "unobserved"));
	char error[FIGURE_BYTES];

	buf_printf(out, "<p class=\"faint\">%lld of %lld associations complete.",
		   (long long)json_integer_value(json_object_get(t->sample, "complete")),
		   (long long)json_integer_value(json_object_get(t->sample, "seen")));
	if (json_is_object(a)) {
		figure_number(number(a, "error_us"), error);
		buf_printf(out,
			   " Of %lld messages stamped inside the client and seen on the wire, %lld "
			   "lie further apart than the stamps' stated error (median %s us).",
			   (long long)json_integer_value(json_object_get(a, "compared")),
			   (long long)json_integer_value(json_object_get(a, "beyond")), error);
	}
	if (hidden) {
		buf_puts(out, " The client's engine hides: ");
		html_text(out, hidden);
		buf_byte(out, '.');
	}
	buf_puts(out, "</p>\n");
}

static void put_table(const struct report *r, const struct report_timeline *t, struct buf *out)
{
	const struct cell *c = &r->cell[t->cell].cell;
	const json_t *step;
	char detail[256];
	size_t i;

	report_detail(r, c, NULL, detail, sizeof(detail));
	buf_puts(out, "<p><b>");
	html_suite(out, c->suite);
	buf_puts(out, "</b> ");
	html_text(out, detail);
	buf_puts(out, "</p>\n");
	put_agreement(t, out);
	html_wide(out, c->suite);
	buf_puts(out, "<table><thead><tr><th scope=\"col\">no.</th><th scope=\"col\">step</th><th "
		      "scope=\"col\">from</th>"
		      "<th scope=\"col\" class=\"n\">wire ms</th><th scope=\"col\" class=\"n\">p95 "
		      "ms</th>"
		      "<th scope=\"col\" class=\"n\">client ms</th><th scope=\"col\" "
		      "class=\"n\">difference us</th></tr>"
		      "</thead><tbody>\n");
	json_array_foreach((json_t *)(uintptr_t)steps_of(t), i, step)
	{
		put_row(i, step, out);
	}
	buf_puts(out, "</tbody></table></div>\n");
}

void report_timeline_lanes(const struct report *r, struct buf *out)
{
	static const char *const kinds[] = { "from the client", "from the server",
					     "seen inside the client only" };

	buf_puts(out, "<figure id=\"" FIGURE_ID "\"><figcaption><h3>Time to each step</h3><p>" //
		 DESCRIPTION " Numbers are those of the table. Inside the client times count "
		      "from connect(); the difference is of the same message on one clock.");
	if (r->timelines > LANES_MAX)
		buf_printf(out, " The first %d cells are drawn.", LANES_MAX);
	buf_puts(out, "</p>\n<p>");
	for (int i = 0; i < 3; i++)
		buf_printf(out, "<span class=\"key s%d\"></span>%s", i, kinds[i]);
	buf_puts(out, "</p></figcaption>\n");
	put_picture(r, out);
	buf_puts(out, "<details><summary>Table: Time to each step</summary>\n");
	for (size_t i = 0; i < r->timelines; i++)
		put_table(r, &r->timeline[i], out);
	buf_puts(out, "</details></figure>\n");
}
