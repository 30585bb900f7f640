/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares - who was being waited for while the handshake ran.
 *
 * SUMMARY. Each interval between two steps of the handshake belongs to the sender of the later
 * one. Where the sender changes, the round trip between the place of capture and that
 * sender, as the TCP handshake showed it, is the network's; the rest is the sender's. The
 * three shares add up to the handshake's time.
 *
 * DETAILS. At the place of capture, SYN to SYN-ACK is the round trip to the server, SYN-ACK to
 * ACK the one to the client (both with the kernel's own time in them, microseconds). A side
 * that answers faster than its round trip (the other flight was still under way) is given
 * to the network as a whole. Without a TCP handshake the network is in the sides' shares.
 */
#include "capture/connection.h"

static int64_t round_trip_ns(const struct connection *c, int direction)
{
	if (c->syn_ns == TIME_NONE || c->syn_ack_ns == TIME_NONE || c->ack_ns == TIME_NONE)
		return TIME_NONE;
	return direction == connection_client(c) ? c->ack_ns - c->syn_ack_ns
						 : c->syn_ack_ns - c->syn_ns;
}

static void share_out(const struct connection *c, struct shares *s, int from, bool is_turn,
		      int64_t wait_ns)
{
	int64_t network_ns = is_turn ? round_trip_ns(c, from) : 0;

	if (network_ns < 0)
		network_ns = 0;
	if (network_ns > wait_ns)
		network_ns = wait_ns;
	if (s->network_ns != TIME_NONE)
		s->network_ns += network_ns;
	if (from == connection_client(c))
		s->client_ns += wait_ns - network_ns;
	else
		s->server_ns += wait_ns - network_ns;
}

struct shares connection_shares(const struct connection *c)
{
	int64_t end_ns = c->first_hello_ns + connection_handshake_ns(c);
	struct shares s = { .network_ns = round_trip_ns(c, 0) == TIME_NONE ? TIME_NONE : 0 };
	int64_t before_ns = c->first_hello_ns;
	int last = connection_client(c);

	if (connection_handshake_ns(c) == TIME_NONE)
		return (struct shares){ TIME_NONE, TIME_NONE, TIME_NONE, 0 };
	for (int i = 0; i < c->message_count; i++) {
		const struct message *m = &c->message[i];

		if (!m->is_handshake || m->time_ns < before_ns || m->time_ns > end_ns)
			continue;
		share_out(c, &s, m->from, m->from != last, m->time_ns - before_ns);
		s.round_trips += m->from != last && m->from != connection_client(c);
		before_ns = m->time_ns;
		last = m->from;
	}
	return s;
}
