/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_maker - for tests: logs given as text, read with the keys of a METER text.
 */
#ifndef POWER_REPLAY_MAKER_H
#define POWER_REPLAY_MAKER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/path.h"
#include "power/energy.h"
#include "power/replay.h"

/* -1: refused, the reason in f. */
static inline int replay_try(const char *keys, const char *data, size_t len, struct trace *t,
			     struct fail *f)
{
	struct replay_options o;
	struct args a;

	*f = (struct fail){ 0 };
	*t = (struct trace){ 0 };
	replay_options_init(&o);
	if (args_init(&a, keys, f) != 0 || replay_options_read(&o, &a) != 0 || args_finish(&a) != 0)
		return -1;
	return replay_read(t, &o, data, len, f);
}

static inline struct trace replay_text(const char *keys, const char *text)
{
	struct fail f;
	struct trace t;

	if (replay_try(keys, text, strlen(text), &t, &f) != 0)
		fail_msg("%s: %s", keys, f.text);
	return t;
}

static inline void replay_refuses(const char *keys, const char *text, const char *word)
{
	struct fail f;
	struct trace t;

	if (replay_try(keys, text, strlen(text), &t, &f) == 0)
		fail_msg("not refused (should say \"%s\"): %s", word, text);
	if (strstr(f.text, word) == NULL)
		fail_msg("\"%s\" should say \"%s\"", f.text, word);
}

/* Joules of the whole trace. */
static inline double replay_joules(const struct trace *t, enum gap_policy policy, struct energy *e)
{
	struct fail f = { 0 };
	int64_t from_ns, to_ns;

	if (energy_span(t, &from_ns, &to_ns) != 0)
		fail_msg("%zu samples: no span", t->count);
	if (energy_window(t, from_ns, to_ns, policy, 0, e, &f) != 0)
		fail_msg("%s", f.text);
	return (double)e->energy_nj / 1e9;
}

static inline void assert_joules(struct trace *t, double want, double tolerance)
{
	struct energy e;
	double got = replay_joules(t, GAP_EXCLUDE, &e);

	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.9g J, expected %.9g (%s)", got, want, t->facts.basis);
	trace_release(t);
}

/* A file of the shared data, or the test is skipped. */
static inline struct buf replay_shared(const char *name)
{
	const char *shared = getenv("CIPHERWATT_SHARED");
	struct fail f = { 0 };
	char path[PATH_BYTES];
	struct buf b;

	snprintf(path, sizeof path, "%s/data/power/%s", shared ? shared : "../shared", name);
	buf_init(&b, 0);
	if (!path_exists(path)) {
		printf("skipped: %s is not there; CIPHERWATT_SHARED names the folder\n", path);
		skip();
	}
	if (path_read(path, 1 << 20, &b, &f) != 0)
		fail_msg("%s", f.text);
	return b;
}

static inline struct trace replay_file(const char *name, const char *keys)
{
	struct buf b = replay_shared(name);
	struct fail f;
	struct trace t;

	if (replay_try(keys, b.data, b.len, &t, &f) != 0)
		fail_msg("%s,%s: %s", name, keys, f.text);
	buf_release(&b);
	return t;
}

#endif
