/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handshake - what each kind of message means for its connection; the same for TLS and DTLS.
 */
#include <string.h>

#include "capture/hello.h"

struct name_row {
	uint8_t type;
	bool either_side;
	const char *name;
};

/* IANA "TLS HandshakeType". */
static const struct name_row names[] = {
	{ 0, false, "hello_request" },
	{ CLIENT_HELLO, false, "client_hello" },
	{ SERVER_HELLO, false, "server_hello" },
	{ HELLO_VERIFY_REQUEST, false, "hello_verify_request" },
	{ 4, false, "new_session_ticket" },
	{ 5, false, "end_of_early_data" },
	{ HELLO_RETRY_REQUEST, false, "hello_retry_request" },
	{ 8, false, "encrypted_extensions" },
	{ 11, true, "certificate" },
	{ 12, false, "server_key_exchange" },
	{ 13, false, "certificate_request" },
	{ 14, false, "server_hello_done" },
	{ 15, false, "certificate_verify" },
	{ 16, false, "client_key_exchange" },
	{ FINISHED, true, "finished" },
	{ 21, false, "certificate_url" },
	{ 22, false, "certificate_status" },
	{ 23, true, "supplemental_data" },
	{ 24, true, "key_update" },
	{ 25, true, "compressed_certificate" },
	{ 67, false, "next_protocol" },
};

const char *handshake_name(uint8_t type, bool *either_side)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].type == type) {
			*either_side = names[i].either_side;
			return names[i].name;
		}
	return NULL;
}

static void note_client_hello(struct connection *c, const struct message *m, const uint8_t *body,
			      size_t len)
{
	struct hello h;

	if (c->hello_from < 0)
		c->hello_from = m->from;
	if (m->is_repeat || m->from != c->hello_from)
		return;
	c->client_hellos++;
	if (c->first_hello_ns == TIME_NONE)
		c->first_hello_ns = m->first_ns;
	else if (c->second_hello_ns == TIME_NONE)
		c->second_hello_ns = m->time_ns;
	if (!hello_parse_client(body, len, c->proto == CONN_DTLS, &h))
		return;
	c->early_data_offered = h.early_data;
	memcpy(c->random[0], h.random, sizeof(c->random[0]));
	c->has_random[0] = true;
	c->cid_bytes[m->from] = h.cid_bytes;
}

static void note_server_hello(struct connection *c, struct message *m, const uint8_t *body,
			      size_t len)
{
	struct hello h;

	if (c->answer_from < 0)
		c->answer_from = m->from;
	if (!hello_parse_server(body, len, &h))
		return;
	if (h.is_retry) {
		m->type = "hello_retry_request";
		c->hello_retries += !m->is_repeat;
	} else if (c->server_hello_ns == TIME_NONE) {
		c->server_hello_ns = m->time_ns;
		c->cid_bytes[m->from] = h.cid_bytes;
	}
	memcpy(c->random[1], h.random, sizeof(c->random[1]));
	c->has_random[1] = true;
	c->version = h.version;
	c->suite = h.suite;
	c->has_suite = true;
}

void handshake_add(struct connection *c, struct message *m, uint8_t type, const uint8_t *body,
		   size_t len)
{
	m->type = handshake_name(type, &m->either_side);
	if (!m->type)
		m->type = "handshake";
	m->is_handshake = true;
	if (type == CLIENT_HELLO)
		note_client_hello(c, m, body, len);
	else if (type == SERVER_HELLO)
		note_server_hello(c, m, body, len);
	else if (type == HELLO_VERIFY_REQUEST)
		c->hello_verifies += !m->is_repeat;
	else if (type == HELLO_RETRY_REQUEST)
		c->hello_retries += !m->is_repeat;
	else if (type == FINISHED && c->finished_ns[m->from] == TIME_NONE)
		c->finished_ns[m->from] = m->time_ns;
	connection_add(c, m);
}

void handshake_add_encrypted(struct connection *c, struct message *m)
{
	m->type = "encrypted_handshake";
	m->either_side = m->is_handshake = true;
	if (c->finished_ns[m->from] == TIME_NONE && !m->is_unified)
		c->finished_ns[m->from] = m->time_ns;
	connection_add(c, m);
}

void alert_add(struct connection *c, struct message *m, const uint8_t *body, size_t len,
	       bool is_clear)
{
	m->either_side = true;
	m->type = "encrypted_alert";
	if (is_clear && len == 2 && (body[0] == 1 || body[0] == ALERT_FATAL)) {
		m->type = "alert";
		m->kind = MESSAGE_ALERT;
		memcpy(m->code, body, 2);
		if (body[0] == ALERT_FATAL && !c->fatal[0])
			memcpy(c->fatal, body, 2);
	}
	connection_add(c, m);
}

/*
 * The client's first one holds its Finished; with early data on offer, the first one behind
 * the ServerHello. What comes later may be data, tickets or alerts: only the client's counts
 * as the first data.
 */
void protected_add(struct connection *c, struct message *m)
{
	int client = connection_client(c);
	bool is_early = c->early_data_offered && c->server_hello_ns == TIME_NONE;

	m->type = "protected_record";
	m->either_side = true;
	c->protected_records[m->from]++;
	if (c->finished_ns[client] != TIME_NONE) {
		if (m->from == client || c->first_data_ns != TIME_NONE)
			connection_data(c, m->time_ns);
		return;
	}
	if (m->from == client && !is_early)
		c->finished_ns[client] = m->time_ns;
	m->is_handshake = !is_early;
	connection_add(c, m);
}

void application_add(struct connection *c, struct message *m)
{
	m->type = "application_data";
	m->either_side = true;
	connection_data(c, m->time_ns);
	if (!c->protected_records[m->from]++)
		connection_add(c, m);
}
