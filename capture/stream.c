/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream - a hash table whose entries also stand in a list by last use.
 */
#include "capture/stream.h"

#include <stdlib.h>
#include <string.h>

#include "capture/bytes.h"

#define PROTOCOL_TCP 6

/* The same for both directions. */
static uint32_t bucket_of(const struct ip_packet *p, const uint16_t port[2])
{
	uint32_t hash = (uint32_t)port[0] + port[1] + p->protocol * 7u;

	for (int i = 0; i < 16; i += 4)
		hash = hash * 31 + (be32(p->source + i) + be32(p->target + i));
	hash *= 0x9e3779b1u;
	return (hash >> 16 ^ hash) % STREAM_BUCKETS;
}

static bool is_direction(const struct stream *s, const struct ip_packet *p, const uint16_t port[2],
			 int from)
{
	const struct connection *c = &s->connection;

	return c->port[from] == port[0] && c->port[!from] == port[1] &&
	       !memcmp(c->address[from], p->source, 16) &&
	       !memcmp(c->address[!from], p->target, 16);
}

static void unlink_age(struct stream_table *t, struct stream *s)
{
	*(s->newer ? &s->newer->older : &t->newest) = s->older;
	*(s->older ? &s->older->newer : &t->oldest) = s->newer;
}

static void link_newest(struct stream_table *t, struct stream *s)
{
	s->newer = NULL;
	s->older = t->newest;
	*(t->newest ? &t->newest->newer : &t->oldest) = s;
	t->newest = s;
}

static struct stream *find(struct stream_table *t, const struct ip_packet *p,
			   const uint16_t port[2], uint32_t bucket, int *from)
{
	struct stream *s = t->bucket[bucket];

	for (; s; s = s->bucket_next) {
		if (s->protocol != p->protocol || s->connection.ip_version != p->version)
			continue;
		for (*from = 0; *from < 2; (*from)++)
			if (is_direction(s, p, port, *from))
				return s;
	}
	return NULL;
}

static struct stream *add(struct stream_table *t, const struct ip_packet *p, const uint16_t port[2],
			  uint32_t bucket, int64_t now_ns)
{
	struct stream *s;

	if (t->count == STREAMS_MAX)
		stream_close(t, t->oldest);
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	connection_init(&s->connection);
	if (t->keys && t->keys->count) {
		s->decrypt.keys = t->keys;
		s->connection.decrypt = &s->decrypt;
	}
	s->protocol = p->protocol;
	s->connection.ip_version = p->version;
	memcpy(s->connection.address[0], p->source, 16);
	memcpy(s->connection.address[1], p->target, 16);
	memcpy(s->connection.port, port, sizeof(s->connection.port));
	s->connection.start_ns = now_ns;
	s->connection.stream = p->protocol == PROTOCOL_TCP ? t->tcp_seen++ : t->udp_seen++;
	s->bucket = bucket;
	s->bucket_next = t->bucket[bucket];
	t->bucket[bucket] = s;
	t->count++;
	link_newest(t, s);
	return s;
}

struct stream *stream_of(struct stream_table *t, const struct ip_packet *p, const uint16_t port[2],
			 int64_t now_ns, int *from)
{
	uint32_t bucket = bucket_of(p, port);
	struct stream *s = find(t, p, port, bucket, from);

	if (!s) {
		*from = 0;
		return add(t, p, port, bucket, now_ns);
	}
	unlink_age(t, s);
	link_newest(t, s);
	return s;
}

void stream_close(struct stream_table *t, struct stream *s)
{
	struct stream **at = &t->bucket[s->bucket];
	struct connection *c = &s->connection;

	while (*at != s)
		at = &(*at)->bucket_next;
	*at = s->bucket_next;
	unlink_age(t, s);
	t->count--;
	for (int i = 0; i < 2; i++) {
		c->has_gap[i] |= tcp_half_has_gap(&s->tcp[i]);
		t->waiting_bytes -= s->tcp[i].waiting_bytes;
	}
	if (c->proto != CONN_NONE || (t->plain && s->protocol == PROTOCOL_TCP))
		t->closed(t->data, c);
	for (int i = 0; i < 2; i++) {
		tcp_half_release(&s->tcp[i]);
		tls_half_release(&s->tls[i]);
	}
	if (s->dtls)
		dtls_state_release(s->dtls);
	free(s->dtls);
	decrypt_release(&s->decrypt);
	connection_release(c);
	free(s);
}

static int by_start(const void *a, const void *b)
{
	const struct connection *x = &(*(struct stream *const *)a)->connection;
	const struct connection *y = &(*(struct stream *const *)b)->connection;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

void stream_close_all(struct stream_table *t)
{
	size_t count = 0;

	for (struct stream *s = t->oldest; s; s = s->newer)
		t->ending[count++] = s;
	qsort(t->ending, count, sizeof(t->ending[0]), by_start);
	for (size_t i = 0; i < count; i++)
		stream_close(t, t->ending[i]);
}

void stream_waiting(struct stream_table *t, const struct stream *keep, size_t before, size_t after)
{
	t->waiting_bytes += after - before;
	while (t->waiting_bytes > STREAMS_WAITING_BYTES && t->oldest != keep)
		stream_close(t, t->oldest);
}
