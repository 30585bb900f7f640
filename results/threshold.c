/* SPDX-License-Identifier: Apache-2.0 */
/* threshold - a demand on a report's figures; the grammar stands in threshold.h. */
#include "results/threshold.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "results/figure.h"
#include "results/summary.h"

#define CANDIDATES_BYTES 400

struct finding {
	const char *wanted;
	struct threshold *found;
	bool exact;
	int matches;
	char names[CANDIDATES_BYTES];
};

static bool ends_so(const char *name, const char *end)
{
	size_t len = strlen(name), tail = strlen(end);

	return len > tail && name[len - tail - 1] == '.' && !strcmp(name + len - tail, end);
}

/* "server.requests_per_mwh" is "server.energy.requests_per_mwh", too. */
static bool fits(const char *name, const char *wanted)
{
	const char *dot = strchr(wanted, '.');

	return ends_so(name, wanted) || (dot && ends_so(name, dot + 1) &&
					 !strncmp(name, wanted, (size_t)(dot + 1 - wanted)));
}

/* What both sides have means the server's, unless it says "client.". */
static bool is_clients_twin(const char *name, const char *taken)
{
	return !strncmp(name, "client.", 7) && !strncmp(taken, "server.", 7) &&
	       !strcmp(name + 7, taken + 7);
}

static void take(struct finding *x, const char *name, const struct field *f, const void *base)
{
	snprintf(x->found->name, sizeof(x->found->name), "%s", name);
	x->found->field = f;
	x->found->place = (size_t)(uintptr_t)base;
}

static void consider(const char *name, const struct field *f, const void *base, void *data)
{
	struct finding *x = data;
	size_t used = strlen(x->names);

	if (f->kind == FIELD_TEXT || f->kind == FIELD_JSON || x->exact)
		return;
	x->exact = !strcmp(name, x->wanted);
	if (!x->exact && (!fits(name, x->wanted) || is_clients_twin(name, x->found->name)))
		return;
	take(x, name, f, base);
	x->matches++;
	snprintf(x->names + used, sizeof(x->names) - used, "%s%s", used ? ", " : "", name);
}

/* Offsets instead of addresses: the table is walked over no record at all, part by part. */
static void walk(struct finding *x)
{
	for (const struct field_part *p = summary_parts; p->fields; p++)
		for (const struct field *f = p->fields; f->name; f++) {
			char name[FIELD_NAME_BYTES];

			snprintf(name, sizeof(name), "%s%s", p->prefix, f->name);
			consider(name, f, (const void *)(uintptr_t)p->offset, x);
		}
}

static int find_field(struct threshold *t, char *name, struct fail *f)
{
	struct finding x = { .wanted = name, .found = t };
	char *dot = strrchr(name, '.');

	walk(&x);
	if (!x.matches && dot && (!strcmp(dot, ".lo") || !strcmp(dot, ".hi"))) {
		t->part = dot[1] == 'l' ? THRESHOLD_LOW : THRESHOLD_HIGH;
		*dot = '\0';
		walk(&x);
	}
	if (!x.matches)
		return fail_set(f, EINVAL,
				"no figure \"%s\": --format csv has the names in its first line, "
				"and the end of one will do",
				name);
	if (!x.exact && x.matches > 1)
		return fail_set(f, EINVAL, "\"%s\" could be %s: say more of the one that is meant",
				name, x.names);
	if (t->part != THRESHOLD_VALUE && t->field->kind != FIELD_INTERVAL)
		return fail_set(f, EINVAL, "%s has no interval, so no .lo and .hi", t->name);
	return 0;
}

static int read_cells(struct threshold *t, const char **text, struct fail *f)
{
	const char *end;

	if (**text != '(')
		return 0;
	end = strchr(*text, ')');
	if (!end)
		return fail_set(f, EINVAL, "\"(\" without \")\"");
	if (end == *text + 1)
		return fail_set(f, EINVAL,
				"no cells between \"(\" and \")\": leave them out for all");
	if ((size_t)(end - *text) >= sizeof(t->cells))
		return fail_set(f, EINVAL, "the cells take more than %zu bytes",
				sizeof(t->cells) - 1);
	snprintf(t->cells, sizeof(t->cells), "%.*s", (int)(end - *text - 1), *text + 1);
	*text = end + 1;
	return 0;
}

