/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_node - `cipherwatt node`: what a runner starts on each machine. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "lib/log.h"
#include "testbed/commands.h"
#include "testbed/node.h"

struct settings {
	bool unused;
};

static const struct opt options[] = {
	{ .name = NULL },
};

static int run(const struct command *c, int argc, char **argv)
{
	struct node_session *session;
	struct settings settings = { 0 };
	struct fail f = { 0 };
	int operands, status = command_parse(c, &settings, argc, argv, &operands);

	if (status >= 0)
		return status;
	if (operands)
		return command_fail(c, EXIT_USAGE, "takes no operand, but was given \"%s\"",
				    argv[1]);
	if (isatty(STDIN_FILENO))
		return command_fail(c, EXIT_USAGE,
				    "a runner starts it and talks to it over a pipe; by hand, use "
				    "cipherwatt serve and cipherwatt load");
	signal(SIGPIPE, SIG_IGN);
	log_set_name("cipherwatt node");
	/* This very file for the children, too, even when it was replaced on disk meanwhile. */
	session = node_session_new("/proc/self/exe");
	if (!session)
		return command_fail(c, EXIT_FAILED, "no memory");
	status = node_serve(session, STDIN_FILENO, STDOUT_FILENO, &f);
	node_session_free(session);
	/* A runner that is gone reads no complaint either. */
	return status && f.code != EPIPE ? command_fail(c, EXIT_FAILED, "%s", f.text) : EXIT_RESULT;
}

const struct command cmd_node = {
	.name = "node",
	.usage = {
		.synopsis = "node",
		.summary = "what the runner starts on each machine of a testbed",
		.description =
			"Starts the server under test or the load generator for a runner, reads the\n"
			"machine's meter, and hands both over. It talks JSON lines on standard input\n"
			"and output and ends, with all that it started, when its input does.\n"
			"\n"
			"`cipherwatt run` starts it, on another machine through the command of the\n"
			"testbed file, for example `ssh pi@board`. Both must be the same build.",
		.examples = "echo '{\"id\":1,\"do\":\"hello\",\"protocol\":1,\"version\":\"...\"}' | cipherwatt node",
		.options = options,
	},
	.run = run,
};
