/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_power_maker - for tests: the command in this process, with what it printed.
 */
#ifndef POWER_CMD_POWER_MAKER_H
#define POWER_CMD_POWER_MAKER_H

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "power/cmd_power.h"

#define WORDS 16

static char output[65536], errors[8192];

static inline void slurp(FILE *f, char *dst, size_t size)
{
	rewind(f);
	dst[fread(dst, 1, size - 1, f)] = '\0';
	fclose(f);
}

/* Runs "power LINE" with standard output and error caught. */
static inline int power(const char *line)
{
	FILE *out = tmpfile(), *err = tmpfile();
	int saved_out = dup(1), saved_err = dup(2), argc = 1, status;
	char text[1024], *argv[WORDS] = { (char[]){ "power" } }, *word, *rest = text;

	snprintf(text, sizeof text, "%s", line);
	while ((word = strsep(&rest, " ")) != NULL && argc < WORDS - 1)
		if (*word != '\0')
			argv[argc++] = word;
	argv[argc] = NULL;
	fflush(NULL);
	dup2(fileno(out), 1);
	dup2(fileno(err), 2);
	status = cmd_power.run(&cmd_power, argc, argv);
	fflush(NULL);
	dup2(saved_out, 1);
	dup2(saved_err, 2);
	close(saved_out);
	close(saved_err);
	slurp(out, output, sizeof output);
	slurp(err, errors, sizeof errors);
	return status;
}

/* The JSON that it printed; free with json_decref(). */
static inline json_t *power_json(const char *line, int status)
{
	json_error_t error;
	int got = power(line);
	json_t *o;

	if (got != status)
		fail_msg("power %s: status %d: %s", line, got, errors);
	o = json_loads(output, 0, &error);
	if (o == NULL)
		fail_msg("%s: %s", error.text, output);
	return o;
}

static inline double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_number(v))
		fail_msg("no number %s", key);
	return json_number_value(v);
}

#endif
