/* SPDX-License-Identifier: Apache-2.0 */
/* access_when - times of day, days of the week and dates of a rule: read, and asked. */
#include <stdio.h>
#include <string.h>

#include "lib/calendar.h"
#include "workloads/access_compiled.h"

#define DAY_MINUTES 1440
#define DAY_S       86400
#define ALL_DAYS    0x7fu

static const char *const day_names[] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun", NULL };

/* --- reading -------------------------------------------------------------------- */

struct when_texts {
	const struct yaml_node *hours, *days;
	char from[16], until[16];
};

#define AT(FIELD)                                     \
	.offset = offsetof(struct when_texts, FIELD), \
	.size = sizeof(((struct when_texts *)0)->FIELD)

static const struct yaml_key when_keys[] = {
	{ "hours", YAML_TEXT, AT(hours), .list = true },
	{ "days", YAML_CHOICE, AT(days), .choices = day_names, .list = true },
	{ "from", YAML_TEXT, AT(from) },
	{ "until", YAML_TEXT, AT(until) },
	{ 0 },
};

/* "HH:MM", to 24:00. */
static bool read_minute(const char *text, int *minute)
{
	const char *end = text + strlen(text);
	int h, m;

	if (!calendar_read_digits(&text, end, 2, &h) || *text++ != ':' ||
	    !calendar_read_digits(&text, end, 2, &m) || m > 59)
		return false;
	*minute = h * 60 + m;
	return *minute <= DAY_MINUTES;
}

static void read_hours(struct access_policy *p, const struct yaml_node *at)
{
	struct hours h;

	if (strlen(at->text) != 11 || at->text[5] != '-' ||
	    !read_minute(at->text, &h.from_minute) || !read_minute(at->text + 6, &h.until_minute))
		yaml_error(&p->yaml, at, "\"%.40s\" are no hours; expected HH:MM-HH:MM", at->text);
	else if (h.from_minute == h.until_minute || h.from_minute == DAY_MINUTES)
		yaml_error(&p->yaml, at, "\"%s\" holds no minute; the whole day is 00:00-24:00",
			   at->text);
	else
		array_add(&p->hours, &h, sizeof h);
}

static void read_day(struct access_policy *p, const struct yaml_node *at, const char *text,
		     int64_t *day)
{
	const char *end = text + strlen(text), *behind = text;
	struct date d;

	if (!*text)
		return;
	if (calendar_read_date(&behind, end, &d) && behind == end)
		*day = calendar_days(d);
	else
		yaml_error(&p->yaml, at, "\"%s\" is no date; expected YEAR-MM-DD", text);
}

static unsigned read_days(const struct yaml_node *list)
{
	unsigned days = 0;

	for (const struct yaml_node *d = yaml_first(list); d; d = yaml_next(list, d))
		for (int i = 0; day_names[i]; i++)
			if (strcmp(day_names[i], d->text) == 0)
				days |= 1u << i;
	return days;
}

void access_read_when(struct access_policy *p, const struct yaml_node *at, struct when *w)
{
	struct when_texts t = { 0 };

	*w = (struct when){ .days = ALL_DAYS, .from_day = INT64_MIN, .until_day = INT64_MAX };
	w->hours.first = p->hours.count;
	if (!at || yaml_check(&p->yaml, at, when_keys, &t) != 0)
		return;
	for (const struct yaml_node *h = yaml_first(t.hours); h; h = yaml_next(t.hours, h))
		read_hours(p, h);
	w->hours.count = p->hours.count - w->hours.first;
	if (t.days)
		w->days = read_days(t.days);
	read_day(p, yaml_find(at, "from"), t.from, &w->from_day);
	read_day(p, yaml_find(at, "until"), t.until, &w->until_day);
	if (w->from_day > w->until_day)
		yaml_error(&p->yaml, yaml_find(at, "until"), "until %s is before from %s", t.until,
			   t.from);
}

void access_read_offset(struct access_policy *p, const struct yaml_node *at)
{
	int minute;

	if (!at || at->shape != YAML_SCALAR)
		return;
	if (strlen(at->text) != 6 || (at->text[0] != '+' && at->text[0] != '-') ||
	    !read_minute(at->text + 1, &minute) || minute > 14 * 60)
		yaml_error(&p->yaml, at,
			   "\"%.40s\" is no offset from UTC; expected +HH:MM or -HH:MM", at->text);
	else
		p->offset_s = (at->text[0] == '-' ? -60 : 60) * minute;
}

/* --- asking --------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static bool day_holds(const struct when *w, int64_t day)
{
	int weekday = (int)((day % 7 + 7 + 3) % 7); /* 1970-01-01 was a Thursday */

	return day >= w->from_day && day <= w->until_day && (w->days >> weekday & 1);
}

bool access_when_holds(const struct access_policy *p, const struct when *w, int64_t now_ms)
{
	int64_t local_s = floor_div(now_ms, 1000) + p->offset_s;
	int64_t day = floor_div(local_s, DAY_S);
	int minute = (int)((local_s - day * DAY_S) / 60);
	const struct hours *h = (const struct hours *)p->hours.item + w->hours.first;

	if (w->hours.count == 0)
		return day_holds(w, day);
	for (int i = 0; i < w->hours.count; i++, h++) {
		bool over_midnight = h->until_minute < h->from_minute;

		if (minute >= h->from_minute && (over_midnight || minute < h->until_minute) &&
		    day_holds(w, day))
			return true;
		if (over_midnight && minute < h->until_minute && day_holds(w, day - 1))
			return true;
	}
	return false;
}
