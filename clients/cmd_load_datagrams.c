/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_load_datagrams - the options of `cipherwatt load` that belong to CoAP over datagrams.
 */
#include "clients/cmd_load.h"
#include "clients/dgram_peer.h"
#include "clients/dgram_setup.h"

int load_read_datagrams(const struct command *c, const struct load_settings *s,
			struct load_params *p)
{
	struct fail f = { 0 };

	if (!url_is_datagram(&p->url))
		return -1;
	if (s->driver)
		return command_fail(c, EXIT_USAGE, "--driver is for http:// and https:// only");
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
