/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_setup - the limits of CoAP before a run, and the memory of a thread.
 */
#include "clients/dgram_setup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clients/dgram_peer.h"
#include "lib/clock.h"

static size_t mtu_bytes(const struct load_params *p)
{
	return p->datagrams.mtu_bytes ? p->datagrams.mtu_bytes : DGRAM_MTU_BYTES;
}

size_t dgram_message_bytes(const struct load_params *p)
{
	return mtu_bytes(p) - (url_is_secure(&p->url) ? DGRAM_DTLS_BYTES : 0);
}

static size_t largest_block(const struct load_params *p)
{
	return coap_block_bytes(coap_szx(dgram_message_bytes(p) - DGRAM_MESSAGE_BYTES));
}

static int check_block(const struct load_params *p, struct fail *f)
{
	size_t block = p->datagrams.block_bytes;

	if (block && coap_block_bytes(coap_szx(block)) != block)
		return fail_set(f, EINVAL,
				"blocks of %zu bytes: expected a power of two from %d to %d", block,
				COAP_BLOCK_BYTES_MIN, COAP_BLOCK_BYTES_MAX);
	if (block > largest_block(p))
		return fail_set(f, EINVAL,
				"blocks of %zu bytes do not fit datagrams of %zu with what CoAP "
				"and DTLS need of them: the largest is %zu, or raise --mtu",
				block, mtu_bytes(p), largest_block(p));
	return 0;
}

/* Each association has a socket of its own, which has ids of its own: are they enough for it? */
static bool ids_suffice(const struct load_params *p)
{
	if (!connection_kind[p->connection].keeps)
		return true;
	return p->connection_requests && p->connection_requests <= DGRAM_IDS;
}

/* A schedule that one socket's message ids do not suffice for; who asks more slowly is not held. */
static int check_ids(const struct load_params *p, struct fail *f)
{
	double most, each = p->rate_per_s / p->clients;
	struct coap_params c;

	coap_params_init(&c);
	most = DGRAM_IDS * (double)NS_PER_S /
	       (double)(p->datagrams.non ? c.non_lifetime_ns : c.exchange_lifetime_ns);
	if (ids_suffice(p) || p->datagrams.reuse_ids || each <= most)
		return 0;
	return fail_set(f, EINVAL,
			"%g requests/s of %d clients are %.4g of each, and a socket has message "
			"ids for %.4g a second (RFC 7252, 4.4): use %.0f clients or more, or "
			"--reuse-ids",
			p->rate_per_s, p->clients, each, most, ceil(p->rate_per_s / most));
}

int dgram_settings_check(const struct load_params *p, struct fail *f)
{
	if (p->http2 || p->streams > 1)
		return fail_set(f, EINVAL, "%s is no HTTP: --http 2 and --streams cannot be used",
				url_scheme_name[p->url.scheme]);
	if (p->accepts & ~(1u << APP_IDENTITY))
		return fail_set(f, EINVAL, "CoAP has no content codings: leave out --accept");
	return check_block(p, f) || check_ids(p, f) ? -1 : 0;
}

static void set_coap(struct coap_params *c, const struct load_params *p)
{
	const struct load_datagrams *d = &p->datagrams;

	coap_params_init(c);
	c->mtu_bytes = dgram_message_bytes(p);
	c->block_bytes = d->block_bytes ? d->block_bytes : largest_block(p);
	if (d->ack_timeout_ns)
		c->ack_timeout_ns = d->ack_timeout_ns;
	c->non = d->non;
	/* Where the socket changes in time the endpoint, which stays, need not remember ids. */
	c->reuse_ids = d->reuse_ids || ids_suffice(p);
	c->body_bytes = 16 << 20;
}

/* Uri-Host is left out where it is the address that the datagrams go to (RFC 7252, 6.4). */
static const char *host_option(const struct load_params *p)
{
	const char *host = p->server_name ? p->server_name : p->url.host;
	uint8_t address[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, host, address) == 1 || strchr(host, ':'))
		return NULL;
	return host;
}

int dgram_setup_open(struct peer_env *env, const struct load_params *p, int clients, struct fail *f)
{
	struct dgram_env *d = calloc(1, sizeof(*d));

	env->dgram = d;
	if (!d)
		return fail_set(f, ENOMEM, "no memory for clients over datagrams");
	d->mtu_bytes = mtu_bytes(p);
	d->guards_ids = !p->datagrams.reuse_ids && ids_suffice(p);
	d->receive_bytes = p->datagrams.receive_bytes;
	rng_seed(&d->rng, rng_fresh_seed());
	set_coap(&d->coap, p);
	env->request.host = host_option(p);
	return coap_params_check(&d->coap, f) || dgram_link_init(&d->link, env->loop, &env->upload,
								 p->datagrams.overhead_bytes,
								 clients, d->mtu_bytes, f)
		       ? -1
		       : 0;
}

void dgram_setup_release(struct peer_env *env)
{
	if (!env->dgram)
		return;
	dgram_link_release(&env->dgram->link);
	free(env->dgram);
	env->dgram = NULL;
}
