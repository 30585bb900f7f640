/* SPDX-License-Identifier: Apache-2.0 */
/*
 * udp_proxy - a bad network for tests: datagrams pass between clients and one server, and some
 * are lost, doubled or overtaken by later ones.
 *
 * A program of its own, in no archive. Which datagram meets which fate follows from the seed
 * and the order in which they come. It must not know what is in them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/loop.h"
#include "lib/net.h"
#include "lib/opt.h"
#include "lib/rng.h"
#include "lib/units.h"

#define DATAGRAM_BYTES_MAX 65536
#define READS_PER_TURN     64
#define FLOWS_MAX          4096

struct settings {
	const char *to;
	double loss_percent, reorder_percent, duplicate_percent;
	int64_t hold_ns, seed;
};

static const struct opt options[] = {
	{ "to", 0, OPT_TEXT, offsetof(struct settings, to), "HOST:PORT", "where the server is",
	  NULL, NULL, 0, 0 },
	{ "loss", 0, OPT_REAL, offsetof(struct settings, loss_percent), "PERCENT",
	  "datagrams lost, each way", "0", NULL, 0, 0 },
	{ "reorder", 0, OPT_REAL, offsetof(struct settings, reorder_percent), "PERCENT",
	  "datagrams held back until --hold is over", "0", NULL, 0, 0 },
	{ "duplicate", 0, OPT_REAL, offsetof(struct settings, duplicate_percent), "PERCENT",
	  "datagrams sent twice, the second time after --hold", "0", NULL, 0, 0 },
	{ "hold", 0, OPT_DURATION, offsetof(struct settings, hold_ns), "DURATION",
	  "how long a datagram is held back", "5ms", NULL, 1, 0 },
	{ "seed", 0, OPT_INTEGER, offsetof(struct settings, seed), "N",
	  "the same seed, the same fates", "1", NULL, 0, 0 },
	{ 0 },
};

static const struct opt_usage usage = {
	.synopsis = "--to HOST:PORT [OPTION]...",
	.summary = "pass datagrams on, some of them badly",
	.description = "Prints 'listening on HOST:PORT'; when standard input ends, what became of "
		       "all datagrams as a line of JSON.",
	.options = options,
};

/* One client, and the socket that stands for it at the server. */
struct flow {
	struct proxy *proxy;
	struct net_address client;
	struct loop_io io;
};

struct held {
	struct proxy *proxy;
	struct flow *flow;
	bool to_server;
	struct loop_timer timer;
	size_t len;
	char bytes[];
};

struct proxy {
	struct settings settings;
	struct loop *loop;
	struct rng rng;
	struct net_address server;
	struct loop_io io, input;
	struct flow *flow[FLOWS_MAX];
	int flows;
	int64_t passed, lost, reordered, duplicated;
};

