/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline - from packet to the dissector that its flow belongs to.
 */
#include "capture/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "capture/bytes.h"
#include "capture/coap_seen.h"

#define PROTOCOL_IPV4 4
#define PROTOCOL_TCP  6
#define PROTOCOL_UDP  17
#define PROTOCOL_IPV6 41
#define TUNNELS_MAX   4
#define PORT_COAP     5683
#define PORT_GTPU     2152
#define TCP_FIN       0x01
#define TCP_SYN       0x02
#define TCP_RST       0x04
#define TCP_ACK       0x10

struct segment {
	uint32_t seq, ack;
	uint8_t flags;
	struct span payload;
};

struct delivery {
	struct stream *stream;
	int from;
	int64_t now_ns;
};

static void ip_packet(struct timeline *t, struct span s, int64_t now_ns, int depth);

/* --- TCP ------------------------------------------------------------------ */

static bool read_segment(struct span s, struct segment *g)
{
	const uint8_t *h = s.data;

	if (s.captured_bytes < 20 || (h[12] >> 4) < 5)
		return false;
	g->seq = be32(h + 4);
	g->ack = be32(h + 8);
	g->flags = h[13];
	g->payload = s;
	return span_skip(&g->payload, (h[12] >> 4) * 4u);
}

/* The same ports again: a SYN that is no repetition of the one that was seen. */
static bool begins_anew(const struct stream *s, int from, const struct segment *g)
{
	const struct tcp_half *h = &s->tcp[from];

	if (!(g->flags & TCP_SYN) || g->flags & TCP_ACK)
		return false;
	return h->saw_syn ? h->isn != g->seq : h->has_next || s->connection.packets[from];
}

static void note_syn(struct stream *s, int from, const struct segment *g, int64_t now_ns)
{
	struct connection *c = &s->connection;
	struct tcp_half *h = &s->tcp[from];

	if (!h->saw_syn) {
		h->saw_syn = true;
		h->isn = g->seq;
		tcp_half_start(h, g->seq + 1);
	}
	if (!(g->flags & TCP_ACK)) {
		if (c->syn_ns == TIME_NONE)
			c->syn_ns = now_ns;
		return;
	}
	if (c->syn_ack_ns == TIME_NONE)
		c->syn_ack_ns = now_ns;
	/* The acknowledgement says where the other side begins, also when its SYN was not seen. */
	if (!s->tcp[!from].has_next) {
		tcp_half_start(&s->tcp[!from], g->ack);
		s->tcp[!from].saw_syn = true;
		s->tcp[!from].isn = g->ack - 1;
	}
}

static void note_flags(struct stream *s, int from, const struct segment *g, int64_t now_ns)
{
	struct connection *c = &s->connection;

	if (g->flags & TCP_SYN)
		note_syn(s, from, g, now_ns);
	else if (c->syn_ack_ns != TIME_NONE && c->ack_ns == TIME_NONE && from == 0)
		c->ack_ns = now_ns;
	if (g->flags & (TCP_FIN | TCP_RST) && c->close_ns == TIME_NONE) {
		c->close_ns = now_ns;
		c->was_reset = g->flags & TCP_RST;
	}
}

static void deliver(void *data, const uint8_t *p, uint32_t len)
{
	struct delivery *d = data;
	struct stream *s = d->stream;

	tls_feed(&s->tls[d->from], &s->connection, d->from, p, len, d->now_ns);
}

static void tcp_payload(struct timeline *t, struct stream *s, int from, const struct segment *g,
			int64_t now_ns)
{
	struct connection *c = &s->connection;
	struct tcp_half *h = &s->tcp[from];
	struct delivery d = { s, from, now_ns };
	struct tcp_piece piece = { g->payload.data, g->payload.captured_bytes,
				   g->payload.wire_bytes };
	size_t before = h->waiting_bytes;
	uint32_t seq = g->seq + (g->flags & TCP_SYN ? 1 : 0);
	uint32_t known;

	if (!h->has_next)
		s->tls[from].is_midstream = true;
	known = tcp_half_add(h, seq, piece, deliver, &d);
	c->repeated_bytes[from] += known;
	c->bytes[from] += piece.wire_bytes - known;
	if (known < piece.wire_bytes) {
		c->first_bytes_ns = c->first_bytes_ns == TIME_NONE ? now_ns : c->first_bytes_ns;
		c->last_bytes_ns = now_ns;
	}
	stream_waiting(&t->table, s, before, h->waiting_bytes);
}

