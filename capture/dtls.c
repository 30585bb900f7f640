/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtls - the record layer: classic headers, and the unified ones of DTLS 1.3.
 */
#include "capture/dtls.h"

#include <string.h>

#include "capture/bytes.h"
#include "capture/decrypt.h"
#include "capture/hello.h"

#define CHANGE_CIPHER_SPEC 20
#define ALERT              21
#define HANDSHAKE          22
#define APPLICATION_DATA   23
#define TLS12_CID          25
#define ACK                26
#define HEADER_BYTES       13
#define DATAGRAM_BYTES_MAX 65536
#define UNIFIED_FIXED      0x20 /* 0b001CSLEE, RFC 9147 section 4 */
#define UNIFIED_MASK       0xe0
#define UNIFIED_CID        0x10
#define UNIFIED_LONG       0x08
#define UNIFIED_LENGTH     0x04
#define UNIFIED_EPOCH      0x03
#define EPOCH_HANDSHAKE    2
#define EPOCH_APPLICATION  3
#define UNIFIED_TAG_BYTES                                                       \
	16 /* the smallest record is one byte of type and a tag; RFC 9147 4.2.3 \
	    */

struct record {
	uint8_t type;
	uint16_t epoch, version;
	uint64_t number; /* epoch and sequence number, as on the wire */
	const uint8_t *body;
	size_t body_bytes, bytes; /* bytes: with the header */
};

static bool version_is_known(uint16_t v)
{
	return v == 0xfeff || v == VERSION_DTLS12 || v == VERSION_DTLS_DRAFT;
}

static bool read_record(const uint8_t *p, size_t len, size_t cid_bytes, struct record *r)
{
	size_t header = HEADER_BYTES;

	if (len < HEADER_BYTES || p[0] < CHANGE_CIPHER_SPEC || p[0] > ACK ||
	    !version_is_known(be16(p + 1)))
		return false;
	if (p[0] == TLS12_CID)
		header += cid_bytes;
	if (header > len)
		return false;
	r->type = p[0];
	r->version = be16(p + 1);
	r->epoch = be16(p + 3);
	r->number = (uint64_t)be32(p + 3) << 32 | be32(p + 7);
	r->body = p + header;
	r->body_bytes = be16(p + header - 2);
	r->bytes = header + r->body_bytes;
	return r->bytes <= len;
}

bool dtls_begins(const uint8_t *p, size_t len)
{
	struct record r;

	return read_record(p, len, 0, &r) && r.type != TLS12_CID && r.body_bytes;
}

/* Under a connection id the content's type is encrypted: until Finished it is handshake. */
static void cid_record(struct connection *c, struct message *m)
{
	if (c->finished_ns[m->from] == TIME_NONE)
		handshake_add_encrypted(c, m);
	else
		application_add(c, m);
}

/* With keys a protected record is what one in the clear is. */
static bool opened_record(struct dtls_half *h, struct connection *c, struct message *m,
			  const struct record *r)
{
	struct record_head head = { .seq = r->number, .type = r->type, .version = r->version };
	struct buf plain = { .max = DATAGRAM_BYTES_MAX, .secret = true };
	uint8_t type;
	bool done = c->decrypt && r->epoch == 1 && r->type != TLS12_CID &&
		    r->type != CHANGE_CIPHER_SPEC &&
		    decrypt_record(c->decrypt, c, m->from, &head, r->body, r->body_bytes, &plain,
				   &type);

	if (done && type == HANDSHAKE)
		dtls_fragments(h, c, m->from, (const uint8_t *)plain.data, plain.len, m->time_ns);
	else if (done && type == ALERT)
		alert_add(c, m, (const uint8_t *)plain.data, plain.len, true);
	else if (done && type == APPLICATION_DATA)
		application_add(c, m);
	c->was_decrypted |= done;
	buf_release(&plain);
	return done;
}

