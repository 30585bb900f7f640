/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_fuzz_test - the shipped campaigns, mutated at random: whatever comes out is a plan
 * or a list of errors with their places, and never a crash (run under sanitizers).
 *
 * PLAN_FUZZ_SEED and PLAN_FUZZ_ROUNDS in the environment repeat or prolong a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/path.h"
#include "lib/rng.h"
#include "testbed/plan.h"

#define ROUNDS     2000
#define BYTES_MAX  20000
#define CHANGE_MAX 4

static const char *const seeds[] = { "testbed/campaigns/quick.yaml",
				     "testbed/campaigns/gateway.yaml",
				     "tests/campaigns/smoke.yaml" };

/* What YAML and the campaign's keys give a meaning to. */
static const char *const words[] = {
	"[",    "]",       "{",       "}",       ": ",         "- ",        "\n",
	"\n  ", "\t",      "&a ",     "*a",      "!!int ",     "---\n",     "...\n",
	"|\n",  ">\n",     "? ",      "#",       "\"",         "'",         "%YAML ",
	"0",    "-1",      "9999999", "1e9",     "plain",      "gzip:6",    "tls1.3",
	"null", "~",       "\\x00",   "\\u1234", "\377",       "\303",      "\357\273\277",
	", ",   "suites:", "cells:",  "nodes:",  "versions: ", "5 parsecs", "<<: ",
	"@",    "`",       "\r\n",
};

struct text {
	char bytes[BYTES_MAX];
	size_t len;
};

static void cut(struct text *t, size_t at, size_t len)
{
	if (at >= t->len)
		return;
	if (len > t->len - at)
		len = t->len - at;
	memmove(t->bytes + at, t->bytes + at + len, t->len - at - len);
	t->len -= len;
}

static void insert(struct text *t, size_t at, const char *bytes, size_t len)
{
	if (at > t->len || len > sizeof(t->bytes) - t->len)
		return;
	memmove(t->bytes + at + len, t->bytes + at, t->len - at);
	memcpy(t->bytes + at, bytes, len);
	t->len += len;
}

/* A piece of the text once more, somewhere else. */
static void repeat(struct rng *r, struct text *t)
{
	size_t from = (size_t)rng_below(r, t->len), len = 1 + (size_t)rng_below(r, 60);
	char piece[64];

	if (len > t->len - from)
		len = t->len - from;
	memcpy(piece, t->bytes + from, len);
	insert(t, (size_t)rng_below(r, t->len + 1), piece, len);
}

static void change(struct rng *r, struct text *t)
{
	size_t at;
	const char *word = words[rng_below(r, sizeof(words) / sizeof(words[0]))];

	if (!t->len)
		return;
	at = (size_t)rng_below(r, t->len);
	switch (rng_below(r, 5)) {
	case 0:
		t->bytes[at] = (char)rng_below(r, 256);
		break;
	case 1:
		cut(t, at, 1 + (size_t)rng_below(r, 30));
		break;
	case 2:
		repeat(r, t);
		break;
	case 3:
		cut(t, at, 1);
		insert(t, at, word, strlen(word));
		break;
	default:
		insert(t, at, word, strlen(word));
		break;
	}
}

/* Comments are most of a shipped file, and nothing is learnt from changing them. */
static void read_seed(const char *path, struct text *t)
{
	struct fail f = { 0 };
	struct buf file;
	const char *p, *end;

	buf_init(&file, 0);
	if (path_read(path, BYTES_MAX, &file, &f))
		fail_msg("%s", f.text);
	t->len = 0;
	for (p = buf_text(&file); *p; p = end) {
		end = strchrnul(p, '\n');
		end += *end == '\n';
		if (*p != '#')
			insert(t, t->len, p, (size_t)(end - p));
	}
	buf_release(&file);
}

static void write_mutant(const char *path, const struct text *t)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(t->bytes, 1, t->len, out), t->len);
	assert_int_equal(fclose(out), 0);
}

/* Every line begins with the file's name, and there is one at least. */
static bool well_formed(const char *path, struct buf *errors)
{
	const char *line = buf_text(errors), *end;

	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end || strncmp(line, path, strlen(path)) || line[strlen(path)] != ':')
			return false;
	}
	return errors->len > 0;
}

static int64_t setting(const char *name, int64_t preset)
{
	const char *text = getenv(name);

	return text ? strtoll(text, NULL, 10) : preset;
}

static void mutants(void **state)
{
	int64_t seed = setting("PLAN_FUZZ_SEED", (int64_t)rng_fresh_seed());
	int64_t rounds = setting("PLAN_FUZZ_ROUNDS", ROUNDS);
	char path[] = "/tmp/plan_fuzz.XXXXXX";
	int fd = mkstemp(path), plans = 0;
	struct rng r;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	print_message("seed %lld\n", (long long)seed);
	rng_seed(&r, (uint64_t)seed);
	for (int64_t round = 0; round < rounds; round++) {
		static struct text t;
		struct buf errors;
		struct plan p;

		buf_init(&errors, 0);
		read_seed(seeds[rng_below(&r, 3)], &t);
		for (uint64_t i = 1 + rng_below(&r, CHANGE_MAX); i > 0; i--)
			change(&r, &t);
		write_mutant(path, &t);
		if (!plan_read(&p, path, NULL, &errors)) {
			plans++;
			assert_int_equal(errors.len, 0);
			assert_true(p.cells > 0 && p.order);
			plan_release(&p);
		} else if (!well_formed(path, &errors)) {
			fail_msg("round %lld: %s", (long long)round, buf_text(&errors));
		}
		buf_release(&errors);
	}
	unlink(path);
	/* Neither all good nor all bad, or it tests little. */
	print_message("%d of %lld were plans\n", plans, (long long)rounds);
	assert_true(rounds < ROUNDS || (plans > rounds / 100 && plans < rounds / 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutants),
	};

	return cmocka_run_group_tests_name("plan_fuzz", tests, NULL, NULL);
}