static void tcp_packet(struct timeline *t, const struct ip_packet *p, int64_t now_ns)
{
	struct segment g;
	uint16_t port[2];
	struct stream *s;
	int from;

	if (!read_segment(p->payload, &g))
		return;
	port[0] = be16(p->payload.data);
	port[1] = be16(p->payload.data + 2);
	s = stream_of(&t->table, p, port, now_ns, &from);
	if (s && begins_anew(s, from, &g)) {
		stream_close(&t->table, s);
		s = stream_of(&t->table, p, port, now_ns, &from);
	}
	if (!s)
		return;
	s->connection.origin_ns = t->origin_ns;
	s->connection.last_ns = now_ns;
	s->connection.packets[from]++;
	note_flags(s, from, &g, now_ns);
	if (g.payload.wire_bytes)
		tcp_payload(t, s, from, &g, now_ns);
}

/* --- UDP ------------------------------------------------------------------ */

/* A request on any port, an answer where one is awaited or on CoAP's own port. */
static void coap_datagram(struct connection *c, int from, struct span s, int64_t now_ns)
{
	struct message m = { .type = "coap",
			     .kind = MESSAGE_COAP,
			     .from = (uint8_t)from,
			     .first_ns = now_ns,
			     .time_ns = now_ns,
			     .bytes = s.captured_bytes };
	struct coap_message h;

	if (!coap_seen_parse(s.data, s.captured_bytes, &h))
		return;
	if (c->proto == CONN_NONE && c->port[0] != PORT_COAP && c->port[1] != PORT_COAP &&
	    (!coap_is_request(h.code) || h.type > COAP_NON))
		return;
	c->proto = CONN_COAP;
	if (coap_is_request(h.code) && c->hello_from < 0)
		c->hello_from = from;
	else if (h.code >> 5 && from != c->hello_from && c->answer_from < 0)
		c->answer_from = from;
	m.code[0] = (uint8_t)h.type;
	m.code[1] = h.code;
	connection_add(c, &m);
	connection_data(c, now_ns);
}

static void udp_payload(struct stream *s, int from, struct span p, int64_t now_ns)
{
	struct connection *c = &s->connection;

	if (p.captured_bytes < p.wire_bytes) {
		c->has_gap[from] = true;
		return;
	}
	if (c->proto == CONN_NONE && dtls_begins(p.data, p.captured_bytes)) {
		s->dtls = calloc(1, sizeof(*s->dtls));
		c->proto = s->dtls ? CONN_DTLS : CONN_NONE;
	}
	if (s->dtls)
		dtls_datagram(s->dtls, c, from, p.data, p.captured_bytes, now_ns);
	else
		coap_datagram(c, from, p, now_ns);
}

/* 3GPP TS 29.281: user packets (type 255) behind 8 bytes, 4 more of options, and extensions. */
static bool strip_gtpu(struct span *s)
{
	uint8_t flags, next;

	if (s->captured_bytes < 8 || s->data[0] >> 4 != 3 || s->data[1] != 255)
		return false;
	flags = s->data[0];
	if (!(flags & 7))
		return span_skip(s, 8);
	if (s->captured_bytes < 12)
		return false;
	next = flags & 4 ? s->data[11] : 0;
	span_skip(s, 12);
	while (next) {
		uint32_t len = s->captured_bytes ? s->data[0] * 4u : 0;

		if (!len || len > s->captured_bytes)
			return false;
		next = s->data[len - 1];
		span_skip(s, len);
	}
	return true;
}

