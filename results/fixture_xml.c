/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_xml - a strict walk over a page's tags, for tests. */
#include "results/fixture_xml.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32
#define NAMES_MAX 16

struct walk {
	const char *at;
	struct fail *fail;
	char open[DEPTH_MAX][16]; /* names of the elements around */
	int depth;
};

static int complain(struct walk *w, const char *what)
{
	return fail_set(w->fail, EBADMSG, "%s at \"%.60s\"", what, w->at);
}

static int read_name(struct walk *w, char name[16])
{
	size_t len = 0;

	while (isalnum((unsigned char)*w->at) || *w->at == '-' || *w->at == ':')
		if (len < 15)
			name[len++] = *w->at++;
		else
			return complain(w, "a long name");
	name[len] = '\0';
	return len ? 0 : complain(w, "no name");
}

static int read_entity(struct walk *w)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncmp(w->at, known[i], strlen(known[i])) == 0) {
			w->at += strlen(known[i]);
			return 0;
		}
	return complain(w, "a bare &");
}

static int read_value(struct walk *w)
{
	if (strncmp(w->at, "=\"", 2) != 0)
		return complain(w, "an unquoted attribute");
	w->at += 2;
	while (*w->at && *w->at != '"') {
		if (*w->at == '<')
			return complain(w, "a < in an attribute");
		if (*w->at != '&')
			w->at++;
		else if (read_entity(w) < 0)
			return -1;
	}
	if (!*w->at)
		return complain(w, "an open attribute");
	w->at++;
	return 0;
}

static int read_attributes(struct walk *w)
{
	char seen[NAMES_MAX][16];
	int count = 0;

	while (isspace((unsigned char)*w->at)) {
		w->at += strspn(w->at, " \n\t");
		if (*w->at == '/' || *w->at == '>')
			break;
		if (count == NAMES_MAX || read_name(w, seen[count]) < 0 || read_value(w) < 0)
			return complain(w, "a bad attribute");
		for (int i = 0; i < count; i++)
			if (strcmp(seen[i], seen[count]) == 0)
				return complain(w, "an attribute twice");
		count++;
	}
	return 0;
}

static int read_start(struct walk *w)
{
	char name[16];

	if (read_name(w, name) < 0 || read_attributes(w) < 0)
		return -1;
	if (strncmp(w->at, "/>", 2) == 0) {
		w->at += 2;
		return 0;
	}
	if (*w->at++ != '>' || w->depth == DEPTH_MAX)
		return complain(w, "a tag that does not end, or too deep");
	strcpy(w->open[w->depth++], name);
	return 0;
}

static int read_end(struct walk *w)
{
	char name[16];

	if (read_name(w, name) < 0 || *w->at++ != '>')
		return complain(w, "a bad end tag");
	if (w->depth == 0 || strcmp(w->open[--w->depth], name) != 0)
		return complain(w, "an end tag of another element");
	return 0;
}

static int read_next(struct walk *w)
{
	if (*w->at == '&')
		return read_entity(w);
	if (*w->at == '>')
		return complain(w, "a bare >");
	if (*w->at != '<') {
		w->at++;
		return 0;
	}
	w->at++;
	if (*w->at != '/')
		return read_start(w);
	w->at++;
	return read_end(w);
}

int fixture_xml_check(const char *text, struct fail *f)
{
	struct walk w = { .at = text, .fail = f };

	if (strncmp(text, "<!DOCTYPE", 9) == 0)
		w.at += strcspn(text, ">") + 1;
	while (*w.at)
		if (read_next(&w) < 0)
			return -1;
	return w.depth ? complain(&w, "an open element") : 0;
}

static const char *find(const char *text, const char *begin, int n)
{
	for (text = strstr(text, begin); text && n; n--)
		text = strstr(text + 1, begin);
	return text;
}

double fixture_xml_number(const char *text, const char *begin, int n, const char *name)
{
	const char *at = find(text, begin, n);
	const char *end = at ? strchr(at, '>') : NULL;
	char attribute[32];

	snprintf(attribute, sizeof(attribute), " %s=\"", name);
	at = at ? strstr(at, attribute) : NULL;
	return at && at < end ? strtod(at + strlen(attribute), NULL) : NAN;
}

int fixture_xml_count(const char *text, const char *begin)
{
	int n = 0;

	while (find(text, begin, n))
		n++;
	return n;
}
