/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_nodes - what a campaign and a testbed file say of nodes: boards, meters, CPUs and
 * addresses that can be. Opening them is the node's.
 */
#include <stdio.h>
#include <string.h>

#include "lib/affinity.h"
#include "lib/net.h"
#include "power/board.h"
#include "power/meter.h"
#include "testbed/plan_read.h"

#define NAMES_MAX 128

/* Where a setting of a node was made: the testbed file's word is the last. */
struct place {
	struct yaml *y;
	const struct yaml_node *at;
};

static struct place find_place(struct plan_files *files, const char *role, const char *key)
{
	struct yaml *both[] = { &files->testbed, &files->campaign };
	struct place none = { &files->campaign, NULL };

	for (int i = 0; i < 2; i++) {
		const struct yaml_node *nodes = yaml_find(both[i]->root, "nodes");
		const struct yaml_node *at = yaml_find(yaml_find(nodes, role), key);

		if (at)
			return (struct place){ both[i], at };
	}
	return none;
}

bool plan_is_name(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789._-")];
}

static void check_board(struct place place, const char *board)
{
	const char *names[NAMES_MAX] = { 0 };

	if (board_by_name(board))
		return;
	for (int i = 0; boards[i].name && i < NAMES_MAX - 1; i++)
		names[i] = boards[i].name;
	yaml_unknown(place.y, place.at, "board", board, names);
}

/* "BOARD", "BOARD,idle=1.2W,loaded=3W" or "idle=1.2W,loaded=3W". */
static void check_model(struct place place, const char *arg)
{
	size_t len = strcspn(arg, ",");
	const struct board *b;
	char board[64];

	if (memchr(arg, '=', len))
		return;
	snprintf(board, sizeof(board), "%.*s", (int)len, arg);
	check_board(place, board);
	b = board_by_name(board);
	if (b && !board_has_watts(b) && !arg[len])
		yaml_error(place.y, place.at,
			   "meter: not all watts of board %s are published; measure them and say "
			   "model:%s,idle=1.2W,loaded=3W",
			   board, board);
}

/* Only the kind of meter, and a model's board: opening it is the node's. */
static void check_meter(struct place place, const char *meter)
{
	const char *names[NAMES_MAX] = { 0 };
	size_t len = strcspn(meter, ":");
	bool known = false;
	char kind[32];

	snprintf(kind, sizeof(kind), "%.*s", (int)len, meter);
	for (int i = 0; meters[i] && i < NAMES_MAX - 1; i++) {
		names[i] = meters[i]->name;
		known = known || !strcmp(names[i], kind);
	}
	if (!known)
		yaml_unknown(place.y, place.at, "meter", kind, names);
	else if (!strcmp(kind, "model") && meter[len])
		check_model(place, meter + len + 1);
}

/* Watts of one board under the name of another are nobody's. */
static void check_same_board(struct place place, const struct plan_node *n)
{
	const char *arg = strncmp(n->meter, "model:", 6) == 0 ? n->meter + 6 : "";
	const struct board *b;
	char modelled[64];

	snprintf(modelled, sizeof(modelled), "%.*s", (int)strcspn(arg, ","), arg);
	b = board_by_name(modelled);
	if (b && strcmp(b->name, n->board))
		yaml_error(place.y, place.at,
			   "board: this node is a %s, but its meter is the model of %s: give it a "
			   "meter of its own, or leave one of them out",
			   n->board, b->name);
}

static void check_cpus(struct place place, const struct plan_node *n)
{
	struct fail f = { 0 };
	cpu_set_t set;

	/* Which CPUs another machine has is for its own node to say. */
	if (!*n->command && affinity_parse(n->cpus, &set, &f))
		yaml_error(place.y, place.at, "cpus: %s", f.text);
}

static void check_host(struct plan_files *files, const char *role, const char *key,
		       const char *host)
{
	struct place place = find_place(files, role, key);

	if (*host && !net_is_host(host))
		yaml_error(place.y, place.at,
			   "%s: \"%s\" is no address and cannot be a host's name; expected "
			   "192.0.2.7, 2001:db8::7 or gateway.example",
			   key, host);
}

static void check_node(struct plan_files *files, const char *role, struct plan_node *n)
{
	struct place place;

	place = find_place(files, role, "name");
	if (!*n->name)
		snprintf(n->name, sizeof(n->name), "%s", role);
	if (place.at && !plan_is_name(n->name))
		yaml_error(place.y, place.at,
			   "name: \"%s\" is no name; expected letters, digits, "
			   "dots, dashes and underscores",
			   n->name);
	if (*n->board)
		check_board(find_place(files, role, "board"), n->board);
	if (*n->meter)
		check_meter(find_place(files, role, "meter"), n->meter);
	if (*n->board && *n->meter)
		check_same_board(find_place(files, role, "board"), n);
	check_host(files, role, "address", n->address);
	check_host(files, role, "listen", n->listen);
	if (*n->cpus)
		check_cpus(find_place(files, role, "cpus"), n);
}

void plan_check_nodes(struct plan_files *files, struct plan *p)
{
	struct place command = find_place(files, "server", "command");
	struct place name = find_place(files, "client", "name");

	check_node(files, "server", &p->server);
	check_node(files, "client", &p->client);
	if (*p->server.command && !*p->server.address && command.at)
		yaml_error(command.y, command.at,
			   "the server is on a node of its own, so say in `address` what clients "
			   "connect to (127.0.0.1 where it is this machine after all)");
	if (!name.at)
		name = find_place(files, "server", "name");
	if (!strcmp(p->server.name, p->client.name))
		yaml_error(name.y, name.at, "nodes: server and client are both named \"%s\"",
			   p->client.name);
	if (!*p->server.address)
		snprintf(p->server.address, sizeof(p->server.address), "127.0.0.1");
	if (!*p->server.listen)
		memcpy(p->server.listen, p->server.address, sizeof(p->server.listen));
}