static void fail_out(const char *what)
{
	fprintf(stderr, "udp_proxy: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void pass(struct flow *f, bool to_server, const void *bytes, size_t len)
{
	struct proxy *p = f->proxy;

	/* What the kernel does not take is one more lost datagram. */
	if (to_server)
		p->passed += send(f->io.fd, bytes, len, MSG_DONTWAIT) >= 0;
	else
		p->passed += sendto(p->io.fd, bytes, len, MSG_DONTWAIT,
				    (struct sockaddr *)&f->client.addr, f->client.len) >= 0;
}

static void on_release(struct loop_timer *t)
{
	struct held *h = t->data;

	pass(h->flow, h->to_server, h->bytes, h->len);
	free(h);
}

static void hold(struct flow *f, bool to_server, const void *bytes, size_t len)
{
	struct proxy *p = f->proxy;
	struct held *h = malloc(sizeof *h + len);

	if (!h)
		fail_out("memory");
	*h = (struct held){ .proxy = p, .flow = f, .to_server = to_server, .len = len };
	memcpy(h->bytes, bytes, len);
	loop_timer_init(&h->timer, p->loop, on_release, h);
	loop_timer_at(&h->timer, loop_now_ns(p->loop) + p->settings.hold_ns);
}

static bool chance(struct proxy *p, double percent)
{
	return rng_unit(&p->rng) * 100 < percent;
}

/* As many random numbers whatever the fate, so that one does not change the next ones. */
static void meet_fate(struct flow *f, bool to_server, const void *bytes, size_t len)
{
	struct proxy *p = f->proxy;
	bool lost = chance(p, p->settings.loss_percent);
	bool late = chance(p, p->settings.reorder_percent);
	bool twice = chance(p, p->settings.duplicate_percent);

	p->lost += lost;
	if (lost)
		return;
	p->reordered += late;
	p->duplicated += twice;
	if (late)
		hold(f, to_server, bytes, len);
	else
		pass(f, to_server, bytes, len);
	if (twice)
		hold(f, to_server, bytes, len);
}

static void on_answer(struct loop_io *io, int events)
{
	static char bytes[DATAGRAM_BYTES_MAX];
	ssize_t n;

	(void)events;
	for (int i = 0; i < READS_PER_TURN; i++) {
		n = recv(io->fd, bytes, sizeof bytes, MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n >= 0)
			meet_fate(io->data, false, bytes, (size_t)n);
	}
}

static struct flow *flow_new(struct proxy *p, const struct net_address *client)
{
	struct flow *f = calloc(1, sizeof *f);
	int fd = socket(p->server.addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (!f || fd < 0 || p->flows == FLOWS_MAX ||
	    connect(fd, (struct sockaddr *)&p->server.addr, p->server.len) != 0)
		fail_out("one more client");
	*f = (struct flow){ .proxy = p, .client = *client };
	loop_io_init(&f->io, p->loop, fd, on_answer, f);
	loop_io_want(&f->io, LOOP_READ);
	return p->flow[p->flows++] = f;
}

static struct flow *flow_of(struct proxy *p, const struct net_address *client)
{
	/* The last first: a client that comes back often is mostly a new one. */
	for (int i = p->flows; i-- > 0;)
		if (p->flow[i]->client.len == client->len &&
		    memcmp(&p->flow[i]->client.addr, &client->addr, client->len) == 0)
			return p->flow[i];
	return flow_new(p, client);
}

static void on_client(struct loop_io *io, int events)
{
	static char bytes[DATAGRAM_BYTES_MAX];
	struct proxy *p = io->data;

	(void)events;
	for (int i = 0; i < READS_PER_TURN; i++) {
		struct net_address from = { .len = sizeof from.addr };
		ssize_t n = recvfrom(io->fd, bytes, sizeof bytes, MSG_DONTWAIT,
				     (struct sockaddr *)&from.addr, &from.len);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n >= 0)
			meet_fate(flow_of(p, &from), true, bytes, (size_t)n);
	}
}

static void on_input(struct loop_io *io, int events)
{
	struct proxy *p = io->data;
	char bytes[64];

	(void)events;
	if (read(io->fd, bytes, sizeof bytes) <= 0)
		loop_stop(p->loop);
}

static void read_server(struct proxy *p)
{
	const char *colon = p->settings.to ? strrchr(p->settings.to, ':') : NULL;
	struct fail f = { 0 };
	char host[256] = "";
	int64_t port = 0;

	if (!colon || (size_t)(colon - p->settings.to) >= sizeof host) {
		fprintf(stderr, "udp_proxy: --to HOST:PORT is missing\n");
		exit(2);
	}
	memcpy(host, p->settings.to, (size_t)(colon - p->settings.to));
	if (units_integer(colon + 1, 1, 65535, &port, &f) != 0 ||
	    net_resolve(host, (uint16_t)port, false, &p->server, 1, &f) < 0) {
		fprintf(stderr, "udp_proxy: %s\n", f.text);
		exit(2);
	}
}

/* On the loopback address of the server's family, at a port of the kernel's choosing. */
static void listen_here(struct proxy *p)
{
	bool six = p->server.addr.ss_family == AF_INET6;
	char text[NET_TEXT_BYTES];
	struct net_address here;
	struct fail f = { 0 };
	int fd = socket(p->server.addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (net_resolve(six ? "::1" : "127.0.0.1", 0, true, &here, 1, &f) < 0 || fd < 0 ||
	    bind(fd, (struct sockaddr *)&here.addr, here.len) != 0 ||
	    getsockname(fd, (struct sockaddr *)&here.addr, &here.len) != 0)
		fail_out("a socket to listen at");
	printf("listening on %s\n", net_format(&here, text));
	fflush(stdout);
	loop_io_init(&p->io, p->loop, fd, on_client, p);
	loop_io_want(&p->io, LOOP_READ);
}

int main(int argc, char **argv)
{
	static struct proxy p;
	struct fail f = { 0 };
	int operands;

	switch (opt_parse(options, &p.settings, argc, argv, &operands, &f)) {
	case OPT_HELP:
		opt_print_help(stdout, &usage);
		return 0;
	case OPT_BAD:
		fprintf(stderr, "udp_proxy: %s\n", f.text);
		return 2;
	case OPT_OK:
		break;
	}
	p.loop = loop_new();
	if (!p.loop)
		fail_out("event loop");
	rng_seed(&p.rng, (uint64_t)p.settings.seed);
	read_server(&p);
	listen_here(&p);
	loop_io_init(&p.input, p.loop, STDIN_FILENO, on_input, &p);
	loop_io_want(&p.input, LOOP_READ);
	loop_run(p.loop);
	printf("{\"passed\":%lld,\"lost\":%lld,\"reordered\":%lld,\"duplicated\":%lld}\n",
	       (long long)p.passed, (long long)p.lost, (long long)p.reordered,
	       (long long)p.duplicated);
	return fflush(stdout) == 0 ? 0 : 1;
}
