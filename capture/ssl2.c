/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ssl2 - the three clear messages of SSL 2 (draft-hickman-netscape-ssl-00), and the ClientHello in
 * its form that older clients of SSL 3 and TLS 1.0 sent (RFC 5246 appendix E.2).
 */
#include "capture/bytes.h"
#include "capture/hello.h"
#include "capture/tls.h"

#define SSL2_CLIENT_HELLO      1
#define SSL2_CLIENT_MASTER_KEY 2
#define SSL2_SERVER_HELLO      4

/* Two bytes of header with the upper bit set; padded records are never hellos. */
bool ssl2_begins(const struct connection *c, const uint8_t header[5])
{
	uint16_t version = be16(header + 3);

	if (!(header[0] & 0x80))
		return false;
	if (header[2] == SSL2_CLIENT_HELLO)
		return version == VERSION_SSL2 || (version >= 0x0300 && version <= VERSION_TLS12);
	/* The server's version stands two bytes further on: a hit and a certificate type come
	 * first. */
	return header[2] == SSL2_SERVER_HELLO && c->first_hello_ns != TIME_NONE && header[3] <= 1;
}

static void server_hello(struct connection *c, struct message *m, const uint8_t *p, size_t len)
{
	if (len < 5 || be16(p + 3) != VERSION_SSL2)
		return;
	m->type = "server_hello";
	c->answer_from = m->from;
	c->version = VERSION_SSL2;
	c->server_hello_ns = m->time_ns;
	connection_add(c, m);
}

static void client_hello(struct connection *c, struct message *m)
{
	m->type = "client_hello";
	c->hello_from = m->from;
	c->first_hello_ns = m->first_ns;
	c->client_hellos++;
	connection_add(c, m);
}

void ssl2_record(struct tls_half *h, struct connection *c, struct message *m, const uint8_t *p,
		 size_t len)
{
	m->is_handshake = true;
	if (len >= 3 && p[0] == SSL2_CLIENT_HELLO && c->first_hello_ns == TIME_NONE) {
		client_hello(c, m);
		/* Only SSL 2 itself goes on in its records. */
		if (be16(p + 1) != VERSION_SSL2)
			h->state = TLS_RECORDS;
	} else if (len && p[0] == SSL2_SERVER_HELLO && c->server_hello_ns == TIME_NONE) {
		server_hello(c, m, p, len);
	} else if (len >= 4 && p[0] == SSL2_CLIENT_MASTER_KEY && !c->has_suite) {
		m->type = "client_master_key";
		c->suite = be24(p + 1);
		c->has_suite = true;
		connection_add(c, m);
	}
}