static int read_limit(struct threshold *t, const char *text, struct fail *f)
{
	text += strspn(text, " ");
	if (*text != '<' && *text != '>')
		return fail_set(f, EINVAL, "expected >, >=, < or <= where \"%s\" stands", text);
	t->above = *text++ == '>';
	t->equal = *text == '=';
	text += t->equal;
	return units_real(text + strspn(text, " "), &t->limit, f);
}

int threshold_read(struct threshold *t, const char *text, struct fail *f)
{
	char name[FIELD_NAME_BYTES];
	size_t len = strcspn(text, "(<>= ");
	const char *rest = text + len;

	memset(t, 0, sizeof(*t));
	if (len == 0 || len >= sizeof(name))
		return fail_set(f, EINVAL,
				"threshold \"%s\": expected FIGURE(CELLS)>NUMBER, such as "
				"\"server.requests_per_mwh(tls1.3:*)>500\"",
				text);
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	rest += strspn(rest, " ");
	if (find_field(t, name, f) < 0 || read_cells(t, &rest, f) < 0 || read_limit(t, rest, f) < 0)
		return fail_within(f, "threshold \"%s\"", text);
	return 0;
}

static bool matches(const char *patterns, const struct cell *c)
{
	char all[sizeof(((struct threshold *)NULL)->cells)], *save = NULL;

	if (!*patterns)
		return true;
	snprintf(all, sizeof(all), "%s", patterns);
	for (char *one = strtok_r(all, ",", &save); one; one = strtok_r(NULL, ",", &save))
		if (!fnmatch(one, c->name, 0) || !fnmatch(one, c->suite, 0))
			return true;
	return false;
}

static double value_of(const struct threshold *t, const struct cell_summary *c)
{
	const char *base = (const char *)c + t->place;
	const struct interval *i = (const void *)(base + t->field->offset);

	if (t->part == THRESHOLD_VALUE)
		return field_number(t->field, base);
	return t->part == THRESHOLD_LOW ? i->lo : i->hi;
}

static bool is_met(const struct threshold *t, double value)
{
	if (!isfinite(value))
		return false;
	if (value == t->limit)
		return t->equal;
	return t->above ? value > t->limit : value < t->limit;
}

static const char *source_of(const struct threshold *t, const struct cell_summary *c)
{
	const struct summary_energy *e = !strncmp(t->name, "server.energy.", 14) ? &c->server.energy
					 : !strncmp(t->name, "client.energy.", 14)
						 ? &c->client.energy
						 : NULL;

	return e && summary_is_modelled(e) ? e->source : "";
}

static void put_miss(const struct threshold *t, const struct cell_summary *c, double value,
		     struct buf *out)
{
	static const char *const parts[] = { "", ".lo", ".hi" };
	const char *source = source_of(t, c);
	char text[FIGURE_BYTES];

	figure_number(value, text);
	buf_printf(out, "%s: %s%s is %s%s%s%s, wanted %s%s %.9g\n", c->cell.name, t->name,
		   parts[t->part], isfinite(value) ? text : "not known", *source ? " (" : "",
		   source, *source ? ")" : "", t->above ? ">" : "<", t->equal ? "=" : "", t->limit);
}

int threshold_check(const struct threshold *t, const struct report *r, struct buf *out,
		    struct fail *f)
{
	int missed = 0;
	bool any = false;

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell_summary *c = &r->cell[i];
		double value;

		if (!matches(t->cells, &c->cell))
			continue;
		any = true;
		value = value_of(t, c);
		if (is_met(t, value))
			continue;
		put_miss(t, c, value, out);
		missed++;
	}
	if (!any)
		return fail_set(f, EINVAL, "no cell matches \"%s\"; the first is %s", t->cells,
				r->cells ? r->cell[0].cell.name : "none");
	return missed;
}
