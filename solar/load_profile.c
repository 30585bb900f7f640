/* SPDX-License-Identifier: Apache-2.0 */
#include "solar/load_profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calendar.h"
#include "lib/path.h"
#include "solar/weather_reader.h"

#define HOURS_PER_YEAR 8760
#define VALUES_MAX     ((size_t)HOURS_PER_YEAR * 3600)
#define LOAD_W_MAX     1e9

struct values {
	double *w;
	size_t count, room;
};

static int add(struct values *v, double w, struct fail *f)
{
	if (!(w >= 0 && w <= LOAD_W_MAX))
		return fail_set(f, EINVAL, "%g is no load; expected W, not negative", w);
	if (v->count == VALUES_MAX)
		return fail_set(f, EINVAL, "more numbers than seconds in a year");
	if (v->count == v->room) {
		size_t room = v->room ? v->room * 2 : HOURS_PER_YEAR;
		double *more = reallocarray(v->w, room, sizeof(*more));

		if (!more)
			return fail_set(f, ENOMEM, "no memory for %zu numbers", room);
		v->w = more;
		v->room = room;
	}
	v->w[v->count++] = w;
	return 0;
}

static char separator_of(struct slice line)
{
	if (memchr(line.at, ';', line.len))
		return ';';
	return memchr(line.at, ',', line.len) ? ',' : ' ';
}

static int add_line(struct values *v, struct slice line, struct fail *f)
{
	struct cells c;

	if (!lex_split(line, separator_of(line), &c))
		return fail_set(f, EINVAL, "more than %d numbers in a line", LEX_CELLS);
	for (int i = 0; i < c.count; i++) {
		double w;

		if (weather_number(c.cell[i], "load", &w, f) < 0 || add(v, w, f) < 0)
			return -1;
	}
	return 0;
}

static int read_values(struct values *v, const char *text, size_t len, struct fail *f)
{
	struct lex l;
	struct slice line;
	bool cut;

	if (lex_init(&l, text, len, f) < 0)
		return -1;
	while (lex_line(&l, &line, &cut)) {
		line = slice_trim(line);
		if (line.len > 0 && *line.at != '#' && add_line(v, line, f) < 0)
			return fail_within(f, "line %d", l.line);
	}
	if (v->count == 0 || v->count % HOURS_PER_YEAR != 0 ||
	    3600 % (v->count / HOURS_PER_YEAR) != 0)
		return fail_set(
			f, EINVAL,
			"%zu numbers; expected a year of them: 8760 hours, or so many times a "
			"divisor of 3600 (525600 minutes)",
			v->count);
	return 0;
}

/* Of local standard time; 29 February is the 28th again. */
static size_t second_of_year(const struct weather *w, int64_t time_s)
{
	int64_t local_s = time_s + w->zone_minutes * 60;
	int64_t rest_s = (local_s % 86400 + 86400) % 86400;
	struct date d = calendar_date((local_s - rest_s) / 86400);

	if (d.month == 2 && d.day == 29)
		d.day = 28;
	/* A year without a leap day numbers the days. */
	d.year = 2001;
	return (size_t)((calendar_days(d) - calendar_days((struct date){ 2001, 1, 1 })) * 86400 +
			rest_s);
}

/* The mean over the row's time, or the value that holds in it where rows are shorter. */
static double mean_of(const struct values *v, size_t at_s, int32_t step_s)
{
	size_t width_s = (size_t)HOURS_PER_YEAR * 3600 / v->count;
	size_t first = at_s / width_s, last = (at_s + (size_t)step_s - 1) / width_s;
	double sum = 0;

	for (size_t i = first; i <= last; i++)
		sum += v->w[i % v->count];
	return sum / (double)(last - first + 1);
}

int load_profile_parse(struct weather *w, const char *text, size_t len, struct fail *f)
{
	struct values v = { 0 };
	int status = read_values(&v, text, len, f);

	for (size_t i = 0; i < w->rows && status == 0; i++)
		w->row[i].load_w = mean_of(&v, second_of_year(w, w->row[i].start_s), w->step_s);
	free(v.w);
	return status;
}

int load_profile_open(struct weather *w, const char *path, struct fail *f)
{
	struct buf text = { 0 };
	int status = path_read(path, WEATHER_BYTES_MAX, &text, f);

	if (status == 0) {
		status = load_profile_parse(w, text.data ? text.data : "", text.len, f);
		if (status < 0)
			fail_within(f, "%s", path);
	}
	buf_release(&text);
	return status;
}
