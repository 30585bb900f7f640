/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - the table of commands: finds the one that was asked for and hands it the rest.
 *
 * Knows of each command only its row. What a command does, prints and returns is in
 * its own cmd_*.c.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "ciphers/engine.h"
#include "lib/log.h"
#include "lib/version.h"
#include "testbed/commands.h"

static const struct command *const commands[] = {
	&cmd_run,     &cmd_report, &cmd_compare,  &cmd_serve,  &cmd_load,  &cmd_power,
	&cmd_suites,  &cmd_speed,  &cmd_timeline, &cmd_choose, &cmd_solar, &cmd_doctor,
#if defined(WITH_XMLSEC) || defined(WITH_CBOR)
	&cmd_message,
#endif
	&cmd_watch,   &cmd_node,   NULL,
};

#define COMMANDS ((int)(sizeof(commands) / sizeof(commands[0])) - 1)

static const struct command *command_by_name(const char *name)
{
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_usage(FILE *out)
{
	fputs("Usage: cipherwatt COMMAND [ARGUMENT]...\n"
	      "       cipherwatt help COMMAND\n"
	      "       cipherwatt --help | --version\n"
	      "\n"
	      "Measures what a cipher suite costs: requests per second, latency, energy\n"
	      "per request and requests per mWh, over real TLS on real sockets.\n"
	      "\n"
	      "Commands:\n",
	      out);
	for (int i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->usage.summary);
	fputs("\n"
	      "Exit status: 0 a result, 1 failed, 2 wrong usage or configuration,\n"
	      "3 measured but not valid, 4 a threshold was missed.\n",
	      out);
}

static void print_version(void)
{
	printf("cipherwatt %s\n", cipherwatt_version);
	for (int i = 0; engines[i]; i++)
		printf("engine %-8s %s (%s)\n", engines[i]->name, engines[i]->version(),
		       engines[i]->build());
#if defined(WITH_WOLFSSL) || defined(WITH_GSL)
	puts("licence Apache-2.0; linked with GPL libraries, as the default build is, the\n"
	     "program as a whole is under the GNU GPL version 3. No warranty.");
#else
	puts("licence Apache-2.0. No warranty.");
#endif
}

/* A result that cannot be written is a failure, also when it is only a help text. */
static int finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	log_say(LOG_ERROR, "cannot write to standard output");
	return EXIT_FAILED;
}

static int refuse_unknown(const char *name)
{
	const char *names[COMMANDS + 3];
	const char *near;
	int count = 0;

	for (int i = 0; i < COMMANDS; i++)
		names[count++] = commands[i]->name;
	names[count++] = "help";
	names[count] = NULL;
	near = opt_nearest(name, names);
	if (near)
		log_say(LOG_ERROR, "unknown command \"%s\": did you mean \"%s\"?", name, near);
	else
		log_say(LOG_ERROR, "unknown command \"%s\": see cipherwatt --help", name);
	return EXIT_USAGE;
}

static int run_help(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_usage(stdout);
		return finish(EXIT_RESULT);
	}
	c = command_by_name(argv[1]);
	if (!c)
		return refuse_unknown(argv[1]);
	opt_print_help(stdout, &c->usage);
	return finish(EXIT_RESULT);
}

int main(int argc, char **argv)
{
	const struct command *c;

	engines_begin();
	command_hold_streams();
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to be reported */
	/* Children are started as /proc/self/exe, and would be called that in ps and top. */
	prctl(PR_SET_NAME, "cipherwatt");
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return finish(EXIT_RESULT);
	}
	if (!strcmp(argv[1], "--version")) {
		print_version();
		return finish(EXIT_RESULT);
	}
	if (!strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	c = command_by_name(argv[1]);
	if (!c)
		return refuse_unknown(argv[1]);
	return c->run(c, argc - 1, argv + 1);
}