static void classic_record(struct dtls_half *h, struct connection *c, int from,
			   const struct record *r, int64_t now_ns)
{
	struct message m = { .first_ns = now_ns,
			     .time_ns = now_ns,
			     .bytes = (uint32_t)r->body_bytes,
			     .from = (uint8_t)from };

	if (opened_record(h, c, &m, r))
		return;
	switch (r->type) {
	case HANDSHAKE:
		if (r->epoch)
			handshake_add_encrypted(c, &m);
		else
			dtls_fragments(h, c, from, r->body, r->body_bytes, now_ns);
		break;
	case CHANGE_CIPHER_SPEC:
		m.type = "change_cipher_spec";
		m.either_side = m.is_handshake = true;
		connection_add(c, &m);
		break;
	case ALERT:
		alert_add(c, &m, r->body, r->body_bytes, !r->epoch);
		break;
	case APPLICATION_DATA:
		application_add(c, &m);
		break;
	case TLS12_CID:
		cid_record(c, &m);
		break;
	}
}

/*
 * A side's Finished is the last record of its flight in epoch 2: the server's stands before
 * the client's, the client's before anything in epoch 3.
 */
static void note_finished(struct connection *c, int from, int64_t now_ns)
{
	int client = connection_client(c);
	bool is_over = from == client ? c->protected_records[!from] != 0
				      : c->finished_ns[client] != TIME_NONE;

	if (!is_over)
		c->finished_ns[from] = now_ns;
}

/* Data, tickets and acknowledgements look alike: only the client's counts as the first data. */
static void epoch_3_record(struct connection *c, struct message *m)
{
	m->type = "protected_record";
	m->either_side = true;
	if (m->from == connection_client(c) || c->first_data_ns != TIME_NONE)
		connection_data(c, m->time_ns);
	if (!c->protected_records[m->from]++)
		connection_add(c, m);
}

/*
 * Epoch 2 is the handshake's and epoch 3 the application's; the two bits that are sent repeat
 * every four epochs, so a key update far on may look like either, behind the handshake.
 */
static void unified_done(struct connection *c, int from, uint8_t epoch, size_t bytes,
			 int64_t now_ns)
{
	struct message m = { .first_ns = now_ns,
			     .time_ns = now_ns,
			     .bytes = (uint32_t)bytes,
			     .from = (uint8_t)from,
			     .is_unified = true };

	c->unified_records++;
	if (c->protected_records[from])
		epoch = EPOCH_APPLICATION;
	if (epoch == EPOCH_HANDSHAKE) {
		note_finished(c, from, now_ns);
		handshake_add_encrypted(c, &m);
	} else {
		epoch_3_record(c, &m);
	}
}

/* Bytes of the record, or 0 when it does not fit. The id is the one its receiver asked for. */
static size_t unified_record(struct connection *c, int from, const uint8_t *p, size_t len,
			     int64_t now_ns)
{
	size_t header = 1;
	size_t body;

	if (p[0] & UNIFIED_CID) {
		if (c->cid_bytes[!from] < 0)
			return 0;
		header += (size_t)c->cid_bytes[!from];
	}
	header += p[0] & UNIFIED_LONG ? 2 : 1;
	header += p[0] & UNIFIED_LENGTH ? 2 : 0;
	if (header > len)
		return 0;
	body = p[0] & UNIFIED_LENGTH ? be16(p + header - 2) : len - header;
	if (body > len - header || body < UNIFIED_TAG_BYTES)
		return 0;
	unified_done(c, from, p[0] & UNIFIED_EPOCH, body, now_ns);
	return header + body;
}

void dtls_datagram(struct dtls_state *s, struct connection *c, int from, const uint8_t *p,
		   size_t len, int64_t now_ns)
{
	size_t cid = c->cid_bytes[!from] > 0 ? (size_t)c->cid_bytes[!from] : 0;

	while (len) {
		size_t used = 0;
		struct record r;

		if (read_record(p, len, cid, &r)) {
			classic_record(&s->half[from], c, from, &r, now_ns);
			used = r.bytes;
		} else if ((p[0] & UNIFIED_MASK) == UNIFIED_FIXED && c->version == VERSION_DTLS13) {
			used = unified_record(c, from, p, len, now_ns);
		}
		if (!used)
			return;
		p += used;
		len -= used;
	}
}
