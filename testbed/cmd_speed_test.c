/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cipherwatt speed` as a user calls it: what it prints, what adds up, which status it
 * returns. No speed is judged; energy is held against a wave whose power is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ciphers/engine.h"
#include "lib/clock.h"
#include "lib/path.h"
#include "testbed/commands.h"

#define ARGS_MAX 24
#define QUICK    "--time", "20ms", "--max-time", "20ms"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("expected %.9g, not %.9g", expected, value);
}

/* Runs the command with standard output in a file; the file's content is the caller's. */
static int call(char **output, const char *const *args)
{
	char *argv[ARGS_MAX + 2] = { (char *)"speed" };
	int argc = 1, out = dup(STDOUT_FILENO), status;
	FILE *file = tmpfile();
	long len;

	for (; args[argc - 1] && argc <= ARGS_MAX; argc++)
		argv[argc] = (char *)(uintptr_t)args[argc - 1];
	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	status = cmd_speed.run(&cmd_speed, argc, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	fseek(file, 0, SEEK_END);
	len = ftell(file);
	rewind(file);
	*output = calloc(1, (size_t)len + 1);
	assert_int_equal(fread(*output, 1, (size_t)len, file), len);
	fclose(file);
	return status;
}

#define CALL(output, ...) call(output, (const char *const[]){ __VA_ARGS__, NULL })

static void refused(const char *const *args)
{
	char *text;

	assert_int_equal(call(&text, args), EXIT_USAGE);
	assert_string_equal(text, "");
	free(text);
}

#define REFUSED(...) refused((const char *const[]){ __VA_ARGS__, NULL })

static json_t *call_json(const char *const *args)
{
	char *text;
	json_t *all;

	assert_int_equal(call(&text, args), EXIT_RESULT);
	all = json_loads(text, 0, NULL);
	assert_non_null(all);
	assert_string_equal(json_string_value(json_object_get(all, "schema")), "cipherwatt/1");
	free(text);
	return all;
}

#define JSON(...) call_json((const char *const[]){ "--json", QUICK, __VA_ARGS__, NULL })

static double real(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	if (!json_is_number(value))
		fail_msg("\"%s\" is no number", key);
	return json_number_value(value);
}

static json_t *find(json_t *list, const char *engine, const char *name, int bytes)
{
	json_t *one;
	size_t i;

	json_array_foreach(
		list, i,
		one) if (!strcmp(json_string_value(json_object_get(one, "engine")), engine) &&
			 !strcmp(json_string_value(json_object_get(one, "name")), name) &&
			 json_integer_value(json_object_get(one, "bytes")) == bytes) return one;
	return NULL;
}

static json_t *figure(json_t *all, const char *engine, const char *name, int bytes)
{
	json_t *one = find(json_object_get(all, "primitives"), engine, name, bytes);

	if (!one)
		fail_msg("%s %s is not there", engine, name);
	return one;
}

/* Of one batch there is no interval. */
static void interval_holds(const json_t *us)
{
	json_t *ends = json_object_get(us, "ci95");
	json_t *lo = json_array_get(ends, 0), *hi = json_array_get(ends, 1);

	assert_int_equal(json_is_number(lo), real(us, "n") > 1);
	assert_int_equal(json_is_number(hi), real(us, "n") > 1);
	if (json_is_number(lo)) {
		assert_true(json_number_value(lo) <= real(us, "mean"));
		assert_true(json_number_value(hi) >= real(us, "mean"));
	}
}

static size_t library_count(void)
{
	size_t n = 0;

	while (engines[n + 1])
		n++;
	return n;
}

static void test_figures_as_json(void **state)
{
	json_t *all = JSON("--only", "hash:sha256/1024", "--only", "sign:p256");
	json_t *one, *us;

	(void)state;
	assert_string_not_equal(
		json_string_value(json_object_get(json_object_get(all, "machine"), "kernel")), "");
	near(real(json_object_get(all, "options"), "time_s"), 0.02, 1e-9);
	figure(all, "null", "nothing", 0);
	for (int e = 1; engines[e]; e++) {
		one = figure(all, engines[e]->name, "hash:sha256", 1024);
		us = json_object_get(one, "us_per_op");
		near(real(one, "ops_per_s") * real(us, "mean"), 1e6, 1);
		near(real(one, "mb_per_s") * real(us, "mean"), 1024, 0.01);
		interval_holds(us);
		assert_true(real(one, "cpu_us_per_op") > 0);
		assert_true(json_is_boolean(json_object_get(one, "precise")));
		assert_true(json_is_null(
			json_object_get(figure(all, engines[e]->name, "sign:p256", 0), "bytes")));
		assert_non_null(
			json_object_get(json_object_get(json_object_get(all, "machine"), "engines"),
					engines[e]->name));
	}
	/* "nothing" once, and two of each library. */
	assert_int_equal(json_array_size(json_object_get(all, "primitives")),
			 1 + 2 * library_count());
	assert_int_equal(json_array_size(json_object_get(all, "missing")), 0);
	json_decref(all);
}

/* What was left out of a library is listed, and is no failure. */
static void test_absent_is_no_error(void **state)
{
	json_t *all = JSON("--only", "agree:ffdhe6144", "--engine", "wolfssl", "--only",
			   "encaps:mlkem768");
	json_t *missing;

	(void)state;
	missing = find(json_object_get(all, "missing"), "wolfssl", "encaps:mlkem768", 0);
	assert_non_null(missing);
	assert_string_equal(json_string_value(json_object_get(missing, "state")),
			    "not in this build");
	assert_null(find(json_object_get(all, "primitives"), "wolfssl", "encaps:mlkem768", 0));
	json_decref(all);
}

static void test_the_score_is_the_sum_of_its_parts(void **state)
{
	json_t *all = JSON("--mix", "--engine", "openssl");
	json_t *mix = json_object_get(json_object_get(all, "mix"), "openssl"), *part;
	double sum_us = 0;
	size_t i;

	(void)state;
	json_array_foreach(json_object_get(mix, "parts"), i, part)
	{
		const char *name = json_string_value(json_object_get(part, "name"));
		json_t *one = figure(all, "openssl", name,
				     (int)json_integer_value(json_object_get(part, "bytes")));

		near(real(part, "us"),
		     real(part, "weight") * real(json_object_get(one, "us_per_op"), "mean"), 1e-3);
		sum_us += real(part, "us");
	}
	assert_int_equal(json_array_size(json_object_get(mix, "parts")), 14);
	near(real(mix, "score") * sum_us / 1e9, 1, 1e-6);
	json_decref(all);
}

static void test_the_limit_is_the_sum_of_its_parts(void **state)
{
	static const char *const sides[] = { "server", "client" };
	json_t *all =
		JSON("--suite", "tls1.3:AES128-GCM-SHA256:x25519:p256", "--suite",
		     "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p256:rsa2048", "--engine", "openssl");
	json_t *limits = json_object_get(all, "handshake_limits"), *one, *part;
	size_t i, k;

	(void)state;
	assert_int_equal(json_array_size(limits), 2);
	json_array_foreach(limits, i, one) for (int side = 0; side < 2; side++)
	{
		json_t *l = json_object_get(one, sides[side]);
		double us = 0, cpu_us = 0;

		json_array_foreach(json_object_get(l, "parts"), k, part)
		{
			us += real(part, "us");
			cpu_us += real(part, "cpu_us");
		}
		assert_true(k > 5);
		near(real(l, "us") / us, 1, 1e-6);
		near(real(l, "cpu_us") / cpu_us, 1, 1e-6);
	}
	json_decref(all);
}

/* Two watts all the time: gross is 2 mJ for each millisecond, and nothing is above idle. */
static void test_energy_of_a_known_wave(void **state)
{
	json_t *all, *one, *mj;
	double window_s, took_s;
	int64_t begin_ns = clock_ns();

	(void)state;
	all = call_json((const char *const[]){ "--json", "--time", "100ms", "--max-time", "100ms",
					       "--only", "seal:aes-128-gcm/16384", "--engine",
					       "openssl", "--idle", "150ms", "--meter",
					       "wave:constant,mean=2W", NULL });
	took_s = (double)(clock_ns() - begin_ns) / NS_PER_S - 0.15;
	one = figure(all, "openssl", "seal:aes-128-gcm", 16384);
	mj = json_object_get(one, "mj_per_op");
	assert_string_equal(json_string_value(json_object_get(mj, "source")), "synthetic");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(all, "energy"), "source")),
		"synthetic");
	/* The window holds what stands between batches too: how long, the machine decides. */
	window_s = real(mj, "gross") * real(one, "operations") / 2000;
	if (window_s < real(one, "measured_s") * (1 - 1e-6) || window_s > took_s)
		fail_msg("gross energy of %g s, beyond %g to %g", window_s, real(one, "measured_s"),
			 took_s);
	near(real(mj, "net") / real(mj, "gross"), 0, 0.01);
	near(real(json_object_get(all, "energy"), "idle_mw"), 2000, 1);
	json_decref(all);
}

static void test_a_model_says_so(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(CALL(&text, "--time", "200ms", "--max-time", "200ms", "--only",
			      "hash:sha256/16384", "--engine", "openssl", "--idle", "150ms",
			      "--meter", "model:rpi-4b"),
			 EXIT_RESULT);
	assert_non_null(strstr(text, "gross mJ/op, modelled"));
	assert_non_null(strstr(text, "net mJ/op, modelled"));
	assert_non_null(strstr(text, "meter model:rpi-4b, modelled"));
	free(text);
}

static void test_text(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(CALL(&text, QUICK, "--only", "*:sha256/16", "--mix", "--suite", "plain"),
			 EXIT_RESULT);
	assert_non_null(strstr(text, "hash:sha256/16"));
	assert_non_null(strstr(text, "nothing"));
	assert_non_null(strstr(text, "handshake-mix score"));
	assert_non_null(strstr(text, "costs the server at least 0.0 us"));
	assert_null(strstr(text, "hash:sha256/256 "));
	free(text);
}

/* A precision that cannot be had on any machine: said always, a failure when asked for. */
static void test_precision_that_was_asked_for(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(CALL(&text, QUICK, "--only", "sign:p256", "--engine", "openssl",
			      "--precision", "1e-9"),
			 EXIT_NOT_VALID);
	assert_non_null(strstr(text, "wide after"));
	free(text);
}

static void test_list(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(CALL(&text, "--list"), EXIT_RESULT);
	assert_non_null(strstr(text, "sign:rsa2048"));
	assert_non_null(strstr(text, "seal:chacha20-poly1305/1024"));
	assert_non_null(strstr(text, "RFC 8439"));
	assert_non_null(strstr(text, "only when named in full"));
	free(text);
}

static void test_refusals(void **state)
{
	char *text;

	(void)state;
	REFUSED("--engine", "nonsense");
	REFUSED("--only", "sing:*");
	REFUSED("--suite", "tls1.3:nonsense:x25519:p256");
	/* What is slow is never met by accident. */
	REFUSED("--only", "sign:*shake-128s");
	REFUSED("--engine", "null", "--mix");
	REFUSED("--idle", "1s");
	REFUSED("--precision", "0");
	REFUSED("--precision", "101");
	REFUSED("--time", "2s", "--max-time", "1s");
	REFUSED("--list", "--json");
	REFUSED("sign:p256");
	REFUSED(QUICK, "--only", "nothing", "--meter", "nonsense:x");
	assert_int_equal(CALL(&text, "--help"), EXIT_RESULT);
	assert_non_null(strstr(text, "--max-time"));
	free(text);
}

/* Keys of certificates are kept beside the build, not in the cache of whoever tests. */
static int use_own_cache(const char *program)
{
	const char *slash = strrchr(program, '/');
	char dir[PATH_BYTES], whole[PATH_BYTES];
	struct fail f = { 0 };

	snprintf(dir, sizeof(dir), "%.*s/../../credentials", slash ? (int)(slash - program) : 1,
		 slash ? program : ".");
	if (path_make_dirs(dir, &f))
		return -1;
	if (!realpath(dir, whole))
		return -1;
	return setenv("XDG_CACHE_HOME", whole, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures_as_json),
		cmocka_unit_test(test_absent_is_no_error),
		cmocka_unit_test(test_the_score_is_the_sum_of_its_parts),
		cmocka_unit_test(test_the_limit_is_the_sum_of_its_parts),
		cmocka_unit_test(test_energy_of_a_known_wave),
		cmocka_unit_test(test_a_model_says_so),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_precision_that_was_asked_for),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_refusals),
	};
	struct fail f = { 0 };

	(void)argc;
	if (use_own_cache(argv[0]))
		return 1;
	if (opt_check_table(cmd_speed.usage.options, &f)) {
		fprintf(stderr, "%s\n", f.text);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
