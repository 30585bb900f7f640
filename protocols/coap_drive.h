/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_drive - for the tests: two endpoints and a link between them that loses, doubles
 * and delays datagrams, in virtual time. Who uses it says what a server answers.
 */
#ifndef PROTOCOLS_COAP_DRIVE_H
#define PROTOCOLS_COAP_DRIVE_H

#include <stdlib.h>
#include <string.h>

#include "protocols/coap_endpoint.h"

#define DRIVE_PACKETS 512
#define DRIVE_MS      ((int64_t)1000000)

struct drive_packet {
	bool used, to_server;
	int64_t at_ns;
	size_t len;
	uint8_t bytes[COAP_MTU_BYTES];
};

struct drive {
	struct coap_endpoint client, server;
	struct coap_counters count_client, count_server;
	struct rng rng;
	int64_t now_ns;
	unsigned loss_percent, double_percent;
	int64_t delay_ns, jitter_ns;
	struct drive_packet packets[DRIVE_PACKETS];
	int packets_n; /* so many were ever in use */
	bool rests;    /* the server does, whenever it may, and is woken at once */
	int rested;
	bool exact; /* fed from an allocation of its own, so that a sanitizer sees reads beyond */
	void *user;
	/* Of one event; the server's requests are answered there, or later. */
	void (*on_client)(struct drive *d, const struct app_event *e);
	void (*on_server)(struct drive *d, const struct app_event *e);
	/* When the user wants to be called, INT64_MAX: never; and that call. */
	int64_t (*user_due)(const struct drive *d);
	void (*on_due)(struct drive *d);
};

static inline void drive_open(struct drive *d, const struct coap_params *client,
			      const struct coap_params *server, uint64_t seed)
{
	rng_seed(&d->rng, seed);
	d->delay_ns = 5 * DRIVE_MS;
	if (coap_endpoint_open(&d->client, APP_CLIENT, client, &d->rng, &d->count_client) != 0 ||
	    coap_endpoint_open(&d->server, APP_SERVER, server, &d->rng, &d->count_server) != 0)
		abort();
}

static inline void drive_close(struct drive *d)
{
	coap_endpoint_close(&d->client);
	coap_endpoint_close(&d->server);
}

static inline void drive_put(struct drive *d, bool to_server, const uint8_t *src, size_t len)
{
	struct drive_packet *p = d->packets;

	while (p < d->packets + DRIVE_PACKETS && p->used)
		p++;
	if (p == d->packets + DRIVE_PACKETS)
		abort();
	if (p - d->packets >= d->packets_n)
		d->packets_n = (int)(p - d->packets) + 1;
	p->used = true;
	p->to_server = to_server;
	p->at_ns = d->now_ns + d->delay_ns;
	p->len = len;
	if (d->jitter_ns > 0)
		p->at_ns += (int64_t)rng_below(&d->rng, (uint64_t)d->jitter_ns);
	memcpy(p->bytes, src, len);
}

static inline void drive_send(struct drive *d, bool to_server, const uint8_t *src, size_t len)
{
	if (rng_below(&d->rng, 100) >= d->loss_percent)
		drive_put(d, to_server, src, len);
	if (rng_below(&d->rng, 100) < d->double_percent)
		drive_put(d, to_server, src, len);
}

/* Events and datagrams of both, until neither has any. */
static inline void drive_settle(struct drive *d)
{
	uint8_t bytes[COAP_MTU_BYTES];
	struct app_event e;
	size_t len;
	bool busy;

	do {
		busy = false;
		while (coap_endpoint_next(&d->client, &e) && (busy = true))
			d->on_client(d, &e);
		while (coap_endpoint_next(&d->server, &e) && (busy = true))
			d->on_server(d, &e);
		while ((len = coap_endpoint_pull(&d->client, bytes, sizeof bytes)) > 0) {
			drive_send(d, true, bytes, len);
			busy = true;
		}
		while ((len = coap_endpoint_pull(&d->server, bytes, sizeof bytes)) > 0) {
			drive_send(d, false, bytes, len);
			busy = true;
		}
	} while (busy);
}

static inline struct drive_packet *drive_first(struct drive *d)
{
	struct drive_packet *first = NULL;

	for (int i = 0; i < d->packets_n; i++)
		if (d->packets[i].used && (!first || d->packets[i].at_ns < first->at_ns))
			first = &d->packets[i];
	return first;
}

static inline int64_t drive_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline void drive_feed(struct drive *d, struct drive_packet *p)
{
	uint8_t *bytes = d->exact ? malloc(p->len) : p->bytes;

	if (d->exact)
		memcpy(bytes, p->bytes, p->len);
	coap_endpoint_feed(p->to_server ? &d->server : &d->client, bytes, p->len, d->now_ns);
	drive_settle(d); /* what events point to lives that long */
	if (d->exact)
		free(bytes);
	p->used = false;
}

/* The next thing that happens; false: nothing ever will. */
static inline bool drive_step(struct drive *d)
{
	struct drive_packet *p = drive_first(d);
	int64_t timers =
		drive_least(coap_endpoint_deadline(&d->client), coap_endpoint_deadline(&d->server));
	int64_t user = d->user_due ? d->user_due(d) : INT64_MAX;
	int64_t due = drive_least(drive_least(timers, user), p ? p->at_ns : INT64_MAX);

	if (due == INT64_MAX)
		return false;
	d->now_ns = due > d->now_ns ? due : d->now_ns;
	if (p && p->at_ns <= due) {
		drive_feed(d, p);
	} else if (user <= due) {
		d->on_due(d);
	}
	coap_endpoint_expire(&d->client, d->now_ns);
	coap_endpoint_expire(&d->server, d->now_ns);
	drive_settle(d);
	if (d->rests) {
		d->rested += coap_endpoint_rest(&d->server, d->now_ns) == 0;
		if (coap_endpoint_wake(&d->server) != 0)
			abort();
	}
	return true;
}

#endif
