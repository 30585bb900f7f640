/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load_needs - what an option of `cipherwatt load` needs of the URL and of other options. One
 * that would be read and then not obeyed is refused here; what its value may be is said elsewhere.
 */
#include <string.h>

#include "clients/cmd_load.h"

struct need {
	const char *option;
	bool (*met)(const struct load_settings *s, const struct load_params *p);
	const char *otherwise; /* behind "--OPTION " */
};

/* --- what may be needed ------------------------------------------------------ */

static bool is_access(const struct load_settings *s, const struct load_params *p)
{
	(void)s;
	return p->asker == &asker_access;
}

static bool knows_users(const struct load_settings *s, const struct load_params *p)
{
	(void)p;
	return s->access_model == ACCESS_ABAC;
}

static bool is_message(const struct load_settings *s, const struct load_params *p)
{
	(void)s;
	return p->asker->stages != NULL;
}

static bool resumes(const struct load_settings *s, const struct load_params *p)
{
	(void)s;
	return connection_kind[p->connection].resumes;
}

static bool keeps(const struct load_settings *s, const struct load_params *p)
{
	(void)s;
	return connection_kind[p->connection].keeps;
}

static bool is_secure(const struct load_settings *s, const struct load_params *p)
{
	(void)s;
	return url_is_secure(&p->url);
}

static bool is_http(const struct load_settings *s, const struct load_params *p)
{
	(void)s;
	return p->url.scheme == URL_HTTP || p->url.scheme == URL_HTTPS;
}

static bool is_datagram(const struct load_settings *s, const struct load_params *p)
{
	(void)s;
	return url_is_datagram(&p->url);
}

static bool confirms(const struct load_settings *s, const struct load_params *p)
{
	(void)p;
	return !s->non;
}

static bool is_closed_loop(const struct load_settings *s, const struct load_params *p)
{
	(void)p;
	return !(s->rate_per_s > 0);
}

static bool may_think(const struct load_settings *s, const struct load_params *p)
{
	return !s->think_ns || is_closed_loop(s, p);
}

static bool is_open_loop(const struct load_settings *s, const struct load_params *p)
{
	(void)p;
	return s->rate_per_s > 0;
}

static bool finds_rate(const struct load_settings *s, const struct load_params *p)
{
	(void)p;
	return s->find_rate != NULL;
}

static bool is_limited(const struct load_settings *s, const struct load_params *p)
{
	return s->find_rate || p->upload_bytes_per_s || p->download_bytes_per_s;
}

/* --- the table ------------------------------------------------------------------ */

#define DATAGRAMS_ONLY "is for coap:// and coaps:// only"

static const struct need needs[] = {
	{ "access-encoding", is_access, "is of --workload access: give that too" },
	{ "access-model", is_access, "is of --workload access: give that too" },
	{ "access-users", is_access, "is of --workload access: give that too" },
	{ "access-users", knows_users, "is of --access-model abac: rbac knows no users" },
	{ "profile", is_message, "is of --workload message: give that too" },
	{ "payload", is_message,
	  "is of --workload message; the size of a page stands in the URL, as /page/SIZE" },
	{ "credentials", is_message, "is of --workload message: give that too" },
	{ "resumption", resumes, "says how --connection resume does it: give that too" },
	{ "server-name", is_secure, "is asked for and verified by TLS: write https or coaps" },
	{ "http", is_http, "is for http:// and https:// only" },
	{ "accept", is_http, "cannot be used: CoAP has no content codings" },
	{ "gzip", is_http, "cannot be used: CoAP has no content codings" },
	{ "arrivals", is_open_loop, "belongs to an open loop: give --rate too" },
	{ "think", may_think,
	  "is for a closed loop: with --rate, requests are due by its schedule" },
	{ "find-range", finds_rate, "says where --find-rate searches: give that too" },
	{ "find-tolerance", finds_rate, "says how well --find-rate searches: give that too" },
	{ "ack-timeout", is_datagram, DATAGRAMS_ONLY },
	{ "ack-timeout", confirms, "is of what is sent again: with --non nothing is" },
	{ "block", is_datagram, DATAGRAMS_ONLY },
	{ "datagram-overhead", is_datagram, DATAGRAMS_ONLY },
	{ "datagram-overhead", is_limited,
	  "counts towards a data rate: give --upload-rate or --download-rate too" },
	{ "dtls-timeout", is_datagram, DATAGRAMS_ONLY },
	{ "dtls-timeout", is_secure, "is of DTLS: coap has none, write coaps" },
	{ "mtu", is_datagram, DATAGRAMS_ONLY },
	{ "non", is_datagram, DATAGRAMS_ONLY },
	{ "obey-max-age", is_datagram, DATAGRAMS_ONLY },
	{ "obey-max-age", is_closed_loop,
	  "is for a closed loop: with --rate, requests are due by its schedule" },
	{ "receive-buffer", is_datagram, DATAGRAMS_ONLY },
	{ "reuse-ids", is_datagram, DATAGRAMS_ONLY },
	{ "reuse-ids", keeps,
	  "is of --connection keepalive: else each request has a socket, and ids, of its own" },
};

int load_check_needs(const struct command *c, int argc, char **argv, int operands,
		     const struct load_settings *s, const struct load_params *p)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct need *n = &needs[i];

		if (opt_given(load_options, argc, argv, operands, n->option) && !n->met(s, p))
			return command_fail(c, EXIT_USAGE, "--%s %s", n->option, n->otherwise);
	}
	return -1;
}
