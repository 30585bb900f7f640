/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_limit - the least that full handshakes of suites can cost on this machine: their
 * primitives are measured here, each once for all suites, before anything else runs.
 *
 * Short: a limit is to stand beside a measured handshake, not to be published.
 */
#include <errno.h>
#include <string.h>

#include "ciphers/speed_limit.h"
#include "testbed/node_session.h"

/* What is asked for, as it came. */
struct wanted {
	const struct engine_ops *engine;
	struct suite suite;
	enum role role;
};

static int read_wanted(const json_t *one, enum role role, struct wanted *w, struct fail *f)
{
	const char *suite = json_string_value(json_array_get(one, 0));
	const char *engine = json_string_value(json_array_get(one, 1));

	if (!suite || !engine)
		return fail_set(f, EINVAL, "what is wanted is [suite, engine]");
	w->role = role;
	w->engine = engine_by_name(engine);
	return w->engine ? suite_parse(suite, &w->suite, f)
			 : fail_set(f, EINVAL, "there is no engine \"%.20s\" here", engine);
}

/* Only what this side does: its parts, not the other's. */
static int want(struct speed_book *b, const struct wanted *w, struct fail *f)
{
	struct limit l;

	if (speed_handshake_parts(&w->suite, w->role, &l, f))
		return -1;
	for (int i = 0; i < l.parts; i++)
		if (speed_book_want(b, w->engine, &l.part[i].what))
			return fail_set(f, ENOMEM, "no memory for the figures");
	return 0;
}

static void measure_all(struct node_session *n, struct speed_book *b)
{
	const struct speed_plan plan = { .batch_ns = NS_PER_MS,
					 .time_ns = 8 * NS_PER_MS,
					 .max_time_ns = 40 * NS_PER_MS,
					 .precision = 0.05,
					 .clock = speed_plan_usual.clock };
	int64_t said_ns = clock_ns();

	for (int i = 0; i < b->count; i++) {
		struct speed_figure *x = &b->figure[i];

		speed_measure(x->engine, &x->what, &plan, x); /* a failure is in the figure */
		if (clock_ns() < said_ns + NODE_ALIVE_NS)
			continue;
		node_say_alive(n);
		said_ns = clock_ns();
	}
}

static json_t *tell(const struct wanted *w, const struct speed_book *b)
{
	struct fail why = { 0 };
	struct limit l;

	if (speed_handshake_limit(&w->suite, w->engine, w->role, b, &l, &why))
		return json_pack("{s:s}", "error", why.text);
	return json_pack("{s:f, s:f}", "us", l.us, "cpu_us", l.cpu_us);
}

static int answer_all(struct node_session *n, const json_t *list, enum role role, json_t *answer,
		      struct fail *f)
{
	json_t *told = json_array(), *one;
	struct speed_book book = { 0 };
	struct fail ignored;
	struct wanted w;
	int status = 0;
	size_t i;

	json_object_set_new(answer, "limits", told);
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		ignored = (struct fail){ 0 };
		if (!status)
			status = read_wanted(one, role, &w, f);
		if (!status)
			want(&book, &w, &ignored); /* told below, with the reason */
	}
	if (!status)
		measure_all(n, &book);
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (!status && !read_wanted(one, role, &w, f))
			json_array_append_new(told, tell(&w, &book));
	}
	speed_book_release(&book);
	return status;
}

int node_limit(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	const char *role;
	json_t *list;

	if (node_unpack(request, f, "{s:s, s:o}", "role", &role, "suites", &list))
		return -1;
	if (n->usage)
		return fail_set(f, EBUSY, "a trial is being read: limits are measured before");
	if (strcmp(role, "server") && strcmp(role, "client"))
		return fail_set(f, EINVAL, "the role \"%.20s\" is neither server nor client", role);
	if (!json_is_array(list))
		return fail_set(f, EINVAL, "the suites are no list");
	return answer_all(n, list, strcmp(role, "server") ? CLIENT : SERVER, answer, f);
}