static void udp_packet(struct timeline *t, const struct ip_packet *p, int64_t now_ns, int depth)
{
	struct span body = p->payload;
	uint16_t port[2], len;
	struct stream *s;
	int from;

	if (!span_skip(&body, 8))
		return;
	port[0] = be16(p->payload.data);
	port[1] = be16(p->payload.data + 2);
	len = be16(p->payload.data + 4);
	if (len >= 8)
		span_bound(&body, len - 8u);
	s = stream_of(&t->table, p, port, now_ns, &from);
	if (!s)
		return;
	s->connection.origin_ns = t->origin_ns;
	s->connection.last_ns = now_ns;
	s->connection.packets[from]++;
	s->connection.bytes[from] += body.wire_bytes;
	if (port[1] == PORT_GTPU && strip_gtpu(&body))
		ip_packet(t, body, now_ns, depth + 1);
	else
		udp_payload(s, from, body, now_ns);
}

/* --- from the frame ------------------------------------------------------- */

static void ip_packet(struct timeline *t, struct span s, int64_t now_ns, int depth)
{
	struct ip_packet p;

	if (depth > TUNNELS_MAX || !ip_parse(&t->fragments, s, &p))
		return;
	switch (p.protocol) {
	case PROTOCOL_TCP:
		tcp_packet(t, &p, now_ns);
		break;
	case PROTOCOL_UDP:
		udp_packet(t, &p, now_ns, depth);
		break;
	case PROTOCOL_IPV4:
	case PROTOCOL_IPV6:
		ip_packet(t, p.payload, now_ns, depth + 1);
		break;
	}
}

void timeline_packet(struct timeline *t, const struct capture_packet *p)
{
	struct span s = { p->data, p->captured_bytes,
			  p->wire_bytes > p->captured_bytes ? p->wire_bytes : p->captured_bytes };

	if (!t->packets++)
		t->origin_ns = p->time_ns;
	if (!link_type_known(p->link_type)) {
		t->unknown_link++;
		t->unknown_link_type = p->link_type;
		return;
	}
	if (link_strip(p->link_type, &s))
		ip_packet(t, s, p->time_ns, 0);
}

void timeline_init(struct timeline *t, void (*closed)(void *data, const struct connection *c),
		   void *data)
{
	memset(t, 0, sizeof(*t));
	t->table.closed = closed;
	t->table.data = data;
}

void timeline_keys(struct timeline *t, struct keylog *keys)
{
	t->table.keys = keys;
}

void timeline_plain(struct timeline *t)
{
	t->table.plain = true;
}

void timeline_end(struct timeline *t)
{
	stream_close_all(&t->table);
	ip_fragments_release(&t->fragments);
}

void timeline_expire(struct timeline *t, int64_t now_ns, int64_t linger_ns, int64_t silence_ns)
{
	struct stream *s = t->table.oldest;

	while (s && now_ns - s->connection.last_ns > linger_ns) {
		struct stream *next = s->newer;

		if (s->connection.close_ns != TIME_NONE ||
		    now_ns - s->connection.last_ns > silence_ns)
			stream_close(&t->table, s);
		s = next;
	}
}

/* What a capture carries counts for the connections that begin behind it. */
static int take_secrets(struct timeline *t, struct capture_file *file)
{
	int status = !t->table.keys
			     ? 0
			     : keylog_add(t->table.keys, "secrets in the capture",
					  file->secrets.data, file->secrets.len, &file->fail);

	buf_clear(&file->secrets);
	return status;
}

int timeline_read(struct timeline *t, struct capture_file *file)
{
	struct capture_packet p;
	int got;

	while ((got = capture_file_next(file, &p)) > 0) {
		if (file->secrets.len && take_secrets(t, file) < 0) {
			got = -1;
			break;
		}
		timeline_packet(t, &p);
	}
	timeline_end(t);
	return got;
}
