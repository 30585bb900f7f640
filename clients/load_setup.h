/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_setup - all that a run needs before its first connection: once for the run, settings that
 * fit together, the limits of this machine, addresses; then for each thread its loop, its TLS
 * domain, the request, the peers.
 */
#ifndef CLIENTS_LOAD_SETUP_H
#define CLIENTS_LOAD_SETUP_H

#include "clients/stamps.h"

/* Once for the run. */
struct load_target {
	struct net_address address[NET_ADDRESSES_MAX];
	int addresses;
};

/* -1: the reason names the setting or the limit, and the cure. */
int load_target_find(struct load_target *t, const struct load_params *p, struct fail *f);

/*
 * More connections in the minute that TIME_WAIT lasts than there are local ports: what may
 * happen, in dst; NULL when they are enough or the rate is not known beforehand.
 */
const char *load_port_warning(const struct load_params *p, char dst[256]);

/* The part of thread index of a number that is dealt out evenly, the first ones one more. */
int64_t load_share(int64_t number, int threads, int index);

/* The codec over streams, and whether it goes on from one request to the next. */
const struct app_ops *load_app(const struct load_params *p);
bool load_app_lasts(const struct load_params *p);

/* The suite asked for, and HTTP/2 where it was. -1: why the run ends. */
int load_facts_check(const struct load_params *p, const struct tls_facts *facts, struct fail *f);

/* What the clients of thread index follow. */
void load_plan(struct arrival *a, const struct load_params *p, int index);

/* When a client of thread index starts: all of them evenly over the ramp. */
int64_t load_join_ns(const struct load_params *p, int index, int client, int64_t from_ns);

/* For each thread. */
struct load_setup {
	struct loop *loop;
	struct domain domain;
	bool domain_is_open;
	struct stamps stamps; /* out is NULL where none are wanted */
	struct peer_env env;  /* callbacks are the driver's to set */
	bool asker_is_open;
	struct peer *peers; /* that ask: one for each stream of each client */
	int peers_count;
	struct peer *carriers; /* with several streams: a client's connection; else NULL */
	int carriers_count;
	char host[sizeof(((struct url *)0)->host) + 16]; /* as the Host field says it */
};

/* From the thread that will run it, which it pins. -1: release() all the same. */
int load_setup_open(struct load_setup *s, const struct load_params *p,
		    const struct load_target *target, int index, struct fail *f);
/* Of its asker, where that has messages; else out stays as it is. */
void load_setup_stages(const struct load_setup *s, struct message_tally *out);
/* How many clients, however many streams each has. */
int load_setup_clients(const struct load_setup *s);
/* Closes what is still open without a goodbye. Accepts a zeroed struct. */
void load_setup_release(struct load_setup *s);

#endif
