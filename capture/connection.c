/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection - keeping messages, and what follows from them: outcome, names.
 */
#include "capture/connection.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/coap_seen.h"

void connection_init(struct connection *c)
{
	memset(c, 0, sizeof(*c));
	c->hello_from = c->answer_from = -1;
	c->cid_bytes[0] = c->cid_bytes[1] = -1;
	c->syn_ns = c->syn_ack_ns = c->ack_ns = TIME_NONE;
	c->first_hello_ns = c->second_hello_ns = c->server_hello_ns = TIME_NONE;
	c->finished_ns[0] = c->finished_ns[1] = TIME_NONE;
	c->first_data_ns = c->last_data_ns = c->close_ns = TIME_NONE;
	c->first_bytes_ns = c->last_bytes_ns = TIME_NONE;
}

void connection_release(struct connection *c)
{
	free(c->message);
	c->message = NULL;
	c->message_count = 0;
}

/* Grows by doubling: 8, 16, ... up to MESSAGES_MAX. */
static bool has_room(struct connection *c)
{
	struct message *grown;
	int n = c->message_count;
	int cap = n ? n * 2 : 8;

	if (n == MESSAGES_MAX)
		return false;
	if (n && (n < 8 || (n & (n - 1))))
		return true;
	cap = cap > MESSAGES_MAX ? MESSAGES_MAX : cap;
	grown = realloc(c->message, (size_t)cap * sizeof(*grown));
	if (!grown)
		return false;
	c->message = grown;
	return true;
}

void connection_add(struct connection *c, const struct message *m)
{
	if (has_room(c))
		c->message[c->message_count++] = *m;
	else
		c->messages_dropped++;
}

void connection_data(struct connection *c, int64_t now_ns)
{
	if (c->first_data_ns == TIME_NONE)
		c->first_data_ns = now_ns;
	c->last_data_ns = now_ns;
}

int connection_client(const struct connection *c)
{
	if (c->hello_from >= 0)
		return c->hello_from;
	if (c->answer_from >= 0)
		return !c->answer_from;
	return c->port[0] >= c->port[1] ? 0 : 1;
}

bool connection_is_13(const struct connection *c)
{
	return c->version == VERSION_TLS13 || c->version == VERSION_DTLS13;
}

/* Without keys the server's Finished of TLS 1.3 cannot be told from what is around it. */
bool connection_complete(const struct connection *c)
{
	int client = connection_client(c);

	if (c->proto == CONN_COAP)
		return c->hello_from >= 0 && c->answer_from >= 0;
	if (c->first_hello_ns == TIME_NONE || c->server_hello_ns == TIME_NONE)
		return false;
	return c->finished_ns[client] != TIME_NONE &&
	       (c->finished_ns[!client] != TIME_NONE || connection_is_13(c));
}

static bool is_unanswered(const struct connection *c)
{
	int client = connection_client(c);

	if (c->bytes[!client] || c->first_hello_ns == TIME_NONE || c->messages_dropped)
		return false;
	for (int i = 0; i < c->message_count; i++)
		if (strcmp(c->message[i].type, "client_hello"))
			return false;
	return true;
}

void connection_outcome(const struct connection *c, char *dst, size_t size)
{
	int client = connection_client(c);

	if (connection_complete(c))
		snprintf(dst, size, "complete");
	else if (c->fatal[0])
		snprintf(dst, size, "alert:%u/%u", c->fatal[0], c->fatal[1]);
	else if (c->first_hello_ns != TIME_NONE && c->server_hello_ns == TIME_NONE &&
		 c->is_other[!client])
		snprintf(dst, size, "not-tls-reply");
	else
		snprintf(dst, size, "%s", is_unanswered(c) ? "unanswered" : "partial");
}

int64_t connection_handshake_ns(const struct connection *c)
{
	int64_t end_ns = c->finished_ns[0];

	if (c->proto == CONN_COAP || !connection_complete(c))
		return TIME_NONE;
	if (connection_is_13(c))
		end_ns = c->finished_ns[connection_client(c)];
	else if (c->finished_ns[1] > end_ns)
		end_ns = c->finished_ns[1];
	/* Clocks of joined captures may step back: that is no duration. */
	return end_ns < c->first_hello_ns ? TIME_NONE : end_ns - c->first_hello_ns;
}

void connection_version(const struct connection *c, char *dst, size_t size)
{
	uint32_t v = c->version;

	if (v == VERSION_SSL2)
		snprintf(dst, size, "SSL2");
	else if (v == 0x0300)
		snprintf(dst, size, "SSL3");
	else if (v >= VERSION_TLS10 && v <= VERSION_TLS13)
		snprintf(dst, size, "TLS1.%u", v - VERSION_TLS10);
	else if (v == VERSION_DTLS_DRAFT)
		snprintf(dst, size, "DTLS1.0");
	else if (v >= VERSION_DTLS13 && v <= 0xfeff && v != 0xfefe)
		snprintf(dst, size, "DTLS1.%u", 0xfeffu - v);
	else
		snprintf(dst, size, v ? "0x%04x" : "-", v);
}

void connection_endpoint(const struct connection *c, int direction, char *dst, size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(c->ip_version == 6 ? AF_INET6 : AF_INET, c->address[direction], text,
		  sizeof(text));
	snprintf(dst, size, c->ip_version == 6 ? "[%s]:%u" : "%s:%u", text, c->port[direction]);
}

void message_name(const struct message *m, char *dst, size_t size)
{
	if (m->kind == MESSAGE_ALERT)
		snprintf(dst, size, "%s:%u/%u", m->type, m->code[0], m->code[1]);
	else if (m->kind == MESSAGE_COAP)
		coap_seen_name(m->code[0], m->code[1], dst, size);
	else
		snprintf(dst, size, "%s", m->type);
}

void message_long_name(const struct connection *c, const struct message *m, char *dst, size_t size)
{
	bool is_client = m->from == connection_client(c);
	char name[48];

	message_name(m, name, sizeof(name));
	if (m->either_side)
		snprintf(dst, size, "%s_%s", is_client ? "client" : "server", name);
	else if (!strcmp(name, "client_hello") && !is_client)
		snprintf(dst, size, "peer_client_hello");
	else
		snprintf(dst, size, "%s%s", name, m->is_repeat ? "_repeat" : "");
}
