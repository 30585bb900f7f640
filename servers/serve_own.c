/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_own - this program's own server from its start to its end. It must not know the
 * options.
 */
#include <errno.h>
#include <sys/resource.h>

#include "lib/log.h"
#include "servers/serve_json.h"
#include "servers/serve_life.h"
#include "servers/serve_loop.h"

struct own {
	struct server *server;
	const struct server_params *params;
};

void serve_raise_descriptor_limit(const struct server_params *p)
{
	rlim_t wanted = (rlim_t)p->connections + 256;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < wanted)
		log_say(LOG_NOTE,
			"serve: the limit of %llu descriptors allows fewer than %d connections",
			(unsigned long long)limit.rlim_cur, p->connections);
}

static int announce(const struct server *s, const struct server_params *p, struct fail *f)
{
	char url[URL_TEXT_BYTES];

	for (int i = 0; i < p->listeners; i++) {
		const char *ca_file = server_ca_file(s, i);

		if (serve_loop_announce(url_format(&p->listener[i].url, url), f) != 0)
			return -1;
		if (ca_file)
			log_say(LOG_NOTE, "serve: clients verify %s with --ca %s", url, ca_file);
	}
	return 0;
}

static void summarise(struct server *s)
{
	struct server_counters c;

	server_counters(s, &c);
	log_say(LOG_NOTE,
		"serve: %lld requests answered and %lld rejected on %lld connections; handshakes: "
		"%lld full, %lld resumed, %lld failed",
		(long long)c.requests, (long long)c.rejected, (long long)c.connections,
		(long long)c.handshakes_full, (long long)c.handshakes_resumed,
		(long long)(c.handshakes_failed + c.closed_in_handshake));
}

static json_t *own_counters(void *data)
{
	const struct own *own = data;

	return serve_counters_json(own->server, own->params);
}

int serve_own(const struct command *c, struct server_params *p, bool counters)
{
	struct own own = { .params = p };
	const struct serve_watch watch = { counters ? own_counters : NULL, &own, -1 };
	struct fail f = { 0 };
	bool ended;
	int status;

	serve_raise_descriptor_limit(p);
	serve_loop_start();
	own.server = server_start(p, &f);
	serve_loop_prepare();
	if (!own.server)
		return command_fail(c, f.code == EINVAL ? EXIT_USAGE : EXIT_FAILED, "%s", f.text);
	status = announce(own.server, p, &f);
	if (status == 0) {
		status = serve_loop_run(&watch, &ended, &f);
		summarise(own.server);
	}
	server_stop(own.server);
	if (status != 0)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	return command_finish(c, EXIT_RESULT);
}
