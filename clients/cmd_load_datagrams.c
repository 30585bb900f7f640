/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load_datagrams - the options of `cipherwatt load` that belong to CoAP over datagrams.
 */
#include "clients/cmd_load.h"
#include "clients/dgram_peer.h"
#include "clients/dgram_setup.h"

/* Which option is there although the URL has no use for it; NULL: none. */
static const char *misplaced(const struct load_settings *s)
{
	if (s->reuse_ids)
		return "reuse-ids";
	if (s->non)
		return "non";
	if (s->block_bytes)
		return "block";
	if (s->overhead_bytes)
		return "datagram-overhead";
	if (s->dtls_timeout_ns)
		return "dtls-timeout";
	if (s->receive_bytes)
		return "receive-buffer";
	return s->obey_max_age ? "obey-max-age" : NULL;
}

int load_read_datagrams(const struct command *c, const struct load_settings *s,
			struct load_params *p)
{
	struct fail f = { 0 };

	if (!url_is_datagram(&p->url) && misplaced(s))
		return command_fail(c, EXIT_USAGE, "--%s is for coap:// and coaps:// only",
				    misplaced(s));
	if (!url_is_datagram(&p->url))
		return -1;
	if (s->driver)
		return command_fail(c, EXIT_USAGE, "--driver is for http:// and https:// only");
	if (s->dtls_timeout_ns && !url_is_secure(&p->url))
		return command_fail(c, EXIT_USAGE, "--dtls-timeout: %s has no DTLS, write coaps",
				    url_scheme_name[p->url.scheme]);
	if (s->obey_max_age && s->rate_per_s > 0)
		return command_fail(
			c, EXIT_USAGE,
			"--obey-max-age is for a closed loop: with --rate, requests are "
			"due by its schedule");
	p->obey_max_age = s->obey_max_age;
	p->datagrams = (struct load_datagrams){
		.mtu_bytes = (size_t)s->mtu_bytes,
		.block_bytes = (size_t)s->block_bytes,
		.ack_timeout_ns = s->ack_timeout_ns,
		.dtls_timeout_ns = s->dtls_timeout_ns,
		.non = s->non,
		.reuse_ids = s->reuse_ids,
		.overhead_bytes = (int)s->overhead_bytes,
		.receive_bytes = (int)s->receive_bytes,
	};
	return dgram_settings_check(p, &f) ? command_fail(c, EXIT_USAGE, "%s", f.text) : -1;
}
