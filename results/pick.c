/* SPDX-License-Identifier: Apache-2.0 */
#include "results/pick.h"

#include <errno.h>
#include <string.h>

#include "lib/units.h"

struct named {
	const char *name;
	int64_t id;
};

static int match_campaign(int64_t id, const struct campaign *c, void *data)
{
	struct named *n = data;

	if (strcmp(c->name, n->name) == 0)
		n->id = id;
	return 0;
}

int64_t pick_campaign(struct store *s, const char *which, struct fail *f)
{
	struct named n = { .name = which };
	struct fail not_a_number = { 0 };
	int64_t id;

	if (!which)
		return store_newest_campaign(s, f);
	if (store_each_campaign(s, match_campaign, &n, f) < 0)
		return -1;
	if (n.id == 0 && units_integer(which, 1, INT64_MAX, &id, &not_a_number) == 0)
		return id;
	return n.id;
}

int command_load_report(const struct command *c, struct store *s, const char *which,
			struct report *r)
{
	struct fail f = { 0 };
	int64_t id = pick_campaign(s, which, &f);

	if (id == 0 && which)
		return command_fail(
			c, EXIT_USAGE,
			"no campaign \"%s\"; `cipherwatt report DB --list` shows what there is",
			which);
	if (id == 0)
		return command_fail(c, EXIT_FAILED, "the database holds no campaign yet");
	if (id < 0 || report_load(s, id, r, &f) < 0)
		return command_fail(c, f.code == ENOENT ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	return EXIT_RESULT;
}
