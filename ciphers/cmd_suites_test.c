/* SPDX-License-Identifier: Apache-2.0 */
/* `cipherwatt suites` as a user calls it: what it prints and which status it returns. */
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "ciphers/commands.h"
#include "ciphers/engine_test.h"

#define ARGS_MAX 8

/* Runs the command with standard output in a file; the file's content is the caller's. */
static int call(char **output, const char *const *args)
{
	char *argv[ARGS_MAX + 2] = { (char *)"suites" };
	int argc = 1, out = dup(STDOUT_FILENO), status;
	FILE *file = tmpfile();
	long len;

	while (args[argc - 1] && argc <= ARGS_MAX) {
		argv[argc] = (char *)args[argc - 1];
		argc++;
	}
	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	status = cmd_suites.run(&cmd_suites, argc, argv);
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

static const char *state_of(json_t *suites, size_t i, const char *engine)
{
	json_t *row = json_array_get(suites, i);

	return json_string_value(json_object_get(json_object_get(row, "engines"), engine));
}

static void test_json_of_named_suites(void **state)
{
	char *text;
	json_t *all, *suites;

	(void)state;
	assert_int_equal(CALL(&text, "--json", "--probe", "plain", EC13, EC12), EXIT_RESULT);
	all = json_loads(text, 0, NULL);
	suites = json_object_get(all, "suites");
	assert_string_equal(json_string_value(json_object_get(all, "schema")), "cipherwatt/1");
	assert_int_equal(json_array_size(suites), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(suites, 1), "suite")),
			    EC13);
	assert_int_equal(
		json_integer_value(json_object_get(json_array_get(suites, 1), "strength_bits")),
		128);
	assert_true(json_is_true(json_object_get(json_array_get(suites, 1), "forward_secrecy")));
	assert_true(json_is_false(json_object_get(json_array_get(suites, 0), "forward_secrecy")));
	assert_string_equal(json_string_value(json_object_get(json_array_get(suites, 1), "status")),
			    "recommended");
	assert_string_equal(state_of(suites, 0, "null"), "proven");
	assert_string_equal(state_of(suites, 1, "null"), "not offered");
	for (int e = 1; engines[e]; e++) {
		json_t *build = json_object_get(json_object_get(all, "engines"), engines[e]->name);

		assert_string_equal(json_string_value(json_object_get(build, "version")),
				    engines[e]->version());
		assert_int_equal(json_is_string(json_object_get(build, "unobserved")),
				 engines[e]->unobserved != NULL);
		assert_string_equal(state_of(suites, 0, engines[e]->name), "not offered");
		assert_string_equal(state_of(suites, 1, engines[e]->name), "proven");
		assert_string_equal(state_of(suites, 2, engines[e]->name), "proven");
	}
	json_decref(all);
	free(text);
}

/* Every cipher, group and credential of a version is in the short list; all of them in the long. */
static void test_the_short_list_names_every_part(void **state)
{
	char *text, *all, word[64];

	(void)state;
	assert_int_equal(CALL(&text, "--version", "tls1.2"), EXIT_RESULT);
	assert_int_equal(CALL(&all, "--version", "tls1.2", "--all"), EXIT_RESULT);
	for (const struct cipher *c = ciphers; c->id; c++) {
		snprintf(word, sizeof(word), "tls1.2:%s:", c->name);
		assert_int_equal(strstr(text, word) != NULL,
				 cipher_by_name_in(TLS12, c->name) != NULL);
	}
	for (const struct group *g = groups; g->name; g++) {
		snprintf(word, sizeof(word), ":%s:", g->name);
		assert_int_equal(strstr(text, word) != NULL, (g->versions & 1 << TLS12) != 0);
	}
	for (const struct credential_kind *k = credential_kinds; k->versions; k++) {
		snprintf(word, sizeof(word), ":%s ", k->name);
		assert_int_equal(strstr(text, word) != NULL, (k->versions & 1 << TLS12) != 0);
	}
	assert_null(strstr(text, "tls1.3:"));
	assert_true(strlen(all) > 4 * strlen(text));
	free(text);
	free(all);
}

static void test_refusals(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(CALL(&text, "--engine", "nonsense"), EXIT_USAGE);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(CALL(&text, "--version", "tls1.1"), EXIT_USAGE);
	free(text);
	assert_int_equal(CALL(&text, "tls1.3:nonsense:x25519:p256"), EXIT_USAGE);
	free(text);
	assert_int_equal(CALL(&text, "--help"), EXIT_RESULT);
	assert_non_null(strstr(text, "--probe"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_of_named_suites),
		cmocka_unit_test(test_the_short_list_names_every_part),
		cmocka_unit_test(test_refusals),
	};
	struct fail f = { 0 };
	char cache[PATH_BYTES];
	char *here = path_make_dirs(test_credential_dir(), &f)
			     ? NULL
			     : realpath(test_credential_dir(), cache);

	/* Not into the cache of whoever runs the tests. */
	if (here)
		setenv("XDG_CACHE_HOME", here, 1);
	return here ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
